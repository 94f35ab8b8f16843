//! Page mapping with placements that see each page, and with victims that are copied in stripes or cleaned early.
//!
//! Planted bugs that these tests catch: a mount that undoes the copies of a victim although they went to several blocks; one
//! that takes the region of a preconditioned block for that of another; copies that find no free block after a cut and give
//! up; a level or a time that a mount makes up.

use super::*;

/// The default of `ftl.gc_low`, a block for each frontier and one more, and the fewest spare blocks for it.
const DEVICES: [&str; 10] = [
    "4 4 ftl.kind=page ftl.spare_blocks=10 ftl.placement=fdp ftl.handles=2 ftl.handle_types=ii,pi",
    "5 3 ftl.kind=page ftl.spare_blocks=5 ftl.gc_low=1 ftl.placement=fdp ftl.handles=2 ftl.cleaning=fifo",
    "4 4 ftl.kind=page ftl.spare_blocks=6 ftl.placement=dac-updates ftl.regions=2",
    "4 3 ftl.kind=page ftl.spare_blocks=8 ftl.placement=dac-updates ftl.regions=3 ftl.cleaning=cat",
    "4 4 ftl.kind=page ftl.spare_blocks=14 ftl.placement=sepbit",
    "4 3 ftl.kind=page ftl.spare_blocks=14 ftl.placement=sepbit ftl.cleaning=cost-benefit ftl.pace=paced",
    "4 4 ftl.kind=page ftl.spare_blocks=10 ftl.placement=tt ftl.heads=2",
    "4 4 ftl.kind=page ftl.spare_blocks=10 ftl.placement=2a ftl.heads=2 ftl.pace=paced",
    "4 4 ftl.kind=page ftl.spare_blocks=6 ftl.copy_stripes=2 ftl.eager=0.5 ftl.eager_free=4",
    "4 6 ftl.kind=page ftl.spare_blocks=14 ftl.placement=sepbit ftl.copy_stripes=3 ftl.eager=0.4 ftl.eager_free=8",
];

#[test]
fn placements_keep_what_they_promised() {
    keeps_what_it_promised(&DEVICES, 80_000);
}

#[test]
fn placements_survive_every_pair_of_cuts() {
    for placement in [
        "ftl.placement=fdp ftl.handles=1 ftl.spare_blocks=6",
        "ftl.placement=dac-updates ftl.regions=2 ftl.spare_blocks=6",
    ] {
        survives_every_pair_of_cuts(&format!("2 3 ftl.kind=page {placement}"));
    }
}

#[test]
fn placements_survive_rows_of_cuts() {
    survives_rows_of_cuts(&DEVICES);
}

/// A placement that learns begins anew at a mount, so only those that learn nothing agree with a fresh device.
#[test]
fn handles_mount_to_what_they_were() {
    fresh_and_mounted_agree(&DEVICES[..4]);
}
