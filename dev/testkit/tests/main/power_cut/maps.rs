//! Page mapping with its map in flash. What map pages hold is compared with the map after each mount: a version number of
//! the tests is a checksum of it.
//!
//! Planted bugs that these tests catch: a mount that gives a map page no place although it maps a page; one that takes a page
//! behind a torn one for the next of its segment; a map page that is programmed before what it maps is durable; an older map
//! page that a mount takes for a new one; one with the places of copies that a mount gives up; a block of the map area that
//! is erased before its copies are durable.

use ssdlab_flash::{InFlight, Media, Ppn, SpareState};

use super::*;

/// Each cache, also over the fewest blocks; the area is cleaned often.
const DEVICES: [&str; 6] = [
    "4 6 ftl.kind=page ftl.spare_blocks=6 ftl.map=dftl ftl.map_cache=40 ftl.map_entry=64 ftl.map_sync=9",
    "4 6 ftl.kind=page ftl.spare_blocks=6 ftl.map=tpftl ftl.map_cache=50 ftl.map_entry=64 ftl.pace=paced",
    "4 6 ftl.kind=page ftl.spare_blocks=6 ftl.map=pages ftl.map_cache=1024 ftl.map_entry=64 ftl.map_list=9",
    "4 6 ftl.kind=page ftl.spare_blocks=6 ftl.map=leaftl ftl.map_cache=60 ftl.map_entry=64 ftl.map_gamma=2",
    "5 4 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.map=dftl ftl.map_cache=16 ftl.map_entry=64 ftl.map_batch=false",
    "6 3 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.cleaning=fifo ftl.map=pages ftl.map_cache=512 ftl.map_entry=64 \
     ftl.map_host=512",
];

#[test]
fn a_map_in_flash_survives_power_cuts() {
    keeps_what_it_promised(&DEVICES, 60_000);
}

#[test]
fn a_map_in_flash_survives_every_pair_of_cuts() {
    for map in [
        "dftl ftl.map_cache=16",
        "tpftl ftl.map_cache=22",
        "pages ftl.map_cache=512",
        "leaftl ftl.map_cache=20",
    ] {
        for pace in ["whole", "paced"] {
            survives_every_pair_of_cuts(&format!(
                "3 4 ftl.kind=page ftl.gc_low=1 ftl.spare_blocks=4 ftl.pace={pace} ftl.map={map} ftl.map_entry=64"
            ));
        }
    }
}

#[test]
fn a_map_in_flash_survives_rows_of_cuts() {
    survives_rows_of_cuts(&DEVICES);
}

#[test]
fn a_map_in_flash_mounts_to_what_it_was() {
    fresh_and_mounted_agree(&DEVICES);
}

/// The map pages without a version in flash.
fn map_pages_lost(flash: Flash) -> usize {
    let mut array = flash.into_array();
    let geometry = array.geometry().clone();
    let mut versions = vec![0; geometry.own_pages() as usize];
    for at in geometry.physical_pages()..geometry.all_pages() {
        let spare = array.read_spare(Ppn(at)).expect("a page");
        if let SpareState::Good(spare, _) = spare {
            let page = geometry.own_index(spare.lpn).expect("a map page");
            versions[page as usize] += 1;
        }
    }
    versions.iter().filter(|versions| **versions == 0).count()
}

#[test]
fn no_cut_takes_the_last_version_of_a_map_page() {
    for device in DEVICES {
        let config = small(device, "buffer.policy=none precondition=full");
        let (stack, requests) = (stack(&config), requests(&config, 3));
        let stopped_at = |cut: Cut| {
            let on = |array| Ok(Flash::cut(array, cut));
            let mut device = Device::fresh_on(&config, &stack, on).expect("a legal device");
            let mut versions = Versions::default();
            let cut = requests
                .iter()
                .any(|request| device.submit(request, &mut versions).is_err());
            let erases = device.counters().table_erases;
            (cut, erases, device.into_media().remove(0))
        };
        let mut erases = 0;
        for at in 1.. {
            let seeds = (0..8).map(|seed| Cut {
                at,
                in_flight: InFlight::Done,
                lose: Some(8 * at + seed),
            });
            let mut cuts = seeds.map(&stopped_at);
            let Some((true, erased, flash)) = cuts.next() else {
                break;
            };
            erases = erases.max(erased);
            for flash in std::iter::once(flash).chain(cuts.map(|(.., flash)| flash)) {
                assert_eq!(map_pages_lost(flash), 0, "{device}, cut at {at}");
            }
        }
        assert!(erases > 1, "{device}: {erases} erases");
    }
}
