//! Requests that change something.

use ssdlab_disks::{NO_SPACE, Request, data};
use ssdlab_drive::{Drive, DriveError, ReadOnly};
use ssdlab_host::Op;

use super::{CallResult, Done, Life};
use crate::disk::FailureCounts;
use crate::plan::Broken;
use crate::settings;

impl Life<'_> {
    pub fn request(&mut self, number: u32, request: Request) -> Done {
        if !self.opens()? {
            return Ok(());
        }
        let (at, length) = request.range().unwrap_or_default();
        let (at, length) = (at as usize, length as usize);
        match request {
            Request::Write { .. } => self.write(number, at, &data(number, at, length)),
            Request::Zero { .. } => self.write(number, at, &vec![0; length]),
            Request::Trim { .. } => self.trim(number, at, length),
            Request::Read { .. } => self.read(at, length),
            Request::Flush => self.flush(),
            Request::Drain => self.drain(),
        }
    }

    fn write(&mut self, request: u32, offset: usize, bytes: &[u8]) -> Done {
        let (mirrored, was_full) = (self.disk.mirrored(), self.disk.failed().full);
        let length = bytes.len();
        if self.read_only().is_none() {
            self.model.write(request, offset, bytes);
        }
        self.count(Op::Write, offset, length);
        self.saw("writes");
        self.change(Some(request), |drive| drive.write(offset as u64, bytes))?;
        let pages = (length / self.model.page() + 2) as u64;
        if self.disk.mirrored() > mirrored + pages {
            self.saw("mirrors of RAM that begin anew");
            if self.disk.failed().full > was_full {
                self.saw("full disks while the mirror of RAM begins anew");
            }
        }
        Ok(())
    }

    fn trim(&mut self, request: u32, offset: usize, length: usize) -> Done {
        if self.read_only().is_none() {
            self.model.trim(request, offset, length);
        }
        self.count(Op::Discard, offset, length);
        self.saw("trims");
        let trim = |drive: &mut Drive| drive.trim(offset as u64, length as u64);
        self.change(Some(request), trim).map(|_| ())
    }

    fn flush(&mut self) -> Done {
        self.count(Op::Flush, 0, 0);
        self.saw("flushes");
        let syncs = self.disk.syncs();
        if self.change(None, Drive::flush)? {
            self.model.flushed(self.disk.syncs() > syncs);
        }
        Ok(())
    }

    fn drain(&mut self) -> Done {
        self.counted = None;
        self.change(None, Drive::drain).map(|_| ())
    }

    /// Does something that writes; true if it was done.
    fn change(
        &mut self,
        request: Option<u32>,
        what: impl FnOnce(&mut Drive) -> Result<(), DriveError>,
    ) -> Result<bool, Broken> {
        let before = self.read_only();
        match self.call(what) {
            CallResult::Dead => {
                self.died();
                Ok(false)
            }
            CallResult::Answered((), failed) => {
                if failed.changes() {
                    return self.broken("what cannot be written is noticed", format!("{failed:?}"));
                }
                if before.is_some() {
                    return self.broken("a read-only drive changes nothing", "it says it did");
                }
                if let Some(request) = request {
                    self.model.answered(request);
                }
                Ok(true)
            }
            CallResult::Refused(error, failed) => {
                self.refused(&error, failed, before)?;
                Ok(false)
            }
        }
    }

    /// A change was refused: the drive must have a reason, and from now on only read.
    fn refused(
        &mut self,
        error: &DriveError,
        failed: FailureCounts,
        before: Option<ReadOnly>,
    ) -> Done {
        let why = self.read_only();
        let DriveError::ReadOnly(reason) = error else {
            return self.broken("a drive that fails is read-only", error.to_string());
        };
        if why != Some(*reason) {
            let what = format!("it says {reason}, and then {why:?}");
            return self.broken("a drive that fails is read-only", what);
        }
        if before.is_some() {
            if before != why {
                return self.broken("a drive stays read-only", format!("{before:?}, {why:?}"));
            }
            return Ok(());
        }
        self.became_read_only(*reason, failed)
    }

    fn became_read_only(&mut self, why: ReadOnly, failed: FailureCounts) -> Done {
        self.counted = None;
        match why {
            ReadOnly::Image(code) if self.failed().any() => self.saw(match code {
                NO_SPACE => "full disks",
                _ => "disks that failed",
            }),
            ReadOnly::WornOut if settings::wears_out(&self.design) => {
                self.saw("wear-outs");
                self.worn_out |= !failed.changes();
            }
            why => return self.broken("a read-only drive has a reason", why.to_string()),
        }
        // all that was answered is still there
        self.read_all()
    }

    pub fn check(&mut self) -> Done {
        if !self.opens()? {
            return Ok(());
        }
        let status = self.drive.as_mut().map(Drive::status);
        if let Some(wrong) = status.filter(|status| status.buffer.dirty > status.buffer.held) {
            return self.broken("the status makes sense", format!("{:?}", wrong.buffer));
        }
        match self.call(Drive::check) {
            CallResult::Dead => {
                self.died();
                Ok(())
            }
            CallResult::Answered((), _) => Ok(()),
            CallResult::Refused(..) if self.failed().any() => Ok(()),
            CallResult::Refused(error, _) => self.broken("the tables are right", error.to_string()),
        }
    }
}
