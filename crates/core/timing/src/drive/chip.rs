//! A chip of a drive of today: what it does in order, and the reads that go before or suspend it.

use super::operations::{Operation, Operations};
use crate::recorder::{Activity, Recorder};

/// The times of a chip in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cells {
    /// A sense of a group of pages.
    pub read_ns: u64,
    /// From the arrival of a host read until a running program or erase has let the chip go.
    pub suspend_ns: u64,
    /// A program or erase whose rest is not longer is waited for.
    pub window_ns: u64,
}

/// A chip. Host reads hold it from `since` until `held`.
#[derive(Clone, Debug)]
pub(super) struct Chip {
    number: usize,
    /// What it does in order, without overlap; what ended before the request that gave it the last one is forgotten.
    operations: Operations,
    /// The end of the last operation that was forgotten.
    forgotten: u64,
    /// When each of the reads that it serves at a time ends.
    readers: Vec<u64>,
    since: u64,
    held: u64,
    /// The time its cells worked.
    pub busy_ns: u64,
}

type Recording = Option<Box<Recorder>>;

impl Chip {
    /// A chip that does nothing and serves this many host reads at a time.
    pub fn new(number: usize, readers: u32) -> Self {
        Self {
            number,
            operations: Operations::default(),
            forgotten: 0,
            readers: vec![0; readers as usize],
            since: 0,
            held: 0,
            busy_ns: 0,
        }
    }

    /// The end of all that it was given.
    #[inline]
    pub fn end(&self) -> u64 {
        let last = self.operations.last();
        last.map_or(self.forgotten, |last| last.end).max(self.held)
    }

    /// The operations that are not forgotten.
    pub fn operations(&self) -> usize {
        self.operations.len()
    }

    /// Nothing happens before `now`.
    #[inline]
    pub fn forget_before(&mut self, now: u64, recording: &mut Recording) {
        while let Some(first) = self.operations.first()
            && first.end <= now
        {
            self.forgotten = first.end;
            if let Some(recorder) = recording {
                record(recorder, self.number, &first, first.end);
            }
            self.operations.pop_first();
        }
    }

    /// Records all operations up to the ends that they have now.
    pub fn settle(&mut self, recorder: &mut Recorder) {
        for operation in self.operations.iter_mut() {
            record(recorder, self.number, operation, operation.end);
            operation.recorded = operation.end;
        }
    }

    /// A program or an erase from `ready` on, behind all that was given. Returns its end.
    #[inline]
    pub fn append(&mut self, activity: Activity, ready: u64, length: u64) -> u64 {
        let start = ready.max(self.end());
        let end = start.saturating_add(length);
        self.busy_ns += length;
        self.operations.append(Operation {
            activity,
            start,
            end,
            recorded: 0,
        });
        end
    }

    /// A read of the host, which goes before programs and erases that have not begun, and suspends one that runs if that is
    /// worth it. Returns when the data are in the register.
    pub fn host_sense(&mut self, ready: u64, cells: &Cells, recording: &mut Recording) -> u64 {
        let length = cells.read_ns;
        self.busy_ns += length;
        let free = self.readers.iter().enumerate();
        let (reader, free) = free
            .map(|(reader, &free)| (reader, free))
            .min_by_key(|&(_, free)| free)
            .unwrap_or_default();
        let (start, end) = if ready < self.held {
            self.join_reads(ready.max(free).max(self.since), length)
        } else {
            self.hold(ready, cells, recording)
        };
        if let Some(time) = self.readers.get_mut(reader) {
            *time = end;
        }
        if let Some(recorder) = recording {
            recorder.chip(self.number, Activity::HostRead, start, end);
        }
        end
    }

    /// A read beside those that hold the chip.
    fn join_reads(&mut self, start: u64, length: u64) -> (u64, u64) {
        let end = start.saturating_add(length);
        if end > self.held {
            let held = self.held;
            let next = self.operations.first_ending_after(held);
            match self.operations.get(next) {
                // the one that the reads suspended
                Some(mut suspended) if suspended.start < held => {
                    suspended.end = suspended.end.saturating_add(end - held);
                    suspended.recorded = end;
                    self.operations.set(next, suspended);
                    self.operations.push(next.next(), suspended.end);
                }
                _ => self.operations.push(next, end),
            }
            self.held = end;
        }
        (start, end)
    }

    /// A read that takes the chip.
    fn hold(&mut self, ready: u64, cells: &Cells, recording: &mut Recording) -> (u64, u64) {
        let mut at = ready;
        let mut next = self.operations.first_ending_after(at);
        if let Some(running) = self.operations.get(next)
            && running.start < at
            && (running.is_sense() || running.end - at <= cells.window_ns)
        {
            at = running.end;
            next = next.next();
        }
        let (start, end);
        match self.operations.get(next) {
            Some(mut running) if running.start < at => {
                start = at.saturating_add(cells.suspend_ns);
                end = start.saturating_add(cells.read_ns);
                if let Some(recorder) = recording {
                    record(recorder, self.number, &running, at);
                }
                running.recorded = end;
                running.end = running.end.saturating_add(end - at);
                self.operations.set(next, running);
                self.operations.push(next.next(), running.end);
            }
            _ => {
                start = at;
                end = start.saturating_add(cells.read_ns);
                self.operations.push(next, end);
            }
        }
        (self.since, self.held) = (start, end);
        (start, end)
    }

    /// Another sense: it waits for what runs, goes before programs and erases that have not begun, and suspends nothing.
    pub fn other_sense(&mut self, activity: Activity, ready: u64, length: u64) -> u64 {
        self.busy_ns += length;
        let (place, start) = (self.operations).place_of_sense(ready.max(self.held), length);
        let end = start.saturating_add(length);
        let sense = Operation {
            activity,
            start,
            end,
            recorded: 0,
        };
        self.operations.insert(place, sense);
        end
    }
}

/// Records what an operation does until `until` and is not recorded yet.
fn record(recorder: &mut Recorder, chip: usize, operation: &Operation, until: u64) {
    let from = operation.start.max(operation.recorded);
    if from < until {
        recorder.chip(chip, operation.activity, from, until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a sense that waits for programs that have not begun, or that suspends one; a program that stays where a
    // suspended one now is
    #[test]
    fn a_sense_of_cleaning_waits_for_what_runs_only() {
        let cells = Cells {
            read_ns: 60,
            suspend_ns: 50,
            window_ns: 400,
        };
        let busy = || {
            let mut chip = Chip::new(0, 1);
            let ends = [0, 0].map(|ready| chip.append(Activity::Program, ready, 2000));
            assert_eq!(ends, [2000, 4000]);
            chip
        };
        let mut chip = busy();
        assert_eq!(chip.other_sense(Activity::CopyRead, 500, 60), 2060);
        assert_eq!(chip.end(), 4060);
        let mut chip = busy();
        assert_eq!(chip.host_sense(1000, &cells, &mut None), 1110);
        assert_eq!(chip.end(), 4110);
        assert_eq!(chip.other_sense(Activity::CopyRead, 500, 60), 2170);
        assert_eq!(chip.end(), 4170);
        assert_eq!(chip.busy_ns, 4120);
    }
}
