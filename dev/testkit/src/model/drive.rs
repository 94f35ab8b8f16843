//! The clocks of a drive of today (section 5.3), by lists that are searched from the start.

use std::collections::BTreeMap;

use ssdlab_device::{TimeModel, Today};

use super::config::{ModelConfig, ModelFtl};
use super::number::{Pbn, Place};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sense,
    Program,
    Erase,
}

/// A chip: its operations in order, and the reads of the host that hold it.
#[derive(Clone, Default)]
struct Chip {
    operations: Vec<(Kind, u64, u64)>,
    readers: Vec<u64>,
    since: u64,
    held: u64,
}

impl Chip {
    fn end(&self) -> u64 {
        let last = self.operations.last().map_or(0, |&(_, _, end)| end);
        last.max(self.held)
    }

    fn append(&mut self, kind: Kind, ready: u64, length: u64) -> u64 {
        let start = ready.max(self.end());
        self.operations.push((kind, start, start + length));
        start + length
    }

    fn push(&mut self, from: usize, mut to: u64) {
        for (_, start, end) in self.operations.iter_mut().skip(from) {
            if *start < to {
                *end += to - *start;
                *start = to;
                to = *end;
            } else {
                return;
            }
        }
    }

    fn place(&self, is: impl Fn(u64, u64) -> bool) -> usize {
        let found = self.operations.iter().position(|&(_, s, e)| is(s, e));
        found.unwrap_or(self.operations.len())
    }

    fn host_sense(&mut self, ready: u64, read: u64, today: &Today) -> u64 {
        let reader = (0..self.readers.len()).min_by_key(|&reader| self.readers[reader]);
        let reader = reader.expect("a reader");
        let end;
        if ready < self.held {
            end = ready.max(self.readers[reader]).max(self.since) + read;
            if end > self.held {
                let held = self.held;
                let first = self.place(|_, e| e > held);
                match self.operations.get_mut(first) {
                    Some((_, s, e)) if *s < held => {
                        *e += end - held;
                        let until = *e;
                        self.push(first + 1, until);
                    }
                    _ => self.push(first, end),
                }
                self.held = end;
            }
        } else {
            let mut t = ready;
            let running = |t: u64| move |s: u64, e: u64| s < t && t < e;
            while let Some(&(kind, _, e)) = self.operations.get(self.place(running(t))) {
                if kind != Kind::Sense && e - t > today.window_ns {
                    break;
                }
                t = e;
            }
            let at = self.place(running(t));
            let start;
            if let Some((_, _, e)) = self.operations.get_mut(at) {
                start = t + today.suspend_ns;
                end = start + read;
                *e += end - t;
                let until = *e;
                self.push(at + 1, until);
            } else {
                start = t;
                end = t + read;
                let next = self.place(|s, _| s >= t);
                self.push(next, end);
            }
            (self.since, self.held) = (start, end);
        }
        self.readers[reader] = end;
        end
    }

    fn other_sense(&mut self, ready: u64, read: u64) -> u64 {
        let mut t = ready.max(self.held);
        let mut i = 0;
        while let Some(&(kind, s, e)) = self.operations.get(i) {
            if !(s < t || kind == Kind::Sense && s < t + read) {
                break;
            }
            t = t.max(e);
            i += 1;
        }
        self.operations.insert(i, (Kind::Sense, t, t + read));
        self.push(i + 1, t + read);
        t + read
    }
}

/// Pages of a block that wait for their program.
struct Unit {
    number: u64,
    ftl: u64,
    places: Vec<Place>,
    ready: u64,
    outside: bool,
    /// f of its copies.
    copies: u64,
}

/// What a unit that was programmed gives back.
pub(super) struct Closed {
    pub(super) number: u64,
    pub(super) end: u64,
    pub(super) copies: u64,
}

/// What joins a unit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Joins {
    Outside,
    Copy,
}

pub(super) struct Drive {
    today: Today,
    read_ns: u64,
    erase_ns: u64,
    channel_ns: u64,
    /// Each chip has an FTL of its own.
    alone: bool,
    /// Pages of a block of an FTL, and of one of its chips.
    pages: (u64, u64),
    chips: Vec<Chip>,
    channels: Vec<Vec<(u64, u64)>>,
    open: Vec<Unit>,
    numbers: u64,
    given: BTreeMap<(u64, Place), u64>,
    erases: Vec<Vec<(Pbn, usize)>>,
    programmed: Vec<u64>,
    copied: Vec<Option<(Place, u64)>>,
    sensed: Option<(u64, Place, u64)>,
    clock: u64,
    closed: u64,
    pub(super) last: u64,
}

/// The slots beside those of the write buffer.
pub(super) fn spare_slots(config: &ModelConfig) -> u64 {
    let timing = &config.timing;
    let chips = config.chips() * config.line_chips();
    let frontiers = match &config.ftl {
        ModelFtl::Page(page) => page.frontiers(),
        _ => 1,
    };
    let pages = u64::from(timing.today.unit_pages);
    let usual = match timing.model {
        TimeModel::Drive => (3 * chips * pages).max(frontiers * pages),
        _ => 0,
    };
    timing.parallel.spare_slots.unwrap_or(usual)
}

impl Drive {
    pub(super) fn new(config: &ModelConfig, channels: usize) -> Self {
        let (times, ftls) = (&config.timing, config.chips() as usize);
        let chips = ftls * config.line_chips() as usize;
        let chip = Chip {
            readers: vec![0; times.today.reads_at_once as usize],
            ..Chip::default()
        };
        let pages = config.pages_per_block();
        Self {
            today: times.today.clone(),
            read_ns: times.read_ns,
            erase_ns: times.erase_ns,
            channel_ns: times.parallel.channel_ns,
            alone: chips == ftls,
            pages: (pages, pages / config.line_chips()),
            chips: vec![chip; chips],
            channels: vec![Vec::new(); channels],
            open: Vec::new(),
            numbers: 0,
            given: BTreeMap::new(),
            erases: vec![Vec::new(); ftls],
            programmed: vec![0; ftls],
            copied: vec![None; ftls],
            sensed: None,
            clock: 0,
            closed: 0,
            last: 0,
        }
    }

    pub(super) fn begin(&mut self, at: u64, command: bool) -> u64 {
        let command_ns = if command { self.today.command_ns } else { 0 };
        self.clock = self.clock.max(at) + command_ns;
        (self.sensed, self.closed) = (None, 0);
        self.clock
    }

    pub(super) fn end_request(&mut self) {
        self.clock += self.today.dispatch_ns * self.closed;
    }

    pub(super) fn ends(&self, ftl: Option<u64>) -> u64 {
        let of_ftl = |chip: &usize| !self.alone || ftl.is_none_or(|ftl| *chip as u64 == ftl);
        let chips = (0..self.chips.len()).filter(of_ftl);
        chips.map(|chip| self.chips[chip].end()).max().unwrap_or(0)
    }

    fn chip(&self, ftl: u64, (_, position): Place) -> usize {
        let unit = position / u64::from(self.today.unit_pages);
        match self.alone {
            true => ftl as usize,
            false => unit as usize % self.chips.len(),
        }
    }

    fn group(&self, (pbn, position): Place) -> Place {
        (pbn, position / u64::from(self.today.group_pages))
    }

    fn over_channel(&mut self, chip: usize, pages: u64, ready: u64) -> u64 {
        let channel = chip % self.channels.len();
        let length = pages * self.channel_ns;
        if length == 0 {
            return ready;
        }
        // in order
        let busy = &mut self.channels[channel];
        let mut place = busy.partition_point(|&(_, end)| end <= ready);
        let mut start = ready;
        while let Some(&(begin, end)) = busy.get(place)
            && begin < start + length
        {
            start = start.max(end);
            place += 1;
        }
        busy.insert(place, (start, start + length));
        start + length
    }

    fn in_memory(&self, ftl: u64, place: Place, ready: u64) -> bool {
        let holds = |unit: &Unit| unit.ftl == ftl && unit.places.contains(&place);
        let given = self.given.get(&(ftl, place)).copied().unwrap_or(0);
        self.open.iter().any(holds) || given > ready
    }

    /// A host read; one that shares senses with its request, or the read of a page that the host writes in part.
    pub(super) fn host_read(&mut self, ftl: u64, place: Place, ready: u64, shares: bool) -> u64 {
        if self.in_memory(ftl, place, ready) {
            return ready;
        }
        let (chip, group) = (self.chip(ftl, place), self.group(place));
        let end = match self.sensed {
            Some((of, last, end)) if shares && (of, last) == (ftl, group) => end,
            _ => self.chips[chip].host_sense(ready, self.read_ns, &self.today),
        };
        if shares {
            self.sensed = Some((ftl, group, end));
        }
        self.over_channel(chip, 1, end)
    }

    pub(super) fn other_read(&mut self, ftl: u64, place: Place, ready: u64) -> u64 {
        if self.in_memory(ftl, place, ready) {
            return ready;
        }
        let chip = self.chip(ftl, place);
        let end = self.chips[chip].other_sense(ready, self.read_ns);
        self.over_channel(chip, 1, end)
    }

    pub(super) fn copy_read(
        &mut self,
        ftl: u64,
        place: Place,
        valid: u64,
        (asked, slot): (u64, u64),
    ) -> u64 {
        let ready = asked.max(slot);
        if self.in_memory(ftl, place, asked) {
            return ready;
        }
        let group = self.group(place);
        if let Some((last, end)) = self.copied[ftl as usize]
            && last == group
        {
            return ready.max(end);
        }
        let chip = self.chip(ftl, place);
        let sense = self.chips[chip].other_sense(ready, self.read_ns);
        let end = self.over_channel(chip, valid, sense);
        self.copied[ftl as usize] = Some((group, end));
        end
    }

    /// A page joins the unit of its place. Returns the number of the unit, and what it gives back if this was its last place.
    pub(super) fn join(
        &mut self,
        ftl: u64,
        place: Place,
        page_ready: u64,
        joins: Joins,
        ready: u64,
    ) -> (u64, Option<Closed>) {
        self.erase_before(ftl, place.0, ready);
        let pages = u64::from(self.today.unit_pages);
        let of = |(pbn, position): Place| (pbn, position / pages);
        let same = |unit: &Unit| unit.ftl == ftl && of(unit.places[0]) == of(place);
        let at = self.open.iter().position(same).unwrap_or_else(|| {
            self.numbers += 1;
            self.open.push(Unit {
                number: self.numbers,
                ftl,
                places: Vec::new(),
                ready: 0,
                outside: false,
                copies: 0,
            });
            self.open.len() - 1
        });
        let unit = &mut self.open[at];
        unit.places.push(place);
        unit.ready = unit.ready.max(page_ready);
        unit.outside |= joins == Joins::Outside;
        unit.copies += u64::from(joins == Joins::Copy);
        let number = unit.number;
        let is_last = (place.1 + 1).is_multiple_of(pages);
        (number, is_last.then(|| self.close(at, ready)))
    }

    fn close(&mut self, at: usize, ready: u64) -> Closed {
        let unit = self.open.remove(at);
        let (chip, pages) = (
            self.chip(unit.ftl, unit.places[0]),
            unit.places.len() as u64,
        );
        let end = self.program(chip, pages, ready.max(unit.ready));
        for place in unit.places {
            self.given.insert((unit.ftl, place), end);
        }
        let count = &mut self.programmed[unit.ftl as usize];
        let turns = (*count + pages) / self.pages.1 - *count / self.pages.1;
        *count += pages;
        for _ in 0..turns {
            let waiting = &mut self.erases[unit.ftl as usize];
            if !waiting.is_empty() {
                let (_, chip) = waiting.remove(0);
                self.chips[chip].append(Kind::Erase, ready, self.erase_ns);
            }
        }
        Closed {
            number: unit.number,
            end,
            copies: unit.copies,
        }
    }

    fn program(&mut self, chip: usize, pages: u64, ready: u64) -> u64 {
        let moved = self.over_channel(chip, pages, ready);
        let end = self.chips[chip].append(Kind::Program, moved, self.today.unit_ns);
        self.last = self.last.max(end);
        self.closed += 1;
        end
    }

    /// A page that is in no block is programmed at this position.
    pub(super) fn program_map(&mut self, ftl: u64, position: u64, ready: u64) {
        let chip = self.chip(ftl, (0, position));
        self.program(chip, 1, ready);
        self.programmed[ftl as usize] += 1;
        if self.programmed[ftl as usize].is_multiple_of(self.pages.1)
            && !self.erases[ftl as usize].is_empty()
        {
            let (_, chip) = self.erases[ftl as usize].remove(0);
            self.chips[chip].append(Kind::Erase, ready, self.erase_ns);
        }
    }

    /// Programs the open unit that was begun first as it is.
    pub(super) fn close_first(&mut self, ready: u64) -> Closed {
        assert!(!self.open.is_empty(), "a slot is free, or a unit keeps it");
        self.close(0, ready)
    }

    /// Programs the open units that hold pages from outside, or all, in the order in which they were begun.
    pub(super) fn close_all(&mut self, all: bool, ready: u64) -> Vec<Closed> {
        let mut closed = Vec::new();
        while let Some(at) = self.open.iter().position(|unit| all || unit.outside) {
            closed.push(self.close(at, ready));
        }
        closed
    }

    pub(super) fn copy_back(&mut self, ftl: u64, place: Place, ready: u64) {
        self.erase_before(ftl, place.0, ready);
        let chip = self.chip(ftl, place);
        let length = self.read_ns + self.today.unit_ns;
        let end = self.chips[chip].append(Kind::Program, ready, length);
        self.given.remove(&(ftl, place));
        self.last = self.last.max(end);
        self.closed += 1;
    }

    pub(super) fn erase(&mut self, ftl: u64, block: Option<Pbn>, ready: u64) {
        self.copied[ftl as usize] = None;
        for chip in 0..self.chips.len() {
            if self.alone && chip as u64 != ftl {
                continue;
            }
            match block {
                Some(block) => self.erases[ftl as usize].push((block, chip)),
                None => {
                    self.chips[chip].append(Kind::Erase, ready, self.erase_ns);
                }
            }
        }
    }

    fn erase_before(&mut self, ftl: u64, block: Pbn, ready: u64) {
        let waiting = std::mem::take(&mut self.erases[ftl as usize]);
        let (own, others) = waiting.into_iter().partition(|&(of, _)| of == block);
        self.erases[ftl as usize] = others;
        let own: Vec<(Pbn, usize)> = own;
        for (_, chip) in own {
            self.chips[chip].append(Kind::Erase, ready, self.erase_ns);
        }
    }
}
