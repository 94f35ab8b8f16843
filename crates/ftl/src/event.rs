//! What happens inside a device, for whoever wants to follow it step by step.

use std::cell::RefCell;
use std::rc::Rc;

use serde::Serialize;
use ssdlab_flash::{Lbn, Lpn, Pbn};

/// How a merge went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MergeKind {
    /// The log block took the place of the data block.
    Switch,
    /// The log block was completed and took the place of the data block.
    Partial,
    /// The newest versions went into a free block.
    Full,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// The buffer, or a region in RAM, chose a victim. Pages in ascending order.
    Evict {
        /// Pages to be written.
        dirty: Vec<Lpn>,
        /// Pages to be dropped, or with padding written too.
        clean: Vec<Lpn>,
        /// Pages read from flash to fill the gaps.
        padding: Vec<Lpn>,
    },
    /// A merge begins.
    Merge {
        /// Its kind.
        kind: MergeKind,
        /// The logical block.
        lbn: Lbn,
        /// The log block (fast: the one that is reclaimed, or SW; block: the replacement block; replacement: the last
        /// block of the chain).
        log: Pbn,
        /// The data block so far, if there is one.
        data: Option<Pbn>,
        /// The data block from now on.
        to: Pbn,
    },
    /// Cleaning chose a block (page mapping; superblock, where it counts as a merge too).
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

/// Takes events one by one, each with the number of its chip where several chips have an FTL each; pages, logical and
/// physical blocks are then those of that chip.
pub type Sink = dyn FnMut(Option<u32>, &Event);

/// Where events go: nowhere, unless somebody listens.
#[derive(Clone, Default)]
pub struct Events {
    sink: Option<Rc<RefCell<Sink>>>,
    chip: Option<u32>,
}

impl Events {
    /// Sends every event to a sink, which must not cause any.
    pub fn to(sink: impl FnMut(Option<u32>, &Event) + 'static) -> Self {
        Self {
            sink: Some(Rc::new(RefCell::new(sink))),
            chip: None,
        }
    }

    /// The same sink, for what happens on one of several chips.
    pub fn of_chip(&self, chip: u32) -> Self {
        Self {
            sink: self.sink.clone(),
            chip: Some(chip),
        }
    }

    /// Is anybody listening?
    #[inline]
    pub fn wanted(&self) -> bool {
        self.sink.is_some()
    }

    /// Reports an event, which is made only if somebody listens.
    #[inline]
    pub fn log(&self, event: impl FnOnce() -> Event) {
        if let Some(sink) = &self.sink {
            (sink.borrow_mut())(self.chip, &event());
        }
    }
}
