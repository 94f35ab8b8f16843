//! Compares the tables with the spare areas, and the cached counts with a recount.

use alloc::string::String;
use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Media, Payload, Pbn};

use super::slc::SLC_ROLE;
use super::{PageMapping, Victim};
use crate::check::{check_blocks, check_places, same, scan_of};
use crate::scan::Scan;

impl<P: Payload> PageMapping<P> {
    pub(super) fn check_against<M: Media>(&self, media: &mut M) -> Result<(), String> {
        let scan = scan_of(media)?;
        if let Some(maps) = &self.maps {
            maps.check(media, &self.map, |lpn| scan.last_change(lpn))?;
        }
        check_places(&scan, |lpn: Lpn| self.map[lpn.index()])?;
        let mapped = self.map.iter().filter(|at| at.is_some()).count();
        same("mapped pages", self.mapped, mapped as u32)?;
        let open = self.check_frontiers(&scan)?;
        let mut full = self.full_blocks(&scan, &open);
        let in_use = open.iter().chain(&full).copied();
        let waiting = self.waiting_blocks();
        check_blocks(&scan, in_use.clone().chain(waiting), &self.free)?;
        let in_slc = |block| self.slc.as_ref().is_some_and(|slc| slc.has(block));
        in_use.clone().try_for_each(|block| {
            same(
                format_args!("SLC mode of block {block:?}"),
                in_slc(block),
                scan.role(block)
                    .map_or(in_slc(block), |role| role == SLC_ROLE),
            )?;
            if in_slc(block) {
                return self.check_pages(&scan, block);
            }
            let region = scan.role(block).map(|role| self.region_of_role(role));
            same(
                format_args!("region of block {block:?}"),
                self.region_of_block(block),
                region.unwrap_or(self.region_of_block(block)),
            )?;
            self.check_pages(&scan, block)
        })?;
        self.check_ram()?;
        self.check_victim(&scan)?;
        if let Some(slc) = &self.slc {
            slc.check(&scan, &full)?;
            full.retain(|&block| !slc.has(block));
        }
        // cleaning policies do not learn of moved pages
        let moved = |block| {
            if block == self.victim.block {
                self.victim.moved
            } else {
                0
            }
        };
        let counted = full
            .iter()
            .map(|&block| (block, scan.valid(block) + moved(block)));
        let aside = match self.slc {
            Some(_) => self.victim.block,
            None => Pbn::NONE,
        };
        self.victims.check(&counted.collect::<Vec<_>>(), aside)?;
        let mut blocks = (0..self.geometry.physical_blocks()).map(Pbn);
        blocks.try_for_each(|block| self.victims.check_worn(block, media.erase_count(block)))?;
        let invalid = full
            .iter()
            .map(|&block| self.geometry.pages_per_block() - scan.valid(block));
        same(
            "invalid pages in full blocks",
            self.invalid_in_full_blocks(),
            invalid.sum(),
        )
    }

    /// Checks the counts of the victim in progress.
    fn check_victim(&self, scan: &Scan) -> Result<(), String> {
        if !self.victim.is_some() {
            return Ok(());
        }
        let Victim {
            block, next, valid, ..
        } = self.victim;
        same("valid pages of the victim", valid, scan.valid(block))?;
        let first = self.geometry.ppn(block, 0);
        let order = self.copy_order.from(first, 0);
        let behind = order.take_while(|&(place, _)| place < next);
        let behind = behind.filter(|&(_, at)| self.valid.contains(at.0)).count();
        same("valid pages of the victim that were passed over", behind, 0)
    }

    /// Checks the frontiers and returns their blocks.
    fn check_frontiers(&self, scan: &Scan) -> Result<Vec<Pbn>, String> {
        let mut open = Vec::new();
        for (region, frontier) in self
            .frontiers
            .iter()
            .enumerate()
            .filter(|(_, f)| f.room() > 0)
        {
            let (block, position) = self.geometry.place(frontier.next);
            let end = self.geometry.ppn(block.plus(1), 0);
            same("end of a frontier", frontier.end, end)?;
            same("next position of a frontier", position, scan.end(block))?;
            let opened_for = self.region_of_block(block) as usize;
            same("region of a frontier", opened_for, region)?;
            open.push(block);
        }
        Ok(open)
    }

    /// All other blocks in use, in the order in which they were filled.
    fn full_blocks(&self, scan: &Scan, open: &[Pbn]) -> Vec<Pbn> {
        let mut full: Vec<Pbn> = (0..self.geometry.physical_blocks()).map(Pbn).collect();
        full.retain(|block| !open.contains(block) && self.free.iter().all(|free| free != *block));
        let waiting: Vec<Pbn> = self.waiting_blocks().collect();
        full.retain(|block| !waiting.contains(block));
        full.sort_by_key(|&block| scan.last_written(block));
        full
    }

    /// The fixed blocks of the cache that are erased.
    fn waiting_blocks(&self) -> impl Iterator<Item = Pbn> + Clone + '_ {
        let blocks = (0..self.geometry.physical_blocks()).map(Pbn);
        blocks.filter(|&block| self.slc.as_ref().is_some_and(|slc| slc.is_waiting(block)))
    }

    /// Checks that no page is both in RAM and in flash.
    fn check_ram(&self) -> Result<(), String> {
        self.ram.check()?;
        let mut twice = self
            .ram
            .pages()
            .filter(|lpn| self.map[lpn.index()].is_some());
        same("page in RAM and in flash", twice.next(), None)
    }

    fn check_pages(&self, scan: &Scan, block: Pbn) -> Result<(), String> {
        let end = scan.end(block);
        let is_open = |position| position >= end && self.is_frontier(block);
        for (at, position) in self.geometry.pages_of(block).zip(0..) {
            let holds = scan.good(at).map(|(lpn, _)| lpn);
            let newest = holds.filter(|&lpn| scan.newest(lpn) == at);
            let valid = newest.is_some() || is_open(position);
            same(
                format_args!("validity of ppn {at:?}"),
                self.valid.contains(at.0),
                valid,
            )?;
            if let Some(lpn) = newest {
                same(
                    format_args!("lpn of ppn {at:?}"),
                    self.holds[at.index()],
                    lpn,
                )?;
            }
        }
        Ok(())
    }
}
