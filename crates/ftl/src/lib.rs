//! Flash translation layers (FTLs) map logical pages to flash. Each FTL is one module with the name from its paper.

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
        /// All FTLs.
        pub const ENTRIES: &[Entry] = &[$(<$kind as FtlKind>::ENTRY),*];

        const KINDS: &[Kind] = &[$(Kind::of::<$kind>()),*];

        /// The FTL of this name over a new array; `full` means that the array is preconditioned.
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

        /// The FTL of this name over flash that was used before; see [`FtlKind::mount`].
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

/// The declaration of the FTL of this name.
///
/// # Panics
/// If no FTL has this name.
pub fn kind(name: &str) -> &'static Kind {
    let found = KINDS.iter().find(|kind| kind.entry.name == name);
    found.unwrap_or_else(|| unregistered(name))
}

fn unregistered(name: &str) -> ! {
    unreachable!("ftl.kind {name:?} passed validation but is not registered")
}

/// The most pages that [`Ftl::foresee`] takes at once: enough for parallel memory accesses, and few enough to stay in
/// the L1 cache until they are written.
pub const AHEAD: usize = 32;

/// The result of a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Never written, or discarded.
    Unmapped,
    /// Read from flash.
    Flash,
    /// Read from the RAM region.
    Ram,
}

/// A look-up of a page.
#[derive(Clone, Debug)]
pub struct Lookup<P> {
    /// The result.
    pub found: Found,
    /// The data that were read; unchanged if the page is unmapped.
    pub page: P,
}

impl<P> Lookup<P> {
    /// Whether the page has a version.
    #[inline]
    pub fn is_found(&self) -> bool {
        self.found != Found::Unmapped
    }
}

/// Why an FTL failed. The type is small, so that every operation returns it in registers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FtlError {
    /// A flash operation failed.
    #[error("flash: {0}")]
    Flash(#[from] Fault),
    /// No erased block is left, although the configuration should guarantee one.
    #[error("no free block is left")]
    NoFreeBlock,
    /// Cleaning cannot gain a page, although the configuration should guarantee that it can.
    #[error(
        "the device is over-filled: no full block has an invalid page that cleaning could gain"
    )]
    OverFilled,
    /// This FTL cannot be mounted: the bound has no flash.
    #[error("this kind of FTL cannot be mounted")]
    CannotMount,
    /// The spare areas show a state that no power cut can leave.
    #[error("mount: the blocks of logical block {lbn:?} contradict each other")]
    Inconsistent {
        /// The logical block.
        lbn: Lbn,
    },
    /// More log blocks are in use than the configuration allows.
    #[error("mount: {found} log blocks are in use, more than ftl.log_blocks allows")]
    TooManyLogs {
        /// Log blocks in use.
        found: u32,
    },
    /// More replacement blocks are open than the configuration allows.
    #[error("mount: {found} replacement blocks are open, more than ftl.open_blocks allows")]
    TooManyOpen {
        /// Open replacement blocks.
        found: u32,
    },
    /// A superblock has more update blocks than the configuration allows.
    #[error(
        "mount: a superblock has {found} update blocks, more than ftl.max_update_blocks allows"
    )]
    TooManyUpdates {
        /// Update blocks of the first such superblock.
        found: u32,
    },
    /// More pages were kept in RAM than the configuration has room for.
    #[error("mount: {found} pages were kept in RAM, more than ftl.ram has room for")]
    TooManyInRam {
        /// Pages kept in RAM.
        found: u32,
    },
}

/// A flash translation layer over one device. An LPN beyond the logical pages panics.
///
/// After an error, the FTL must not be used again; mount the media again.
pub trait Ftl<M: Media> {
    /// Writes one page. The old version stays valid until the new one is programmed, after all merges. Merges use the
    /// buffer if it is lent; the buffer does not hold the written page itself.
    fn write(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Page>,
        lpn: Lpn,
        page: &M::Page,
    ) -> Result<(), FtlError>;

    /// Writes consecutive pages of one logical block, all with the same data. The result is that of one [`Ftl::write`]
    /// for each page in ascending order, with merges that do not use the buffer.
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

    /// The number of mapped pages among `count` consecutive ones.
    fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        (first.0..first.0 + count)
            .filter(|&lpn| self.is_mapped(Lpn(lpn)))
            .count() as u32
    }

    /// Announces at most [`AHEAD`] pages that will soon be written, so that their memory is prefetched in parallel.
    /// Changes nothing.
    fn foresee(&self, _pages: &[Lpn]) {}

    /// Reads the newest version of a page into `page`; `page` is unchanged if the page is unmapped.
    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Page) -> Result<Found, FtlError>;

    /// Reads consecutive pages of one logical block with one [`Ftl::read`] for each, and returns the number of mapped
    /// pages.
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

    /// Writes the found pages among consecutive pages of one logical block, with one [`Ftl::write`] for each and merges
    /// that do not use the buffer.
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

    /// Whether the page has a version.
    fn is_mapped(&self, lpn: Lpn) -> bool;

    /// Free room in log blocks that are not in use yet, in pages; 0 if all are in use or the FTL has none. A run that
    /// still fills this room has not reached a steady state.
    fn log_room(&self) -> u32 {
        0
    }

    /// Whether the newest version of the page is in the RAM region.
    fn is_in_ram(&self, _: Lpn) -> bool {
        false
    }

    /// Discards a page. This causes no erase and no merge.
    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError>;

    /// Writes all pages in the RAM region back to flash, at the end of the trace.
    fn drain(&mut self, _: &mut Env<M>) -> Result<(), FtlError> {
        Ok(())
    }

    /// The state that the battery of the RAM region keeps. Available at any moment, also after an error.
    fn ram_image(&self, _: &Env<M>) -> RamImage<M::Page> {
        RamImage::default()
    }

    /// Restores the state that the battery kept. Called right after a mount.
    fn restore_ram(&mut self, _: &mut Env<M>, image: &RamImage<M::Page>) -> Result<(), FtlError> {
        match image.pages.len() as u32 {
            0 => Ok(()),
            found => Err(FtlError::TooManyInRam { found }),
        }
    }

    /// Compares all tables with the spare areas and all counts with recounts, and returns the first difference. For
    /// tests, on media that keep spare areas.
    fn check(&self, media: &mut M) -> Result<(), String>;
}
