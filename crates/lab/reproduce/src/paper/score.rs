//! The scale on which results are compared with what a paper says.

use super::statement::{Number, Relation};

/// Up to here, two results do not differ: 2 %.
const NOISE: f64 = 0.02;
/// So near to [`NOISE`], on either side, a result is at the limit: half a percentage point.
const LIMIT: f64 = 0.005;
/// Below this share of the paper's number, a result is far less: a fifth.
const FAR: f64 = 0.2;
/// The same for the paper's mean, which no single workload explains: a half.
const FAR_FROM_A_MEAN: f64 = 0.5;
/// The tolerance of a paper's number, and what counts as similar where it gives none: a tenth.
const TENTH: f64 = 0.1;

/// How a result agrees with a paper, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Score {
    /// The opposite of what the paper says.
    Opposite,
    /// No difference: at most 2 %.
    NoDifference,
    /// Within half a point of the 2 % from which on results differ.
    AtTheLimit,
    /// More than twice the paper's share or multiple.
    FarMore,
    /// The paper's direction, but less than a fifth of its number; of a share, a multiple or a mean, less than half of it.
    FarLess,
    /// The paper's direction.
    SameDirection,
    /// At least half and at most twice the paper's number; of what is saved, also what remains.
    FactorOfTwo,
    /// The paper's number: in its range, or within a tenth of it.
    InRange,
    /// Equal, or within a bound, as the paper says without a number of a difference.
    AsSaid,
}

impl Score {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Score::Opposite => "opposite",
            Score::NoDifference => "no difference",
            Score::AtTheLimit => "at the limit",
            Score::FarMore => "far more",
            Score::FarLess => "far less",
            Score::SameDirection => "same direction",
            Score::FactorOfTwo => "within a factor of two",
            Score::InRange => "in the paper's range",
            Score::AsSaid => "as the paper says",
        }
    }

    /// Whether the result agrees with the paper.
    pub fn agrees(self) -> bool {
        self >= Score::SameDirection
    }

    /// Whether the result differs from the paper; at the limit, nobody can tell.
    pub fn differs(self) -> bool {
        !self.agrees() && self != Score::AtTheLimit
    }

    /// The score of a difference: 0.1 if there is a tenth more.
    pub fn of(relation: Relation, paper: Option<Number>, difference: f64) -> Self {
        match relation {
            Relation::More | Relation::Most => directed(difference, paper),
            Relation::Less | Relation::Least => {
                let score = directed(-difference, paper.map(negated));
                // not the paper's number if far more is left than there, or far less
                let near = score < Score::FactorOfTwo || reduced(paper, difference);
                if near { score } else { Score::SameDirection }
            }
            Relation::NoLess => bounded(-difference, NOISE),
            Relation::NoMore => bounded(difference, NOISE),
            Relation::Similar => similar(difference, paper),
            Relation::Times => times(difference, paper),
        }
    }

    /// The score of a share, beside the paper's.
    pub fn of_share(relation: Relation, paper: Number, share: f64) -> Self {
        let Number { least, most } = paper;
        let tolerance = paper.tolerance();
        match share * 100.0 {
            percent if relation == Relation::NoMore => {
                bounded(percent, most + tolerance).min(Score::InRange)
            }
            percent if (least - tolerance..=most + tolerance).contains(&percent) => Score::InRange,
            percent if (least / 2.0..=most * 2.0).contains(&percent) => Score::FactorOfTwo,
            percent if percent < least => Score::FarLess,
            _ => Score::FarMore,
        }
    }

    /// The score of a mean difference, beside the paper's.
    pub fn of_mean(relation: Relation, paper: Number, mean: f64) -> Self {
        match Self::of(relation, Some(paper), mean) {
            Score::SameDirection if (100.0 * mean / paper.least) < FAR_FROM_A_MEAN => {
                Score::FarLess
            }
            score => score,
        }
    }

    /// The score of a value, relative to a bound of the paper: 0.1 if it is a tenth more.
    pub fn of_bound(difference: f64) -> Self {
        bounded(difference, 0.0)
    }
}

/// How far a difference is from what the paper says: below 0 if it falls short, above 0 if it goes past, 0 if it is within.
pub fn gap(relation: Relation, paper: Option<Number>, difference: f64) -> f64 {
    let range = |paper: Option<Number>| match paper {
        Some(paper) => paper.range(),
        None => [NOISE, f64::INFINITY],
    };
    match relation {
        Relation::More | Relation::Most => past(range(paper), difference),
        Relation::Less | Relation::Least => past(range(paper.map(negated)), -difference),
        Relation::NoLess => past([-NOISE, f64::INFINITY], difference),
        Relation::NoMore => past([-NOISE, f64::INFINITY], -difference),
        Relation::Similar => past([-similarity(paper).max(NOISE), 0.0], -difference.abs()),
        Relation::Times => past(ratios(paper).map(|ratio| ratio - 1.0), difference),
    }
}

/// The same of a share.
pub fn gap_of_share(relation: Relation, paper: Number, share: f64) -> f64 {
    match (relation, paper.range()) {
        (Relation::NoMore, [_, most]) => past([-most, 0.0], -share),
        (_, range) => past(range, share),
    }
}

/// The same of a value relative to a bound.
pub fn gap_of_bound(difference: f64) -> f64 {
    -difference.max(0.0)
}

/// How far a value is below or above a range.
fn past([least, most]: [f64; 2], value: f64) -> f64 {
    (value - least).min(0.0) + (value - most).max(0.0)
}

impl Number {
    /// How far a result may be off: a tenth of a single number.
    fn tolerance(self) -> f64 {
        if self.least == self.most {
            TENTH * self.least.abs()
        } else {
            0.0
        }
    }

    /// The least and the most with the tolerance, as shares.
    fn range(self) -> [f64; 2] {
        let tolerance = self.tolerance();
        [self.least - tolerance, self.most + tolerance].map(|percent| percent / 100.0)
    }
}

fn negated(Number { least, most }: Number) -> Number {
    Number {
        least: -most,
        most: -least,
    }
}

/// Whether a difference is within half a point of the 2 %.
fn at_the_limit(difference: f64) -> bool {
    // a hair more, for values that are half a point away in decimals
    (difference.abs() - NOISE).abs() <= LIMIT + 1e-12
}

/// A difference of at most this much.
fn bounded(difference: f64, most: f64) -> Score {
    match difference {
        near if most == NOISE && near > 0.0 && at_the_limit(near) => Score::AtTheLimit,
        within if within <= most => Score::AsSaid,
        _ => Score::Opposite,
    }
}

/// A difference that is positive in the paper's direction.
fn directed(difference: f64, paper: Option<Number>) -> Score {
    let (noise, opposite) = (difference.abs() <= NOISE, difference < 0.0);
    let Some(Number { least, most }) = paper else {
        return match (noise, opposite) {
            _ if at_the_limit(difference) => Score::AtTheLimit,
            (true, _) => Score::NoDifference,
            (_, true) => Score::Opposite,
            _ => Score::SameDirection,
        };
    };
    let tolerance = Number { least, most }.tolerance();
    match difference * 100.0 {
        percent if (least - tolerance..=most + tolerance).contains(&percent) => Score::InRange,
        percent if !noise && (least / 2.0..=most * 2.0).contains(&percent) => Score::FactorOfTwo,
        _ if at_the_limit(difference) => Score::AtTheLimit,
        _ if noise => Score::NoDifference,
        _ if opposite => Score::Opposite,
        percent if percent < FAR * least => Score::FarLess,
        _ => Score::SameDirection,
    }
}

/// Whether what a reduction leaves is at least half and at most twice of what it leaves in the paper.
fn reduced(paper: Option<Number>, difference: f64) -> bool {
    paper.is_none_or(|Number { least, most }| {
        let left = 1.0 + difference;
        let [least, most] = [least, most].map(|percent| 1.0 + percent / 100.0);
        (least / 2.0..=most * 2.0).contains(&left)
    })
}

/// The least and the most ratio that is the paper's: within a tenth of a single one.
fn ratios(paper: Option<Number>) -> [f64; 2] {
    let Some(Number { least, most }) = paper else {
        return [1.0 + NOISE, f64::INFINITY];
    };
    let tolerance = if least == most { TENTH } else { 0.0 };
    let [least, most] = [least, most].map(|percent| 1.0 + percent / 100.0);
    [least * (1.0 - tolerance), most * (1.0 + tolerance)]
}

/// So many times as much, where half and twice as many are a factor of two, and more are too many.
fn times(difference: f64, paper: Option<Number>) -> Score {
    let (ratio, [least, most]) = (1.0 + difference, ratios(paper));
    let [half, twice] = paper.map_or([least, most], |Number { least, most }| {
        [0.5 + least / 200.0, 2.0 + most / 50.0]
    });
    match directed(difference, None) {
        _ if (least..=most).contains(&ratio) => Score::InRange,
        _ if (half..=twice).contains(&ratio) => Score::FactorOfTwo,
        _ if ratio > twice => Score::FarMore,
        Score::SameDirection => Score::FarLess,
        score => score,
    }
}

/// How far two similar values may be apart: the paper's number, or a tenth.
fn similarity(paper: Option<Number>) -> f64 {
    paper.map_or(TENTH, |Number { least, most }| {
        least.abs().max(most.abs()) / 100.0
    })
}

fn similar(difference: f64, paper: Option<Number>) -> Score {
    let most = similarity(paper);
    match bounded(difference.abs(), most.max(NOISE)) {
        Score::Opposite if paper.is_some() && difference.abs() <= 2.0 * most => Score::FactorOfTwo,
        score if paper.is_some() => score.min(Score::InRange),
        score => score,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(least: f64, most: f64) -> Option<Number> {
        Some(Number { least, most })
    }

    // planted bugs: a small difference has a direction; a fiftieth of a number is the same direction; half of a saving is a
    // factor of two, whatever is left; far more than a multiple is its direction
    #[test]
    fn differences() {
        use Relation::{Least, Less, More, Most, NoLess, NoMore, Similar, Times};
        use Score::{
            AsSaid, AtTheLimit, FactorOfTwo, FarLess, FarMore, InRange, NoDifference, Opposite,
            SameDirection,
        };
        for (relation, paper, difference, score) in [
            (More, None, 0.5, SameDirection),
            (More, None, 0.014, NoDifference),
            (More, None, -0.014, NoDifference),
            (More, None, 0.016, AtTheLimit),
            (More, None, -0.025, AtTheLimit),
            (More, None, -0.026, Opposite),
            (More, number(43.0, 43.0), 0.02, AtTheLimit),
            (More, number(43.0, 43.0), 0.08, FarLess),
            (More, number(43.0, 43.0), 0.09, SameDirection),
            (Less, number(-41.0, -41.0), -0.03, FarLess),
            (Less, number(-99.0, -95.0), -0.1, FarLess),
            (More, number(1.0, 3.0), 0.02, InRange),
            (Most, None, 0.03, SameDirection),
            (Least, None, 0.03, Opposite),
            (Less, None, -0.03, SameDirection),
            (Less, None, 0.03, Opposite),
            (More, number(300.0, 300.0), 2.8, InRange),
            (More, number(300.0, 300.0), 1.6, FactorOfTwo),
            (More, number(300.0, 300.0), 6.1, SameDirection),
            (More, number(300.0, 300.0), 0.01, NoDifference),
            (More, number(1.0, 3.0), 0.01, InRange),
            (Less, number(-95.0, -88.0), -0.9, InRange),
            (Less, number(-95.0, -88.0), -0.8, FactorOfTwo),
            (Less, number(-95.0, -88.0), -0.52, SameDirection),
            (Less, number(-95.0, -88.0), 0.52, Opposite),
            (Less, number(-40.0, -40.0), -0.21, FactorOfTwo),
            (Less, number(-40.0, -40.0), -0.19, SameDirection),
            (NoLess, None, -0.01, AsSaid),
            (NoLess, None, -0.02, AtTheLimit),
            (NoLess, None, -0.03, Opposite),
            (NoMore, None, 0.03, Opposite),
            (Similar, None, -0.1, AsSaid),
            (Similar, None, 0.11, Opposite),
            (Similar, number(0.0, 10.0), -0.19, FactorOfTwo),
            (Similar, number(0.0, 10.0), 0.21, Opposite),
            (Similar, number(0.0, 0.0), 0.01, InRange),
            (Similar, number(0.0, 0.0), -0.02, AtTheLimit),
            (Similar, number(0.0, 0.0), 0.03, Opposite),
            (Times, number(300.0, 300.0), 2.65, InRange),
            (Times, number(300.0, 300.0), 3.35, InRange),
            (Times, number(300.0, 300.0), 3.5, FactorOfTwo),
            (Times, number(300.0, 300.0), 1.0, FactorOfTwo),
            (Times, number(300.0, 300.0), 0.9, FarLess),
            (Times, number(300.0, 300.0), 7.1, FarMore),
            (Times, number(300.0, 300.0), 0.01, NoDifference),
            (Times, number(300.0, 300.0), -0.5, Opposite),
        ] {
            let found = Score::of(relation, paper, difference);
            assert_eq!(found, score, "{relation:?} {paper:?} {difference}");
        }
    }

    // planted bugs: a share that is smaller than the paper's is similar to it; a bound that a smaller share misses
    #[test]
    fn shares() {
        use Score::{FactorOfTwo, FarLess, FarMore, InRange, Opposite};
        let bound = number(1.3, 1.3).expect("a number");
        for (share, score) in [(0.0, InRange), (0.014, InRange), (0.015, Opposite)] {
            assert_eq!(Score::of_share(Relation::NoMore, bound, share), score);
        }
        for (least, most, share, score) in [
            (2.1, 2.1, 0.002, FarLess),
            (2.1, 2.1, 0.02, InRange),
            (2.1, 2.1, 0.042, FactorOfTwo),
            (2.1, 2.1, 0.005, FarLess),
            (2.1, 2.1, 0.043, FarMore),
            (4.7, 85.4, 0.5, InRange),
            (4.7, 85.4, 0.03, FactorOfTwo),
            (19.6, 19.6, 0.0, FarLess),
        ] {
            let found = Score::of_share(Relation::Similar, Number { least, most }, share);
            assert_eq!(found, score, "{least} {most} {share}");
        }
    }

    // planted bug: a value that is near a bound, above it, meets it
    #[test]
    fn bounds() {
        let scores = [-0.9, -0.1, 0.01].map(Score::of_bound);
        assert_eq!(scores, [Score::AsSaid, Score::AsSaid, Score::Opposite]);
    }

    // planted bug: two fifths of a mean are its direction
    #[test]
    fn means() {
        use Score::{FactorOfTwo, FarLess, InRange, NoDifference, SameDirection};
        for (mean, score) in [
            (-0.194, InRange),
            (-0.12, FactorOfTwo),
            (-0.077, FarLess),
            (-0.01, NoDifference),
            (-0.5, SameDirection),
        ] {
            let found = Score::of_mean(Relation::Less, Number::one(-19.4), mean);
            assert_eq!(found, score, "{mean}");
        }
    }

    // planted bugs: a gap without its sign; a tolerance that no gap has; shares taken for percent
    #[test]
    fn gaps() {
        use Relation::{Less, More, NoMore, Similar, Times};
        for (relation, paper, difference, expected) in [
            (More, None, -0.1, -0.12),
            (More, None, 0.5, 0.0),
            (More, number(20.0, 40.0), 0.15, -0.05),
            (More, number(20.0, 40.0), 0.45, 0.05),
            (Less, number(-40.0, -20.0), -0.15, -0.05),
            (Less, number(-40.0, -20.0), -0.45, 0.05),
            (Less, number(-20.0, -20.0), -0.17, -0.01),
            (NoMore, None, 0.05, -0.03),
            (Similar, None, -0.15, -0.05),
            (Similar, None, 0.15, -0.05),
            (Times, number(300.0, 300.0), 3.5, 0.1),
            (Times, number(300.0, 300.0), 2.5, -0.1),
        ] {
            let found = gap(relation, paper, difference);
            assert!(
                (found - expected).abs() < 1e-9,
                "{relation:?} {difference}: {found}"
            );
        }
        let share = |share| {
            gap_of_share(
                Similar,
                Number {
                    least: 10.0,
                    most: 20.0,
                },
                share,
            )
        };
        assert!((share(0.05) + 0.05).abs() < 1e-9 && (share(0.25) - 0.05).abs() < 1e-9);
        let bound = |share| {
            gap_of_share(
                NoMore,
                Number {
                    least: 10.0,
                    most: 20.0,
                },
                share,
            )
        };
        assert!(bound(0.05).abs() < 1e-9 && (bound(0.25) + 0.05).abs() < 1e-9);
        assert_eq!([-0.5, 0.5].map(gap_of_bound), [0.0, -0.5]);
    }
}
