//! The requests of an input.

use ssdlab_disks::{Request, SECTOR};

use crate::input::Input;

/// The next request of an input: often of a few sectors, often across their bounds, rarely beyond the capacity.
pub fn request(input: &mut Input, capacity: u64) -> Request {
    let kind = input.byte();
    let (at, length) = range(kind >> 5, input, capacity);
    match kind & 31 {
        0..12 => Request::Write { at, length },
        12..18 => Request::Read { at, length },
        18..22 => Request::Trim { at, length },
        22..24 => Request::Zero { at, length },
        24..30 => Request::Flush,
        _ => Request::Drain,
    }
}

/// The next range of an input, of one of eight kinds.
pub fn range(kind: u8, input: &mut Input, capacity: u64) -> (u64, u64) {
    match kind {
        7 => (u64::from_le_bytes(input.array()), input.word().into()),
        // around the end
        6 => {
            let before = capacity - capacity.min(input.byte().into());
            (before, input.byte().into())
        }
        aligned @ 0..4 => {
            let sector_bytes = SECTOR as u64;
            let sector = u64::from(input.byte()) % (capacity / sector_bytes);
            let sectors = 1 + u64::from(input.byte()) % (4 << aligned);
            let most = capacity - sector * sector_bytes;
            (sector * sector_bytes, most.min(sectors * sector_bytes))
        }
        _ => {
            let at = u64::from(input.word()) % capacity;
            (at, u64::from(input.word() % 5000).min(capacity - at))
        }
    }
}
