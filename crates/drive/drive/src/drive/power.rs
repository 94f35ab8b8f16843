//! Power that fails, for tests of what a host writes.

use super::Drive;
use crate::error::DriveError;

impl Drive {
    /// From here on, power can fail in the middle of requests, and go back to any operation: see [`Drive::cut_power`]. It
    /// takes some memory for each operation since the last commit.
    pub fn watch_power(&mut self) {
        self.image.watch_power();
    }

    /// Power fails instead of the flash operation with this number, from 1: programs and erases from now on, if
    /// [`Drive::watch_power`] was called. The request then fails, and nothing works any more; [`Drive::power_is_off`]
    /// tells. The image is left as [`Drive::cut_power`] leaves it.
    pub fn cut_power_at(&mut self, operation: u64, seed: Option<u64>) {
        self.image.cut_power_at(operation, seed);
    }

    /// Whether power has failed.
    pub fn power_is_off(&self) -> bool {
        self.image.is_off()
    }

    /// The programs and erases since [`Drive::watch_power`].
    pub fn watched_operations(&self) -> u64 {
        self.image.watched_operations()
    }

    /// Power fails now. What was flushed survives, and so do all requests to protected RAM. Of everything else, RAM is
    /// lost, and the flash goes back to an earlier moment: without a seed to the last commit, which is the last flush or
    /// one that came by itself; with a seed to a moment since then that it draws. A page is then as a whole as it was at
    /// one write, so a request may have survived in part. The next opening finds a crash.
    ///
    /// [`Drive::lose_power`] keeps instead whatever has reached the flash.
    ///
    /// # Errors
    /// As [`Drive::flush`].
    pub fn cut_power(self, seed: Option<u64>) -> Result<(), DriveError> {
        Ok(self.image.cut_power(seed)?)
    }
}
