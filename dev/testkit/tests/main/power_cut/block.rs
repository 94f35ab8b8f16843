use super::*;

const DEVICES: [&str; 5] = [
    "4 4 ftl.kind=block ftl.spare_blocks=1 ftl.open_blocks=1",
    "4 4 ftl.kind=block ftl.spare_blocks=1 ftl.open_blocks=2",
    "6 3 ftl.kind=block ftl.spare_blocks=1 ftl.open_blocks=3",
    // more blocks than logical ones
    "2 8 ftl.kind=block ftl.spare_blocks=1 ftl.open_blocks=3",
    "12 1 ftl.kind=block ftl.spare_blocks=1 ftl.open_blocks=1",
];

#[test]
fn block_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 50_000);
}

#[test]
fn block_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts("2 3 ftl.kind=block ftl.spare_blocks=1 ftl.open_blocks=1");
}

#[test]
fn block_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
