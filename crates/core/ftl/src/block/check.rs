//! Compares the tables with the spare areas.

use alloc::string::String;

use ssdlab_flash::Media;

use super::{Block, NOT_OPEN};
use crate::check::{check_blocks, check_places, check_recency, same, scan_of};

impl Block {
    pub(super) fn check_against<M: Media>(&self, media: &mut M) -> Result<(), String> {
        let scan = scan_of(media)?;
        check_places(&scan, |lpn| self.place(self.geometry.page(lpn)))?;
        for index in self.replacements() {
            let open = &self.open[index as usize];
            let listed = self.open_of[open.lbn.index()];
            same("replacement block of its logical block", listed, index)?;
            let end = scan.end(open.block);
            same("next offset of a replacement block", open.next, end)?;
        }
        let listed = self.open_of.iter().filter(|&&index| index != NOT_OPEN);
        let recent = self.replacements().count();
        same("open replacement blocks", recent, listed.count())?;
        let open = self.replacements().map(|index| self.open[index as usize]);
        check_recency(open.map(|open| scan.last_written(open.block)))?;
        check_blocks(&scan, self.blocks_in_use(), &self.free)
    }
}
