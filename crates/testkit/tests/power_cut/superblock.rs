use super::*;

/// A pool that suffices and one that does not, superblocks of one block and of more than there are, a shorter last one.
const DEVICES: [Small; 6] = [
    Small(
        4,
        4,
        "ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=4 ftl.blocks_per_superblock=2 ftl.max_update_blocks=2",
    ),
    Small(
        5,
        4,
        "ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=1 ftl.blocks_per_superblock=2 ftl.max_update_blocks=2",
    ),
    Small(
        6,
        3,
        "ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=3 ftl.blocks_per_superblock=1 ftl.max_update_blocks=1",
    ),
    Small(
        4,
        5,
        "ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=2 ftl.blocks_per_superblock=9 ftl.max_update_blocks=1",
    ),
    Small(
        7,
        3,
        "ftl.kind=superblock ftl.spare_blocks=2 ftl.log_blocks=3 ftl.blocks_per_superblock=3 ftl.max_update_blocks=2",
    ),
    Small(
        6,
        1,
        "ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=2 ftl.blocks_per_superblock=2 ftl.max_update_blocks=2",
    ),
];

#[test]
fn superblock_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 100_000);
}

#[test]
fn superblock_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts(
        Small(
            3,
            3,
            "ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=1 ftl.blocks_per_superblock=2 ftl.max_update_blocks=1",
        ),
        1000,
    );
}

#[test]
fn superblock_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
