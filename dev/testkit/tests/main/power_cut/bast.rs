use super::*;

const DEVICES: [&str; 7] = [
    "4 4 ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=2 ftl.partial_merge=true",
    "4 4 ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=2 ftl.partial_merge=false",
    "6 3 ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=1 ftl.partial_merge=true",
    "6 3 ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=1 ftl.partial_merge=false",
    "3 8 ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=3 ftl.partial_merge=true",
    "3 8 ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=3 ftl.partial_merge=false",
    "4 3 flash.channels=2 flash.interleave=page ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=1",
];

#[test]
fn bast_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 100_000);
}

/// With and without partial merges and copy-backs.
const AWARE: [&str; 2] = [
    "4 4 ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=2 buffer.size=4KiB",
    "5 3 ftl.kind=bast ftl.spare_blocks=2 ftl.log_blocks=2 buffer.size=3KiB ftl.partial_merge=false flash.planes=2 \
     flash.copy_back=true ftl.free_lists=plane",
];

#[test]
fn bast_loses_what_merges_skip() {
    loses_what_merges_skip(&AWARE);
}

#[test]
fn bast_keeps_what_it_promised_when_merges_ask() {
    keeps_it_when_merges_ask(&AWARE, 50_000);
}

#[test]
fn bast_survives_every_pair_of_cuts_when_merges_ask() {
    survives_every_pair_when_merges_ask("3 4 ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=2");
}

#[test]
fn bast_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts("2 3 ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=1");
}

#[test]
fn bast_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
