//! Compares the rows of a figure with a statement.

use ssdlab_sim::{Comparison, Row};
use toml::Spanned;

use super::panel::{Panel, at, row};
use super::score::Score;
use super::statement::{Number, Over, Pair, Relation, Test};

/// So many points are shown one by one.
const FEW: usize = 3;

/// What became of a statement: the compared differences and their scores.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The compared differences; never empty.
    pub points: Vec<Point>,
    /// The verdict: the best score that two thirds of the points reach, if it agrees; otherwise that of the median, at
    /// most no difference. `None`: no run did what the statement is about.
    pub score: Option<Score>,
    /// Whether each point is a growth or a lead, in percentage points.
    in_points: bool,
}

/// A difference between two rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The short name of the trace; empty for the mean of all.
    pub trace: String,
    /// Bytes.
    pub size: u64,
    /// The row.
    pub row: String,
    /// The other row; empty for the paper's own value.
    pub against: String,
    /// The size of the other row in bytes.
    pub against_size: u64,
    /// The relative difference: 0.1 if the row has a tenth more; `None`: the run did not do what the statement is about.
    pub difference: Option<f64>,
    /// The row's own value and that of the paper.
    pub values: Option<[f64; 2]>,
    /// The score of the difference.
    pub score: Option<Score>,
}

/// Tests a statement on the panels of its traces; a test without traces is about all panels. The paper's `numbers` are
/// one for all pairs, or one for each. `None` without any point.
pub fn judge(test: &Test, numbers: &[Number], panels: &[Panel]) -> Option<Judged> {
    let names: Vec<&str> = test.traces.iter().map(|t| t.get_ref().as_str()).collect();
    let (named, others): (Vec<&Panel>, Vec<&Panel>) = panels
        .iter()
        .partition(|panel| names.is_empty() || names.contains(&panel.trace.as_str()));
    let mut points = Vec::new();
    for place in 0..test.pairs.len() {
        let of = |panels: &[&Panel]| -> Vec<Vec<Point>> {
            let panels = panels.iter();
            panels
                .map(|panel| differences(test, place, panel))
                .collect()
        };
        let (named, others) = (of(&named), of(&others));
        let number = numbers.get(place).or(numbers.first()).copied();
        let of_pair = match test.over {
            Over::Each | Over::Value => named.concat(),
            Over::Mean => mean_of(&named.concat()).into_iter().collect(),
            Over::Sizes => named.iter().flat_map(|panel| growth(panel, 1)).collect(),
            Over::Traces => {
                let sizes = named.first().map_or(0, Vec::len);
                growth(&named.concat(), sizes)
            }
            Over::OtherTraces => named
                .into_iter()
                .flat_map(|panel| leads(panel, &others))
                .collect(),
        };
        points.extend(of_pair.into_iter().map(|point: Point| Point {
            score: point.difference.map(|difference| match test.values[..] {
                [] => Score::of(*test.is.get_ref(), number, difference),
                _ => Score::of_value(difference),
            }),
            ..point
        }));
    }
    let score = decided(points.iter().filter_map(|point| point.score).collect());
    (!points.is_empty()).then_some(Judged {
        points,
        score,
        in_points: matches!(test.over, Over::Sizes | Over::Traces | Over::OtherTraces),
    })
}

/// The best score that two thirds of these reach, if it agrees; otherwise that of the median, at most no difference.
fn decided(mut scores: Vec<Score>) -> Option<Score> {
    scores.sort_by(|a, b| b.cmp(a));
    let enough = (2 * scores.len()).div_ceil(3);
    let reached = *scores.get(enough.checked_sub(1)?)?;
    Some(if reached.agrees() {
        reached
    } else {
        scores[scores.len() / 2].min(Score::NoDifference)
    })
}

/// The growth from each point to the one `step` places later.
fn growth(points: &[Point], step: usize) -> Vec<Point> {
    let pairs = points.iter().zip(points.iter().skip(step.max(1)));
    let grown = pairs.map(|(before, point)| Point {
        difference: point
            .difference
            .zip(before.difference)
            .map(|(after, before)| after - before),
        ..point.clone()
    });
    grown.collect()
}

/// The lead of each point over the largest at the same place on the other traces.
fn leads(mut points: Vec<Point>, others: &[Vec<Point>]) -> Vec<Point> {
    for (i, point) in points.iter_mut().enumerate() {
        let at = others.iter().filter_map(|points| points[i].difference);
        let most = at.max_by(f64::total_cmp);
        point.difference = point.difference.zip(most).map(|(own, most)| own - most);
    }
    points
}

/// One point in place of all.
fn mean_of(points: &[Point]) -> Option<Point> {
    Some(Point {
        trace: String::new(),
        size: 0,
        difference: mean(points),
        ..points.first()?.clone()
    })
}

/// The mean of the differences; `None` without any.
pub fn mean<'a>(points: impl IntoIterator<Item = &'a Point>) -> Option<f64> {
    let differences = points.into_iter().filter_map(|point| point.difference);
    let differences: Vec<f64> = differences.collect();
    let number = differences.len() as f64;
    (number > 0.0).then(|| differences.iter().sum::<f64>() / number)
}

/// The differences of a pair, counted from 0, at the sizes of a test, in their order; one difference without sizes. They
/// have no scores yet.
fn differences(test: &Test, place: usize, panel: &Panel) -> Vec<Point> {
    let pair = &test.pairs[place];
    let sizes: Vec<u64> = match (&test.sizes[..], &panel.comparison.sizes[..]) {
        ([], []) => vec![0],
        ([], all) => all.to_vec(),
        (sizes, _) => sizes.iter().map(|size| size.get_ref().0).collect(),
    };
    let point = |(i, size): (usize, u64)| {
        let against_size = test.against_size.as_ref();
        let against_size = against_size.map_or(size, |size| size.get_ref().0);
        let comparison = &panel.comparison;
        let row = row(comparison, pair.row.get_ref(), size);
        let against = match &pair.against {
            Some(label) => self::row(comparison, label.get_ref(), against_size),
            None if test.compares_best() => best_other(test, pair, comparison, against_size),
            None => None,
        };
        let value = |row: Option<&Row>| test.metric.value(row?);
        let values = value(row).zip(test.values.get(place * sizes.len() + i).copied());
        let difference = match (test.over, values) {
            (Over::Value, _) => value(row).map(|percent| percent / 100.0),
            (_, Some((own, paper))) => Some(own / paper - 1.0),
            _ => {
                let of = |label: &Spanned<String>| {
                    value(self::row(comparison, label.get_ref(), against_size))
                };
                let base = match &test.base {
                    None => value(against),
                    Some(Pair { row, against: None }) => of(row),
                    Some(Pair {
                        row,
                        against: Some(other),
                    }) => of(row).zip(of(other)).map(|(row, other)| row - other),
                };
                difference(value(row), value(against), base)
            }
        };
        let differ = row.zip(against).is_none_or(|(row, against)| {
            row.outcome.counters != against.outcome.counters || std::ptr::eq(row, against)
        });
        let exercised = differ && row.is_some_and(|row| has_done(test, row));
        Point {
            trace: panel.trace.clone(),
            size,
            row: pair.row.get_ref().clone(),
            against: against.map_or_else(String::new, |row| row.label.clone()),
            against_size,
            difference: difference.filter(|_| exercised),
            values: values.map(|(own, paper)| [own, paper]),
            score: None,
        }
    };
    sizes.iter().copied().enumerate().map(point).collect()
}

/// Whether a row did what the statement is about.
fn has_done(test: &Test, row: &Row) -> bool {
    test.needs.as_ref().is_none_or(|counter| {
        let counters = serde_json::to_value(&row.outcome.counters).unwrap_or_default();
        counters[counter.get_ref()] != 0
    })
}

/// The row with the most of the metric, or with the least where the statement is about less.
fn best_other<'a>(
    test: &Test,
    pair: &Pair,
    comparison: &'a Comparison,
    size: u64,
) -> Option<&'a Row> {
    let others = at(comparison, size).filter(|row| row.label != *pair.row.get_ref());
    let sign = match test.is.get_ref() {
        Relation::Less | Relation::NoMore => -1.0,
        _ => 1.0,
    };
    let value = |row: &Row| {
        test.metric
            .value(row)
            .map_or(f64::NEG_INFINITY, |v| sign * v)
    };
    others.max_by(|a, b| value(a).total_cmp(&value(b)))
}

/// The difference of two values as a share of a third one; `None` where there is nothing to compare.
fn difference(row: Option<f64>, against: Option<f64>, base: Option<f64>) -> Option<f64> {
    let (row, against, base) = (row?, against?, base?);
    if base > 0.0 {
        Some((row - against) / base)
    } else {
        (row > 0.0 && against == 0.0).then_some(f64::INFINITY)
    }
}

impl Judged {
    /// Whether the statement agrees with the runs.
    pub fn agrees(&self) -> bool {
        self.score.is_some_and(Score::agrees)
    }

    /// The points that were exercised, and those of them that agree.
    pub fn counts(&self) -> (usize, usize) {
        let scores = self.points.iter().filter_map(|point| point.score);
        let agree = scores.clone().filter(|score| score.agrees()).count();
        (agree, scores.count())
    }

    /// The mean difference of the points that were exercised.
    pub fn mean(&self) -> Option<f64> {
        mean(&self.points)
    }

    /// The point that says most about the verdict: the first one of the worst score.
    pub fn telling(&self) -> Option<&Point> {
        let exercised = self.points.iter().filter(|point| point.score.is_some());
        exercised.min_by_key(|point| point.score)
    }

    /// The result in words: `+12 %`, or those of a few points in their order; of more points, the median, the least and
    /// the most.
    pub fn ours(&self) -> String {
        let exercised = self
            .points
            .iter()
            .filter(|point| point.difference.is_some());
        let beside = exercised.clone().filter_map(|point| point.values);
        let beside: Vec<String> = beside
            .map(|[own, paper]| format!("{own:.1} (paper {paper})"))
            .collect();
        if !beside.is_empty() {
            return beside.join(", ");
        }
        let mut values: Vec<f64> = exercised.filter_map(|point| point.difference).collect();
        let unit = if self.in_points { "points" } else { "%" };
        let said = |value: f64| change(value, unit);
        if values.len() <= FEW {
            let values: Vec<String> = values.into_iter().map(said).collect();
            return values.join(", ");
        }
        values.sort_by(f64::total_cmp);
        let median = said(values[(values.len() - 1) / 2]);
        let [least, most] = [values[0], values[values.len() - 1]].map(said);
        format!("{median} ({least} to {most})")
    }

    /// The verdict in words.
    pub fn verdict(&self) -> &'static str {
        self.score.map_or("not exercised", Score::words)
    }
}

/// A difference in hundredths with its sign; `–` if it is undefined.
pub(super) fn change(share: f64, unit: &str) -> String {
    // without commas, which separate the differences
    ssdlab_words::difference(share, unit)
        .map_or_else(|| format!("0.0 {unit}"), |text| text.replace(',', ""))
}
