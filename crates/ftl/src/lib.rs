//! Flash translation layers: each maps logical pages to flash and is one file named as in its paper.

mod bast;
mod bavbs;
mod block;
mod buffer;
mod check;
mod cleaned;
mod env;
mod event;
mod fast;
mod free_list;
mod ideal;
mod kind;
mod page;
mod ram_image;
mod replacement;
mod scan;
mod superblock;

use ssdlab_flash::{Fault, Geometry, Lbn, Lpn, Media, Page};
use ssdlab_policy::Entry;

pub use bavbs::Costs;
pub use buffer::{Buffer, BufferView, Held, HeldPages};
pub use env::{Env, FlashCounts, OpenMerge, Work};
pub use event::{Event, Events, MergeKind};
pub use kind::{BufferAware, Clock, FtlKind, Impossible, Kind, Params, Size};
pub use ram_image::{RamImage, RamPage};

macro_rules! registry {
    ($($kind:ty,)*) => {
        /// Every FTL that can run.
        pub const ENTRIES: &[Entry] = &[$(<$kind as FtlKind>::ENTRY),*];

        const KINDS: &[Kind] = &[$(Kind::of::<$kind>()),*];

        /// The FTL of this name over a new array; `full`: a preconditioned one.
        ///
        /// # Panics
        /// If no FTL has this name.
        pub fn fresh<M: Media>(
            name: &str,
            params: &Params,
            geometry: &Geometry,
            full: bool,
        ) -> Box<dyn Ftl<M>>
        where
            M::Page: 'static,
        {
            $(if name == <$kind as FtlKind>::ENTRY.name {
                return <$kind as FtlKind>::fresh(params, geometry, full);
            })*
            unregistered(name)
        }

        /// The FTL of this name over flash that was in use, see [`FtlKind::mount`].
        ///
        /// # Panics
        /// If no FTL has this name.
        pub fn mount<M: Media>(
            name: &str,
            params: &Params,
            media: &mut M,
        ) -> Result<Box<dyn Ftl<M>>, FtlError>
        where
            M::Page: 'static,
        {
            $(if name == <$kind as FtlKind>::ENTRY.name {
                return <$kind as FtlKind>::mount(params, media);
            })*
            unregistered(name)
        }
    };
}

registry! {
    ideal::Ideal<()>,
    block::Block,
    replacement::Replacement,
    bast::Bast,
    fast::Fast,
    superblock::SuperblockFtl,
    page::PageMapping<()>,
}

/// What the FTL of this name declares.
///
/// # Panics
/// If no FTL has this name.
pub fn kind(name: &str) -> &'static Kind {
    let found = KINDS.iter().find(|kind| kind.entry.name == name);
    found.unwrap_or_else(|| unregistered(name))
}

fn unregistered(name: &str) -> ! {
    unreachable!("ftl.kind {name:?} passed the validation but is not registered")
}

/// How many pages are foreseen at once: enough for the memory to fetch side by side, and few enough to stay in the
/// nearest cache until they are written.
pub const AHEAD: usize = 32;

/// What a look-up found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Never written, or discarded since.
    Unmapped,
    /// Read from flash.
    Flash,
    /// Taken from a region in RAM.
    Ram,
}

/// A page that was looked up.
#[derive(Clone, Debug)]
pub struct Lookup<P> {
    /// What was found.
    pub found: Found,
    /// What was read, if it was found.
    pub page: P,
}

impl<P> Lookup<P> {
    /// Has the page a version?
    #[inline]
    pub fn is_found(&self) -> bool {
        self.found != Found::Unmapped
    }
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
    /// Cleaning can win nothing; the configuration promised more.
    #[error("the device is over-filled: no full block has an invalid page to be cleaned")]
    OverFilled,
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
    /// The image was written with more replacement blocks than the configuration allows.
    #[error("mount: {found} replacement blocks are open, more than ftl.open_blocks allows")]
    TooManyOpen {
        /// Open.
        found: u32,
    },
    /// The image was written with more update blocks for each superblock than the configuration allows.
    #[error(
        "mount: a superblock has {found} update blocks, more than ftl.max_update_blocks allows"
    )]
    TooManyUpdates {
        /// Those of the first such superblock.
        found: u32,
    },
    /// More pages were kept in RAM than the configuration has room for.
    #[error("mount: {found} pages were kept in RAM, more than ftl.ram has room for")]
    TooManyInRam {
        /// Kept.
        found: u32,
    },
}

/// A flash translation layer over one device. An LPN beyond the logical pages panics, as an index does.
///
/// After an error the FTL must not be used again; mount the media anew.
pub trait Ftl<M: Media> {
    /// Writes one page. The old version stays valid until the new one is programmed, after all merges. These ask the
    /// buffer, if it is lent; it does not hold the page itself.
    fn write(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Page>,
        lpn: Lpn,
        page: &M::Page,
    ) -> Result<(), FtlError>;

    /// Writes consecutive pages of one logical block that all carry the same data, exactly as one [`Ftl::write`] after
    /// the other would, with merges that ask nothing.
    fn write_run(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        count: u32,
        data: &M::Page,
    ) -> Result<(), FtlError> {
        let mut lpns = first.lpn.0..first.lpn.0 + count;
        lpns.try_for_each(|lpn| self.write(env, &mut Buffer::none(), Lpn(lpn), data))
    }

    /// How many of `count` consecutive pages have a version.
    fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        (first.0..first.0 + count)
            .filter(|&lpn| self.is_mapped(Lpn(lpn)))
            .count() as u32
    }

    /// These pages will be written soon, at most [`AHEAD`] of them: a chance to fetch what they touch from memory all at
    /// once instead of one by one. Changes nothing.
    fn foresee(&self, _pages: &[Lpn]) {}

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
            mapped += u32::from(page.is_found());
        }
        Ok(mapped)
    }

    /// Writes those of consecutive pages of one logical block that were found, one [`Ftl::write`] after the other,
    /// with merges that ask nothing.
    fn write_each(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        pages: &[Lookup<M::Page>],
    ) -> Result<(), FtlError> {
        for (lpn, page) in (first.lpn.0..).zip(pages) {
            if page.is_found() {
                self.write(env, &mut Buffer::none(), Lpn(lpn), &page.page)?;
            }
        }
        Ok(())
    }

    /// Has the page a version?
    fn is_mapped(&self, lpn: Lpn) -> bool;

    /// Pages that the log blocks not yet in use can take: 0 once all are in use, and where there are none. A run that
    /// still fills them has not reached a steady state.
    fn log_room(&self) -> u32 {
        0
    }

    /// Does its newest version lie in a region in RAM?
    fn is_in_ram(&self, _: Lpn) -> bool {
        false
    }

    /// Forgets a page. No block is erased or merged by it.
    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError>;

    /// Writes all pages of a region in RAM back to flash: the end of the trace.
    fn drain(&mut self, _: &mut Env<M>) -> Result<(), FtlError> {
        Ok(())
    }

    /// What the battery of a region in RAM keeps, at any moment: after an error as well.
    fn ram_image(&self, _: &Env<M>) -> RamImage<M::Page> {
        RamImage::default()
    }

    /// After a mount, before anything else: goes on with what the battery kept.
    fn restore_ram(&mut self, _: &mut Env<M>, image: &RamImage<M::Page>) -> Result<(), FtlError> {
        match image.pages.len() as u32 {
            0 => Ok(()),
            found => Err(FtlError::TooManyInRam { found }),
        }
    }

    /// Recomputes from the spare areas and from scratch whatever is kept in tables, and names the first difference.
    /// For tests, on media that keep spare areas.
    fn check(&self, media: &mut M) -> Result<(), String>;
}
