//! The schedule: what happens to the pages of the host, of the buffers and of the FTLs, and when.

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use ssdlab_flash::{Cells, Lbn, Lpn, Note, Ppn, Stripes};
use ssdlab_host::Op;

use crate::ahead::Ahead;
use crate::chips::Chips;
use crate::completion::Completion;
use crate::drive::Drive;
use crate::issue::Issuer;
use crate::lane::Lane;
use crate::latency::{Histograms, Latencies, LatencyByOp};
use crate::pages::{Page, Pages};
use crate::recorder::{Activity, Interval, Recorder, Recording};
use crate::setup::{BACKLOG, Setup};
use crate::slots::Slots;

/// The device has fallen too far behind the times of a trace that is replayed with [`Issue::Timed`](crate::Issue::Timed).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overload {
    /// The times of the trace are divided by this.
    pub speedup: f64,
}

/// How long the parts of a device worked, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    /// The cells of each chip, without moves.
    pub chips_ns: Vec<u64>,
    /// Each channel.
    pub channels_ns: Vec<u64>,
    /// The bus.
    pub bus_ns: u64,
}

/// Pages with consecutive numbers that pad a victim, and are not programmed yet. More than one only if the chip that reads
/// them programs them too: it is not free before the last read ends, so the other ends do not matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Padding {
    /// The first one.
    pub first: Lpn,
    /// Their number, at least 1.
    count: u32,
    /// The end of the read of the last one; for a blank one, the time of the request.
    pub end: u64,
}

/// The slot of a header that is not held.
const NO_HEADER: u64 = u64::MAX;

/// The clocks of a device.
#[derive(Clone, Debug)]
pub struct Schedule {
    stripes: Stripes,
    buffer_ns: u64,
    /// Chips and channels; with a drive of today only their recorder.
    pub(crate) chips: Chips,
    pub(crate) drive: Option<Box<Drive>>,
    bus: Lane,
    issuer: Issuer,
    pub(crate) slots: Slots,
    /// For each FTL, its region in RAM.
    ram: Vec<Slots>,
    /// The times of the logical pages that are held, or on their way to flash.
    pub(crate) pages: Pages,
    /// Each page that is programmed leaves the write buffer.
    pub(crate) leaving: bool,
    /// The pages read to pad a victim that are not programmed yet, ascending.
    pub(crate) padding: VecDeque<Padding>,
    /// For each logical page in the read buffer, the time at which it arrives there.
    cached: Ahead<u64>,
    /// For each logical block, the time at which the slot of its header became free.
    headers: Vec<u64>,
    /// The issue time of the current request, or the time of a step in a gap.
    at: u64,
    /// What follows from the current request is ready from this time on: its issue, unless a command processor takes time.
    pub(crate) ready: u64,
    /// Nothing happens before it any more.
    pub(crate) now: u64,
    /// What the last request asked for, once it is done.
    op: Option<Op>,
    /// The completion of its pages so far.
    pub(crate) done: u64,
    /// The end of the last move of its data to the controller.
    moved: u64,
    /// The page that the host is writing past all buffers, as far as is known; or none.
    pub(crate) arriving: Lpn,
    /// The end of the read of the page that the host writes in part; 0 without one.
    pub(crate) renewed: u64,
    /// The end of the last host read.
    fetched: u64,
    /// The end of the programs of the current call.
    call: u64,
    /// For each FTL, the end of the calls that moved pages since the last erase of a victim.
    victims: Vec<u64>,
    /// With an SLC cache, the same for each block of each FTL, since its own last erase: several blocks may have lost a part
    /// of their pages. The blocks of an FTL, and the pages of a block.
    moved_of: Option<(Vec<u64>, u32, u32)>,
    /// The current call has moved pages of a victim that is not erased yet.
    moves: bool,
    /// The pages of the map in flash of each FTL.
    map_pages: u32,
    /// For each map page of each FTL, the end of its last load.
    loaded: Vec<u64>,
    map_host_ns: u64,
    /// The ends of the reads of a run of copies, used only while it is scheduled.
    reads: Vec<u64>,
    latencies: [Latencies; Op::ALL.len()],
    /// Those of flushes, with the slowest write before each.
    commits: Latencies,
    /// The longest latency of the writes since the last flush, if there were any.
    unflushed: Option<u64>,
}

impl Schedule {
    /// A schedule at time 0.
    pub fn new(setup: &Setup) -> Self {
        Self {
            stripes: setup.stripes,
            buffer_ns: setup.times.buffer_ns,
            chips: Chips::new(setup),
            drive: setup
                .today
                .as_ref()
                .map(|today| Box::new(Drive::new(setup, today))),
            bus: Lane::new(setup.times.bus_ns),
            issuer: Issuer::new(setup.issue),
            slots: Slots::new(setup.slots),
            ram: vec![Slots::new(setup.ram_slots); setup.ftls() as usize],
            pages: Pages::new(),
            cached: Ahead::new(),
            headers: vec![NO_HEADER; setup.headers as usize],
            at: 0,
            ready: 0,
            now: 0,
            op: None,
            done: 0,
            moved: 0,
            arriving: Lpn::NONE,
            renewed: 0,
            fetched: 0,
            call: 0,
            victims: vec![0; setup.ftls() as usize],
            moved_of: setup.times.slc.map(|_| {
                let blocks = setup.ftls() as usize * setup.blocks as usize;
                (vec![0; blocks], setup.blocks, setup.pages_per_block)
            }),
            moves: false,
            map_pages: setup.map_pages,
            loaded: vec![0; setup.ftls() as usize * setup.map_pages as usize],
            map_host_ns: setup.times.map_host_ns,
            reads: Vec::new(),
            leaving: false,
            padding: VecDeque::new(),
            latencies: Default::default(),
            commits: Latencies::default(),
            unflushed: None,
        }
    }

    /// The write buffer holds so many pages before the first request.
    pub fn hold(&mut self, pages: u32) {
        for _ in 0..pages {
            self.take_slot();
        }
    }

    /// A request begins, with its time in the trace. All calls until [`Schedule::complete`] follow from it.
    ///
    /// # Errors
    /// The device has fallen too far behind the times of the trace.
    pub fn begin(&mut self, time_ns: u64) -> Result<(), Overload> {
        let at = self.issuer.next(time_ns);
        self.begin_at(at, false);
        match self.issuer.speedup() {
            Some(speedup) if self.backlog() > BACKLOG => Err(Overload { speedup }),
            _ => Ok(()),
        }
    }

    /// The gap before the next request, whose time in the trace is given: for steps of each kind, from its `idle_ns` after
    /// the last work on, and not before the last request. Steps follow; then the request begins. `None` if there is no gap
    /// for any kind; an empty one for a kind that is never (0).
    pub fn begin_gap(&mut self, time_ns: u64, idle_ns: [u64; 2]) -> Option<[Range<u64>; 2]> {
        let last = self.issuer.last()?;
        let until = self.issuer.next(time_ns);
        let free = self.all_free();
        let gaps = idle_ns.map(|idle| match idle {
            0 => until..until,
            idle => last.max(idle.saturating_add(free))..until,
        });
        let begins = gaps.iter().filter(|gap| !gap.is_empty());
        let from = begins.map(|gap| gap.start).min()?;
        self.begin_at(from, true);
        Some(gaps)
    }

    /// The time at which the chips of an FTL are free.
    pub fn free(&self, ftl: u32) -> u64 {
        match &self.drive {
            Some(drive) => drive.end_of(ftl),
            None => self.chips.free(ftl),
        }
    }

    /// Schedules a step of an FTL in a gap, which begins at `at`. Returns the time at which its chips are free.
    pub fn follow_step(&mut self, ftl: u32, notes: &[Note], at: u64) -> u64 {
        (self.at, self.ready) = (at, at);
        let Some(drive) = &mut self.drive else {
            self.follow(ftl, notes);
            return self.chips.free(ftl);
        };
        self.ready = drive.begin(at, true, &mut self.chips.recorder);
        self.follow_drive(ftl, notes);
        match &mut self.drive {
            Some(drive) => {
                drive.end();
                drive.end_of(ftl)
            }
            None => at,
        }
    }

    /// The end of the trace begins, which writes the buffers back.
    pub fn begin_end(&mut self) {
        // without a request nothing is done, and nothing takes time
        let is_idle = !self.issuer.has_begun();
        let at = self.issuer.end();
        self.begin_at(at, is_idle);
    }

    /// What follows is issued at `at`: a request, or what takes no command.
    fn begin_at(&mut self, at: u64, is_free: bool) {
        let ready = match &mut self.drive {
            Some(drive) => drive.begin(at, is_free, &mut self.chips.recorder),
            None => at,
        };
        (self.at, self.now) = (at, at);
        (self.ready, self.done, self.moved) = (ready, ready, ready);
        (self.op, self.leaving) = (None, false);
        self.chips.begin(at);
        self.pages.begin(at);
    }

    /// The number of times that lie ahead, as far as their number has no other limit.
    fn backlog(&mut self) -> usize {
        let pages = self.pages.ahead() + self.cached.ahead();
        let other = pages + self.bus.backlog(self.now);
        let flash = match &mut self.drive {
            Some(drive) => drive.backlog(BACKLOG.saturating_sub(other)),
            None => self.chips.backlog(),
        };
        other + flash
    }

    /// The time at which all chips are free.
    fn all_free(&self) -> u64 {
        match &self.drive {
            Some(drive) => drive.end_of_all(),
            None => self.chips.all_free(),
        }
    }

    /// The request of `bytes` is done.
    pub fn complete(&mut self, op: Op, bytes: u64) {
        if let Some(drive) = &mut self.drive {
            drive.end();
            self.done = self.done.saturating_add(drive.host_ns(op));
        }
        self.issuer.complete(self.done);
        let latency = self.done - self.at;
        self.latencies[op as usize].add(latency);
        match op {
            Op::Write => self.unflushed = self.unflushed.max(Some(latency)),
            Op::Flush => {
                if let Some(slowest) = self.unflushed.take() {
                    self.commits.add(slowest.saturating_add(latency));
                }
            }
            Op::Read | Op::Discard => {}
        }
        self.op = Some(op);
        if let Some(completion) = self.last_completion()
            && let Some(recorder) = &mut self.chips.recorder
        {
            recorder.complete(completion, bytes);
        }
    }

    /// The times of the last request; `None` from the begin of a request until it is done.
    pub fn last_completion(&self) -> Option<Completion> {
        self.op.map(|op| Completion {
            op,
            issued_ns: self.at,
            completed_ns: self.done,
        })
    }

    /// The end of the trace is done: all programs are.
    pub fn complete_end(&mut self) {
        self.wait_for_programs(true);
        self.issuer.complete(self.done);
    }

    /// Nothing follows any more.
    pub fn end(&mut self) {
        self.settle();
    }

    /// A flush wrote the buffer back; it waits for all programs.
    pub fn flushed(&mut self) {
        self.wait_for_programs(false);
    }

    fn wait_for_programs(&mut self, all: bool) {
        if self.drive.is_some() {
            return self.close_units(all);
        }
        self.done = self.done.max(self.chips.last_program());
    }

    /// The issue time of the current request, or the begin of the end.
    pub fn now_ns(&self) -> u64 {
        self.now
    }

    /// The latest completion so far.
    pub fn served_ns(&self) -> u64 {
        self.issuer.latest
    }

    /// The time at which everything is done.
    pub fn elapsed_ns(&self) -> u64 {
        self.issuer.latest.max(self.all_free())
    }

    /// Records from now on what the device does over time, for [`Schedule::take_recording`].
    pub fn record(&mut self) {
        if let Some(drive) = &mut self.drive {
            drive.forget(&mut None);
        }
        let (chips, channels) = self.chips.parts();
        self.chips.recorder = Some(Box::new(Recorder::new(chips, channels)));
    }

    /// Records from now on, and keeps every interval in which a part works, for [`Schedule::take_intervals`]. The memory
    /// grows with the trace.
    pub fn keep_intervals(&mut self) {
        self.record();
        if let Some(recorder) = &mut self.chips.recorder {
            recorder.keep_intervals();
        }
    }

    /// The intervals since the last call, in the order in which they were given; none unless they are kept. With a drive of
    /// today, those of programs, erases and copies come when no later read can move them, the last ones when the trace has
    /// ended.
    pub fn take_intervals(&mut self) -> Vec<Interval> {
        let recorder = self.chips.recorder.as_mut();
        recorder.map_or(Vec::new(), |recorder| recorder.take_intervals())
    }

    /// Records what operations of a drive do that reads might have moved still.
    fn settle(&mut self) {
        if let (Some(drive), Some(recorder)) = (&mut self.drive, &mut self.chips.recorder) {
            drive.settle(recorder);
        }
    }

    /// What was recorded since the last call; `None` unless it is recorded.
    pub fn take_recording(&mut self) -> Option<Recording> {
        self.settle();
        let now = self.elapsed_ns();
        let recorder = self.chips.recorder.as_mut();
        recorder.map(|recorder| recorder.take(now))
    }

    /// The latencies of each kind of request since the last call of [`Schedule::take_latencies`].
    pub fn histograms(&self) -> Histograms {
        Histograms::of(&self.latencies)
    }

    /// The latencies since the last call of [`Schedule::take_latencies`].
    pub fn latencies(&self) -> LatencyByOp {
        LatencyByOp::of(&self.latencies, &self.commits)
    }

    /// The latencies since the last call.
    pub fn take_latencies(&mut self) -> LatencyByOp {
        let latencies = self.latencies();
        self.latencies = Default::default();
        self.commits = Latencies::default();
        latencies
    }

    /// How long the parts of the device worked since the last call.
    pub fn take_busy(&mut self) -> Busy {
        let (chips_ns, channels_ns) = match &mut self.drive {
            Some(drive) => (drive.take_chips_ns(), drive.take_channels_ns()),
            None => (self.chips.take_chips_ns(), self.chips.take_channels_ns()),
        };
        Busy {
            chips_ns,
            channels_ns,
            bus_ns: self.bus.take_moved_ns(),
        }
    }
}

/// Pages of the host and of the buffers.
impl Schedule {
    /// The host begins to write a page.
    pub fn begin_page(&mut self) {
        self.renewed = 0;
    }

    /// A page that the host writes in part was read until `end`.
    pub fn renewed(&mut self, end: u64) {
        self.renewed = end;
    }

    /// The host writes a page past the write buffer. The notes that follow tell whether it goes to flash or to a region
    /// in RAM.
    pub fn arrive(&mut self, lpn: Lpn) {
        self.arriving = lpn;
    }

    /// The host's data move over the bus, from `ready` on.
    #[inline(always)]
    pub(crate) fn receive(&mut self, ready: u64) -> u64 {
        self.moved = self.move_over_bus(ready.max(self.moved));
        self.moved
    }

    #[inline]
    fn move_over_bus(&mut self, ready: u64) -> u64 {
        let end = self.bus.move_page(ready, self.now);
        if self.chips.recorder.is_some() {
            self.record_move(end);
        }
        end
    }

    #[inline(never)]
    fn record_move(&mut self, end: u64) {
        if let Some(recorder) = &mut self.chips.recorder {
            recorder.bus(end - self.bus.move_ns(), end);
        }
    }

    pub(crate) fn complete_page(&mut self, at: u64) {
        self.done = self.done.max(at);
    }

    /// The host writes a page that a buffer holds.
    pub fn hit(&mut self, lpn: Lpn) {
        let moved = self.receive(self.ready);
        let before = self.pages.take(lpn, self.now);
        let there = before.there.max(moved);
        let kept = match &mut self.drive {
            None => before.kept.max(there),
            Some(drive) => drive.keep(before.kept, there),
        };
        self.pages.written(lpn, Page { there, kept }, self.now);
        self.complete_page(there.saturating_add(self.buffer_ns));
    }

    /// Takes the slot of the write buffer that becomes free first, and returns that time.
    #[inline]
    fn take_slot(&mut self) -> u64 {
        match self.slots.take() {
            Some(free) => free,
            None => self.make_slot(),
        }
    }

    /// The host writes a page that enters the write buffer.
    pub fn enter(&mut self, lpn: Lpn) {
        let free = self.take_slot();
        self.enter_slot(lpn, free);
    }

    /// Like [`Schedule::enter`], for consecutive whole pages.
    pub fn enter_run(&mut self, first: Lpn, count: u32) {
        self.begin_page();
        for page in 0..count {
            self.enter(first.plus(page));
        }
    }

    #[inline(always)]
    fn enter_slot(&mut self, lpn: Lpn, free: u64) {
        let there = self.receive(free).max(self.renewed);
        // the slot was free before the move
        let kept = there;
        self.pages.written(lpn, Page { there, kept }, self.now);
        self.complete_page(there.saturating_add(self.buffer_ns));
    }

    /// The page that the host read last enters the write buffer.
    pub fn enter_read(&mut self, lpn: Lpn) {
        let there = self.fetched;
        let kept = there.max(self.take_slot());
        self.pages.written(lpn, Page { there, kept }, self.now);
    }

    /// A page leaves the write buffer. What is written of it was written before.
    pub fn leave(&mut self, lpn: Lpn) {
        let kept = self.pages.leave(lpn, self.now).kept;
        if self.drive.is_some() {
            self.leave_drive(kept);
        } else {
            self.slots.give(kept, self.at);
        }
    }

    /// Pages of a victim are programmed from now on. Each has left the write buffer by then.
    pub fn begin_leaving(&mut self) {
        self.leaving = true;
    }

    /// All of them are programmed.
    pub fn end_leaving(&mut self) {
        self.leaving = false;
    }

    /// The header of a block takes a slot of the write buffer.
    pub fn enter_header(&mut self, lbn: Lbn) {
        self.headers[lbn.index()] = self.take_slot();
    }

    /// The header of a block leaves, if there is one.
    pub fn leave_header(&mut self, lbn: Lbn) {
        let free = std::mem::replace(&mut self.headers[lbn.index()], NO_HEADER);
        if free != NO_HEADER {
            self.slots.give(free, self.ready);
        }
    }

    /// The reads that pad a victim begin.
    pub fn begin_padding(&mut self) {
        self.padding.clear();
    }

    /// Pages were read to pad a victim, as an FTL noted. `pages` are those that it found, in the order of the reads.
    pub fn padded(&mut self, ftl: u32, notes: &[Note], mut pages: impl Iterator<Item = Lpn>) {
        if self.drive.is_some() {
            return self.padded_drive(ftl, notes, pages);
        }
        let pads = |note: &Note| matches!(note, Note::Read { .. } | Note::Reads { .. });
        let mut since = self.at;
        for step in notes.chunk_by(|one, next| !pads(one) && !pads(next)) {
            match *step {
                [Note::Reads { at, lpn, count }] => self.padded_run(ftl, at, lpn, count),
                [Note::Read { at, .. }] => {
                    let end = self.chips.read(Activity::Read, ftl, at, since);
                    if let Some(lpn) = pages.next() {
                        self.padded_page(lpn, end);
                    }
                }
                // a page is found: for each of them a call
                [Note::LookUp, ..] => since = self.follow_each(ftl, step),
                // what an FTL with tables in flash does to find the next page
                _ => since = since.max(self.follow_each(ftl, step)),
            }
        }
    }

    /// A page without a version pads a victim: nothing is read for it.
    pub fn pad_blank(&mut self, first: Lpn) {
        let place = self.padding.partition_point(|run| run.first < first);
        let (count, end) = (1, self.ready);
        self.padding.insert(place, Padding { first, count, end });
    }

    pub(crate) fn padded_page(&mut self, first: Lpn, end: u64) {
        let count = 1;
        self.padding.push_back(Padding { first, count, end });
    }

    fn padded_run(&mut self, ftl: u32, at: Ppn, first: Lpn, count: u32) {
        // consecutive pages of one of several FTLs are not consecutive on the device
        if self.stripes.chips == 1
            && let Some(end) = self.chips.read_run(ftl, count, self.at)
        {
            self.padding.push_back(Padding { first, count, end });
            return;
        }
        for page in 0..count {
            let read = at.plus(page);
            let end = self.chips.read(Activity::Read, ftl, read, self.at);
            self.padded_page(self.page_of(ftl, first.plus(page)), end);
        }
    }

    /// The host reads a page of the write buffer or of a region in RAM.
    pub fn read_held(&mut self, lpn: Lpn) {
        let there = self.pages.get(lpn, self.now).there;
        self.send_held(there);
    }

    /// The host reads a page of the read buffer.
    pub fn read_cached(&mut self, lpn: Lpn) {
        self.send_held(self.cached.get(lpn.0.into(), self.now));
    }

    fn send_held(&mut self, there: u64) {
        let ready = self.ready.max(there).saturating_add(self.buffer_ns);
        self.send(ready);
    }

    /// The host reads a page that no buffer holds: from flash, until `end`, or an unmapped one (`end` is 0).
    pub fn read_missed(&mut self, end: u64) {
        self.fetched = end.max(self.ready);
        self.send(self.fetched);
    }

    /// The page that the host read last enters the read buffer.
    pub fn enter_cache(&mut self, lpn: Lpn) {
        self.cached.set(lpn.0.into(), self.fetched, self.now);
    }

    /// A page that went to the FTL enters the read buffer. It is there as soon as in the write buffer, if it was in one, and
    /// not before what the host has sent so far.
    pub fn cache_written(&mut self, lpn: Lpn, buffered: bool) {
        let before = buffered.then(|| self.pages.get(lpn, self.now).there);
        let there = before.unwrap_or(0).max(self.moved);
        self.cached.set(lpn.0.into(), there, self.now);
    }

    fn send(&mut self, ready: u64) {
        let sent = self.move_over_bus(ready);
        self.complete_page(sent);
    }
}

/// What the FTLs do.
impl Schedule {
    /// Schedules what one call of an FTL did. Returns the end of its last read; 0 without one.
    pub fn follow(&mut self, ftl: u32, notes: &[Note]) -> u64 {
        if self.drive.is_some() {
            return self.follow_drive(ftl, notes);
        }
        (self.call, self.moves) = (0, false);
        // most calls do nothing else
        if let [Note::Programs { to, lpn, count }] = *notes {
            self.program_each(ftl, to, lpn, count);
            return 0;
        }
        self.follow_each(ftl, notes)
    }

    #[inline(never)]
    fn follow_each(&mut self, ftl: u32, notes: &[Note]) -> u64 {
        let mut read = 0;
        // what follows reads of the FTL's own in the same call, and depends on them
        let mut since = self.at;
        let mut rest = notes;
        while let [note, others @ ..] = rest {
            match *note {
                Note::Copy { .. } | Note::CopyBack { .. } | Note::MergeProgram { .. } => {
                    rest = self.follow_run(ftl, rest);
                    continue;
                }
                Note::CopyOwn { .. } => {
                    rest = self.follow_own_copies(ftl, rest);
                    continue;
                }
                Note::Call | Note::LookUp => {
                    (self.call, self.moves, since) = (0, false, self.at);
                }
                Note::Read { at, host: true } => read = self.chips.host_read(ftl, at, since),
                Note::Read { at, host: false } => {
                    read = self.chips.read(Activity::Read, ftl, at, since);
                }
                Note::ReadOwn { at } => {
                    since = self.chips.read(Activity::Read, ftl, at, since);
                    read = since;
                }
                Note::LoadMap { at, page, host } => {
                    since = match host {
                        true => self.chips.host_read(ftl, at, since),
                        false => self.chips.read(Activity::Read, ftl, at, since),
                    };
                    read = since;
                    self.loaded(ftl, page, since);
                }
                Note::FetchMap { page } => {
                    since = since.saturating_add(self.map_host_ns);
                    self.loaded(ftl, page, since);
                }
                Note::LookedUp { page } => {
                    let place = ftl as usize * self.map_pages as usize + page as usize;
                    since = since.max(self.loaded[place]);
                    read = since;
                }
                Note::ProgramOwn { to } => {
                    let end = self.chips.program(Activity::Program, ftl, to, since);
                    self.own_ends(ftl, end);
                }
                Note::ProgramMap { position } => {
                    let end = self.chips.program_map(ftl, position, since);
                    self.call = self.call.max(end);
                }
                Note::Reads { at, count, .. } => {
                    for page in 0..count {
                        let page = at.plus(page);
                        read = self.chips.read(Activity::Read, ftl, page, self.at);
                    }
                }
                Note::Programs { to, lpn, count } => self.program_each(ftl, to, lpn, count),
                Note::Erase { block } => {
                    self.chips.erase(ftl, block, self.at.max(self.call));
                }
                Note::EraseVictim { block } => {
                    self.moves = false;
                    let moved = std::mem::take(match &mut self.moved_of {
                        None => &mut self.victims[ftl as usize],
                        Some((moved, blocks, _)) => &mut moved[(ftl * *blocks + block.0) as usize],
                    });
                    let ready = self.at.max(self.call).max(moved);
                    self.chips.erase(ftl, block, ready);
                }
                Note::RamHit(lpn) => {
                    self.arriving = Lpn::NONE;
                    self.hit(self.page_of(ftl, lpn));
                }
                Note::RamEntry(lpn) => self.enter_ram(ftl, lpn),
                Note::RamExit(lpn) => self.leave_ram(ftl, lpn),
                Note::Group { .. } => {}
                Note::Cells(cells) => {
                    self.chips.on_cells(cells);
                }
            }
            rest = others;
        }
        read
    }

    /// A map page was loaded for a miss, if it has a number.
    fn loaded(&mut self, ftl: u32, page: u32, end: u64) {
        if page < self.map_pages {
            self.loaded[ftl as usize * self.map_pages as usize + page as usize] = end;
        }
    }

    /// Copies pages of the FTL's own with which the notes begin: first all reads, then all programs. Returns the notes
    /// behind them.
    fn follow_own_copies<'a>(&mut self, ftl: u32, notes: &'a [Note]) -> &'a [Note] {
        self.reads.clear();
        for note in notes {
            let Note::CopyOwn { from, .. } = *note else {
                break;
            };
            let read = self.chips.read(Activity::CopyRead, ftl, from, self.at);
            self.reads.push(read);
        }
        let (run, rest) = notes.split_at(self.reads.len());
        for (place, note) in run.iter().enumerate() {
            if let Note::CopyOwn { to, .. } = *note {
                let read = self.reads[place];
                let end = self.chips.program(Activity::CopyProgram, ftl, to, read);
                self.own_ends(ftl, end);
            }
        }
        rest
    }

    /// A page of the FTL's own is programmed. The erase of a victim waits for it too, if this call has moved its pages.
    fn own_ends(&mut self, ftl: u32, end: u64) {
        self.call = self.call.max(end);
        if self.moves {
            let moved = &mut self.victims[ftl as usize];
            *moved = end.max(*moved);
        }
    }

    /// A page enters the region in RAM of an FTL.
    pub(crate) fn enter_ram(&mut self, ftl: u32, lpn: Lpn) {
        self.arriving = Lpn::NONE;
        let free = self.ram[ftl as usize].take();
        let free = free.expect("a page has left for each that enters");
        self.enter_slot(self.page_of(ftl, lpn), free);
    }

    /// A page leaves the region in RAM of an FTL.
    pub(crate) fn leave_ram(&mut self, ftl: u32, lpn: Lpn) {
        let kept = self.pages.leave(self.page_of(ftl, lpn), self.now).kept;
        self.ram[ftl as usize].give(kept, self.ready);
    }

    /// The page of the device that is this page of an FTL.
    pub(crate) fn page_of(&self, ftl: u32, lpn: Lpn) -> Lpn {
        self.stripes.of_host(ftl, lpn)
    }

    /// Programs consecutive pages, each in a call of its own; the first call has begun.
    #[inline]
    fn program_each(&mut self, ftl: u32, to: Ppn, lpn: Lpn, count: u32) {
        let mut done = 0;
        while done < count {
            if done > 0 {
                self.call = 0;
            }
            let (to, page) = (to.plus(done), self.page_of(ftl, lpn.plus(done)));
            let padding = self.padding.front().map(|run| run.first);
            if padding == Some(page) {
                done += self.program_padding(ftl, to, count - done);
                continue;
            }
            if self.arriving == page {
                self.program_arriving(ftl, to);
            } else {
                self.program_held(Activity::Program, ftl, to, page);
            }
            done += 1;
        }
    }

    /// Programs at most `most` pages, at least one, of the next run that was read to pad a victim: in one step, if they
    /// may be handled so. Returns their number.
    fn program_padding(&mut self, ftl: u32, to: Ppn, most: u32) -> u32 {
        let Some(run) = self.padding.front_mut() else {
            return 0;
        };
        let pages = run.count.min(most);
        let (pages, end) = match self.chips.program_run(ftl, pages, run.end) {
            Some(end) => (pages, end),
            None => (1, self.chips.program(Activity::Program, ftl, to, run.end)),
        };
        // the calls of the pages before the last one ended before
        self.call = self.call.max(end);
        (run.first, run.count) = (run.first.plus(pages), run.count - pages);
        if run.count == 0 {
            self.padding.pop_front();
        }
        pages
    }

    /// Programs the page that the host is writing past all buffers.
    #[inline]
    fn program_arriving(&mut self, ftl: u32, to: Ppn) {
        self.arriving = Lpn::NONE;
        let there = self.receive(self.at).max(self.renewed);
        let end = self.chips.program(Activity::Program, ftl, to, there);
        self.call = self.call.max(end);
        self.complete_page(end);
    }

    /// Programs a page that a buffer holds, or that has just left it.
    /// Returns the end.
    #[inline(always)]
    fn program_held(&mut self, activity: Activity, ftl: u32, to: Ppn, lpn: Lpn) -> u64 {
        let mut times = self.pages.take(lpn, self.now);
        let ready = times.there.max(self.at);
        let end = self.chips.program(activity, ftl, to, ready);
        self.call = self.call.max(end);
        times.kept = times.kept.max(end);
        self.pages.programmed(lpn, times, self.now);
        end
    }

    /// Schedules the run with which the notes begin: first all reads of its copies, then all that is programmed. Returns
    /// the notes behind it.
    fn follow_run<'a>(&mut self, ftl: u32, notes: &'a [Note]) -> &'a [Note] {
        let is_copy = |note: &&Note| matches!(note, Note::Copy { .. });
        let copies = notes.iter().take_while(is_copy).count();
        let goes_on = notes.get(copies).is_some_and(|note| {
            matches!(
                note,
                Note::CopyBack { .. } | Note::MergeProgram { .. } | Note::Cells(_)
            )
        });
        if !goes_on {
            let (copies, rest) = notes.split_at(copies);
            self.follow_copies(ftl, copies);
            return rest;
        }
        self.reads.clear();
        let mut length = 0;
        let cells = self.chips.on_cells(Cells::Native);
        self.chips.on_cells(cells);
        for note in notes {
            match *note {
                Note::Copy { from, .. } => {
                    let read = self.chips.read(Activity::CopyRead, ftl, from, self.at);
                    self.reads.push(read);
                }
                Note::CopyBack { .. } | Note::MergeProgram { .. } => {}
                Note::Cells(cells) => {
                    self.chips.on_cells(cells);
                }
                _ => break,
            }
            length += 1;
        }
        self.chips.on_cells(cells);
        let (run, rest) = notes.split_at(length);
        let (mut copies, mut last) = (0, 0);
        for note in run {
            let end = match *note {
                Note::Copy { to, .. } => {
                    let read = self.reads[copies];
                    copies += 1;
                    self.chips.program(Activity::CopyProgram, ftl, to, read)
                }
                Note::CopyBack { to, .. } => self.chips.copy_back(ftl, to, self.at),
                Note::MergeProgram { to, lpn } => {
                    let lpn = self.page_of(ftl, lpn);
                    self.program_held(Activity::CopyProgram, ftl, to, lpn)
                }
                Note::Cells(cells) => {
                    self.chips.on_cells(cells);
                    0
                }
                _ => 0,
            };
            last = last.max(end);
        }
        self.run_ends(ftl, run, last);
        rest
    }

    /// Schedules a run that has copies only.
    fn follow_copies(&mut self, ftl: u32, copies: &[Note]) {
        if let Some(end) = self.chips.copy_run(ftl, copies.len() as u64, self.at) {
            return self.run_ends(ftl, copies, end);
        }
        let end = self.chips.copy_each(ftl, copies, self.at, &mut self.reads);
        self.run_ends(ftl, copies, end);
    }

    #[inline]
    fn run_ends(&mut self, ftl: u32, run: &[Note], end: u64) {
        self.call = self.call.max(end);
        self.moves = true;
        if let Some((moved, blocks, pages)) = &mut self.moved_of {
            for note in run {
                if let Note::Copy { from, .. } | Note::CopyBack { from, .. } = *note {
                    let moved = &mut moved[(ftl * *blocks + from.0 / *pages) as usize];
                    *moved = self.call.max(*moved);
                }
            }
            return;
        }
        let moved = &mut self.victims[ftl as usize];
        *moved = self.call.max(*moved);
    }
}
