//! Clustering (LFSS, section 3.1): a write moves its page between regions; one region may be in RAM.
//!
//! RAM has a battery, and a page on the move is always somewhere durable: a page that enters is in RAM before its
//! version in flash becomes invalid, and a page that leaves stays in RAM until it is durable in flash. A power cut may
//! therefore leave both versions, and the one in RAM is never older.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lpn, Media, Note, Payload, Spare};
use ssdlab_policy::placement::{Place, Placement};

use super::PageMapping;
use crate::{Buffer, Clock, Env, Event, FtlError, RamImage, RamPage};

/// Chooses the region of a page that leaves RAM now.
type RegionOf = fn(&dyn Placement, Lpn, u64) -> u32;

impl<P: Payload> PageMapping<P> {
    /// Writes a page to the region that the placement chooses.
    pub(super) fn write_clustered<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<P>,
        lpn: Lpn,
        data: &P,
    ) -> Result<(), FtlError> {
        if self.slc.is_some() {
            return self.write_cached(env, buffer, lpn, data);
        }
        let now = self.placed_now(env);
        if self.ram.contains(lpn) {
            self.placement.updated_in_ram(lpn, now);
            self.ram.update(lpn, data);
            env.counts.ram_hits += 1;
            env.note(Note::RamHit(lpn));
        } else {
            // the region before the write; cleaning may move the page before it is written
            let at = self.map[lpn.index()];
            let place = if at.is_some() {
                let from = self.region_of_block(self.geometry.block_of(at));
                self.placement.of_rewrite(lpn, (at, from), now, env.stream)
            } else {
                self.placement.of_write(lpn, None, now, env.stream)
            };
            match place {
                Place::Flash(region) => self.write_to(env, buffer, region, lpn, data)?,
                Place::Ram => self.enter_ram(env, buffer, lpn, data)?,
            }
        }
        self.page_written(env, buffer)
    }

    fn enter_ram<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<P>,
        lpn: Lpn,
        data: &P,
    ) -> Result<(), FtlError> {
        let stay = self.placement.before_entry(self.ram.held());
        self.write_back(env, buffer, stay, |p, lpn, now| p.of_write_back(lpn, now))?;
        self.ram.insert(lpn, data);
        env.counts.ram_entries += 1;
        env.note(Note::RamEntry(lpn));
        self.void(env, lpn)?;
        let stay = self.placement.after_entry(self.ram.held());
        self.write_back(env, buffer, stay, |p, lpn, now| p.of_write_back(lpn, now))
    }

    /// Writes the least recently updated pages in RAM back to flash, until `stay` pages are left.
    pub(super) fn write_back<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<P>,
        stay: u32,
        region_of: RegionOf,
    ) -> Result<(), FtlError> {
        let leaving = self.ram.held().saturating_sub(stay);
        if leaving == 0 {
            return Ok(());
        }
        let mut next = self.ram.oldest();
        for _ in 0..leaving {
            let lpn = next.expect("the list has one entry for each held page");
            let region = region_of(&*self.placement, lpn, self.placed_now(env));
            self.program_held(env, buffer, region, lpn)?;
            next = self.ram.newer_than(lpn);
        }
        env.barrier()?;
        (0..leaving).for_each(|_| self.ram.remove_oldest());
        Ok(())
    }

    /// Programs a page that is in RAM; it stays there until the program is durable.
    fn program_held<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<P>,
        region: u32,
        lpn: Lpn,
    ) -> Result<(), FtlError> {
        env.events.log(|| Event::Evict {
            dirty: vec![lpn],
            clean: Vec::new(),
            padding: Vec::new(),
        });
        env.note(Note::Call);
        let to = self.frontier(env, buffer, region)?.next;
        let role = self.role(region);
        env.program(to, Spare { lpn, role }, self.ram.data(lpn))?;
        env.note(Note::RamExit(lpn));
        env.counts.write_backs += 1;
        self.programmed(env, region, lpn, to);
        self.clean_behind(env, buffer)
    }

    /// The state that the battery keeps.
    pub(super) fn image<M: Media<Data = P>>(&self, env: &Env<M>) -> RamImage<P> {
        let page = |lpn| RamPage {
            lpn,
            update: self.placement.last_update(lpn),
            data: self.ram.data(lpn).clone(),
        };
        RamImage {
            now: self.placed_now(env),
            pages: self.ram.pages().map(page).collect(),
        }
    }

    /// Restores the state that the battery kept. Versions of these pages in flash become invalid.
    pub(super) fn restore<M: Media<Data = P>>(
        &mut self,
        env: &mut Env<M>,
        image: &RamImage<P>,
    ) -> Result<(), FtlError> {
        let found = image.pages.len() as u32;
        if found > self.ram.room() {
            return Err(FtlError::TooManyInRam { found });
        }
        match self.clock {
            Clock::Writes => self.written = image.now,
            Clock::Trace => env.now_ns = image.now,
        }
        self.placement.mounted(image.now);
        for RamPage { lpn, update, data } in &image.pages {
            self.ram.insert(*lpn, data);
            self.placement.remember(*lpn, *update);
            self.void(env, *lpn)?;
        }
        Ok(env.barrier()?)
    }
}
