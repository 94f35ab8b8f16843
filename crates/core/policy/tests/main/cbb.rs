//! CBB: the victim by age and pages to write, and the decision to pad, on examples worked out by hand.
//!
//! Planted bugs that these tests catch: the age of the last entry instead of the last use; a cost that merges cannot
//! lower; charges to blocks that were padded; a class for each number of pages; samples that are padded; uses of complete
//! blocks that count for the others, or count once for each page of a run.

use ssdlab_flash::{Geometry, Lbn, Lpn};
use ssdlab_policy::buffer::cbb::{Age, Cbb, CbbConfig, Complete};
use ssdlab_policy::buffer::{Access, BufferKind, BufferPolicy, Shape, Victim};

const N: u32 = 8;

/// An empty buffer over 64 blocks of 8 pages.
fn cbb(config: CbbConfig) -> (Cbb, Geometry) {
    let geometry = Geometry::new(512, N, 64, 64, 1);
    let shape = Shape {
        geometry: geometry.clone(),
        pages: 256,
        future: None,
    };
    (Cbb::new(&shape, &config), geometry)
}

/// The first pages of a block enter, one after the other.
fn enter((policy, geometry): &mut (Cbb, Geometry), lbn: u32, pages: u32) {
    let first = geometry.page(Lpn(lbn * N));
    policy.enter_run(first, pages, Access::Write);
}

/// The next victim; its pages leave.
fn evict((policy, geometry): &mut (Cbb, Geometry)) -> u32 {
    let Victim::Block(lbn) = policy.victim() else {
        panic!("a page is the victim")
    };
    let first = geometry.page_at(lbn, 0);
    while !policy.needs_header(lbn) {
        policy.left(first);
    }
    lbn.0
}

/// Three blocks, each used later than the one before: the age and the pages held are 6 and 1, 4 and 3, 1 and 2.
#[test]
fn cbb_weighs_age_against_the_pages_to_write() {
    let order = |age: Age| {
        let mut buffer = cbb(CbbConfig {
            age,
            ..CbbConfig::default()
        });
        enter(&mut buffer, 1, 1);
        enter(&mut buffer, 2, 2);
        enter(&mut buffer, 3, 2);
        // a hit is a use, too
        let page = buffer.1.page(Lpn(2 * N));
        buffer.0.hit(page, Access::Write);
        enter(&mut buffer, 2, 1);
        [0; 3].map(|_| evict(&mut buffer))
    };
    // nothing is known of merges, so each block costs all 8 pages; 16 × age^¾ × held is 68, 16 × 3 and 36 × 2
    assert_eq!(order(Age::ThreeQuarters), [3, 1, 2]);
    // √7, 3 and √3 × 2
    assert_eq!(order(Age::Root), [3, 2, 1]);
    // 7, 3 and 6
    assert_eq!(order(Age::Linear), [1, 3, 2]);
    // 1, 3 and 2
    assert_eq!(order(Age::None), [2, 3, 1]);
}

/// A block with four of its pages, and an older one with one page.
#[test]
fn cbb_goes_by_age_where_merges_cost_nothing() {
    let older_first = |moved: u32| {
        let mut buffer = cbb(CbbConfig::default());
        enter(&mut buffer, 5, 1);
        assert!(!buffer.0.pads(Lbn(5)));
        buffer.0.moved(Lbn(5), moved);
        enter(&mut buffer, 6, 4);
        evict(&mut buffer) == 5
    };
    // 53 × 1 / (1 + extra) against 16 × 4 / (4 + extra): 53 against 16, 26.5 against 12.8
    assert!(older_first(0) && older_first(1));
    // 8.8 against 8: of the younger block only four pages are missing
    assert!(older_first(5));
    // 7.6 against 8; of the older one seven are missing
    assert!(!older_first(6) && !older_first(100));
}

#[test]
fn cbb_pads_where_merges_have_proved_dearer() {
    let mut buffer = cbb(CbbConfig::default());
    for lbn in 0..6 {
        enter(&mut buffer, lbn, 4);
    }
    enter(&mut buffer, 6, 3);
    enter(&mut buffer, 7, N);
    enter(&mut buffer, 30, 4);
    let policy = &mut buffer.0;
    // four pages are missing: merges must move more than that for each write
    assert!(!policy.pads(Lbn(0)));
    policy.moved(Lbn(0), 4);
    assert!(!policy.pads(Lbn(1)));
    policy.moved(Lbn(1), 5);
    assert!(policy.pads(Lbn(2)), "4 x 2 < 9");
    // a padded block teaches nothing, and neither does one that was never written
    policy.moved(Lbn(2), 90);
    policy.moved(Lbn(9), 90);
    assert!(!policy.pads(Lbn(30)), "a sample");
    assert!(!policy.pads(Lbn(3)), "4 x 3 > 9");
    policy.moved(Lbn(3), 8);
    assert!(policy.pads(Lbn(4)), "4 x 4 < 17");
    // three pages are of another class than four, and a complete block of none
    assert!(!policy.pads(Lbn(6)));
    assert!(policy.pads(Lbn(7)));
    policy.moved(Lbn(7), 90);
    policy.moved(Lbn(6), 5);
    assert!(!policy.pads(Lbn(6)), "5 x 1 = 5");
}

/// An older block with one page goes if merges move at most five pages a write, a younger one with four if they move
/// six.
#[test]
fn cbb_halves_what_it_knows_of_many_writes() {
    let victim = |moved: u32| {
        let mut buffer = cbb(CbbConfig::default());
        enter(&mut buffer, 1, 1);
        enter(&mut buffer, 30, 4);
        let (policy, _) = &mut buffer;
        assert!(!policy.pads(Lbn(30)));
        policy.moved(Lbn(30), 4096 * 6);
        // the last one leaves 2048 writes and 12288 pages
        (0..4096).for_each(|_| assert!(!policy.pads(Lbn(30))));
        policy.moved(Lbn(30), moved);
        assert!(!policy.pads(Lbn(30)));
        evict(&mut buffer)
    };
    // 12292 and 12296 pages in 2049 writes; without the half, in both cases less than 6 × 4098
    assert_eq!([victim(4), victim(8)], [1, 30]);
}

/// A buffer in which merges cost nothing.
fn free_of_merges(complete: Complete) -> (Cbb, Geometry) {
    let mut buffer = cbb(CbbConfig {
        complete,
        ..CbbConfig::default()
    });
    enter(&mut buffer, 40, 1);
    assert!(!buffer.0.pads(Lbn(40)));
    assert_eq!(evict(&mut buffer), 40);
    buffer
}

/// Hits of the first page of each of these blocks, so many times over.
fn hit((policy, geometry): &mut (Cbb, Geometry), lbns: &[u32], times: u32) {
    for _ in 0..times {
        for lbn in lbns {
            // the second hit is a part of the same use
            policy.hit(geometry.page(Lpn(lbn * N)), Access::Write);
            policy.hit(geometry.page(Lpn(lbn * N)), Access::Write);
        }
    }
}

#[test]
fn cbb_evicts_complete_blocks_early_where_they_are_seldom_used_again() {
    let victim = |complete: Complete| {
        let mut buffer = free_of_merges(complete);
        // a stay of 8 pages × 2 without a use
        enter(&mut buffer, 1, N);
        enter(&mut buffer, 2, 2);
        assert_eq!(evict(&mut buffer), 1);
        // 20 uses and 40 hits, in stays of 9 × (2 pages × 2 + 1 page × 2) + 2 pages × 1 + 1 page × 2
        enter(&mut buffer, 3, 1);
        hit(&mut buffer, &[2, 3], 10);
        enter(&mut buffer, 4, N);
        evict(&mut buffer)
    };
    // of a value of 60, 60 × 16 / 74 = 12 is expected of complete blocks; they weigh (61 / 49) / (1 / 13) = 16.2 times as
    // much: block 4 with an age of 1 16 × 16.2, block 2 with 11 96
    assert_eq!(victim(Complete::Learned), 4);
    assert_eq!(victim(Complete::Equal), 2);
    assert_eq!(victim(Complete::First), 4);
}

#[test]
fn cbb_keeps_complete_blocks_that_are_used_often() {
    let victim = |complete: Complete| {
        let mut buffer = free_of_merges(complete);
        for lbn in [1, 6] {
            enter(&mut buffer, lbn, N);
        }
        enter(&mut buffer, 2, 2);
        hit(&mut buffer, &[1, 6], 20);
        hit(&mut buffer, &[2], 1);
        evict(&mut buffer)
    };
    // a value of 120 in stays of 720, and one of 3 in stays of 160: complete blocks weigh (4 / 24) / (121 / 101) = 0.14
    // times as much, block 1 53 × 0.14, block 2 16
    assert_eq!(victim(Complete::Learned), 2);
    assert_eq!(victim(Complete::Equal), 1);
    assert_eq!(victim(Complete::First), 1);
}

#[test]
fn cbb_can_always_pad_or_never() {
    for padding in [false, true] {
        let mut buffer = cbb(CbbConfig {
            padding,
            feedback: false,
            ..CbbConfig::default()
        });
        enter(&mut buffer, 30, 1);
        assert_eq!(buffer.0.pads(Lbn(30)), padding);
    }
}
