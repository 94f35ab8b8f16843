//! Page mapping with several regions, and with one of them in RAM.
//!
//! Planted bugs that these tests catch: a page that leaves RAM before it is durable in flash, or enters it after its
//! old version is void; a mount that prefers the flash version of a page that RAM kept, or that keeps both; pages in
//! RAM that a mount forgets, or brings back in another order; a region that a mount does not read from the spare areas;
//! a clock that starts again although the battery kept it.

use super::*;

use ssdlab_flash::{Lpn, Media, Ppn, Spare, SpareState};

/// The fewest spare blocks; RAM for no page, for one, and for several.
const DEVICES: [&str; 7] = [
    "4 4 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.placement=dac ftl.regions=2 ftl.stable_s=[9,40]",
    "4 4 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=5 ftl.placement=deb ftl.regions=3 ftl.stable_s=[9,20,40] \
     ftl.ram=2KiB ftl.cleaning=cat",
    "5 3 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.placement=deb ftl.regions=2 ftl.stable_s=[30e-6,60e-6] \
     ftl.ram=3000 clock=trace ftl.cleaning=fifo",
    "4 3 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.placement=deb ftl.regions=1 ftl.stable_s=[9] ftl.ram=0",
    "4 4 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.placement=dac+ ftl.regions=3 ftl.stable_s=[20,60,90] \
     ftl.ram=2KiB",
    "6 3 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=3 ftl.placement=dac+ ftl.regions=2 ftl.stable_s=[30e-6,60e-6] \
     ftl.ram=512 clock=trace ftl.cleaning=jffs2",
    "8 1 ftl.kind=page ftl.gc_low=2 ftl.spare_blocks=5 ftl.placement=deb ftl.regions=2 ftl.stable_s=[9,40] \
     ftl.ram=1KiB",
];

#[test]
fn regions_keep_what_they_promised() {
    keeps_what_it_promised(&DEVICES, 80_000);
}

#[test]
fn regions_survive_every_pair_of_cuts() {
    for placement in [
        "ftl.placement=deb ftl.spare_blocks=4",
        "ftl.placement=dac+ ftl.spare_blocks=3",
    ] {
        survives_every_pair_of_cuts(&format!(
            "2 3 ftl.kind=page ftl.gc_low=1 ftl.regions=2 ftl.stable_s=[8,20] ftl.ram=1KiB {placement}"
        ));
    }
}

#[test]
fn regions_survive_rows_of_cuts() {
    survives_rows_of_cuts(&DEVICES);
}

#[test]
fn regions_mount_to_what_they_were() {
    fresh_and_mounted_agree(&DEVICES);
}

/// The newest version of each page in flash: the time and position of its program, and the region.
fn newest(device: &Device<Flash>) -> Vec<Option<(u64, Ppn, u8)>> {
    let mut media = device.media().next().expect("one chip").clone();
    let geometry = media.geometry().clone();
    let mut newest = vec![None; geometry.logical_pages() as usize];
    for at in (0..geometry.physical_pages()).map(Ppn) {
        if let Ok(SpareState::Good(Spare { lpn, role }, sequence)) = media.read_spare(at) {
            newest[lpn.index()] = newest[lpn.index()].max(Some((sequence, at, role.0)));
        }
    }
    newest
}

/// All other pages count as updated at the mount.
#[test]
fn a_mount_finds_the_regions_in_the_spare_areas() {
    let dac =
        "4 4 ftl.kind=page ftl.spare_blocks=9 ftl.placement=dac ftl.regions=3 ftl.stable_s=[3,6,9]";
    let config = small(dac, "buffer.policy=none precondition=empty");
    let mut device = stoppable(&config).expect("a legal device");
    let mut time = 0;
    write(&mut device, &mut time, &[0, 0, 0]);
    let region = |device: &Device<Flash>| newest(device)[0].map(|(.., role)| role);
    assert_eq!(region(&device), Some(2));
    let mut device = mounted(device, &config).expect("what was written");
    write(&mut device, &mut time, &[1, 2, 3, 4, 5, 6, 7, 0]);
    // slow for region 2; in region 0 it would fit, and from its real update time it would be slow everywhere
    assert_eq!(region(&device), Some(1));
}

/// If all pages are in RAM, a stop changes nothing.
#[test]
fn what_the_battery_kept_goes_on_as_before() {
    for clock in ["writes", "trace"] {
        let unit = if clock == "trace" { "e-6" } else { "" };
        let deb =
            "4 4 ftl.kind=page ftl.placement=deb ftl.regions=3 ftl.spare_blocks=9 ftl.ram=8KiB";
        let more = format!(
            "buffer.policy=none precondition=empty clock={clock} ftl.stable_s=[3{unit},6{unit},9{unit}]"
        );
        let config = small(deb, &more);
        let run = |stops: bool| {
            let mut device = stoppable(&config).expect("a legal device");
            let mut time = 5;
            for pages in [&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3][..], &[1, 10, 11], &[2]] {
                if stops {
                    device = mounted(device, &config).expect("what was written");
                }
                write(&mut device, &mut time, pages);
            }
            let in_ram: Vec<Lpn> = device.ram()[0].pages.iter().map(|page| page.lpn).collect();
            device.finish().expect("the end");
            let regions: Vec<_> = newest(&device).into_iter().flatten().collect();
            (in_ram, regions)
        };
        let (in_ram, regions) = run(false);
        assert_eq!((in_ram.len(), regions.len()), (12, 12));
        for region in 0..3 {
            assert!(regions.iter().any(|(.., role)| *role == region));
        }
        assert_eq!(run(true), (in_ram, regions), "{clock}");
    }
}

#[test]
fn a_mount_refuses_more_pages_in_ram_than_it_has_room_for() {
    let deb = "ftl.kind=page ftl.placement=deb ftl.spare_blocks=12";
    let config = |more: &str| small("4 4 buffer.policy=none precondition=empty", more);
    for less in [
        &format!("{deb} ftl.ram=512"),
        "ftl.kind=page",
        "ftl.kind=bast",
    ] {
        let mut device = stoppable(&config(deb)).expect("a legal device");
        write(&mut device, &mut 0, &[0, 1, 2, 0]);
        let error = mounted(device, &config(less)).err();
        assert_eq!(error, Some(FtlError::TooManyInRam { found: 3 }), "{less}");
    }
}
