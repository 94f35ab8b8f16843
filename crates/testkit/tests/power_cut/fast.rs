use super::*;

const DEVICES: [Small; 4] = [
    Small(4, 4, "ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=2"),
    Small(6, 3, "ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=3"),
    Small(3, 8, "ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=5"),
    Small(6, 1, "ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=2"),
];

#[test]
fn fast_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 50_000);
}

#[test]
fn fast_survives_every_pair_of_cuts() {
    for device in [
        Small(2, 3, "ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=2"),
        Small(2, 4, "ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=3"),
        Small(1, 8, "ftl.kind=fast ftl.spare_blocks=1 ftl.log_blocks=5"),
    ] {
        survives_every_pair_of_cuts(device, 1000);
    }
}

#[test]
fn fast_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
