//! The copies of a victim whose pages go to several regions.
//!
//! Pages that share a region are seldom neighbours, and a copy alone costs several times as much as one of many. So all pages
//! for a region are copied together. Their order within a region stays; between regions it shows in only two things: which
//! frontier is full first, and which region takes the next free block. Both happen here in the order of the pages, too.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use ssdlab_flash::{Geometry, Lpn, Media, Payload, Ppn};
use ssdlab_policy::placement::Placement;

use super::{Frontier, PageMapping};
use crate::{Buffer, Env, FtlError};

/// The regions of the pages of a victim, with room for one block; none if no placement of this device parts pages.
#[derive(Default)]
pub(super) struct Parted {
    /// For each page that moves, its region.
    regions: Vec<u8>,
    /// The pages that move, by region.
    sorted: Vec<(Ppn, Lpn)>,
    /// For each region, its pages in `sorted` that are not copied yet.
    parts: Vec<Range<usize>>,
}

impl Parted {
    pub fn new(placement: &dyn Placement, regions: u32, geometry: &Geometry) -> Self {
        if (0..regions).all(|region| placement.of_copies(region).is_some()) {
            return Self::default();
        }
        let pages = geometry.pages_per_block() as usize;
        Self {
            regions: Vec::with_capacity(pages),
            sorted: Vec::with_capacity(pages),
            parts: vec![0..0; regions as usize],
        }
    }

    /// Whether copies out of one block may go to several regions.
    pub fn is_used(&self) -> bool {
        !self.parts.is_empty()
    }

    /// No page has a region.
    pub fn clear(&mut self) {
        self.regions.clear();
    }

    /// The region of the page at this place.
    #[inline]
    pub fn region(&self, place: usize) -> u32 {
        self.regions[place].into()
    }

    /// Sorts pages by their regions; those of a region stay in order.
    fn sort(&mut self, pages: &[(Ppn, Lpn)]) {
        self.parts.fill(0..0);
        for &region in &self.regions {
            self.parts[usize::from(region)].end += 1;
        }
        let mut first = 0;
        for part in &mut self.parts {
            let pages = part.end;
            *part = first..first;
            first += pages;
        }
        self.sorted.resize(pages.len(), (Ppn::NONE, Lpn::NONE));
        for (&page, &region) in pages.iter().zip(&self.regions) {
            let part = &mut self.parts[usize::from(region)];
            self.sorted[part.end] = page;
            part.end += 1;
        }
    }
}

impl<P: Payload> PageMapping<P> {
    /// Asks the placement for the regions of those of these pages for which it was not asked yet.
    pub(super) fn part<M: Media>(&mut self, env: &Env<M>, moved: &[(Ppn, Lpn)]) {
        let (from, now) = (
            self.region_of_block(self.victim.block),
            self.placed_now(env),
        );
        let regions = &mut self.parted.regions;
        let new = &moved[regions.len()..];
        self.placement.of_each_copy(new, from, now, regions);
    }

    /// Copies all these pages of the victim by region, unless somebody sees the order of single copies, or blocks may run
    /// short. Returns how many it copied.
    pub(super) fn copy_by_region<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        moved: &[(Ppn, Lpn)],
    ) -> Result<usize, FtlError> {
        let is_seen = !env.runs || env.moved.is_some() || buffer.is_lent();
        let all_listed = self.victim.valid == 0;
        if is_seen || !all_listed || !self.copy_order.is_by_page() {
            return Ok(0);
        }
        let mut parted = core::mem::take(&mut self.parted);
        parted.sort(moved);
        let parts = parted.parts.iter().zip(&self.frontiers);
        let taken = parts.filter(|(part, frontier)| part.len() > frontier.room() as usize);
        let enough = taken.count() <= self.free.len() as usize;
        let copied = if enough {
            self.copy_parts(env, buffer, &mut parted)
        } else {
            Ok(())
        };
        self.parted = parted;
        copied.map(|()| if enough { moved.len() } else { 0 })
    }

    fn copy_parts<M: Media>(
        &mut self,
        env: &mut Env<M>,
        buffer: &mut Buffer<M::Data>,
        Parted { sorted, parts, .. }: &mut Parted,
    ) -> Result<(), FtlError> {
        let now = self.placed_now(env);
        while let Some(region) = next_to_change(sorted, parts, &self.frontiers) {
            let part = &mut parts[region as usize];
            let frontier = self.frontier_as_is(region, now)?;
            // a block holds all pages of a victim: only if they all go there, they fill a new frontier
            let count = part.len().min(frontier.room() as usize);
            let pages = part.start..part.start + count;
            part.start += count;
            self.copy_to(env, buffer, region, frontier, &sorted[pages], None)?;
        }
        for (region, part) in (0u32..).zip(parts.iter().cloned()) {
            if !part.is_empty() {
                let frontier = self.frontiers[region as usize];
                self.copy_to(env, buffer, region, frontier, &sorted[part], None)?;
            }
        }
        Ok(())
    }
}

/// The region whose next pages fill its frontier, or take a block for it: of several, the first in the order of the pages.
fn next_to_change(
    sorted: &[(Ppn, Lpn)],
    parts: &[Range<usize>],
    frontiers: &[Frontier],
) -> Option<u32> {
    let change = |(region, (part, frontier)): (u32, (&Range<usize>, &Frontier))| {
        let room = frontier.room() as usize;
        let pages = &sorted[part.clone()];
        let (at, _) = *pages.get(room.saturating_sub(1))?;
        Some((at, region))
    };
    let changes = (0..).zip(parts.iter().zip(frontiers)).filter_map(change);
    changes.min().map(|(_, region)| region)
}
