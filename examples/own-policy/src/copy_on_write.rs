//! Copy on write: a write of a page copies its whole logical block into a free block, with the new page in its place.
//! The simplest FTL that survives power cuts; its write amplification is the number of pages in a block.
//!
//! A power cut may leave two blocks of one logical block: the old one, and a copy that is finished or not. The old one
//! is erased only behind a barrier, so a copy that lacks a page of the old block is not finished, and is dropped.

use std::collections::VecDeque;

use ssdlab_flash::{Fault, Geometry, Lbn, Lpn, Media, Pbn, Ppn, Role, Spare, SpareState};
use ssdlab_ftl::{
    Buffer, Capacity, Env, Found, Ftl, FtlError, FtlKind, Inputs, Needs, SPARE_BLOCKS,
};
use ssdlab_policy::{About, BitSet, Entry, Impossible, Source};

/// The block of each logical block.
pub struct CopyOnWrite {
    geometry: Geometry,
    /// For each LBN, its block; none if no page is mapped.
    blocks: Vec<Pbn>,
    /// The mapped pages.
    mapped: BitSet,
    free: VecDeque<Pbn>,
}

impl FtlKind for CopyOnWrite {
    const ENTRY: Entry = Entry {
        name: "copy-on-write",
        rule: "copies the whole logical block for each page written",
        source: Source::none(""),
        keys: &[SPARE_BLOCKS.key],
        about: About {
            file: file!(),
            lines: [
                "Each logical block has one block, with each page at its own offset.",
                "A write copies the block into a free one, with the new page in its place.",
                "Then the old block is erased.",
            ],
            cost: "O(pages of a block) for each page; 4 bytes for each block and a bit for each page.",
            wins: "Nothing but simplicity.",
            loses: "Every workload.",
        },
    };

    /// The spare blocks.
    type Config = u32;

    fn configure(inputs: &Inputs) -> u32 {
        inputs.spare_blocks
    }

    fn needs(spare: &u32, capacity: &Capacity) -> Result<Needs, Impossible> {
        if *spare == 0 {
            return Err(Impossible {
                key: SPARE_BLOCKS.key.path,
                why: "must be at least 1 with ftl.kind \"copy-on-write\": the copy needs a block"
                    .into(),
            });
        }
        let size = capacity.over(0, *spare);
        Ok(
            size.needs(
                8 * size.logical_blocks + 16 * size.physical_blocks + size.logical_pages / 8,
            ),
        )
    }

    fn fresh<M: Media>(_: &u32, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>> {
        let mut ftl = CopyOnWrite::empty(geometry);
        let used = if full { geometry.logical_blocks() } else { 0 };
        for (lbn, block) in ftl.blocks.iter_mut().take(used as usize).enumerate() {
            *block = Pbn(lbn as u32);
        }
        ftl.mapped = BitSet::new(geometry.logical_pages(), full);
        ftl.free = (used..geometry.physical_blocks()).map(Pbn).collect();
        Box::new(ftl)
    }

    fn mount<M: Media>(_: &u32, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        let mut ftl = CopyOnWrite::empty(&media.geometry().clone());
        for block in (0..ftl.geometry.physical_blocks()).map(Pbn) {
            ftl.find(media, block)?;
        }
        media.barrier()?;
        Ok(Box::new(ftl))
    }
}

impl CopyOnWrite {
    fn empty(geometry: &Geometry) -> Self {
        Self {
            blocks: vec![Pbn::NONE; geometry.logical_blocks() as usize],
            mapped: BitSet::new(geometry.logical_pages(), false),
            free: VecDeque::new(),
            geometry: geometry.clone(),
        }
    }

    /// Takes one block into the tables, or erases it.
    fn find<M: Media>(&mut self, media: &mut M, block: Pbn) -> Result<(), FtlError> {
        let Some((lbn, newest)) = self.read_block(media, block)? else {
            self.erase(media, block)?;
            return Ok(());
        };
        let twin = self.blocks[lbn.index()];
        if twin.is_some() {
            let (_, other) = self.read_block(media, twin)?.expect("found before");
            let (old, new) = if newest > other {
                (twin, block)
            } else {
                (block, twin)
            };
            // an unfinished copy lacks pages of the old block; a finished one replaces it
            let finished = self
                .offsets(media, old)?
                .is_subset(&self.offsets(media, new)?);
            let (stale, valid) = if finished { (old, new) } else { (new, old) };
            self.erase(media, stale)?;
            self.take(media, lbn, valid)?;
        } else {
            self.take(media, lbn, block)?;
        }
        Ok(())
    }

    fn take<M: Media>(&mut self, media: &mut M, lbn: Lbn, block: Pbn) -> Result<(), Fault> {
        self.blocks[lbn.index()] = block;
        let programmed = self.offsets(media, block)?;
        for offset in 0..self.geometry.pages_per_block() {
            let lpn = self.geometry.page_at(lbn, offset).lpn;
            if programmed.contains(&offset) {
                self.mapped.insert(lpn.0);
            } else {
                self.mapped.remove(lpn.0);
            }
        }
        Ok(())
    }

    /// The logical block of a block and its newest sequence number; `None` if it holds no page that counts.
    fn read_block<M: Media>(&self, media: &mut M, block: Pbn) -> Result<Option<(Lbn, u64)>, Fault> {
        let mut newest = None;
        for at in self.geometry.pages_of(block) {
            if let SpareState::Good(spare, sequence) = media.read_spare(at)? {
                let lbn = self.geometry.page(spare.lpn).lbn;
                newest = newest.max(Some((sequence, lbn)));
            }
        }
        Ok(newest.map(|(sequence, lbn)| (lbn, sequence)))
    }

    /// The offsets of a block with data that were not discarded since.
    fn offsets<M: Media>(
        &self,
        media: &mut M,
        block: Pbn,
    ) -> Result<std::collections::BTreeSet<u32>, Fault> {
        let mut offsets = std::collections::BTreeSet::new();
        for (offset, at) in (0..).zip(self.geometry.pages_of(block)) {
            if let SpareState::Good(spare, sequence) = media.read_spare(at)?
                && sequence > media.discarded_at(spare.lpn)?
            {
                offsets.insert(offset);
            }
        }
        Ok(offsets)
    }

    fn erase<M: Media>(&mut self, media: &mut M, block: Pbn) -> Result<(), Fault> {
        media.erase(block)?;
        self.free.push_back(block);
        Ok(())
    }

    /// The place of a page.
    fn place(&self, lpn: Lpn) -> Ppn {
        if !self.mapped.contains(lpn.0) {
            return Ppn::NONE;
        }
        let page = self.geometry.page(lpn);
        let block = self.blocks[page.lbn.index()];
        self.geometry.ppn(block, page.offset)
    }
}

impl<M: Media> Ftl<M> for CopyOnWrite {
    fn write(
        &mut self,
        env: &mut Env<M>,
        _: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        let page = self.geometry.page(lpn);
        let to = self.free.pop_front().ok_or(FtlError::NoFreeBlock)?;
        for offset in 0..self.geometry.pages_per_block() {
            let lpn = self.geometry.page_at(page.lbn, offset).lpn;
            let (from, to) = (self.place(lpn), self.geometry.ppn(to, offset));
            let spare = Spare {
                lpn,
                role: Role::DATA,
            };
            if offset == page.offset {
                env.program(to, spare, data)?;
            } else if from.is_some() {
                env.copy(from, to, spare)?;
            }
        }
        let old = std::mem::replace(&mut self.blocks[page.lbn.index()], to);
        self.mapped.insert(lpn.0);
        if old.is_some() {
            env.barrier()?;
            env.erase(old)?;
            self.free.push_back(old);
        }
        Ok(())
    }

    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        env.read(self.place(lpn), page)
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.mapped.contains(lpn.0)
    }

    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError> {
        if self.mapped.contains(lpn.0) {
            env.record_discard(lpn)?;
            self.mapped.remove(lpn.0);
        }
        Ok(())
    }

    fn check(&self, media: &mut M) -> Result<(), String> {
        for lpn in (0..self.geometry.logical_pages()).map(Lpn) {
            let at = self.place(lpn);
            if at.is_some() {
                let found = media.read_spare(at).map_err(|fault| fault.to_string())?;
                if !matches!(found, SpareState::Good(spare, _) if spare.lpn == lpn) {
                    return Err(format!("page {lpn:?} is not at {at:?}"));
                }
            }
        }
        Ok(())
    }
}
