//! Page mapping with its map in flash.
//!
//! Planted bugs that these tests catch: a mount that gives a map page no place although it maps a page; one that takes a page
//! behind a torn one for the next of its segment.

use super::*;

const DEVICES: [&str; 4] = [
    "4 6 ftl.kind=page ftl.spare_blocks=6 ftl.map=dftl ftl.map_cache=40 ftl.map_entry=64 ftl.map_sync=9",
    "4 6 ftl.kind=page ftl.spare_blocks=6 ftl.map=tpftl ftl.map_cache=50 ftl.map_entry=64 ftl.pace=paced",
    "4 6 ftl.kind=page ftl.spare_blocks=6 ftl.map=pages ftl.map_cache=1024 ftl.map_entry=64 ftl.map_list=9",
    "4 6 ftl.kind=page ftl.spare_blocks=6 ftl.map=leaftl ftl.map_cache=60 ftl.map_entry=64 ftl.map_gamma=2",
];

#[test]
fn a_map_in_flash_survives_power_cuts() {
    keeps_what_it_promised(&DEVICES, 20_000);
}

#[test]
fn a_map_in_flash_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
