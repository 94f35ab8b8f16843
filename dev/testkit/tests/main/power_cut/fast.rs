use super::*;

const DEVICES: [&str; 4] = [
    "4 4 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=2",
    "6 3 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=3",
    "3 8 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=5",
    "6 1 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=2",
];

#[test]
fn fast_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 50_000);
}

/// Whole blocks and parts, a logical block in more than one random log block, copy-backs.
const AWARE: [&str; 3] = [
    "6 4 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=3 buffer.size=4KiB",
    "7 3 ftl.kind=fast ftl.spare_blocks=2 ftl.log_blocks=4 buffer.size=4KiB flash.planes=2 flash.copy_back=true ftl.free_lists=plane",
    "4 8 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=4 buffer.size=6KiB buffer.flush_age_s=2e-5",
];

#[test]
fn fast_loses_what_merges_skip() {
    loses_what_merges_skip(&AWARE);
}

#[test]
fn fast_keeps_what_it_promised_when_merges_ask() {
    keeps_it_when_merges_ask(&AWARE, 50_000);
}

#[test]
fn fast_survives_every_pair_of_cuts_when_merges_ask() {
    survives_every_pair_when_merges_ask("5 3 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=3");
}

#[test]
fn fast_survives_every_pair_of_cuts() {
    for device in [
        "2 3 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=2",
        "2 4 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=3",
        "1 8 ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=5",
    ] {
        survives_every_pair_of_cuts(device);
    }
}

#[test]
fn fast_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
