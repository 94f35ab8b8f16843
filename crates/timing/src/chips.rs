//! Chips and channels: each operation gets its time when it is given.

use ssdlab_flash::Ppn;

use crate::ahead::Ahead;
use crate::lane::Lane;
use crate::recorder::{Activity, Recorder};
use crate::setup::{Layout, Setup, Times};

/// The clocks of one chip, in nanoseconds.
#[derive(Clone, Debug, Default)]
struct Chip {
    /// It is free from here on.
    free: u64,
    /// The end of its last program or copy-back.
    last: u64,
    /// The end of its last host read, if these suspend programs and erases.
    read_free: u64,
    /// The time its cells worked.
    busy_ns: u64,
}

/// All chips with their channels.
#[derive(Clone, Debug)]
pub(crate) struct Chips {
    times: Times,
    layout: Layout,
    chips: Vec<Chip>,
    channels: Vec<Lane>,
    /// With reads that suspend: for each place of each FTL, the end of the program that filled it.
    filled: Option<Ahead<u64>>,
    /// The issue time of the current request.
    now: u64,
    /// Told of all that chips, channels and bus do, if anyone wants to know.
    pub recorder: Option<Box<Recorder>>,
}

/// The number of a place among those of all FTLs.
fn place(ftl: u32, at: Ppn) -> u64 {
    u64::from(ftl) << 32 | u64::from(at.0)
}

impl Chips {
    pub fn new(setup: &Setup) -> Self {
        Self {
            times: setup.times.clone(),
            layout: setup.layout,
            chips: vec![Chip::default(); setup.chips as usize],
            channels: vec![Lane::new(setup.times.channel_ns); setup.channels as usize],
            filled: setup.read_suspends.then(Ahead::new),
            now: 0,
            recorder: None,
        }
    }

    fn chip_of(&self, ftl: u32, at: Ppn) -> usize {
        match self.layout {
            Layout::Alone => ftl as usize,
            Layout::Lines => at.index() % self.chips.len(),
        }
    }

    /// Moves a page between a chip and the controller.
    fn move_page(&mut self, chip: usize, ready: u64) -> u64 {
        let channel = chip % self.channels.len();
        let end = self.channels[channel].move_page(ready);
        if let Some(recorder) = &mut self.recorder {
            recorder.channel(channel, end - self.times.channel_ns, end);
        }
        end
    }

    /// The cells of a chip work.
    fn work(&mut self, chip: usize, activity: Activity, start: u64, end: u64) {
        self.chips[chip].busy_ns += end - start;
        if let Some(recorder) = &mut self.recorder {
            recorder.chip(chip, activity, start, end);
        }
    }

    /// Reads a page that is asked for at `ready`; it is in memory at the returned time.
    pub fn read(&mut self, activity: Activity, ftl: u32, at: Ppn, ready: u64) -> u64 {
        let chip = self.chip_of(ftl, at);
        let start = ready.max(self.chips[chip].free);
        let end = self.sense(activity, chip, start);
        self.chips[chip].free = end;
        end
    }

    /// Like [`Chips::read`] for the host alone: it waits for other such reads and for its own page; whatever else the
    /// chip does is suspended, if reads suspend.
    pub fn host_read(&mut self, ftl: u32, at: Ppn, ready: u64) -> u64 {
        let Some(filled) = &self.filled else {
            return self.read(Activity::HostRead, ftl, at, ready);
        };
        let filled = filled.get(place(ftl, at));
        let chip = self.chip_of(ftl, at);
        let start = ready.max(self.chips[chip].read_free).max(filled);
        let end = self.sense(Activity::HostRead, chip, start);
        let clocks = &mut self.chips[chip];
        clocks.read_free = end;
        clocks.free = match clocks.free > start {
            true => clocks.free.saturating_add(end - start),
            false => end,
        };
        if clocks.last > start {
            clocks.last = clocks.last.saturating_add(end - start);
        }
        end
    }

    /// The cells deliver a page, and it moves to the controller.
    fn sense(&mut self, activity: Activity, chip: usize, start: u64) -> u64 {
        let end = start.saturating_add(self.times.read_ns);
        self.work(chip, activity, start, end);
        self.move_page(chip, end)
    }

    /// Programs a page that is in memory from `ready` on.
    pub fn program(&mut self, activity: Activity, ftl: u32, to: Ppn, ready: u64) -> u64 {
        let chip = self.chip_of(ftl, to);
        let moved = self.move_page(chip, ready.max(self.chips[chip].free));
        self.write_cells(activity, ftl, to, moved, self.times.program_ns)
    }

    /// Copies a page inside a plane.
    pub fn copy_back(&mut self, ftl: u32, to: Ppn, ready: u64) -> u64 {
        let start = ready.max(self.chips[self.chip_of(ftl, to)].free);
        let cells_ns = self.times.read_ns + self.times.program_ns;
        self.write_cells(Activity::CopyProgram, ftl, to, start, cells_ns)
    }

    fn write_cells(
        &mut self,
        activity: Activity,
        ftl: u32,
        to: Ppn,
        start: u64,
        cells_ns: u64,
    ) -> u64 {
        let end = start.saturating_add(cells_ns);
        let chip = self.chip_of(ftl, to);
        let clocks = &mut self.chips[chip];
        (clocks.free, clocks.last) = (end, end);
        self.work(chip, activity, start, end);
        if let Some(filled) = &mut self.filled {
            filled.set(place(ftl, to), end, self.now);
        }
        end
    }

    /// Erases a block: that of the FTL's chip, or of a line on each chip.
    pub fn erase(&mut self, ftl: u32, ready: u64) {
        let chips = match self.layout {
            Layout::Alone => ftl as usize..ftl as usize + 1,
            Layout::Lines => 0..self.chips.len(),
        };
        for chip in chips {
            let start = ready.max(self.chips[chip].free);
            let end = start.saturating_add(self.times.erase_ns);
            self.chips[chip].free = end;
            self.work(chip, Activity::Erase, start, end);
        }
    }

    /// The end of all programs and copy-backs so far.
    pub fn last_program(&self) -> u64 {
        self.chips.iter().map(|chip| chip.last).max().unwrap_or(0)
    }

    /// The time from which on all chips are free.
    pub fn all_free(&self) -> u64 {
        self.chips.iter().map(|chip| chip.free).max().unwrap_or(0)
    }

    /// The numbers of chips and channels.
    pub fn parts(&self) -> (usize, usize) {
        (self.chips.len(), self.channels.len())
    }

    /// Nothing will be ready before `now`: forgets what lies before. Returns how much is left to know.
    pub fn forget_before(&mut self, now: u64) -> usize {
        self.now = now;
        let channels = self.channels.iter_mut();
        let moves: usize = channels.map(|lane| lane.forget_before(now)).sum();
        moves + self.filled.as_ref().map_or(0, Ahead::ahead)
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
        self.channels.iter_mut().map(Lane::take_moved_ns).collect()
    }
}
