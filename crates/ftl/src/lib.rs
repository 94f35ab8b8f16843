//! Flash translation layers: each maps logical pages to flash and is one file named as in its paper.

mod bast;
mod env;
mod event;
mod free_list;
mod ideal;
mod scan;

use ssdlab_flash::{Fault, Lbn, Lpn, Media, Page};
use ssdlab_policy::Entry;

pub use bast::{Bast, BastConfig};
pub use env::{Env, FlashCounts, OpenMerge, Work};
pub use event::{Event, Events, MergeKind};
pub use ideal::Ideal;

/// Every FTL that can run.
pub const ENTRIES: &[Entry] = &[ideal::ENTRY, bast::ENTRY];

/// FTLs of the papers that are not built yet: refused by name.
pub const PLANNED: &[&str] = &["block", "replacement", "fast", "superblock", "page"];

/// What a look-up found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Never written, or discarded since.
    Unmapped,
    /// Read from flash.
    Flash,
}

/// A page that was looked up.
#[derive(Clone, Debug)]
pub struct Lookup<P> {
    /// What was found.
    pub found: Found,
    /// What was read, if it was found.
    pub page: P,
}

/// Why an FTL could not do its work. Small: it comes back in registers from every page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FtlError {
    /// The flash refused or failed.
    #[error("flash: {0}")]
    Flash(#[from] Fault),
    /// No erased block is left; the configuration promised one.
    #[error("no free block is left")]
    NoFreeBlock,
    /// A bound, for one, has no flash to mount.
    #[error("this kind of FTL cannot be mounted")]
    CannotMount,
    /// The blocks found while mounting cannot be what a power cut leaves.
    #[error("mount: the blocks of logical block {lbn:?} contradict each other")]
    Inconsistent {
        /// The logical block.
        lbn: Lbn,
    },
    /// The image was written with more log blocks than the configuration allows.
    #[error("mount: {found} log blocks are in use, more than ftl.log_blocks allows")]
    TooManyLogs {
        /// In use.
        found: u32,
    },
}

/// A flash translation layer over one device. An LPN beyond the logical pages panics, as an index does.
///
/// After an error the FTL must not be used again; mount the media anew.
pub trait Ftl<M: Media> {
    /// Writes one page. The old version stays valid until the new one is programmed, after all merges.
    fn write(&mut self, env: &mut Env<M>, lpn: Lpn, page: &M::Page) -> Result<(), FtlError>;

    /// Writes consecutive pages of one logical block that all carry the same data, exactly as one [`Ftl::write`] after
    /// the other would.
    fn write_run(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        count: u32,
        data: &M::Page,
    ) -> Result<(), FtlError> {
        (first.lpn.0..first.lpn.0 + count).try_for_each(|lpn| self.write(env, Lpn(lpn), data))
    }

    /// How many of `count` consecutive pages have a version.
    fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        (first.0..first.0 + count)
            .filter(|&lpn| self.is_mapped(Lpn(lpn)))
            .count() as u32
    }

    /// Reads the newest version of a page into `page`, which stays as it is if the page is unmapped.
    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Page) -> Result<Found, FtlError>;

    /// Reads consecutive pages of one logical block, one [`Ftl::read`] after the other, and returns how many have a
    /// version.
    fn read_each(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        pages: &mut [Lookup<M::Page>],
    ) -> Result<u32, FtlError> {
        let mut mapped = 0;
        for (lpn, page) in (first.lpn.0..).zip(pages) {
            page.found = self.read(env, Lpn(lpn), &mut page.page)?;
            mapped += u32::from(page.found != Found::Unmapped);
        }
        Ok(mapped)
    }

    /// Writes those of consecutive pages of one logical block that were found, one [`Ftl::write`] after the other.
    fn write_each(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        pages: &[Lookup<M::Page>],
    ) -> Result<(), FtlError> {
        for (lpn, page) in (first.lpn.0..).zip(pages) {
            if page.found != Found::Unmapped {
                self.write(env, Lpn(lpn), &page.page)?;
            }
        }
        Ok(())
    }

    /// Has the page a version?
    fn is_mapped(&self, lpn: Lpn) -> bool;

    /// Forgets a page. No block is erased or merged by it.
    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError>;

    /// Recomputes from the spare areas and from scratch whatever is kept in tables, and names the first difference.
    /// For tests, on media that keep spare areas.
    fn check(&self, media: &mut M) -> Result<(), String>;
}
