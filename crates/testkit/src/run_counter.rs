//! Media that notice whether they are written in runs.

use ssdlab_flash::{Fault, Geometry, Lpn, Media, Pbn, Ppn, Spare, SpareState};

/// Counts the programs that came several at once.
pub struct RunCounter<M> {
    media: M,
    runs: u64,
}

impl<M> RunCounter<M> {
    /// Watches media.
    pub fn new(media: M) -> Self {
        Self { media, runs: 0 }
    }

    /// Runs of two pages or more.
    pub fn runs(&self) -> u64 {
        self.runs
    }
}

impl<M: Media> Media for RunCounter<M> {
    type Page = M::Page;

    fn geometry(&self) -> &Geometry {
        self.media.geometry()
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &M::Page) -> Result<(), Fault> {
        self.media.program(to, spare, page)
    }

    fn program_run(
        &mut self,
        to: Ppn,
        count: u32,
        first: Spare,
        page: &M::Page,
    ) -> Result<(), Fault> {
        self.runs += u64::from(count > 1);
        self.media.program_run(to, count, first, page)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        self.media.copy(from, to, spare)
    }

    fn read(&mut self, at: Ppn, into: &mut M::Page) -> Result<(), Fault> {
        self.media.read(at, into)
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        self.media.erase(block)
    }

    fn barrier(&mut self) -> Result<(), Fault> {
        self.media.barrier()
    }

    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        self.media.record_discard(lpn)
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
