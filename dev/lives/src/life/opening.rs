//! Openings: everything is read, and must be what the last end allows.

use ssdlab_disks::End;
use ssdlab_drive::{Drive, DriveError, ReadOnly};

use super::{Done, Life};
use crate::disk::FailureCounts;
use crate::plan::Broken;
use crate::settings;

impl Life<'_> {
    /// Opens the drive if it is not open; false if it could not be.
    pub fn opens(&mut self) -> Result<bool, Broken> {
        if self.drive.is_some() {
            return Ok(true);
        }
        self.look_at_damage()?;
        let before = self.disk.failed();
        self.before = before;
        let opened = if settings::opens_by_image(self.design.config()) {
            Drive::open_disk(self.disk.clone())
        } else {
            Drive::open_made_with(self.disk.clone(), self.design.clone())
        };
        if self.disk.is_dead() {
            drop(opened);
            self.looked = None;
            self.saw("ends of a process while it opens");
            self.died();
            return Ok(false);
        }
        let failed = self.disk.failed().since(before);
        match opened {
            Ok(drive) => {
                self.drive = Some(drive);
                self.opened(failed)
            }
            Err(error) => self.did_not_open(&error, failed).map(|()| false),
        }
    }

    /// The drive is open: everything is read.
    fn opened(&mut self, failed: FailureCounts) -> Result<bool, Broken> {
        self.saw("openings");
        self.was_opened = true;
        if ssdlab_disks::keeps_ram(&self.design) && self.model.has_unflushed() {
            self.saw("openings with data in RAM");
        }
        self.says_what_is_damaged(failed)?;
        self.opened_read_only = self.read_only().is_some();
        self.is_writable_if_it_can_be(failed)?;
        if self.opened_read_only {
            self.counted = None;
        }
        // an opening that could not write keeps what it found in memory only, so nothing is confirmed
        let settled = !failed.changes();
        self.unconfirmed &= !settled;
        let looked = self.looked.take();
        let is_open = self.compare_all(settled)?;
        if let (true, true, Some(looked)) = (is_open, settled, looked)
            && self.model.compare(0, &looked, false).is_err()
        {
            return self.broken("a look finds what the next opening finds", "it differs");
        }
        Ok(is_open)
    }

    /// A crash of the system may look like damage.
    fn says_what_is_damaged(&mut self, failed: FailureCounts) -> Done {
        let Some(opened) = self.drive.as_ref().map(Drive::opened) else {
            return Ok(());
        };
        if opened.lost_records > 0 {
            self.saw("openings without some of the data in RAM");
        }
        let damage = opened.damage();
        let may_be = self.unconfirmed || self.is_damaged || failed.reads > 0;
        if !damage.is_empty() && !may_be {
            let promise = "an opening names no damage where there is none";
            return self.broken(promise, damage.join("; "));
        }
        Ok(())
    }

    fn is_writable_if_it_can_be(&mut self, failed: FailureCounts) -> Done {
        match self.read_only() {
            Some(ReadOnly::WornOut) => {
                self.saw("openings of worn-out drives");
                self.worn_out |= !failed.changes();
                if ssdlab_disks::keeps_ram(&self.design) && self.model.has_unflushed() {
                    self.saw("openings of worn-out drives with data in RAM");
                }
                Ok(())
            }
            Some(ReadOnly::Image(_)) if failed.any() => {
                self.saw("openings that cannot write");
                Ok(())
            }
            Some(why) => self.broken("a read-only drive has a reason", why.to_string()),
            None if self.worn_out => {
                self.broken("a worn-out drive stays read-only", "it opens to be written")
            }
            None if failed.changes() => {
                self.broken("what cannot be written is noticed", format!("{failed:?}"))
            }
            None => Ok(()),
        }
    }

    fn did_not_open(&mut self, error: &DriveError, failed: FailureCounts) -> Done {
        self.looked = None;
        match failed {
            _ if failed.reads + failed.writes + failed.syncs > 0 => {
                self.saw("openings that failed with the disk");
                self.process_ended(End::Killed);
                Ok(())
            }
            _ if self.is_damaged && self.unconfirmed => {
                self.saw("damage that no opening accepts after a crash");
                Ok(())
            }
            _ if failed.full > 0 => self.broken("a drive opens on a full disk", error.to_string()),
            _ => self.broken("a drive opens again", error.to_string()),
        }
    }
}
