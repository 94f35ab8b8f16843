//! The parallel model of time (section 5.2), by lists that are searched from the start.

use std::collections::{BTreeMap, BTreeSet};

use ssdlab_device::{Interleave, Issue, Spread, TimeModel, Timing};
use ssdlab_host::{Op, Request};
use ssdlab_policy::SplitMix64;

use super::buffer::ModelPolicy;
use super::config::{ModelConfig, ModelFtl, ModelPlacement};
use super::drive::{self, Closed, Drive, Joins};
use super::number::{Lbn, Lpn, Pbn, Place};
use super::result::{Operation, OperationKind};

/// What an FTL does, in order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A page leaves a RAM region: a call of its own.
    Call,
    /// A program with data of the host, the buffer or a RAM region.
    Program(Lpn, Place),
    /// A program with data of the buffer, by a merge.
    MergeProgram(Lpn, Place),
    /// A copy through the controller, and the valid pages that are sensed together with it.
    Copy(Place, Place, u64),
    /// A copy inside a plane.
    CopyBack(Place, Place),
    /// A block is in SLC mode until its erase.
    OpenSlc(Pbn),
    /// A page of the block map, at this position of a block.
    ProgramMap(u64),
    /// A page is looked up in a map in flash: a call of its own.
    LookUp,
    /// A page of a map in flash is read: which one if for a miss, and whether the host waits.
    ReadMap(Place, Option<u64>, bool),
    /// The same from host memory.
    FetchMap(Option<u64>),
    /// The look-up has found its entry in this map page.
    LookedUp(u64),
    ProgramMapPage(Place),
    CopyMap(Place, Place),
    /// An erase, of a block of the flash or of another.
    Erase(Option<Pbn>),
    /// The erase of a victim of cleaning, whose pages may have moved in earlier calls.
    EraseVictim(Pbn),
    /// A page in a RAM region is updated.
    RamHit(Lpn),
    /// A page enters a RAM region.
    RamEntry(Lpn),
    /// A page has left a RAM region.
    RamExit(Lpn),
}

#[derive(Clone, Default)]
struct Chip {
    free: u64,
    last: u64,
    reads_free: u64,
}

/// A page of a buffer.
#[derive(Clone, Default)]
struct Page {
    /// f: the time from which on its slot was free.
    slot: u64,
    there: u64,
    /// The ends of the programs that took its data.
    programs: Vec<u64>,
    /// The open units that took its data.
    units: Vec<u64>,
}

impl Page {
    fn new(slot: u64, there: u64) -> Self {
        Self {
            slot,
            there,
            programs: Vec::new(),
            units: Vec::new(),
        }
    }
}

/// The pages of the RAM region of each chip, with the page that enters `deb` before others leave.
fn ram_slots(config: &ModelConfig) -> u64 {
    let ModelFtl::Page(page) = &config.ftl else {
        return 0;
    };
    match page.placement {
        ModelPlacement::DacPlus => page.ram_bytes / config.page_size(),
        ModelPlacement::Deb => {
            let [size, threshold] =
                [page.ram_bytes, page.threshold()].map(|bytes| bytes / config.page_size());
            size.max(threshold + 1)
        }
        _ => 0,
    }
}

/// The clocks of a device.
pub(super) struct Clock {
    times: Timing,
    /// Says how the pages of the device spread over the FTLs.
    config: ModelConfig,
    chips: Vec<Chip>,
    /// Instead of chips and channels.
    drive: Option<Drive>,
    /// Pages that have left while open units have their data.
    leaving: Vec<Page>,
    /// The page that was evicted last, until it is programmed.
    evicted: Option<Lpn>,
    /// The moves over each channel, by start; the bus is the last one.
    lanes: Vec<Vec<(u64, u64)>>,
    /// For each place of each FTL, the end of the program that filled it.
    filled: BTreeMap<(u64, Place), u64>,
    /// For each FTL, the end of the calls that took pages of the victim in progress from the buffer.
    victims: Vec<u64>,
    /// For each block of each FTL, the end of the calls that moved pages out of it.
    moved: BTreeMap<(u64, Pbn), u64>,
    /// The blocks in SLC mode of each FTL.
    slc: BTreeSet<(u64, Pbn)>,
    slots: Vec<u64>,
    /// Whether copies of a drive of today take slots.
    has_slots: bool,
    ram_slots: Vec<Vec<u64>>,
    /// Pages that were in the buffer or on their way to flash.
    pages: BTreeMap<Lpn, Page>,
    /// The pages of the read buffer: when they were there.
    cached: BTreeMap<Lpn, u64>,
    /// f of the headers.
    headers: BTreeMap<Lbn, u64>,
    /// The issue of the request.
    at: u64,
    /// What follows from it is ready from this time on.
    ready: u64,
    first_ns: Option<u64>,
    done: u64,
    last_move: u64,
    outstanding: Vec<u64>,
    /// Issue and completion of all requests.
    pub(super) completions: Vec<(u64, u64)>,
    pub(super) operations: Vec<Operation>,
    end: u64,
    /// The page that the host writes past the buffers.
    direct: Option<Lpn>,
    renewed: u64,
    fetched: u64,
    /// m: what follows from reads of a map in flash is ready from this time on.
    mapped: u64,
    /// there(t) of the map pages of each FTL.
    loaded: BTreeMap<(u64, u64), u64>,
}

impl Clock {
    pub(super) fn new(config: &ModelConfig, pages: u64) -> Self {
        let times = config.timing.clone();
        // a page that spans all chips moves over all channels at once
        let channels = match config.flash.interleave {
            Interleave::Superpage => 1,
            Interleave::Page | Interleave::Block | Interleave::Line => {
                config.flash.channels as usize
            }
        };
        let of_buffer = match config.policy {
            ModelPolicy::None => 0,
            _ => pages,
        };
        let slots = of_buffer + drive::spare_slots(config);
        Self {
            drive: (times.model == TimeModel::Drive).then(|| Drive::new(config, channels)),
            times,
            config: config.clone(),
            chips: vec![Chip::default(); (config.chips() * config.line_chips()) as usize],
            leaving: Vec::new(),
            evicted: None,
            lanes: vec![Vec::new(); channels + 1],
            filled: BTreeMap::new(),
            victims: vec![0; config.chips() as usize],
            moved: BTreeMap::new(),
            slc: BTreeSet::new(),
            slots: vec![0; slots as usize],
            has_slots: slots > 0,
            ram_slots: vec![vec![0; ram_slots(config) as usize]; config.chips() as usize],
            pages: BTreeMap::new(),
            cached: BTreeMap::new(),
            headers: BTreeMap::new(),
            at: 0,
            ready: 0,
            first_ns: None,
            done: 0,
            last_move: 0,
            outstanding: Vec::new(),
            completions: Vec::new(),
            operations: Vec::new(),
            end: 0,
            direct: None,
            renewed: 0,
            fetched: 0,
            mapped: 0,
            loaded: BTreeMap::new(),
        }
    }

    // Resources.

    fn move_over(&mut self, lane: usize, ready: u64) -> u64 {
        let bus = self.lanes.len() - 1;
        let length = if lane == bus {
            self.times.parallel.bus_ns
        } else {
            self.times.parallel.channel_ns
        };
        if length == 0 {
            return ready;
        }
        let moves = &mut self.lanes[lane];
        let mut start = ready;
        // the moves are in order; those that end before `ready` do not matter
        let mut place = moves.partition_point(|&(_, end)| end <= ready);
        while let Some(&(busy, end)) = moves.get(place) {
            if start + length <= busy {
                break;
            }
            start = start.max(end);
            place += 1;
        }
        moves.insert(place, (start, start + length));
        start + length
    }

    fn note(&mut self, kind: OperationKind, chip: usize, ready: u64) {
        let chip = chip as u64;
        self.operations.push(Operation { kind, chip, ready });
    }

    fn over_bus(&mut self, ready: u64) -> u64 {
        self.note(OperationKind::Bus, 0, ready);
        self.move_over(self.lanes.len() - 1, ready)
    }

    fn has_an_ftl_for_each_chip(&self) -> bool {
        self.chips.len() as u64 == self.config.chips()
    }

    fn chip(&self, ftl: u64, (_, position): Place) -> usize {
        if self.has_an_ftl_for_each_chip() {
            ftl as usize
        } else {
            position as usize % self.chips.len()
        }
    }

    fn channel(&self, chip: usize) -> usize {
        chip % (self.lanes.len() - 1)
    }

    /// The time of work of this kind (0: read, 1: program, 2: erase) at this place of a chip (section 5.4).
    fn varied(&self, kind: u64, chip: usize, (block, position): Place, usual: u64) -> u64 {
        let is_of_block = |_: &Spread| block != Pbn::MAX;
        let Some(Spread { share, seed }) = self.times.spread.filter(is_of_block) else {
            return usual;
        };
        // the places of `ideal` are those of one block
        let block = block + position / self.config.pages_per_block();
        let place = kind + 4 * block + (chip as u64) * (1 << 34);
        let key = SplitMix64(seed).next();
        let drawn = SplitMix64(key ^ place).next() >> 11;
        let drawn = drawn as f64 / 2.0_f64.powi(53);
        (usual as f64 * (1.0 + share * (2.0 * drawn - 1.0))).round_ties_even() as u64
    }

    /// The times of the cells of a place to read, and to program a page from another place, or none.
    fn cells(&self, ftl: u64, (block, _): Place, from: Option<Place>) -> (u64, u64) {
        let times = &self.times;
        let is_slc = |block| self.slc.contains(&(ftl, block));
        match from {
            Some((from, _)) if is_slc(from) => (times.slc_read_ns, times.fold_program_ns),
            _ if is_slc(block) => (times.slc_read_ns, times.slc_program_ns),
            _ => (times.read_ns, times.program_ns),
        }
    }

    /// A read that is not for the host, or that waits like one.
    fn read(&mut self, ftl: u64, place: Place, ready: u64) -> u64 {
        let chip = self.chip(ftl, place);
        self.note(OperationKind::Read, chip, ready);
        let start = ready.max(self.chips[chip].free);
        let read_ns = self.varied(0, chip, place, self.cells(ftl, place, None).0);
        let end = self.move_over(self.channel(chip), start + read_ns);
        self.chips[chip].free = end;
        end
    }

    fn host_read(&mut self, ftl: u64, place: Place, ready: u64) -> u64 {
        if !self.times.parallel.read_suspends {
            return self.read(ftl, place, ready);
        }
        let filled = self.filled.get(&(ftl, place)).copied().unwrap_or(0);
        let chip = self.chip(ftl, place);
        let ready = ready.max(filled);
        self.note(OperationKind::SuspendingRead, chip, ready);
        let start = ready.max(self.chips[chip].reads_free);
        let read_ns = self.varied(0, chip, place, self.cells(ftl, place, None).0);
        let end = self.move_over(self.channel(chip), start + read_ns);
        let clocks = &mut self.chips[chip];
        clocks.reads_free = end;
        if clocks.free > start {
            clocks.free += end - start;
        } else {
            clocks.free = end;
        }
        if clocks.last > start {
            clocks.last += end - start;
        }
        end
    }

    fn program(&mut self, ftl: u64, from: Option<Place>, place: Place, ready: u64) -> u64 {
        let chip = self.chip(ftl, place);
        self.note(OperationKind::Program, chip, ready);
        let ready = ready.max(self.chips[chip].free);
        let program_ns = self.varied(1, chip, place, self.cells(ftl, place, from).1);
        let end = self.move_over(self.channel(chip), ready) + program_ns;
        self.programmed(ftl, place, end);
        end
    }

    fn copy_back(&mut self, ftl: u64, from: Place, place: Place) -> u64 {
        let chip = self.chip(ftl, place);
        self.note(OperationKind::CopyBack, chip, self.at);
        let start = self.at.max(self.chips[chip].free);
        let (read_ns, program_ns) = self.cells(ftl, place, Some(from));
        let read_ns = self.varied(0, chip, place, read_ns);
        let program_ns = self.varied(1, chip, place, program_ns);
        let end = start + read_ns + program_ns;
        self.programmed(ftl, place, end);
        end
    }

    fn programmed(&mut self, ftl: u64, place: Place, end: u64) {
        let chip = self.chip(ftl, place);
        self.chips[chip].free = end;
        self.chips[chip].last = end;
        self.filled.insert((ftl, place), end);
    }

    fn erase(&mut self, ftl: u64, block: Option<Pbn>, ready: u64) {
        let alone = self.has_an_ftl_for_each_chip();
        for chip in 0..self.chips.len() {
            if !alone || chip as u64 == ftl {
                self.note(OperationKind::Erase, chip, ready);
                let usual = self.times.erase_ns;
                let erase_ns = block.map_or(usual, |block| self.varied(2, chip, (block, 0), usual));
                let free = &mut self.chips[chip].free;
                *free = ready.max(*free) + erase_ns;
            }
        }
    }

    // Requests.

    pub(super) fn begin(&mut self, request: &Request) {
        let first = *self.first_ns.get_or_insert(request.time_ns);
        match self.times.parallel.issue {
            Issue::Timed { speedup } => {
                let since = request.time_ns.saturating_sub(first) as f64 / speedup;
                self.at = self.at.max(since.round_ties_even() as u64);
            }
            Issue::Closed { depth } => self.wait_for_place(depth),
        }
        self.begin_at(self.first_ns.is_some());
    }

    /// The time at which cleaning in the gap before a request may begin, and its end.
    pub(super) fn gap(&self, request: &Request, idle_ns: u64) -> (u64, u64) {
        let (Some(first), Issue::Timed { speedup }) = (self.first_ns, self.times.parallel.issue)
        else {
            return (0, 0);
        };
        let since = request.time_ns.saturating_sub(first) as f64 / speedup;
        let from = self.at.max(idle_ns + self.free(None));
        (from, self.at.max(since.round_ties_even() as u64))
    }

    /// A step of cleaning in a gap; the time at which the chips of the FTL are free.
    pub(super) fn follow_gap(&mut self, ftl: u64, at: u64, steps: &[Step]) -> u64 {
        let request = std::mem::replace(&mut self.at, at);
        self.begin_at(false);
        self.follow(ftl, steps);
        self.at = request;
        if let Some(drive) = &mut self.drive {
            drive.end_request();
        }
        self.free(Some(ftl))
    }

    /// What follows is ready from the issue on, or when the command processor has taken it.
    fn begin_at(&mut self, command: bool) {
        self.ready = match &mut self.drive {
            Some(drive) => drive.begin(self.at, command),
            None => self.at,
        };
        (self.done, self.last_move) = (self.ready, 0);
    }

    /// The time at which all chips are free, or those of an FTL.
    pub(super) fn free(&self, ftl: Option<u64>) -> u64 {
        if let Some(drive) = &self.drive {
            return drive.ends(ftl);
        }
        let alone = self.has_an_ftl_for_each_chip();
        let mut chips = 0..self.chips.len();
        let of_ftl = |&chip: &usize| !alone || ftl.is_none_or(|ftl| chip as u64 == ftl);
        let free = chips
            .by_ref()
            .filter(of_ftl)
            .map(|chip| self.chips[chip].free);
        free.max().unwrap_or(0)
    }

    fn wait_for_place(&mut self, depth: u32) {
        if self.outstanding.len() == depth as usize {
            self.outstanding.sort();
            self.at = self.at.max(self.outstanding.remove(0));
        }
    }

    pub(super) fn complete(&mut self, op: Op) {
        if let Some(drive) = &mut self.drive {
            drive.end_request();
            let today = &self.times.today;
            self.done += match op {
                Op::Read => today.read_host_ns,
                _ => today.write_host_ns,
            };
        }
        self.outstanding.push(self.done);
        self.completions.push((self.at, self.done));
    }

    fn last_completion(&self) -> u64 {
        let ends = self.completions.iter().map(|&(_, end)| end);
        ends.max().unwrap_or(0)
    }

    pub(super) fn begin_end(&mut self) {
        match self.times.parallel.issue {
            Issue::Timed { .. } => self.at = self.at.max(self.last_completion()),
            Issue::Closed { depth } => self.wait_for_place(depth),
        }
        self.begin_at(true);
    }

    pub(super) fn complete_end(&mut self) {
        self.wait(true);
        self.end = self.done;
    }

    pub(super) fn flushed(&mut self) {
        self.wait(false);
    }

    fn wait(&mut self, all: bool) {
        if let Some(drive) = &mut self.drive {
            let closed = drive.close_all(all, self.ready);
            self.done = self.done.max(drive.last);
            closed.into_iter().for_each(|unit| self.closed(unit));
            return;
        }
        let last = self.chips.iter().map(|chip| chip.last).max();
        self.done = self.done.max(last.unwrap_or(0));
    }

    pub(super) fn elapsed_ns(&self) -> u64 {
        self.free(None).max(self.end).max(self.last_completion())
    }

    // Pages of the host and of the buffers.

    /// The page that the host writes next was read first, or not.
    pub(super) fn begin_page(&mut self, read: Option<(u64, Place)>) {
        let ready = self.ready;
        self.renewed = match (read, &mut self.drive) {
            (None, _) => 0,
            (Some((ftl, place)), Some(drive)) => drive.host_read(ftl, place, ready, false),
            (Some((ftl, place)), None) => self.read(ftl, place, self.mapped),
        };
    }

    pub(super) fn write_directly(&mut self, lpn: Lpn) {
        self.direct = Some(lpn);
    }

    fn receive(&mut self, slot: u64) -> u64 {
        self.last_move = self.over_bus(self.ready.max(slot).max(self.last_move));
        self.last_move
    }

    pub(super) fn hit(&mut self, lpn: Lpn) {
        let moved = self.receive(0);
        let page = self.pages.entry(lpn).or_default();
        page.there = page.there.max(moved);
        self.done = self.done.max(page.there + self.times.buffer_ns);
    }

    fn take(slots: &mut Vec<u64>) -> u64 {
        slots.sort();
        slots.remove(0)
    }

    /// While open units keep all slots, the one that was begun first is programmed.
    fn take_slot(&mut self) -> u64 {
        while self.slots.is_empty() {
            let ready = self.ready;
            let closed = self.drive().close_first(ready);
            self.closed(closed);
        }
        Self::take(&mut self.slots)
    }

    pub(super) fn enter(&mut self, lpn: Lpn) {
        let slot = self.take_slot();
        self.enter_slot(lpn, slot);
    }

    fn enter_slot(&mut self, lpn: Lpn, slot: u64) {
        let there = self.receive(slot).max(self.renewed);
        self.pages.insert(lpn, Page::new(slot, there));
        self.done = self.done.max(there + self.times.buffer_ns);
    }

    pub(super) fn enter_read(&mut self, lpn: Lpn) {
        let slot = self.take_slot();
        self.pages.insert(lpn, Page::new(slot, self.fetched));
    }

    /// The time from which on the slot of a page that leaves is free.
    fn freed(&self, page: &Page) -> u64 {
        let programs = page.programs.iter().copied().max().unwrap_or(0);
        self.ready.max(page.slot).max(page.there).max(programs)
    }

    /// A page was evicted. If it is dirty it is programmed next, and then its slot need not wait for what that causes.
    pub(super) fn begin_leaving(&mut self, lpn: Lpn) {
        self.evicted = Some(lpn);
    }

    pub(super) fn end_leaving(&mut self) {
        if let Some(lpn) = self.evicted.take() {
            self.leave(lpn);
        }
    }

    pub(super) fn leave(&mut self, lpn: Lpn) {
        let page = self.pages[&lpn].clone();
        if page.units.is_empty() {
            self.slots.push(self.freed(&page));
        } else {
            self.leaving.push(page);
            self.pages.entry(lpn).or_default().units.clear();
        }
    }

    /// A unit was programmed: the slots that it kept become free.
    fn closed(&mut self, unit: Closed) {
        let copies = if self.has_slots { unit.copies } else { 0 };
        self.slots.extend(vec![unit.end; copies as usize]);
        let taken = |page: &mut Page| {
            let before = page.units.len();
            page.units.retain(|&number| number != unit.number);
            if page.units.len() < before {
                page.programs.push(unit.end);
            }
        };
        self.pages.values_mut().for_each(taken);
        self.leaving.iter_mut().for_each(taken);
        let leaving = std::mem::take(&mut self.leaving);
        let (left, leaving) = leaving.into_iter().partition(|page| page.units.is_empty());
        self.leaving = leaving;
        let left: Vec<Page> = left;
        for page in left {
            self.slots.push(self.freed(&page));
        }
    }

    pub(super) fn leave_ram(&mut self, lpn: Lpn) {
        let free = self.freed(&self.pages[&lpn]);
        let (ftl, _) = self.config.on_chip(lpn);
        self.ram_slots[ftl as usize].push(free);
    }

    pub(super) fn has_header(&self, lbn: Lbn) -> bool {
        self.headers.contains_key(&lbn)
    }

    pub(super) fn enter_header(&mut self, lbn: Lbn) {
        let slot = self.take_slot();
        self.headers.insert(lbn, slot);
    }

    /// The headers of blocks without a held page leave.
    pub(super) fn keep_headers(&mut self, is_held: impl Fn(Lbn) -> bool) {
        let gone: Vec<Lbn> = self.headers.keys().copied().collect();
        for lbn in gone.into_iter().filter(|&lbn| !is_held(lbn)) {
            let slot = self.headers.remove(&lbn).expect("a header");
            self.slots.push(self.ready.max(slot));
        }
    }

    pub(super) fn pad(&mut self, lpn: Lpn, ftl: u64, place: Place) {
        let ready = self.ready;
        let there = match &mut self.drive {
            Some(drive) => drive.other_read(ftl, place, ready),
            None => self.read(ftl, place, self.mapped),
        };
        self.pages.entry(lpn).or_default().there = there;
    }

    /// A page without a version pads a block: there is nothing to read.
    pub(super) fn pad_blank(&mut self, lpn: Lpn) {
        self.pages.entry(lpn).or_default().there = self.ready;
    }

    pub(super) fn read_held(&mut self, lpn: Lpn) {
        self.send(self.ready.max(self.pages[&lpn].there) + self.times.buffer_ns);
    }

    pub(super) fn read_cached(&mut self, lpn: Lpn) {
        self.send(self.ready.max(self.cached[&lpn]) + self.times.buffer_ns);
    }

    /// A page that no buffer holds, with its place if it is mapped.
    pub(super) fn read_missed(&mut self, place: Option<(u64, Place)>) {
        let ready = self.ready;
        self.fetched = match (place, &mut self.drive) {
            (None, _) => ready.max(self.mapped),
            (Some((ftl, place)), Some(drive)) => drive.host_read(ftl, place, ready, true),
            (Some((ftl, place)), None) => self.host_read(ftl, place, self.mapped),
        };
        self.send(self.fetched);
    }

    /// A page that went to the FTL enters the read buffer.
    pub(super) fn cache_written(&mut self, lpn: Lpn, buffered: bool) {
        let before = if buffered { self.pages[&lpn].there } else { 0 };
        self.cached.insert(lpn, before.max(self.last_move));
    }

    pub(super) fn enter_cache(&mut self, lpn: Lpn) {
        self.cached.insert(lpn, self.fetched);
    }

    fn send(&mut self, ready: u64) {
        self.done = self.over_bus(ready).max(self.done);
    }

    // The steps of an FTL.

    /// Gives their times to the steps of one FTL, in calls.
    pub(super) fn follow(&mut self, ftl: u64, steps: &[Step]) {
        if self.drive.is_some() {
            return steps.iter().for_each(|step| self.follow_drive(ftl, *step));
        }
        self.mapped = self.at;
        let begins = |_: &Step, step: &Step| !matches!(step, Step::Call | Step::LookUp);
        steps
            .chunk_by(begins)
            .for_each(|call| self.follow_call(ftl, call));
    }

    fn follow_call(&mut self, ftl: u64, steps: &[Step]) {
        let mut call_end = 0;
        self.mapped = self.at;
        let copies_map = |step: &Step| matches!(step, Step::CopyMap(..));
        // whose pages have moved in this call, and who is not erased yet
        let mut movers: Vec<Step> = Vec::new();
        let moves = |step: &Step| {
            matches!(
                step,
                Step::Copy(..) | Step::CopyBack(..) | Step::MergeProgram(..)
            )
        };
        let together = |a: &Step, b: &Step| moves(a) && moves(b) || copies_map(a) && copies_map(b);
        for run in steps.chunk_by(together) {
            let mut reads = Vec::new();
            for step in run {
                if let Step::Copy(from, ..) | Step::CopyMap(from, _) = *step {
                    reads.push(self.read(ftl, from, self.at));
                }
            }
            let mut reads = reads.into_iter();
            for step in run {
                let end = self.follow_step(ftl, *step, &mut reads, call_end);
                call_end = call_end.max(end);
            }
            if matches!(run, [Step::EraseVictim(_)]) {
                movers.clear();
            }
            // programs of a map behind the moves count, too
            let ended = match run[0] {
                Step::ProgramMapPage(_) | Step::CopyMap(..) => &movers[..],
                _ => run,
            };
            for step in ended {
                let moved = match *step {
                    Step::Copy((from, _), ..) | Step::CopyBack((from, _), _) => {
                        self.moved.entry((ftl, from)).or_default()
                    }
                    Step::MergeProgram(..) => &mut self.victims[ftl as usize],
                    _ => continue,
                };
                *moved = call_end.max(*moved);
            }
            movers.extend(run.iter().copied().filter(moves));
        }
    }

    /// The end of a program; 0 for other steps.
    fn follow_step(
        &mut self,
        ftl: u64,
        step: Step,
        reads: &mut impl Iterator<Item = u64>,
        call_end: u64,
    ) -> u64 {
        let config = self.config.clone();
        let host = |lpn: Lpn| config.of_host(ftl, lpn);
        match step {
            Step::Call => 0,
            Step::Copy(from, to, _) => {
                let read = reads.next().expect("a read for each copy");
                self.program(ftl, Some(from), to, read)
            }
            Step::CopyMap(_, to) => {
                let read = reads.next().expect("a read for each copy");
                self.program(ftl, None, to, read)
            }
            Step::CopyBack(from, to) => self.copy_back(ftl, from, to),
            Step::ProgramMapPage(to) => self.program(ftl, None, to, self.mapped),
            Step::LookUp | Step::ReadMap(..) | Step::FetchMap(_) | Step::LookedUp(_) => {
                self.look_up(ftl, step);
                0
            }
            Step::OpenSlc(block) => {
                self.slc.insert((ftl, block));
                0
            }
            // nobody reads it: it is in no block
            Step::ProgramMap(position) => self.program(ftl, None, (Pbn::MAX, position), self.at),
            Step::Program(lpn, to) if self.direct == Some(host(lpn)) => {
                let ready = self.receive(0).max(self.renewed);
                let end = self.program(ftl, None, to, ready);
                self.direct = None;
                self.done = self.done.max(end);
                end
            }
            Step::Program(lpn, to) | Step::MergeProgram(lpn, to) => {
                let lpn = host(lpn);
                let there = self.pages[&lpn].there;
                let end = self.program(ftl, None, to, self.at.max(there));
                let page = self.pages.get_mut(&lpn).expect("a page");
                page.programs.push(end);
                end
            }
            Step::Erase(block) => {
                self.erase(ftl, block, self.at.max(call_end));
                0
            }
            Step::EraseVictim(block) => {
                let taken = std::mem::take(&mut self.victims[ftl as usize]);
                let moved = self.moved.remove(&(ftl, block)).unwrap_or(0);
                let ready = self.at.max(call_end).max(taken).max(moved);
                self.erase(ftl, Some(block), ready);
                self.slc.remove(&(ftl, block));
                0
            }
            Step::RamHit(_) | Step::RamEntry(_) | Step::RamExit(_) => {
                self.follow_ram(ftl, step);
                0
            }
        }
    }

    /// What a look-up in a map in flash waits for.
    fn look_up(&mut self, ftl: u64, step: Step) {
        let loaded = match step {
            Step::ReadMap(at, page, host) => {
                self.mapped = match host {
                    true => self.host_read(ftl, at, self.mapped),
                    false => self.read(ftl, at, self.mapped),
                };
                page
            }
            Step::FetchMap(page) => {
                self.mapped += self.times.map_host_ns;
                page
            }
            Step::LookedUp(page) => {
                let there = self.loaded.get(&(ftl, page)).copied().unwrap_or(0);
                self.mapped = self.mapped.max(there);
                None
            }
            _ => None,
        };
        if let Some(page) = loaded {
            self.loaded.insert((ftl, page), self.mapped);
        }
    }

    fn follow_ram(&mut self, ftl: u64, step: Step) {
        let host = |clock: &Self, lpn: Lpn| clock.config.of_host(ftl, lpn);
        match step {
            Step::RamHit(lpn) => {
                self.direct = None;
                self.hit(host(self, lpn));
            }
            Step::RamEntry(lpn) => {
                self.direct = None;
                let slot = Self::take(&mut self.ram_slots[ftl as usize]);
                self.enter_slot(host(self, lpn), slot);
            }
            Step::RamExit(lpn) => self.leave_ram(host(self, lpn)),
            _ => {}
        }
    }

    // A drive of today.

    fn drive(&mut self) -> &mut Drive {
        self.drive.as_mut().expect("a drive of today")
    }

    /// Gives its times to a step of an FTL of a drive of today.
    fn follow_drive(&mut self, ftl: u64, step: Step) {
        let ready = self.ready;
        match step {
            // there are no maps in the flash of such a drive
            Step::Call
            | Step::OpenSlc(_)
            | Step::LookUp
            | Step::ReadMap(..)
            | Step::FetchMap(_)
            | Step::LookedUp(_)
            | Step::ProgramMapPage(_)
            | Step::CopyMap(..) => {}
            Step::Copy(from, to, valid) => {
                let slot = match self.has_slots {
                    true => self.take_slot(),
                    false => 0,
                };
                let read = self.drive().copy_read(ftl, from, valid, (ready, slot));
                self.join(ftl, to, read, Joins::Copy);
            }
            Step::CopyBack(_, to) => self.drive().copy_back(ftl, to, ready),
            Step::ProgramMap(position) => self.drive().program_map(ftl, position, ready),
            Step::Program(lpn, to) if self.direct == Some(self.config.of_host(ftl, lpn)) => {
                let there = self.receive(0).max(self.renewed);
                self.direct = None;
                let (_, end) = self.join(ftl, to, there, Joins::Outside);
                self.done = self.done.max(end.expect("a unit of one page"));
            }
            Step::Program(lpn, to) | Step::MergeProgram(lpn, to) => {
                let lpn = self.config.of_host(ftl, lpn);
                let there = self.pages[&lpn].there;
                let (unit, end) = self.join(ftl, to, there, Joins::Outside);
                let page = self.pages.get_mut(&lpn).expect("a page");
                match end {
                    Some(end) => page.programs.push(end),
                    None => page.units.push(unit),
                }
                if self.evicted == Some(lpn) {
                    self.end_leaving();
                }
            }
            Step::Erase(block) => self.drive().erase(ftl, block, ready),
            Step::EraseVictim(block) => self.drive().erase(ftl, Some(block), ready),
            Step::RamHit(_) | Step::RamEntry(_) | Step::RamExit(_) => self.follow_ram(ftl, step),
        }
    }

    /// A page joins its unit. Returns the unit, and the end of its program if it is programmed.
    fn join(&mut self, ftl: u64, to: Place, page_ready: u64, joins: Joins) -> (u64, Option<u64>) {
        let ready = self.ready;
        let (unit, closed) = self.drive().join(ftl, to, page_ready, joins, ready);
        let end = closed.as_ref().map(|closed| closed.end);
        closed.into_iter().for_each(|unit| self.closed(unit));
        (unit, end)
    }
}
