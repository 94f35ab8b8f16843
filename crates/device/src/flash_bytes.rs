//! The bytes programmed into flash, by cause.

use serde::Serialize;

use crate::Counters;

/// Bytes programmed into flash by cause. The parts add up to all programs, in whole pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FlashBytes {
    /// Bytes of the host: at most as many as it wrote.
    pub host: u64,
    /// Pages that were not dirty and were written because their block was padded.
    pub padding: u64,
    /// Programs of host pages beyond the bytes that the host wrote: the rest of pages that it wrote in part. What a
    /// buffer absorbs is set against it, so this is the least.
    pub read_modify_write: u64,
    /// Pages that merges moved or took from the buffer.
    pub merge: u64,
    /// Pages that cleaning moved or took from the buffer.
    pub cleaning: u64,
}

impl FlashBytes {
    /// The bytes of these counts. `padding_programs` of the `flash_programs` only padded; `cleans` says whether the FTL
    /// cleans instead of merging. Saturates.
    pub fn of(
        counters: &Counters,
        padding_programs: u64,
        cleans: bool,
        page_bytes: u64,
    ) -> FlashBytes {
        let bytes = |pages: u64| pages.saturating_mul(page_bytes);
        let moved = bytes(counters.merge_programs + counters.flash_copies + counters.copy_backs);
        let of_host = bytes(counters.flash_programs - padding_programs);
        let host = of_host.min(counters.host_write_bytes);
        FlashBytes {
            host,
            padding: bytes(padding_programs),
            read_modify_write: of_host - host,
            merge: if cleans { 0 } else { moved },
            cleaning: if cleans { moved } else { 0 },
        }
    }

    /// The saturating sum.
    pub fn total(&self) -> u64 {
        let parts = [
            self.host,
            self.padding,
            self.read_modify_write,
            self.merge,
            self.cleaning,
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: merge programs left out; padding counted as host data too; what the host wrote counted although a
    // buffer absorbed it; the rest of partly written pages counted as host data
    #[test]
    fn each_program_has_one_cause() {
        let counters = Counters {
            flash_programs: 10,
            merge_programs: 3,
            flash_copies: 4,
            copy_backs: 5,
            host_write_bytes: 1500,
            ..Counters::default()
        };
        let bytes = |cleans| FlashBytes::of(&counters, 6, cleans, 512);
        let expected = FlashBytes {
            host: 1500,
            padding: 6 * 512,
            read_modify_write: 4 * 512 - 1500,
            merge: 12 * 512,
            cleaning: 0,
        };
        assert_eq!(bytes(false), expected);
        let (merge, cleaning) = (0, 12 * 512);
        let expected = FlashBytes {
            merge,
            cleaning,
            ..expected
        };
        assert_eq!(bytes(true), expected);
        assert_eq!(bytes(true).total(), 22 * 512);
        // a buffer absorbed all but four pages of what the host wrote
        let absorbed = Counters {
            host_write_bytes: 100_000,
            ..counters
        };
        let bytes = FlashBytes::of(&absorbed, 6, true, 512);
        assert_eq!((bytes.host, bytes.read_modify_write), (4 * 512, 0));
    }
}
