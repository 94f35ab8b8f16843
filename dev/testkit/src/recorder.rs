//! Media that record the position of every page and the use of runs.

use std::cell::Cell;

use ssdlab_flash::{Fault, Geometry, Lpn, Media, Pbn, Ppn, Role, Spare, SpareState};

/// Wraps fresh media, which need not keep spare areas.
#[derive(Clone)]
pub struct Recorder<M> {
    media: M,
    /// Per logical page, the position of its newest version since the recorder was added.
    places: Vec<Ppn>,
    last_read: Cell<Ppn>,
    runs: u64,
    copy_runs: u64,
    spares_read: u64,
}

impl<M: Media> Recorder<M> {
    /// Records all operations from now on.
    pub fn new(media: M) -> Self {
        Self {
            places: vec![Ppn::NONE; media.geometry().named_pages() as usize],
            media,
            last_read: Cell::new(Ppn::NONE),
            runs: 0,
            copy_runs: 0,
            spares_read: 0,
        }
    }

    /// Per logical page, the position to which its newest version was programmed or copied.
    pub fn places(&self) -> &[Ppn] {
        &self.places
    }

    /// The page of the last read since the previous call.
    pub fn take_last_read(&self) -> Ppn {
        self.last_read.replace(Ppn::NONE)
    }

    /// Number of runs of two pages or more that were programmed at once.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Number of runs of two pages or more that were copied at once.
    pub fn copy_runs(&self) -> u64 {
        self.copy_runs
    }

    /// Number of spare areas that were read.
    pub fn spares_read(&self) -> u64 {
        self.spares_read
    }

    fn placed(&mut self, to: Ppn, count: u32, first: Spare) {
        for i in 0..count {
            self.places[first.plus(i).lpn.index()] = to.plus(i);
        }
    }
}

impl<M: Media> Media for Recorder<M> {
    type Data = M::Data;
    // it remembers the last read only for host reads, which reach it one by one
    const PURE_READS: bool = M::PURE_READS;

    fn geometry(&self) -> &Geometry {
        self.media.geometry()
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &M::Data) -> Result<(), Fault> {
        self.placed(to, 1, spare);
        self.media.program(to, spare, page)
    }

    fn program_run(
        &mut self,
        to: Ppn,
        count: u32,
        first: Spare,
        page: &M::Data,
    ) -> Result<(), Fault> {
        self.runs += u64::from(count > 1);
        self.placed(to, count, first);
        self.media.program_run(to, count, first, page)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        self.placed(to, 1, spare);
        self.media.copy(from, to, spare)
    }

    fn copy_run(&mut self, from: Ppn, to: Ppn, count: u32, first: Spare) -> Result<(), Fault> {
        self.copy_runs += u64::from(count > 1);
        self.placed(to, count, first);
        self.media.copy_run(from, to, count, first)
    }

    fn copy_pages(&mut self, pages: &[(Ppn, Lpn)], to: Ppn, role: Role) -> Result<(), Fault> {
        self.copy_runs += u64::from(pages.len() > 1);
        for (&(_, lpn), to) in pages.iter().zip(to.0..) {
            self.placed(Ppn(to), 1, Spare { lpn, role });
        }
        self.media.copy_pages(pages, to, role)
    }

    fn read(&mut self, at: Ppn, into: &mut M::Data) -> Result<(), Fault> {
        self.last_read.set(at);
        self.media.read(at, into)
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        self.media.erase(block)
    }

    fn barrier(&mut self) -> Result<(), Fault> {
        self.media.barrier()
    }

    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        self.places[lpn.index()] = Ppn::NONE;
        self.media.record_discard(lpn)
    }

    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault> {
        self.media.discarded_at(lpn)
    }

    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        self.spares_read += 1;
        self.media.read_spare(at)
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        self.media.erase_count(block)
    }
}
