//! The place of a request in sectors of 512 bytes.

use ssdlab_host::{Op, Request};

use crate::notes::Notes;

const SECTOR: u64 = 512;

/// Takes requests to sectors.
pub struct Sectors {
    whole: bool,
}

impl Sectors {
    /// With `whole`, requests that begin or end inside a sector are rounded.
    pub const fn new(whole: bool) -> Self {
        Self { whole }
    }

    /// The first sector and the number of sectors. Reads and writes are rounded to all sectors that they touch, discards
    /// to those that they cover; `None`: a discard that covers none, which is left out.
    ///
    /// # Errors
    /// A request that begins or ends inside a sector, unless it may be rounded.
    pub fn of(&self, request: &Request, notes: &mut Notes) -> Result<Option<(u64, u64)>, String> {
        let (start, end) = (request.offset, request.end());
        if start.is_multiple_of(SECTOR) && end.is_multiple_of(SECTOR) {
            return Ok(Some((start / SECTOR, (end - start) / SECTOR)));
        }
        if !self.whole {
            return Err(format!(
                "the format counts sectors of 512 bytes, but this request is {} bytes at {start}; `ssdlab trace convert \
                 --whole-sectors` rounds such requests",
                request.size()
            ));
        }
        let (first, behind) = if request.op() == Op::Discard {
            (start.div_ceil(SECTOR), end / SECTOR)
        } else {
            (start / SECTOR, end.div_ceil(SECTOR))
        };
        if first >= behind {
            notes.leave_out("discards inside a sector");
            return Ok(None);
        }
        notes.change("rounded to whole sectors");
        Ok(Some((first, behind - first)))
    }
}
