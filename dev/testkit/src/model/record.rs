//! What a run has counted and decided so far.

use ssdlab_device::Counters;

use super::clock::Step;
use super::number::{Lbn, Lpn, Pbn};
use super::result::{Choice, Event, Merge};
use super::view::View;

/// The counters and decisions so far.
#[derive(Default)]
pub(super) struct Record {
    /// The time of the present request.
    pub(super) now_ns: u64,
    pub(super) counters: Counters,
    /// Host pages that entered a RAM region.
    pub(super) ram_entries: u64,
    pub(super) events: Vec<Event>,
    pub(super) choices: Vec<Choice>,
    /// The view of the buffer that the FTL has.
    pub(super) view: View,
    /// The pages that the FTL of a chip has copied in the present call.
    pub(super) moved: Vec<Lpn>,
    /// What the FTL did since the device looked last.
    pub(super) steps: Vec<Step>,
}

impl Record {
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
