//! The hint of a request reaches a placement.
//!
//! Planted bugs that this test catches: a request loses its stream; cleaning mixes the regions.

use crate::{page_mapping, write};

#[test]
fn streams_of_different_lifetimes_save_copies() {
    // a log goes round slowly; between its pages, 48 others are written over and over
    let copies = |hot: u8, log: u8| {
        let requests = (0..20_000).map(|number| match number % 4 {
            0 => write(64 + number / 4 % 1984).in_stream(log),
            _ => write(number % 64).in_stream(hot),
        });
        page_mapping("ftl.placement=streams", requests).flash_copies
    };
    let (with, without) = (copies(1, 2), copies(0, 0));
    assert!(
        2 * with < without,
        "{with} copies with hints, {without} without"
    );
}
