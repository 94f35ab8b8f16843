//! The flash array. It enforces the rules of the chip.

use alloc::vec;
use alloc::vec::Vec;

use crate::media::{copy_each, copy_pages_each, program_each};
use crate::{Fault, Geometry, Lpn, Media, Payload, Pbn, Ppn, Role, Spare, SpareState};

/// The order in which the pages of a block may be programmed. Each FTL declares the one it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramOrder {
    /// Ascending; gaps are allowed. Today's NAND flash.
    Ascending,
    /// Any order, each page once. Small-block SLC flash.
    Any,
}

/// One physical page with its spare area.
#[derive(Clone, Debug)]
pub(crate) struct Cell<P> {
    pub(crate) state: SpareState,
    pub(crate) page: P,
}

/// An array of erase blocks in memory. With `()` as payload it stores four bytes and an erase count for each block, and
/// no spare areas.
#[derive(Clone, Debug)]
pub struct Array<P> {
    geometry: Geometry,
    order: ProgramOrder,
    /// For each block, the page after the highest programmed one.
    next: Vec<Ppn>,
    /// For each page, whether it is programmed. Empty unless the order is `ProgramOrder::Any`.
    programmed: Vec<bool>,
    erases: Vec<u32>,
    /// Empty if the payload is `()`.
    cells: Vec<Cell<P>>,
    /// For each logical page, the sequence number of its last discard. Empty if the payload is `()`.
    discards: Vec<u64>,
    sequence: u64,
}

impl<P: Payload> Array<P> {
    /// An array of erased blocks for an FTL that programs pages in the given order.
    pub fn new(geometry: Geometry, order: ProgramOrder) -> Self {
        let kept = |n: u32| if P::NOTHING { 0 } else { n as usize };
        let blank = Cell {
            state: SpareState::Erased,
            page: P::blank(geometry.page_size()),
        };
        let any = order == ProgramOrder::Any;
        Self {
            order,
            next: (0..geometry.all_blocks())
                .map(|block| geometry.ppn(Pbn(block), 0))
                .collect(),
            programmed: vec![
                false;
                if any {
                    geometry.all_pages() as usize
                } else {
                    0
                }
            ],
            erases: vec![0; geometry.all_blocks() as usize],
            cells: vec![blank; kept(geometry.all_pages())],
            discards: vec![0; kept(geometry.logical_pages())],
            sequence: 0,
            geometry,
        }
    }

    /// Writes every logical page of a new array once, in order. Logical block b becomes physical block b.
    pub fn precondition(&mut self) -> Result<(), Fault> {
        let blank = P::blank(self.geometry.page_size());
        for page in 0..self.geometry.logical_pages() {
            self.program(
                Ppn(page),
                Spare {
                    lpn: Lpn(page),
                    role: Role::DATA,
                },
                &blank,
            )?;
        }
        Ok(())
    }

    /// Programs each page of the FTL's own in the blocks behind the others of a new array, in order. It has `entries` numbers:
    /// those of its next logical pages, which is where [`Array::precondition`] has put them.
    pub fn precondition_own(&mut self, entries: u32) -> Result<(), Fault> {
        let mut page = P::blank(self.geometry.page_size());
        let logical_pages = self.geometry.logical_pages();
        for index in 0..self.geometry.own_pages() {
            let places = (index * entries..).take(entries as usize);
            page.set_numbers(places.map(|place| match place < logical_pages {
                true => place,
                false => Ppn::NONE.0,
            }));
            let spare = Spare {
                lpn: self.geometry.own_page(index),
                role: Role::DATA,
            };
            self.program(Ppn(self.geometry.physical_pages() + index), spare, &page)?;
        }
        Ok(())
    }

    /// The array after a power cycle: the sequence number, which was in memory only, is rebuilt from flash.
    pub fn power_on(mut self) -> Self {
        let newest = self.cells.iter().filter_map(|c| match c.state {
            SpareState::Good(_, sequence) => Some(sequence),
            _ => None,
        });
        self.sequence = newest
            .chain(self.discards.iter().copied())
            .max()
            .unwrap_or(0);
        self
    }

    #[inline]
    fn claim(&mut self, at: Ppn) -> Result<(), Fault> {
        let next = &mut self.next[self.geometry.block_of(at).index()];
        if self.order == ProgramOrder::Any {
            *next = at.plus(1).max(*next);
            if core::mem::replace(&mut self.programmed[at.index()], true) {
                return Err(Fault::Programmed(at));
            }
            return Ok(());
        }
        if at < *next {
            return Err(if at.plus(1) == *next {
                Fault::Programmed(at)
            } else {
                Fault::OutOfOrder(at)
            });
        }
        *next = at.plus(1);
        Ok(())
    }

    /// Claims consecutive pages in one step. Returns false and changes nothing if they have to be claimed one by one.
    #[inline]
    fn claim_run(&mut self, to: Ppn, count: u32) -> bool {
        if !P::NOTHING || self.order == ProgramOrder::Any || !self.is_in_one_block(to, count) {
            return false;
        }
        let next = &mut self.next[self.geometry.block_of(to).index()];
        let free = to >= *next;
        if free {
            *next = to.plus(count);
        }
        free
    }

    #[inline]
    fn is_in_one_block(&self, first: Ppn, count: u32) -> bool {
        count > 0 && self.geometry.place(first).1 + count <= self.geometry.pages_per_block()
    }

    #[inline]
    fn is_programmed(&self, at: Ppn) -> bool {
        if !P::NOTHING {
            return matches!(self.cells[at.index()].state, SpareState::Good(..));
        }
        match self.order {
            ProgramOrder::Any => self.programmed[at.index()],
            ProgramOrder::Ascending => at < self.next[self.geometry.block_of(at).index()],
        }
    }

    fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    pub(crate) fn block_cells(&self, block: Pbn) -> &[Cell<P>] {
        let first = self.geometry.ppn(block, 0).index();
        &self.cells[first..first + self.geometry.pages_per_block() as usize]
    }

    /// Sets a block to a state that a power cut left, and derives from its cells which pages can be programmed next.
    pub(crate) fn set_block_cells(&mut self, block: Pbn, cells: &[Cell<P>]) {
        let first = self.geometry.ppn(block, 0).index();
        self.cells[first..first + cells.len()].clone_from_slice(cells);
        let used = |c: &Cell<P>| c.state != SpareState::Erased;
        let end = cells.iter().rposition(used).map_or(0, |p| p as u32 + 1);
        self.next[block.index()] = self.geometry.ppn(block, end);
        if self.order == ProgramOrder::Any {
            for (position, cell) in cells.iter().enumerate() {
                self.programmed[first + position] = used(cell);
            }
        }
    }

    pub(crate) fn set_discarded_at(&mut self, lpn: Lpn, sequence: u64) {
        self.discards[lpn.index()] = sequence;
    }
}

impl<P: Payload> Media for Array<P> {
    type Data = P;
    const PURE_READS: bool = true;

    #[inline]
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    #[inline]
    fn program(&mut self, to: Ppn, spare: Spare, page: &P) -> Result<(), Fault> {
        self.claim(to)?;
        if !P::NOTHING {
            let sequence = self.next_sequence();
            let cell = &mut self.cells[to.index()];
            cell.state = SpareState::Good(spare, sequence);
            cell.page.copy_from(page);
        }
        Ok(())
    }

    fn program_run(&mut self, to: Ppn, count: u32, first: Spare, page: &P) -> Result<(), Fault> {
        if self.claim_run(to, count) {
            return Ok(());
        }
        program_each(self, to, count, first, page)
    }

    #[inline]
    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        if !self.is_programmed(from) {
            return Err(Fault::Unreadable(from));
        }
        self.claim(to)?;
        if !P::NOTHING {
            let page = self.cells[from.index()].page.clone();
            self.cells[to.index()] = Cell {
                state: SpareState::Good(spare, self.next_sequence()),
                page,
            };
        }
        Ok(())
    }

    fn copy_run(&mut self, from: Ppn, to: Ppn, count: u32, first: Spare) -> Result<(), Fault> {
        // in a block programmed in ascending order, all pages are readable if the last one is
        let readable =
            self.is_in_one_block(from, count) && self.is_programmed(from.plus(count - 1));
        if readable && self.claim_run(to, count) {
            return Ok(());
        }
        copy_each(self, from, to, count, first)
    }

    fn copy_pages(&mut self, pages: &[(Ppn, Lpn)], to: Ppn, role: Role) -> Result<(), Fault> {
        if let [(first, _), .., (last, _)] = *pages {
            debug_assert!(pages.is_sorted_by(|(a, _), (b, _)| a < b));
            let readable =
                self.is_in_one_block(first, last.0 - first.0 + 1) && self.is_programmed(last);
            if readable && self.claim_run(to, pages.len() as u32) {
                return Ok(());
            }
        }
        copy_pages_each(self, pages, to, role)
    }

    #[inline]
    fn read(&mut self, at: Ppn, into: &mut P) -> Result<(), Fault> {
        if !self.is_programmed(at) {
            return Err(Fault::Unreadable(at));
        }
        if !P::NOTHING {
            into.copy_from(&self.cells[at.index()].page);
        }
        Ok(())
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        let erases = &mut self.erases[block.index()];
        *erases = erases.checked_add(1).ok_or(Fault::WornOut(block))?;
        self.next[block.index()] = self.geometry.ppn(block, 0);
        let first = self.geometry.ppn(block, 0).index();
        let pages = first..first + self.geometry.pages_per_block() as usize;
        if self.order == ProgramOrder::Any {
            self.programmed[pages.clone()].fill(false);
        }
        if !P::NOTHING {
            for cell in &mut self.cells[pages] {
                cell.state = SpareState::Erased;
            }
        }
        Ok(())
    }

    #[inline]
    fn barrier(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        if !P::NOTHING {
            self.discards[lpn.index()] = self.next_sequence();
        }
        Ok(())
    }

    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault> {
        Ok(self.discards.get(lpn.index()).copied().unwrap_or(0))
    }

    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        self.cells
            .get(at.index())
            .map(|c| c.state)
            .ok_or(Fault::Unreadable(at))
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        self.erases[block.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bug: the erase count wraps to 0
    #[test]
    fn erases_are_counted_or_refused() {
        let geometry = Geometry::new(512, 1, 1, 1, 1);
        let mut array = Array::<()>::new(geometry, ProgramOrder::Ascending);
        array.erases[0] = u32::MAX - 1;
        assert_eq!(array.erase(Pbn(0)), Ok(()));
        assert_eq!(array.erase(Pbn(0)), Err(Fault::WornOut(Pbn(0))));
    }
}
