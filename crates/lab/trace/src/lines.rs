//! The line numbers and the volumes of the requests of a trace.

use ssdlab_host::{Op, Request};

/// The line and the volume of a request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    line: u64,
    volume: u32,
}

/// The line numbers and the volumes of one batch of requests after another.
#[derive(Default)]
pub(crate) struct Lines {
    /// The line of each request of the batch; empty if they are successive, from `first` on.
    pub each: Vec<u64>,
    /// The volume of each request of the batch; empty if all are 0.
    pub volumes: Vec<u32>,
    first: u64,
    /// The line of the first request of the trace.
    start: Option<u64>,
    /// The number of requests so far.
    count: u64,
    /// Whether some requests so far were not on successive lines.
    gaps: bool,
}

impl Lines {
    /// The line of a request of the batch.
    pub fn of(&self, index: usize) -> u64 {
        let successive = self.first + index as u64;
        self.each.get(index).copied().unwrap_or(successive)
    }

    /// The volume of a request of the batch.
    pub fn volume_of(&self, index: usize) -> u32 {
        self.volumes.get(index).copied().unwrap_or(0)
    }

    /// The line and the volume of a request of the batch.
    pub fn mark(&self, index: usize) -> Mark {
        Mark {
            line: self.of(index),
            volume: self.volume_of(index),
        }
    }

    /// The line of the first request, if all requests so far are on successive lines.
    pub fn successive_from(&self) -> Option<u64> {
        self.start.filter(|_| !self.gaps)
    }

    /// Starts a batch.
    pub fn clear(&mut self) {
        self.each.clear();
        self.volumes.clear();
    }

    /// Adds the next request of a batch.
    pub fn push(&mut self, mark: Mark) {
        self.each.push(mark.line);
        self.volumes.push(mark.volume);
    }

    /// Fills in the lines of a batch that ends on the line `last`, unless the decoder gave the line of each request.
    pub fn settle(&mut self, last: u64, batch: &[Request]) {
        if self.each.is_empty() {
            self.first = last + 1 - batch.len() as u64;
        }
    }

    /// Removes the requests of one operation from a settled batch.
    pub fn drop(&mut self, op: Op, batch: &mut Vec<Request>) {
        if self.each.is_empty() {
            self.each.extend((self.first..).take(batch.len()));
        }
        keep(&mut self.each, op, batch);
        keep(&mut self.volumes, op, batch);
        batch.retain(|request| request.op() != op);
    }

    /// Records a batch that is returned to the caller.
    pub fn give(&mut self, batch: &[Request]) {
        if batch.is_empty() {
            return;
        }
        let next = *self.start.get_or_insert(self.of(0)) + self.count;
        self.gaps |= if self.each.is_empty() {
            self.first != next
        } else {
            (next..)
                .zip(&self.each[..batch.len()])
                .any(|(next, &line)| next != line)
        };
        self.count += batch.len() as u64;
    }
}

/// Removes what belongs to the requests of one operation.
fn keep<T>(marks: &mut Vec<T>, op: Op, batch: &[Request]) {
    let mut requests = batch.iter();
    marks.retain(|_| requests.next().is_some_and(|request| request.op() != op));
}
