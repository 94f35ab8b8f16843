//! Write amplification in theory: the cost of cleaning under uniform random writes of single pages, in the steady state.
//!
//! All formulas take the spare factor S_f = 1 − logical / physical. Physical pages are those that hold data or wait to be
//! cleaned; the free blocks that cleaning keeps and the empty half of a frontier do not count. All formulas return the
//! write amplification A, programs for each page that the host writes, at least 1.
//!
//! | function | cleaning | source |
//! | --- | --- | --- |
//! | [`fifo`] | the block filled first; greedy with large blocks | Desnoyers 2012; Menon 1995 |
//! | [`greedy`] | the fewest valid pages, blocks of b pages | Desnoyers 2012; Bux and Iliadis 2010 |
//! | [`d_choices`] | the fewest valid pages of d random blocks | Van Houdt 2013 |
//! | [`classes`] | the block filled first, hot and cold data in one log | Desnoyers 2012 |
//! | [`with_discards`] | no cleaning policy: the spare factor under discards | Frankie et al. 2013 |

mod classes;
mod d_choices;
mod discards;
mod fifo;
mod greedy;
mod solve;

pub use classes::{Class, classes};
pub use d_choices::d_choices;
pub use discards::with_discards;
pub use fifo::fifo;
pub use greedy::greedy;

/// The share of physical pages that hold no data, from [`Spare::LEAST`] to below 1: S_f.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Spare(f64);

impl Spare {
    /// From this value up, all formulas are exact to at least eight digits. A grows like 1 / S_f and is computed from
    /// differences of nearly equal numbers: each smaller power of ten of S_f costs a digit, and at 1e-17 no digit is left.
    pub const LEAST: f64 = 1e-6;

    /// From S_f itself; `None` unless it is from [`Spare::LEAST`] to below 1.
    pub fn new(share: f64) -> Option<Self> {
        (Self::LEAST..1.0).contains(&share).then_some(Self(share))
    }

    /// From the physical pages beyond the logical ones, as a fraction of the logical pages; `None` unless S_f is in the
    /// range of [`Spare::new`].
    pub fn from_over_provisioning(fraction: f64) -> Option<Self> {
        Self::new(fraction / (1.0 + fraction))
    }

    /// S_f.
    pub fn share(self) -> f64 {
        self.0
    }

    /// ρ: the share of physical pages that hold data.
    pub fn utilisation(self) -> f64 {
        1.0 - self.0
    }

    /// α: physical pages for each logical one, above 1.
    pub fn alpha(self) -> f64 {
        1.0 / self.utilisation()
    }
}
