//! The device: the effect of each request on the buffer and the FTL (sections 2 to 6, and 8).

use std::collections::BTreeMap;
use std::ops::Range;

use ssdlab_device::{PartialWrites, Reads, TimeModel};
use ssdlab_ftl::BufferAware;
use ssdlab_host::{Op, Request};

use super::buffer::{Buffer, Coming, ModelPolicy, Why};
use super::clock::Clock;
use super::config::{ModelConfig, ModelFtl};
use super::flash::Flash;
use super::ftl::Ftl;
use super::ftls::ftl;
use super::map::Access;
use super::number::{Lbn, Lpn, Place};
use super::record::Record;
use super::result::{Event, ModelMap, ModelResult};
use super::view::View;

/// A device in the middle of a run.
pub(super) struct Device<'a> {
    config: &'a ModelConfig,
    /// Stays empty under [`ModelPolicy::None`].
    buffer: Buffer,
    /// The read buffer, if there is one: pages that reads brought in, all clean.
    read_buffer: Buffer,
    /// The FTL of each chip.
    ftls: Vec<Box<dyn Ftl>>,
    record: Record,
    /// The stream of the request that last wrote each page.
    streams: BTreeMap<Lpn, u16>,
    /// The pages that a merge has cleaned and that are still clean and held, with the benefit of that.
    cleaned: BTreeMap<Lpn, u64>,
    /// The sizes of the regions of the buffer that the last event named.
    regions: Option<[u64; 3]>,
    /// The parallel model of time, if it is chosen.
    clock: Option<Clock>,
}

impl<'a> Device<'a> {
    /// A new device that will serve these requests.
    pub(super) fn new(config: &'a ModelConfig, requests: &[Request]) -> Self {
        let one_buffer = !config.has_ram_region() || config.policy == ModelPolicy::None;
        assert!(one_buffer, "a write buffer beside a RAM region");
        let buffer = Buffer::of_writes(config, coming(config, requests));
        let has_clock = config.timing.model != TimeModel::Serial;
        Self {
            config,
            clock: has_clock.then(|| Clock::new(config, buffer.capacity())),
            buffer,
            read_buffer: Buffer::of_reads(config),
            ftls: (0..config.chips())
                .map(|chip| ftl(config, chip, writes(config, requests)))
                .collect(),
            streams: BTreeMap::new(),
            record: Record {
                aware: match config.policy {
                    ModelPolicy::None => BufferAware::Off,
                    _ => config.aware,
                },
                ..Record::default()
            },
            cleaned: BTreeMap::new(),
            regions: None,
        }
    }

    pub(super) fn serve(&mut self, request: &Request) {
        self.clean_in_gap(request);
        self.record.now_ns = request.time_ns;
        self.tell(|clock| clock.begin(request));
        self.age(request.time_ns);
        self.buffer.begin_request();
        match request.op() {
            Op::Read => self.read(request),
            Op::Write => self.write(request),
            Op::Flush => self.flush(),
            Op::Discard => self.discard(request),
        }
        let regions = self.buffer.region_sizes();
        if regions != self.regions {
            self.regions = regions;
            self.record.events.extend(regions.map(Event::Regions));
        }
        self.tell(|clock| clock.complete(request.op()));
    }

    /// Each FTL cleans in the gap before a request, and folds then, if that is on.
    fn clean_in_gap(&mut self, request: &Request) {
        let (ModelFtl::Page(page), Some(clock)) = (&self.config.ftl, &self.clock) else {
            return;
        };
        let fold_ns = page.slc.as_ref().map_or(0, |slc| slc.idle_ns);
        let gap = |idle_ns| match idle_ns {
            0 => (0, 0),
            idle_ns => clock.gap(request, idle_ns),
        };
        let [(from, until), (fold_from, fold_until)] = [page.idle_cleaning_ns, fold_ns].map(gap);
        for chip in 0..self.ftls.len() {
            // no page of this chip is being written
            let none = self.config.of_host(chip as u64, 1 << 40);
            let mut at = from;
            while at < until {
                if self.config.aware != BufferAware::Off {
                    self.record.view = View::of(&self.buffer, self.config, none);
                }
                if !self.ftls[chip].clean_step(&mut self.record) {
                    break;
                }
                let view = &self.record.view;
                let cleaned = view.tell(&mut self.buffer, self.config, none);
                self.cleaned.extend(cleaned);
                let steps = std::mem::take(&mut self.record.steps);
                if let Some(clock) = &mut self.clock {
                    at = clock.follow_gap(chip as u64, at, &steps);
                }
            }
            let Some(clock) = &mut self.clock else {
                return;
            };
            let mut at = fold_from.max(clock.free(Some(chip as u64)));
            while at < fold_until && self.ftls[chip].fold_step(&mut self.record) {
                let steps = std::mem::take(&mut self.record.steps);
                at = clock.follow_gap(chip as u64, at, &steps);
            }
        }
    }

    /// Tells the clock, if there is one.
    fn tell(&mut self, what: impl FnOnce(&mut Clock)) {
        if let Some(clock) = &mut self.clock {
            what(clock);
        }
    }

    /// Hands what an FTL did to the clock.
    fn follow(&mut self, chip: usize) {
        let steps = std::mem::take(&mut self.record.steps);
        self.tell(|clock| clock.follow(chip as u64, &steps));
    }

    /// FTL and place from which a mapped page is read; `None` if it is unmapped or in RAM.
    fn read_place(&self, lpn: Lpn) -> Option<(u64, Place)> {
        let (chip, local) = self.on_chip(lpn);
        let place = self.ftls[chip].read_place(local)?;
        Some((chip as u64, place))
    }

    /// The headers of blocks that the buffer no longer holds have left.
    fn keep_headers(&mut self) {
        if let Some(clock) = &mut self.clock {
            clock.keep_headers(|lbn| !self.buffer.of(lbn).is_empty());
        }
    }

    /// A page takes a slot, after the header of its block if that is new.
    fn take_slots(&mut self, lpn: Lpn, enter: fn(&mut Clock, Lpn)) {
        let (headers, lbn) = (self.buffer.has_headers, lpn / self.config.pages_per_block());
        self.tell(|clock| {
            if headers && !clock.has_header(lbn) {
                clock.enter_header(lbn);
            }
            enter(clock, lpn);
        });
    }

    pub(super) fn finish(mut self) -> ModelResult {
        if self.config.drain {
            self.tell(Clock::begin_end);
            self.evict_all_dirty();
            for chip in 0..self.ftls.len() {
                self.ftls[chip].drain(&mut self.record);
                self.follow(chip);
            }
            self.tell(Clock::complete_end);
        }
        self.record.counters.elapsed_ns = match &self.clock {
            Some(clock) => clock.elapsed_ns(),
            None => self.elapsed_ns(),
        };
        for ftl in &self.ftls {
            let [valid, room] = ftl.cache();
            self.record.counters.valid_in_slc += valid;
            self.record.counters.room_pages += room;
        }
        let clock = self.clock.take();
        let times = clock.map(|clock| (clock.completions, clock.operations));
        let (completions, operations) = times.unwrap_or_default();
        let flashes = self.ftls.iter().map(|ftl| ftl.flash());
        let mut regions = self.ftls[0].regions();
        for ftl in &self.ftls[1..] {
            for (sum, own) in regions.iter_mut().zip(ftl.regions()) {
                *sum = std::array::from_fn(|count| sum[count] + own[count]);
            }
        }
        ModelResult {
            regions,
            map: self.map(),
            free: flashes.clone().map(|flash| flash.free().to_vec()).collect(),
            erase_counts: flashes.flat_map(Flash::erase_counts).collect(),
            counters: self.record.counters,
            events: self.record.events,
            choices: self.record.choices,
            completions,
            operations,
        }
    }

    fn map(&self) -> ModelMap {
        let pages = 0..self.config.logical_pages();
        match self.config.ftl {
            ModelFtl::Ideal => ModelMap::Mapped(pages.map(|lpn| self.is_mapped(lpn)).collect()),
            _ => {
                let place = |lpn| self.read_place(lpn).map(|(_, place)| place);
                ModelMap::Places(pages.map(place).collect())
            }
        }
    }

    /// The chip of a page, and the number of the page there.
    fn on_chip(&self, lpn: Lpn) -> (usize, Lpn) {
        let (chip, local) = self.config.on_chip(lpn);
        (chip as usize, local)
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.read_place(lpn).is_some() || self.is_in_ram_region(lpn)
    }

    fn is_in_ram_region(&self, lpn: Lpn) -> bool {
        let (chip, local) = self.on_chip(lpn);
        self.ftls[chip].holds_in_ram(local)
    }

    /// The FTL of a page is asked for its place; `end` is the last page of what it belongs to.
    fn look_up(&mut self, lpn: Lpn, access: Access, end: Lpn) {
        let (chip, local) = self.on_chip(lpn);
        let end = self.config.last_on_chip(lpn, end);
        self.ftls[chip].look_up(local, access, end, &mut self.record);
        // what a discard changes belongs to its call
        if access != Access::Discard {
            self.follow(chip);
        }
    }

    /// The last of these pages of a request or, if it wraps around, of the part of it that one of them is in.
    fn end(&self, pages: &Range<u64>, page: u64) -> Lpn {
        let all = self.config.logical_pages();
        self.wrapped((pages.end - 1).min(page - page % all + all - 1))
    }

    /// Passes a page to the FTL; `end` is the last page of what it belongs to.
    fn program(&mut self, lpn: Lpn, end: Lpn) {
        let (chip, local) = self.on_chip(lpn);
        self.record.end = self.config.last_on_chip(lpn, end);
        if self.config.aware != BufferAware::Off {
            self.record.view = View::of(&self.buffer, self.config, lpn);
        }
        self.record.stream = self.streams.get(&lpn).copied().unwrap_or(0);
        self.ftls[chip].write(local, &mut self.record);
        let view = &self.record.view;
        let cleaned = view.tell(&mut self.buffer, self.config, lpn);
        self.cleaned.extend(cleaned);
        let moved = std::mem::take(&mut self.record.moved);
        if !matches!(self.config.ftl, ModelFtl::Page(_)) {
            for local in moved {
                let lpn = self.config.of_host(chip as u64, local);
                self.buffer.moved(lpn);
            }
        }
        self.follow(chip);
    }

    /// A page of the host that was passed to the FTL enters the read buffer if that takes such pages.
    fn cache_written(&mut self, lpn: Lpn) {
        let enters = self.has_read_buffer() && self.config.read_buffer_takes_writes;
        if enters && !self.read_buffer.holds(lpn) && !self.is_in_ram_region(lpn) {
            let buffered = self.has_buffer();
            self.tell(|clock| clock.cache_written(lpn, buffered));
            self.enter_read_buffer(lpn);
        }
    }

    fn has_buffer(&self) -> bool {
        self.config.policy != ModelPolicy::None
    }

    fn has_read_buffer(&self) -> bool {
        self.config.read_policy != ModelPolicy::None
    }

    /// The pages that a request touches, before wrapping.
    fn pages(&self, request: &Request) -> Range<u64> {
        self.check(request);
        pages(self.config, request)
    }

    /// The pages wholly inside a request, before wrapping.
    fn whole_pages(&self, request: &Request) -> Range<u64> {
        self.check(request);
        whole_pages(self.config, request)
    }

    fn check(&self, request: &Request) {
        let config = self.config;
        let capacity = config.logical_pages() * config.page_size();
        assert!(request.size() > 0, "empty request: {request:?}");
        let end = if config.wrap {
            request.size()
        } else {
            request.end()
        };
        assert!(end <= capacity, "past the capacity: {request:?}");
    }

    /// A page of a request after wrapping.
    fn wrapped(&self, page: u64) -> Lpn {
        page % (self.config.logical_pages())
    }

    fn write(&mut self, request: &Request) {
        let pages = self.pages(request);
        self.record.counters.host_writes += 1;
        self.record.counters.host_write_bytes += request.size();
        let whole = self.whole_pages(request);
        for page in pages.clone() {
            let lpn = self.wrapped(page);
            self.record.counters.host_write_pages += 1;
            let modifies =
                self.config.partial_writes == PartialWrites::Rmw && !whole.contains(&page);
            let end = self.end(&pages, page);
            let read = modifies && self.read_to_modify(lpn, end);
            let place = self.read_place(lpn).filter(|_| read);
            self.tell(|clock| clock.begin_page(place));
            self.streams.insert(lpn, request.stream());
            self.write_page(lpn, end, request.time_ns);
        }
    }

    /// Whether there is something to read.
    fn read_to_modify(&mut self, lpn: Lpn, end: Lpn) -> bool {
        let is_in_ram = self.buffer.holds(lpn) || self.is_in_ram_region(lpn);
        if !is_in_ram {
            self.look_up(lpn, Access::Read { host: false }, end);
        }
        let read = self.is_mapped(lpn) && !is_in_ram;
        if read {
            self.count_read(lpn);
        }
        read
    }

    /// A page is read from flash.
    fn count_read(&mut self, lpn: Lpn) {
        let (chip, local) = self.on_chip(lpn);
        let is_in_slc = self.ftls[chip].holds_in_slc(local);
        self.record.counters.flash_reads += 1;
        self.record.counters.slc_reads += u64::from(is_in_slc);
    }

    fn write_page(&mut self, lpn: Lpn, end: Lpn, now: u64) {
        if self.has_read_buffer() {
            self.read_buffer.pass(lpn);
        }
        if !self.has_buffer() {
            self.count_ram_region(lpn);
            self.tell(|clock| clock.write_directly(lpn));
            self.program(lpn, end);
            self.cache_written(lpn);
            return;
        }
        if self.buffer.holds(lpn) {
            self.record.counters.buffer_write_hits += 1;
            let updated = self.cleaned.remove(&lpn).is_some();
            self.record.counters.cleaned_then_updated += u64::from(updated);
            self.tell(|clock| clock.hit(lpn));
        } else {
            self.record.counters.buffer_write_misses += 1;
            self.make_room(lpn);
            self.take_slots(lpn, Clock::enter);
        }
        self.buffer.write(lpn, now);
    }

    /// The pages of a RAM region count as buffer pages.
    fn count_ram_region(&mut self, lpn: Lpn) {
        if self.is_in_ram_region(lpn) {
            self.record.counters.buffer_write_hits += 1;
        } else if self.config.has_ram_region() {
            self.record.counters.buffer_write_misses += 1;
        }
    }

    fn read(&mut self, request: &Request) {
        let pages = self.pages(request);
        self.record.counters.host_reads += 1;
        self.record.counters.host_read_bytes += request.size();
        for page in pages.clone() {
            let lpn = self.wrapped(page);
            self.record.counters.host_read_pages += 1;
            if self.buffer.holds(lpn) {
                self.read_hit(lpn);
            } else if self.is_in_ram_region(lpn) {
                self.record.counters.buffer_read_hits += 1;
                self.tell(|clock| clock.read_held(lpn));
            } else if self.read_buffer.holds(lpn) {
                self.record.counters.buffer_read_hits += 1;
                self.tell(|clock| clock.read_cached(lpn));
                self.read_buffer.read(lpn);
            } else {
                let end = self.end(&pages, page);
                self.read_miss(lpn, end);
            }
        }
    }

    fn read_hit(&mut self, lpn: Lpn) {
        self.record.counters.buffer_read_hits += 1;
        self.tell(|clock| clock.read_held(lpn));
        if self.config.buffer.reads == Reads::Cache {
            self.buffer.read(lpn);
        }
    }

    fn read_miss(&mut self, lpn: Lpn, end: Lpn) {
        self.look_up(lpn, Access::Read { host: true }, end);
        let place = self.read_place(lpn);
        self.tell(|clock| clock.read_missed(place));
        if self.is_mapped(lpn) {
            self.count_read(lpn);
        } else {
            self.record.counters.unmapped_reads += 1;
        }
        if self.has_buffer() || self.has_read_buffer() || self.config.has_ram_region() {
            self.record.counters.buffer_read_misses += 1;
        }
        if self.has_read_buffer() {
            self.tell(|clock| clock.enter_cache(lpn));
            self.enter_read_buffer(lpn);
        } else if self.has_buffer() && self.config.buffer.reads == Reads::Cache {
            self.make_room(lpn);
            self.take_slots(lpn, Clock::enter_read);
            self.buffer.read(lpn);
        }
    }

    fn enter_read_buffer(&mut self, lpn: Lpn) {
        while !self.read_buffer.has_room_for(lpn) {
            let victim = self.read_buffer.victim(Why::Full);
            self.record.counters.evictions += 1;
            self.record.counters.evicted_clean_pages += 1;
            self.record.events.push(Event::Evicted(victim.clone()));
            self.read_buffer.remove(victim[0]);
        }
        self.read_buffer.read(lpn);
    }

    fn discard(&mut self, request: &Request) {
        self.record.counters.host_discards += 1;
        let pages = self.whole_pages(request);
        for page in pages.clone() {
            let lpn = self.wrapped(page);
            self.record.counters.host_discard_pages += 1;
            if self.buffer.holds(lpn) {
                self.tell(|clock| clock.leave(lpn));
            } else if self.is_in_ram_region(lpn) {
                self.tell(|clock| clock.leave_ram(lpn));
            }
            self.buffer.remove(lpn);
            self.cleaned.remove(&lpn);
            self.keep_headers();
            self.read_buffer.remove(lpn);
            let (chip, local) = self.on_chip(lpn);
            self.look_up(lpn, Access::Discard, self.end(&pages, page));
            self.ftls[chip].discard(local, &mut self.record);
            self.follow(chip);
        }
    }

    fn flush(&mut self) {
        self.record.counters.host_flushes += 1;
        let protected = self.config.buffer.protected && self.has_buffer();
        if !protected {
            self.evict_all_dirty();
            self.tell(Clock::flushed);
        }
    }

    fn evict_all_dirty(&mut self) {
        while self.buffer.first_dirty().is_some() {
            self.evict(Why::Flush);
        }
    }

    fn make_room(&mut self, newcomer: Lpn) {
        while !self.buffer.has_room_for(newcomer) {
            self.evict(Why::Full);
        }
    }

    /// Evicts the next victim.
    fn evict(&mut self, why: Why) {
        let victim = self.buffer.victim(why);
        self.record.counters.evictions += 1;
        self.record.events.push(Event::Evicted(victim.clone()));
        let lbn = victim[0] / self.config.pages_per_block();
        if victim.iter().any(|&lpn| self.buffer.is_dirty(lpn)) && self.buffer.pads(lbn) {
            self.write_padded(lbn);
            self.keep_headers();
            return;
        }
        let end = victim[victim.len() - 1];
        for lpn in victim {
            let dirty = self.buffer.is_dirty(lpn);
            self.leave(lpn);
            self.tell(|clock| clock.begin_leaving(lpn));
            if dirty {
                self.program(lpn, end);
                self.cache_written(lpn);
            }
            self.tell(Clock::end_leaving);
        }
        self.keep_headers();
    }

    /// Reads the missing pages of a victim block, then writes the whole block.
    fn write_padded(&mut self, lbn: Lbn) {
        let end = self.last_of(lbn);
        for lpn in self.padded(lbn) {
            let was_held = self.buffer.holds(lpn);
            if was_held {
                self.cleaned.remove(&lpn);
                self.leave(lpn);
                self.tell(|clock| clock.begin_leaving(lpn));
            }
            self.program(lpn, end);
            if was_held {
                self.cache_written(lpn);
                self.tell(Clock::end_leaving);
            }
        }
    }

    fn last_of(&self, lbn: Lbn) -> Lpn {
        (lbn + 1) * self.config.pages_per_block() - 1
    }

    /// Reads the pages of a block that the buffer lacks and that have a version; returns the pages that are written
    /// then.
    fn padded(&mut self, lbn: Lbn) -> Vec<Lpn> {
        let first = lbn * self.config.pages_per_block();
        let mut written = Vec::new();
        for lpn in first..first + self.config.pages_per_block() {
            if self.buffer.holds(lpn) {
                written.push(lpn);
                continue;
            }
            self.look_up(lpn, Access::Read { host: false }, self.last_of(lbn));
            if self.is_mapped(lpn) {
                let (chip, place) = self.read_place(lpn).expect("a mapped page");
                self.tell(|clock| clock.pad(lpn, chip, place));
                self.record.counters.padding_reads += 1;
                self.count_read(lpn);
                written.push(lpn);
            } else if self.buffer.pads_blanks() {
                self.tell(|clock| clock.pad_blank(lpn));
                written.push(lpn);
            }
        }
        written
    }

    /// Removes an evicted page from the buffer.
    fn leave(&mut self, lpn: Lpn) {
        if self.buffer.is_dirty(lpn) {
            self.record.counters.evicted_dirty_pages += 1;
        } else {
            self.record.counters.evicted_clean_pages += 1;
        }
        if let Some(benefit_ns) = self.cleaned.remove(&lpn) {
            self.record.counters.cleaned_then_evicted += 1;
            self.record.counters.realised_benefit_ns += benefit_ns;
        }
        self.buffer.remove(lpn);
    }

    /// Writes the blocks in which a page has been dirty for too long.
    fn age(&mut self, now: u64) {
        if self.config.buffer.flush_age_ns == 0 {
            return;
        }
        while let Some(lbn) = self
            .buffer
            .block_to_age(now, self.config.buffer.flush_age_ns)
        {
            if self.buffer.pads(lbn) {
                for lpn in self.padded(lbn) {
                    self.age_page(lpn, self.last_of(lbn));
                }
                continue;
            }
            let held = self.buffer.of(lbn);
            let end = held[held.len() - 1];
            for lpn in held {
                // a merge may have cleaned it since
                if self.buffer.is_dirty(lpn) {
                    self.age_page(lpn, end);
                }
            }
        }
    }

    /// Writes a page because of the age of its block. A held page stays, clean.
    fn age_page(&mut self, lpn: Lpn, end: Lpn) {
        if self.buffer.is_dirty(lpn) {
            self.record.counters.aged_pages += 1;
        }
        let is_held = self.buffer.holds(lpn);
        if is_held {
            self.buffer.clean(lpn);
            self.cleaned.remove(&lpn);
        }
        self.program(lpn, end);
        if is_held {
            self.cache_written(lpn);
        }
    }

    /// The serial timing model: the cost of all counted operations.
    fn elapsed_ns(&self) -> u64 {
        let times = &self.config.timing;
        let counters = &self.record.counters;
        let programs = counters.flash_programs + counters.merge_programs + counters.table_programs;
        let [in_slc, read_in_slc] = [counters.slc_programs, counters.slc_reads];
        let moves = 2 * times.transfer_ns;
        let fold = times.slc_read_ns + times.fold_program_ns;
        let folded_back = counters.fold_copy_backs;
        let folded = counters.fold_pages - folded_back;
        (counters.flash_reads - read_in_slc) * (times.read_ns + times.transfer_ns)
            + read_in_slc * (times.slc_read_ns + times.transfer_ns)
            + (programs - in_slc) * (times.transfer_ns + times.program_ns)
            + in_slc * (times.transfer_ns + times.slc_program_ns)
            + (counters.flash_copies - folded + counters.table_copies)
                * (times.read_ns + moves + times.program_ns)
            + counters.map_host_reads * times.map_host_ns
            + folded * (fold + moves)
            + (counters.copy_backs - folded_back) * (times.read_ns + times.program_ns)
            + folded_back * fold
            + (counters.erases + counters.table_erases) * times.erase_ns
            + self.buffer_accesses() * times.buffer_ns
    }

    /// Host pages that hit or entered a buffer or a RAM region.
    fn buffer_accesses(&self) -> u64 {
        let counters = &self.record.counters;
        let reads_enter =
            self.has_buffer() && self.config.buffer.reads == Reads::Cache || self.has_read_buffer();
        let entered_by_read = if reads_enter {
            counters.buffer_read_misses
        } else {
            0
        };
        let entered_by_write = if self.config.has_ram_region() {
            self.record.ram_entries
        } else {
            counters.buffer_write_misses
        };
        counters.buffer_write_hits + entered_by_write + counters.buffer_read_hits + entered_by_read
    }
}

/// The pages that a request of at least one byte touches, before wrapping.
fn pages(config: &ModelConfig, request: &Request) -> Range<u64> {
    let last = (request.end() - 1) / config.page_size();
    request.offset / config.page_size()..last + 1
}

/// The pages wholly inside a request, before wrapping.
fn whole_pages(config: &ModelConfig, request: &Request) -> Range<u64> {
    let first = request.offset.div_ceil(config.page_size());
    let end = request.end() / config.page_size();
    first..end.max(first)
}

/// What these requests will do to the write buffer, reads apart.
fn coming(config: &ModelConfig, requests: &[Request]) -> Vec<Coming> {
    let all = config.logical_pages();
    let each = |request: &Request| -> Vec<Coming> {
        match request.op() {
            Op::Read => Vec::new(),
            Op::Write => pages(config, request)
                .map(|page| Coming::Write(page % all))
                .collect(),
            Op::Discard => whole_pages(config, request)
                .map(|page| Coming::Discard(page % all))
                .collect(),
            Op::Flush if config.buffer.protected => Vec::new(),
            Op::Flush => vec![Coming::Flush],
        }
    };
    requests.iter().flat_map(each).collect()
}

/// The pages that these requests write.
fn writes(config: &ModelConfig, requests: &[Request]) -> Vec<Lpn> {
    let coming = coming(config, requests).into_iter();
    let written = coming.filter_map(|coming| match coming {
        Coming::Write(lpn) => Some(lpn),
        Coming::Discard(_) | Coming::Flush => None,
    });
    written.collect()
}
