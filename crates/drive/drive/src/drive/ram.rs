//! RAM that survives a crash: each write is mirrored in the image, and replayed at the next opening.

use ssdlab_device::Device;
use ssdlab_host::Op;
use ssdlab_image::{ImageFlash, Mirrored, mirrored_bytes};

use super::Drive;
use crate::data::{WriteData, mirror};
use crate::error::DriveError;

impl Drive {
    /// The parts of a write that the drive serves, and counts, as requests of their own, each with its offset: one,
    /// unless there is more than the mirror of RAM that survives takes at once.
    pub fn parts<'a>(
        &self,
        mut offset: u64,
        mut bytes: &'a [u8],
    ) -> impl Iterator<Item = (u64, &'a [u8])> + use<'a> {
        let (page_size, pages) = (self.page_size(), self.pages_at_once());
        std::iter::from_fn(move || {
            let next = (offset / page_size).saturating_add(pages);
            let end = next.saturating_mul(page_size);
            let most = usize::try_from(end - offset).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(bytes.len().min(most));
            let part = (offset, now);
            (offset, bytes) = (end, later);
            (!now.is_empty()).then_some(part)
        })
    }

    /// The most pages of a write, starting at a page, that are served at once.
    fn pages_at_once(&self) -> u64 {
        match self.image.mirror_bytes() {
            0 => u64::MAX,
            all => (all / 4 / mirrored_bytes(self.page_size())).max(1),
        }
    }

    /// Writes a part with RAM that survives.
    pub(super) fn write_mirrored(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DriveError> {
        self.room_in_mirror(self.pages_at_once() * mirrored_bytes(self.page_size()))?;
        let request = self.request(Op::Write, offset, bytes.len() as u64)?;
        let mut data = WriteData {
            mirror: Some(&self.image),
            ..WriteData::of(bytes)
        };
        let device = self.device.as_mut().ok_or(DriveError::Stopped)?;
        device.submit(&request, &mut data)?;
        data.failed.map_or(Ok(()), |fault| Err(fault.into()))
    }

    /// Makes room for records of this many bytes, and a quarter of the mirror more: what is in RAM only takes a quarter
    /// of it at most.
    pub(super) fn room_in_mirror(&mut self, bytes: u64) -> Result<(), DriveError> {
        if self.image.mirror_room() < bytes + self.image.mirror_bytes() / 4 {
            self.mirror_anew()?;
            self.image.commit()?;
        }
        Ok(())
    }

    /// Mirrors all pages that are in RAM only, so that earlier records do not count after the next commit. Returns their
    /// number.
    pub(super) fn mirror_anew(&mut self) -> Result<u64, DriveError> {
        let device = self.device.as_mut().ok_or(DriveError::Stopped)?;
        let pages_in_ram = |device: &Device<ImageFlash>| {
            let mut pages = 0;
            device.each_in_ram(|_, _| pages += 1);
            pages
        };
        let mut pages = pages_in_ram(device);
        if self.image.mirror_room() < pages * mirrored_bytes(self.design.page_size()) {
            // the mirror began anew several times without a commit after it
            device.finish()?;
            pages = pages_in_ram(device);
        }
        let bytes = pages * mirrored_bytes(self.design.page_size());
        self.image.renew_mirror(bytes, || {
            let mut done = Ok(());
            device.each_in_ram(|lpn, page| {
                if done.is_ok() {
                    done = mirror(&self.image, lpn, page);
                }
            });
            done
        })?;
        Ok(pages)
    }

    /// Serves again what the mirror of RAM holds.
    pub(super) fn replay(&mut self) -> Result<(), DriveError> {
        let mut place = None;
        while let Some((mirrored, next)) = self.image.mirrored(place)? {
            match mirrored {
                Mirrored::Write { offset, data } => self.submit_write(offset, &data)?,
                Mirrored::Lost { offset } => self.submit_lost(offset)?,
                Mirrored::Discard { offset, length } => {
                    let request = self.request(Op::Discard, offset, length)?;
                    self.submit(&request, &mut WriteData::of(&[]))?;
                }
            }
            place = Some(next);
        }
        Ok(())
    }
}
