//! One access to units, and the workloads that return accesses.

use ssdlab_host::Op;

use super::random::Random;

/// One access of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The operation.
    pub op: Op,
    /// The first unit; 0 for a flush.
    pub first: u64,
    /// The number of units; 0 for a flush.
    pub count: u64,
    /// The stream; 0 if nothing is known.
    pub stream: u16,
}

impl Access {
    /// A write of `count` units.
    pub fn write(first: u64, count: u64) -> Self {
        Self::of(Op::Write, first, count)
    }

    /// A read of `count` units.
    pub fn read(first: u64, count: u64) -> Self {
        Self::of(Op::Read, first, count)
    }

    /// A discard of `count` units.
    pub fn discard(first: u64, count: u64) -> Self {
        Self::of(Op::Discard, first, count)
    }

    pub(super) const FLUSH: Self = Self::of(Op::Flush, 0, 0);

    const fn of(op: Op, first: u64, count: u64) -> Self {
        Self {
            op,
            first,
            count,
            stream: 0,
        }
    }
}

/// A workload over the units 0..n; n is an argument of its constructor.
pub trait Workload {
    /// The next access, which lies within the units.
    fn next(&mut self, random: &mut Random) -> Access;

    /// The stream of a first write to a unit that fills the space before the workload; 0 if it has none of its own.
    fn stream_of(&self, _unit: u64) -> u16 {
        0
    }
}

impl Workload for Box<dyn Workload> {
    fn next(&mut self, random: &mut Random) -> Access {
        (**self).next(random)
    }

    fn stream_of(&self, unit: u64) -> u16 {
        (**self).stream_of(unit)
    }
}
