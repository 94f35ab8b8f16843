//! The bytes of requests.

use ssdlab_device::{HostData, Part};
use ssdlab_flash::{Fault, Lpn};
use ssdlab_image::{Image, Later, PageData};

/// The data of a write, as long as the request; empty for a flush or a discard.
pub struct WriteData<'a> {
    pub bytes: &'a [u8],
    /// Protected RAM is mirrored here, page by page, before anything is done with a page: its version in flash may be
    /// erased soon.
    pub mirror: Option<&'a Image>,
    /// The first error of the mirror.
    pub failed: Option<Fault>,
}

impl<'a> WriteData<'a> {
    /// Data that are not mirrored.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            mirror: None,
            failed: None,
        }
    }
}

impl HostData<PageData> for WriteData<'_> {
    fn write(&mut self, part: &Part, page: &mut PageData) {
        let new = &self.bytes[part.of_request()];
        page.bytes[part.bytes.clone()].copy_from_slice(new);
        // what is left of a lost page stays lost
        page.lost &= new.len() < page.bytes.len();
        if let (Some(image), None) = (self.mirror, self.failed) {
            self.failed = mirror(image, part.lpn, page).err();
        }
    }

    fn read(&mut self, _: &Part, _: Option<&PageData>) {
        unreachable!("a write has no place for what is read");
    }
}

/// Mirrors a page of protected RAM.
///
/// # Errors
/// A disk that fails, now or before.
pub fn mirror(image: &Image, lpn: Lpn, page: &PageData) -> Result<(), Fault> {
    let offset = u64::from(lpn.0) * page.bytes.len() as u64;
    if page.lost {
        image.mirror_lost(offset)
    } else {
        image.mirror_write(offset, &page.bytes)
    }
}

/// A write of a page whose data were lost.
pub struct LostPage;

impl HostData<PageData> for LostPage {
    fn write(&mut self, _: &Part, page: &mut PageData) {
        page.lost = true;
    }

    fn read(&mut self, _: &Part, _: Option<&PageData>) {
        unreachable!("a write has no place for what is read");
    }
}

/// Where the bytes that are read go, as long as the request.
pub struct ReadData<'a> {
    pub into: &'a mut [u8],
    /// The first page whose data were lost.
    pub lost: Option<Lpn>,
    /// The image, if bytes may be read later, and those.
    pub later: Option<(&'a Image, Vec<Later<Lpn>>)>,
}

impl HostData<PageData> for ReadData<'_> {
    fn write(&mut self, _: &Part, _: &mut PageData) {
        unreachable!("a read has no data");
    }

    fn read(&mut self, part: &Part, page: Option<&PageData>) {
        if let (Some((image, later)), Some(_)) = (&mut self.later, page)
            && let Some(place) = image.deferred()
        {
            later.push(Later {
                place,
                bytes: part.bytes.clone(),
                into: part.of_request(),
                of: part.lpn,
            });
            return;
        }
        let place = &mut self.into[part.of_request()];
        match page {
            Some(page) if page.lost => {
                self.lost.get_or_insert(part.lpn);
            }
            Some(page) => place.copy_from_slice(&page.bytes[part.bytes.clone()]),
            None => place.fill(0),
        }
    }
}
