//! The line numbers of the requests of a trace.

use ssdlab_host::{Op, Request};

/// The line numbers of one batch of requests after another.
#[derive(Default)]
pub(crate) struct Lines {
    /// The line of each request of the batch; empty if they are successive, from `first` on.
    pub each: Vec<u64>,
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

    /// The line of the first request, if all requests so far are on successive lines.
    pub fn successive_from(&self) -> Option<u64> {
        self.start.filter(|_| !self.gaps)
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
        let mut requests = batch.iter();
        self.each
            .retain(|_| requests.next().is_some_and(|request| request.op() != op));
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
