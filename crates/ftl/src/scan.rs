//! What the spare areas of a whole device say: the ground truth for mounting and for checks.

use ssdlab_flash::{Fault, Geometry, Lpn, Media, Pbn, Ppn, Role, Spare, SpareState};

/// The spare areas of all pages, and which of them are the newest versions.
pub(crate) struct Scan {
    geometry: Geometry,
    spares: Vec<SpareState>,
    /// Per LPN, the sequence number of its last discard.
    discards: Vec<u64>,
    /// Per LPN, its newest version.
    newest: Vec<Ppn>,
}

impl Scan {
    pub(crate) fn new<M: Media>(media: &mut M) -> Result<Self, Fault> {
        let geometry = media.geometry().clone();
        let spares = (0..geometry.physical_pages())
            .map(|p| media.read_spare(Ppn(p)))
            .collect::<Result<_, _>>()?;
        let discards = (0..geometry.logical_pages())
            .map(|p| media.discarded_at(Lpn(p)))
            .collect::<Result<_, _>>()?;
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
        Ok(scan)
    }

    /// The shape of the flash.
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

    /// Voids a block that is about to be erased; what it superseded counts again if it lies in one of `instead`.
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

    /// The newest version of a page, `Ppn::NONE` if it has none.
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

    /// The sequence number of the newest page of a block.
    pub(crate) fn last_written(&self, block: Pbn) -> Option<u64> {
        self.readable(block).map(|(.., sequence)| sequence).max()
    }

    /// The role of a block, by its first readable page.
    pub(crate) fn role(&self, block: Pbn) -> Option<Role> {
        self.geometry
            .pages_of(block)
            .find_map(|at| match self.spares[at.index()] {
                SpareState::Good(spare, _) => Some(spare.role),
                _ => None,
            })
    }

    /// The position after the last page that is not erased: 0 for an erased block.
    pub(crate) fn end(&self, block: Pbn) -> u32 {
        let used = |&(at, _): &(Ppn, u32)| self.spares[at.index()] != SpareState::Erased;
        self.geometry
            .pages_of(block)
            .zip(1..)
            .filter(used)
            .last()
            .map_or(0, |(_, end)| end)
    }

    /// How many pages of a block are newest versions.
    pub(crate) fn valid(&self, block: Pbn) -> u32 {
        self.geometry
            .pages_of(block)
            .filter(|&at| self.good(at).is_some_and(|(lpn, _)| self.newest(lpn) == at))
            .count() as u32
    }
}
