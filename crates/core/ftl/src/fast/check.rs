//! Compares the tables with the spare areas.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Media, Pbn};

use super::{Chooser, Fast, RANDOM, SEQUENTIAL};
use crate::check::{check_blocks, check_places, same, scan_of};
use crate::scan::Scan;

impl Fast {
    pub(super) fn check_against<M: Media>(&self, media: &mut M) -> Result<(), String> {
        let scan = scan_of(media)?;
        check_places(&scan, |lpn: Lpn| self.place(self.geometry.page(lpn)))?;
        if self.sequential.lbn.is_some() {
            self.check_sequential(&scan)?;
        }
        self.check_random(&scan)?;
        if let Some(chooser) = &self.chooser {
            self.check_chooser(chooser)?;
        }
        check_blocks(&scan, self.blocks_in_use(), &self.free)
    }

    fn check_sequential(&self, scan: &Scan) -> Result<(), String> {
        let sequential = &self.sequential;
        let block = sequential.block;
        same(
            "role of the sequential log block",
            Some(SEQUENTIAL),
            scan.role(block),
        )?;
        same(
            "next page of the sequential log block",
            sequential.next,
            scan.end(block),
        )?;
        let all = self.geometry.pages_per_block();
        same(
            "valid pages of the sequential log block",
            sequential.valid.count(0, all),
            scan.valid(block),
        )
    }

    fn check_random(&self, scan: &Scan) -> Result<(), String> {
        let mut youngest = None;
        for index in self.random.in_use() {
            let block = self.random.block(index);
            same("role of a random log block", Some(RANDOM), scan.role(block))?;
            let sequences = || scan.readable(block).map(|(.., sequence)| sequence);
            if sequences().min() < youngest {
                return Err(format!("random log block {block:?} is out of order"));
            }
            youngest = sequences().max();
            self.check_pages(scan, index, block)?;
        }
        if self.random.room() == 0 {
            return Ok(());
        }
        let (block, next) = self.geometry.place(self.random.frontier());
        same("next page of the random log", next, scan.end(block))
    }

    /// Checks the state that the chooser keeps between two choices.
    fn check_chooser(&self, chooser: &Chooser) -> Result<(), String> {
        for index in self.random.in_use() {
            let mut lbns = Vec::new();
            let places = self.geometry.pages_of(self.random.block(index));
            for (&lpn, at) in self.random.pages(index).iter().zip(places) {
                let lbn = self.geometry.page(lpn).lbn;
                if self.is_logged_at(lpn, at) && !lbns.contains(&lbn) {
                    lbns.push(lbn);
                }
            }
            let listed = chooser.listed(index).unwrap_or(&lbns);
            same("logical blocks of a random log block", listed, &lbns[..])?;
        }
        let pages = (0..self.geometry.logical_pages()).map(|lpn| self.geometry.page(Lpn(lpn)));
        for page in pages.filter(|page| self.mapped.contains(page.lpn.0)) {
            let block = self.geometry.block_of(self.place(page));
            let may_lie = chooser.may_lie_in_plane_of(page.lbn, block);
            same(format_args!("plane of {:?}", page.lpn), may_lie, true)?;
        }
        Ok(())
    }

    /// Compares the pages of a random log block with its spare areas.
    fn check_pages(&self, scan: &Scan, index: u32, block: Pbn) -> Result<(), String> {
        let programmed = self.random.pages(index).iter();
        programmed
            .zip(self.geometry.pages_of(block))
            .try_for_each(|(&lpn, at)| {
                let truth = scan.good(at).map_or(Lpn::NONE, |(lpn, _)| lpn);
                same(format_args!("page held at {at:?}"), lpn, truth)
            })
    }
}
