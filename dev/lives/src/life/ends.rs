//! The ends of a drive.

use ssdlab_disks::End;
use ssdlab_drive::{Drive, DriveError, ReadOnly};
use ssdlab_host::Op;

use super::{Done, Life};
use crate::settings;

impl Life<'_> {
    /// The process is gone. How it ended decides what the next one finds.
    pub fn process_ended(&mut self, end: End) {
        self.drive = None;
        self.counted = None;
        self.model.leave(end);
        self.end = end;
        if self.disk.is_doubtful() {
            let seed = self.disk.calls();
            self.system_stops(seed);
        }
        self.disk.revive();
    }

    pub fn system_stops(&mut self, seed: u64) {
        self.looked = None;
        self.disk.crash(seed);
        // the damage may have hit what the last flush wrote
        self.end = if self.is_damaged {
            End::CrashedAndDamaged
        } else {
            End::Crashed
        };
        self.model.leave(self.end);
        self.unconfirmed = true;
    }

    /// The process ended in a call of the disk; the system stops with it if the event says so.
    pub fn died(&mut self) {
        let crash = self.crash.take();
        self.process_ended(End::Killed);
        self.saw("ends of a process in a call");
        if let Some(seed) = crash {
            self.system_stops(seed);
        }
    }

    pub fn end_process(&mut self, crash: Option<u64>) -> Done {
        if self.drive.is_some() {
            self.process_ended(End::Killed);
            self.saw("kills");
        }
        if let Some(seed) = crash {
            self.saw("crashes");
            self.system_stops(seed);
        }
        Ok(())
    }

    pub fn close(&mut self) -> Done {
        self.count(Op::Flush, 0, 0);
        self.compare_counters()?;
        self.leave("closes", |drive| drive.close())
    }

    pub fn lose_power(&mut self) -> Done {
        self.leave("powers lost", |drive| drive.lose_power().map(|_| ()))
    }

    /// Ends the drive by a call.
    fn leave(
        &mut self,
        name: &'static str,
        end: impl FnOnce(Drive) -> Result<(), DriveError>,
    ) -> Done {
        let Some(drive) = self.drive.take() else {
            return Ok(());
        };
        let before = drive.read_only();
        let failed = self.disk.failed();
        let ended = end(drive);
        if self.disk.is_dead() {
            self.died();
            return Ok(());
        }
        let failed = self.disk.failed().since(failed);
        self.saw(name);
        match (ended, before) {
            (Ok(()), None) if failed.changes() => {
                self.broken("what cannot be written is noticed", format!("{failed:?}"))
            }
            (Ok(()), None) => {
                let keeps = name == "closes" || ssdlab_disks::keeps_ram(&self.design);
                self.process_ended(if keeps { End::Kept } else { End::Killed });
                Ok(())
            }
            (Ok(()), Some(why)) if !self.opened_read_only => {
                self.broken("a close that keeps nothing says so", why.to_string())
            }
            (Ok(()), Some(_)) => {
                self.process_ended(End::Killed);
                Ok(())
            }
            (Err(DriveError::ReadOnly(why)), before) => {
                if before.is_none() && why == ReadOnly::WornOut {
                    self.saw("wear-outs");
                    self.worn_out |= !failed.changes();
                }
                let has_reason =
                    before.is_some() || self.failed().any() || settings::wears_out(&self.design);
                self.process_ended(End::Killed);
                if !has_reason {
                    return self.broken("a read-only drive has a reason", why.to_string());
                }
                Ok(())
            }
            (Err(_), _) if failed.any() => {
                self.saw("closes that failed with the disk");
                self.process_ended(End::Killed);
                Ok(())
            }
            (Err(error), _) => self.broken("a drive can be closed", error.to_string()),
        }
    }
}
