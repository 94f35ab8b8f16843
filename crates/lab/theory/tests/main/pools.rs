//! Data apart on flash: published figures, limits, and what the splits must have in common.
//!
//! Planted bugs that these tests catch: a split by the writes alone; the marginal cost of the wrong pool; Newton's steps that
//! stop early; the spare of a sequential pool; a corner of greedy cleaning too many; spare that is left over and lost; sums
//! that are not checked.

use std::time::Instant;

use ssdlab_theory::{
    BadPools, Class, Cleaning, Pool, Pools, ShareOf, Spare, classes, fifo, greedy,
};

const FIFO: Cleaning = Cleaning::Fifo;
const GREEDY: Cleaning = Cleaning::Greedy(64);

fn spare(share: f64) -> Spare {
    Spare::new(share).expect("between 0 and 1")
}

fn random(writes: f64, data: f64) -> Pool {
    Pool {
        class: Class { writes, data },
        sequential: false,
    }
}

fn in_order(writes: f64, data: f64) -> Pool {
    Pool {
        sequential: true,
        ..random(writes, data)
    }
}

fn pools(pools: &[Pool]) -> Pools {
    Pools::new(pools).expect("all writes and all data")
}

fn two(writes: f64, data: f64) -> Pools {
    pools(&[random(writes, data), random(1.0 - writes, 1.0 - data)])
}

fn same(found: f64, known: f64, what: &str) {
    assert!(
        (found / known - 1.0).abs() < 1e-8,
        "{what}: {found}, not {known}"
    );
}

// "optimal" in the figures of SSD-iq, whose fill level is 0.875. It is from a simulator with blocks of 2048 pages, so uniform
// writes already cost 0.2 % less than FIFO.
#[test]
fn the_optimum_of_two_zones_is_the_published_one() {
    for (writes, known) in [
        (0.5, 4.172983),
        (0.6, 4.045244),
        (0.7, 3.629303),
        (0.8, 2.938307),
        (0.9, 1.985448),
        (0.95, 1.438573),
    ] {
        let zones = two(writes, 1.0 - writes);
        for cleaning in [FIFO, Cleaning::Greedy(2048)] {
            let found = zones.optimal(spare(0.125), cleaning).amplification;
            assert!(
                (found / known - 1.0).abs() < 0.0025,
                "{writes}, {cleaning:?}: {found}, {known} published"
            );
        }
    }
}

/// Every way to split the spare among two pools, in steps.
fn splits(zones: &Pools, spare: Spare, steps: u32) -> Vec<[f64; 2]> {
    let data = zones.pools().iter().map(|pool| pool.class.data);
    let data: Vec<f64> = data.map(|data| data * spare.utilisation()).collect();
    let step = |i| spare.share() * f64::from(i) / f64::from(steps);
    (1..steps)
        .map(|i| [data[0] + step(i), 1.0 - data[0] - step(i)])
        .collect()
}

#[test]
fn no_split_of_two_pools_is_better_than_the_optimum() {
    for cleaning in [FIFO, GREEDY, Cleaning::Greedy(4)] {
        for share in [0.02, 0.125, 0.4, 0.8] {
            for (writes, data) in [(0.9, 0.1), (0.6, 0.5), (0.99, 0.3), (0.3, 0.9)] {
                let (zones, spare) = (two(writes, data), spare(share));
                let best = zones.optimal(spare, cleaning);
                let cost = |split: [f64; 2]| {
                    let split = zones.split(spare, cleaning, &split);
                    split.expect("spare in both").amplification
                };
                let tried = splits(&zones, spare, 400).into_iter().map(cost);
                let least = tried.fold(f64::INFINITY, f64::min);
                let what = format!("{cleaning:?}, {share}, {writes}/{data}: {best:?}, {least}");
                assert!(best.amplification <= least + 1e-9, "{what}");
                // a step of the splits is small
                assert!(least / best.amplification < 1.01, "{what}");
                let sum: f64 = best.shares.iter().sum();
                same(sum, 1.0, &what);
                // the split costs what it says; the optimum of greedy cleaning may leave a pool no spare
                match (zones.split(spare, cleaning, &best.shares), cleaning) {
                    (Ok(again), _) => same(again.amplification, best.amplification, &what),
                    (Err(BadPools::Full { pool, .. }), Cleaning::Greedy(pages)) => {
                        same(best.each[pool - 1], f64::from(pages), &what);
                    }
                    (Err(error), _) => panic!("{what}: {error:?}"),
                }
            }
        }
    }
}

#[test]
fn apart_is_never_worse_than_together_and_never_better_than_the_optimum() {
    for share in [0.01, 0.07, 0.125, 0.3, 0.6] {
        for (writes, data) in [(0.5, 0.5), (0.6, 0.4), (0.8, 0.2), (0.95, 0.05), (0.1, 0.6)] {
            let (zones, spare) = (two(writes, data), spare(share));
            let [best, apart] = [zones.optimal(spare, FIFO), zones.proportional(spare, FIFO)];
            let together: Vec<Class> = zones.pools().iter().map(|pool| pool.class).collect();
            let together = classes(spare, &together);
            let [best, apart] = [best, apart].map(|split| split.amplification);
            assert!(1.0 <= best && best <= apart + 1e-9, "{best} {apart}");
            assert!(apart <= together + 1e-9, "{apart} {together}");
            same(apart, fifo(spare), "proportional");
            let greedily = zones.proportional(spare, GREEDY).amplification;
            same(greedily, greedy(spare, 64), "proportional, greedy");
        }
    }
}

#[test]
fn pools_that_are_alike_share_alike() {
    for cleaning in [FIFO, GREEDY] {
        let spare = spare(0.125);
        let alike = pools(&[random(0.2, 0.2), random(0.5, 0.5), random(0.3, 0.3)]);
        let best = alike.optimal(spare, cleaning);
        let even = alike.proportional(spare, cleaning);
        for (found, known) in best.shares.iter().zip(&even.shares) {
            same(*found, *known, "a share");
        }
        for (pool, share) in alike.pools().iter().zip(&best.shares) {
            same(*share, pool.class.data, "a share of the flash");
        }
        same(best.amplification, even.amplification, "alike");
        // one pool in two halves
        let whole = two(0.9, 0.1).optimal(spare, cleaning);
        let halves = pools(&[random(0.45, 0.05), random(0.1, 0.9), random(0.45, 0.05)]);
        let halves = halves.optimal(spare, cleaning);
        same(halves.amplification, whole.amplification, "halves");
        same(halves.shares[0], 0.5 * whole.shares[0], "half");
    }
}

#[test]
fn one_pool_is_the_device() {
    let one = pools(&[random(1.0, 1.0)]);
    for share in [1e-6, 0.01, 0.2, 0.7, 0.999, 1.0 - f64::EPSILON / 2.0] {
        let spare = spare(share);
        same(one.optimal(spare, FIFO).amplification, fifo(spare), "fifo");
        for pages in [1, 2, 16, 64, 4096] {
            let best = one.optimal(spare, Cleaning::Greedy(pages));
            same(best.amplification, greedy(spare, pages), "greedy");
            same(best.shares[0], 1.0, "all of the flash");
        }
    }
}

#[test]
fn the_optimum_nears_1_as_the_writes_concentrate() {
    let mut last = f64::INFINITY;
    for skew in [1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9] {
        let best = two(1.0 - skew, skew)
            .optimal(spare(0.1), FIFO)
            .amplification;
        assert!(best < last, "{skew}: {best}");
        last = best;
    }
    assert!(last < 1.0001, "{last}");
    // no writes to speak of, or no data
    for (writes, data) in [
        (1e-300, 0.5),
        (0.5, 1e-300),
        (1e-300, 1e-300),
        (5e-324, 0.5),
    ] {
        for cleaning in [FIFO, GREEDY] {
            for share in [1e-6, 0.1, 0.9] {
                let best = two(writes, data).optimal(spare(share), cleaning);
                assert!(best.amplification.is_finite() && best.amplification >= 1.0);
                assert!(best.shares.iter().sum::<f64>() - 1.0 < 1e-9, "{best:?}");
            }
        }
    }
}

// the half of the data that is a log costs 1; the other half has the spare of all
#[test]
fn a_sequential_pool_needs_no_spare() {
    let cache = pools(&[random(0.3, 0.04), in_order(0.7, 0.96)]);
    let device = spare(0.07);
    // physical: 0.07 spare and 0.93 * 0.04 of data
    let others = spare(0.07 / (0.07 + 0.93 * 0.04));
    for (cleaning, known) in [(FIFO, fifo(others)), (GREEDY, greedy(others, 64))] {
        for split in [
            cache.proportional(device, cleaning),
            cache.optimal(device, cleaning),
        ] {
            same(split.each[0], known, "random");
            assert_eq!(split.each[1], 1.0);
            same(split.amplification, 0.3 * known + 0.7, "both");
            same(split.shares[0], 0.07 + 0.93 * 0.04, "all spare");
            let again = cache.split(device, cleaning, &split.shares).expect("room");
            same(again.amplification, split.amplification, "again");
        }
    }
    let logs = pools(&[in_order(0.3, 0.6), in_order(0.7, 0.4)]);
    for split in [
        logs.proportional(device, FIFO),
        logs.optimal(device, GREEDY),
    ] {
        assert_eq!(
            (split.amplification, &split.shares[..]),
            (1.0, &[0.6, 0.4][..])
        );
    }
}

#[test]
fn spare_beyond_all_need_is_shared_out() {
    // blocks of 2 pages are empty when cleaned from alpha = 1.5 on
    let zones = two(0.9, 0.5);
    let best = zones.optimal(spare(0.6), Cleaning::Greedy(2));
    assert_eq!(best.amplification, 1.0);
    same(best.shares[0] + best.shares[1], 1.0, "all");
    let best = zones.optimal(spare(0.9999), FIFO);
    assert_eq!(best.amplification, 1.0);
    same(best.shares[0] + best.shares[1], 1.0, "all");
}

// planted bug: corners that are searched one by one
#[test]
fn thousands_of_pools_and_lines_of_many_pages_are_computed_at_once() {
    let begun = Instant::now();
    // by rank, as 1/rank
    let sum: f64 = (1..=3000).map(|rank| 1.0 / f64::from(rank)).sum();
    let ranks = (1..=3000).map(|rank| random(1.0 / f64::from(rank) / sum, 1.0 / 3000.0));
    let ranks = pools(&ranks.collect::<Vec<_>>());
    let [ring, lines] = [FIFO, Cleaning::Greedy(98_304)]
        .map(|cleaning| ranks.optimal(spare(0.125), cleaning).amplification);
    assert!((lines / ring - 1.0).abs() < 1e-3, "{lines} {ring}");
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
}

#[test]
fn bad_pools_and_splits_are_refused() {
    let refused = |list: &[Pool]| Pools::new(list).expect_err("refused");
    assert_eq!(refused(&[]), BadPools::Empty);
    for (writes, data, of, found) in [
        (0.0, 0.5, ShareOf::Writes, 0.0),
        (1.1, 0.5, ShareOf::Writes, 1.1),
        (0.5, -0.1, ShareOf::Data, -0.1),
        (0.5, f64::INFINITY, ShareOf::Data, f64::INFINITY),
    ] {
        let found_in = refused(&[random(0.5, 0.5), random(writes, data)]);
        let share = BadPools::Share { pool: 2, of, found };
        assert_eq!(found_in, share);
    }
    assert!(matches!(
        refused(&[random(f64::NAN, 0.5)]),
        BadPools::Share { pool: 1, .. }
    ));
    for (list, of) in [
        ([random(0.5, 0.5), random(0.6, 0.5)], ShareOf::Writes),
        ([random(0.5, 0.25), random(0.5, 0.5)], ShareOf::Data),
    ] {
        assert!(matches!(refused(&list), BadPools::Sum { of: found, .. } if found == of));
    }
    // rounded shares
    let thirds = pools(&[
        random(0.333, 0.333),
        random(0.333, 0.333),
        random(0.333, 0.333),
    ]);
    same(thirds.pools()[2].class.writes, 1.0 / 3.0, "a third");

    let zones = two(0.9, 0.1);
    let refused = |split: &[f64]| zones.split(spare(0.125), FIFO, split).expect_err("refused");
    let number = BadPools::Number { found: 1, pools: 2 };
    assert_eq!(refused(&[1.0]), number);
    assert!(matches!(
        refused(&[0.5, 0.4]),
        BadPools::Sum {
            of: ShareOf::Flash,
            ..
        }
    ));
    assert!(matches!(
        refused(&[f64::NAN, 0.4]),
        BadPools::Sum {
            of: ShareOf::Flash,
            ..
        }
    ));
    for (split, pool) in [([0.3, 0.7], 2), ([0.0875, 0.9125], 1), ([-0.1, 1.1], 1)] {
        assert!(matches!(refused(&split), BadPools::Full { pool: found, .. } if found == pool));
    }
    let words = refused(&[0.3, 0.7]).in_words(|share| format!("{:.2} %", 100.0 * share));
    assert_eq!(
        words,
        "pool 2 has 70.00 % of the flash, must have more than its data, which fill 78.75 %"
    );
}
