//! A wrapper that checks the flash operations of an FTL.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Fault, Geometry, Lpn, Media, Pbn, Ppn, Spare, SpareState};

/// Refuses to erase a block that holds the newest version of a logical page, and counts the pages programmed.
///
/// Wrap the media before the first operation of the FTL.
#[derive(Clone, Debug)]
pub struct Check<M> {
    media: M,
    /// For each logical page, its newest version; none if it was never written or was discarded.
    newest: Vec<Ppn>,
    /// For each physical page, the logical page it was programmed for since the last erase.
    holds: Vec<Lpn>,
    consumed: u64,
}

impl<M: Media> Check<M> {
    /// Wraps media that keep spare areas, and reads their state from these.
    pub fn new(mut media: M) -> Result<Self, Fault> {
        let geometry = media.geometry().clone();
        let mut newest = vec![(Ppn::NONE, 0); geometry.logical_pages() as usize];
        let mut holds = vec![Lpn::NONE; geometry.all_pages() as usize];
        for ppn in (0..geometry.all_pages()).map(Ppn) {
            if let SpareState::Good(spare, sequence) = media.read_spare(ppn)?
                && geometry.own_index(spare.lpn).is_none()
            {
                holds[ppn.index()] = spare.lpn;
                let newest = &mut newest[spare.lpn.index()];
                if sequence > newest.1 && sequence > media.discarded_at(spare.lpn)? {
                    *newest = (ppn, sequence);
                }
            }
        }
        Ok(Self {
            media,
            newest: newest.into_iter().map(|n| n.0).collect(),
            holds,
            consumed: 0,
        })
    }

    /// Pages programmed through this wrapper, copies included.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The physical page with the newest version of a logical page.
    pub fn newest(&self, lpn: Lpn) -> Option<Ppn> {
        Some(self.newest[lpn.index()]).filter(|p| p.is_some())
    }

    fn programmed(&mut self, at: Ppn, lpn: Lpn) {
        self.consumed += 1;
        // the FTL may drop pages of its own
        if self.geometry().own_index(lpn).is_none() {
            self.holds[at.index()] = lpn;
            self.newest[lpn.index()] = at;
        }
    }
}

impl<M: Media> Media for Check<M> {
    type Data = M::Data;

    fn geometry(&self) -> &Geometry {
        self.media.geometry()
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &Self::Data) -> Result<(), Fault> {
        self.media.program(to, spare, page)?;
        self.programmed(to, spare.lpn);
        Ok(())
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        self.media.copy(from, to, spare)?;
        self.programmed(to, spare.lpn);
        Ok(())
    }

    fn read(&mut self, at: Ppn, into: &mut Self::Data) -> Result<(), Fault> {
        self.media.read(at, into)
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        let first = self.geometry().ppn(block, 0).index();
        let pages = first..first + self.geometry().pages_per_block() as usize;
        for page in pages.clone() {
            let lpn = self.holds[page];
            if lpn.is_some() && self.newest[lpn.index()].index() == page {
                return Err(Fault::EraseOfNewest(lpn));
            }
        }
        self.media.erase(block)?;
        self.holds[pages].fill(Lpn::NONE);
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), Fault> {
        self.media.barrier()
    }

    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        self.media.record_discard(lpn)?;
        self.newest[lpn.index()] = Ppn::NONE;
        Ok(())
    }

    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault> {
        self.media.discarded_at(lpn)
    }

    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        self.media.read_spare(at)
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        self.media.erase_count(block)
    }
}
