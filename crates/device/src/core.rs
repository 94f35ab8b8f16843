//! What lies below the write buffer: the FTL, the flash, and the counts of both.

use ssdlab_flash::{Geometry, Lpn, Media, Payload};
use ssdlab_ftl::{Env, Events, FlashCounts, Found, Ftl, FtlError};

use crate::Counters;

/// The sibling of the write buffer: everything that a buffer may call, and that may not call it.
pub(crate) struct Core<M: Media> {
    pub media: M,
    pub ftl: Box<dyn Ftl<M>>,
    pub flash: FlashCounts,
    pub events: Events,
    pub copy_back: bool,
    /// What is counted above the FTL; `Device::counters` adds the rest.
    pub counters: Counters,
    /// Programs that only fill the gaps of a padded victim. Part of `flash.programs`.
    pub padding_programs: u64,
    scratch: M::Page,
}

impl<M: Media> Core<M> {
    pub fn new(media: M, ftl: Box<dyn Ftl<M>>, copy_back: bool) -> Self {
        let scratch = M::Page::blank(media.geometry().page_size());
        Self {
            media,
            ftl,
            flash: FlashCounts::default(),
            events: Events::default(),
            copy_back,
            counters: Counters::default(),
            padding_programs: 0,
            scratch,
        }
    }

    pub fn geometry(&self) -> &Geometry {
        self.media.geometry()
    }

    /// The FTL, what it works on, and a page to read into, apart from each other.
    #[inline]
    fn split(&mut self) -> (&mut dyn Ftl<M>, Env<'_, M>, &mut M::Page) {
        let env = Env {
            media: &mut self.media,
            counts: &mut self.flash,
            events: &mut self.events,
            copy_back: self.copy_back,
        };
        (&mut *self.ftl, env, &mut self.scratch)
    }

    /// Writes a page to flash.
    #[inline]
    pub fn write(&mut self, lpn: Lpn, data: &M::Page) -> Result<(), FtlError> {
        let (ftl, mut env, _) = self.split();
        ftl.write(&mut env, lpn, data)
    }

    /// Writes consecutive pages of one logical block that carry nothing.
    #[inline]
    pub fn write_run(&mut self, first: Lpn, count: u32, data: &M::Page) -> Result<(), FtlError> {
        let (ftl, mut env, _) = self.split();
        let first = env.media.geometry().page(first);
        ftl.write_run(&mut env, first, count, data)
    }

    /// A host read that the buffer cannot serve. `None`: the page is unmapped.
    pub fn read(&mut self, lpn: Lpn) -> Result<Option<&M::Page>, FtlError> {
        let (ftl, mut env, scratch) = self.split();
        match ftl.read(&mut env, lpn, scratch)? {
            Found::Flash => {
                self.counters.flash_reads += 1;
                Ok(Some(&self.scratch))
            }
            Found::Unmapped => {
                self.counters.unmapped_reads += 1;
                Ok(None)
            }
        }
    }

    /// Reads a page to pad a victim; false if it is unmapped.
    #[inline]
    pub fn read_padding(&mut self, lpn: Lpn, into: &mut M::Page) -> Result<bool, FtlError> {
        let (ftl, mut env, _) = self.split();
        if ftl.read(&mut env, lpn, into)? == Found::Unmapped {
            return Ok(false);
        }
        self.counters.flash_reads += 1;
        self.counters.padding_reads += 1;
        Ok(true)
    }

    /// The read of a read-modify-write: counted, if there is anything to read. The host data cover the whole page.
    pub fn read_modify(&mut self, lpn: Lpn) {
        self.counters.flash_reads += u64::from(self.ftl.is_mapped(lpn));
    }

    pub fn discard(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        let (ftl, mut env, _) = self.split();
        ftl.discard(&mut env, lpn)
    }
}
