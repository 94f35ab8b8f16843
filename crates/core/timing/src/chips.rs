//! Chips and channels: each operation gets its time when it is given.

use std::ops::Range;

use ssdlab_flash::{Cells, Note, Pbn, Ppn};

use crate::filled::Filled;
use crate::lane::Lane;
use crate::recorder::{Activity, Recorder};
use crate::setup::{Layout, Setup, Times};
use crate::spread::{Factors, Work};

/// The clocks of one chip, in nanoseconds.
#[derive(Clone, Debug, Default)]
struct Chip {
    /// The number of its channel.
    channel: u32,
    /// It is free from this time on.
    free: u64,
    /// The end of its last program or copy-back.
    last: u64,
    /// The end of its last host read, if these suspend programs and erases.
    read_free: u64,
    /// The time its cells worked.
    busy_ns: u64,
    /// The moves over its channel, if no other chip uses that; others count in their lane.
    moves: u64,
}

/// All chips with their channels.
#[derive(Clone, Debug)]
pub(crate) struct Chips {
    /// The times of the cells of which operations are given now.
    times: Times,
    /// The times to read and program native cells, those in SLC mode, and to fold; the last two only with an SLC cache.
    by_cells: [(u64, u64); 3],
    /// How the times differ from block to block, if they do.
    factors: Option<Factors>,
    /// The kind of the cells.
    cells: Cells,
    layout: Layout,
    /// With lines, the number of chips less 1 if it is a power of two.
    mask: Option<u32>,
    /// Each chip has a channel of its own, which is free whenever the chip is: no read comes between.
    private: bool,
    chips: Vec<Chip>,
    channels: Vec<Lane>,
    /// With reads that suspend: the ends of the programs.
    filled: Option<Filled>,
    /// The issue time of the current request.
    now: u64,
    /// Records what chips, channels and bus do, if that was asked for.
    pub recorder: Option<Box<Recorder>>,
}

impl Chips {
    pub fn new(setup: &Setup) -> Self {
        let chip = |number| Chip {
            channel: number % setup.channels,
            ..Chip::default()
        };
        Self {
            times: setup.times.clone(),
            by_cells: [Cells::Native, Cells::Slc, Cells::Fold].map(|cells| setup.times.of(cells)),
            factors: Factors::new(setup),
            cells: Cells::Native,
            layout: setup.layout,
            mask: setup.chips.is_power_of_two().then(|| setup.chips - 1),
            private: setup.chips <= setup.channels && !setup.read_suspends,
            chips: (0..setup.chips).map(chip).collect(),
            channels: vec![Lane::new(setup.times.channel_ns); setup.channels as usize],
            filled: setup
                .read_suspends
                .then(|| Filled::new(setup.ftls(), setup.blocks, setup.pages_per_block)),
            now: 0,
            recorder: None,
        }
    }

    /// The operations that follow are on cells of this kind. Returns the kind before.
    pub fn on_cells(&mut self, cells: Cells) -> Cells {
        (self.times.read_ns, self.times.program_ns) = self.by_cells[cells as usize];
        std::mem::replace(&mut self.cells, cells)
    }

    #[inline]
    fn chip_of(&self, ftl: u32, Ppn(at): Ppn) -> usize {
        let chip = match (self.layout, self.mask) {
            (Layout::Alone, _) => ftl,
            (Layout::Lines, Some(mask)) => at & mask,
            (Layout::Lines, None) => at % self.chips.len() as u32,
        };
        chip as usize
    }

    /// Whether the operations of an FTL depend on the clock of its chip alone, and change no other: nothing records them,
    /// no other chip uses its channel, and all take the same time.
    #[inline]
    fn is_plain_chip(&self) -> bool {
        self.private
            && self.recorder.is_none()
            && self.factors.is_none()
            && self.layout == Layout::Alone
    }

    /// The time of work on a page for which the keys say `ns`.
    #[inline(always)]
    fn cells_ns(&self, work: Work, chip: usize, at: Ppn, ns: u64) -> u64 {
        match &self.factors {
            None => ns,
            Some(factors) => factors.of_page(work, chip, at, ns),
        }
    }

    /// Moves a page between a chip and the controller.
    #[inline(always)]
    fn move_page(&mut self, chip: usize, ready: u64) -> u64 {
        let clocks = &mut self.chips[chip];
        let end = if self.private {
            clocks.moves += 1;
            ready.saturating_add(self.times.channel_ns)
        } else {
            self.channels[clocks.channel as usize].move_page(ready, self.now)
        };
        if self.recorder.is_some() {
            self.record_move(chip, end);
        }
        end
    }

    #[inline(never)]
    fn record_move(&mut self, chip: usize, end: u64) {
        let channel = self.chips[chip].channel as usize;
        if let Some(recorder) = &mut self.recorder {
            recorder.channel(channel, end - self.times.channel_ns, end);
        }
    }

    /// The cells of a chip work.
    #[inline(always)]
    fn work(&mut self, chip: usize, activity: Activity, start: u64, end: u64) {
        self.chips[chip].busy_ns += end - start;
        if self.recorder.is_some() {
            self.record_work(chip, activity, start, end);
        }
    }

    #[inline(never)]
    fn record_work(&mut self, chip: usize, activity: Activity, start: u64, end: u64) {
        if let Some(recorder) = &mut self.recorder {
            recorder.chip(chip, activity, start, end);
        }
    }

    /// Reads a page that is asked for at `ready`; it is in memory at the returned time.
    #[inline(always)]
    pub fn read(&mut self, activity: Activity, ftl: u32, at: Ppn, ready: u64) -> u64 {
        let chip = self.chip_of(ftl, at);
        let start = ready.max(self.chips[chip].free);
        let end = self.sense(activity, chip, at, start);
        self.chips[chip].free = end;
        end
    }

    /// Like [`Chips::read`] for the host alone: it waits for other such reads and for its own page; whatever else the
    /// chip does is suspended, if reads suspend.
    pub fn host_read(&mut self, ftl: u32, at: Ppn, ready: u64) -> u64 {
        let Some(filled) = &mut self.filled else {
            return self.read(Activity::HostRead, ftl, at, ready);
        };
        let filled = filled.get(ftl, at, self.now);
        let chip = self.chip_of(ftl, at);
        let start = ready.max(self.chips[chip].read_free).max(filled);
        let end = self.sense(Activity::HostRead, chip, at, start);
        let clocks = &mut self.chips[chip];
        clocks.read_free = end;
        clocks.free = if clocks.free > start {
            clocks.free.saturating_add(end - start)
        } else {
            end
        };
        if clocks.last > start {
            clocks.last = clocks.last.saturating_add(end - start);
        }
        end
    }

    /// The cells deliver a page, and it moves to the controller.
    #[inline(always)]
    fn sense(&mut self, activity: Activity, chip: usize, at: Ppn, start: u64) -> u64 {
        let end = start.saturating_add(self.cells_ns(Work::Read, chip, at, self.times.read_ns));
        self.work(chip, activity, start, end);
        self.move_page(chip, end)
    }

    /// Copies pages: first all reads, then all programs. `reads` is used only meanwhile. Returns the end.
    pub fn copy_each(
        &mut self,
        ftl: u32,
        copies: &[Note],
        ready: u64,
        reads: &mut Vec<u64>,
    ) -> u64 {
        reads.clear();
        reads.resize(copies.len(), 0);
        for (note, read) in copies.iter().zip(&mut *reads) {
            if let Note::Copy { from, .. } = *note {
                *read = self.read(Activity::CopyRead, ftl, from, ready);
            }
        }
        let mut last = 0;
        for (note, &read) in copies.iter().zip(&*reads) {
            if let Note::Copy { to, .. } = *note {
                let end = self.program(Activity::CopyProgram, ftl, to, read);
                last = last.max(end);
            }
        }
        last
    }

    /// Copies pages one after the other inside the chip of an FTL: first all reads, then all programs. Returns the end;
    /// `None` if the copies may not be handled in one step: a recorder wants to know each of them.
    #[inline]
    pub fn copy_run(&mut self, ftl: u32, copies: u64, ready: u64) -> Option<u64> {
        let cells_ns = copies.saturating_mul(self.times.read_ns + self.times.program_ns);
        let end = self.run(ftl, cells_ns, 2 * copies, ready)?;
        self.chips[ftl as usize].last = end;
        Some(end)
    }

    /// Reads pages one after the other from the chip of an FTL. Returns the end; `None` if the reads may not be handled
    /// in one step.
    #[inline]
    pub fn read_run(&mut self, ftl: u32, pages: u32, ready: u64) -> Option<u64> {
        let cells_ns = u64::from(pages).saturating_mul(self.times.read_ns);
        self.run(ftl, cells_ns, pages.into(), ready)
    }

    /// Programs pages one after the other on the chip of an FTL; all are in memory from `ready` on. Returns the end;
    /// `None` if the programs may not be handled in one step.
    #[inline]
    pub fn program_run(&mut self, ftl: u32, pages: u32, ready: u64) -> Option<u64> {
        let cells_ns = u64::from(pages).saturating_mul(self.times.program_ns);
        let end = self.run(ftl, cells_ns, pages.into(), ready)?;
        self.chips[ftl as usize].last = end;
        Some(end)
    }

    /// The chip of an FTL works and moves pages, one after the other. Returns the end.
    #[inline]
    fn run(&mut self, ftl: u32, cells_ns: u64, moves: u64, ready: u64) -> Option<u64> {
        if !self.is_plain_chip() {
            return None;
        }
        let chip = &mut self.chips[ftl as usize];
        let moves_ns = moves.saturating_mul(self.times.channel_ns);
        let start = ready.max(chip.free);
        chip.free = start.saturating_add(cells_ns).saturating_add(moves_ns);
        chip.busy_ns += cells_ns;
        chip.moves += moves;
        Some(chip.free)
    }

    /// Programs a page that is in memory from `ready` on.
    #[inline(always)]
    pub fn program(&mut self, activity: Activity, ftl: u32, to: Ppn, ready: u64) -> u64 {
        let chip = self.chip_of(ftl, to);
        let moved = self.move_page(chip, ready.max(self.chips[chip].free));
        let cells_ns = self.cells_ns(Work::Program, chip, to, self.times.program_ns);
        self.write_cells(activity, chip, moved, cells_ns, (ftl, to))
    }

    /// Programs a page that nobody reads, at this position of any block.
    pub fn program_map(&mut self, ftl: u32, position: u32, ready: u64) -> u64 {
        let chip = self.chip_of(ftl, Ppn(position));
        let moved = self.move_page(chip, ready.max(self.chips[chip].free));
        self.change_cells(Activity::Program, chip, moved, self.times.program_ns)
    }

    /// Copies a page inside a plane, all in the time of the block that it goes to.
    pub fn copy_back(&mut self, ftl: u32, to: Ppn, ready: u64) -> u64 {
        let chip = self.chip_of(ftl, to);
        let start = ready.max(self.chips[chip].free);
        let cells_ns = self.cells_ns(Work::Read, chip, to, self.times.read_ns)
            + self.cells_ns(Work::Program, chip, to, self.times.program_ns);
        self.write_cells(Activity::CopyProgram, chip, start, cells_ns, (ftl, to))
    }

    #[inline(always)]
    fn write_cells(
        &mut self,
        activity: Activity,
        chip: usize,
        start: u64,
        cells_ns: u64,
        (ftl, to): (u32, Ppn),
    ) -> u64 {
        let end = self.change_cells(activity, chip, start, cells_ns);
        if let Some(filled) = &mut self.filled {
            filled.set(ftl, to, end, self.now);
        }
        end
    }

    #[inline(always)]
    fn change_cells(&mut self, activity: Activity, chip: usize, start: u64, cells_ns: u64) -> u64 {
        let end = start.saturating_add(cells_ns);
        let clocks = &mut self.chips[chip];
        (clocks.free, clocks.last) = (end, end);
        self.work(chip, activity, start, end);
        end
    }

    /// The chips of an FTL.
    fn chips_of(&self, ftl: u32) -> Range<usize> {
        match self.layout {
            Layout::Alone => ftl as usize..ftl as usize + 1,
            Layout::Lines => 0..self.chips.len(),
        }
    }

    /// The time at which the chips of an FTL are free.
    pub fn free(&self, ftl: u32) -> u64 {
        let chips = &self.chips[self.chips_of(ftl)];
        chips.iter().map(|chip| chip.free).max().unwrap_or(0)
    }

    /// Erases a block: that of the FTL's chip, or of a line on each chip.
    pub fn erase(&mut self, ftl: u32, block: Pbn, ready: u64) {
        for chip in self.chips_of(ftl) {
            let start = ready.max(self.chips[chip].free);
            let erase_ns = match &self.factors {
                Some(factors) if block != Pbn::NONE => {
                    factors.of_block(Work::Erase, chip, block, self.times.erase_ns)
                }
                _ => self.times.erase_ns,
            };
            let end = start.saturating_add(erase_ns);
            self.chips[chip].free = end;
            self.work(chip, Activity::Erase, start, end);
        }
    }

    /// The end of all programs and copy-backs so far.
    pub fn last_program(&self) -> u64 {
        self.chips.iter().map(|chip| chip.last).max().unwrap_or(0)
    }

    /// The time at which all chips are free.
    pub fn all_free(&self) -> u64 {
        self.chips.iter().map(|chip| chip.free).max().unwrap_or(0)
    }

    /// The numbers of chips and channels.
    pub fn parts(&self) -> (usize, usize) {
        (self.chips.len(), self.channels.len())
    }

    /// Nothing will be ready before `now`.
    #[inline]
    pub fn begin(&mut self, now: u64) {
        self.now = now;
    }

    /// The number of times that lie ahead, as far as their number has no other limit.
    pub fn backlog(&mut self) -> usize {
        let channels = self.channels.iter_mut();
        let moves: usize = channels.map(|lane| lane.backlog(self.now)).sum();
        moves + self.filled.as_ref().map_or(0, Filled::blocks)
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
        for chip in &mut self.chips {
            let moves = std::mem::take(&mut chip.moves);
            self.channels[chip.channel as usize].count_moves(moves);
        }
        self.channels.iter_mut().map(Lane::take_moved_ns).collect()
    }
}
