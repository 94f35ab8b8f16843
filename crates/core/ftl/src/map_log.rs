//! The map of an FTL that maps blocks, as it is kept in flash (`ftl.map_updates`): what its updates cost.
//!
//! RAM has the whole map, so its pages are only programmed. They are counted and take time on the chips, but nothing is
//! stored: a mount of the simulator reads the spare areas of all pages anyway.

use ssdlab_flash::{Geometry, Media};
use ssdlab_policy::Choice;

use crate::{Env, NUMBER};

/// `ftl.map_updates`: whether changes of the map are written.
pub const MAP_UPDATES: Choice<bool> = Choice::new(
    "ftl.map_updates",
    &["ignored", "written"],
    &[false, true],
    "changes of the block map: cost nothing, or are written to flash as map pages",
);

/// The pages of the map.
pub(crate) fn map_pages(logical_blocks: u64, page_size: u32) -> u64 {
    (NUMBER * logical_blocks).div_ceil(page_size.into())
}

/// The blocks of the map: as many as hold it twice, and one to write to.
pub(crate) struct MapLog {
    is_written: bool,
    /// M, the pages of the map.
    pages: u64,
    /// The blocks that hold each of its pages once.
    home: u64,
    pages_per_block: u64,
    /// Pages that can be programmed before the map is written anew.
    left: u64,
    /// The position of the next page in its block.
    position: u64,
}

impl MapLog {
    /// That of a new or mounted device: each page of the map is in flash once.
    pub fn new(is_written: bool, geometry: &Geometry) -> Self {
        let pages = map_pages(geometry.logical_blocks().into(), geometry.page_size());
        let pages_per_block = geometry.pages_per_block().into();
        let mut log = Self {
            is_written,
            pages,
            home: pages.div_ceil(pages_per_block),
            pages_per_block,
            left: 0,
            position: pages % pages_per_block,
        };
        log.left = log.room();
        log
    }

    /// A logical block has another data block. Its page of the map is programmed; if there is no room, all pages are, into
    /// erased blocks, and the others are erased.
    #[inline]
    pub fn changed<M: Media>(&mut self, env: &mut Env<M>) {
        if self.is_written {
            self.write(env);
        }
    }

    #[inline(never)]
    fn write<M: Media>(&mut self, env: &mut Env<M>) {
        if self.left > 0 {
            self.left -= 1;
            return self.program(env);
        }
        (0..self.pages).for_each(|_| self.program(env));
        (0..=self.home).for_each(|_| env.count_map_erase());
        self.left = self.room();
    }

    /// The pages that can be programmed behind a map that was written anew.
    fn room(&self) -> u64 {
        (self.home + 1) * self.pages_per_block - self.pages
    }

    fn program<M: Media>(&mut self, env: &mut Env<M>) {
        env.count_map_program(self.position as u32);
        self.position = (self.position + 1) % self.pages_per_block;
    }
}
