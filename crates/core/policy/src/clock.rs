//! The clock of ages and stable times.

use crate::Choice;

/// What ages and stable times are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Pages that the host writes.
    #[default]
    Writes,
    /// Trace time, ns.
    Trace,
}

/// `clock`.
pub const CLOCK: Choice<Clock> = Choice::new(
    "clock",
    &["writes", "trace"],
    &[Clock::Writes, Clock::Trace],
    "unit of ages and stable times: pages written, or trace time",
);
