//! Power that fails between two operations of the flash.

use fastrand::Rng;
use ssdlab_flash::Fault;

use crate::mark::{Mark, Tally};
use crate::shared::SharedImage;

/// What a power cut needs to know of the operations since the last mark.
#[derive(Debug, Default)]
pub struct Power {
    is_watched: bool,
    is_off: bool,
    /// Programs and erases since it was watched.
    operations: u64,
    /// The operation that it fails instead of.
    cut_at: Option<u64>,
    seed: Option<u64>,
    /// The sequence numbers and tallies after each operation since the last mark and the last discard, but not after the
    /// last one: the moments to which a cut can go back.
    moments: Vec<(u64, Tally)>,
    /// The moment after the last operation.
    now: Option<(u64, Tally)>,
}

/// What a power cut leaves of the operations since the last mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Nothing,
    All,
    /// Those up to this moment.
    UpTo(u64, Tally),
}

impl Power {
    /// Draws what a cut leaves: without a seed, nothing.
    fn left(&self, seed: Option<u64>) -> Left {
        let Some(seed) = seed else {
            return Left::Nothing;
        };
        let mut random = Rng::with_seed(seed);
        match (random.u8(..4), random.choice(&self.moments)) {
            (0, _) => Left::Nothing,
            (2.., Some(&(sequence, tally))) => Left::UpTo(sequence, tally),
            _ => Left::All,
        }
    }

    pub fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// The last mark is behind all operations, or a discard is: a cut can go back to none before.
    pub fn forget(&mut self) {
        self.moments.clear();
        self.now = None;
    }
}

impl SharedImage {
    /// From here on, notes each operation, so that power can fail.
    pub fn watch_power(&mut self) {
        self.power.is_watched = true;
    }

    /// Power fails instead of the operation with this number from now on, from 1.
    pub fn cut_power_at(&mut self, operation: u64, seed: Option<u64>) {
        self.power.cut_at = Some(self.power.operations.saturating_add(operation));
        self.power.seed = seed;
    }

    /// Programs and erases since power is watched.
    pub fn watched_operations(&self) -> u64 {
        self.power.operations
    }

    /// Whether power has failed.
    pub fn is_off(&self) -> bool {
        self.power.is_off
    }

    /// Fails if power has failed, or does so instead of this program or erase.
    #[inline]
    pub fn powered(&mut self) -> Result<(), Fault> {
        if !self.power.is_watched || self.is_frozen() {
            return Ok(());
        }
        if self.power.cut_at == Some(self.power.operations + 1) {
            self.power.cut_at = None;
            self.cut_power(self.power.seed)?;
        }
        if self.power.is_off {
            return Err(Fault::PowerLost);
        }
        self.power.operations += 1;
        Ok(())
    }

    /// Notes that a program or an erase is complete.
    #[inline]
    pub fn operated(&mut self) {
        if self.power.is_watched && !self.is_frozen() {
            let now = (self.sequence, self.tally);
            self.power.moments.extend(self.power.now.replace(now));
        }
    }

    /// Power fails: of the operations since the last mark, the seed says how many remain, the oldest first; without a
    /// seed, none does. Nothing reaches the disk afterwards.
    pub fn cut_power(&mut self, seed: Option<u64>) -> Result<(), Fault> {
        let left = if self.is_frozen() {
            Left::Nothing
        } else {
            self.power.left(seed)
        };
        let cut = self.end_mark(true).and_then(|()| match left {
            Left::Nothing => Ok(()),
            Left::All => self.commit(),
            Left::UpTo(sequence, tally) => self.commit_at(sequence, tally),
        });
        self.power.is_off = true;
        cut
    }

    /// Makes the operations up to a moment durable. What came after it is in the file, too, as a crash leaves it.
    fn commit_at(&mut self, sequence: u64, tally: Tally) -> Result<(), Fault> {
        self.write_pending()?;
        let mark = Mark {
            sequence,
            tally,
            // all records since then count, whatever the tail is by now
            mirror: self.durable_tail(),
            ..self.mark_now(false)
        };
        self.put_mark(&mark)
    }
}
