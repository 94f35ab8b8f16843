//! Reads. Where the disk allows it, the bytes come while the drive serves others.

use std::sync::Arc;

use ssdlab_device::Device;
use ssdlab_flash::{Lpn, Payload};
use ssdlab_host::Op;
use ssdlab_image::{Beside, Later, LaterReads, PageData};

use super::Drive;
use crate::data::ReadData;
use crate::error::DriveError;

/// A read that has taken effect: it gets the bytes of that moment.
#[must_use]
pub struct PendingRead {
    offset: u64,
    /// The first page whose data were lost.
    lost: Option<Lpn>,
    later: Option<LaterReads<Lpn>>,
}

impl PendingRead {
    /// Reads what is still missing, without the drive.
    pub fn fetch(self, into: &mut [u8]) -> FetchedRead {
        FetchedRead {
            offset: self.offset,
            lost: self.lost,
            wrong: self.later.map_or_else(Vec::new, |later| later.fetch(into)),
        }
    }
}

/// A read with all bytes that could be read without the drive.
#[must_use]
pub struct FetchedRead {
    offset: u64,
    lost: Option<Lpn>,
    wrong: Vec<Later<Lpn>>,
}

impl FetchedRead {
    /// Whether it has all bytes.
    pub fn is_whole(&self) -> bool {
        self.lost.is_none() && self.wrong.is_empty()
    }
}

impl Drive {
    /// Reads the bytes from `offset` on. What was never written, or was trimmed, reads as zeros.
    ///
    /// # Errors
    /// A range beyond the capacity, or a page that cannot be read: then `into` holds all others.
    pub fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), DriveError> {
        let fetched = self.begin_read(offset, into)?.fetch(into);
        self.end_read(fetched, into)
    }

    /// The same in parts: [`PendingRead::fetch`] reads the bytes that are in flash, while the drive may serve others; only an
    /// erase of a block waits for it. Then [`Drive::end_read`] reads what is not whole.
    ///
    /// # Errors
    /// As [`Drive::read`].
    pub fn begin_read(&mut self, offset: u64, into: &mut [u8]) -> Result<PendingRead, DriveError> {
        if into.is_empty() {
            self.admit(offset, 0)?;
            return Ok(PendingRead {
                offset,
                lost: None,
                later: None,
            });
        }
        let mut read = self.read_once(offset, into, true);
        if let Err(error) = &read
            && self.has_failed()
        {
            // a read may evict pages of a buffer, and move pages with many wrong bits; what it asks for can still be read
            self.fall_back(error);
            read = self.read_once(offset, into, false);
        }
        if let Err(error) = &read
            && self.has_failed()
        {
            self.fall_back(error);
        }
        read
    }

    /// What threads may do with the file of the image beside the drive.
    pub fn beside(&self) -> Option<Arc<dyn Beside>> {
        self.image.beside()
    }

    fn read_once(
        &mut self,
        offset: u64,
        into: &mut [u8],
        may_defer: bool,
    ) -> Result<PendingRead, DriveError> {
        if self.device.is_none() {
            self.revive()?;
        }
        let request = self.request(Op::Read, offset, into.len() as u64)?;
        let device = self.device.as_mut().ok_or(DriveError::Stopped)?;
        let beside = (may_defer && device.hands_reads_on())
            .then(|| self.image.begin_reads())
            .flatten();
        let mut data = ReadData {
            into,
            lost: None,
            later: beside.is_some().then(|| (&self.image, Vec::new())),
        };
        let submitted = device.submit(&request, &mut data);
        let left = data.later.map_or_else(Vec::new, |(_, left)| left);
        let later = beside.map(|beside| self.image.end_reads(left, beside));
        submitted?;
        Ok(PendingRead {
            offset,
            lost: data.lost,
            later,
        })
    }

    /// Reads once more what could not be read without the drive.
    ///
    /// # Errors
    /// As [`Drive::read`].
    pub fn end_read(&mut self, fetched: FetchedRead, into: &mut [u8]) -> Result<(), DriveError> {
        let FetchedRead {
            offset,
            mut lost,
            wrong,
        } = fetched;
        let mut page = match wrong.is_empty() {
            true => PageData::blank(0),
            false => PageData::blank(self.config().flash.page_size),
        };
        for later in wrong {
            if let Err(error) = self.read_again(&later, &mut page) {
                if !self.has_failed() {
                    return Err(error);
                }
                // a block may have failed without a spare one; what was asked for can still be read
                self.fall_back(&error);
                lost = self.read_once(offset, into, false)?.lost;
                break;
            }
            if page.lost {
                lost = Some(lost.map_or(later.of, |first| Lpn(first.0.min(later.of.0))));
            } else {
                into[later.into].copy_from_slice(&page.bytes[later.bytes]);
            }
        }
        match lost {
            None => Ok(()),
            Some(lpn) => Err(DriveError::Lost(u64::from(lpn.0) * self.page_size())),
        }
    }

    fn read_again(&mut self, later: &Later<Lpn>, page: &mut PageData) -> Result<(), DriveError> {
        if self.device.is_none() {
            self.revive()?;
        }
        let chips = self.device.as_mut().map(Device::media_mut);
        let chip = chips.and_then(|mut chips| chips.nth(later.place.chip()));
        let flash = chip.ok_or(DriveError::Stopped)?;
        Ok(flash.read_again(&later.place, page)?)
    }
}
