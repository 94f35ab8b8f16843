//! What a run has counted and decided so far.

use ssdlab_device::Counters;
use ssdlab_ftl::BufferAware;

use super::bavbs::Decision;
use super::clock::Step;
use super::number::{Lbn, Lpn, Pbn};
use super::result::{Choice, Event, Merge};
use super::view::View;

/// The counters and decisions so far.
#[derive(Default)]
pub(super) struct Record {
    /// The time of the present request.
    pub(super) now_ns: u64,
    /// The stream of the page that is written.
    pub(super) stream: u16,
    /// The last page, on its chip, of the request or the victim of the page that is written.
    pub(super) end: Lpn,
    pub(super) counters: Counters,
    /// Host pages that entered a RAM region.
    pub(super) ram_entries: u64,
    pub(super) events: Vec<Event>,
    pub(super) choices: Vec<Choice>,
    /// The view of the buffer that the FTL has.
    pub(super) view: View,
    /// How merges use that view.
    pub(super) aware: BufferAware,
    /// The pages that the FTL of a chip has copied in the present call.
    pub(super) moved: Vec<Lpn>,
    /// What the FTL did since the device looked last.
    pub(super) steps: Vec<Step>,
}

/// Page moves by merges.
#[derive(Clone, Copy, Default)]
pub(super) struct Moves {
    pub(super) copies: u64,
    pub(super) copy_backs: u64,
    pub(super) merge_programs: u64,
    pub(super) skipped: u64,
}

impl Moves {
    pub(super) fn since(self, before: Moves) -> Moves {
        Moves {
            copies: self.copies - before.copies,
            copy_backs: self.copy_backs - before.copy_backs,
            merge_programs: self.merge_programs - before.merge_programs,
            skipped: self.skipped - before.skipped,
        }
    }

    pub(super) fn and(self, more: Moves) -> Moves {
        Moves {
            copies: self.copies + more.copies,
            copy_backs: self.copy_backs + more.copy_backs,
            merge_programs: self.merge_programs + more.merge_programs,
            skipped: self.skipped + more.skipped,
        }
    }
}

impl Record {
    /// The page moves by merges so far.
    pub(super) fn moves(&self) -> Moves {
        Moves {
            copies: self.counters.flash_copies,
            copy_backs: self.counters.copy_backs,
            merge_programs: self.counters.merge_programs,
            skipped: self.counters.skipped_migrations,
        }
    }

    /// Whether a merge takes, or skips, the pages that the buffer holds.
    pub(super) fn is_aware(&self, decision: Decision) -> bool {
        decision.aware && !matches!(self.aware, BufferAware::Off | BufferAware::Watch)
    }

    /// Whether a merge takes the pages that the buffer holds.
    pub(super) fn gives(&self, decision: Decision) -> bool {
        self.is_aware(decision) && self.aware != BufferAware::Skip
    }

    /// Whether a merge drops the flash copy of a page.
    pub(super) fn skips(&self, lpn: Lpn, decision: Decision) -> bool {
        self.aware == BufferAware::Skip
            && decision.aware
            && self.view.get(lpn).is_some_and(|page| page.dirty)
    }

    /// Counts the merge of a log block, or the cleaning of a block, by its decision, if it has moved a page.
    pub(super) fn decided(&mut self, decision: Decision, moves: Moves) {
        let copied = moves.copies + moves.copy_backs;
        if self.aware == BufferAware::Off || copied + moves.merge_programs + moves.skipped == 0 {
            return;
        }
        let aware = self.is_aware(decision);
        if aware {
            self.counters.aware_merges += 1;
            self.counters.predicted_benefit_ns += decision.predicted_ns.unwrap_or(0);
        } else {
            self.counters.unaware_merges += 1;
        }
        self.events.push(Event::Decided {
            aware,
            benefit_ns: decision.predicted_ns,
            copied,
            from_buffer: moves.merge_programs,
        });
    }

    /// Counts a merge.
    pub(super) fn merged(&mut self, kind: Merge, lbn: Lbn) {
        match kind {
            Merge::Switch => self.counters.switch_merges += 1,
            Merge::Partial => self.counters.partial_merges += 1,
            Merge::Full => self.counters.full_merges += 1,
        }
        self.events.push(Event::Merged(kind, lbn));
    }

    /// Counts a victim of cleaning.
    pub(super) fn cleaned(&mut self, victim: Pbn) {
        self.counters.gc_victims += 1;
        self.events.push(Event::Cleaned(victim));
    }
}
