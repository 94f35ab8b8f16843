//! Checks that all FTLs share: tables against spare areas, and blocks against the free list.

use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::{Debug, Display};

use ssdlab_flash::{Lpn, Media, Payload, Pbn, Ppn};

use crate::free_list::FreeList;
use crate::scan::Scan;

/// Scans the spare areas, which hold the true state.
pub(crate) fn scan_of<M: Media>(media: &mut M) -> Result<Scan, String> {
    if M::Data::NOTHING {
        return Err("a check needs media that keep spare areas".into());
    }
    Scan::new(media).map_err(|fault| fault.to_string())
}

/// Compares the content of a table with the true state.
pub(crate) fn same<T: PartialEq + Debug>(
    what: impl Display,
    cached: T,
    truth: T,
) -> Result<(), String> {
    if cached == truth {
        Ok(())
    } else {
        Err(format!(
            "{what}: {cached:?} in the tables, {truth:?} in the spare areas"
        ))
    }
}

/// Checks that each logical page is mapped to its newest version.
pub(crate) fn check_places(scan: &Scan, place: impl Fn(Lpn) -> Ppn) -> Result<(), String> {
    let pages = scan.geometry().logical_pages();
    (0..pages).map(Lpn).try_for_each(|lpn| {
        same(
            format_args!("place of lpn {lpn:?}"),
            place(lpn),
            scan.newest(lpn),
        )
    })
}

/// Checks that a list is in the order of the last writes, given the sequence number of each entry's last page, least
/// recent first.
pub(crate) fn check_recency(last_written: impl Iterator<Item = u64>) -> Result<(), String> {
    if !last_written.is_sorted() {
        return Err("a list is not in the order of the last writes".into());
    }
    Ok(())
}

/// Checks that each block is either in use or free, once, and that the free blocks are erased.
pub(crate) fn check_blocks(
    scan: &Scan,
    in_use: impl Iterator<Item = Pbn>,
    free: &FreeList,
) -> Result<(), String> {
    let mut blocks: Vec<Pbn> = in_use.chain(free.iter()).collect();
    blocks.sort();
    let all: Vec<Pbn> = (0..scan.geometry().physical_blocks()).map(Pbn).collect();
    same("blocks in use and free", blocks, all)?;
    match free.iter().find(|&block| scan.end(block) > 0) {
        Some(block) => Err(format!(
            "block {block:?} is on the free list but not erased"
        )),
        None => Ok(()),
    }
}
