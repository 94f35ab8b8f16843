//! What each FTL does (section 9).

use super::flash::Flash;
use super::map::Access;
use super::number::{Lpn, Place};
use super::record::Record;

/// A flash translation layer with its flash.
pub(super) trait Ftl {
    /// Writes a page of the host or the buffer.
    fn write(&mut self, lpn: Lpn, record: &mut Record);

    /// The map in flash, if there is one, is asked for a page; `end` is the last page of its request here.
    fn look_up(&mut self, _lpn: Lpn, _access: Access, _end: Lpn, _record: &mut Record) {}

    /// Makes the flash copy of a page invalid.
    fn discard(&mut self, lpn: Lpn, record: &mut Record);

    /// The place from which a mapped page is read. `None` in RAM.
    fn read_place(&self, lpn: Lpn) -> Option<Place> {
        self.flash().locate(lpn)
    }

    /// Whether a page is in a RAM region and not in flash.
    fn holds_in_ram(&self, _lpn: Lpn) -> bool {
        false
    }

    /// A step of cleaning in a gap; whether there was anything to do.
    fn clean_step(&mut self, _record: &mut Record) -> bool {
        false
    }

    /// A step of folding in a gap; whether there was anything to do.
    fn fold_step(&mut self, _record: &mut Record) -> bool {
        false
    }

    /// Whether a page is in an SLC cache.
    fn holds_in_slc(&self, _lpn: Lpn) -> bool {
        false
    }

    /// The pages in an SLC cache, and those that it could take without folding.
    fn cache(&self) -> [u64; 2] {
        [0; 2]
    }

    /// Writes all pages of the RAM region to flash, and then what is newer than the map there.
    fn drain(&mut self, _record: &mut Record) {}

    fn flash(&self) -> &Flash;

    /// For each region of a placement: pages of the host, pages copied in and out, and victims.
    fn regions(&self) -> Vec<[u64; 4]> {
        Vec::new()
    }
}
