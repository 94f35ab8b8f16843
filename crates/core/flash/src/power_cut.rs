//! A wrapper that cuts the power at a chosen operation and leaves a state that a real chip might leave.

use alloc::vec::Vec;

use crate::array::Cell;
use crate::{Array, Fault, Geometry, Lpn, Media, Payload, Pbn, Ppn, Spare, SpareState};

/// The result of the operation that the power cut interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFlight {
    /// It had no effect.
    NotDone,
    /// A program leaves a torn page. An erase leaves each page torn, erased or unchanged. A discard record is lost.
    Torn,
    /// It is complete, but the FTL did not see it return.
    Done,
}

/// The time and the effect of a power cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// The number of the operation that is cut, from 1: programs, copies, erases and discard records count. 0 never
    /// cuts.
    pub at: u64,
    /// The result of that operation.
    pub in_flight: InFlight,
    /// A seed: operations after the last barrier may be lost too. Each block loses a random number of its last
    /// operations, and the first lost one may be torn. `None`: every operation that returned is durable.
    pub lose: Option<u64>,
}

#[derive(Clone)]
enum Change<P> {
    Program { position: usize, cell: Cell<P> },
    Erase,
}

/// The operations on one block since the last barrier.
#[derive(Clone)]
struct History<P> {
    block: Pbn,
    before: Vec<Cell<P>>,
    changes: Vec<Change<P>>,
}

/// An array that loses power at one operation. Each later call returns [`Fault::PowerLost`].
#[derive(Clone)]
pub struct PowerCut<P> {
    array: Array<P>,
    cut: Cut,
    operations: u64,
    /// Set by the cut: the block of the operation that it interrupted, none for a discard record.
    died_at: Option<Option<Pbn>>,
    histories: Vec<History<P>>,
    /// Discard records since the last barrier: the page and its earlier sequence number.
    discards: Vec<(Lpn, u64)>,
}

impl<P: Payload> PowerCut<P> {
    /// Plans a power cut.
    pub fn new(array: Array<P>, cut: Cut) -> Self {
        Self {
            array,
            cut,
            operations: 0,
            died_at: None,
            histories: Vec::new(),
            discards: Vec::new(),
        }
    }

    /// Changes what the cut leaves, before or after it happened, so that one run serves for all effects of a cut.
    ///
    /// # Panics
    /// If only one of the two effects may lose earlier operations.
    pub fn set_effect(&mut self, in_flight: InFlight, lose: Option<u64>) {
        assert_eq!(self.cut.lose.is_some(), lose.is_some(), "what was saved");
        self.cut.in_flight = in_flight;
        self.cut.lose = lose;
    }

    /// Operations so far, the interrupted one included.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Turns the power on: the array in the state that the cut left, ready for a mount.
    pub fn into_array(mut self) -> Array<P> {
        if let Some(block) = self.died_at {
            let mut random = SplitMix(self.cut.lose.unwrap_or(self.cut.at));
            for history in core::mem::take(&mut self.histories) {
                self.leave(&history, block == Some(history.block), &mut random);
            }
            self.leave_discards(block.is_none(), &mut random);
        }
        self.array.power_on()
    }

    fn is_dead(&self) -> bool {
        self.died_at.is_some()
    }

    fn tracks(&self) -> bool {
        self.cut.lose.is_some() || self.operations == self.cut.at
    }

    /// Counts an operation on a block, and saves the state of the block if the cut may need it.
    fn begin(&mut self, block: Pbn) -> Result<(), Fault> {
        self.count()?;
        if self.tracks() && self.histories.iter().all(|h| h.block != block) {
            let before = self.array.block_cells(block).to_vec();
            self.histories.push(History {
                block,
                before,
                changes: Vec::new(),
            });
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), Fault> {
        if self.is_dead() {
            return Err(Fault::PowerLost);
        }
        self.operations += 1;
        Ok(())
    }

    fn end(
        &mut self,
        block: Pbn,
        change: impl FnOnce(&Array<P>) -> Change<P>,
    ) -> Result<(), Fault> {
        if self.tracks() {
            let change = change(&self.array);
            let history = self
                .histories
                .iter_mut()
                .find(|h| h.block == block)
                .expect("begun before");
            history.changes.push(change);
        }
        self.maybe_die(Some(block))
    }

    fn maybe_die(&mut self, block: Option<Pbn>) -> Result<(), Fault> {
        if self.operations != self.cut.at {
            return Ok(());
        }
        self.died_at = Some(block);
        Err(Fault::PowerLost)
    }

    /// Sets a block to one of the states that the cut may leave.
    fn leave(&mut self, history: &History<P>, has_cut_operation: bool, random: &mut SplitMix) {
        let all = history.changes.len();
        let certain = all - usize::from(has_cut_operation);
        let (done, torn) = match (self.cut.lose, self.cut.in_flight) {
            (Some(_), _) => (random.below(all + 1), random.below(2) == 0),
            (None, InFlight::Done) => (all, false),
            (None, InFlight::NotDone) => (certain, false),
            (None, InFlight::Torn) => (certain, true),
        };
        let mut cells = history.before.clone();
        for change in &history.changes[..done] {
            match change {
                Change::Program { position, cell } => cells[*position] = cell.clone(),
                Change::Erase => cells.iter_mut().for_each(|c| c.state = SpareState::Erased),
            }
        }
        if let Some(change) = history.changes.get(done).filter(|_| torn) {
            tear(&mut cells, change, random);
        }
        self.array.set_block_cells(history.block, &cells);
    }

    fn leave_discards(&mut self, cut_operation_is_one: bool, random: &mut SplitMix) {
        let all = self.discards.len();
        let done = match (self.cut.lose, self.cut.in_flight) {
            (Some(_), _) => random.below(all + 1),
            (None, InFlight::Done) => all,
            (None, _) => all - usize::from(cut_operation_is_one),
        };
        for (lpn, before) in self.discards.split_off(done).into_iter().rev() {
            self.array.set_discarded_at(lpn, before);
        }
    }
}

impl<P: Payload> Media for PowerCut<P> {
    type Data = P;

    fn geometry(&self) -> &Geometry {
        self.array.geometry()
    }

    fn program(&mut self, to: Ppn, spare: Spare, page: &P) -> Result<(), Fault> {
        let (block, position) = self.geometry().place(to);
        self.begin(block)?;
        self.array.program(to, spare, page)?;
        self.end(block, |a| programmed(a, block, position))
    }

    fn copy(&mut self, from: Ppn, to: Ppn, spare: Spare) -> Result<(), Fault> {
        let (block, position) = self.geometry().place(to);
        self.begin(block)?;
        self.array.copy(from, to, spare)?;
        self.end(block, |a| programmed(a, block, position))
    }

    fn read(&mut self, at: Ppn, into: &mut P) -> Result<(), Fault> {
        if self.is_dead() {
            Err(Fault::PowerLost)
        } else {
            self.array.read(at, into)
        }
    }

    fn erase(&mut self, block: Pbn) -> Result<(), Fault> {
        self.begin(block)?;
        self.array.erase(block)?;
        self.end(block, |_| Change::Erase)
    }

    fn barrier(&mut self) -> Result<(), Fault> {
        if self.is_dead() {
            return Err(Fault::PowerLost);
        }
        self.histories.clear();
        self.discards.clear();
        Ok(())
    }

    fn record_discard(&mut self, lpn: Lpn) -> Result<(), Fault> {
        self.count()?;
        let before = self.array.discarded_at(lpn)?;
        self.array.record_discard(lpn)?;
        self.discards.push((lpn, before));
        self.maybe_die(None)
    }

    fn discarded_at(&mut self, lpn: Lpn) -> Result<u64, Fault> {
        if self.is_dead() {
            Err(Fault::PowerLost)
        } else {
            self.array.discarded_at(lpn)
        }
    }

    fn read_spare(&mut self, at: Ppn) -> Result<SpareState, Fault> {
        if self.is_dead() {
            Err(Fault::PowerLost)
        } else {
            self.array.read_spare(at)
        }
    }

    fn erase_count(&self, block: Pbn) -> u32 {
        self.array.erase_count(block)
    }
}

fn programmed<P: Payload>(array: &Array<P>, block: Pbn, position: u32) -> Change<P> {
    let position = position as usize;
    Change::Program {
        position,
        cell: array.block_cells(block)[position].clone(),
    }
}

fn tear<P>(cells: &mut [Cell<P>], change: &Change<P>, random: &mut SplitMix) {
    match change {
        Change::Program { position, .. } => cells[*position].state = SpareState::Torn,
        Change::Erase => {
            for cell in cells {
                match random.below(3) {
                    0 => cell.state = SpareState::Torn,
                    1 => cell.state = SpareState::Erased,
                    _ => {}
                }
            }
        }
    }
}

/// A small seeded generator: the same seed leaves the same state on every machine.
#[derive(Clone)]
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n as u64) as usize
    }
}
