//! A bound, not a system: a write is one program, a read one read; no copies, no merges, no spare blocks.

use ssdlab_flash::{Geometry, Lpn, Media, Payload};
use ssdlab_policy::Entry;

use crate::{Env, Found, Ftl, FtlError};

pub(crate) const ENTRY: Entry = Entry {
    name: "ideal",
    rule: "a bound: every write is one program, erases are programs / pages per block, nothing is ever moved",
    paper: "",
    keys: &[],
};

/// Remembers which pages are mapped, and their data where pages carry any: there is no flash below.
pub struct Ideal<P> {
    /// One bit for each logical page.
    mapped: Vec<u64>,
    pages: Vec<P>,
    pages_per_block: u32,
    programmed: u32,
}

impl<P: Payload> Ideal<P> {
    /// A new device; `full`: every page has been written once.
    pub fn new(geometry: &Geometry, full: bool) -> Self {
        let logical_pages = geometry.logical_pages();
        Self {
            mapped: vec![if full { !0 } else { 0 }; (logical_pages as usize).div_ceil(64)],
            pages: vec![
                P::blank(geometry.page_size());
                if P::NOTHING {
                    0
                } else {
                    logical_pages as usize
                }
            ],
            pages_per_block: geometry.pages_per_block(),
            programmed: 0,
        }
    }
}

#[inline]
fn bit(lpn: Lpn) -> u64 {
    1 << (lpn.0 % 64)
}

impl<M: Media> Ftl<M> for Ideal<M::Page> {
    #[inline]
    fn write(&mut self, env: &mut Env<'_, M>, lpn: Lpn, page: &M::Page) -> Result<(), FtlError> {
        self.mapped[lpn.index() / 64] |= bit(lpn);
        if !M::Page::NOTHING {
            self.pages[lpn.index()].copy_from(page);
        }
        env.counts.programs += 1;
        self.programmed += 1;
        if self.programmed == self.pages_per_block {
            self.programmed = 0;
            env.counts.erases += 1;
        }
        Ok(())
    }

    fn read(
        &mut self,
        _: &mut Env<'_, M>,
        lpn: Lpn,
        page: &mut M::Page,
    ) -> Result<Found, FtlError> {
        if self.mapped[lpn.index() / 64] & bit(lpn) == 0 {
            return Ok(Found::Unmapped);
        }
        if !M::Page::NOTHING {
            page.copy_from(&self.pages[lpn.index()]);
        }
        Ok(Found::Flash)
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.mapped[lpn.index() / 64] & bit(lpn) != 0
    }

    fn discard(&mut self, _: &mut Env<'_, M>, lpn: Lpn) -> Result<(), FtlError> {
        self.mapped[lpn.index() / 64] &= !bit(lpn);
        Ok(())
    }

    fn check(&self, _: &mut M) -> Result<(), String> {
        Ok(())
    }
}
