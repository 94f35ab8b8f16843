//! The time of a run by cause.

use crate::measured::Measured;

/// The time of a run by cause, in nanoseconds; under the serial model, the parts add up to `elapsed_ns`.
#[derive(Clone, Debug, Default)]
pub struct Costs(pub(crate) [(Cause, u64); 8]);

/// A cause of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cause {
    #[default]
    Programs,
    Reads,
    Padding,
    Switch,
    Partial,
    Full,
    Cleaning,
    Buffer,
}

impl Costs {
    pub(crate) fn of(measured: &Measured) -> Self {
        let (time, merges) = (&measured.time, &measured.merge_time);
        let (_, programs) = measured.host_programs;
        // releasing an empty log block belongs to no merge
        let of_no_kind = time.merge - merges.switch - merges.partial - merges.full;
        Self([
            (Cause::Programs, programs),
            (
                Cause::Reads,
                (time.host + time.ageing).saturating_sub(programs),
            ),
            (Cause::Padding, time.padding),
            (Cause::Switch, merges.switch),
            (Cause::Partial, merges.partial),
            (Cause::Full, merges.full),
            (Cause::Cleaning, time.cleaning + of_no_kind),
            (Cause::Buffer, time.buffer),
        ])
    }
}
