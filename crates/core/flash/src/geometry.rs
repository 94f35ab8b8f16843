//! Addresses, and the geometry of a device.

use core::fmt;

macro_rules! address {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Marks "no address" in dense tables. It is never a legal address.
            pub const NONE: $name = $name(u32::MAX);

            /// The address as an index of a dense table.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The address `n` further on.
            #[inline]
            pub const fn plus(self, n: u32) -> Self {
                Self(self.0 + n)
            }

            /// False for `NONE`.
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

/// A logical page with its block and its offset, computed once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The page.
    pub lpn: Lpn,
    /// Its logical block.
    pub lbn: Lbn,
    /// Its offset in the block, below `pages_per_block`.
    pub offset: u32,
}

impl Page {
    /// The page `pages` further on in the same block.
    #[inline]
    pub const fn plus(self, pages: u32) -> Self {
        Self {
            lpn: self.lpn.plus(pages),
            offset: self.offset + pages,
            ..self
        }
    }
}

/// The geometry of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    page_size: u32,
    pages_per_block: u32,
    /// floor((2^64 - 1) / `pages_per_block`). A division for each page is slow; a multiplication is not.
    reciprocal: u64,
    logical_blocks: u32,
    physical_blocks: u32,
    planes: u32,
    /// The chips that each block spans.
    chips: u32,
    /// Pages of the FTL's own.
    own_pages: u32,
    /// Blocks behind the others, for such pages alone.
    own_blocks: u32,
}

impl Geometry {
    /// A device with `logical_blocks` for the host and `physical_blocks` of flash (0 for the `ideal` FTL, which has no
    /// flash blocks). `pages_per_block` need not be a power of two. Block b is in plane b mod `planes`.
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
        assert!(planes > 0 && pages_per_block > 0);
        let pages = u64::from(logical_blocks.max(physical_blocks)) * u64::from(pages_per_block);
        assert!(pages < u64::from(u32::MAX));
        Self {
            page_size,
            pages_per_block,
            reciprocal: u64::MAX / u64::from(pages_per_block),
            logical_blocks,
            physical_blocks,
            planes,
            chips: 1,
            own_pages: 0,
            own_blocks: 0,
        }
    }

    /// The same with blocks that span `chips` chips, as lines of one erase block on each: the page at position p of a
    /// block is on chip p mod `chips`.
    ///
    /// # Panics
    /// If the pages of a block are not a multiple of `chips`.
    pub fn in_lines(self, chips: u32) -> Self {
        assert!(self.pages_per_block.is_multiple_of(chips));
        Self { chips, ..self }
    }

    /// The same with pages of the FTL's own, which have the numbers behind the logical pages.
    ///
    /// # Panics
    /// If there are more than 2^32 - 2 numbers.
    pub fn with_own_pages(self, own_pages: u32) -> Self {
        let pages = u64::from(self.logical_pages()) + u64::from(own_pages);
        assert!(pages < u64::from(u32::MAX));
        Self { own_pages, ..self }
    }

    /// The same with erase blocks behind the others that hold nothing but pages of the FTL's own. They count in
    /// [`Geometry::all_blocks`] alone.
    ///
    /// # Panics
    /// If there are more than 2^32 - 2 pages.
    pub fn with_own_blocks(self, own_blocks: u32) -> Self {
        let blocks = u64::from(self.physical_blocks) + u64::from(own_blocks);
        assert!(blocks * u64::from(self.pages_per_block) < u64::from(u32::MAX));
        Self { own_blocks, ..self }
    }

    /// The number of erase blocks that hold nothing but pages of the FTL's own.
    pub const fn own_blocks(&self) -> u32 {
        self.own_blocks
    }

    /// The number of pages of the FTL's own.
    pub const fn own_pages(&self) -> u32 {
        self.own_pages
    }

    /// The page of the FTL's own with this index, below [`Geometry::own_pages`].
    #[inline]
    pub const fn own_page(&self, index: u32) -> Lpn {
        Lpn(self.logical_pages() + index)
    }

    /// The index of a page of the FTL's own; `None` for a logical page.
    #[inline]
    pub const fn own_index(&self, lpn: Lpn) -> Option<u32> {
        lpn.0.checked_sub(self.logical_pages())
    }

    /// The number of pages that spare areas can name: logical pages and those of the FTL's own.
    pub const fn named_pages(&self) -> u32 {
        self.logical_pages() + self.own_pages
    }

    /// The chips that each block spans; 1 unless blocks are lines.
    #[inline]
    pub const fn chips(&self) -> u32 {
        self.chips
    }

    /// The planes of the flash.
    #[inline]
    pub const fn planes(&self) -> u32 {
        self.planes
    }

    /// Size of a page in bytes.
    #[inline]
    pub const fn page_size(&self) -> u32 {
        self.page_size
    }

    /// N: pages in an erase block.
    #[inline]
    pub const fn pages_per_block(&self) -> u32 {
        self.pages_per_block
    }

    /// Number of logical blocks, the capacity that the host sees.
    pub const fn logical_blocks(&self) -> u32 {
        self.logical_blocks
    }

    /// Number of erase blocks in the flash, without those for pages of the FTL's own.
    pub const fn physical_blocks(&self) -> u32 {
        self.physical_blocks
    }

    /// Number of logical pages, the capacity that the host sees.
    #[inline]
    pub const fn logical_pages(&self) -> u32 {
        self.logical_blocks * self.pages_per_block()
    }

    /// Number of pages in these blocks.
    pub const fn physical_pages(&self) -> u32 {
        self.physical_blocks * self.pages_per_block()
    }

    /// Number of all erase blocks in the flash.
    pub const fn all_blocks(&self) -> u32 {
        self.physical_blocks + self.own_blocks
    }

    /// Number of all pages in the flash.
    pub const fn all_pages(&self) -> u32 {
        self.all_blocks() * self.pages_per_block()
    }

    /// `page` div N, exactly. The reciprocal is at most 1 less than 2^64 / N, so the product is (`page` + 1) / N minus
    /// an error of at most 2^-32, which is smaller than 1 / N.
    #[inline]
    fn block(&self, page: u32) -> u32 {
        ((u128::from(self.reciprocal) * (u128::from(page) + 1)) >> 64) as u32
    }

    /// The block and the offset of a logical page.
    #[inline]
    pub fn page(&self, lpn: Lpn) -> Page {
        let lbn = self.block(lpn.0);
        Page {
            lpn,
            lbn: Lbn(lbn),
            offset: lpn.0 - lbn * self.pages_per_block,
        }
    }

    /// Splits consecutive logical pages at block boundaries: the first page and the number of pages of each part.
    #[inline]
    pub fn by_block(&self, first: Lpn, count: u32) -> impl Iterator<Item = (Page, u32)> + use<> {
        let pages_per_block = self.pages_per_block;
        let mut page = self.page(first);
        let mut rest = count;
        core::iter::from_fn(move || {
            let (first, count) = (page, rest.min(pages_per_block - page.offset));
            rest -= count;
            page = Page {
                lpn: first.lpn.plus(count),
                lbn: first.lbn.plus(1),
                offset: 0,
            };
            (count > 0).then_some((first, count))
        })
    }

    /// Splits the pages of a logical block into groups of at most 64: the first page and the number of pages of each
    /// group.
    #[inline]
    pub fn words_of(&self, lbn: Lbn) -> impl Iterator<Item = (Page, u32)> + use<> {
        let (first, end) = (self.page_at(lbn, 0), self.pages_per_block);
        (0..end)
            .step_by(64)
            .map(move |offset| (first.plus(offset), (end - offset).min(64)))
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

    /// The physical page at a position in a block.
    #[inline]
    pub const fn ppn(&self, block: Pbn, position: u32) -> Ppn {
        Ppn(block.0 * self.pages_per_block() + position)
    }

    /// The block and the position of a physical page.
    #[inline]
    pub fn place(&self, ppn: Ppn) -> (Pbn, u32) {
        let block = self.block(ppn.0);
        (Pbn(block), ppn.0 - block * self.pages_per_block)
    }

    /// The block of a physical page.
    #[inline]
    pub fn block_of(&self, ppn: Ppn) -> Pbn {
        Pbn(self.block(ppn.0))
    }

    /// The pages of a block in ascending order.
    pub fn pages_of(&self, block: Pbn) -> impl Iterator<Item = Ppn> + use<> {
        let first = self.ppn(block, 0).0;
        (first..first + self.pages_per_block()).map(Ppn)
    }

    /// The plane of a block.
    #[inline]
    pub const fn plane(&self, block: Pbn) -> u32 {
        block.0 % self.planes
    }

    /// Whether two physical pages are in the same plane of the same chip, so that a copy-back can move one to the other.
    pub fn same_plane(&self, a: Ppn, b: Ppn) -> bool {
        self.same_chip(a.0, b.0) && self.plane(self.block_of(a)) == self.plane(self.block_of(b))
    }

    /// Whether two pages at these positions in their blocks are on the same chip. A number of a page serves as well.
    #[inline]
    pub const fn same_chip(&self, a: u32, b: u32) -> bool {
        self.chips == 1 || a % self.chips == b % self.chips
    }
}
