use super::*;

const DEVICES: [Small; 7] = [
    Small(
        4,
        4,
        "ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=2 ftl.partial_merge=true",
    ),
    Small(
        4,
        4,
        "ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=2 ftl.partial_merge=false",
    ),
    Small(
        6,
        3,
        "ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=1 ftl.partial_merge=true",
    ),
    Small(
        6,
        3,
        "ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=1 ftl.partial_merge=false",
    ),
    Small(
        3,
        8,
        "ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=3 ftl.partial_merge=true",
    ),
    Small(
        3,
        8,
        "ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=3 ftl.partial_merge=false",
    ),
    Small(
        4,
        3,
        "flash.channels=2 flash.interleave=page ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=1",
    ),
];

#[test]
fn bast_keeps_what_it_promised() {
    keeps_what_it_promised(&DEVICES, 100_000);
}

#[test]
fn bast_survives_every_pair_of_cuts() {
    survives_every_pair_of_cuts(
        Small(2, 3, "ftl.kind=bast ftl.spare_blocks=1 ftl.log_blocks=1"),
        1000,
    );
}

#[test]
fn bast_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}
