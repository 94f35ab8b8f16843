//! The parallel model: every interval in which a chip, a channel or the bus works.
//!
//! The reference model tells which operations there are and when each one is ready; the device tells when each part
//! works. No part may do two things at a time, and no operation may wait while all that it needs is free.

use std::collections::VecDeque;

use ssdlab_device::{Activity, Busy, Interval, NoData, Resource};
use ssdlab_host::Request;
use ssdlab_testkit::cases::{self, Case, Systems};
use ssdlab_testkit::model::{self, ModelConfig, Operation, OperationKind};

use crate::timing::{Timed, device_of, with_clocks};

/// A stretch of time [from, to), in ns.
type Stretch = (u64, u64);

/// The moves over a channel or the bus so far, by start.
#[derive(Default)]
struct Lane {
    moves: Vec<Stretch>,
    sum: u64,
}

impl Lane {
    /// Adds a move that was ready at `ready`.
    fn add(&mut self, ready: u64, (start, end): Stretch) -> Result<(), String> {
        let length = end - start;
        // a move of equal length fits at `from` if it overlaps none of the moves
        let overlaps = |from: u64| {
            let ahead = self.moves.partition_point(|&(_, end)| end <= from);
            let next = self.moves.get(ahead);
            next.is_some_and(|&(next, _)| next < from + length)
        };
        if overlaps(start) {
            return Err(format!("a move at {start} overlaps another"));
        }
        let ends = self.moves.iter().map(|&(_, end)| end);
        let earlier = ends.chain([ready]);
        let mut earlier = earlier.filter(|&from| ready <= from && from < start);
        if start < ready || earlier.any(|from| !overlaps(from)) {
            return Err(format!("a move, ready at {ready}, waits until {start}"));
        }
        let place = self.moves.partition_point(|&(other, _)| other < start);
        self.moves.insert(place, (start, end));
        self.sum += length;
        Ok(())
    }
}

/// A chip, and what it did so far.
#[derive(Default)]
struct Chip {
    /// The end of its last operation; what host reads suspend takes longer.
    free: u64,
    /// The end of its last host read, where these suspend.
    read_free: u64,
    /// What it was busy with, the moves of its pages included.
    stretches: Vec<Stretch>,
    /// The host reads that suspend.
    suspending: Vec<Stretch>,
    /// The work of its cells.
    sum: u64,
}

/// The intervals that the device recorded, by part, in order, without those already checked.
struct Recorded {
    chips: Vec<VecDeque<Interval>>,
    channels: Vec<VecDeque<Interval>>,
    bus: VecDeque<Interval>,
}

impl Recorded {
    fn new(intervals: Vec<Interval>, parts: &Busy) -> Self {
        let mut recorded = Self {
            chips: vec![VecDeque::new(); parts.chips_ns.len()],
            channels: vec![VecDeque::new(); parts.channels_ns.len()],
            bus: VecDeque::new(),
        };
        for interval in intervals {
            recorded.of(interval.resource).push_back(interval);
        }
        recorded
    }

    fn of(&mut self, resource: Resource) -> &mut VecDeque<Interval> {
        match resource {
            Resource::Chip(chip) => &mut self.chips[chip as usize],
            Resource::Channel(channel) => &mut self.channels[channel as usize],
            Resource::Bus => &mut self.bus,
        }
    }

    /// The next interval of a part, which has this length and does one of these.
    fn next(
        &mut self,
        resource: Resource,
        length: u64,
        what: &[Activity],
    ) -> Result<Stretch, String> {
        match self.of(resource).pop_front() {
            Some(found) if what.contains(&found.activity) => {
                if found.end_ns == found.start_ns + length {
                    Ok((found.start_ns, found.end_ns))
                } else {
                    Err(format!("{found:?} instead of one of {length} ns"))
                }
            }
            found => Err(format!("{resource:?}: {found:?} instead of {what:?}")),
        }
    }

    fn rest(self) -> usize {
        let parts = self.chips.into_iter().chain(self.channels);
        parts.map(|part| part.len()).sum::<usize>() + self.bus.len()
    }
}

struct Checker<'a> {
    config: &'a ModelConfig,
    recorded: Recorded,
    chips: Vec<Chip>,
    channels: Vec<Lane>,
    bus: Lane,
}

impl Checker<'_> {
    /// The move of a page between a chip and the controller; `None`: it takes no time.
    fn channel(&mut self, chip: usize, ready: u64) -> Result<Stretch, String> {
        let channel = chip % self.channels.len();
        let length = self.config.timing.parallel.channel_ns;
        if length == 0 {
            return Ok((ready, ready));
        }
        let resource = Resource::Channel(channel as u32);
        let moved = self.recorded.next(resource, length, &[Activity::Move])?;
        self.channels[channel].add(ready, moved)?;
        Ok(moved)
    }

    /// The work of a chip's cells, which begins at `start`.
    fn cells(
        &mut self,
        chip: usize,
        ns: u64,
        what: &[Activity],
        start: u64,
    ) -> Result<u64, String> {
        let (from, end) = self.recorded.next(Resource::Chip(chip as u32), ns, what)?;
        if from != start {
            return Err(format!(
                "chip {chip} does {what:?} at {from} instead of {start}"
            ));
        }
        self.chips[chip].sum += ns;
        Ok(end)
    }

    fn operation(&mut self, operation: Operation) -> Result<(), String> {
        let Operation { kind, ready, .. } = operation;
        let chip = operation.chip as usize;
        let times = &self.config.timing;
        // the operations of a chip begin in the order in which they are given
        let turn = ready.max(self.chips[chip].free);
        let reads = [Activity::HostRead, Activity::Read, Activity::CopyRead];
        let programs = [Activity::Program, Activity::CopyProgram];
        let occupied = match kind {
            OperationKind::Bus => {
                let length = self.config.timing.parallel.bus_ns;
                if length > 0 {
                    let moved = self
                        .recorded
                        .next(Resource::Bus, length, &[Activity::Move])?;
                    self.bus.add(ready, moved)?;
                }
                return Ok(());
            }
            OperationKind::SuspendingRead => return self.suspending_read(chip, ready),
            OperationKind::Read => {
                let sensed = self.cells(chip, times.read_ns, &reads, turn)?;
                (turn, self.channel(chip, sensed)?.1)
            }
            OperationKind::Program => {
                let (start, moved) = self.channel(chip, turn)?;
                (start, self.cells(chip, times.program_ns, &programs, moved)?)
            }
            OperationKind::CopyBack => {
                let ns = times.read_ns + times.program_ns;
                (turn, self.cells(chip, ns, &programs[1..], turn)?)
            }
            OperationKind::Erase => {
                let end = self.cells(chip, times.erase_ns, &[Activity::Erase], turn)?;
                (turn, end)
            }
        };
        self.chips[chip].free = occupied.1;
        self.chips[chip].stretches.push(occupied);
        Ok(())
    }

    /// A host read waits for host reads alone; whatever it suspends goes on behind it.
    fn suspending_read(&mut self, chip: usize, ready: u64) -> Result<(), String> {
        let start = ready.max(self.chips[chip].read_free);
        let sensed = self.cells(
            chip,
            self.config.timing.read_ns,
            &[Activity::HostRead],
            start,
        )?;
        let (_, end) = self.channel(chip, sensed)?;
        let clocks = &mut self.chips[chip];
        clocks.suspending.push((start, end));
        clocks.read_free = end;
        if clocks.free > start {
            clocks.free += end - start;
        } else {
            clocks.free = end;
        }
        Ok(())
    }

    /// Checks that no part ever did two things at a time.
    fn one_at_a_time(&self) -> Result<(), String> {
        let lanes = self
            .channels
            .iter()
            .chain([&self.bus])
            .map(|lane| &lane.moves);
        let chips = self.chips.iter();
        let chips = chips.flat_map(|chip| [&chip.stretches, &chip.suspending]);
        for stretches in lanes.chain(chips) {
            let mut sorted = stretches.clone();
            sorted.sort_unstable();
            if let Some(two) = sorted.windows(2).find(|two| two[0].1 > two[1].0) {
                return Err(format!("two things at a time: {two:?}"));
            }
        }
        Ok(())
    }

    fn busy(&self) -> Busy {
        Busy {
            chips_ns: self.chips.iter().map(|chip| chip.sum).collect(),
            channels_ns: self.channels.iter().map(|lane| lane.sum).collect(),
            bus_ns: self.bus.sum,
        }
    }
}

/// The device of a case after all its requests.
fn played(case: &Case, requests: &[Request], keep: bool) -> Result<Timed, String> {
    let mut device = device_of(case, requests);
    if keep {
        device.keep_intervals();
    }
    for request in requests {
        let answer = device.submit(request, &mut NoData);
        answer.map_err(|error| error.to_string())?;
    }
    device.finish().map_err(|error| error.to_string())?;
    Ok(device)
}

fn holds(case: &Case) -> Result<usize, String> {
    let config = ModelConfig::from(case);
    let requests = case.legal_requests();
    let operations = model::run(&config, &requests).operations;
    let mut device = played(case, &requests, true)?;
    let busy = device.take_busy().expect("clocks");
    let mut checker = Checker {
        recorded: Recorded::new(device.take_intervals(), &busy),
        chips: busy.chips_ns.iter().map(|_| Chip::default()).collect(),
        channels: busy.channels_ns.iter().map(|_| Lane::default()).collect(),
        bus: Lane::default(),
        config: &config,
    };
    for &operation in &operations {
        checker
            .operation(operation)
            .map_err(|why| format!("{operation:?}: {why}"))?;
    }
    checker.one_at_a_time()?;
    if checker.busy() != busy {
        return Err(format!("{busy:?} instead of {:?}", checker.busy()));
    }
    // what is not recorded is handled in larger steps
    let mut alone = played(case, &requests, false)?;
    if alone.take_busy().as_ref() != Some(&busy) {
        return Err(format!("not {busy:?} if nothing is recorded"));
    }
    match checker.recorded.rest() {
        0 => Ok(operations.len()),
        rest => Err(format!("{rest} intervals too many")),
    }
}

// planted bugs: a chip that works while the page of another operation moves in or out; an interval that is not recorded,
// or at another time; a move that leaves a gap unused; the time of one chip or channel counted for another one
#[test]
fn no_part_does_two_things_at_a_time_and_nothing_waits_in_vain() {
    let operations = std::cell::Cell::new(0);
    cases::run(&Systems::modelled(), 400, |case| {
        let case = with_clocks(case);
        let checked = holds(&case).map_err(|why| format!("{case:?}: {why}"))?;
        operations.set(operations.get() + checked);
        Ok(())
    });
    assert!(operations.get() > 10_000, "{operations:?} operations");
}
