//! A wrapper that notes what the FTL does, for the clocks above it.

use alloc::vec::Vec;

use crate::{Fault, Geometry, Lpn, Media, Note, Pbn, Ppn, Role, Spare, SpareState};

/// Keeps the notes of an FTL until they are taken.
#[derive(Clone, Debug)]
pub struct Clocked<M> {
    media: M,
    notes: Vec<Note>,
}

impl<M> Clocked<M> {
    /// Wraps media.
    pub fn new(media: M) -> Self {
        Self {
            media,
            notes: Vec::new(),
        }
    }

    /// The media below.
    pub fn into_inner(self) -> M {
        self.media
    }
}

impl<M: Media> Media for Clocked<M> {
    type Data = M::Data;
    const CLOCKED: bool = true;

    #[inline]
    fn note(&mut self, note: Note) {
        if !note.continues(&mut self.notes) {
            self.notes.push(note);
        }
    }

    fn note_copies(&mut self, pages: &[(Ppn, Lpn)], to: Ppn) {
        let copies = pages.iter().zip(to.0..);
        let copies = copies.map(|(&(from, _), to)| Note::Copy { from, to: Ppn(to) });
        self.notes.extend(copies);
    }

    fn notes(&mut self) -> Option<&mut Vec<Note>> {
        Some(&mut self.notes)
    }

    fn geometry(&self) -> &Geometry {
        self.media.geometry()
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &Self::Data) -> Result<(), Fault> {
        self.media.program(to, spare, page)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        self.media.copy(from, to, spare)
    }

    fn copy_pages(&mut self, pages: &[(Ppn, Lpn)], to: Ppn, role: Role) -> Result<(), Fault> {
        self.media.copy_pages(pages, to, role)
    }

    fn read(&mut self, at: Ppn, into: &mut Self::Data) -> Result<(), Fault> {
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
