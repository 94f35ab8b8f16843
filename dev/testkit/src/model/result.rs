//! The result of a run of the model: what tests compare.

use ssdlab_device::Counters;

use super::number::{Lbn, Lpn, Pbn};

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelResult {
    /// The counters.
    pub counters: Counters,
    /// For each region of a placement, of all chips: pages of the host, pages copied in and out, and victims.
    pub regions: Vec<[u64; 4]>,
    /// The mapping.
    pub map: ModelMap,
    /// The free list of each chip, head first. Empty under `ideal`, which has no physical blocks.
    pub free: Vec<Vec<Pbn>>,
    /// Erases of each physical block, of one chip after the other. Empty under `ideal`.
    pub erase_counts: Vec<u32>,
    /// Victims and merges in the order in which they happened.
    pub events: Vec<Event>,
    /// The choices of BAVBS in the order in which they were made.
    pub choices: Vec<Choice>,
    /// Under the parallel model, issue and completion of each request, in nanoseconds.
    pub completions: Vec<(u64, u64)>,
    /// Under the parallel model, what the chips and the bus did, in the order in which it was given to them.
    pub operations: Vec<Operation>,
}

/// An operation of a chip or of the bus, and when it is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it is.
    pub kind: OperationKind,
    /// The chip; 0 for the bus.
    pub chip: u64,
    /// The time from which on its data are there and it may begin, in nanoseconds.
    pub ready: u64,
}

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// The cells read, then the page moves over the channel.
    Read,
    /// A read for the host, where these suspend other operations.
    SuspendingRead,
    /// The page moves over the channel, then the cells are programmed.
    Program,
    /// The cells read and program a page.
    CopyBack,
    /// The cells erase a block.
    Erase,
    /// A page moves over the bus.
    Bus,
}

/// The position of the valid page of each LPN in flash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelMap {
    /// `ideal`: whether each LPN is mapped.
    Mapped(Vec<bool>),
    /// Physical block of the chip and position in the block, for each LPN; `None`: unmapped.
    Places(Vec<Option<(Pbn, u64)>>),
}

/// A decision that tests compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A buffer evicted these pages as one victim, in ascending order; a RAM region writes back single pages.
    Evicted(Vec<Lpn>),
    /// This logical block was merged.
    Merged(Merge, Lbn),
    /// Cleaning chose this physical block.
    Cleaned(Pbn),
    /// The merge of a log block, or the cleaning of a block, has moved pages.
    Decided {
        /// Whether it used the buffer.
        aware: bool,
        /// The benefit that BAVBS predicted.
        benefit_ns: Option<u64>,
        /// Pages copied in flash.
        copied: u64,
        /// Pages from the buffer.
        from_buffer: u64,
    },
    /// The sizes of the regions of the buffer after a request, if it changed them.
    Regions([u64; 3]),
}

/// A kind of merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The log block replaces the data block unchanged.
    Switch,
    /// The log block is completed from the data block and replaces it.
    Partial,
    /// A free block receives the pages of both.
    Full,
}

/// A choice of BAVBS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The candidates, starting with the least recently written.
    pub candidates: Vec<Estimate>,
    /// The estimates are whole numbers; divided by this, they are nanoseconds.
    pub divisor: i128,
    /// The candidate chosen.
    pub chosen: usize,
    /// Whether its merge is buffer-aware.
    pub aware: bool,
}

/// The cost of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// GC_BA: buffer-aware.
    pub aware: i128,
    /// GC_BU: buffer-unaware.
    pub unaware: i128,
    /// The benefit that is part of `aware`.
    pub benefit: i128,
    /// If cleaning chooses a block: the pages gained by cleaning it. Else 1.
    pub gained: i128,
}
