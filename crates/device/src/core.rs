//! What lies below the write buffer: the FTL, the flash, and the counts of both.

use ssdlab_flash::{Geometry, Lpn, Media, Page, Payload};
use ssdlab_ftl::{Env, Events, FlashCounts, Found, Ftl, FtlError, Lookup};

use crate::{Counters, buffer};

/// The sibling of the write buffer: everything that a buffer may call, and that may not call it.
pub(crate) struct Core<M: Media> {
    pub ftl: Box<dyn Ftl<M>>,
    pub env: Env<M>,
    /// What is counted above the FTL, padding reads not among the flash reads; `Device::counters` adds the rest.
    pub counters: Counters,
    /// Clean pages that were written because they belonged to a padded victim.
    pub padded_clean_pages: u64,
    scratch: M::Page,
}

impl<M: Media> Core<M> {
    pub fn new(media: M, ftl: Box<dyn Ftl<M>>, copy_back: bool) -> Self {
        Self {
            scratch: M::Page::blank(media.geometry().page_size()),
            env: Env {
                media,
                counts: FlashCounts::default(),
                events: Events::default(),
                copy_back,
                runs: buffer::runs_allowed::<M::Page>(),
            },
            ftl,
            counters: Counters::default(),
            padded_clean_pages: 0,
        }
    }

    pub fn geometry(&self) -> &Geometry {
        self.env.media.geometry()
    }

    /// Writes a page to flash.
    #[inline]
    pub fn write(&mut self, lpn: Lpn, data: &M::Page) -> Result<(), FtlError> {
        self.ftl.write(&mut self.env, lpn, data)
    }

    /// Writes consecutive pages of one logical block that carry nothing.
    #[inline]
    pub fn write_run(&mut self, first: Page, count: u32, data: &M::Page) -> Result<(), FtlError> {
        self.ftl.write_run(&mut self.env, first, count, data)
    }

    /// A host read that the buffer cannot serve. `None`: the page is unmapped.
    pub fn read(&mut self, lpn: Lpn) -> Result<Option<&M::Page>, FtlError> {
        match self.ftl.read(&mut self.env, lpn, &mut self.scratch)? {
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

    /// Reads consecutive pages of one logical block to pad a victim.
    pub fn read_padding(
        &mut self,
        first: Page,
        pages: &mut [Lookup<M::Page>],
    ) -> Result<(), FtlError> {
        let read = self.ftl.read_each(&mut self.env, first, pages)?;
        self.counters.padding_reads += u64::from(read);
        Ok(())
    }

    /// Writes what [`Core::read_padding`] found.
    pub fn write_padding(
        &mut self,
        first: Page,
        pages: &[Lookup<M::Page>],
    ) -> Result<(), FtlError> {
        self.ftl.write_each(&mut self.env, first, pages)
    }

    /// Programs that only pad a victim: each page read for it is programmed too. Part of the FTL's programs.
    pub fn padding_programs(&self) -> u64 {
        self.counters.padding_reads + self.padded_clean_pages
    }

    /// The read of a read-modify-write: counted, if there is anything to read. The host data cover the whole page.
    pub fn read_modify(&mut self, lpn: Lpn) {
        self.counters.flash_reads += u64::from(self.ftl.is_mapped(lpn));
    }

    pub fn discard(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.ftl.discard(&mut self.env, lpn)
    }
}
