//! The SSD: a write buffer and an FTL above the flash.
//!
//! ```text
//! host request → Device → write buffer (Stage) → FTL → Media
//! ```
//!
//! [`Device`] joins a write buffer and an FTL, counts what the host and the buffer do, and computes the simulated time
//! from these counts. The registry names all policies and FTLs.
//!
//! May depend on `host`, `flash`, `policy` and `ftl`; not on configurations, on traces or on the simulator. Parameters
//! are typed values, simulated time is the only time, and there is no input or output and no environment.

mod buffer;
mod core;
mod counters;
mod host_data;
#[cfg(test)]
mod limits;
mod memory;
mod parameters;
pub mod registry;
mod stack;
mod time;

use ssdlab_flash::{Array, Fault, Lpn, Payload, Pbn};
use ssdlab_ftl::{AHEAD, AnyFtl, Events, FtlError, Impossible, RamImage, ReadCause};
use ssdlab_host::{Op, Request};
use ssdlab_timing::Schedule;

use crate::buffer::{Span, Stage};
use crate::core::{Chip, Chips, Core};
use crate::time::Causes;

pub use counters::Counters;
pub use host_data::{HostData, NoData, Part, RequestBytes};
pub use memory::memory;
pub use parameters::{
    Buffer, Flash, Interleave, MAX_PAGES, Parallel, Parameters, PartialWrites, Precondition, Reads,
    Timing,
};
pub use registry::{Catalogue, Family, Plugins, Registry, Selection};
// a bound of what `Plugins` is handed
pub use ssdlab_flash::Media;
pub use ssdlab_timing::{Busy, Completion, Issue, Latency, LatencyByOp};
pub use stack::{BufferMaker, FtlFacts, FtlMaker, Stack};
pub use time::{MergeTime, TimeParts};

/// Why a request was refused or failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A read, write or discard of 0 bytes.
    #[error("the request has size 0")]
    Empty,
    /// The request is larger than the device, so it would wrap onto itself.
    #[error("a request of {size} bytes cannot wrap around the device's {capacity} bytes")]
    TooLarge {
        /// The size of the request in bytes.
        size: u64,
        /// The size of the device in bytes.
        capacity: u64,
    },
    /// The request ends after the end of the device.
    #[error("the request ends at byte {end}, past the device's {capacity} bytes")]
    PastCapacity {
        /// The first byte after the request.
        end: u64,
        /// The size of the device in bytes.
        capacity: u64,
    },
    /// A counter exceeds 64 bits, so sizes or times cannot be real.
    #[error("{counter} exceeds 2^64 - 1, the largest value of a counter; {hint}")]
    Uncountable {
        /// The name of the counter.
        counter: &'static str,
        /// Advice for the user.
        hint: &'static str,
    },
    /// The FTL or the flash failed. The device must be mounted again.
    #[error(transparent)]
    Ftl(#[from] FtlError),
}

impl From<Fault> for DeviceError {
    fn from(fault: Fault) -> Self {
        DeviceError::Ftl(fault.into())
    }
}

/// A simulated SSD.
pub struct Device<M: Media> {
    stage: Box<dyn Stage<M>>,
    core: Core<M>,
    timing: Timing,
    capacity: u64,
    read_modify_write: bool,
    wrap: bool,
    drain: bool,
    cleaning: bool,
    has_buffer: bool,
    /// The FTL has a RAM region.
    has_ram: bool,
    /// The FTL uses trace time.
    clocked: bool,
    /// The stream of the last request.
    stream: u8,
    caches_reads: bool,
    ages: bool,
    /// The times of the last request.
    last: Option<Completion>,
    /// The times of all requests that were not taken yet, if they are kept.
    completions: Option<Vec<Completion>>,
}

/// Why a device cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A parameter cannot work.
    #[error("{} {}", .0.key, .0.why)]
    Impossible(Impossible),
    /// The flash failed while it was preconditioned.
    #[error(transparent)]
    Flash(#[from] Fault),
}

impl From<Impossible> for BuildError {
    fn from(why: Impossible) -> Self {
        BuildError::Impossible(why)
    }
}

impl<P: Payload> Device<Array<P>> {
    /// A device with a new flash array, preconditioned as the parameters say.
    pub fn fresh(parameters: &Parameters, stack: &Stack<Array<P>>) -> Result<Self, BuildError> {
        Self::fresh_on(parameters, stack, Ok)
    }
}

impl<M: Media> Device<M> {
    /// Like [`Device::fresh`], with a wrapper around the array of each chip.
    pub fn fresh_on(
        parameters: &Parameters,
        stack: &Stack<M>,
        mut wrap: impl FnMut(Array<M::Data>) -> Result<M, Fault>,
    ) -> Result<Self, BuildError> {
        parameters.check(stack)?;
        let flash = &parameters.flash;
        let geometry = flash.chip_geometry(parameters.chip_blocks(stack));
        let full = parameters.precondition == Precondition::Full;
        let mut chip = || {
            let mut array = Array::new(geometry.clone(), stack.ftl().program_order);
            if full && geometry.physical_blocks() > 0 {
                array.precondition()?;
            }
            Ok((wrap(array)?, stack.ftl_maker().fresh(&geometry, full)))
        };
        let chips = (0..flash.separate_chips()).map(|_| chip());
        let chips = chips.collect::<Result<_, Fault>>()?;
        Ok(Self::assemble(parameters, stack, chips))
    }

    /// Mounts flash that was used before, given chip by chip. Tables are rebuilt from the spare areas, counters start
    /// at 0, and the buffer is empty. An error returns the flash.
    ///
    /// # Panics
    /// If the number of chips differs from the parameters.
    pub fn mount(
        parameters: &Parameters,
        stack: &Stack<M>,
        media: Vec<M>,
    ) -> Result<Self, (Vec<M>, FtlError)> {
        Self::mount_with(parameters, stack, media, &[])
    }

    /// Like [`Device::mount`], with the states that the batteries of the RAM regions kept ([`Device::ram`]), or an
    /// empty slice. Keep these states until the mount has succeeded.
    ///
    /// # Panics
    /// If the number of chips differs from the parameters.
    pub fn mount_with(
        parameters: &Parameters,
        stack: &Stack<M>,
        media: Vec<M>,
        ram: &[RamImage<M::Data>],
    ) -> Result<Self, (Vec<M>, FtlError)> {
        let mut device = Self::mount_flash(parameters, stack, media)?;
        match device.core.restore_ram(ram) {
            Ok(()) => Ok(device),
            Err(error) => Err((device.into_media(), error)),
        }
    }

    fn mount_flash(
        parameters: &Parameters,
        stack: &Stack<M>,
        mut media: Vec<M>,
    ) -> Result<Self, (Vec<M>, FtlError)> {
        assert_eq!(media.len(), parameters.flash.separate_chips() as usize);
        let ftls: Result<Vec<_>, _> = media
            .iter_mut()
            .map(|media| stack.ftl_maker().mount(media))
            .collect();
        match ftls {
            Ok(ftls) => Ok(Self::assemble(
                parameters,
                stack,
                media.into_iter().zip(ftls).collect(),
            )),
            Err(error) => Err((media, error)),
        }
    }

    /// Needs at least one chip.
    fn assemble(
        parameters: &Parameters,
        stack: &Stack<M>,
        chips: Vec<(M, Box<dyn AnyFtl<M>>)>,
    ) -> Self {
        let chips = chips.into_iter().map(|(media, ftl)| {
            let runs = M::Data::NOTHING && !M::CLOCKED;
            Chip::new(media, ftl, parameters.flash.copy_back, runs)
        });
        let geometry = parameters.geometry(stack);
        let buffer = &parameters.buffer;
        let facts = stack.ftl();
        let (has_buffer, has_ram) = (stack.buffer().is_some(), facts.ram_pages > 0);
        Self {
            stage: stack.stage(&geometry, parameters),
            core: Core::new(
                geometry.clone(),
                Chips::new(chips),
                stack.read_stage(&geometry, parameters),
                facts.buffer_aware,
                has_ram,
                M::CLOCKED.then(|| Box::new(Schedule::new(&parameters.setup(stack)))),
            ),
            last: None,
            completions: None,
            timing: parameters.timing.clone(),
            capacity: parameters.flash.capacity,
            read_modify_write: parameters.partial_writes == PartialWrites::Rmw,
            wrap: false,
            drain: parameters.drain,
            cleaning: facts.cleans,
            clocked: facts.clocked,
            stream: 0,
            has_buffer,
            has_ram,
            caches_reads: has_buffer && buffer.reads == Reads::Cache
                || stack.read_buffer().is_some(),
            ages: has_buffer && buffer.flush_age_ns > 0,
        }
    }

    /// Wraps page numbers around at the capacity instead of refusing requests beyond it.
    pub fn wrap_around(&mut self, wrap: bool) {
        self.wrap = wrap;
    }

    /// Handles each page separately from now on. Slower; no result changes.
    pub fn page_by_page(&mut self) {
        self.core.runs = false;
        self.core
            .chips
            .iter_mut()
            .for_each(|chip| chip.env.runs = false);
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

    /// Announces the writes of these requests to the FTL, if there is no buffer.
    fn foresee(&self, requests: &[Request]) {
        if self.has_buffer || !self.core.runs {
            return;
        }
        let mut pages = [Lpn(0); AHEAD];
        for (page, request) in pages.iter_mut().zip(requests) {
            // the table entries of the following pages are in the same cache lines
            let first = self.page_of(request.offset).min(self.logical_pages() - 1);
            *page = Lpn(first as u32);
        }
        self.core.foresee(&pages);
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
        if self.clocked || request.stream() != self.stream {
            self.tell_ftls(request);
        }
        if let Some(clocks) = self.core.clocks() {
            clocks.begin(request.time_ns);
        }
        if self.ages {
            self.stage.age(&mut self.core, request.time_ns)?;
        }
        match op {
            Op::Read => self.read(request, data)?,
            Op::Write => self.write(request, data)?,
            Op::Flush => {
                self.core.counters.host_flushes += 1;
                self.stage.flush(&mut self.core)?;
            }
            Op::Discard => self.discard(request)?,
        }
        if let Some(clocks) = self.core.clocks() {
            let completion = clocks.complete(op);
            self.last = Some(completion);
            if let Some(all) = &mut self.completions {
                all.push(completion);
            }
        }
        Ok(())
    }

    /// The times of the last request; `None` unless the media are [`Clocked`](ssdlab_flash::Clocked).
    pub fn completion(&self) -> Option<Completion> {
        self.last
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

    /// The latencies of the requests since the last call; `None` unless the media are clocked.
    pub fn take_latencies(&mut self) -> Option<LatencyByOp> {
        self.core.clocks().map(Schedule::take_latencies)
    }

    /// How long chips, channels and bus worked since the last call; `None` unless the media are clocked.
    pub fn take_busy(&mut self) -> Option<Busy> {
        self.core.clocks().map(Schedule::take_busy)
    }

    /// Hands the time and the stream of a request to the FTLs.
    #[inline(never)]
    fn tell_ftls(&mut self, request: &Request) {
        self.stream = request.stream();
        for chip in self.core.chips.iter_mut() {
            chip.env.now_ns = request.time_ns;
            chip.env.stream = self.stream;
        }
    }

    /// Whether the device accepts the place and the size of a request.
    #[inline]
    fn admit(&self, request: &Request) -> Result<(), DeviceError> {
        let (end, size, capacity) = (request.end(), request.size(), self.capacity);
        match self.wrap {
            _ if size == 0 => Err(DeviceError::Empty),
            _ if end <= capacity => Ok(()),
            true if size <= capacity => Ok(()),
            true => Err(DeviceError::TooLarge { size, capacity }),
            false => Err(DeviceError::PastCapacity { end, capacity }),
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
        let cut = match M::Data::NOTHING {
            true => (0, 0),
            false => self.cut(request),
        };
        self.spans(first, count, cut)
            .try_for_each(|span| self.stage.read(&mut self.core, span, data))?;
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
        let cut = match M::Data::NOTHING && !self.read_modify_write {
            true => (0, 0),
            false => self.cut(request),
        };
        for span in self.spans(first, count, cut) {
            self.core.forget_reads(span.pages());
            self.stage.write(&mut self.core, span, data)?;
        }
        Ok(())
    }

    fn discard(&mut self, request: &Request) -> Result<(), FtlError> {
        let page_size = self.page_size();
        let first = request.offset.div_ceil(page_size);
        let count = (request.end() / page_size).saturating_sub(first);
        self.core.counters.host_discards += 1;
        self.core.counters.host_discard_pages += count;
        self.spans(first, count, (0, 0)).try_for_each(|span| {
            self.core.forget_reads(span.pages());
            self.stage.discard(&mut self.core, span)
        })
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
        match page_size.is_power_of_two() {
            true => byte >> page_size.trailing_zeros(),
            false => byte / page_size,
        }
    }

    /// The bytes of the first page before a request, and those of the last page after it.
    fn cut(&self, request: &Request) -> (u32, u32) {
        let page_size = self.page_size();
        let after = page_size - 1 - (request.end() - 1) % page_size;
        ((request.offset % page_size) as u32, after as u32)
    }

    /// Splits a range of pages into parts that do not wrap around. The request leaves out the `cut` bytes of the first
    /// and the last page.
    fn spans(
        &self,
        first: u64,
        count: u64,
        (head, tail): (u32, u32),
    ) -> impl Iterator<Item = Span> + use<M> {
        let page_size = self.core.geometry().page_size();
        let rest = match self.read_modify_write {
            true => ReadCause::Modify,
            false => ReadCause::Rest,
        };
        let all = self.logical_pages();
        let end = first + count;
        let mut at = first;
        std::iter::from_fn(move || {
            let start = if end <= all { at } else { at % all };
            let pages = (end - at).min(all - start);
            let begins = at == first;
            let before = (at - first) * u64::from(page_size);
            at += pages;
            (pages > 0).then_some(Span {
                first: start as u32,
                count: pages as u32,
                begins,
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

    /// The end of the trace: writes all dirty pages, unless `drain` is false.
    ///
    /// # Errors
    /// The FTL or the flash failed, or the simulated time exceeds 64 bits.
    pub fn finish(&mut self) -> Result<(), DeviceError> {
        if self.drain {
            if let Some(clocks) = self.core.clocks() {
                clocks.begin_end();
            }
            self.stage.drain(&mut self.core)?;
            self.core.drain()?;
            if let Some(clocks) = self.core.clocks() {
                clocks.complete_end();
            }
        }
        match self.counters().elapsed_ns {
            // saturated
            u64::MAX => Err(DeviceError::Uncountable {
                counter: "elapsed_ns",
                hint: "check the unit of the times in [timing]",
            }),
            _ => Ok(()),
        }
    }

    /// The current values of all counters.
    pub fn counters(&self) -> Counters {
        let flash = self.core.flash_counts();
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
            padding_reads: flash.reads_of(ReadCause::Padding),
            flash_reads: flash.flash_reads(),
            ..self.core.counters.clone()
        };
        counters.buffer_write_hits += flash.ram_hits;
        counters.evictions += flash.write_backs;
        counters.evicted_dirty_pages += flash.write_backs;
        if self.has_buffer || self.has_ram {
            counters.buffer_write_misses = counters.host_write_pages - counters.buffer_write_hits;
        }
        counters.elapsed_ns = match self.core.elapsed_ns() {
            Some(elapsed) => elapsed,
            None => self.time_of(&counters).total(),
        };
        counters
    }

    /// Pages that hit or entered the buffer. Each costs one access of the buffer memory.
    fn buffer_accesses(&self, counters: &Counters) -> u64 {
        let hits = counters.buffer_write_hits + counters.buffer_read_hits;
        let read_entries = if self.caches_reads {
            counters.buffer_read_misses
        } else {
            0
        };
        // some pages that miss the RAM region do not enter it
        let write_entries = match self.has_ram {
            true => self.core.flash_counts().ram_entries,
            false => counters.buffer_write_misses,
        };
        hits + write_entries + read_entries
    }

    /// The simulated time by cause.
    pub fn time(&self) -> TimeParts {
        self.time_of(&self.counters())
    }

    /// The simulated time of the merges, by kind.
    pub fn merge_time(&self) -> MergeTime {
        time::of_merges(&self.core.flash_counts().merge_work, &self.timing)
    }

    /// The programs of host pages, those because of age included, and their time in nanoseconds.
    pub fn host_programs(&self) -> (u64, u64) {
        let pages = self.core.flash_counts().programs - self.core.padding_programs();
        (pages, pages.saturating_mul(time::program(&self.timing)))
    }

    /// The free room, in pages, of log blocks that are not in use yet, on all chips. See
    /// [`Ftl::log_room`](ssdlab_ftl::Ftl::log_room).
    pub fn log_room(&self) -> u64 {
        let chips = self.core.chips.iter();
        chips.map(|chip| u64::from(chip.ftl.log_room())).sum()
    }

    fn time_of(&self, counters: &Counters) -> TimeParts {
        let causes = Causes {
            padding_programs: self.core.padding_programs(),
            buffer_accesses: self.buffer_accesses(counters),
            cleaning: self.cleaning,
        };
        time::serial(counters, &causes, &self.timing)
    }

    /// The erase count of each physical block, in ascending order of chips and blocks.
    pub fn erase_counts(&self) -> Vec<u32> {
        let of_chip = |media: &M| -> Vec<u32> {
            let blocks = (0..media.geometry().physical_blocks()).map(Pbn);
            blocks.map(|block| media.erase_count(block)).collect()
        };
        self.media().flat_map(of_chip).collect()
    }

    /// Compares all tables and counts with the spare areas and with recounts. For tests; slow.
    pub fn check(&mut self) -> Result<(), String> {
        self.stage.check()?;
        self.core
            .chips
            .iter_mut()
            .try_for_each(|Chip { ftl, env }| ftl.check(&mut env.media))
    }

    /// The flash of each chip in order.
    pub fn media(&self) -> impl Iterator<Item = &M> {
        self.core.chips.iter().map(|chip| &chip.env.media)
    }

    /// The states that the batteries of the RAM regions keep, chip by chip; available after an error too.
    pub fn ram(&self) -> Vec<RamImage<M::Data>> {
        let chips = self.core.chips.iter();
        chips.map(|chip| chip.ftl.ram_image(&chip.env)).collect()
    }

    /// Returns the flash of each chip in order. The contents of the buffers are lost.
    pub fn into_media(self) -> Vec<M> {
        let chips = self.core.chips.into_iter();
        chips.map(|chip| chip.env.media).collect()
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
