//! Values of options that several commands have.

use ssdlab_words::{parse_bytes, parse_duration};

/// A number of bytes, at least 1.
///
/// # Errors
/// No such number.
pub fn size(text: &str) -> Result<u64, String> {
    let size = parse_bytes(text).filter(|size| *size > 0);
    size.ok_or_else(|| "must be a size of at least 1 byte, such as 512, 4KiB or 300MB".to_owned())
}

/// A number of bytes in whole sectors of 512 bytes.
///
/// # Errors
/// No such number.
pub fn sectors(text: &str) -> Result<u64, String> {
    let size = size(text).ok().filter(|size| size.is_multiple_of(512));
    size.ok_or_else(|| "must be a multiple of 512 bytes, such as 1MiB or 64GiB".to_owned())
}

/// The size of the pages in which a trace is characterised: 512 bytes to 1 MiB.
///
/// # Errors
/// No such number.
pub fn page_size(text: &str) -> Result<u64, String> {
    let size = parse_bytes(text).filter(|size| (512..=1 << 20).contains(size));
    size.ok_or_else(|| "must be from 512 bytes to 1MiB, such as 4KiB or 16K".to_owned())
}

/// The size of the erase blocks in which a trace is characterised: 512 bytes to 1 GiB.
///
/// # Errors
/// No such number.
pub fn erase_block(text: &str) -> Result<u64, String> {
    let size = parse_bytes(text).filter(|size| (512..=1 << 30).contains(size));
    size.ok_or_else(|| "must be from 512 bytes to 1GiB, such as 256KiB or 4M".to_owned())
}

/// From the first byte to before the second; `None`: to the end.
///
/// # Errors
/// No such range.
pub fn range(text: &str) -> Result<(u64, Option<u64>), String> {
    let range = text.split_once("..").and_then(|(from, to)| {
        let end = |text: &str| match text {
            "" => Some(None),
            text => parse_bytes(text).map(Some),
        };
        let (from, to) = (end(from)?.unwrap_or(0), end(to)?);
        to.is_none_or(|to| from < to).then_some((from, to))
    });
    range.ok_or_else(|| {
        "must be two sizes, the smaller first, such as 0..300MB; one may be missing, as in 1GiB..".to_owned()
    })
}

/// A time in nanoseconds.
///
/// # Errors
/// No time, or no unit.
pub fn time(text: &str) -> Result<u64, String> {
    let time = parse_duration(text);
    time.ok_or_else(|| "must be a time with a unit, such as 500us, 100ms, 90s or 2h".to_owned())
}
