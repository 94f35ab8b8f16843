//! The rules of the clustering placements, step by step, on examples worked out by hand.
//!
//! Planted bugs that these tests catch: an interval that includes its upper end, or excludes its lower one; a fast
//! update in the hottest region, or a slow one in the coldest, that leaves the regions; a time that runs backwards
//! counted as a long one; an update in RAM, or the first write, that counts as fast; a page that is no longer fast
//! after a write-back; half of RAM rounded up; RAM of `dac+` that is full before another page enters, or that
//! overflows; a drain of `dac+` to a region that does not exist; a mount that forgets the state that the battery kept.

use ssdlab_flash::{Geometry, Lpn};
use ssdlab_policy::placement::Place::{Flash, Ram};
use ssdlab_policy::placement::single::{self, GcFrontier, Single};
use ssdlab_policy::placement::{Chosen, Decides, LastUpdate, Place, Placement, dac, dac_plus, deb};

const PAGE: Lpn = Lpn(3);

/// The clustering placements.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Dac,
    DacPlus,
    Deb,
}

/// The parameters of all of them.
#[derive(Clone)]
struct Params {
    regions: u32,
    stable: Vec<u64>,
    ram_pages: u32,
    /// Of deb; none: `ram_pages`.
    threshold_pages: Option<u32>,
}

impl Kind {
    fn with(self, params: &Params) -> Chosen {
        let Params {
            regions,
            stable,
            ram_pages,
            threshold_pages,
        } = params.clone();
        match self {
            Kind::Dac => Chosen::of::<dac::Dac>(dac::DacConfig { regions, stable }),
            Kind::DacPlus => Chosen::of::<dac_plus::DacPlus>(dac_plus::DacPlusConfig {
                regions,
                stable,
                ram_pages,
            }),
            Kind::Deb => Chosen::of::<deb::Deb>(deb::DebConfig {
                regions,
                stable,
                ram_pages,
                threshold_pages: threshold_pages.unwrap_or(ram_pages),
            }),
        }
    }
}

/// Three regions with stable times 0 to 10, 10 to 20 and 20 to 30, the hottest first.
fn params() -> Params {
    Params {
        regions: 3,
        stable: vec![10, 20, 30],
        ram_pages: 5,
        threshold_pages: None,
    }
}

/// Eight logical pages in blocks of four.
fn geometry() -> Geometry {
    Geometry::new(512, 4, 2, 8, 1)
}

fn build(kind: Kind) -> Box<dyn Placement> {
    kind.with(&params()).build(&geometry())
}

/// The place of a page of this region that is updated `time` after its first write.
fn moved(kind: Kind, region: u32, time: u64) -> Place {
    let mut placement = build(kind);
    placement.of_write(PAGE, None, 100, 0);
    placement.of_write(PAGE, Some(region), 100 + time, 0)
}

#[test]
fn updates_move_pages_by_their_stable_times() {
    // region, stable time, place under dac; region 2 is in RAM under dac+
    let moves = [
        (0, 0, 1),
        (0, 19, 1),
        (0, 20, 0),
        (0, 29, 0),
        (0, 30, 0),
        (0, 1000, 0),
        (1, 9, 2),
        (1, 10, 1),
        (1, 19, 1),
        (1, 20, 0),
        (2, 0, 2),
        (2, 9, 2),
        (2, 10, 1),
        (2, 1000, 1),
    ];
    for (region, time, to) in moves {
        let what = format!("region {region}, time {time}");
        assert_eq!(moved(Kind::Dac, region, time), Flash(to), "{what}");
        assert_eq!(moved(Kind::Deb, region, time), Flash(to), "{what}");
        if region < 2 {
            let to = if to == 2 { Ram } else { Flash(to) };
            assert_eq!(moved(Kind::DacPlus, region, time), to, "{what}");
        }
    }
}

#[test]
fn new_pages_start_cold_or_in_ram() {
    for (kind, to) in [
        (Kind::Dac, Flash(0)),
        (Kind::DacPlus, Flash(0)),
        (Kind::Deb, Ram),
    ] {
        assert_eq!(build(kind).of_write(PAGE, None, 5, 0), to, "{kind:?}");
    }
}

#[test]
fn a_time_that_goes_back_is_none() {
    for kind in [Kind::Dac, Kind::Deb] {
        let mut placement = build(kind);
        placement.of_write(PAGE, None, 100, 0);
        assert_eq!(
            placement.of_write(PAGE, Some(2), 50, 0),
            Flash(2),
            "{kind:?}"
        );
        // the next interval starts at this update
        assert_eq!(
            placement.of_write(PAGE, Some(2), 60, 0),
            Flash(1),
            "{kind:?}"
        );
    }
}

/// A preconditioned page is in region 0 since time 0.
#[test]
fn a_preconditioned_page_was_updated_at_the_start() {
    for kind in [Kind::Dac, Kind::DacPlus, Kind::Deb] {
        assert_eq!(build(kind).of_write(PAGE, Some(0), 19, 0), Flash(1));
        assert_eq!(build(kind).of_write(PAGE, Some(0), 20, 0), Flash(0));
    }
}

#[test]
fn two_fast_updates_in_a_row_lead_to_ram() {
    let mut deb = build(Kind::Deb);
    assert_eq!(deb.of_write(PAGE, Some(0), 19, 0), Flash(1));
    assert_eq!(deb.of_write(PAGE, Some(1), 28, 0), Ram);
    // the page was written back without an update, so its last update is still fast, whatever its region
    assert_eq!(deb.of_write(PAGE, Some(0), 29, 0), Ram);
    // an update in RAM is not fast
    deb.updated_in_ram(PAGE, 30);
    assert_eq!(deb.of_write(PAGE, Some(1), 31, 0), Flash(2));
    // no update in the hottest region is fast
    assert_eq!(deb.of_write(PAGE, Some(2), 31, 0), Flash(2));
    assert_eq!(deb.of_write(PAGE, Some(1), 32, 0), Flash(2));
    assert_eq!(deb.of_write(PAGE, Some(1), 50, 0), Flash(1));
    assert_eq!(deb.of_write(PAGE, Some(1), 51, 0), Flash(2));
    // a discarded page is new
    assert_eq!(deb.of_write(PAGE, None, 52, 0), Ram);
    assert_eq!(deb.of_write(PAGE, Some(0), 53, 0), Flash(1));
}

#[test]
fn pages_leave_ram_for_the_region_of_their_stable_time() {
    let leaves = |kind: Kind, time: u64, drain| {
        let mut placement = build(kind);
        placement.updated_in_ram(PAGE, 100);
        if drain {
            placement.of_drain(PAGE, 100 + time)
        } else {
            placement.of_write_back(PAGE, 100 + time)
        }
    };
    for (time, region) in [(0, 2), (9, 2), (10, 1), (19, 1), (20, 0), (30, 0), (99, 0)] {
        assert_eq!(leaves(Kind::Deb, time, false), region);
        assert_eq!(leaves(Kind::Deb, time, true), region);
        assert_eq!(leaves(Kind::DacPlus, time, false), 1);
        assert_eq!(leaves(Kind::DacPlus, time, true), region.min(1));
    }
}

#[test]
fn how_many_pages_ram_holds() {
    let ram = |kind: Kind, ram_pages| {
        let params = Params {
            ram_pages,
            ..params()
        };
        let chosen = kind.with(&params);
        (chosen.ram_pages(), chosen.build(&geometry()))
    };
    let (room, dac_plus) = ram(Kind::DacPlus, 5);
    assert_eq!(room, 5);
    assert_eq!([3, 4, 5].map(|held| dac_plus.before_entry(held)), [3, 4, 4]);
    assert_eq!(dac_plus.after_entry(5), 5);
    let (room, deb) = ram(Kind::Deb, 5);
    assert_eq!(room, 6);
    assert_eq!([4, 5].map(|held| deb.before_entry(held)), [4, 5]);
    assert_eq!([4, 5, 6].map(|held| deb.after_entry(held)), [4, 5, 2]);
    // state after a power cut while pages were leaving
    assert_eq!(deb.before_entry(6), 5);
    assert_eq!(ram(Kind::Deb, 1).1.after_entry(2), 0);
    assert_eq!(ram(Kind::Deb, 0).1.after_entry(1), 0);
    assert_eq!(ram(Kind::Dac, 5).0, 0);
}

/// Rule 5 of the paper: above the threshold, the oldest pages leave until half of the threshold is left.
#[test]
fn a_threshold_below_the_size_of_ram() {
    let deb = |threshold_pages| {
        let params = Params {
            ram_pages: 8,
            threshold_pages: Some(threshold_pages),
            ..params()
        };
        let chosen = Kind::Deb.with(&params);
        let refused = chosen.check().err().map(|impossible| impossible.key);
        (chosen.ram_pages(), chosen.build(&geometry()), refused)
    };
    let (room, placement, refused) = deb(5);
    assert_eq!((room, refused), (8, None));
    assert_eq!([4, 5, 6].map(|held| placement.after_entry(held)), [4, 5, 2]);
    // after a power cut while pages were leaving
    assert_eq!(placement.before_entry(6), 5);
    // the page that enters needs room only beyond the threshold
    assert_eq!([7, 8].map(|threshold| deb(threshold).0), [8, 9]);
    assert_eq!(deb(1).1.after_entry(2), 0);
    assert_eq!(deb(0).2, Some("ftl.ram_threshold"));
    assert_eq!(deb(9).2, Some("ftl.ram_threshold"));
}

#[test]
fn cleaning_copies_go_to_the_next_colder_region() {
    for kind in [Kind::Dac, Kind::DacPlus, Kind::Deb] {
        let placement = build(kind);
        assert_eq!(
            [0, 1, 2].map(|region| placement.of_copies(region)),
            [0, 0, 1].map(Some)
        );
    }
}

#[test]
fn single_asks_nothing() {
    let regions = |gc_frontier| {
        let single = Chosen::of::<Single>(single::SingleConfig { gc_frontier });
        let placement = single.build(&geometry());
        assert_eq!(placement.decides(), Decides::Nothing(0));
        let copies = [0, 1].map(|region| placement.of_copies(region));
        (single.regions(), copies)
    };
    assert_eq!(regions(GcFrontier::Separate), (2, [1, 1].map(Some)));
    assert_eq!(regions(GcFrontier::Shared), (1, [0, 0].map(Some)));
    assert_eq!(regions(GcFrontier::InPlace), (1, [0, 0].map(Some)));
    assert_eq!(build(Kind::Dac).decides(), Decides::Page);
}

/// Times so short that they round to the same value leave a region empty.
#[test]
fn a_region_may_be_empty() {
    let params = Params {
        stable: vec![5, 5, 7],
        ..params()
    };
    let moved = |time| {
        let mut dac = Kind::Dac.with(&params).build(&geometry());
        dac.of_write(PAGE, Some(1), time, 0)
    };
    assert_eq!([4, 5, 6].map(moved), [Flash(2), Flash(0), Flash(0)]);
    let deb = Kind::Deb.with(&params).build(&geometry());
    let leaves = [4, 5, 6, 7].map(|now| deb.of_write_back(PAGE, now));
    assert_eq!(leaves, [2, 0, 0, 0]);
}

#[test]
fn a_mount_remembers_what_the_battery_kept() {
    let kept = LastUpdate { at: 55, fast: true };
    for kind in [Kind::DacPlus, Kind::Deb] {
        let mut placement = build(kind);
        placement.mounted(50);
        placement.remember(PAGE, kept);
        assert_eq!(placement.last_update(PAGE).at, 55);
        assert_eq!(placement.of_drain(PAGE, 75), 0);
        assert_eq!(placement.of_write(Lpn(4), Some(1), 60, 0), Flash(1));
        assert_eq!(placement.of_write(PAGE, Some(1), 60, 0), Ram);
    }
    let mut deb = build(Kind::Deb);
    deb.remember(PAGE, kept);
    assert_eq!(deb.last_update(PAGE), kept);
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |kind: Kind, regions, stable: &[u64], ram_pages| {
        let params = Params {
            regions,
            stable: stable.to_vec(),
            ram_pages,
            threshold_pages: None,
        };
        let refused = kind.with(&params).check();
        refused.err().map(|impossible| impossible.key)
    };
    for kind in [Kind::Dac, Kind::DacPlus, Kind::Deb] {
        assert_eq!(refused(kind, 2, &[1, 2], 1), None);
        for stable in [&[1][..], &[1, 2, 3]] {
            assert_eq!(refused(kind, 2, stable, 1), Some("ftl.stable_s"));
        }
    }
    assert_eq!(refused(Kind::DacPlus, 1, &[1], 1), Some("ftl.regions"));
    assert_eq!(refused(Kind::DacPlus, 2, &[1, 2], 0), Some("ftl.ram"));
    assert_eq!(refused(Kind::Deb, 1, &[1], 0), None);
}
