//! Page mapping with several regions, and with one of them in RAM.
//!
//! Planted bugs that these tests catch: a page that leaves RAM before it is durable in flash, or enters it after its old
//! version is void; a mount that prefers what the flash has of a page that RAM kept, or that leaves both; pages in RAM
//! that a mount forgets, or brings back in another order; a region that a mount does not read from the spare areas; a
//! clock that starts anew although the battery kept it.

use super::*;


/// Spare blocks as few as possible; RAM of no page, of one, and of several.
const DEVICES: [Small; 7] = [
    Small(
        4,
        4,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.placement=dac ftl.regions=2 ftl.stable_s=[9,40]",
    ),
    Small(
        4,
        4,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=5 ftl.placement=deb ftl.regions=3 ftl.stable_s=[9,20,40] ftl.ram=2KiB",
    ),
    Small(
        5,
        3,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.placement=deb ftl.regions=2 ftl.stable_s=[30e-6,60e-6] \
         ftl.ram=3000 clock=trace ftl.cleaning=fifo",
    ),
    Small(
        4,
        3,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.placement=deb ftl.regions=1 ftl.stable_s=[9] ftl.ram=0",
    ),
    Small(
        4,
        4,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.placement=dac+ ftl.regions=3 ftl.stable_s=[20,60,90] ftl.ram=2KiB",
    ),
    Small(
        6,
        3,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.placement=dac+ ftl.regions=2 ftl.stable_s=[30e-6,60e-6] \
         ftl.ram=512 clock=trace ftl.cleaning=jffs2",
    ),
    Small(
        8,
        1,
        "ftl.kind=page ftl.gc_low=2 ftl.spare_blocks=5 ftl.placement=deb ftl.regions=2 ftl.stable_s=[9,40] ftl.ram=1KiB",
    ),
];

#[test]
fn regions_keep_what_they_promised() {
    keeps_what_it_promised(&DEVICES, 100_000);
}

#[test]
fn regions_survive_every_pair_of_cuts() {
    for placement in [
        "ftl.placement=deb ftl.spare_blocks=4",
        "ftl.placement=dac+ ftl.spare_blocks=3",
    ] {
        let settings = format!(
            "ftl.kind=page ftl.gc_low=1 ftl.regions=2 ftl.stable_s=[8,20] ftl.ram=1KiB {placement}"
        );
        survives_every_pair_of_cuts(Small(2, 3, settings.leak()), 1000);
    }
}

#[test]
fn regions_survive_rows_of_cuts() {
    survives_rows_of_cuts(&DEVICES);
}

#[test]
fn regions_mount_to_what_they_were() {
    fresh_and_mounted_agree(&DEVICES);
}
