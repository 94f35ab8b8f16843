//! The scale on which results are compared with what a paper says.

use super::statement::{Number, Relation};

/// Up to here, two results do not differ: 2 %.
const NOISE: f64 = 0.02;
/// The tolerance of a paper's number, and what counts as similar where it gives none: a tenth.
const TENTH: f64 = 0.1;

/// How a result agrees with a paper, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Score {
    /// The opposite of what the paper says.
    Opposite,
    /// No difference: at most 2 %.
    NoDifference,
    /// The paper's direction.
    SameDirection,
    /// At least half and at most twice the paper's number; of what is saved, also what remains.
    FactorOfTwo,
    /// The paper's number: in its range, or within a tenth of it.
    InRange,
}

impl Score {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Score::Opposite => "opposite",
            Score::NoDifference => "no difference",
            Score::SameDirection => "same direction",
            Score::FactorOfTwo => "within a factor of two",
            Score::InRange => "in the paper's range",
        }
    }

    /// Whether the result agrees with the paper.
    pub fn agrees(self) -> bool {
        self >= Score::SameDirection
    }

    /// The score of a difference: 0.1 if there is a tenth more.
    pub fn of(relation: Relation, paper: Option<Number>, difference: f64) -> Self {
        match relation {
            Relation::More => directed(difference, paper),
            Relation::Less => {
                // without the number if far more is left than in the paper, or far less
                let paper = paper.filter(|_| reduced(paper, difference));
                directed(-difference, paper.map(negated))
            }
            Relation::NoLess if difference >= -NOISE => Score::InRange,
            Relation::NoMore if difference <= NOISE => Score::InRange,
            Relation::NoLess | Relation::NoMore => Score::Opposite,
            Relation::Similar => similar(difference, paper),
        }
    }

    /// The score of a value, relative to the paper's own value: 0.1 if it is a tenth more.
    pub fn of_value(difference: f64) -> Self {
        match difference {
            close if close.abs() <= TENTH => Score::InRange,
            near if (-0.5..=1.0).contains(&near) => Score::FactorOfTwo,
            _ => Score::Opposite,
        }
    }
}

fn negated(Number { least, most }: Number) -> Number {
    Number {
        least: -most,
        most: -least,
    }
}

/// A difference that is positive in the paper's direction.
fn directed(difference: f64, paper: Option<Number>) -> Score {
    let (noise, opposite) = (difference.abs() <= NOISE, difference < 0.0);
    let Some(Number { least, most }) = paper else {
        return match (noise, opposite) {
            (true, _) => Score::NoDifference,
            (_, true) => Score::Opposite,
            _ => Score::SameDirection,
        };
    };
    let tolerance = if least == most {
        TENTH * least.abs()
    } else {
        0.0
    };
    match difference * 100.0 {
        percent if (least - tolerance..=most + tolerance).contains(&percent) => Score::InRange,
        _ if noise => Score::NoDifference,
        _ if opposite => Score::Opposite,
        percent if (least / 2.0..=most * 2.0).contains(&percent) => Score::FactorOfTwo,
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

fn similar(difference: f64, paper: Option<Number>) -> Score {
    let most = paper.map_or(TENTH, |Number { least, most }| {
        least.abs().max(most.abs()) / 100.0
    });
    match difference.abs() {
        d if d <= most.max(NOISE) => Score::InRange,
        d if d <= 2.0 * most && paper.is_some() => Score::FactorOfTwo,
        _ => Score::Opposite,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(least: f64, most: f64) -> Option<Number> {
        Some(Number { least, most })
    }

    // planted bugs: a small difference has a direction; half of a saving is a factor of two, whatever is left
    #[test]
    fn differences() {
        use Relation::{Less, More, NoLess, NoMore, Similar};
        use Score::{FactorOfTwo, InRange, NoDifference, Opposite, SameDirection};
        for (relation, paper, difference, score) in [
            (More, None, 0.5, SameDirection),
            (More, None, 0.02, NoDifference),
            (More, None, -0.02, NoDifference),
            (More, None, -0.03, Opposite),
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
            (NoLess, None, -0.01, InRange),
            (NoLess, None, -0.03, Opposite),
            (NoMore, None, 0.03, Opposite),
            (Similar, None, -0.1, InRange),
            (Similar, None, 0.11, Opposite),
            (Similar, number(0.0, 10.0), -0.19, FactorOfTwo),
            (Similar, number(0.0, 10.0), 0.21, Opposite),
            (Similar, number(0.0, 0.0), 0.02, InRange),
            (Similar, number(0.0, 0.0), 0.03, Opposite),
        ] {
            let found = Score::of(relation, paper, difference);
            assert_eq!(found, score, "{relation:?} {paper:?} {difference}");
        }
    }

    #[test]
    fn values() {
        use Score::{FactorOfTwo, InRange, Opposite};
        let scores = [-0.6, -0.4, -0.1, 0.09, 0.9, 1.1].map(Score::of_value);
        let expected = [
            Opposite,
            FactorOfTwo,
            InRange,
            InRange,
            FactorOfTwo,
            Opposite,
        ];
        assert_eq!(scores, expected);
    }
}
