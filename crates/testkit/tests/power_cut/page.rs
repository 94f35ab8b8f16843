use super::*;

/// Spare blocks as few as possible: free blocks plus two frontiers plus one, with one frontier for all plus one.
const DEVICES: [Small; 7] = [
    Small(4, 4, "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4"),
    Small(
        4,
        4,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=fifo",
    ),
    Small(
        4,
        3,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.cleaning=fifo ftl.gc_frontier=shared",
    ),
    Small(
        6,
        3,
        "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.cleaning=jffs2 ftl.gc_frontier=shared",
    ),
    Small(3, 8, "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4"),
    Small(2, 8, "ftl.kind=page ftl.gc_low=2 ftl.spare_blocks=7"),
    Small(8, 1, "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4"),
];

#[test]
fn page_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 100_000);
}

#[test]
fn page_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts(
        Small(
            2,
            3,
            "ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=fifo",
        ),
        1000,
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
