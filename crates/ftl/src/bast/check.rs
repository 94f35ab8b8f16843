//! Compares the tables with the spare areas, and the cached counts with a recount.

use std::fmt::Debug;

use ssdlab_flash::{Lbn, Lpn, Media, Pbn};

use super::mount::pages_in_place;
use super::{Bast, Log, NO_LOG};
use crate::scan::Scan;

impl Bast {
    pub(super) fn check_against<M: Media>(&self, media: &mut M) -> Result<(), String> {
        let scan = Scan::new(media).map_err(|e| e.to_string())?;
        for lpn in (0..self.geometry.logical_pages()).map(Lpn) {
            same(
                format_args!("place of lpn {lpn:?}"),
                self.place(self.geometry.page(lpn)),
                scan.newest(lpn),
            )?;
        }
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
        self.check_free_list(&scan)
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
            pages_in_place(scan, &self.geometry, log.block),
        )
    }

    /// What is not in use holds no page.
    fn check_unused_logs(&self) -> Result<(), String> {
        for &index in &self.unused_logs {
            let pages = self.pages_in_log(index).iter();
            let held = pages.filter(|at| at.is_some()).count();
            same("pages of an unused log block", held, 0)?;
        }
        Ok(())
    }

    /// Every block is in use or free, once, and the free ones are erased.
    fn check_free_list(&self, scan: &Scan) -> Result<(), String> {
        let mut blocks: Vec<Pbn> = self.blocks_in_use().chain(self.free.iter()).collect();
        blocks.sort();
        let all: Vec<Pbn> = (0..self.geometry.physical_blocks()).map(Pbn).collect();
        same("blocks in use and free", blocks, all)?;
        match self.free.iter().find(|&block| scan.end(block) > 0) {
            Some(block) => Err(format!(
                "block {block:?} is on the free list but not erased"
            )),
            None => Ok(()),
        }
    }
}

fn same<T: PartialEq + Debug>(
    what: impl std::fmt::Display,
    cached: T,
    truth: T,
) -> Result<(), String> {
    if cached == truth {
        Ok(())
    } else {
        Err(format!(
            "{what}: {cached:?} in the tables, {truth:?} in truth"
        ))
    }
}
