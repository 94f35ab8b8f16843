//! Distributions of addresses and sizes against their formulas.
//!
//! Planted bugs that these tests catch: the shapes of beta exchanged; a variate that rounds to 0; fio's formula with another
//! exponent, or without its first two ranks; a hash of another factor; a nested hot part beside the outer one; blocks that
//! are torn apart; hot units that never change places, or cold ones that do; sizes with each other's shares.

use crate::common::{accesses, counts, fits, made, misfits};
use proptest::prelude::*;
use ssdlab_workload::synthetic::{
    Beta, FioZipf, Locality, Sizes, Spread, Uniform, WithSizes, Zipf, Zns,
};

const MANY: usize = 400_000;

/// n over k.
fn choose(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |product, i| {
        product * f64::from(n - i) / f64::from(i + 1)
    })
}

/// The distribution function of beta for whole numbers: the chance that at least α of α + β − 1 uniform numbers are below x.
fn of_whole(alpha: u32, beta: u32, x: f64) -> f64 {
    let n = alpha + beta - 1;
    let exactly = |k: u32| choose(n, k) * x.powi(k as i32) * (1.0 - x).powi((n - k) as i32);
    (alpha..=n).map(exactly).sum()
}

/// The probability of each of `bins` equal parts.
fn parts(bins: usize, cdf: impl Fn(f64) -> f64) -> Vec<f64> {
    let at = |bin: usize| cdf(bin as f64 / bins as f64);
    (0..bins).map(|bin| at(bin + 1) - at(bin)).collect()
}

fn of_beta(alpha: f64, beta: f64) -> Vec<u64> {
    let made = accesses(Beta::new(5000, alpha, beta, Spread::InOrder), MANY);
    counts(50, made.iter().map(|access| access.first as usize / 100))
}

#[test]
fn beta_has_its_distribution_function() {
    for (alpha, beta) in [(1, 1), (2, 5), (5, 2), (1, 3), (30, 12), (7, 7)] {
        let shares = parts(50, |x| of_whole(alpha, beta, x));
        let found = of_beta(alpha.into(), beta.into());
        fits(&found, &shares);
        misfits(&of_beta(f64::from(alpha) * 1.02, beta.into()), &shares);
    }
    let arcsine = |x: f64| x.sqrt().asin() * std::f64::consts::FRAC_2_PI;
    fits(&of_beta(0.5, 0.5), &parts(50, arcsine));
    misfits(&of_beta(0.51, 0.5), &parts(50, arcsine));
    fits(&of_beta(0.3, 1.0), &parts(50, |x| x.powf(0.3)));
    fits(
        &of_beta(1.0, 0.2),
        &parts(50, |x| 1.0 - (1.0 - x).powf(0.2)),
    );
    // small shapes leave hardly more than the two ends: x^α / (α · B(α, β)) at x = 1/50
    let ends = of_beta(0.01, 0.03);
    let share = ends[0] as f64 / MANY as f64;
    assert!((share - 0.7215).abs() < 0.003, "{share}");
    assert!(ends[0] + ends[49] > MANY as u64 / 100 * 90);
}

/// fio's probability of each rank: its formula turned around.
fn of_fio(ranks: u64, theta: f64) -> Vec<f64> {
    let zeta: f64 = (1..=ranks).map(|i| (i as f64).powf(-theta)).sum();
    let two = 1.0 + 2_f64.powf(-theta);
    let eta = (1.0 - (2.0 / ranks as f64).powf(1.0 - theta)) / (1.0 - two / zeta);
    let below = |rank: u64| match rank {
        0 => 0.0,
        1 => 1.0 / zeta,
        2 => two / zeta,
        _ => ((rank as f64 / ranks as f64).powf(1.0 - theta) - 1.0 + eta) / eta,
    };
    (0..ranks)
        .map(|rank| below(rank + 1) - below(rank))
        .collect()
}

#[test]
fn zipf_of_fio_is_its_formula() {
    for theta in [0.0, 0.5, 0.8, 1.2, 2.2] {
        for ranks in [1, 2, 3, 40, 5000] {
            let zipf = FioZipf::new(ranks, ranks, theta, Spread::InOrder);
            let made = accesses(zipf, MANY);
            let found = counts(ranks as usize, made.iter().map(|a| a.first as usize));
            if ranks == 1 {
                assert_eq!(found[0], MANY as u64);
            } else {
                fits(&found, &of_fio(ranks, theta));
            }
        }
    }
    let made = accesses(FioZipf::new(40, 40, 0.8, Spread::InOrder), MANY);
    let found = counts(40, made.iter().map(|access| access.first as usize));
    misfits(&found, &of_fio(40, 0.82));
    // not the true one
    let weight = |rank: u64| (rank as f64).powf(-0.8);
    let all: f64 = (1..=40).map(weight).sum();
    let shares: Vec<f64> = (1..=40).map(|rank| weight(rank) / all).collect();
    misfits(&found, &shares);
}

#[test]
fn units_get_the_writes_of_the_ranks_of_fio_that_they_stand_for() {
    let zipf = FioZipf::new(5000, 50, 1.2, Spread::Hashed { units: 50 });
    let made = accesses(zipf, MANY);
    let found = counts(50, made.iter().map(|access| access.first as usize));
    let mut shares = vec![0.0; 50];
    for (rank, share) in (0..).zip(of_fio(5000, 1.2)) {
        let unit = (rank / 100_u64).wrapping_mul(0x61c8_8646_80b5_83eb) % 50;
        shares[unit as usize] += share;
    }
    assert!(shares.contains(&0.0));
    fits(&found, &shares);
    // the sum ends at ten million terms, most of them by a formula
    let zeta: f64 = (1..=10_000_000).map(|i| f64::from(i).powf(-0.8)).sum();
    for ranks in [10_000_000, 1 << 40] {
        let made = accesses(FioZipf::new(ranks, ranks, 0.8, Spread::InOrder), MANY);
        let first = made.iter().filter(|access| access.first == 0);
        let first = first.count() as u64;
        fits(
            &[first, MANY as u64 - first],
            &[1.0 / zeta, 1.0 - 1.0 / zeta],
        );
    }
}

#[test]
fn a_hot_part_is_divided_again() {
    let shares = |levels: i32, accesses: f64| {
        let size = |level| 1000.0 * 0.2_f64.powi(level);
        let mut shares = Vec::new();
        for level in (0..levels).rev() {
            if level == levels - 1 {
                shares = vec![accesses.powi(levels) / size(levels); size(levels) as usize];
            }
            let around = size(level) - size(level + 1);
            let share = accesses.powi(level) * (1.0 - accesses) / around;
            shares.resize(size(level) as usize, share);
        }
        shares
    };
    for levels in 1..=3 {
        let locality = Locality::new(1000, 0.2, 0.8, Spread::InOrder).nested(levels);
        let made = accesses(locality.expect("parts"), MANY);
        let found = counts(1000, made.iter().map(|access| access.first as usize));
        fits(&found, &shares(levels as i32, 0.8));
        let parts = |all: &[f64]| [&all[..200], &all[200..]].map(|part| part.iter().sum());
        let found = [&found[..200], &found[200..]].map(|part| part.iter().sum());
        fits(&found, &parts(&shares(levels as i32, 0.8)));
        misfits(&found, &parts(&shares(levels as i32, 0.81)));
    }
    assert!(
        Locality::new(3, 0.5, 0.8, Spread::InOrder)
            .nested(2)
            .is_some()
    );
    assert!(
        Locality::new(3, 0.1, 0.8, Spread::InOrder)
            .nested(2)
            .is_none()
    );
}

#[test]
fn hot_units_change_places_and_cold_ones_stay() {
    const PERIOD: usize = 100_000;
    let zipf = Zipf::new(50, 0.8, Spread::InOrder).reshuffled(0.2, PERIOD as u64, 5);
    let made = accesses(zipf, 4 * PERIOD);
    let periods: Vec<Vec<u64>> = made
        .chunks(PERIOD)
        .map(|period| counts(50, period.iter().map(|access| access.first as usize)))
        .collect();
    let weight = |rank: u64| (rank as f64).powf(-0.8);
    let all: f64 = (1..=50).map(weight).sum();
    let shares: Vec<f64> = (1..=50).map(|rank| weight(rank) / all).collect();
    for (at, period) in periods.iter().enumerate() {
        let mut sorted = period.clone();
        sorted[..10].sort_by(|one, other| other.cmp(one));
        fits(&sorted, &shares);
        if at > 0 {
            misfits(period, &shares);
            let before = &periods[at - 1];
            let hottest = |counts: &[u64]| (0..10).max_by_key(|&unit| counts[unit]);
            assert_ne!(hottest(before), hottest(period));
        }
    }
    // in the middle of a period nothing changes
    fits(
        &counts(
            50,
            made[..PERIOD].iter().map(|access| access.first as usize),
        ),
        &shares,
    );
}

#[test]
fn sizes_have_their_shares() {
    let sizes = Sizes::mix([(1, 0.7), (16, 0.3)]).expect("shares");
    assert!((sizes.mean() - 5.5).abs() < 1e-12);
    let made = accesses(WithSizes::new(Uniform::new(64), 64, sizes), MANY);
    let found = counts(17, made.iter().map(|access| access.count as usize));
    let found = [found[1], found[16]];
    fits(&found, &[0.7, 0.3]);
    misfits(&found, &[0.71, 0.29]);
    assert!(made.iter().all(|access| access.first + access.count <= 64));
    let large = made.iter().filter(|access| access.count == 16);
    let starts = counts(49, large.map(|access| access.first as usize));
    // what would go on behind the end is moved
    let mut shares = vec![1.0 / 64.0; 49];
    shares[48] = 16.0 / 64.0;
    fits(&starts, &shares);
    assert!(Sizes::mix([]).is_none() && Sizes::mix([(4, 0.0)]).is_none());
    assert_eq!(Sizes::mix([(4, 0.0), (8, 0.1)]), Some(Sizes::all(8)));
    let in_order = made_of(
        "sequential --sizes 4KiB:0.5,12KiB:0.5 --capacity 64KiB",
        10_000,
    );
    let mut next = 0;
    for (offset, size) in in_order {
        assert_eq!(offset, next);
        next = (offset + size) % (64 << 10);
    }
}

fn made_of(words: &str, requests: usize) -> Vec<(u64, u64)> {
    let made = made(&format!("{words} --requests {requests}"));
    made.iter()
        .map(|request| (request.offset, request.size()))
        .collect()
}

#[test]
fn active_zones_are_written_to_their_ends() {
    for (units, zone, active) in [(100, 10, 1), (107, 10, 3), (40, 10, 3), (9, 1, 2)] {
        let zones = units / zone;
        let made = accesses(Zns::new(units, zone, active, Sizes::all(1)), 20_000);
        let mut open: Vec<(u64, u64)> = Vec::new();
        let mut last = None;
        let mut opened = vec![0_u64; zones as usize];
        for access in &made {
            let (of, at) = (access.first / zone, access.first % zone);
            assert!(of < zones, "{access:?}");
            if at == 0 {
                // the zone is another than the last one, which it replaces
                assert!(open.iter().all(|one| one.0 != of) && last != Some(of));
                open.push((of, 0));
                opened[of as usize] += 1;
            }
            let here = open.iter().position(|one| *one == (of, at));
            let here = here.expect("behind the last write of the zone");
            open[here].1 += 1;
            assert!(open.len() as u64 <= active);
            if open[here].1 == zone {
                open.remove(here);
                last = (active == 1).then_some(of);
            }
        }
        let shares = vec![1.0 / zones as f64; zones as usize];
        assert!(opened.iter().all(|&times| times > 0), "{opened:?}");
        if zone == 10 && active == 1 {
            fits(&opened, &shares);
        }
    }
    // the slots are alike
    let made = accesses(Zns::new(4000, 1000, 2, Sizes::all(1)), 1500);
    let first = made[0].first / 1000;
    let of_first = made.iter().filter(|access| access.first / 1000 == first);
    let of_first = of_first.count() as u64;
    fits(&[of_first, 1500 - of_first], &[0.5, 0.5]);
}

proptest! {
    #[test]
    fn a_permutation_of_blocks_keeps_them_whole(
        (units, block) in (1_u64..2000).prop_flat_map(|units| (Just(units), 1..=units)),
        seed: u64,
    ) {
        let spread = Spread::in_blocks(units, block, seed);
        let reached: Vec<u64> = (0..units).map(|rank| spread.unit(rank)).collect();
        for of_block in reached.chunks(block as usize) {
            prop_assert!(of_block.windows(2).all(|pair| pair[1] == pair[0] + 1));
        }
        let mut sorted = reached;
        sorted.sort();
        prop_assert_eq!(sorted, (0..units).collect::<Vec<_>>());
    }
}
