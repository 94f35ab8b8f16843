//! The spare factor, which all formulas take.

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
