//! Puts the requests of a trace in the order of their times, in bounded memory.

use crate::decode::BATCH;
use crate::lines::{Lines, Mark};
use ssdlab_host::Request;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most requests that wait: they take some 200 MB.
const MOST: usize = 1 << 22;

/// A request that waits, by time and then by its place in the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time: u64,
    place: u64,
    mark: Mark,
    request: Held,
}

/// A request, of which the place in the file decides first.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Held(Request);

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Held {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

/// Holds each request back until the trace is ahead of it by a window of time.
pub(crate) struct Sorter {
    window: u64,
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Requests so far.
    count: u64,
    /// The latest time so far.
    latest: u64,
    /// Requests that came behind a later one.
    moved: u64,
}

impl Sorter {
    /// A window of so many ns.
    pub fn new(window: u64) -> Self {
        Self {
            window,
            waiting: BinaryHeap::new(),
            count: 0,
            latest: 0,
            moved: 0,
        }
    }

    /// The number of requests that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The number of requests that came behind a later one and were moved before it.
    pub const fn moved(&self) -> u64 {
        self.moved
    }

    /// Takes the requests of a batch and gives back, at most a batch, those that need not wait. `over`: nothing follows.
    ///
    /// # Errors
    /// Too many requests are within the window.
    pub fn sort(
        &mut self,
        batch: &mut Vec<Request>,
        lines: &mut Lines,
        over: bool,
    ) -> Result<(), String> {
        for (index, request) in batch.iter().enumerate() {
            let time = request.time_ns;
            self.moved += u64::from(time < self.latest);
            self.latest = self.latest.max(time);
            self.waiting.push(Reverse(Waiting {
                time,
                place: self.count,
                mark: lines.mark(index),
                request: Held(*request),
            }));
            self.count += 1;
        }
        batch.clear();
        lines.clear();
        let ready = |waiting: &Waiting| over || self.latest - waiting.time > self.window;
        while batch.len() < BATCH
            && let Some(next) = self.waiting.peek_mut()
            && ready(&next.0)
        {
            let next = std::collections::binary_heap::PeekMut::pop(next).0;
            batch.push(next.request.0);
            lines.push(next.mark);
        }
        if self.waiting.len() > MOST {
            return Err(format!(
                "more than {MOST} requests are within the time of --sort; choose a shorter one"
            ));
        }
        Ok(())
    }
}
