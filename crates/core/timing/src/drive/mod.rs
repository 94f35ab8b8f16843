//! A drive of today: chips program units of many pages, reads go before programs and suspend them, erases are spread, and a
//! command processor takes time (`docs/semantics.md`, section 5.3).

mod chip;
mod erases;
mod follow;
mod gaps;
mod operations;

use ssdlab_flash::{Lpn, Note, Ppn};

use self::chip::{Cells, Chip};
use self::erases::Erases;
use self::gaps::Gaps;
use crate::filled::Filled;
use crate::pages::{Page, Pages};
use crate::recorder::{Activity, Recorder};
use crate::setup::{Layout, Setup};
use crate::slots::Slots;

/// What a drive of today needs beside chips, channels and bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Today {
    /// Pages of a unit, which a chip programs at once; a divisor of the pages of a chip's block.
    pub unit_pages: u32,
    /// Neighbouring pages that one sense of a chip delivers; a divisor of the pages of a unit.
    pub group_pages: u32,
    /// Host reads that a chip serves at a time, at least 1.
    pub reads_at_once: u32,
    /// Programs a unit, whatever the number of its pages.
    pub unit_ns: u64,
    /// From the arrival of a host read until a running program or erase has let the chip go.
    pub suspend_ns: u64,
    /// A program or erase whose rest is not longer is waited for.
    pub window_ns: u64,
    /// The command processor takes it for each request.
    pub command_ns: u64,
    /// The command processor takes it for each unit that is programmed.
    pub dispatch_ns: u64,
    /// Added to the completion of reads.
    pub read_host_ns: u64,
    /// Added to the completion of writes, flushes and discards.
    pub write_host_ns: u64,
}

/// From here on, [`Page::kept`] is no time but the number of a slot in [`Units::held`] that open units keep.
const OPEN: u64 = 1 << 63;

/// A unit that is not programmed yet.
#[derive(Clone, Debug, Default)]
struct Unit {
    ftl: u32,
    /// Its first place.
    first: u32,
    /// The place behind its last page so far.
    next: u32,
    /// The place behind its last one.
    full: u32,
    /// The time from which all its pages are in memory.
    ready: u64,
    /// It holds a page from outside or of a merge.
    outside: bool,
    /// Units that were begun before have smaller numbers.
    begun: u64,
    /// Its copies.
    copies: u64,
    /// The slots of the pages of the write buffer that it took data of.
    slots: Vec<u32>,
}

/// A slot of the write buffer whose data open units took.
#[derive(Clone, Copy, Debug)]
struct Held {
    lpn: Lpn,
    /// It is in use at least until here.
    kept: u64,
    /// The pages of open units with its data.
    units: u32,
    /// Its page has left the write buffer.
    left: bool,
}

/// The open units, and the slots that they keep.
#[derive(Clone, Debug, Default)]
struct Units {
    open: Vec<Unit>,
    begun: u64,
    /// Lists of units that were closed, for later ones.
    lists: Vec<Vec<u32>>,
    held: Vec<Held>,
    vacant: Vec<u32>,
}

/// Places of a unit that was not programmed as a whole, and the end of their program.
#[derive(Clone, Copy, Debug)]
struct Part {
    ftl: u32,
    first: u32,
    next: u32,
    end: u64,
}

/// Neighbouring pages that were last sensed for a copy, and the end of their move.
#[derive(Clone, Copy, Debug)]
struct Copied {
    /// The first one.
    first: u32,
    /// The place behind the last one.
    next: u32,
    end: u64,
    /// All of them were in flash, and still are.
    whole: bool,
}

impl Copied {
    const NONE: Self = Self {
        first: 0,
        next: 0,
        end: 0,
        whole: false,
    };
}

/// Neighbouring pages that were sensed, and the end of the sense.
#[derive(Clone, Copy, Debug)]
struct Sensed {
    ftl: u32,
    group: u32,
    end: u64,
}

/// What a page brings to its unit.
#[derive(Clone, Copy, Debug)]
enum Data {
    /// A page that no slot holds.
    Free,
    /// A page of a buffer, with its times.
    Buffered(Lpn, Page),
    /// A copy, with its slot.
    Copied,
}

/// The flash and the command processor of a drive of today.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    today: Today,
    cells: Cells,
    erase_ns: u64,
    /// A page moves over a channel.
    channel_ns: u64,
    layout: Layout,
    /// Pages of a block of an FTL.
    block_pages: u32,
    chips: Vec<Chip>,
    channels: Vec<Gaps>,
    units: Units,
    erases: Vec<Erases>,
    /// The ends of whole units, by the number of the unit.
    filled: Filled,
    /// Later ones behind earlier ones.
    parts: Vec<Part>,
    /// For each FTL, the group that was last sensed for a copy since its last erase.
    copied: Vec<Copied>,
    /// The group that this request sensed last.
    sensed: Option<Sensed>,
    /// The valid pages of the group that is copied from: those that are not copied yet.
    valid: u32,
    /// Each copy takes so many of them: 1 if groups have several pages, else 0.
    counts_valid: u32,
    /// Copies take slots.
    has_slots: bool,
    /// The command processor is free from this time on.
    clock: u64,
    /// The units that this request programmed.
    dispatched: u64,
    /// The latest end of a program.
    last: u64,
    now: u64,
    /// At least the number of times that lie ahead.
    most: usize,
}

/// What a unit gives back when it is programmed.
pub(crate) struct Memory<'a> {
    pub slots: &'a mut Slots,
    pub pages: &'a mut Pages,
    pub recorder: &'a mut Option<Box<Recorder>>,
}

impl Drive {
    /// A drive on which nothing was done.
    pub fn new(setup: &Setup, today: &Today) -> Self {
        let ftls = setup.ftls();
        let chips = match setup.layout {
            Layout::Alone => 1,
            Layout::Lines => setup.chips,
        };
        let chip = |number| Chip::new(number as usize, today.reads_at_once);
        let erases = Erases::new(setup.blocks, setup.pages_per_block / chips);
        let units = setup.pages_per_block / today.unit_pages;
        Self {
            cells: Cells {
                read_ns: setup.times.read_ns,
                suspend_ns: today.suspend_ns,
                window_ns: today.window_ns,
            },
            erase_ns: setup.times.erase_ns,
            channel_ns: setup.times.channel_ns,
            layout: setup.layout,
            block_pages: setup.pages_per_block,
            chips: (0..setup.chips).map(chip).collect(),
            channels: vec![Gaps::default(); setup.channels as usize],
            units: Units::default(),
            erases: vec![erases; ftls as usize],
            filled: Filled::new(ftls, setup.blocks, units),
            parts: Vec::new(),
            copied: vec![Copied::NONE; ftls as usize],
            sensed: None,
            valid: 1,
            counts_valid: u32::from(today.group_pages > 1),
            has_slots: setup.slots > 0,
            clock: 0,
            dispatched: 0,
            last: 0,
            now: 0,
            most: 0,
            today: today.clone(),
        }
    }

    /// Bytes that are not proportional to the requests in flight: a list of chips waits for its erases, an end for each unit.
    pub fn bytes(setup: &Setup, today: &Today) -> u64 {
        let blocks = u64::from(setup.ftls()) * u64::from(setup.blocks);
        let chips = u64::from(setup.chips);
        let unit = (size_of::<Unit>() + 8 * today.unit_pages as usize) as u64;
        let waiting = setup.slots / u64::from(today.unit_pages) + chips;
        blocks * (1 + 16 * chips) + 512 * unit + waiting * 1024 + (1 << 16)
    }

    /// A request that was issued at `at` begins. Returns the time from which it can be served.
    pub fn begin(&mut self, at: u64, is_step: bool, recorder: &mut Option<Box<Recorder>>) -> u64 {
        (self.now, self.sensed) = (at, None);
        // a chip whose operations nobody records forgets them when it is given the next one
        if recorder.is_some() {
            self.forget(recorder);
        }
        if !self.parts.is_empty() {
            self.parts.retain(|part| part.end > at);
        }
        let command_ns = if is_step { 0 } else { self.today.command_ns };
        self.clock = self.clock.max(at).saturating_add(command_ns);
        self.dispatched = 0;
        self.clock
    }

    /// All chips forget what is past.
    pub fn forget(&mut self, recorder: &mut Option<Box<Recorder>>) {
        for chip in &mut self.chips {
            chip.forget_before(self.now, recorder);
        }
    }

    /// A chip that has forgotten what is past.
    #[inline]
    fn chip(&mut self, chip: usize) -> &mut Chip {
        let chip = &mut self.chips[chip];
        chip.forget_before(self.now, &mut None);
        chip
    }

    /// The request is done, with all that it caused.
    pub fn end(&mut self) {
        let dispatch = self.today.dispatch_ns.saturating_mul(self.dispatched);
        self.clock = self.clock.saturating_add(dispatch);
    }

    /// What is added to the completion of a request.
    pub fn host_ns(&self, op: ssdlab_host::Op) -> u64 {
        match op {
            ssdlab_host::Op::Read => self.today.read_host_ns,
            _ => self.today.write_host_ns,
        }
    }

    /// The latest end of a program or copy-back.
    pub fn last_program(&self) -> u64 {
        self.last
    }

    /// The end of all that the chips of an FTL were given.
    pub fn end_of(&self, ftl: u32) -> u64 {
        let chips = match self.layout {
            Layout::Alone => &self.chips[ftl as usize..=ftl as usize],
            Layout::Lines => &self.chips[..],
        };
        chips.iter().map(Chip::end).max().unwrap_or(0)
    }

    /// The end of all that all chips were given.
    pub fn end_of_all(&self) -> u64 {
        self.chips.iter().map(Chip::end).max().unwrap_or(0)
    }

    /// The number of times that lie ahead; more than that as long as it is at most `enough`.
    pub fn backlog(&mut self, enough: usize) -> usize {
        if self.most > enough {
            self.forget(&mut None);
            let channels = self.channels.iter_mut();
            let moves: usize = channels.map(|gaps| gaps.forget_before(self.now)).sum();
            let operations: usize = self.chips.iter().map(Chip::operations).sum();
            self.most = moves + operations + self.parts.len() + self.filled.blocks();
        }
        self.most
    }

    /// Records all operations up to the ends that they have now.
    pub fn settle(&mut self, recorder: &mut Recorder) {
        for chip in &mut self.chips {
            chip.settle(recorder);
        }
    }

    /// The time that the cells of each chip worked since the last call.
    pub fn take_chips_ns(&mut self) -> Vec<u64> {
        let chips = self.chips.iter_mut();
        chips
            .map(|chip| std::mem::take(&mut chip.busy_ns))
            .collect()
    }

    /// The time that each channel moved pages since the last call.
    pub fn take_channels_ns(&mut self) -> Vec<u64> {
        let channels = self.channels.iter_mut();
        channels
            .map(|channel| std::mem::take(&mut channel.moved_ns))
            .collect()
    }

    #[inline]
    fn chip_of(&self, ftl: u32, at: u32) -> usize {
        match self.layout {
            Layout::Alone => ftl as usize,
            Layout::Lines => (at / self.today.unit_pages) as usize % self.chips.len(),
        }
    }

    fn move_pages(
        &mut self,
        chip: usize,
        pages: u32,
        ready: u64,
        recorder: &mut Option<Box<Recorder>>,
    ) -> u64 {
        self.most += 1;
        let channel = chip % self.channels.len();
        let length = self.channel_ns.saturating_mul(pages.into());
        let end = self.channels[channel].take(ready, length, self.now);
        if let Some(recorder) = recorder {
            recorder.channel(channel, end - length, end);
        }
        end
    }

    /// The end of the program of a page, or `u64::MAX` while its unit is open; 0 if it is past.
    fn given(&mut self, ftl: u32, at: u32) -> u64 {
        let holds = |unit: &Unit| unit.ftl == ftl && (unit.first..unit.next).contains(&at);
        if self.units.open.iter().any(holds) {
            return u64::MAX;
        }
        let has = |part: &&Part| part.ftl == ftl && (part.first..part.next).contains(&at);
        if let Some(part) = self.parts.iter().rev().find(has) {
            return part.end;
        }
        let unit = Ppn(at / self.today.unit_pages);
        self.filled.get(ftl, unit, self.now)
    }

    /// A page is read that is asked for at `ready`: for the host, which shares senses within a request. Returns when it is in
    /// memory.
    fn host_read(
        &mut self,
        ftl: u32,
        Ppn(at): Ppn,
        ready: u64,
        shares: bool,
        recorder: &mut Option<Box<Recorder>>,
    ) -> u64 {
        if self.given(ftl, at) > ready {
            return ready;
        }
        let (chip, group) = (self.chip_of(ftl, at), at / self.today.group_pages);
        let in_register = match self.sensed {
            Some(sensed) if shares && (sensed.ftl, sensed.group) == (ftl, group) => sensed.end,
            _ => {
                let cells = self.cells;
                self.chip(chip).host_sense(ready, &cells, recorder)
            }
        };
        if shares {
            self.sensed = Some(Sensed {
                ftl,
                group,
                end: in_register,
            });
        }
        self.move_pages(chip, 1, in_register, recorder)
    }

    /// Another read of a page.
    fn other_read(
        &mut self,
        ftl: u32,
        Ppn(at): Ppn,
        ready: u64,
        recorder: &mut Option<Box<Recorder>>,
    ) -> u64 {
        if self.given(ftl, at) > ready {
            return ready;
        }
        let chip = self.chip_of(ftl, at);
        let end = self.other_sense(chip, Activity::Read, ready);
        self.move_pages(chip, 1, end, recorder)
    }

    /// A page is read to be copied, into a slot that is free from `free` on. Returns when it is there.
    fn copy_read(
        &mut self,
        ftl: u32,
        Ppn(at): Ppn,
        (asked, free): (u64, u64),
        recorder: &mut Option<Box<Recorder>>,
    ) -> u64 {
        let valid = self.valid;
        self.valid = valid.saturating_sub(self.counts_valid);
        let ready = asked.max(free);
        let copied = self.copied[ftl as usize];
        let is_copied = (copied.first..copied.next).contains(&at);
        if is_copied && copied.whole {
            return ready.max(copied.end);
        }
        // it may leave memory while the copy waits for its slot
        if self.given(ftl, at) > asked {
            return ready;
        }
        if is_copied {
            return ready.max(copied.end);
        }
        let chip = self.chip_of(ftl, at);
        let sense = self.other_sense(chip, Activity::CopyRead, ready);
        let end = self.move_pages(chip, valid, sense, recorder);
        let first = at - at % self.today.group_pages;
        let next = first + self.today.group_pages;
        let is_open = |unit: &Unit| unit.ftl == ftl && unit.first < next && first < unit.full;
        self.copied[ftl as usize] = Copied {
            first,
            next,
            end,
            // then its pages were programmed at once
            whole: self.parts.is_empty() && !self.units.open.iter().any(is_open),
        };
        end
    }

    /// Copies the pages with which the notes begin, as far as they were sensed, a slot is left for them, and their unit
    /// neither begins nor ends with them. Returns their number.
    fn copy_sensed(&mut self, ftl: u32, notes: &[Note], asked: u64, slots: &mut Slots) -> usize {
        let copied = self.copied[ftl as usize];
        let [Note::Copy { to: Ppn(first), .. }, ..] = *notes else {
            return 0;
        };
        if !copied.whole {
            return 0;
        }
        let goes_on = |unit: &&mut Unit| unit.ftl == ftl && unit.next == first;
        let Some(unit) = self.units.open.iter_mut().rfind(goes_on) else {
            return 0;
        };
        let places = first..unit.full - 1;
        let is_next = |&(place, note): &(u32, &Note)| match *note {
            Note::Copy { from, to } => {
                (copied.first..copied.next).contains(&from.0) && to.0 == place
            }
            _ => false,
        };
        let count = places.zip(notes).take_while(is_next).count() as u64;
        let (count, free) = match self.has_slots {
            true => slots.take_some(count),
            false => (count, 0),
        };
        if count > 0 {
            unit.next += count as u32;
            unit.ready = unit.ready.max(asked).max(free).max(copied.end);
            unit.copies += u64::from(self.has_slots) * count;
            let valid = count as u32 * self.counts_valid;
            self.valid = self.valid.saturating_sub(valid);
        }
        count as usize
    }

    fn other_sense(&mut self, chip: usize, activity: Activity, ready: u64) -> u64 {
        self.most += 1;
        let read_ns = self.cells.read_ns;
        self.chip(chip).other_sense(activity, ready, read_ns)
    }

    /// A page that is in memory from `page_ready` on joins the unit of its place. Returns the end of its program, or 0 while
    /// its unit is open.
    fn program(
        &mut self,
        ftl: u32,
        Ppn(to): Ppn,
        page_ready: u64,
        data: Data,
        ready: u64,
        memory: &mut Memory,
    ) -> u64 {
        if self.today.unit_pages == 1 {
            self.erase_before(ftl, to, ready);
            return self.program_alone(ftl, to, page_ready, data, ready, memory);
        }
        let of_unit = |unit: &Unit| unit.ftl == ftl && unit.next == to;
        let at = match self.units.open.iter().rposition(of_unit) {
            Some(at) => at,
            None => self.begin_unit(ftl, to, ready),
        };
        let unit = &mut self.units.open[at];
        unit.next += 1;
        unit.ready = unit.ready.max(page_ready);
        let is_open = unit.next < unit.full;
        match data {
            Data::Free => unit.outside = true,
            Data::Copied => unit.copies += u64::from(self.has_slots),
            Data::Buffered(lpn, times) => {
                unit.outside = true;
                let kept = self.units.hold(at, lpn, times);
                let times = Page { kept, ..times };
                memory.pages.programmed(lpn, times, self.now);
            }
        }
        if is_open {
            return 0;
        }
        self.close(at, ready, memory)
    }

    /// Begins a unit with the page at this place. Returns its number.
    #[inline(never)]
    fn begin_unit(&mut self, ftl: u32, to: u32, ready: u64) -> usize {
        self.erase_before(ftl, to, ready);
        let full = to - to % self.today.unit_pages + self.today.unit_pages;
        if full - to < self.today.unit_pages {
            // its neighbours were programmed before
            self.copied[ftl as usize].whole = false;
        }
        self.units.begin(ftl, to, full)
    }

    /// Programs a unit of one page. Returns the end.
    fn program_alone(
        &mut self,
        ftl: u32,
        to: u32,
        page_ready: u64,
        data: Data,
        ready: u64,
        memory: &mut Memory,
    ) -> u64 {
        let activity = match data {
            Data::Copied => Activity::CopyProgram,
            Data::Free | Data::Buffered(..) => Activity::Program,
        };
        let end = self.program_unit(activity, ftl, to, 1, (ready, page_ready), memory.recorder);
        self.filled.set(ftl, Ppn(to), end, self.now);
        match data {
            Data::Free => {}
            Data::Copied if self.has_slots => memory.slots.give(end, ready),
            Data::Copied => {}
            Data::Buffered(lpn, times) => {
                let kept = times.kept.max(end);
                memory
                    .pages
                    .programmed(lpn, Page { kept, ..times }, self.now);
            }
        }
        end
    }

    /// Moves the pages of a unit to its chip and programs them. Returns the end.
    fn program_unit(
        &mut self,
        activity: Activity,
        ftl: u32,
        first: u32,
        pages: u32,
        (ready, pages_ready): (u64, u64),
        recorder: &mut Option<Box<Recorder>>,
    ) -> u64 {
        let chip = self.chip_of(ftl, first);
        let moved = self.move_pages(chip, pages, ready.max(pages_ready), recorder);
        let unit_ns = self.today.unit_ns;
        let end = self.chip(chip).append(activity, moved, unit_ns);
        // with its place
        self.most += 2;
        self.last = self.last.max(end);
        self.dispatched += 1;
        if let Some(chip) = self.erases[ftl as usize].programmed(pages) {
            self.erase_on(chip as usize, ready);
        }
        end
    }

    /// Programs an open unit. Returns the end.
    fn close(&mut self, at: usize, ready: u64, memory: &mut Memory) -> u64 {
        let mut unit = self.units.open.swap_remove(at);
        let activity = if unit.outside {
            Activity::Program
        } else {
            Activity::CopyProgram
        };
        let (ftl, first, pages) = (unit.ftl, unit.first, unit.next - unit.first);
        let times = (ready, unit.ready);
        let end = self.program_unit(activity, ftl, first, pages, times, memory.recorder);
        let number = first / self.today.unit_pages;
        if pages == self.today.unit_pages {
            if !self.parts.is_empty() {
                let of_unit = |part: &Part| part.ftl == ftl && part.first / pages == number;
                self.parts.retain(|part| !of_unit(part));
            }
            self.filled.set(ftl, Ppn(number), end, self.now);
        } else {
            let next = unit.next;
            self.parts.push(Part {
                ftl,
                first,
                next,
                end,
            });
        }
        let mut freed = unit.copies;
        for slot in unit.slots.drain(..) {
            match self.units.release(slot, end) {
                None => {}
                Some(Held {
                    left: true, kept, ..
                }) if kept <= end => freed += 1,
                Some(Held {
                    left: true, kept, ..
                }) => memory.slots.give(kept, ready),
                Some(Held { lpn, kept, .. }) => {
                    let times = memory.pages.take(lpn, self.now);
                    memory
                        .pages
                        .programmed(lpn, Page { kept, ..times }, self.now);
                }
            }
        }
        self.units.lists.push(unit.slots);
        memory.slots.give_all(end, freed, ready);
        end
    }

    /// Programs open units in the order in which they were begun: all, or those that hold a page from outside.
    pub fn close_all(&mut self, all: bool, ready: u64, memory: &mut Memory) {
        while self.close_first(ready, memory, |unit| all || unit.outside) {}
    }

    /// Programs as it is the open unit that was begun first of those that may be. Returns whether there was one.
    fn close_first(
        &mut self,
        ready: u64,
        memory: &mut Memory,
        may: impl Fn(&Unit) -> bool,
    ) -> bool {
        let units = self.units.open.iter().enumerate();
        let closes = units.filter(|(_, unit)| may(unit));
        let first = closes.min_by_key(|(_, unit)| unit.begun);
        let Some((first, _)) = first else {
            return false;
        };
        self.close(first, ready, memory);
        true
    }

    /// A page moves inside a chip.
    fn copy_back(&mut self, ftl: u32, Ppn(to): Ppn, ready: u64) {
        self.erase_before(ftl, to, ready);
        let chip = self.chip_of(ftl, to);
        let length = self.cells.read_ns.saturating_add(self.today.unit_ns);
        let end = self.chip(chip).append(Activity::CopyProgram, ready, length);
        self.most += 1;
        // no memory of the controller has it
        self.filled.clear(ftl, Ppn(to), self.now);
        self.last = self.last.max(end);
        self.dispatched += 1;
    }

    /// A block is erased: its chips do so later. Blocks that no page is placed in are erased at once.
    fn erase(&mut self, ftl: u32, block: Option<u32>, ready: u64) {
        self.copied[ftl as usize] = Copied::NONE;
        let chips = match self.layout {
            Layout::Alone => ftl..ftl + 1,
            Layout::Lines => 0..self.chips.len() as u32,
        };
        match block {
            Some(block) => self.erases[ftl as usize].add(block, chips),
            None => chips.for_each(|chip| self.erase_on(chip as usize, ready)),
        }
    }

    /// The erases of the block of this place that still wait are done before it is programmed.
    #[inline]
    fn erase_before(&mut self, ftl: u32, to: u32, ready: u64) {
        let (erases, block) = (&mut self.erases[ftl as usize], to / self.block_pages);
        if erases.waits(block) {
            for chip in erases.take(block) {
                self.erase_on(chip as usize, ready);
            }
        }
    }

    fn erase_on(&mut self, chip: usize, ready: u64) {
        let erase_ns = self.erase_ns;
        self.chip(chip).append(Activity::Erase, ready, erase_ns);
        self.most += 1;
    }

    /// The page of a slot that open units keep leaves the write buffer.
    pub fn leave(&mut self, kept: u64) {
        self.units.held[(kept - OPEN) as usize].left = true;
    }

    /// The host writes a page again: its data are there at `there`. Returns its [`Page::kept`] from now on.
    pub fn keep(&mut self, kept: u64, there: u64) -> u64 {
        if !is_open(kept) {
            return kept.max(there);
        }
        let held = &mut self.units.held[(kept - OPEN) as usize];
        held.kept = held.kept.max(there);
        kept
    }
}

/// Whether open units keep the slot of a page.
#[inline]
fn is_open(kept: u64) -> bool {
    kept >= OPEN && kept != u64::MAX
}

impl Units {
    /// Begins a unit with the page at this place. Returns its number.
    fn begin(&mut self, ftl: u32, first: u32, full: u32) -> usize {
        self.begun += 1;
        self.open.push(Unit {
            ftl,
            first,
            next: first,
            full,
            begun: self.begun,
            slots: self.lists.pop().unwrap_or_default(),
            ..Unit::default()
        });
        self.open.len() - 1
    }

    /// A unit takes the data of a page in the write buffer. Returns its [`Page::kept`] from now on.
    fn hold(&mut self, unit: usize, lpn: Lpn, times: Page) -> u64 {
        let slot = if is_open(times.kept) {
            (times.kept - OPEN) as u32
        } else {
            let held = Held {
                lpn,
                kept: times.kept,
                units: 0,
                left: false,
            };
            match self.vacant.pop() {
                Some(slot) => {
                    self.held[slot as usize] = held;
                    slot
                }
                None => {
                    self.held.push(held);
                    self.held.len() as u32 - 1
                }
            }
        };
        self.held[slot as usize].units += 1;
        self.open[unit].slots.push(slot);
        OPEN + u64::from(slot)
    }

    /// A unit that took the data of a slot ends. Returns the slot if no open unit keeps it any more.
    fn release(&mut self, slot: u32, end: u64) -> Option<Held> {
        let held = &mut self.held[slot as usize];
        held.units -= 1;
        held.kept = held.kept.max(end);
        (held.units == 0).then(|| {
            self.vacant.push(slot);
            *held
        })
    }
}
