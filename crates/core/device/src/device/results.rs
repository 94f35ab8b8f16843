//! What a device has counted and measured.

use std::ops::Range;

use ssdlab_flash::{Lpn, Media, Pbn};
use ssdlab_ftl::{LearnedMap, ReadCause, RegionCounts, SlcState};
use ssdlab_policy::buffer::Victim;
use ssdlab_timing::Schedule;

use super::Device;
use crate::core::Chip;
use crate::flash_bytes::flash_bytes;
use crate::time::{self, Causes};
use crate::{
    Busy, Completion, Counters, DeviceError, FlashBytes, Histograms, Interval, LatencyByOp,
    Recording, Spent, TimeParts, Timing,
};

impl<M: Media> Device<M> {
    /// The times of the last request; `None` under the serial model ([`TimeModel`](crate::TimeModel)).
    pub fn completion(&self) -> Option<Completion> {
        self.core.last_completion()
    }

    /// Keeps the times of all requests from now on, for [`Device::take_completions`].
    pub fn keep_completions(&mut self) {
        self.completions = Some(Vec::new());
    }

    /// The times of the requests since the last call, in order.
    pub fn take_completions(&mut self) -> Vec<Completion> {
        self.completions
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Records from now on what the parts of the device do over time, for [`Device::take_recording`].
    pub fn record(&mut self) {
        self.core.tell_clocks(|clocks| clocks.record());
    }

    /// Records from now on, and keeps every interval in which a part works, for [`Device::take_intervals`]. The memory
    /// grows with the trace.
    pub fn keep_intervals(&mut self) {
        self.core.tell_clocks(|clocks| clocks.keep_intervals());
    }

    /// The intervals since the last call, in the order in which they were given; none unless they are kept, under a model
    /// with clocks. With [`TimeModel::Drive`](crate::TimeModel::Drive), the last ones come after [`Device::finish`].
    pub fn take_intervals(&mut self) -> Vec<Interval> {
        let clocks = self.core.clocks();
        clocks.map_or(Vec::new(), Schedule::take_intervals)
    }

    /// What was recorded since the last call; `None` unless it is recorded, under the parallel model.
    pub fn take_recording(&mut self) -> Option<Recording> {
        self.core.clocks().and_then(Schedule::take_recording)
    }

    /// How often latencies of each length occurred since the last call of [`Device::take_latencies`]; `None` under the
    /// serial model.
    pub fn latency_histograms(&mut self) -> Option<Histograms> {
        self.core.clocks().map(|clocks| clocks.histograms())
    }

    /// The latencies of the requests since the last call of [`Device::take_latencies`]; `None` under the serial model.
    pub fn latencies(&mut self) -> Option<LatencyByOp> {
        self.core.clocks().map(|clocks| clocks.latencies())
    }

    /// The pages that the write buffer holds, and how many of them are dirty.
    pub fn buffered(&self) -> (u32, u32) {
        self.stage.buffered()
    }

    /// The pages of a range that the write buffer holds, in ascending order, at most `most`, and whether each is dirty.
    /// Pages that the device does not have are none of them.
    pub fn held_in(&self, pages: Range<u32>, most: usize) -> Vec<(Lpn, bool)> {
        let all = self.core.geometry().logical_pages();
        self.stage
            .held_in(pages.start.min(all)..pages.end.min(all), most)
    }

    /// The pages of a logical block, as the write buffer sees it.
    pub fn pages_per_block(&self) -> u32 {
        self.core.geometry().pages_per_block()
    }

    /// The places of the write buffer: pages, and headers if they are counted; `u64::MAX` if it has no bound, `None` if there
    /// is none.
    pub fn buffer_places(&self) -> Option<u64> {
        self.stage.places()
    }

    /// What the write buffer would evict next, in order, if nothing was used any more: at most `most` victims. `None` if
    /// its policy keeps no such order.
    pub fn outlook(&self, most: usize) -> Option<Vec<Victim>> {
        self.stage.outlook(most)
    }

    /// The erased blocks that wait to be programmed, on all chips; `None` if the FTL keeps no list of them.
    pub fn free_blocks(&self) -> Option<u64> {
        let chips = self.core.chips.iter();
        chips
            .map(|chip| chip.ftl.free_blocks().map(u64::from))
            .sum()
    }

    /// The latencies of the requests since the last call; `None` under the serial model.
    pub fn take_latencies(&mut self) -> Option<LatencyByOp> {
        self.core.clocks().map(Schedule::take_latencies)
    }

    /// How long chips, channels and bus worked since the last call; `None` under the serial model.
    pub fn take_busy(&mut self) -> Option<Busy> {
        self.core.clocks().map(Schedule::take_busy)
    }

    /// The current values of all counters.
    pub fn counters(&self) -> Counters {
        let flash = self.core.flash_counts();
        let slc = self.slc();
        let mut counters = Counters {
            flash_programs: flash.programs,
            merge_programs: flash.merge_programs,
            flash_copies: flash.copies,
            copy_backs: flash.copy_backs,
            erases: flash.erases,
            switch_merges: flash.switch_merges,
            partial_merges: flash.partial_merges,
            full_merges: flash.full_merges,
            gc_victims: flash.gc_victims,
            eager_victims: flash.eager_victims,
            invalid_streams: flash.invalid_streams,
            padding_reads: flash.reads_of(ReadCause::Padding),
            flash_reads: flash.flash_reads(),
            table_reads: flash.reads_of(ReadCause::Own),
            table_programs: flash.own_programs,
            aware_merges: flash.aware_merges,
            unaware_merges: flash.unaware_merges,
            predicted_benefit_ns: flash.predicted_benefit_ns,
            useless_migrations: flash.useless_migrations,
            skipped_migrations: flash.skipped_migrations,
            cleaned_pages: flash.cleaned_pages,
            random_log_programs: flash.random_log_programs,
            table_copies: flash.map.copies,
            table_erases: flash.map_erases,
            map_read_hits: flash.map.read_hits,
            map_read_misses: flash.map.read_misses,
            map_write_hits: flash.map.write_hits,
            map_write_misses: flash.map.write_misses,
            map_loads: flash.map.loads,
            map_prefetched: flash.map.prefetched,
            map_evictions: flash.map.evictions,
            map_dirty_evictions: flash.map.dirty_evictions,
            map_clean_hits: flash.map.clean_hits,
            map_clean_misses: flash.map.clean_misses,
            map_clean_programs: flash.map.clean_programs,
            map_sync_programs: flash.map.sync_programs,
            map_host_reads: flash.map.host_reads,
            map_mispredictions: flash.map.mispredictions,
            slc_programs: flash.slc_programs,
            slc_fixed_programs: flash.slc_fixed_programs,
            direct_programs: flash.direct_programs,
            slc_reads: flash.slc_flash_reads(),
            fold_pages: flash.fold_pages,
            fold_copy_backs: flash.fold_copy_backs,
            slc_erases: flash.slc_erases,
            slc_fixed_erases: flash.slc_fixed_erases,
            slc_dropped: flash.slc_dropped,
            folds_space: flash.folds_space,
            folds_room: flash.folds_room,
            folds_beside: flash.folds_beside,
            folds_idle: flash.folds_idle,
            slc_reclaims: flash.slc_reclaims,
            valid_in_slc: slc.map_or(0, |slc| slc.valid_in_slc),
            room_pages: slc.map_or(0, |slc| slc.room_pages),
            ..self.core.counters.clone()
        };
        counters.buffer_write_hits += flash.ram_hits;
        counters.evictions += flash.write_backs;
        counters.evicted_dirty_pages += flash.write_backs;
        if self.has_write_buffer || self.core.has_ram_region {
            counters.buffer_write_misses = counters.host_write_pages - counters.buffer_write_hits;
        }
        counters.elapsed_ns = match self.core.elapsed_ns() {
            Some(elapsed) => elapsed,
            None => {
                let sum = self.time_of(&counters, &self.timing).total();
                sum.saturating_add_signed(self.core.deviation_ns())
            }
        };
        counters
    }

    /// Pages that hit or entered the buffer. Each costs one access of the buffer memory.
    fn buffer_accesses(&self, counters: &Counters) -> u64 {
        let hits = counters.buffer_write_hits + counters.buffer_read_hits;
        let read_entries = if self.reads_enter {
            counters.buffer_read_misses
        } else {
            0
        };
        // some pages that miss the RAM region do not enter it
        let write_entries = if self.core.has_ram_region {
            self.core.flash_counts().ram_entries
        } else {
            counters.buffer_write_misses
        };
        hits + write_entries + read_entries
    }

    /// When the last request before the end of the trace was complete; `None` under the serial model, and before
    /// [`Device::finish`].
    pub fn served_ns(&self) -> Option<u64> {
        self.served_ns
    }

    /// The time of all operations by cause, one after the other: the simulated time of the serial model.
    pub fn time(&self) -> TimeParts {
        self.time_of(&self.counters(), &self.timing)
    }

    /// The same, also of the merges and of the programs of the host.
    pub fn spent(&self) -> Spent {
        self.spent_at(&self.timing)
    }

    /// Under the parallel model, how long the cells of all chips worked.
    pub fn chips_spent(&self) -> Option<Spent> {
        self.of_cells.as_ref().map(|timing| self.spent_at(timing))
    }

    /// The energy of all operations by cause, in picojoules; `None` if that of an operation is not known.
    pub fn energy_pj(&self) -> Option<TimeParts> {
        let energy = self.of_energy.as_ref()?;
        Some(self.time_of(&self.counters(), energy))
    }

    fn spent_at(&self, timing: &Timing) -> Spent {
        Spent {
            by_cause: self.time_of(&self.counters(), timing),
            merges: time::of_merges(&self.core.flash_counts().merge_work, timing),
            host_programs: {
                let in_slc = self
                    .core
                    .flash_counts()
                    .slc_programs
                    .min(self.host_programs());
                let direct = self.host_programs() - in_slc;
                let slc_program = timing.slc_program_ns + timing.transfer_ns;
                (direct.saturating_mul(time::program(timing)))
                    .saturating_add(in_slc.saturating_mul(slc_program))
            },
        }
    }

    /// The programs of host pages, those because of age included.
    pub fn host_programs(&self) -> u64 {
        self.core.flash_counts().programs - self.core.padding_programs()
    }

    /// The bytes programmed into flash so far, by cause.
    pub fn flash_bytes(&self) -> FlashBytes {
        let padding = self.core.padding_programs();
        flash_bytes(&self.counters(), padding, self.moves, self.page_size())
    }

    /// The free room, in pages, of log blocks that are not in use yet, on all chips. See
    /// [`Ftl::log_room`](ssdlab_ftl::Ftl::log_room).
    pub fn log_room(&self) -> u64 {
        let chips = self.core.chips.iter();
        chips.map(|chip| u64::from(chip.ftl.log_room())).sum()
    }

    fn time_of(&self, counters: &Counters, timing: &Timing) -> TimeParts {
        let flash = self.core.flash_counts();
        let causes = Causes {
            padding_programs: self.core.padding_programs(),
            slc_padding_reads: flash.slc_reads[ReadCause::Padding as usize],
            buffer_accesses: self.buffer_accesses(counters),
            moves: self.moves,
        };
        time::by_cause(counters, &causes, timing)
    }

    /// The counts of each region of the FTL's placement, of all chips together, without those of its ageing; empty if there
    /// are no regions. Between two calls of [`Device::submit`] they add up to the counters.
    pub fn regions(&self) -> Vec<RegionCounts> {
        let mut regions = self.core.regions();
        for (region, before) in regions.iter_mut().zip(&self.placed_before) {
            *region = region.since(before);
        }
        regions
    }

    /// Compares the sums over all regions with the counters.
    pub(super) fn check_regions(&self) -> Result<(), DeviceError> {
        let regions = self.regions();
        if regions.is_empty() {
            return Ok(());
        }
        let flash = self.core.flash_counts();
        let copied = flash.copies + flash.copy_backs + flash.merge_programs;
        let mut sum = RegionCounts::default();
        regions.iter().for_each(|region| sum.add(region));
        let mapped = self.core.chips.iter().map(|chip| chip.ftl.mapped_pages());
        let mapped: Option<u64> = mapped.sum();
        let pairs = [
            ("pages of the host", sum.host_pages, flash.programs),
            ("pages copied in", sum.copied_in, copied),
            ("pages copied out", sum.copied_out, copied),
            ("victims", sum.victims, flash.gc_victims),
            (
                "valid pages",
                sum.valid_pages,
                mapped.unwrap_or(sum.valid_pages),
            ),
        ];
        match pairs.into_iter().find(|(_, sum, counted)| sum != counted) {
            None => Ok(()),
            Some((what, sum, counted)) => Err(DeviceError::Uneven { what, sum, counted }),
        }
    }

    /// Compares the sums of a map in flash with each other.
    pub(super) fn check_map(&self) -> Result<(), DeviceError> {
        let flash = self.core.flash_counts();
        let map = &flash.map;
        if !self.core.tells_ends() {
            return Ok(());
        }
        let programs = map.dirty_evictions + map.clean_programs + map.sync_programs;
        let moved = map.clean_hits + map.clean_misses;
        let copied = flash.copies + flash.copy_backs + flash.merge_programs;
        let reads = flash.reads_of(ReadCause::Own) + map.host_reads;
        let written_back = reads.wrapping_sub(map.loads + map.mispredictions);
        let pairs = [
            (
                "programs of map pages by cause",
                programs,
                flash.own_programs,
            ),
            ("pages moved that the map saw", moved, copied),
            (
                "reads of map pages for write-backs, at most their programs,",
                written_back.min(flash.own_programs),
                written_back,
            ),
        ];
        match pairs.into_iter().find(|(_, sum, counted)| sum != counted) {
            None => Ok(()),
            Some((what, sum, counted)) => Err(DeviceError::Unequal { what, sum, counted }),
        }
    }

    /// What the SLC caches of all chips hold, if there are any.
    pub fn slc(&self) -> Option<SlcState> {
        let mut states = self.core.chips.iter().filter_map(|chip| chip.ftl.slc());
        let mut sum = states.next()?;
        states.for_each(|state| sum.add(&state));
        Some(sum)
    }

    /// What the maps in flash of all chips have learned, if they learn.
    pub fn learned(&self) -> Option<LearnedMap> {
        let mut maps = (self.core.chips.iter()).filter_map(|chip| chip.ftl.learned());
        let mut sum = maps.next()?;
        maps.for_each(|map| sum.add(&map));
        Some(sum)
    }

    /// With an SLC cache: for each physical block whether it is a fixed one, and its erases after other use in SLC mode, in the
    /// order of [`Device::erase_counts`]; else empty.
    pub fn slc_erases(&self) -> Vec<(bool, u32)> {
        let of_chip = |chip: &Chip<M>| -> Vec<(bool, u32)> {
            let fixed = chip.ftl.slc().map_or(0, |slc| slc.fixed_blocks) as usize;
            let erases = chip.ftl.slc_erases();
            let native = erases.len() - fixed.min(erases.len());
            let of_block = |(block, &erases)| (block >= native, erases);
            erases.iter().enumerate().map(of_block).collect()
        };
        self.core.chips.iter().flat_map(of_chip).collect()
    }

    /// The erase count of each physical block, in ascending order of chips and blocks, without those of its ageing.
    pub fn erase_counts(&self) -> Vec<u32> {
        let mut erases = self.media_erases();
        for (erases, before) in erases.iter_mut().zip(&self.erased_before) {
            *erases -= before;
        }
        erases
    }

    pub(super) fn media_erases(&self) -> Vec<u32> {
        let of_chip = |media: &M| -> Vec<u32> {
            let blocks = (0..media.geometry().physical_blocks()).map(Pbn);
            blocks.map(|block| media.erase_count(block)).collect()
        };
        self.media().flat_map(of_chip).collect()
    }
}
