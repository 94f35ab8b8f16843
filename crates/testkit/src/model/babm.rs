//! Buffer-aware merges (BABM): what an FTL sees of the buffer, and how it moves a page (section 6).

use std::collections::BTreeMap;

use super::buffer::Buffer;
use super::flash::Flash;
use super::{Lpn, Pbn, Record};

/// Whether merges and cleaning ask the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelAware {
    /// They do not.
    Off,
    /// They take from it what it holds (BABM).
    Merge,
    /// They choose their victims by it as well (BAVBS).
    MergeAndVictim,
}

/// What the FTL of a chip sees of the buffer during a write: nothing, if it is not to be aware of it.
#[derive(Default)]
pub(super) struct View {
    /// The pages held, by their numbers on the chip.
    held: BTreeMap<Lpn, Held>,
    /// The parts of which P(update) is counted: all of them are a probability of 1.
    pub(super) parts: u64,
}

/// A page that the buffer holds.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) dirty: bool,
    /// P(update), in parts.
    pub(super) update: u64,
}

impl View {
    /// What is held of the pages of a chip, but for the page that is being written.
    pub(super) fn of(buffer: &Buffer, chips: u64, written: Lpn) -> Self {
        let seen = |lpn: &Lpn| lpn % chips == written % chips && *lpn != written;
        let held = |lpn| Held {
            dirty: buffer.is_dirty(lpn),
            update: buffer.update_probability(lpn),
        };
        let pages = buffer.pages().into_iter().filter(seen);
        Self {
            held: pages.map(|lpn| (lpn / chips, held(lpn))).collect(),
            parts: buffer.probability_parts(),
        }
    }

    /// Tells the buffer which pages are clean after the write of a page.
    pub(super) fn tell(&self, buffer: &mut Buffer, chips: u64, written: Lpn) {
        for (local, held) in &self.held {
            if !held.dirty {
                buffer.hold_clean(local * chips + written % chips);
            }
        }
    }

    /// How an LPN is held.
    pub(super) fn get(&self, lpn: Lpn) -> Option<Held> {
        self.held.get(&lpn).copied()
    }

    fn clean(&mut self, lpn: Lpn) {
        let held = self.held.get_mut(&lpn);
        held.expect("the page is held").dirty = false;
    }
}

impl Flash {
    /// Moves a page in a merge or in cleaning, buffer-aware or not. A page held dirty needs no valid flash copy.
    pub(super) fn migrate(
        &mut self,
        lpn: Lpn,
        (target, position): (Pbn, u64),
        aware: bool,
        record: &mut Record,
    ) {
        let from_buffer = match record.view.get(lpn) {
            Some(held) if aware => {
                held.dirty || self.locate(lpn).is_some() && !self.can_copy_back(lpn, target)
            }
            _ => false,
        };
        if from_buffer {
            self.merge_program(lpn, target, position, record);
            record.view.clean(lpn);
        } else {
            self.copy(lpn, target, position, record);
        }
    }
}
