use super::*;

const DEVICES: [&str; 5] = [
    "4 4 ftl.kind=replacement ftl.spare_blocks=1 ftl.log_blocks=1",
    "4 4 ftl.kind=replacement ftl.spare_blocks=1 ftl.log_blocks=3",
    "6 3 ftl.kind=replacement ftl.spare_blocks=1 ftl.log_blocks=2",
    "2 8 ftl.kind=replacement ftl.spare_blocks=1 ftl.log_blocks=6",
    "12 1 ftl.kind=replacement ftl.spare_blocks=1 ftl.log_blocks=4",
];

#[test]
fn replacement_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 50_000);
}

#[test]
fn replacement_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts("2 3 ftl.kind=replacement ftl.spare_blocks=1 ftl.log_blocks=1");
}

#[test]
fn replacement_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
