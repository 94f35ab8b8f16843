//! A scan of all spare areas of a device: the true state for mounting and for checks.

use ssdlab_flash::{Fault, Geometry, Lpn, Media, Pbn, Ppn, Role, Spare, SpareState};

/// The spare areas of all pages, and the newest version of each logical page.
pub(crate) struct Scan {
    geometry: Geometry,
    spares: Vec<SpareState>,
    /// For each LPN, the sequence number of its last discard.
    discards: Vec<u64>,
    /// For each LPN, its newest version.
    newest: Vec<Ppn>,
}

impl Scan {
    pub(crate) fn new<M: Media>(media: &mut M) -> Result<Self, Fault> {
        let geometry = media.geometry().clone();
        let mut spares = vec![SpareState::Erased; geometry.physical_pages() as usize];
        for (page, spare) in spares.iter_mut().enumerate() {
            *spare = media.read_spare(Ppn(page as u32))?;
        }
        let mut discards = vec![0; geometry.logical_pages() as usize];
        for (page, discard) in discards.iter_mut().enumerate() {
            *discard = media.discarded_at(Lpn(page as u32))?;
        }
        Ok(Self::of(geometry, spares, discards))
    }

    // not generic, so that it is compiled here, at the level of this crate
    fn of(geometry: Geometry, spares: Vec<SpareState>, discards: Vec<u64>) -> Self {
        let newest = vec![Ppn::NONE; geometry.logical_pages() as usize];
        let mut scan = Self {
            geometry,
            spares,
            discards,
            newest,
        };
        for ppn in 0..scan.geometry.physical_pages() {
            scan.consider(Ppn(ppn));
        }
        scan
    }

    /// The geometry of the flash.
    pub(crate) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn consider(&mut self, at: Ppn) {
        if let SpareState::Good(Spare { lpn, .. }, sequence) = self.spares[at.index()] {
            let newest = &mut self.newest[lpn.index()];
            let beats = if newest.is_some() {
                matches!(self.spares[newest.index()], SpareState::Good(_, other) if sequence > other)
            } else {
                sequence > self.discards[lpn.index()]
            };
            if beats {
                *newest = at;
            }
        }
    }

    /// Removes a block that is about to be erased from the scan. Older versions of its pages become the newest again if
    /// they are in one of `instead`.
    pub(crate) fn drop_block(&mut self, block: Pbn, instead: &[Pbn]) {
        for at in self.geometry.pages_of(block) {
            if let Some((lpn, _)) = self.good(at)
                && self.newest[lpn.index()] == at
            {
                self.newest[lpn.index()] = Ppn::NONE;
            }
            self.spares[at.index()] = SpareState::Torn;
        }
        for &block in instead {
            for at in self.geometry.pages_of(block) {
                self.consider(at);
            }
        }
    }

    /// The newest version of a page; `Ppn::NONE` if it has none.
    pub(crate) fn newest(&self, lpn: Lpn) -> Ppn {
        self.newest[lpn.index()]
    }

    /// The logical page and sequence number of a readable page.
    pub(crate) fn good(&self, at: Ppn) -> Option<(Lpn, u64)> {
        match self.spares[at.index()] {
            SpareState::Good(spare, sequence) => Some((spare.lpn, sequence)),
            _ => None,
        }
    }

    /// The readable pages of a block: position, logical page, sequence number.
    pub(crate) fn readable(&self, block: Pbn) -> impl Iterator<Item = (u32, Lpn, u64)> {
        let pages = self.geometry.pages_of(block).zip(0..);
        pages.filter_map(|(at, position)| {
            self.good(at)
                .map(|(lpn, sequence)| (position, lpn, sequence))
        })
    }

    /// For each logical block, its blocks with a readable page, in the order of their oldest pages.
    pub(crate) fn blocks_by_lbn(&self) -> Vec<Vec<Pbn>> {
        let mut ages = vec![Vec::new(); self.geometry.logical_blocks() as usize];
        for block in (0..self.geometry.physical_blocks()).map(Pbn) {
            let ages_and_pages = self.readable(block).map(|(_, lpn, age)| (age, lpn));
            if let Some((oldest, lpn)) = ages_and_pages.min() {
                ages[self.geometry.page(lpn).lbn.index()].push((oldest, block));
            }
        }
        let sorted = |mut blocks: Vec<(u64, Pbn)>| {
            blocks.sort();
            blocks.into_iter().map(|(_, block)| block).collect()
        };
        ages.into_iter().map(sorted).collect()
    }

    /// The sequence number of the newest readable page of a block, 0 if it has none.
    pub(crate) fn last_written(&self, block: Pbn) -> u64 {
        let ages = self.readable(block).map(|(.., age)| age);
        ages.max().unwrap_or(0)
    }

    /// The number of readable pages of a block that are at their own offset.
    pub(crate) fn pages_in_place(&self, block: Pbn) -> u32 {
        let in_place =
            |&(position, lpn, _): &(u32, Lpn, u64)| self.geometry.page(lpn).offset == position;
        self.readable(block).filter(in_place).count() as u32
    }

    /// Whether all readable pages of a block are at their own offset.
    pub(crate) fn is_in_place(&self, block: Pbn) -> bool {
        self.pages_in_place(block) as usize == self.readable(block).count()
    }

    /// The age of a block: its smallest sequence number, 0 if no page is readable.
    pub(crate) fn age(&self, block: Pbn) -> u64 {
        let sequences = self.readable(block).map(|(.., sequence)| sequence);
        sequences.min().unwrap_or(0)
    }

    /// The sequence numbers of the pages of a block that were programmed with this role.
    pub(crate) fn with_role(&self, block: Pbn, role: Role) -> impl Iterator<Item = u64> {
        self.geometry
            .pages_of(block)
            .filter_map(move |at| match self.spares[at.index()] {
                SpareState::Good(spare, sequence) if spare.role == role => Some(sequence),
                _ => None,
            })
    }

    /// The role of a block, taken from its first readable page.
    pub(crate) fn role(&self, block: Pbn) -> Option<Role> {
        self.geometry
            .pages_of(block)
            .find_map(|at| match self.spares[at.index()] {
                SpareState::Good(spare, _) => Some(spare.role),
                _ => None,
            })
    }

    /// Whether a page is readable or torn.
    pub(crate) fn is_used(&self, at: Ppn) -> bool {
        self.spares[at.index()] != SpareState::Erased
    }

    /// The position after the last readable or torn page; 0 for an erased block.
    pub(crate) fn end(&self, block: Pbn) -> u32 {
        let pages = self.geometry.pages_of(block).zip(1..);
        let used = pages.filter(|&(at, _)| self.is_used(at));
        used.last().map_or(0, |(_, end)| end)
    }

    /// The number of newest versions in a block.
    pub(crate) fn valid(&self, block: Pbn) -> u32 {
        self.geometry
            .pages_of(block)
            .filter(|&at| self.good(at).is_some_and(|(lpn, _)| self.newest(lpn) == at))
            .count() as u32
    }
}
