//! Compaction: the touched erase blocks of a trace, mapped densely in ascending order.
//!
//! A block is touched if a read or a write touches it. Only the part of a discard in touched blocks is kept: other
//! blocks hold no data.

use std::collections::BTreeMap;

use serde::Serialize;
use ssdlab_host::{Op, Request};

use crate::error::SimError;
use crate::input::Trace;

/// The touched erase blocks of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Compaction {
    block_bytes: u64,
    /// Runs of touched blocks, ascending: first block, one past the last block, and the dense number of the first.
    runs: Vec<Run>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    first: u64,
    end: u64,
    dense: u64,
}

/// The result of compaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompactReport {
    /// Bytes of an erase block.
    pub block_bytes: u64,
    /// Erase blocks that reads and writes touch.
    pub touched_blocks: u64,
    /// Erase blocks up to the last touched one.
    pub span_blocks: u64,
}

/// Finds the touched blocks.
#[derive(Debug)]
struct Touched {
    block_bytes: u64,
    /// Disjoint runs: first block, and one past the last. A request of any size adds at most one entry.
    runs: BTreeMap<u64, u64>,
}

impl Touched {
    fn new(block_bytes: u64) -> Self {
        Self {
            block_bytes,
            runs: BTreeMap::new(),
        }
    }

    fn add(&mut self, request: &Request) {
        if matches!(request.op(), Op::Read | Op::Write) && request.size() > 0 {
            let last = (request.end() - 1) / self.block_bytes;
            self.insert(request.offset / self.block_bytes, last + 1);
        }
    }

    fn insert(&mut self, mut first: u64, mut end: u64) {
        // from the last run that starts at or before `end`, back to the first that reaches `first`
        while let Some((&start, &stop)) = self.runs.range(..=end).next_back() {
            if stop < first {
                break;
            }
            if start <= first && end <= stop {
                return;
            }
            self.runs.remove(&start);
            (first, end) = (first.min(start), end.max(stop));
        }
        self.runs.insert(first, end);
    }

    fn finish(self) -> Compaction {
        let mut dense = 0;
        let run = |(first, end)| {
            let run = Run { first, end, dense };
            dense += end - first;
            run
        };
        Compaction {
            block_bytes: self.block_bytes,
            runs: self.runs.into_iter().map(run).collect(),
        }
    }
}

impl Compaction {
    /// The touched blocks of a trace.
    pub fn of(trace: &Trace, block_bytes: u64) -> Result<Self, SimError> {
        let mut touched = Touched::new(block_bytes);
        trace.each(|request| touched.add(request))?;
        Ok(touched.finish())
    }

    /// The same request on the dense blocks; `None` for a discard that touches no touched block.
    pub fn map(&self, request: &Request) -> Option<Request> {
        if request.op() == Op::Flush {
            return Some(*request);
        }
        let (start, end) = (self.place(request.offset), self.place(request.end()));
        (start < end || request.size() == 0)
            .then(|| Request::new(request.time_ns, request.op(), start, end - start))
            .flatten()
    }

    /// The dense place of a byte; a byte between touched blocks maps to the start of the next touched block.
    fn place(&self, byte: u64) -> u64 {
        let (block, offset) = (byte / self.block_bytes, byte % self.block_bytes);
        let behind = self.runs.partition_point(|run| run.end <= block);
        match self.runs.get(behind) {
            Some(run) if run.first <= block => {
                (run.dense + block - run.first) * self.block_bytes + offset
            }
            Some(run) => run.dense * self.block_bytes,
            None => self.end(),
        }
    }

    /// One past the last dense byte.
    pub fn end(&self) -> u64 {
        self.blocks() * self.block_bytes
    }

    fn blocks(&self) -> u64 {
        self.runs
            .last()
            .map_or(0, |run| run.dense + run.end - run.first)
    }

    pub fn report(&self) -> CompactReport {
        CompactReport {
            block_bytes: self.block_bytes,
            touched_blocks: self.blocks(),
            span_blocks: self.runs.last().map_or(0, |run| run.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(op: Op, offset: u64, size: u64) -> Request {
        Request::new(0, op, offset, size).expect("a request")
    }

    fn compaction(requests: &[Request]) -> Compaction {
        let mut touched = Touched::new(100);
        requests.iter().for_each(|request| touched.add(request));
        touched.finish()
    }

    // planted bugs: a write across two blocks is split; a discard that touches blocks or keeps its length
    #[test]
    fn touched_blocks_become_neighbours() {
        let requests = [
            request(Op::Write, 950, 100),
            request(Op::Read, 310, 20),
            request(Op::Discard, 500, 100),
            request(Op::Discard, 320, 1000),
            request(Op::Discard, 340, 1),
            request(Op::Flush, 0, 0),
        ];
        let compaction = compaction(&requests);
        let mapped: Vec<_> = requests
            .iter()
            .filter_map(|request| compaction.map(request))
            .map(|request| (request.op(), request.offset, request.size()))
            .collect();
        let expected = [
            (Op::Write, 150, 100),
            (Op::Read, 10, 20),
            (Op::Discard, 20, 280),
            (Op::Discard, 40, 1),
            (Op::Flush, 0, 0),
        ];
        assert_eq!(mapped, expected);
        let report = CompactReport {
            block_bytes: 100,
            touched_blocks: 3,
            span_blocks: 11,
        };
        assert_eq!(compaction.report(), report);
        assert_eq!(compaction.end(), 300);
    }

    #[test]
    fn nothing_touched_is_nothing_left() {
        let compaction = compaction(&[request(Op::Discard, 0, 5)]);
        assert_eq!(compaction.map(&request(Op::Discard, 0, 5)), None);
        assert_eq!(compaction.end(), 0);
    }
}
