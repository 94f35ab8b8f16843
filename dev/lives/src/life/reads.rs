//! Reads of an open drive, each compared with the model.

use ssdlab_disks::{End, SECTOR};
use ssdlab_drive::{DriveError, ReadOnly};
use ssdlab_host::Op;

use super::{CallResult, Done, Life, describe};
use crate::disk::FailureCounts;
use crate::plan::Broken;

impl Life<'_> {
    pub fn read(&mut self, offset: usize, length: usize) -> Done {
        let mut bytes = vec![0xa5; length];
        self.saw("reads");
        if self.read_into(offset, &mut bytes)? && self.drive.is_some() {
            self.saw_some("sectors", (length / SECTOR) as u64);
            if let Err(wrong) = self.model.allows_part(offset, &bytes) {
                return self.broken(self.promise_of_reads(), describe(&wrong));
            }
        }
        Ok(())
    }

    pub fn read_all(&mut self) -> Done {
        if self.opens()? {
            self.compare_all(false)?;
        }
        Ok(())
    }

    /// Reads everything; false if the process has ended.
    pub fn compare_all(&mut self, settled: bool) -> Result<bool, Broken> {
        let mut bytes = vec![0xa5; self.model.capacity()];
        if self.read_into(0, &mut bytes)? {
            self.pages_without_data_are_zeros(&bytes)?;
            return self.compare(0, &bytes, settled);
        }
        // page by page, so that a lost page hides no other
        let page = self.model.page();
        for first in (0..self.model.capacity()).step_by(page) {
            if self.drive.is_none() {
                return Ok(false);
            }
            if self.read_into(first, &mut bytes[..page])? {
                self.compare(first, &bytes[..page], settled)?;
            }
        }
        Ok(self.drive.is_some())
    }

    fn pages_without_data_are_zeros(&self, bytes: &[u8]) -> Done {
        let (Some(drive), page) = (&self.drive, self.model.page()) else {
            return Ok(());
        };
        let mut pages = (0..).step_by(page).zip(bytes.chunks(page));
        let wrong = pages
            .find(|(at, bytes)| !drive.has_data(*at as u64) && bytes.iter().any(|byte| *byte != 0));
        match wrong {
            None => Ok(()),
            Some((at, _)) => self.broken(
                "a page without data reads as zeros",
                format!("not the one at {at}"),
            ),
        }
    }

    fn compare(&mut self, first: usize, bytes: &[u8], settled: bool) -> Result<bool, Broken> {
        self.saw_some("sectors", (bytes.len() / SECTOR) as u64);
        match self.model.compare(first, bytes, settled) {
            Ok(()) => Ok(true),
            Err(wrong) => {
                let promise = match (settled, self.end) {
                    (false, _) if wrong.is_older && self.read_only().is_some() => {
                        "a read-only drive has what was flushed"
                    }
                    (false, _) => self.promise_of_reads(),
                    (true, End::Kept) => "a closed drive opens as it was",
                    (true, End::Killed) => "what was promised survives the end of the process",
                    (true, _) => "what was flushed survives a crash",
                };
                self.broken(promise, describe(&wrong))
            }
        }
    }

    fn promise_of_reads(&self) -> &'static str {
        match self.read_only() {
            None => "a drive returns the newest data",
            Some(ReadOnly::WornOut) => "a worn-out drive returns the newest data",
            Some(_) => "a drive whose file failed returns the newest data",
        }
    }

    /// Reads once, and once more if the disk failed. False if the data are lost or the process has ended.
    fn read_into(&mut self, offset: usize, bytes: &mut [u8]) -> Result<bool, Broken> {
        for _ in 0..3 {
            self.count(Op::Read, offset, bytes.len());
            let before = self.read_only();
            match self.call(|drive| drive.read(offset as u64, bytes)) {
                CallResult::Dead => {
                    self.died();
                    return Ok(false);
                }
                CallResult::Answered((), failed) => {
                    self.after_read(before, failed)?;
                    return Ok(true);
                }
                CallResult::Refused(DriveError::Lost(_), failed) if self.lossy => {
                    self.saw("lost pages");
                    self.after_read(before, failed)?;
                    return Ok(false);
                }
                CallResult::Refused(_, failed) if failed.reads > 0 => {
                    self.saw("reads that failed with the disk");
                    self.counted = None;
                    self.after_read(before, failed)?;
                }
                CallResult::Refused(error, failed) => {
                    let promise = match self.read_only() {
                        now if now != before => {
                            "a read does not fail because nothing can be written"
                        }
                        Some(_) => "a read-only drive can be read",
                        None => "a drive can be read",
                    };
                    return self.broken(promise, format!("{error}; {failed:?}"));
                }
            }
        }
        self.broken("a drive can be read", "it fails again and again")
    }

    /// A read may evict pages of the buffer, and so be the moment from which the drive only reads.
    fn after_read(&mut self, before: Option<ReadOnly>, failed: FailureCounts) -> Done {
        match (before, self.read_only()) {
            (None, Some(why)) => {
                self.saw("reads that end all writes");
                self.counted = None;
                match why {
                    ReadOnly::WornOut => self.worn_out |= !failed.changes(),
                    ReadOnly::Image(_) if self.failed().any() => {}
                    why => return self.broken("a read-only drive has a reason", why.to_string()),
                }
                Ok(())
            }
            (before, now) if before == now => Ok(()),
            (before, now) => self.broken("a drive stays read-only", format!("{before:?}, {now:?}")),
        }
    }
}
