//! Page mapping with an SLC cache.
//!
//! Planted bugs that these tests catch: a block of the cache that is erased before what was folded out of it is durable; a
//! dynamic block that a mount takes for a native one; a fixed block on the free list; a block of the cache that is undone as the
//! copies of a victim; one that is filled on past its SLC pages.

use super::*;

/// With the fewest spare blocks, where the cache can live with them.
const DEVICES: [&str; 8] = [
    "4 6 ftl.kind=page ftl.spare_blocks=7 ftl.slc=static ftl.slc_static=1024",
    "4 6 ftl.kind=page ftl.spare_blocks=8 ftl.slc=static ftl.slc_static=2048 ftl.slc_full=fold",
    "4 6 ftl.kind=page ftl.spare_blocks=8 ftl.slc=static ftl.slc_static=2048 ftl.slc_full=beside ftl.slc_beside=0.7 ftl.pace=paced",
    "4 6 ftl.kind=page ftl.spare_blocks=9 ftl.slc=dynamic ftl.slc_dynamic=all",
    "4 6 ftl.kind=page ftl.spare_blocks=10 ftl.slc=dynamic ftl.slc_dynamic=all ftl.pace=paced ftl.slc_full=fold",
    "4 4 ftl.kind=page ftl.spare_blocks=12 ftl.slc=dynamic ftl.slc_dynamic=3072 flash.cell_bits=2 ftl.slc_gone_at=0.9 ftl.slc_victim=greedy",
    "4 6 ftl.kind=page ftl.spare_blocks=11 ftl.slc=hybrid ftl.slc_static=1024 ftl.slc_dynamic=2048 ftl.slc_full=beside ftl.cleaning=jffs2",
    "4 6 ftl.kind=page ftl.spare_blocks=10 ftl.slc=hybrid ftl.slc_static=1024 ftl.slc_dynamic=all ftl.gc_frontier=shared ftl.slc_full=fold",
];

#[test]
fn page_with_a_cache_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 40_000);
}

#[test]
fn page_with_a_cache_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts(
        "2 3 ftl.kind=page ftl.spare_blocks=8 ftl.slc=hybrid ftl.slc_static=512 ftl.slc_dynamic=1024 ftl.slc_full=fold",
    );
}

#[test]
fn page_with_a_cache_survives_rows_of_cuts() {
    survives_rows_of_cuts(&DEVICES);
}
