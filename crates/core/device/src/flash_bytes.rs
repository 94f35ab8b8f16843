//! The bytes programmed into flash, by cause.

use crate::Counters;
use crate::cause::{Cause, FlashBytes};

/// The bytes of these counts. `padding_programs` of the `flash_programs` only padded; `moves` is the cause of copies and of
/// programs from the buffer: merges or cleaning. Saturates.
pub fn flash_bytes(
    counters: &Counters,
    padding_programs: u64,
    moves: Cause,
    page_bytes: u64,
) -> FlashBytes {
    let bytes = |pages: u64| pages.saturating_mul(page_bytes);
    let of_host = bytes(counters.flash_programs - padding_programs);
    let host = of_host.min(counters.host_write_bytes);
    let moved = counters.merge_programs + counters.flash_copies + counters.copy_backs;
    FlashBytes::of([
        (Cause::Host, host),
        (Cause::Padding, bytes(padding_programs)),
        (Cause::ReadModifyWrite, of_host - host),
        (moves, bytes(moved - counters.fold_pages)),
        (Cause::Folding, bytes(counters.fold_pages)),
        (
            Cause::Tables,
            bytes(counters.table_programs + counters.table_copies),
        ),
    ])
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
            table_programs: 5,
            table_copies: 2,
            fold_pages: 8,
            host_write_bytes: 1500,
            ..Counters::default()
        };
        let bytes = |moves| flash_bytes(&counters, 6, moves, 512);
        let expected = |moves| {
            FlashBytes::of([
                (Cause::Host, 1500),
                (Cause::Padding, 6 * 512),
                (Cause::ReadModifyWrite, 4 * 512 - 1500),
                (moves, 4 * 512),
                (Cause::Folding, 8 * 512),
                (Cause::Tables, 7 * 512),
            ])
        };
        for moves in [Cause::Merge, Cause::Cleaning] {
            assert_eq!(bytes(moves), expected(moves));
            assert_eq!(bytes(moves).total(), 29 * 512);
        }
        // a buffer absorbed all but four pages of what the host wrote
        let absorbed = Counters {
            host_write_bytes: 100_000,
            ..counters
        };
        let bytes = flash_bytes(&absorbed, 6, Cause::Cleaning, 512);
        let parts = [Cause::Host, Cause::ReadModifyWrite].map(|cause| bytes[cause]);
        assert_eq!(parts, [4 * 512, 0]);
    }
}
