//! A bound, not a real FTL: a write is one program, a read one read. It has no copies, no merges and no spare blocks.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn, Media, Note, Page, Payload, Pbn, Ppn};
use ssdlab_policy::{About, BitSet, Entry, Source};

use crate::{
    Buffer, Capacity, Env, Found, Ftl, FtlError, FtlKind, Impossible, Inputs, Needs, Tables,
};

impl FtlKind for Ideal<()> {
    const ENTRY: Entry = Entry {
        name: "ideal",
        rule: "a bound: each write is one program, erases are programs / pages per block, pages are never moved",
        source: Source::none(""),
        keys: &[],
        about: About {
            file: file!(),
            lines: [
                "A write is one program, a read is one read.",
                "Pages are never copied, merged or cleaned.",
                "The number of erases is programs / pages per block.",
            ],
            cost: "O(1); one bit for each logical page.",
            wins: "It is a bound: the difference from a real FTL is the cost of mapping and cleaning. (With many spare \
                   blocks, a real FTL can beat it slightly on a short trace, because it fills the spare blocks without \
                   erasing.)",
            loses: "It cannot be built.",
        },
    };

    const CLEANS: bool = true;

    type Config = ();

    fn configure(_: &Inputs) {}

    fn needs(_: &(), capacity: &Capacity) -> Result<Needs, Impossible> {
        Ok(Needs {
            blocks: None,
            // the mapped bits
            table_bytes: capacity.logical_pages() / 8,
            tables: Some(Tables::default()),
            ..Needs::default()
        })
    }

    fn fresh<M: Media>(_: &(), geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>> {
        Box::new(Ideal::<M::Data>::new(geometry, full))
    }

    fn mount<M: Media>(_: &(), _: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Err(FtlError::CannotMount)
    }
}

/// Keeps the mapped pages, and their data unless the payload is `()`. There is no flash below.
pub struct Ideal<P = ()> {
    mapped: BitSet,
    pages: Vec<P>,
    pages_per_block: u32,
    /// Programs since the last counted erase; fewer than the pages of a block.
    programmed: u32,
}

impl<P: Payload> Ideal<P> {
    fn new(geometry: &Geometry, full: bool) -> Self {
        let logical_pages = geometry.logical_pages();
        Self {
            mapped: BitSet::new(logical_pages, full),
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

impl<P: Payload> Ideal<P> {
    /// Counts programs, and one erase for each block of programs.
    #[inline]
    fn count<M: Media>(&mut self, env: &mut Env<M>, programs: u32) {
        env.counts.programs += u64::from(programs);
        self.programmed += programs;
        while self.programmed >= self.pages_per_block {
            self.programmed -= self.pages_per_block;
            env.counts.erases += 1;
            env.note(Note::Erase { block: Pbn::NONE });
        }
    }
}

impl<M: Media> Ftl<M> for Ideal<M::Data> {
    fn write(
        &mut self,
        env: &mut Env<M>,
        _: &mut Buffer<M::Data>,
        lpn: Lpn,
        page: &M::Data,
    ) -> Result<(), FtlError> {
        self.mapped.insert(lpn.0);
        if !M::Data::NOTHING {
            self.pages[lpn.index()].copy_from(page);
        }
        env.note(Note::Programs {
            to: Ppn(lpn.0),
            lpn,
            count: 1,
        });
        self.count(env, 1);
        Ok(())
    }

    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        if !self.mapped.contains(lpn.0) {
            return Ok(Found::Unmapped);
        }
        if !M::Data::NOTHING {
            page.copy_from(&self.pages[lpn.index()]);
        }
        env.count_reads(env.reading, 1);
        env.note_read(Ppn(lpn.0));
        Ok(Found::Flash)
    }

    fn has_pure_reads(&self) -> bool {
        true
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.mapped.contains(lpn.0)
    }

    fn discard(&mut self, _: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError> {
        self.mapped.remove(lpn.0);
        Ok(())
    }

    fn check(&self, _: &mut M) -> Result<(), String> {
        Ok(())
    }

    fn write_run(
        &mut self,
        env: &mut Env<M>,
        first: Page,
        count: u32,
        page: &M::Data,
    ) -> Result<(), FtlError> {
        let (first, end) = (first.lpn.0, first.lpn.0 + count);
        self.mapped.insert_range(first, end);
        if !M::Data::NOTHING {
            for kept in &mut self.pages[first as usize..end as usize] {
                kept.copy_from(page);
            }
        }
        self.count(env, count);
        Ok(())
    }

    fn count_mapped(&self, first: Lpn, count: u32) -> u32 {
        self.mapped.count(first.0, first.0 + count)
    }
}
