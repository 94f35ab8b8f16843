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
//! | [`Pools::proportional`], [`Pools::split`] | fifo or greedy, each class of data in blocks of its own | Desnoyers 2012, 2014 |
//! | [`Pools::optimal`] | the same, with the split of the spare that costs least | Desnoyers 2012, 2014 |
//! | [`with_discards`] | no cleaning policy: the spare factor under discards | Frankie et al. 2013 |
//!
//! [`Fill`] is another subject: the phases of a sequential fill of a drive with an SLC cache, and their speeds.
//!
//! Depends on no crate. Computes: nothing here reads, writes, prints or looks at the environment.

mod classes;
mod d_choices;
mod discards;
mod fifo;
mod fill;
mod greedy;
mod optimum;
mod pools;
mod solve;
mod spare;

pub use classes::{Class, classes};
pub use d_choices::d_choices;
pub use discards::with_discards;
pub use fifo::fifo;
pub use fill::{Fill, Phase, What, WhenFull};
pub use greedy::greedy;
pub use pools::{BadPools, Cleaning, Pool, Pools, ShareOf, Split};
pub use spare::Spare;
