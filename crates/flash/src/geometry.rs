//! Addresses and the shape of a device.

use std::fmt;
use std::num::NonZeroU32;

macro_rules! address {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Marks "no such address" in dense tables; never a legal address.
            pub const NONE: $name = $name(u32::MAX);

            /// As an index of a dense table.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Is it an address at all?
            #[inline]
            pub const fn is_some(self) -> bool {
                self.0 != u32::MAX
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if self.is_some() { write!(f, "{}", self.0) } else { f.write_str("none") }
            }
        }
    };
}

address! {
    /// Logical page number.
    Lpn
}
address! {
    /// Logical block number: LPN div pages per block.
    Lbn
}
address! {
    /// Physical page number: PBN × pages per block + position in the block.
    Ppn
}
address! {
    /// Physical (erase) block number.
    Pbn
}

/// A logical page, split once into its block and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The page.
    pub lpn: Lpn,
    /// Its logical block.
    pub lbn: Lbn,
    /// Its offset in the block, below `pages_per_block`.
    pub offset: u32,
}

/// The shape of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    page_size: u32,
    pages_per_block: NonZeroU32,
    /// log2 of `pages_per_block`, or 32 where it is no power of two: a division per page is dear.
    shift: u32,
    logical_blocks: u32,
    physical_blocks: u32,
    planes: u32,
}

impl Geometry {
    /// A device of `logical_blocks` for the host over `physical_blocks` of flash (0 for the `ideal` FTL, which has
    /// none). `pages_per_block` need not be a power of two; block b lies in plane b mod `planes`.
    ///
    /// # Panics
    /// If `pages_per_block` or `planes` is 0, or if there are more than 2^32 - 2 pages.
    pub fn new(
        page_size: u32,
        pages_per_block: u32,
        logical_blocks: u32,
        physical_blocks: u32,
        planes: u32,
    ) -> Self {
        assert!(planes > 0);
        let pages = u64::from(logical_blocks.max(physical_blocks)) * u64::from(pages_per_block);
        assert!(pages < u64::from(u32::MAX));
        let shift = if pages_per_block.is_power_of_two() {
            pages_per_block.trailing_zeros()
        } else {
            32
        };
        let pages_per_block = NonZeroU32::new(pages_per_block).expect("a block has pages");
        Self {
            page_size,
            pages_per_block,
            shift,
            logical_blocks,
            physical_blocks,
            planes,
        }
    }

    /// Bytes of a page.
    #[inline]
    pub const fn page_size(&self) -> u32 {
        self.page_size
    }

    /// N: pages of an erase block.
    #[inline]
    pub const fn pages_per_block(&self) -> u32 {
        self.pages_per_block.get()
    }

    /// Blocks that the host sees.
    pub const fn logical_blocks(&self) -> u32 {
        self.logical_blocks
    }

    /// Erase blocks of the flash.
    pub const fn physical_blocks(&self) -> u32 {
        self.physical_blocks
    }

    /// Pages that the host sees.
    #[inline]
    pub const fn logical_pages(&self) -> u32 {
        self.logical_blocks * self.pages_per_block()
    }

    /// Pages of the flash.
    pub const fn physical_pages(&self) -> u32 {
        self.physical_blocks * self.pages_per_block()
    }

    #[inline]
    fn split(&self, page: u32) -> (u32, u32) {
        if self.shift < 32 {
            (page >> self.shift, page & (self.pages_per_block() - 1))
        } else {
            (page / self.pages_per_block, page % self.pages_per_block)
        }
    }

    /// Block and offset of a logical page.
    #[inline]
    pub fn page(&self, lpn: Lpn) -> Page {
        let (lbn, offset) = self.split(lpn.0);
        Page {
            lpn,
            lbn: Lbn(lbn),
            offset,
        }
    }

    /// The page at an offset of a logical block.
    #[inline]
    pub const fn page_at(&self, lbn: Lbn, offset: u32) -> Page {
        Page {
            lpn: Lpn(lbn.0 * self.pages_per_block() + offset),
            lbn,
            offset,
        }
    }

    /// The physical page at a position of a block.
    #[inline]
    pub const fn ppn(&self, block: Pbn, position: u32) -> Ppn {
        Ppn(block.0 * self.pages_per_block() + position)
    }

    /// Block and position of a physical page.
    #[inline]
    pub fn place(&self, ppn: Ppn) -> (Pbn, u32) {
        let (block, position) = self.split(ppn.0);
        (Pbn(block), position)
    }

    /// The pages of a block in order.
    pub fn pages_of(&self, block: Pbn) -> impl Iterator<Item = Ppn> + use<> {
        let first = self.ppn(block, 0).0;
        (first..first + self.pages_per_block()).map(Ppn)
    }

    /// Do two physical pages lie in the same plane, so that a copy-back can move one to the other?
    pub fn same_plane(&self, a: Ppn, b: Ppn) -> bool {
        self.place(a).0.0 % self.planes == self.place(b).0.0 % self.planes
    }
}
