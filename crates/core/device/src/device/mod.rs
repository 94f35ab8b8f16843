//! The device: serves the requests of the host.

mod age;
mod build;
mod heard;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod reads;
mod results;

pub use age::NotAged;

use ssdlab_flash::{Lpn, Media, Payload};
use ssdlab_ftl::{AHEAD, Events, FtlError, RamImage, ReadCause, RegionCounts, Trigger};
use ssdlab_host::{Op, Request};
use ssdlab_policy::buffer::Future;
use ssdlab_timing::Completion;

use crate::buffer::Stage;
use crate::core::{Chip, Core, Runs};
use crate::span::Span;
use crate::{Cause, DeviceError, HostData, PartialWrites, Timing};

/// What happens to a request beyond the capacity.
#[derive(Clone, Copy, Debug)]
enum BeyondCapacity {
    /// It is an error.
    Refused,
    /// Its page numbers wrap around.
    Wraps,
}

/// From this many logical pages on, the tables of a device with a buffer are prefetched: smaller ones stay in the CPU cache.
const LARGE: u64 = 1 << 17;

/// A simulated SSD.
pub struct Device<M: Media> {
    stage: Box<dyn Stage<M>>,
    core: Core<M>,
    timing: Timing,
    /// Under the parallel model, how long operations keep the cells busy.
    of_cells: Option<Timing>,
    /// The energy of operations, in picojoules instead of nanoseconds.
    of_energy: Option<Timing>,
    /// When the last request before the end of the trace was complete, under the parallel model.
    served_ns: Option<u64>,
    capacity: u64,
    beyond_capacity: BeyondCapacity,
    partial_writes: PartialWrites,
    /// The cause of the FTL's copies and erases.
    moves: Cause,
    /// The stream of the last request.
    stream: u16,
    has_write_buffer: bool,
    /// Pages that the host reads enter the write buffer or a read buffer.
    reads_enter: bool,
    /// The end of the trace writes all dirty pages.
    drains_at_end: bool,
    /// The FTLs must know the times of requests.
    ftls_use_time: bool,
    /// Pages that have been dirty for too long are written.
    pages_age: bool,
    /// The FTLs clean, and fold, in gaps between requests, this long after the last work; 0: they do not.
    idle_ns: [u64; 2],
    /// The times of all requests that were not taken yet, if they are kept.
    completions: Option<Vec<Completion>>,
    /// The erases of each block before its counts began; empty if there were none.
    erased_before: Vec<u32>,
    /// The counts of regions at that time; empty if there were none.
    placed_before: Vec<RegionCounts>,
    /// The writes to come, until the FTL is told of them.
    future: Option<Future>,
    /// The requests since events are reported.
    heard: u64,
}

impl<M: Media> Device<M> {
    /// Wraps page numbers around at the capacity instead of refusing requests beyond it.
    pub fn wrap_around(&mut self, wrap: bool) {
        self.beyond_capacity = if wrap {
            BeyondCapacity::Wraps
        } else {
            BeyondCapacity::Refused
        };
    }

    /// Handles each page separately from now on. Slower; no result changes.
    pub fn page_by_page(&mut self) {
        self.core.runs = Runs::Nowhere;
        self.core
            .chips
            .iter_mut()
            .for_each(|chip| chip.env.page_by_page());
    }

    /// Reports events from now on.
    pub fn report_to(&mut self, events: Events) {
        self.core.report_to(events);
    }

    /// Serves requests in order until one is refused or fails; the error comes with the index of that request.
    pub fn submit_all(
        &mut self,
        requests: &[Request],
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), (usize, DeviceError)> {
        for (start, some) in (0..).step_by(AHEAD).zip(requests.chunks(AHEAD)) {
            self.foresee(some);
            for (index, request) in (start..).zip(some) {
                self.submit(request, data).map_err(|error| (index, error))?;
            }
        }
        Ok(())
    }

    /// Announces the writes of these requests, for prefetching.
    fn foresee(&self, requests: &[Request]) {
        if self.has_write_buffer && self.logical_pages() < LARGE {
            return;
        }
        let mut pages = [Lpn(0); AHEAD];
        for (page, request) in pages.iter_mut().zip(requests) {
            // the table entries of the following pages are in the same cache lines
            let first = self.page_of(request.offset).min(self.logical_pages() - 1);
            *page = Lpn(first as u32);
        }
        self.stage.foresee(&self.core, &pages[..requests.len()]);
    }

    /// Serves one request. A refused request has no effect.
    pub fn submit(
        &mut self,
        request: &Request,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), DeviceError> {
        let op = request.op();
        if op != Op::Flush {
            self.admit(request)?;
        }
        if self.idle_ns != [0, 0] {
            self.clean_in_gap(request.time_ns)?;
        }
        if self.ftls_use_time || request.stream() != self.stream {
            self.tell_ftls(request);
        }
        if let Some(clocks) = self.core.clocks() {
            clocks.begin(request.time_ns)?;
        }
        let heard = self.core.events.wanted().then(|| self.hear(op));
        if self.pages_age {
            let aged = self.stage.age(&mut self.core, request.time_ns);
            aged.map_err(|error| self.core.tears(error))?;
            self.hear_request(op);
        }
        let changed = match op {
            Op::Read => {
                self.read(request, data)?;
                Ok(())
            }
            Op::Write => self.write(request, data),
            Op::Flush => {
                self.core.counters.host_flushes += 1;
                self.stage.flush(&mut self.core).map_err(DeviceError::from)
            }
            Op::Discard => self.discard(request).map_err(DeviceError::from),
        };
        changed.map_err(|error| self.core.tears(error))?;
        if let Some(hits) = heard {
            self.tell(request, hits);
        }
        if let Some(clocks) = self.core.clocks() {
            clocks.complete(op, request.size());
            if let Some(all) = &mut self.completions {
                all.extend(clocks.last_completion());
            }
        }
        Ok(())
    }

    /// The FTLs clean in the gap before a request, if there is one.
    #[inline(never)]
    fn clean_in_gap(&mut self, time_ns: u64) -> Result<(), DeviceError> {
        let idle_ns = self.idle_ns;
        let gap = self
            .core
            .clocks()
            .and_then(|clocks| clocks.begin_gap(time_ns, idle_ns));
        let Some(gaps) = gap else {
            return Ok(());
        };
        let begin = gaps[0].start.min(gaps[1].start);
        self.core.events.begin(None, begin, Trigger::Idle);
        let cleaned = self.stage.clean_in_gap(&mut self.core, gaps);
        cleaned.map_err(|error| self.core.tears(error).into())
    }

    /// Hands the time and the stream of a request to the FTLs.
    #[inline(never)]
    fn tell_ftls(&mut self, request: &Request) {
        self.stream = request.stream();
        self.core.stream = self.stream;
        for chip in self.core.chips.iter_mut() {
            chip.env.begin(request.time_ns, self.stream);
        }
    }

    /// Whether the device accepts the place and the size of a request.
    #[inline]
    fn admit(&self, request: &Request) -> Result<(), DeviceError> {
        let (end, size, capacity) = (request.end(), request.size(), self.capacity);
        match self.beyond_capacity {
            _ if size == 0 => Err(DeviceError::Empty),
            _ if end <= capacity => Ok(()),
            BeyondCapacity::Wraps if size <= capacity => Ok(()),
            BeyondCapacity::Wraps => Err(DeviceError::TooLarge { size, capacity }),
            BeyondCapacity::Refused => Err(DeviceError::PastCapacity { end, capacity }),
        }
    }

    fn read(
        &mut self,
        request: &Request,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), DeviceError> {
        let (first, count) = self.pages_touched(request);
        let counters = &mut self.core.counters;
        counters.host_read_bytes = with_size("host_read_bytes", counters.host_read_bytes, request)?;
        counters.host_reads += 1;
        counters.host_read_pages += count;
        let cut = if M::Data::NOTHING {
            (0, 0)
        } else {
            self.cut(request)
        };
        self.spans(first, count, cut).try_for_each(|span| {
            self.core.end_at(Lpn(span.end));
            self.stage.read(&mut self.core, span, data)
        })?;
        Ok(())
    }

    fn write(
        &mut self,
        request: &Request,
        data: &mut dyn HostData<M::Data>,
    ) -> Result<(), DeviceError> {
        let (first, count) = self.pages_touched(request);
        let counters = &mut self.core.counters;
        counters.host_write_bytes =
            with_size("host_write_bytes", counters.host_write_bytes, request)?;
        counters.host_writes += 1;
        counters.host_write_pages += count;
        // without data, the rest of a page matters only if its read counts
        let cut = if M::Data::NOTHING && self.partial_writes == PartialWrites::Whole {
            (0, 0)
        } else {
            self.cut(request)
        };
        for span in self.spans(first, count, cut) {
            self.core.end_at(Lpn(span.end));
            self.core.pass_written(span.pages());
            self.stage.write(&mut self.core, span, data)?;
        }
        Ok(())
    }

    fn discard(&mut self, request: &Request) -> Result<(), FtlError> {
        let (first, count) = self.pages_within(request);
        self.core.counters.host_discards += 1;
        self.core.counters.host_discard_pages += count;
        self.spans(first, count, (0, 0)).try_for_each(|span| {
            self.core.end_at(Lpn(span.end));
            self.core.pass_discarded(span.pages());
            self.stage.discard(&mut self.core, span)
        })
    }

    /// The first page that lies in a request as a whole, and the number of such pages.
    fn pages_within(&self, request: &Request) -> (u64, u64) {
        let page_size = self.page_size();
        let first = request.offset.div_ceil(page_size);
        (first, (request.end() / page_size).saturating_sub(first))
    }

    /// The first page and the number of pages that a read or write of at least one byte touches.
    #[inline]
    fn pages_touched(&self, request: &Request) -> (u64, u64) {
        let (first, last) = (
            self.page_of(request.offset),
            self.page_of(request.end() - 1),
        );
        (first, last - first + 1)
    }

    /// The page that contains a byte.
    #[inline]
    fn page_of(&self, byte: u64) -> u64 {
        let page_size = self.page_size();
        if page_size.is_power_of_two() {
            byte >> page_size.trailing_zeros()
        } else {
            byte / page_size
        }
    }

    /// The bytes of the first page before a request, and those of the last page after it.
    fn cut(&self, request: &Request) -> (u32, u32) {
        let page_size = self.page_size();
        let after = page_size - 1 - (request.end() - 1) % page_size;
        ((request.offset % page_size) as u32, after as u32)
    }

    /// Splits a range of pages into parts that do not wrap around, or into single pages if writes enter the read buffer.
    /// The request leaves out the `cut` bytes of the first and the last page.
    fn spans(
        &self,
        first: u64,
        count: u64,
        (head, tail): (u32, u32),
    ) -> impl Iterator<Item = Span> + use<M> {
        let page_size = self.core.geometry().page_size();
        let rest = match self.partial_writes {
            PartialWrites::Rmw => ReadCause::Modify,
            PartialWrites::Whole => ReadCause::Rest,
        };
        let all = self.logical_pages();
        // what a page evicts may enter the read buffer, and must leave it before that page's own turn
        let most = if self.core.caches_writes { 1 } else { all };
        let end = first + count;
        let mut at = first;
        std::iter::from_fn(move || {
            let start = if end <= all { at } else { at % all };
            let together = (end - at).min(all - start);
            let pages = together.min(most);
            let begins = at == first;
            let before = (at - first) * u64::from(page_size);
            at += pages;
            (pages > 0).then_some(Span {
                first: start as u32,
                count: pages as u32,
                begins,
                end: (start + together).saturating_sub(1) as u32,
                head: if begins { head } else { 0 },
                tail: if at == end { tail } else { 0 },
                at: before.saturating_sub(u64::from(head)),
                rest,
                page_size,
            })
        })
    }

    /// The size of a page in bytes; with `superpage`, of a page across all chips.
    pub fn page_size(&self) -> u64 {
        u64::from(self.core.geometry().page_size())
    }

    fn logical_pages(&self) -> u64 {
        u64::from(self.core.geometry().logical_pages())
    }

    /// The end of the trace: writes all dirty pages, unless [`Parameters::drain`](crate::Parameters::drain) is false.
    ///
    /// # Errors
    /// The FTL or the flash failed, the counts of regions do not add up, or the simulated time exceeds 64 bits.
    pub fn finish(&mut self) -> Result<(), DeviceError> {
        self.served_ns = self.core.clocks().map(|clocks| clocks.served_ns());
        if self.drains_at_end {
            self.core.tell_clocks(|clocks| clocks.begin_end());
            self.hear_end();
            self.stage.drain(&mut self.core)?;
            self.core.drain()?;
            self.core.tell_clocks(|clocks| clocks.complete_end());
        }
        self.core.tell_clocks(|clocks| clocks.end());
        self.check_regions()?;
        self.check_map()?;
        match self.counters().elapsed_ns {
            // saturated
            u64::MAX => Err(DeviceError::Uncountable {
                counter: "elapsed_ns",
                hint: "check the unit of the times in [timing]",
            }),
            _ => Ok(()),
        }
    }

    /// Compares all tables and counts with the spare areas and with recounts. For tests; slow.
    pub fn check(&mut self) -> Result<(), String> {
        self.stage.check()?;
        self.core
            .chips
            .iter_mut()
            .try_for_each(|Chip { ftl, env }| ftl.check(env.media_mut()))
    }

    /// The flash of each chip in order.
    pub fn media(&self) -> impl Iterator<Item = &M> {
        self.core.chips.iter().map(|chip| chip.env.media())
    }

    /// The same, for the owner of the device.
    pub fn media_mut(&mut self) -> impl Iterator<Item = &mut M> {
        self.core.chips.iter_mut().map(|chip| chip.env.media_mut())
    }

    /// Whether nobody but the host sees the data of the pages in flash that it reads: they enter no buffer, and no FTL keeps
    /// them.
    pub fn hands_reads_on(&self) -> bool {
        let reads_enter = self.reads_enter || self.core.has_read_buffer();
        !reads_enter && !self.core.has_ram_region && !self.core.tells_ends()
    }

    /// The states that the batteries of the RAM regions keep, chip by chip; available after an error too.
    pub fn ram(&self) -> Vec<RamImage<M::Data>> {
        let chips = self.core.chips.iter();
        chips.map(|chip| chip.ftl.ram_image(&chip.env)).collect()
    }

    /// Whether the page may have data: it was written after the last discard of it, or comes from the precondition. A
    /// page without data reads as zeros.
    ///
    /// # Panics
    /// If the device has no such page.
    pub fn has_data(&self, lpn: Lpn) -> bool {
        self.stage.holds(lpn) || self.core.is_mapped(lpn)
    }

    /// Calls `each` for every page whose newest version is in RAM only: dirty pages of the write buffer, and the pages
    /// of the RAM regions of FTLs.
    pub fn each_in_ram(&self, mut each: impl FnMut(Lpn, &M::Data)) {
        self.stage.each_held(&mut |lpn, dirty, page| {
            if dirty {
                each(lpn, page);
            }
        });
        self.each_in_regions(each);
    }

    /// Calls `each` for every page of which RAM has the newest version, whether flash has it too or not. Available after
    /// an error: pages that were on their way to flash then are among them.
    pub fn each_held(&self, mut each: impl FnMut(Lpn, &M::Data)) {
        self.stage.each_held(&mut |lpn, _, page| each(lpn, page));
        self.each_in_regions(each);
    }

    /// Whether a request failed in the middle of a change, a read that evicts included: then the tables cannot be used
    /// any more.
    pub fn is_torn(&self) -> bool {
        self.core.torn
    }

    fn each_in_regions(&self, mut each: impl FnMut(Lpn, &M::Data)) {
        if self.core.has_ram_region {
            let rams = self.ram();
            let stripes = self.core.chips.stripes();
            for (number, ram) in (0..).zip(&rams) {
                for page in &ram.pages {
                    each(stripes.of_host(number, page.lpn), &page.data);
                }
            }
        }
    }

    /// Returns the flash of each chip in order. The contents of the buffers are lost.
    pub fn into_media(self) -> Vec<M> {
        let chips = self.core.chips.into_iter();
        chips.map(|chip| chip.env.into_media()).collect()
    }
}

/// Adds the size of a request to a sum of bytes. The sum is at least as large as all counts of pages and requests, so
/// if it does not overflow, they do not.
#[inline]
fn with_size(counter: &'static str, bytes: u64, request: &Request) -> Result<u64, DeviceError> {
    bytes
        .checked_add(request.size())
        .ok_or(DeviceError::Uncountable {
            counter,
            hint: "replay the trace fewer times",
        })
}
