//! The writes that are yet to come, for policies that a simulation tells of them.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::Lpn;

/// The units of a [`Future`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A page: it is written, or discarded.
    Page,
    /// A logical block of this many pages: one of its pages is written.
    Block(u32),
}

impl Unit {
    /// The pages of a unit.
    pub fn pages(self) -> u32 {
        match self {
            Self::Page => 1,
            Self::Block(pages) => pages,
        }
    }
}

/// For each page that the host writes, in order, how many writes of pages later its unit (the page, or its block) is
/// written again, or the page discarded. It is cheap to clone. When all writes have passed, it begins anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Future {
    distances: Arc<Vec<u32>>,
    /// For each unit, its first write; empty if it is not kept.
    firsts: Arc<Vec<u32>>,
}

impl Future {
    /// What follows a write of a unit that is not written again before a flush or the end.
    pub const NEVER: u32 = u32::MAX;

    /// The writes until the unit of write `at` is written again; [`NEVER`](Self::NEVER) also without any writes.
    #[inline]
    pub fn after(&self, at: usize) -> u32 {
        self.distances.get(at).copied().unwrap_or(Self::NEVER)
    }

    /// For each unit, the number of its first write, from 0; [`NEVER`](Self::NEVER) if there is none. Nothing unless
    /// [`Foresight::with_firsts`] asked for it.
    pub fn firsts(&self) -> impl Iterator<Item = u32> + '_ {
        self.firsts.iter().copied()
    }

    /// The number of writes of pages.
    pub fn writes(&self) -> usize {
        self.distances.len()
    }
}

impl From<Vec<u32>> for Future {
    fn from(distances: Vec<u32>) -> Self {
        Self {
            // not as a slice, which would be a copy
            distances: Arc::new(distances),
            firsts: Arc::default(),
        }
    }
}

/// More writes of pages than a [`Future`] counts, or than memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The writes that it may have.
    pub most: usize,
}

/// Computes a [`Future`] from all writes, discards and flushes in order.
#[derive(Clone, Debug)]
pub struct Foresight {
    unit: Unit,
    /// For each unit, one more than its last write; 0 if none counts any more.
    last: Vec<u32>,
    distances: Vec<u32>,
    firsts: Option<Vec<u32>>,
    most: usize,
    /// The writes so far, those of the second pass included.
    now: u32,
    /// The first write that no flush has followed.
    since: u32,
    /// The same writes pass for the second time.
    again: bool,
}

impl Foresight {
    /// Bytes for each write of a page.
    pub const BYTES: u64 = 4;

    /// Of a device with this many pages, for at most this many writes of pages.
    pub fn new(pages: u32, unit: Unit, most: usize) -> Self {
        Self {
            unit,
            last: vec![0; pages.div_ceil(unit.pages()) as usize],
            distances: Vec::new(),
            firsts: None,
            // both passes are counted in 32 bits
            most: most.min(u32::MAX as usize / 2 - 1),
            now: 0,
            since: 0,
            again: false,
        }
    }

    /// The same, and it keeps the first write of each unit.
    pub fn with_firsts(mut self) -> Self {
        self.firsts = Some(vec![Future::NEVER; self.last.len()]);
        self
    }

    /// The host writes consecutive pages.
    ///
    /// # Errors
    /// Too many writes.
    pub fn write(&mut self, first: Lpn, count: u32) -> Result<(), TooLong> {
        let most = self.most;
        if !self.again {
            let writes = self.distances.len() + count as usize;
            let room = self.distances.try_reserve(count as usize);
            if writes > most || room.is_err() {
                return Err(TooLong { most });
            }
        }
        for lpn in first.0..first.0 + count {
            let unit = (lpn / self.unit.pages()) as usize;
            self.happens(unit);
            self.now += 1;
            if !self.again {
                if let Some(firsts) = &mut self.firsts {
                    firsts[unit] = firsts[unit].min(self.distances.len() as u32);
                }
                self.distances.push(Future::NEVER);
                self.last[unit] = self.now;
            }
        }
        Ok(())
    }

    /// The host discards consecutive pages.
    pub fn discard(&mut self, first: Lpn, count: u32) {
        if self.unit == Unit::Page {
            (first.index()..first.index() + count as usize).for_each(|page| self.happens(page));
        }
    }

    /// All dirty pages leave: what was written before gains nothing from what comes after.
    pub fn flush(&mut self) {
        self.since = self.now;
    }

    /// The next writes and discards are the first ones again, as in a replay that no flush separates from this one.
    pub fn again(&mut self) {
        self.again = true;
    }

    /// What was computed.
    pub fn finish(mut self) -> Future {
        self.distances.shrink_to_fit();
        Future {
            distances: Arc::new(self.distances),
            firsts: Arc::new(self.firsts.unwrap_or_default()),
        }
    }

    /// A unit is written, or a page discarded, after `now` writes.
    fn happens(&mut self, unit: usize) {
        let last = core::mem::take(&mut self.last[unit]);
        if last > self.since {
            self.distances[last as usize - 1] = self.now + 1 - last;
        }
    }
}
