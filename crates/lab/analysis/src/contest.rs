//! Who wins, and whether it wins beyond the spread.

use std::collections::{BTreeMap, BTreeSet};

use ssdlab_device::results::{Better, Figure};

use crate::groups::Levels;
use crate::stats::{Summary, sign_test};

/// The fewest samples of which a winner can be named.
pub const FEWEST: usize = 3;
/// From so many samples on, the sign test can tell.
pub const TESTED: usize = 6;
/// The largest chance of the sign test.
const CHANCE: f64 = 0.05;

/// The contest at one place, such as a size of the buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    /// The place, as its number among the levels of places.
    pub place: u32,
    /// The number of samples in which all contestants have a value.
    pub samples: usize,
    /// The contestants, the best first. Those without a value in any sample are not here.
    pub standings: Vec<Contestant>,
    /// The outcome.
    pub ruling: Ruling,
}

/// A contestant and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Contestant {
    /// Its number among the levels of contestants.
    pub contestant: u32,
    /// Its values in the samples.
    pub values: Vec<f64>,
    /// Their median and quartiles.
    pub summary: Summary,
    /// The samples in which the first one is better by more than the level, is level with it, and is worse.
    pub against_first: [usize; 3],
    /// By how much the first one is better: at least this in three quarters of the samples, of less than [`TESTED`] in all
    /// of them. As a share, of percentages in points.
    pub lead: f64,
    /// The chance of the sign test.
    pub chance: f64,
}

/// The outcome of a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// There is one contestant, or the figure ranks nothing.
    None,
    /// The first one wins beyond the spread.
    Wins,
    /// The first one leads, but in too few samples to know a spread.
    TooFew,
    /// The lead is within the spread over the samples.
    WithinSpread,
}

/// The contests of `contestants` at all `places`. Values are compared within a sample only: rows that are equal in all
/// columns of `samples`. `docs/report.md` defines who wins.
pub fn contest(
    figure: &Figure,
    values: &[Option<f64>],
    contestants: &Levels,
    places: &Levels,
    samples: &Levels,
) -> Vec<Contest> {
    let mut cells: BTreeMap<u32, BTreeMap<u32, BTreeMap<u32, Vec<f64>>>> = BTreeMap::new();
    for (row, value) in values.iter().enumerate() {
        if let Some(value) = value {
            let of_place = cells.entry(places.codes[row]).or_default();
            let of_sample = of_place.entry(samples.codes[row]).or_default();
            of_sample
                .entry(contestants.codes[row])
                .or_default()
                .push(*value);
        }
    }
    let contests = cells.into_iter();
    contests
        .map(|(place, samples)| at(figure, place, &samples))
        .collect()
}

/// The contest at one place: values by sample and contestant.
fn at(figure: &Figure, place: u32, samples: &BTreeMap<u32, BTreeMap<u32, Vec<f64>>>) -> Contest {
    let all: BTreeSet<u32> = samples.values().flat_map(|of| of.keys().copied()).collect();
    let complete: Vec<_> = samples
        .values()
        .filter(|of| of.len() == all.len())
        .collect();
    let middle = |values: &Vec<f64>| Summary::of(values.clone()).map_or(f64::NAN, |one| one.median);
    let mut each: Vec<(u32, Vec<f64>)> = (all.into_iter())
        .map(|who| (who, complete.iter().map(|of| middle(&of[&who])).collect()))
        .collect();
    // what each loses against the best of each sample
    let losses = |values: &[f64]| -> (f64, f64) {
        let lost: Vec<f64> = (0..values.len())
            .map(|sample| {
                let best = (each.iter().map(|(_, values)| values[sample]))
                    .reduce(|a, b| if is_better(figure, b, a) { b } else { a });
                advantage(figure, best.unwrap_or(f64::NAN), values[sample])
            })
            .collect();
        let mean = lost.iter().sum::<f64>() / lost.len().max(1) as f64;
        (Summary::of(lost).map_or(0.0, |one| one.median), mean)
    };
    let ranks: BTreeMap<u32, (f64, f64)> = each
        .iter()
        .map(|(who, values)| (*who, losses(values)))
        .collect();
    let order = |one: (f64, f64), other: (f64, f64)| {
        one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
    };
    each.sort_by(|a, b| order(ranks[&a.0], ranks[&b.0]));
    let first = each
        .first()
        .map_or(Vec::new(), |(_, values)| values.clone());
    let standings: Vec<Contestant> = (each.into_iter())
        .filter_map(|(who, values)| standing(figure, who, values, &first))
        .collect();
    let ruling = match standings.len() {
        0 | 1 => Ruling::None,
        _ if figure.better == Better::Neither => Ruling::None,
        _ if complete.len() < FEWEST => Ruling::TooFew,
        _ if standings[1..].iter().all(|rival| is_beaten(figure, rival)) => Ruling::Wins,
        _ => Ruling::WithinSpread,
    };
    Contest {
        place,
        samples: complete.len(),
        standings,
        ruling,
    }
}

fn standing(
    figure: &Figure,
    contestant: u32,
    values: Vec<f64>,
    first: &[f64],
) -> Option<Contestant> {
    let pairs = first.iter().zip(&values);
    let mut leads: Vec<f64> = pairs
        .map(|(best, own)| advantage(figure, *best, *own))
        .collect();
    let [mut wins, mut level, mut losses] = [0; 3];
    for lead in &leads {
        match () {
            () if figure.is_level(*lead) => level += 1,
            () if *lead > 0.0 => wins += 1,
            () => losses += 1,
        }
    }
    leads.sort_by(f64::total_cmp);
    // a quarter of the leads may be smaller
    let smaller = if leads.len() < TESTED {
        0
    } else {
        leads.len() / 4
    };
    let lead = *leads.get(smaller)?;
    Some(Contestant {
        contestant,
        summary: Summary::of(values.clone())?,
        values,
        against_first: [wins, level, losses],
        lead,
        // a level sample counts against the first one
        chance: sign_test(wins, level + losses),
    })
}

/// Whether the first one beats a rival beyond the spread.
fn is_beaten(figure: &Figure, rival: &Contestant) -> bool {
    let [wins, level, losses] = rival.against_first;
    let samples = wins + level + losses;
    if samples < TESTED {
        return wins == samples;
    }
    let leads = rival.lead > 0.0 && !figure.is_level(rival.lead);
    leads && wins > level + losses && rival.chance <= CHANCE
}

fn is_better(figure: &Figure, one: f64, other: f64) -> bool {
    match figure.better {
        Better::More => one > other,
        Better::Less | Better::Neither => one < other,
    }
}

/// By how much one value is better than another: as a share, above 0 if it is better.
fn advantage(figure: &Figure, one: f64, other: f64) -> f64 {
    match figure.better {
        Better::More => figure.difference(one, other),
        Better::Less | Better::Neither => figure.difference(other, one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ssdlab_device::results::{THROUGHPUT, WAF};

    /// Samples with a value of each contestant.
    fn contest_of(figure: &Figure, samples: &[&[f64]]) -> Contest {
        let levels = |codes: Vec<u32>| Levels {
            labels: vec![String::new(); codes.len()],
            codes,
            numbers: None,
        };
        let mut rows: Vec<(u32, u32, Option<f64>)> = Vec::new();
        for (sample, values) in samples.iter().enumerate() {
            for (who, value) in values.iter().enumerate() {
                rows.push((
                    sample as u32,
                    who as u32,
                    Some(*value).filter(|value| !value.is_nan()),
                ));
            }
        }
        let values: Vec<_> = rows.iter().map(|row| row.2).collect();
        let found = contest(
            figure,
            &values,
            &levels(rows.iter().map(|row| row.1).collect()),
            &levels(vec![0; rows.len()]),
            &levels(rows.iter().map(|row| row.0).collect()),
        );
        found.into_iter().next().expect("one place")
    }

    fn first(contest: &Contest) -> (u32, Ruling) {
        (contest.standings[0].contestant, contest.ruling)
    }

    // planted bugs: medians of unpaired values, which differ less than traces do; more is better for all figures; a
    // winner of two samples; a winner by less than the level
    #[test]
    fn a_winner_wins_in_each_of_few_samples() {
        let far_apart: [&[f64]; 3] = [&[1.0, 1.1], &[5.0, 5.5], &[40.0, 44.0]];
        assert_eq!(first(&contest_of(&WAF, &far_apart)), (0, Ruling::Wins));
        assert_eq!(
            first(&contest_of(&THROUGHPUT, &far_apart)),
            (1, Ruling::Wins)
        );
        assert_eq!(
            first(&contest_of(&WAF, &far_apart[..2])),
            (0, Ruling::TooFew)
        );
        let once_worse: [&[f64]; 3] = [&[1.0, 1.1], &[5.6, 5.5], &[40.0, 44.0]];
        assert_eq!(
            first(&contest_of(&WAF, &once_worse)),
            (0, Ruling::WithinSpread)
        );
        let level: [&[f64]; 3] = [&[1.0, 1.009], &[5.0, 5.04], &[40.0, 40.3]];
        assert_eq!(first(&contest_of(&WAF, &level)), (0, Ruling::WithinSpread));
    }

    // planted bugs: the second best only; samples without a value of somebody
    #[test]
    fn a_winner_beats_each_rival_in_the_same_samples() {
        let nan = f64::NAN;
        let samples: [&[f64]; 4] = [
            &[1.0, 2.0, 1.0],
            &[1.0, 2.0, 3.0],
            &[1.0, 2.0, 3.0],
            &[9.0, 1.0, nan],
        ];
        let found = contest_of(&WAF, &samples);
        assert_eq!(
            (found.samples, first(&found)),
            (3, (0, Ruling::WithinSpread))
        );
        assert_eq!(found.standings[1].values.len(), 3);
        let clear: [&[f64]; 3] = [&[1.0, 2.0, 1.5], &[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]];
        assert_eq!(first(&contest_of(&WAF, &clear)), (0, Ruling::Wins));
    }

    // planted bugs: seven of eight are enough; level samples are left out of the test; more than three quarters must win
    #[test]
    fn many_samples_must_pass_the_sign_test() {
        let samples = |wins: usize, others: &[f64]| {
            let rivals: Vec<[f64; 2]> = (0..wins)
                .map(|_| [1.0, 1.2])
                .chain(others.iter().map(|other| [1.0, *other]))
                .collect();
            let slices: Vec<&[f64]> = rivals.iter().map(|one| &one[..]).collect();
            contest_of(&WAF, &slices).ruling
        };
        assert_eq!(samples(8, &[]), Ruling::Wins);
        assert_eq!(samples(7, &[0.9]), Ruling::WithinSpread);
        assert_eq!(samples(9, &[0.9]), Ruling::Wins);
        assert_eq!(samples(7, &[1.0]), Ruling::WithinSpread);
        // three quarters of the samples are enough, if the test passes
        assert_eq!(samples(15, &[0.9; 5]), Ruling::Wins);
        assert_eq!(samples(14, &[0.9; 6]), Ruling::WithinSpread);
        assert_eq!(samples(17, &[0.9; 3]), Ruling::Wins);
        // the test passes, but not three quarters of the samples
        assert_eq!(samples(70, &[0.9; 30]), Ruling::WithinSpread);
        assert_eq!(samples(75, &[0.9; 25]), Ruling::Wins);
    }
}
