//! The sequential fill of a drive with an SLC cache.

/// What the host does when the cache has no room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WhenFull {
    /// It writes past the cache.
    Direct,
    /// It waits until a block of the cache is folded.
    Fold,
    /// It writes past the cache, which is emptied meanwhile.
    Beside {
        /// Pages folded for each direct page, above 0.
        pages: f64,
        /// Pages that stay in the cache.
        kept: f64,
    },
}

/// A drive whose first pages are full, and the rest of which is erased.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// Logical pages.
    pub logical: f64,
    /// Blocks outside the fixed part of the cache.
    pub native: f64,
    /// Of these, those that stay free.
    pub gc_low: f64,
    /// Pages of a block in native mode.
    pub pages: f64,
    /// Pages of a block in SLC mode.
    pub slc_pages: f64,
    /// Blocks that are always in SLC mode.
    pub fixed: f64,
    /// The most other blocks in SLC mode; `None`: the cache has no such blocks.
    pub dynamic: Option<f64>,
    /// Pages in native blocks with which that bound is 0; it stays if this is 0.
    pub gone: f64,
    /// Free blocks that the cache leaves.
    pub keep: f64,
    /// The speed of programs into the cache.
    pub cache_speed: f64,
    /// The speed of native programs, in the same unit.
    pub native_speed: f64,
    /// The time of a folded page, that of a native program being 1.
    pub fold: f64,
    /// The time of an erase in the same measure, on all chips of a block together.
    pub erase: f64,
    /// What the host does when the cache has no room.
    pub full: WhenFull,
}

/// A part of a fill at one speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// What happens.
    pub what: What,
    /// The pages that the host writes in it, above 0.
    pub pages: f64,
    /// Its speed, in the unit of the drive's.
    pub speed: f64,
}

/// What happens in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Writes go to the cache.
    Cache,
    /// Writes go past the full cache.
    Direct,
    /// The same while the cache is emptied.
    Beside,
    /// The cache is emptied to make room, for data behind it or in it.
    Folding,
}

/// The most phases of a drive that folds beside: then it goes on at its mean speed.
const MOST_PHASES: usize = 64;

impl Fill {
    /// The room of the cache behind so many full pages, in pages.
    pub fn room(&self, written: f64) -> f64 {
        (self.fixed + self.taken(written)) * self.slc_pages
    }

    /// The blocks in SLC mode beside the fixed ones, behind so many pages in native blocks.
    fn taken(&self, native: f64) -> f64 {
        let Some(most) = self.dynamic else { return 0.0 };
        let cap = match self.gone {
            0.0 => most,
            gone => (most * (gone - native).max(0.0) / gone).floor(),
        };
        let full = (native / self.pages).ceil();
        cap.min(self.native - full - self.keep).max(0.0)
    }

    /// The speed while blocks of the cache are folded for space. Each gains what a native block holds more.
    pub fn folding_speed(&self) -> f64 {
        let gained = (self.pages - self.slc_pages).max(1.0);
        self.native_speed / (1.0 + self.fold * self.slc_pages / gained + self.erase / gained)
    }

    /// The phases behind so many full pages, up to the last page.
    pub fn phases(&self, written: f64) -> Vec<Phase> {
        let (fast, native) = (self.cache_speed, self.native_speed);
        let m = self.slc_pages;
        let mut phases = Vec::new();
        let mut rest = self.logical - written;
        let mut add = |what, pages: f64, speed: f64| {
            let pages = pages.min(rest);
            if pages > 0.0 {
                phases.push(Phase { what, pages, speed });
                rest -= pages;
            }
        };
        let (room, taken) = (self.room(written), self.taken(written));
        let everything = f64::INFINITY;
        add(What::Cache, room, fast);
        match self.full {
            WhenFull::Direct => {
                let full = (written / self.pages).ceil();
                let direct = (self.native - taken - full - self.gc_low) * self.pages;
                add(What::Direct, direct, native);
                let last = if taken > 0.0 {
                    self.folding_speed()
                } else {
                    native
                };
                add(What::Folding, everything, last);
            }
            WhenFull::Fold => {
                add(
                    What::Folding,
                    everything,
                    1.0 / (1.0 / fast + self.fold / native),
                );
            }
            WhenFull::Beside { pages: q, kept } => {
                let slowed = native / (1.0 + q * self.fold);
                let mut full = written;
                let mut held = room;
                for _ in 0..MOST_PHASES / 2 {
                    let beside = ((held - kept) / q).max(0.0);
                    let space = (self.native - self.gc_low) * self.pages
                        - full
                        - (held / m - self.fixed).max(0.0) * self.pages;
                    if beside == 0.0 || space < beside {
                        break;
                    }
                    add(What::Beside, beside, slowed);
                    full += beside + held - kept;
                    held = self.room(full);
                    add(What::Cache, held, fast);
                }
                add(What::Folding, everything, self.folding_speed().min(slowed));
            }
        }
        phases
    }
}
