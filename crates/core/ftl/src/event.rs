//! Events inside a device, for a user who follows it step by step.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::Serialize;
use spin::Mutex;
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

/// Why something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// The host asked for it, and no buffer stood between.
    Host,
    /// A page had to enter a full buffer, or a region in RAM.
    Room,
    /// The host flushed.
    Flush,
    /// Pages had been dirty for too long (`buffer.flush_age_s`).
    Ageing,
    /// The host left a gap between requests.
    Idle,
    /// The trace ended.
    Drain,
    /// A merge.
    Merge,
    /// The cleaning of a block.
    Cleaning,
}

impl Trigger {
    /// The word in the file of events.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Room => "room",
            Self::Flush => "flush",
            Self::Ageing => "ageing",
            Self::Idle => "idle",
            Self::Drain => "drain",
            Self::Merge => "merge",
            Self::Cleaning => "cleaning",
        }
    }
}

/// When, where and why an event happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Context {
    /// The number of the host request that caused it, from 1; `None` between requests and at the end of the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<u64>,
    /// The simulated time at which that request, the gap or the end began, ns: under the parallel model that of the
    /// issue, under the serial model that of all work before.
    pub time_ns: u64,
    /// Why.
    pub cause: Trigger,
    /// The chip whose pages and blocks the event names, if each of several chips has an FTL of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<u32>,
}

/// How many valid pages of a logical block lie where, before a merge moves them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Valid {
    /// In the log block of the merge.
    #[serde(rename = "valid_in_log")]
    pub log: u32,
    /// In the old data block.
    #[serde(rename = "valid_in_data")]
    pub data: u32,
    /// In other blocks.
    #[serde(rename = "valid_elsewhere")]
    pub elsewhere: u32,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// The host has written pages; the event comes behind those that the write caused.
    Write {
        /// The first page. The numbers of the others follow, and begin again at 0 behind the last page of the device.
        lpn: Lpn,
        /// The number of pages.
        pages: u64,
        /// Pages that a buffer, or a region in RAM, held.
        hits: u64,
        /// The others.
        misses: u64,
    },
    /// The host has read pages. As [`Event::Write`].
    Read {
        /// The first page.
        lpn: Lpn,
        /// The number of pages.
        pages: u64,
        /// Pages that a buffer, or a region in RAM, held.
        hits: u64,
        /// The others.
        misses: u64,
    },
    /// The host has flushed.
    Flush,
    /// The host has discarded pages.
    Discard {
        /// The first page that lies in the request as a whole.
        lpn: Lpn,
        /// The number of such pages.
        pages: u64,
    },
    /// The buffer, or the RAM region, chose a victim. The pages are in ascending order.
    Evict {
        /// Pages that are written.
        dirty: Vec<Lpn>,
        /// Pages that are dropped; with padding, they are written too.
        clean: Vec<Lpn>,
        /// Pages that fill the gaps: read from flash, or blank ones.
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
        /// Where the valid pages of the logical block lie.
        #[serde(flatten)]
        valid: Valid,
    },
    /// The merge that began last has ended; also the cleaning of a block by `superblock`, which counts as a merge.
    #[serde(rename = "merge_end")]
    MergeEnd {
        /// Its kind.
        kind: MergeKind,
        /// Pages that were copied in flash.
        copied: u64,
        /// Pages that were programmed from the buffer.
        from_buffer: u64,
        /// Pages that were dropped, because the buffer held newer versions.
        dropped: u64,
        /// Blocks that were erased.
        erased: u64,
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
        /// Its valid pages, which move before the block is erased.
        valid: u32,
    },
    /// A block was erased.
    Erase {
        /// The block.
        block: Pbn,
    },
}

/// Receives the events one by one.
pub type Sink = dyn FnMut(&Context, &Event) + Send;

/// What all parts of a device share: the receiver, and what the device is doing.
struct Shared {
    context: Context,
    sink: Box<Sink>,
}

/// The receiver of events, if there is one.
#[derive(Clone, Default)]
pub struct Events {
    shared: Option<Arc<Mutex<Shared>>>,
    chip: Option<u32>,
}

impl Events {
    /// Sends each event to `sink`, which must not cause events itself.
    pub fn to(sink: impl FnMut(&Context, &Event) + Send + 'static) -> Self {
        let context = Context {
            request: None,
            time_ns: 0,
            cause: Trigger::Host,
            chip: None,
        };
        let sink = Box::new(sink);
        Self {
            shared: Some(Arc::new(Mutex::new(Shared { context, sink }))),
            chip: None,
        }
    }

    /// The same receiver, for the events of one of several chips.
    pub fn of_chip(&self, chip: u32) -> Self {
        Self {
            shared: self.shared.clone(),
            chip: Some(chip),
        }
    }

    /// Whether there is a receiver.
    #[inline]
    pub fn wanted(&self) -> bool {
        self.shared.is_some()
    }

    /// What follows belongs to this request, or to none, and has this time and cause.
    pub fn begin(&self, request: Option<u64>, time_ns: u64, cause: Trigger) {
        self.change(|context| {
            (context.request, context.time_ns, context.cause) = (request, time_ns, cause);
        });
    }

    /// What follows has this cause.
    pub fn because(&self, cause: Trigger) {
        self.change(|context| context.cause = cause);
    }

    fn change(&self, change: impl FnOnce(&mut Context)) {
        if let Some(shared) = &self.shared {
            change(&mut shared.lock().context);
        }
    }

    /// Reports an event. `event` is called only if there is a receiver.
    #[inline]
    pub fn log(&self, event: impl FnOnce() -> Event) {
        if self.wanted() {
            self.send(None, &event());
        }
    }

    /// As [`Events::log`], with a cause of its own, if there is one.
    #[inline]
    pub fn log_for(&self, cause: impl FnOnce() -> Option<Trigger>, event: impl FnOnce() -> Event) {
        if self.wanted() {
            self.send(cause(), &event());
        }
    }

    #[cold]
    fn send(&self, cause: Option<Trigger>, event: &Event) {
        if let Some(shared) = &self.shared {
            let mut shared = shared.lock();
            let Shared { context, sink } = &mut *shared;
            let own = match event {
                // a victim of a request makes room, whether a write buffer stands between or not
                Event::Evict { .. } if context.cause == Trigger::Host => Some(Trigger::Room),
                _ => cause,
            };
            let context = Context {
                cause: own.unwrap_or(context.cause),
                chip: self.chip,
                ..*context
            };
            sink(&context, event);
        }
    }
}
