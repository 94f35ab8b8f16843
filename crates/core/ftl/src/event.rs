//! Events inside a device, for a user who follows it step by step.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use ssdlab_flash::{Lbn, Lpn, Pbn};

/// The kind of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MergeKind {
    /// The log block replaced the data block without copies.
    Switch,
    /// The log block was completed with copies and replaced the data block.
    Partial,
    /// The newest versions were copied into a free block.
    Full,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// The buffer, or the RAM region, chose a victim. The pages are in ascending order.
    Evict {
        /// Pages that are written.
        dirty: Vec<Lpn>,
        /// Pages that are dropped; with padding, they are written too.
        clean: Vec<Lpn>,
        /// Pages that are read from flash to fill the gaps.
        padding: Vec<Lpn>,
    },
    /// A merge begins.
    Merge {
        /// Its kind.
        kind: MergeKind,
        /// The logical block.
        lbn: Lbn,
        /// The log block (fast: the reclaimed log block, or SW; block: the replacement block; replacement: the last
        /// block of the chain).
        log: Pbn,
        /// The old data block, if there is one.
        data: Option<Pbn>,
        /// The new data block.
        to: Pbn,
    },
    /// The merge of a log block, or the cleaning of a block, has moved pages and ended. Only merges that see the buffer
    /// report it: `ftl.buffer_aware` is not `off`.
    Merged {
        /// Whether it used the buffer.
        aware: bool,
        /// The benefit that BAVBS predicted, ns; `None` if BAVBS did not choose the block.
        benefit_ns: Option<u64>,
        /// What its operations cost, erases included, ns.
        cost_ns: u64,
        /// Pages that were copied in flash.
        copied: u64,
        /// Pages that were programmed from the buffer.
        from_buffer: u64,
    },
    /// The target sizes of the regions of the write buffer have changed.
    Regions {
        /// The sizes in pages; of `three-region`: w0, w1, w2.
        sizes: [u64; 3],
    },
    /// Cleaning chose a block (page mapping; also superblock, where it counts as a merge too).
    Clean {
        /// The block.
        victim: Pbn,
    },
    /// A block was erased.
    Erase {
        /// The block.
        block: Pbn,
    },
}

/// Receives the events one by one. If several chips have an FTL each, the number of the chip comes with the event, and
/// pages and blocks are those of that chip.
pub type Sink = dyn FnMut(Option<u32>, &Event) + Send;

/// The receiver of events, if there is one.
#[derive(Clone, Default)]
pub struct Events {
    sink: Option<Arc<Mutex<Sink>>>,
    chip: Option<u32>,
}

impl Events {
    /// Sends each event to `sink`, which must not cause events itself.
    pub fn to(sink: impl FnMut(Option<u32>, &Event) + Send + 'static) -> Self {
        Self {
            sink: Some(Arc::new(Mutex::new(sink))),
            chip: None,
        }
    }

    /// The same receiver, for the events of one of several chips.
    pub fn of_chip(&self, chip: u32) -> Self {
        Self {
            sink: self.sink.clone(),
            chip: Some(chip),
        }
    }

    /// Whether there is a receiver.
    #[inline]
    pub fn wanted(&self) -> bool {
        self.sink.is_some()
    }

    /// Reports an event. `event` is called only if there is a receiver.
    #[inline]
    pub fn log(&self, event: impl FnOnce() -> Event) {
        if let Some(sink) = &self.sink {
            let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
            sink(self.chip, &event());
        }
    }
}
