//! Groups of addresses, as large as an erase block or some of them: which of them a trace touches, and where they go when
//! they are packed.

use std::collections::BTreeMap;
use std::ops::Range;

use ssdlab_host::{Op, Request};

/// The groups that requests touch, as runs of neighbours: memory grows with the number of runs.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// From the first group of a run to the one behind it.
    runs: BTreeMap<u64, u64>,
}

impl Touched {
    /// Adds the groups of a request.
    pub fn add(&mut self, request: &Request, group: u64) {
        if request.size() == 0 {
            return;
        }
        let mut first = request.offset / group;
        let mut behind = (request.end() - 1) / group + 1;
        // runs that overlap or border become part of it
        while let Some((&start, &end)) = self.runs.range(..=behind).next_back()
            && end >= first
        {
            if start <= first && end >= behind {
                return;
            }
            (first, behind) = (first.min(start), behind.max(end));
            self.runs.remove(&start);
        }
        self.runs.insert(first, behind);
    }

    /// The number of groups.
    pub fn count(&self) -> u64 {
        self.runs.iter().map(|(start, end)| end - start).sum()
    }

    /// The runs, ascending.
    pub fn runs(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.runs.iter().map(|(&start, &end)| start..end)
    }
}

/// Bytes that move together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    start: u64,
    end: u64,
    /// Where they begin when they are packed.
    to: u64,
}

/// Runs of groups, packed without gaps in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packing {
    runs: Vec<Run>,
    groups: u64,
}

impl Packing {
    /// Packs runs of groups of this size, which ascend and may border.
    pub fn new(group: u64, runs: impl Iterator<Item = Range<u64>>) -> Self {
        let mut packing = Self::default();
        for run in runs {
            let (start, end) = (run.start * group, run.end.saturating_mul(group));
            match packing.runs.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => packing.runs.push(Run {
                    start,
                    end,
                    to: packing.groups * group,
                }),
            }
            packing.groups += run.end - run.start;
        }
        packing
    }

    /// The number of groups.
    pub const fn groups(&self) -> u64 {
        self.groups
    }

    /// The packed part of a request, as offset and size; `None`: it is in no group. A flush stays. Groups are packed
    /// without gaps, so what is left of a request is one range.
    pub fn part(&self, request: &Request) -> Option<(u64, u64)> {
        if request.op() == Op::Flush {
            return Some((0, 0));
        }
        let (start, end) = (request.offset, request.end());
        let first = self.runs.partition_point(|run| run.end <= start);
        let behind = self.runs.partition_point(|run| run.start < end);
        let touched = self.runs.get(first..behind)?;
        let (first, last) = (touched.first()?, touched.last()?);
        let from = first.to + (start.max(first.start) - first.start);
        let to = last.to + (end.min(last.end) - last.start);
        Some((from, to - from))
    }
}
