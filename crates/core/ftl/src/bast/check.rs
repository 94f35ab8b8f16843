//! Compares the tables with the spare areas, and the cached counts with a recount.

use alloc::string::String;

use ssdlab_flash::{Lbn, Lpn, Media};

use super::{Bast, Log, NO_LOG};
use crate::check::{check_blocks, check_places, same, scan_of};
use crate::scan::Scan;

impl Bast {
    pub(super) fn check_against<M: Media>(&self, media: &mut M) -> Result<(), String> {
        let scan = scan_of(media)?;
        check_places(&scan, |lpn: Lpn| self.place(self.geometry.page(lpn)))?;
        for (lbn, &index) in self
            .log_of
            .iter()
            .enumerate()
            .filter(|&(_, &index)| index != NO_LOG)
        {
            self.check_log(&scan, Lbn(lbn as u32), &self.logs[index as usize])?;
        }
        if self.last != NO_LOG {
            same(
                "log block written last",
                Some(self.last),
                self.recent.front(0),
            )?;
        }
        self.check_unused_logs()?;
        check_blocks(&scan, self.blocks_in_use(), &self.free)
    }

    fn check_log(&self, scan: &Scan, lbn: Lbn, log: &Log) -> Result<(), String> {
        same("logical block of a log block", log.lbn, lbn)?;
        same(
            "first page of a log block",
            log.first,
            self.geometry.page_at(lbn, 0).lpn,
        )?;
        same(
            "next position of a log block",
            log.next,
            scan.end(log.block),
        )?;
        same(
            "valid pages of a log block",
            log.valid,
            scan.valid(log.block),
        )?;
        same(
            "pages of a log block at their own offset",
            log.in_place,
            scan.pages_in_place(log.block),
        )
    }

    /// Checks that unused log blocks hold no page.
    fn check_unused_logs(&self) -> Result<(), String> {
        for &index in &self.unused_logs {
            let pages = self.pages_in_log(index).iter();
            let held = pages.filter(|at| at.is_some()).count();
            same("pages of an unused log block", held, 0)?;
        }
        Ok(())
    }
}
