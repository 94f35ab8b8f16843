use super::*;

/// The fewest spare blocks: the free blocks plus two frontiers plus one; with a shared frontier, plus one frontier plus
/// one.
const DEVICES: [&str; 16] = [
    "4 4 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4",
    "4 4 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=fifo",
    "4 3 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.cleaning=fifo ftl.gc_frontier=shared",
    "6 3 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.cleaning=jffs2 ftl.gc_frontier=shared",
    "4 3 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=cost-benefit clock=trace",
    "6 3 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.cleaning=cat ftl.gc_frontier=shared",
    "3 4 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=d-choices ftl.d=1",
    "3 8 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4",
    "2 8 ftl.kind=page ftl.gc_low=2 ftl.spare_blocks=7",
    "8 1 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4",
    "4 4 ftl.kind=page ftl.pace=paced ftl.gc_low=1 ftl.spare_blocks=4",
    "4 4 ftl.kind=page ftl.pace=paced ftl.gc_low=2 ftl.spare_blocks=5 ftl.cleaning=fifo",
    "4 3 ftl.kind=page ftl.pace=paced ftl.gc_low=1 ftl.spare_blocks=3 ftl.cleaning=fifo ftl.gc_frontier=shared",
    "6 5 ftl.kind=page ftl.pace=paced ftl.gc_low=2 ftl.spare_blocks=4 ftl.cleaning=jffs2 ftl.gc_frontier=shared",
    "3 8 ftl.kind=page ftl.pace=paced ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=cost-benefit",
    "8 1 ftl.kind=page ftl.pace=paced ftl.gc_low=1 ftl.spare_blocks=4",
];

#[test]
fn page_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 100_000);
}

/// Two frontiers and a shared one, a region for each degree of hotness, copy-backs.
const AWARE: [&str; 4] = [
    "5 4 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 buffer.size=6KiB flash.planes=2 flash.copy_back=true",
    "4 3 ftl.kind=page ftl.gc_low=1 ftl.gc_frontier=shared ftl.spare_blocks=3 buffer.size=4KiB buffer.flush_age_s=2e-5",
    "4 4 ftl.kind=page ftl.placement=dac ftl.regions=2 ftl.stable_s=[5,20] ftl.gc_low=1 ftl.spare_blocks=4 \
     buffer.size=4KiB",
    "5 4 ftl.kind=page ftl.pace=paced ftl.gc_low=2 ftl.spare_blocks=5 buffer.size=6KiB flash.planes=2 flash.copy_back=true",
];

#[test]
fn page_loses_what_merges_skip() {
    loses_what_merges_skip(&AWARE);
}

#[test]
fn page_keeps_what_it_promised_when_cleaning_asks() {
    keeps_it_when_merges_ask(&AWARE, 50_000);
}

#[test]
fn page_survives_every_pair_of_cuts_when_cleaning_asks() {
    survives_every_pair_when_merges_ask(
        "4 3 ftl.kind=page ftl.gc_low=1 ftl.gc_frontier=shared ftl.spare_blocks=3",
    );
}

#[test]
fn page_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts(
        "2 3 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=fifo",
    );
}

#[test]
fn page_survives_every_pair_of_cuts_in_pace() {
    survives_every_pair_of_cuts(
        "2 4 ftl.kind=page ftl.pace=paced ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=fifo",
    );
}

#[test]
fn page_survives_rows_of_cuts() {
    survives_rows_of_cuts(&DEVICES);
}

#[test]
fn page_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
