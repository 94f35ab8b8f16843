use super::*;

/// A large enough pool and a small one, superblocks of one block and of more blocks than exist, a shorter last one.
const DEVICES: [&str; 6] = [
    "4 4 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=4 ftl.blocks_per_superblock=2 ftl.max_update_blocks=2",
    "5 4 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=1 ftl.blocks_per_superblock=2 ftl.max_update_blocks=2",
    "6 3 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=3 ftl.blocks_per_superblock=1 ftl.max_update_blocks=1",
    "4 5 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=2 ftl.blocks_per_superblock=9 ftl.max_update_blocks=1",
    "7 3 ftl.kind=superblock ftl.spare_blocks=2 ftl.log_blocks=3 ftl.blocks_per_superblock=3 ftl.max_update_blocks=2",
    "6 1 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=2 ftl.blocks_per_superblock=2 ftl.max_update_blocks=2",
];

#[test]
fn superblock_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 100_000);
}

/// A large enough pool and a small one, a shorter last superblock, copy-backs.
const AWARE: [&str; 3] = [
    "6 4 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=3 ftl.blocks_per_superblock=2 ftl.max_update_blocks=2 \
     buffer.size=4KiB",
    "7 3 ftl.kind=superblock ftl.spare_blocks=2 ftl.log_blocks=2 ftl.blocks_per_superblock=3 ftl.max_update_blocks=2 \
     buffer.size=4KiB flash.planes=2 flash.copy_back=true ftl.free_lists=plane",
    "4 8 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=1 ftl.blocks_per_superblock=2 ftl.max_update_blocks=1 \
     buffer.size=6KiB buffer.flush_age_s=2e-5",
];

#[test]
fn superblock_loses_what_merges_skip() {
    loses_what_merges_skip(&AWARE);
}

#[test]
fn superblock_keeps_what_it_promised_when_merges_ask() {
    keeps_it_when_merges_ask(&AWARE, 50_000);
}

#[test]
fn superblock_survives_every_pair_of_cuts_when_merges_ask() {
    survives_every_pair_when_merges_ask(
        "4 3 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=1 ftl.blocks_per_superblock=2 \
         ftl.max_update_blocks=1",
    );
}

#[test]
fn superblock_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts(
        "3 3 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=1 ftl.blocks_per_superblock=2 \
         ftl.max_update_blocks=1",
    );
}

#[test]
fn superblock_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}

/// Three superblocks of one block of 4 pages, which share two update blocks.
const THREE: &str = "3 4 ftl.kind=superblock ftl.spare_blocks=1 ftl.log_blocks=2 ftl.blocks_per_superblock=1 \
                     ftl.max_update_blocks=2 buffer.policy=none";

/// A new device on which these pages were written, then stopped and mounted with these further settings.
fn written_and_mounted(pages: &[u64], more: &str) -> Result<Device<Flash>, FtlError> {
    let mut device = stoppable(&small(THREE, "")).expect("a legal device");
    write(&mut device, &mut 0, pages);
    mounted(device, &small(THREE, more))
}

/// Planted: superblocks in the order of their newest blocks after a mount.
#[test]
fn a_mount_knows_which_superblock_was_written_last() {
    let mut device = written_and_mounted(&[0, 4, 0], "").expect("what was written");
    write(&mut device, &mut 0, &[8]);
    // the second superblock shrinks, and its data block is its only full one
    assert_eq!(device.erase_counts(), [0, 1, 0, 0, 0, 0]);
}

/// Planted: with too many blocks, the youngest block is erased, even if the host wrote it.
#[test]
fn a_mount_refuses_more_update_blocks_than_are_allowed() {
    let error = written_and_mounted(&[0, 4], "ftl.log_blocks=1 ftl.spare_blocks=2").err();
    assert_eq!(error, Some(FtlError::TooManyLogs { found: 2 }));
    // three blocks with valid pages: page 3, pages 0 and 1, page 2
    let error = written_and_mounted(&[0, 0, 0, 1, 2], "ftl.max_update_blocks=1").err();
    assert_eq!(error, Some(FtlError::TooManyUpdates { found: 2 }));
}
