//! The SSD: buffer and FTL are siblings under one device, above the flash.
//!
//! ```text
//! host request → Device → write buffer (Stage) → FTL → Media
//! ```

mod buffer;
mod core;
mod counters;
mod host_data;
pub mod registry;
mod time;

use ssdlab_config::{Config, PartialWrites, Precondition, Reads, Timing};
use ssdlab_flash::{Array, Fault, Geometry, Media, Payload};
use ssdlab_ftl::{Events, FtlError};
use ssdlab_host::{Op, Request};

use crate::buffer::{Span, Stage};
use crate::core::Core;
use crate::time::Causes;

pub use counters::Counters;
pub use host_data::{HostData, NoData};
pub use time::{MergeTime, TimeParts};

/// Why a request was not served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A read, write or discard of nothing.
    #[error("the request has size 0")]
    Empty,
    /// The request would wrap onto itself.
    #[error("a request of {size} bytes cannot wrap around the device's {capacity} bytes")]
    TooLarge {
        /// The request's size.
        size: u64,
        /// The device's size.
        capacity: u64,
    },
    /// The request ends beyond the device.
    #[error("the request ends at byte {end}, past the device's {capacity} bytes")]
    PastCapacity {
        /// The first byte past the request.
        end: u64,
        /// The device's size.
        capacity: u64,
    },
    /// The FTL or the flash failed. The device must be mounted anew.
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
    caches_reads: bool,
    ages: bool,
}

/// The shape of the flash that a configuration describes.
pub fn geometry(config: &Config) -> Geometry {
    let flash = &config.flash;
    Geometry::new(
        flash.page_size,
        flash.pages_per_block,
        config.logical_blocks(),
        config.physical_blocks(),
        flash.planes,
    )
}

impl<P: Payload + 'static> Device<Array<P>> {
    /// A device with a new array of flash, preconditioned as the configuration says.
    pub fn fresh(config: &Config) -> Result<Self, Fault> {
        Self::fresh_on(config, Ok)
    }
}

impl<M: Media> Device<M>
where
    M::Page: 'static,
{
    /// As [`Device::fresh`], with wrappers around the array.
    pub fn fresh_on(
        config: &Config,
        wrap: impl FnOnce(Array<M::Page>) -> Result<M, Fault>,
    ) -> Result<Self, Fault> {
        let geometry = geometry(config);
        let mut array = Array::new(
            geometry.clone(),
            registry::program_order::<M::Page>(config.ftl.kind),
        );
        if config.precondition == Precondition::Full && geometry.physical_blocks() > 0 {
            array.precondition()?;
        }
        let ftl = registry::fresh_ftl(config, &geometry);
        Ok(Self::assemble(config, wrap(array)?, ftl))
    }

    /// A device over flash that was in use: tables are worked out from the spare areas, counters start at 0, the
    /// buffer is empty. On failure the flash comes back.
    pub fn mount(config: &Config, mut media: M) -> Result<Self, (M, FtlError)> {
        match registry::mount_ftl(config, &mut media) {
            Ok(ftl) => Ok(Self::assemble(config, media, ftl)),
            Err(error) => Err((media, error)),
        }
    }

    fn assemble(config: &Config, media: M, ftl: Box<dyn ssdlab_ftl::Ftl<M>>) -> Self {
        Self {
            stage: registry::stage(config, media.geometry()),
            core: Core::new(media, ftl, config.flash.copy_back),
            timing: config.timing.clone(),
            capacity: config.flash.capacity,
            read_modify_write: config.partial_writes == PartialWrites::Rmw,
            wrap: false,
            drain: config.drain,
            cleaning: registry::cleans(config.ftl.kind),
            has_buffer: config.buffer.policy != registry::NO_BUFFER,
            caches_reads: config.buffer.reads == Reads::Cache,
            ages: config.buffer.flush_age_ns > 0,
        }
    }

    /// Takes page numbers modulo the capacity instead of refusing requests past it.
    pub fn wrap_around(&mut self, wrap: bool) {
        self.wrap = wrap;
    }

    /// Handles every page by itself from now on, as `SSDLAB_PLAIN=1` makes every device do. Changes no result.
    pub fn page_by_page(&mut self) {
        self.core.env.runs = false;
    }

    /// Reports what happens inside from now on.
    pub fn report_to(&mut self, events: Events) {
        self.core.env.events = events;
    }

    /// Serves one request. A refused request changes nothing.
    pub fn submit(
        &mut self,
        request: &Request,
        data: &mut dyn HostData<M::Page>,
    ) -> Result<(), DeviceError> {
        let op = request.op();
        if op != Op::Flush {
            self.admit(request)?;
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
        Ok(())
    }

    /// Does the device take a request of this place and size?
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
        data: &mut dyn HostData<M::Page>,
    ) -> Result<(), FtlError> {
        let (first, count) = self.pages_touched(request);
        let counters = &mut self.core.counters;
        counters.host_reads += 1;
        counters.host_read_bytes += request.size();
        counters.host_read_pages += count;
        self.spans(first, count)
            .try_for_each(|span| self.stage.read(&mut self.core, span, data))
    }

    fn write(
        &mut self,
        request: &Request,
        data: &mut dyn HostData<M::Page>,
    ) -> Result<(), FtlError> {
        let (first, count) = self.pages_touched(request);
        let counters = &mut self.core.counters;
        counters.host_writes += 1;
        counters.host_write_bytes += request.size();
        counters.host_write_pages += count;
        let page_size = self.page_size();
        let partial_head = self.read_modify_write && !request.offset.is_multiple_of(page_size);
        let partial_tail = self.read_modify_write && !request.end().is_multiple_of(page_size);
        for mut span in self.spans(first, count) {
            span.partial_head =
                partial_head && u64::from(span.first) == first % self.logical_pages();
            span.partial_tail = partial_tail
                && u64::from(span.first + span.count - 1)
                    == (first + count - 1) % self.logical_pages();
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
        self.spans(first, count)
            .try_for_each(|span| self.stage.discard(&mut self.core, span))
    }

    /// First page and number of pages that a read or write of at least one byte touches.
    #[inline]
    fn pages_touched(&self, request: &Request) -> (u64, u64) {
        let page_size = self.page_size();
        let (first, last) = if page_size.is_power_of_two() {
            let shift = page_size.trailing_zeros();
            (request.offset >> shift, (request.end() - 1) >> shift)
        } else {
            (request.offset / page_size, (request.end() - 1) / page_size)
        };
        (first, last - first + 1)
    }

    /// The parts of a range of pages, each contiguous on the device.
    fn spans(&self, first: u64, count: u64) -> impl Iterator<Item = Span> + use<M> {
        let all = self.logical_pages();
        let end = first + count;
        let mut at = first;
        std::iter::from_fn(move || {
            let start = if end <= all { at } else { at % all };
            let pages = (end - at).min(all - start);
            let begins = at == first;
            at += pages;
            (pages > 0).then_some(Span {
                first: start as u32,
                count: pages as u32,
                begins,
                partial_head: false,
                partial_tail: false,
            })
        })
    }

    fn page_size(&self) -> u64 {
        u64::from(self.core.geometry().page_size())
    }

    fn logical_pages(&self) -> u64 {
        u64::from(self.core.geometry().logical_pages())
    }

    /// The end of the trace: writes what is dirty, unless the configuration says `drain = false`.
    pub fn finish(&mut self) -> Result<(), DeviceError> {
        if self.drain {
            self.stage.drain(&mut self.core)?;
        }
        Ok(())
    }

    /// All counters as they stand.
    pub fn counters(&self) -> Counters {
        let flash = &self.core.env.counts;
        let mut counters = Counters {
            flash_programs: flash.programs,
            flash_copies: flash.copies,
            copy_backs: flash.copy_backs,
            erases: flash.erases,
            switch_merges: flash.switch_merges,
            partial_merges: flash.partial_merges,
            full_merges: flash.full_merges,
            flash_reads: self.core.counters.flash_reads + self.core.counters.padding_reads,
            ..self.core.counters.clone()
        };
        if self.has_buffer {
            counters.buffer_write_misses = counters.host_write_pages - counters.buffer_write_hits;
        }
        counters.elapsed_ns = self.time_of(&counters).total();
        counters
    }

    /// Pages that hit or entered the buffer: each costs one access of its memory.
    fn buffer_accesses(&self, counters: &Counters) -> u64 {
        let hits = counters.buffer_write_hits + counters.buffer_read_hits;
        let read_entries = if self.caches_reads {
            counters.buffer_read_misses
        } else {
            0
        };
        hits + counters.buffer_write_misses + read_entries
    }

    /// Where the simulated time went.
    pub fn time(&self) -> TimeParts {
        self.time_of(&self.counters())
    }

    /// What the merges of each kind took of it.
    pub fn merge_time(&self) -> MergeTime {
        time::of_merges(&self.core.env.counts.merge_work, &self.timing)
    }

    /// Pages of the host that were programmed, because of their age too, and the nanoseconds that this took.
    pub fn host_programs(&self) -> (u64, u64) {
        let pages = self.core.env.counts.programs - self.core.padding_programs();
        (pages, pages.saturating_mul(time::program(&self.timing)))
    }

    fn time_of(&self, counters: &Counters) -> TimeParts {
        let causes = Causes {
            padding_programs: self.core.padding_programs(),
            buffer_accesses: self.buffer_accesses(counters),
            cleaning: self.cleaning,
        };
        time::serial(counters, &causes, &self.timing)
    }

    /// Erases of each physical block, in ascending order of blocks.
    pub fn erase_counts(&self) -> Vec<u32> {
        let blocks = self.core.geometry().physical_blocks();
        (0..blocks)
            .map(|b| self.core.env.media.erase_count(ssdlab_flash::Pbn(b)))
            .collect()
    }

    /// Compares all cached tables and counts with the spare areas and with recounts. For tests; slow.
    pub fn check(&mut self) -> Result<(), String> {
        self.stage.check()?;
        self.core.ftl.check(&mut self.core.env.media)
    }

    /// The flash.
    pub fn media(&self) -> &M {
        &self.core.env.media
    }

    /// Gives the flash back; whatever the buffer holds is lost.
    pub fn into_media(self) -> M {
        self.core.env.media
    }
}
