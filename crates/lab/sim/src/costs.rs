//! The time of a run by cause.

use ssdlab_device::Cause;

use crate::measured::Measured;

/// The time of a run by cause, in nanoseconds. The parts add up to `elapsed_ns`; under the parallel model to the time that
/// the cells of all chips worked.
#[derive(Clone, Debug, Default)]
pub struct Costs(pub(crate) [(Share, u64); 10]);

/// A part of the time that has a counter of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Share {
    #[default]
    Programs,
    Reads,
    Padding,
    Switch,
    Partial,
    Full,
    Cleaning,
    /// Erases that no merge and no cleaning did.
    Released,
    Tables,
    Buffer,
}

impl Costs {
    pub(crate) fn of(measured: &Measured) -> Self {
        let spent = measured.chips.as_ref().unwrap_or(&measured.spent);
        let (time, merges, programs) = (&spent.by_cause, &spent.merges, spent.host_programs);
        // releasing an empty log block belongs to no merge
        let of_no_kind = time[Cause::Merge] - merges.switch - merges.partial - merges.full;
        Self([
            (Share::Programs, programs),
            (
                Share::Reads,
                (time[Cause::Host] + time[Cause::Ageing]).saturating_sub(programs),
            ),
            (Share::Padding, time[Cause::Padding]),
            (Share::Switch, merges.switch),
            (Share::Partial, merges.partial),
            (Share::Full, merges.full),
            (Share::Cleaning, time[Cause::Cleaning]),
            (Share::Released, of_no_kind),
            (Share::Tables, time[Cause::Tables]),
            (Share::Buffer, time[Cause::Buffer]),
        ])
    }

    /// The time of all causes.
    pub(crate) fn total(&self) -> u64 {
        self.0
            .iter()
            .fold(0, |sum, (_, ns)| sum.saturating_add(*ns))
    }
}
