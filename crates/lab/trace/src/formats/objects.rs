//! Numbers of objects instead of addresses, as traces of caches have them.

use crate::decode::BadRecord;
use crate::text::SECTOR;
use ssdlab_host::{Op, Request};

/// Turns the numbers of objects into addresses.
pub(crate) struct Objects {
    /// The bytes that a number counts, if the user said so.
    unit: Option<u64>,
    objects: u64,
    /// The objects whose numbers are multiples of a sector and of 4 KiB.
    sectors: u64,
    pages: u64,
}

impl Objects {
    pub const fn new(unit: Option<u64>) -> Self {
        Self {
            unit,
            objects: 0,
            sectors: 0,
            pages: 0,
        }
    }

    /// The request for an object, if it has bytes.
    ///
    /// # Errors
    /// The object is beyond the last byte that a device can have. `length` is that of the record.
    pub fn request(
        &mut self,
        seconds: u32,
        op: Op,
        object: u64,
        size: u64,
        length: u64,
    ) -> Result<Option<Request>, BadRecord> {
        let bad = |what| BadRecord {
            what,
            length: Some(length),
        };
        let unit = self.unit.unwrap_or(1);
        let time = u64::from(seconds) * 1_000_000_000;
        let offset = object.checked_mul(unit);
        let offset = offset.filter(|offset| offset.checked_add(size).is_some());
        let offset = offset.ok_or_else(|| {
            bad(format!(
                "obj is too large, found {object}; times {unit} bytes it is beyond 2^64, so it is a hash or counts other units \
                 (--sector)"
            ))
        })?;
        if size == 0 {
            return Ok(None);
        }
        let max = Request::MAX_SIZE;
        let request = Request::new(time, op, offset, size);
        let request = request.ok_or_else(|| {
            bad(format!(
                "size is too large, found {size}; it must be at most {max}"
            ))
        })?;
        self.objects += 1;
        self.sectors += u64::from(object.is_multiple_of(SECTOR));
        self.pages += u64::from(object.is_multiple_of(4096));
        Ok(Some(request))
    }

    /// What the numbers of the objects say about their unit, unless the user said it.
    pub fn remark(&self) -> Option<String> {
        if self.unit.is_some() || self.objects == 0 {
            return None;
        }
        let percent = |part: u64| 100 * part / self.objects;
        Some(format!(
            "the numbers of its objects are taken as bytes ({} % are multiples of 512, {} % of 4096); if they count sectors or \
             blocks, say so with --sector 512 or --sector 4KiB",
            percent(self.sectors),
            percent(self.pages)
        ))
    }
}

/// What all traces with times in seconds have in common.
pub(crate) const SECONDS: &str =
    "its times are whole seconds: good for write amplification, useless for latencies";
/// What all traces without operations have in common.
pub(crate) const NO_OPERATIONS: &str =
    "it says of no request whether it reads or writes; all are taken as writes";
