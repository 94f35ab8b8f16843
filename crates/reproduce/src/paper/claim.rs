//! Tests claims on rows.

use ssdlab_sim::{Comparison, Row, bytes};

use super::description::{Claim, Relation, Test};
use super::panel::{Panel, at, metric, row};

/// The result of testing a claim.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Whether the measured rows have the same shape.
    pub holds: bool,
    /// The compared differences.
    pub points: Vec<Point>,
    /// The index of the point that decides: the last point if the claim holds, or else the one that misses it most.
    pub telling: usize,
}

/// A difference between two rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The short name of the trace.
    pub trace: String,
    /// Bytes.
    pub size: u64,
    /// The other row.
    pub against: String,
    /// The size of the other row in bytes.
    pub against_size: u64,
    /// The relative difference: 0.1 if the row has a tenth more.
    pub difference: f64,
}

/// Tests a claim; `None` if it has no test.
pub fn judge(claim: &Claim, panels: &[Panel]) -> Option<Judged> {
    let test = claim.test.as_ref()?;
    let relation = *test.relation.get_ref();
    let wanted = test.trace.as_ref().map(|trace| trace.get_ref());
    let (own, others): (Vec<&Panel>, Vec<&Panel>) = panels
        .iter()
        .partition(|panel| wanted.is_none_or(|trace| panel.trace == *trace));
    let mut points: Vec<Point> = own.iter().flat_map(|panel| points(test, panel)).collect();
    let rivals = others.iter().map(|panel| self::points(test, panel));
    let rivals: Vec<Vec<Point>> = rivals.collect();
    let values: Vec<f64> = points.iter().map(|point| point.difference).collect();
    if values.is_empty() {
        return None;
    }
    let margins = margins(relation, &values, own.len(), &rivals);
    match relation {
        Relation::BelowOnAverage => points.insert(0, mean_point(mean(&values))),
        Relation::LargestOfTraces => points.extend(rivals.into_iter().flatten()),
        _ => {}
    }
    let right = |&margin: &f64| match relation {
        Relation::AtLeast | Relation::Equal | Relation::Within => margin >= 0.0,
        _ => margin > 0.0,
    };
    let holds = margins.iter().all(right);
    let telling = match holds {
        true => margins.len() - 1,
        false => least(&margins),
    };
    Some(Judged {
        holds,
        points,
        telling,
    })
}

/// The margin of each value on the right side; `values` are those of `traces` traces. An undefined value is on the
/// wrong side.
fn margins(relation: Relation, values: &[f64], traces: usize, rivals: &[Vec<Point>]) -> Vec<f64> {
    match relation {
        Relation::Above | Relation::AtLeast | Relation::LargestOfRows => values.to_vec(),
        Relation::WellAbove => values.iter().map(|value| value - 0.1).collect(),
        Relation::Below => values.iter().map(|value| -value).collect(),
        Relation::BelowOnAverage => vec![-mean(values)],
        Relation::Equal => values.iter().map(|value| -value.abs()).collect(),
        Relation::Within => values.iter().map(|value| 0.1 - value.abs()).collect(),
        Relation::GrowsWithSize => growth(values, 1),
        Relation::GrowsWithTrace => growth(values, values.len() / traces),
        Relation::LargestOfTraces => leads(values, rivals),
    }
}

/// The growth from each value to the one `step` places later; the first values grow by infinity.
fn growth(values: &[f64], step: usize) -> Vec<f64> {
    let first = std::iter::repeat_n(f64::INFINITY, step.min(values.len()));
    let pairs = values.iter().zip(values.iter().skip(step));
    let steps = pairs.map(|(before, value)| value - before);
    first.chain(steps).collect()
}

/// The lead of each value over the largest at the same place on the other traces.
fn leads(values: &[f64], rivals: &[Vec<Point>]) -> Vec<f64> {
    let most = |i: usize| {
        let at = rivals.iter().map(|points| points[i].difference);
        at.fold(f64::NEG_INFINITY, f64::max)
    };
    let values = values.iter().enumerate();
    values.map(|(i, value)| value - most(i)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The point that represents all points if their mean is judged.
fn mean_point(difference: f64) -> Point {
    Point {
        trace: "mean".into(),
        size: 0,
        against: String::new(),
        against_size: 0,
        difference,
    }
}

/// The index of the smallest margin; an undefined margin counts as the smallest.
fn least(margins: &[f64]) -> usize {
    let rank = |margin: f64| {
        if margin.is_nan() {
            f64::NEG_INFINITY
        } else {
            margin
        }
    };
    let indices = 0..margins.len();
    indices
        .min_by(|&a, &b| rank(margins[a]).total_cmp(&rank(margins[b])))
        .unwrap_or(0)
}

/// The differences at the sizes of a test, in their order; one difference without sizes.
fn points(test: &Test, panel: &Panel) -> Vec<Point> {
    let sizes = test.sizes.iter().map(|size| size.get_ref().0);
    let no_size = test.sizes.is_empty().then_some(0);
    let sizes = sizes.chain(no_size);
    let point = |size| {
        let against_size = test.against_size.as_ref();
        let against_size = against_size.map_or(size, |size| size.get_ref().0);
        let row = row(&panel.comparison, test.row.get_ref(), size);
        let against = match &test.against {
            Some(label) => self::row(&panel.comparison, label.get_ref(), against_size),
            None => best_other(&panel.comparison, test, against_size),
        };
        let base = match &test.base {
            Some(label) => self::row(&panel.comparison, label.get_ref(), against_size),
            None => against,
        };
        Point {
            trace: panel.trace.clone(),
            size,
            against: against.map_or_else(String::new, |row| row.label.clone()),
            against_size,
            difference: difference(test, [row, against, base]).unwrap_or(f64::NAN),
        }
    };
    sizes.map(point).collect()
}

fn best_other<'a>(comparison: &'a Comparison, test: &Test, size: u64) -> Option<&'a Row> {
    let others = at(comparison, size).filter(|row| row.label != *test.row.get_ref());
    let value = |row: &Row| metric(test.metric, row).unwrap_or(f64::NEG_INFINITY);
    others.max_by(|a, b| value(a).total_cmp(&value(b)))
}

fn difference(test: &Test, [row, against, base]: [Option<&Row>; 3]) -> Option<f64> {
    let value = |row: Option<&Row>| metric(test.metric, row?);
    let base = value(base).filter(|&value| value > 0.0)?;
    Some(match test.base {
        None => value(row)? / base - 1.0,
        Some(_) => (value(row)? - value(against)?) / base,
    })
}

impl Judged {
    /// The result in words: `+12 %`, or `1 MiB +12 %, 2 MiB +8.1 %`; with sizes or traces if there are several; of more
    /// than six points, the smallest and the largest.
    pub fn ours(&self) -> String {
        const MOST: usize = 6;
        // the first may be a mean
        let last = &self.points[self.points.len() - 1];
        let traces = self.points.iter().any(|point| point.trace != last.trace);
        let mut sizes = self.points.iter().map(|point| point.size);
        let sizes = sizes.any(|size| size > 0 && size != last.size);
        let point = |point: &Point| {
            let mut text = String::new();
            if traces {
                text += &format!("{} ", point.trace);
            }
            if sizes && point.size > 0 {
                text += &format!("{} ", bytes(point.size));
            }
            text + &percent(point.difference)
        };
        if self.points.len() <= MOST {
            let points: Vec<String> = self.points.iter().map(point).collect();
            return points.join(", ");
        }
        let by_difference = |a: &&Point, b: &&Point| a.difference.total_cmp(&b.difference);
        let least = self.points.iter().min_by(by_difference);
        let most = self.points.iter().max_by(by_difference);
        let ends: Vec<String> = least.into_iter().chain(most).map(point).collect();
        format!("{} points: {}", self.points.len(), ends.join(" to "))
    }

    /// The verdict in words; compared with the paper's number, whether the measured one is below half or above twice of
    /// it.
    pub fn verdict(&self, paper: Option<f64>) -> &'static str {
        let ratio = paper.map(|paper| 100.0 * self.points[self.telling].difference / paper);
        match (self.holds, ratio) {
            (false, _) => "differs",
            (true, Some(ratio)) if ratio < 0.5 => "same shape, weaker",
            (true, Some(ratio)) if ratio > 2.0 => "same shape, stronger",
            (true, _) => "same shape",
        }
    }
}

/// A share in percent with its sign, with one decimal if it is small; `–` if it is undefined.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let text = match percent.abs() {
        _ if !percent.is_finite() => return "–".into(),
        small if small < 9.95 => format!("{small:.1} %"),
        large => format!("{large:.0} %"),
    };
    match percent {
        percent if percent < 0.0 => format!("−{text}"),
        0.0 => text,
        _ => format!("+{text}"),
    }
}
