//! A scan of all spare areas of a device: the true state for mounting and for checks.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Fault, Geometry, Lbn, Lpn, Media, Pbn, Ppn, Role, Spare, SpareState};

/// The spare areas of all pages, and the newest version of each logical page. Takes 9 bytes for each physical page while
/// sequence numbers have 32 bits, then 13, and 4 for each logical page; 8 more if any was discarded.
pub(crate) struct Scan {
    geometry: Geometry,
    /// For each page, its LPN, or [`ERASED`] or [`TORN`].
    lpns: Vec<Lpn>,
    roles: Vec<Role>,
    sequences: Sequences,
    /// For each LPN, the sequence number of its last discard; empty if nothing was discarded.
    discards: Vec<u64>,
    /// For each LPN, its newest version.
    newest: Vec<Ppn>,
}

/// An erased page: no LPN.
const ERASED: Lpn = Lpn::NONE;
/// A torn page. There are fewer pages.
const TORN: Lpn = Lpn(u32::MAX - 1);

/// Sequence numbers, one for each page.
enum Sequences {
    Short(Vec<u32>),
    Long(Vec<u64>),
}

impl Sequences {
    fn get(&self, at: Ppn) -> u64 {
        match self {
            Self::Short(all) => all[at.index()].into(),
            Self::Long(all) => all[at.index()],
        }
    }

    fn push(&mut self, sequence: u64) {
        match self {
            Self::Long(all) => all.push(sequence),
            Self::Short(all) => match u32::try_from(sequence) {
                Ok(sequence) => all.push(sequence),
                Err(_) => {
                    let mut long = Vec::with_capacity(all.capacity());
                    long.extend(all.drain(..).map(u64::from));
                    long.push(sequence);
                    *self = Self::Long(long);
                }
            },
        }
    }
}

impl Scan {
    pub(crate) fn new<M: Media>(media: &mut M) -> Result<Self, Fault> {
        let mut scan = Self::with_discards(media)?;
        for page in 0..scan.geometry.physical_pages() {
            scan.add(media.read_spare(Ppn(page))?);
        }
        Ok(scan)
    }

    fn with_discards<M: Media>(media: &mut M) -> Result<Self, Fault> {
        let mut scan = Self::empty(media.geometry().clone());
        for page in 0..scan.geometry.logical_pages() {
            let discarded = media.discarded_at(Lpn(page))?;
            if discarded > 0 {
                scan.discard(Lpn(page), discarded);
            }
        }
        Ok(scan)
    }

    /// The same from few spare areas, for an FTL that fills blocks from their first page to their last: those of the last
    /// page of each block, and all of a block that was not full before this sequence number. Of the others, `holds` has
    /// for each place the page whose newest version it has had since then, as was written down at `written`; pages that nothing
    /// is known of look torn.
    pub(crate) fn since<M: Media>(
        media: &mut M,
        sequence: u64,
        holds: &[Lpn],
        written: impl Fn(Lpn) -> u64,
    ) -> Result<Self, Fault> {
        let mut scan = Self::with_discards(media)?;
        let geometry = scan.geometry.clone();
        for block in (0..geometry.physical_blocks()).map(Pbn) {
            let last = Ppn(geometry.ppn(block.plus(1), 0).0 - 1);
            let newest = media.read_spare(last)?;
            for at in geometry.pages_of(block) {
                scan.add(match newest {
                    _ if at == last => newest,
                    SpareState::Good(spare, filled) if filled < sequence => {
                        let lpn = holds[at.index()];
                        if lpn.is_some() {
                            SpareState::Good(Spare { lpn, ..spare }, filled.min(written(lpn)))
                        } else {
                            SpareState::Torn
                        }
                    }
                    _ => media.read_spare(at)?,
                });
            }
        }
        Ok(scan)
    }

    // neither generic nor inline, so that these are compiled here, at the level of this crate
    fn empty(geometry: Geometry) -> Self {
        let pages = geometry.physical_pages() as usize;
        Self {
            lpns: Vec::with_capacity(pages),
            roles: Vec::with_capacity(pages),
            sequences: Sequences::Short(Vec::with_capacity(pages)),
            discards: Vec::new(),
            newest: vec![Ppn::NONE; geometry.logical_pages() as usize],
            geometry,
        }
    }

    fn discard(&mut self, lpn: Lpn, sequence: u64) {
        if self.discards.is_empty() {
            self.discards = vec![0; self.geometry.logical_pages() as usize];
        }
        self.discards[lpn.index()] = sequence;
    }

    /// The spare area of the next page.
    fn add(&mut self, spare: SpareState) {
        let at = Ppn(self.lpns.len() as u32);
        let (lpn, role, sequence) = match spare {
            SpareState::Erased => (ERASED, Role::DATA, 0),
            SpareState::Torn => (TORN, Role::DATA, 0),
            SpareState::Good(spare, sequence) => (spare.lpn, spare.role, sequence),
        };
        self.lpns.push(lpn);
        self.roles.push(role);
        self.sequences.push(sequence);
        self.consider(at);
    }

    /// The geometry of the flash.
    pub(crate) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn consider(&mut self, at: Ppn) {
        if let Some((lpn, sequence)) = self.good(at) {
            let newest = self.newest[lpn.index()];
            let newest_sequence = if newest.is_some() {
                self.sequences.get(newest)
            } else {
                self.discards.get(lpn.index()).copied().unwrap_or(0)
            };
            if sequence > newest_sequence {
                self.newest[lpn.index()] = at;
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
            self.lpns[at.index()] = TORN;
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

    /// The sequence number of the newest version of a page, or of its last discard if that is later; 0 if there is neither.
    pub(crate) fn last_change(&self, lpn: Lpn) -> u64 {
        let newest = self.newest(lpn);
        let programmed = match newest.is_some() {
            true => self.sequences.get(newest),
            false => 0,
        };
        let discarded = self.discards.get(lpn.index()).copied().unwrap_or(0);
        programmed.max(discarded)
    }

    /// The newest version of each page.
    pub(crate) fn all_newest(&self) -> &[Ppn] {
        &self.newest
    }

    /// The same.
    pub(crate) fn into_newest(self) -> Vec<Ppn> {
        self.newest
    }

    /// The logical page and sequence number of a readable page.
    pub(crate) fn good(&self, at: Ppn) -> Option<(Lpn, u64)> {
        let lpn = self.lpns[at.index()];
        (lpn != ERASED && lpn != TORN).then(|| (lpn, self.sequences.get(at)))
    }

    /// The readable pages of a block: position, logical page, sequence number.
    pub(crate) fn readable(&self, block: Pbn) -> impl Iterator<Item = (u32, Lpn, u64)> {
        let pages = self.geometry.pages_of(block).zip(0..);
        pages.filter_map(|(at, position)| {
            self.good(at)
                .map(|(lpn, sequence)| (position, lpn, sequence))
        })
    }

    /// Each logical block, with its blocks that have a readable page, in the order of their oldest pages.
    pub(crate) fn blocks_by_lbn(&self) -> impl Iterator<Item = (Lbn, Vec<Pbn>)> + use<> {
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
        (0..).map(Lbn).zip(ages.into_iter().map(sorted))
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

    /// Whether all readable pages of these blocks are of one logical block.
    pub(crate) fn are_of(&self, lbn: Lbn, blocks: &[Pbn]) -> bool {
        let mut pages = blocks.iter().flat_map(|&block| self.readable(block));
        pages.all(|(_, lpn, _)| self.geometry.page(lpn).lbn == lbn)
    }

    /// The age of a block: its smallest sequence number, 0 if no page is readable.
    pub(crate) fn age(&self, block: Pbn) -> u64 {
        let sequences = self.readable(block).map(|(.., sequence)| sequence);
        sequences.min().unwrap_or(0)
    }

    /// The sequence numbers of the pages of a block that were programmed with this role.
    pub(crate) fn with_role(&self, block: Pbn, role: Role) -> impl Iterator<Item = u64> {
        let pages = self.geometry.pages_of(block);
        let with_role = pages.filter(move |at| self.roles[at.index()] == role);
        with_role.filter_map(|at| self.good(at).map(|(_, sequence)| sequence))
    }

    /// The role of a block, taken from its first readable page.
    pub(crate) fn role(&self, block: Pbn) -> Option<Role> {
        let mut pages = self.geometry.pages_of(block);
        let first = pages.find(|&at| self.good(at).is_some());
        first.map(|at| self.roles[at.index()])
    }

    /// Whether a page is readable or torn.
    pub(crate) fn is_used(&self, at: Ppn) -> bool {
        self.lpns[at.index()] != ERASED
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
