//! A request that fails in the middle of a change: from then on the drive only reads.

use ssdlab_device::{Device, DeviceError};
use ssdlab_flash::{Fault, Lpn};
use ssdlab_ftl::FtlError;
use ssdlab_image::{ImageFlash, PageData};

use super::Drive;
use crate::error::{DriveError, ReadOnly};

/// What is left of a device after a request failed in the middle.
pub(super) struct Parked {
    media: Vec<ImageFlash>,
    /// The pages that RAM held.
    ram: Vec<(Lpn, PageData)>,
}

impl Drive {
    /// From here on, the drive only reads, since its file may not be written.
    pub(crate) fn protect(&mut self, code: i32) {
        self.image.freeze();
        self.read_only.get_or_insert(ReadOnly::Protected(code));
    }

    /// From here on, the drive only reads. What it changes stays in memory.
    pub(super) fn freeze(&mut self, error: Option<&FtlError>) {
        let disk_error = match error {
            Some(FtlError::Flash(Fault::Io(code))) => Some(*code),
            _ => None,
        };
        let why = match self.image.failed().or(disk_error) {
            Some(code) => ReadOnly::Image(code),
            None if self.image.is_worn_out() => ReadOnly::WornOut,
            None => ReadOnly::Ftl,
        };
        if why == ReadOnly::WornOut {
            // each operation of the flash leaves a state that can be mounted, so a commit that fails does no harm
            let _ = self.image.commit();
        }
        self.image.freeze();
        self.read_only = Some(why);
    }

    /// After a request failed in the middle: from here on, the drive only reads.
    pub(super) fn fall_back(&mut self, error: &DriveError) {
        let Some(device) = self.device.take() else {
            return;
        };
        if self.image.is_off() {
            return;
        }
        if self.read_only.is_none() {
            self.counted = Some(device.counters());
            self.freeze(match error {
                DriveError::Device(DeviceError::Ftl(error)) => Some(error),
                _ => None,
            });
        }
        let mut ram = Vec::new();
        device.each_held(|lpn, page| ram.push((lpn, page.clone())));
        self.parked = Some(Parked {
            media: device.into_media(),
            ram,
        });
        // if the disk cannot be read now, the next read tries again
        let _ = self.revive();
    }

    /// Mounts the flash of a drive that only reads, and puts back what was in RAM.
    pub(super) fn revive(&mut self) -> Result<(), DriveError> {
        let Parked { media, ram } = self.parked.take().ok_or(DriveError::Stopped)?;
        match Device::mount(self.design.config(), self.design.stack(), media) {
            Ok(device) => self.device = Some(device),
            Err((media, error)) => {
                self.parked = Some(Parked { media, ram });
                return Err(DriveError::Mount(error));
            }
        }
        let mut pages = ram.iter();
        let restored = pages.try_for_each(|(lpn, page)| self.put_back(*lpn, page));
        if restored.is_err()
            && let Some(device) = self.device.take()
        {
            let media = device.into_media();
            self.parked = Some(Parked { media, ram });
        }
        restored
    }

    /// Writes a page as it is, lost or not.
    fn put_back(&mut self, lpn: Lpn, page: &PageData) -> Result<(), DriveError> {
        let offset = u64::from(lpn.0) * self.page_size();
        if page.lost {
            self.submit_lost(offset)
        } else {
            self.submit_write(offset, &page.bytes)
        }
    }

    /// Whether a request failed in the middle of a change, or the flash can no longer be written and the drive has not
    /// noticed.
    pub(super) fn has_failed(&self) -> bool {
        let is_torn = self.device.as_ref().is_some_and(Device::is_torn);
        let is_over = self.image.failed().is_some() || self.image.is_worn_out();
        is_torn || is_over && self.read_only.is_none()
    }

    /// Does something that writes. If it fails, the drive only reads from then on.
    pub(super) fn change(
        &mut self,
        what: impl FnOnce(&mut Self) -> Result<(), DriveError>,
    ) -> Result<(), DriveError> {
        if let Some(why) = self.read_only {
            return Err(DriveError::ReadOnly(why));
        }
        what(self).map_err(|error| {
            self.fall_back(&error);
            match self.read_only {
                Some(why) if why != ReadOnly::Ftl => DriveError::ReadOnly(why),
                _ => error,
            }
        })
    }
}
