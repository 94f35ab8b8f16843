//! Compares the tables with the spare areas, and the cached counts with a recount.

use std::fmt::Debug;

use ssdlab_flash::{Lbn, Lpn, Media, Pbn};

use super::{Bast, Log, NO_LOG};
use crate::scan::Scan;

impl Bast {
    pub(super) fn check_against<M: Media>(&self, media: &mut M) -> Result<(), String> {
        let scan = Scan::new(media).map_err(|e| e.to_string())?;
        for (lpn, &at) in self.map.iter().enumerate() {
            same(
                format_args!("map of lpn {lpn}"),
                at,
                scan.newest(Lpn(lpn as u32)),
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
        self.check_places(&scan)?;
        self.check_free_list(&scan)
    }

    fn check_log(&self, scan: &Scan, lbn: Lbn, log: &Log) -> Result<(), String> {
        same("logical block of a log block", log.lbn, lbn)?;
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
        let in_order = scan
            .readable(log.block)
            .zip(0..)
            .all(|((position, lpn, _), p)| position == p && self.geometry.page(lpn).offset == p);
        let readable = scan.readable(log.block).count() as u32;
        same(
            "order of a log block",
            log.in_order,
            in_order && readable == log.next,
        )
    }

    /// Every page lies in a block of its logical block, and in a data block at its own offset.
    fn check_places(&self, scan: &Scan) -> Result<(), String> {
        for (lpn, at) in (0..self.map.len() as u32)
            .map(|p| (Lpn(p), scan.newest(Lpn(p))))
            .filter(|(_, at)| at.is_some())
        {
            let page = self.geometry.page(lpn);
            let (block, position) = self.geometry.place(at);
            let index = self.log_of[page.lbn.index()];
            let in_log = index != NO_LOG && self.logs[index as usize].block == block;
            if !in_log {
                same(
                    format_args!("data block of lpn {lpn:?}"),
                    self.data[page.lbn.index()],
                    block,
                )?;
                same(format_args!("place of lpn {lpn:?}"), position, page.offset)?;
            }
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
