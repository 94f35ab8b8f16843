//! On which lines of a trace its requests stand.

use ssdlab_host::{Op, Request};

/// The lines of one batch of requests after another.
#[derive(Default)]
pub(crate) struct Lines {
    /// Of each request of the batch; empty if they are successive, from `first` on.
    pub each: Vec<u64>,
    first: u64,
    /// The line of the first request of the trace.
    start: Option<u64>,
    /// Requests so far.
    count: u64,
    /// Not all requests so far stood on successive lines.
    gaps: bool,
}

impl Lines {
    /// The line of a request of the batch.
    pub fn of(&self, index: usize) -> u64 {
        let successive = self.first + index as u64;
        self.each.get(index).copied().unwrap_or(successive)
    }

    /// The line of the first request, if all so far stood on successive lines.
    pub fn successive_from(&self) -> Option<u64> {
        self.start.filter(|_| !self.gaps)
    }

    /// Takes note of a batch that ends on the line `last`, if not of each.
    pub fn settle(&mut self, last: u64, batch: &[Request]) {
        if self.each.is_empty() {
            self.first = last + 1 - batch.len() as u64;
        }
    }

    /// Takes the requests of one kind out of a settled batch.
    pub fn drop(&mut self, op: Op, batch: &mut Vec<Request>) {
        if self.each.is_empty() {
            self.each.extend((self.first..).take(batch.len()));
        }
        let mut requests = batch.iter();
        self.each
            .retain(|_| requests.next().is_some_and(|request| request.op() != op));
        batch.retain(|request| request.op() != op);
    }

    /// Takes note of a batch that is given out.
    pub fn give(&mut self, batch: &[Request]) {
        if batch.is_empty() {
            return;
        }
        let next = *self.start.get_or_insert(self.of(0)) + self.count;
        self.gaps |= match self.each.is_empty() {
            true => self.first != next,
            false => (next..)
                .zip(&self.each[..batch.len()])
                .any(|(next, &line)| next != line),
        };
        self.count += batch.len() as u64;
    }
}
