//! Compares the rows of a figure with a statement.

use ssdlab_sim::Row;
use toml::Spanned;

use super::judged::{Judged, Opponent, Point, mean};
use super::panel::Panel;
use super::score::{Score, gap, gap_of_bound, gap_of_share};
use super::statement::{Number, Over, Pair, Said, Test};

/// Tests a statement on the panels of its traces; a test without traces is about all panels. `None` without any point.
pub fn judge(test: &Test, said: &Said, panels: &[Panel]) -> Option<Judged> {
    let is_named = |panel: &Panel| {
        let mut names = test.traces.iter();
        test.traces.is_empty() || names.any(|name| *name.get_ref() == panel.trace)
    };
    let (named, others): (Vec<&Panel>, Vec<&Panel>) =
        panels.iter().partition(|panel| is_named(panel));
    let opponent = |(place, named, trace): (usize, &[&Panel], Option<&str>)| {
        let points = points(test, place, named, &others);
        let number = number(test, said, place, trace);
        let points: Vec<Point> = points
            .into_iter()
            .map(|point| scored(test, number, point))
            .collect();
        let mean = said.mean.and_then(|_| mean(&points));
        Opponent {
            name: match (trace, test.pairs.len()) {
                (Some(_), 1) => String::new(),
                _ => test.opponent(place),
            },
            trace: trace.map(str::to_owned),
            score: match (mean, said.mean) {
                (Some(ours), Some(paper)) => Some(score_of_mean(test, paper, ours)),
                _ => decided(&points, test.is_extreme()),
            },
            gaps: match mean {
                Some(ours) => vec![distance(test, said.mean, ours)],
                None => {
                    let differences = points.iter().filter_map(|point| point.difference);
                    differences.map(|own| distance(test, number, own)).collect()
                }
            },
            points,
            mean,
        }
    };
    let pairs = 0..test.pairs.len();
    let opponents: Vec<Opponent> = if test.each_trace {
        let on = |place| {
            let panels = named.chunks(1);
            panels.map(move |panel| (place, panel, Some(panel[0].trace.as_str())))
        };
        pairs.flat_map(on).map(opponent).collect()
    } else {
        pairs
            .map(|place| opponent((place, &named[..], None)))
            .collect()
    };
    let any = opponents.iter().any(|opponent| !opponent.points.is_empty());
    any.then(|| Judged {
        opponents,
        elsewhere: elsewhere(test, panels),
        in_points: matches!(test.over, Over::Sizes | Over::Traces | Over::OtherTraces),
    })
}

/// The paper's number for a pair, or for a trace, if it has one for each.
fn number(test: &Test, said: &Said, place: usize, trace: Option<&str>) -> Option<Number> {
    match trace {
        Some(trace) if test.has_traces(said.numbers.len()) => {
            let mut names = test.traces.iter();
            // other traces, of a cause, have none
            let place = names.position(|name| name.get_ref() == trace)?;
            said.numbers.get(place).copied()
        }
        _ => said.number(place),
    }
}

/// The points of a pair, without scores.
fn points(test: &Test, place: usize, named: &[&Panel], others: &[&Panel]) -> Vec<Point> {
    let of = |panels: &[&Panel]| -> Vec<Vec<Point>> {
        let panels = panels.iter();
        panels
            .map(|panel| differences(test, place, panel))
            .collect()
    };
    let own = of(named);
    match test.over {
        Over::Each | Over::Value => own.concat(),
        Over::Mean => mean_of(&own.concat()).into_iter().collect(),
        Over::Sizes => own.iter().flat_map(|panel| growth(panel, 1)).collect(),
        Over::Traces => {
            let sizes = own.first().map_or(0, Vec::len);
            growth(&own.concat(), sizes)
        }
        Over::OtherTraces => {
            let others = of(others);
            let own = own.into_iter();
            own.flat_map(|panel| leads(panel, &others)).collect()
        }
    }
}

/// A point with its score.
fn scored(test: &Test, number: Option<Number>, point: Point) -> Point {
    Point {
        score: point
            .difference
            .map(|difference| score(test, number, difference)),
        ..point
    }
}

/// The score of a difference beside the paper's number, if it gives one.
fn score(test: &Test, number: Option<Number>, difference: f64) -> Score {
    match number {
        _ if !test.values.is_empty() => Score::of_bound(difference),
        Some(number) if test.is_share() => Score::of_share(test.relation(), number, difference),
        _ => Score::of(test.relation(), number, difference),
    }
}

/// The score of the mean of all differences beside the paper's.
fn score_of_mean(test: &Test, paper: Number, mean: f64) -> Score {
    if test.is_share() {
        Score::of_share(test.relation(), paper, mean)
    } else {
        Score::of_mean(test.relation(), paper, mean)
    }
}

/// How far a difference is from what the paper says.
fn distance(test: &Test, number: Option<Number>, difference: f64) -> f64 {
    match number {
        _ if !test.values.is_empty() => gap_of_bound(difference),
        Some(number) if test.is_share() => gap_of_share(test.relation(), number, difference),
        _ => gap(test.relation(), number, difference),
    }
}

/// The points of the figure that a test with chosen traces or sizes leaves out. The paper's number is not theirs.
fn elsewhere(test: &Test, panels: &[Panel]) -> Vec<Point> {
    let is_chosen = |point: &Point| {
        let of = |name: &Spanned<String>| *name.get_ref() == point.trace;
        (test.traces.is_empty() || test.traces.iter().any(of))
            && (test.sizes.is_empty()
                || test.sizes.iter().any(|size| size.get_ref().0 == point.size))
    };
    if test.over != Over::Each || !test.values.is_empty() {
        return Vec::new();
    }
    let everywhere = Test {
        traces: Vec::new(),
        sizes: Vec::new(),
        ..test.clone()
    };
    let panels: Vec<&Panel> = panels.iter().collect();
    let of_pair = |place| points(&everywhere, place, &panels, &[]);
    let all = (0..test.pairs.len()).flat_map(of_pair);
    let is_itself =
        |point: &Point| (&point.row, point.size) == (&point.against, point.against_size);
    let left_out = all.filter(|point| !is_chosen(point) && !is_itself(point));
    left_out.map(|point| scored(test, None, point)).collect()
}

/// The best score that two thirds of these points reach, if it agrees; otherwise that of the median, or no difference
/// where the median agrees. Who is `extreme`, that is, has the most or the least of all, is beaten nowhere.
fn decided(points: &[Point], extreme: bool) -> Option<Score> {
    let mut scores: Vec<Score> = points.iter().filter_map(|point| point.score).collect();
    scores.sort_by(|a, b| b.cmp(a));
    let enough = (2 * scores.len()).div_ceil(3);
    let reached = *scores.get(enough.checked_sub(1)?)?;
    Some(match scores.last() {
        Some(Score::Opposite) if extreme => Score::Opposite,
        _ if reached.agrees() => reached,
        _ => match scores[scores.len() / 2] {
            median if median.agrees() => Score::NoDifference,
            median => median,
        },
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

/// The differences of a pair, counted from 0, at the sizes of a test, in their order; one difference without sizes. They
/// have no scores yet.
fn differences(test: &Test, place: usize, panel: &Panel) -> Vec<Point> {
    let pair = &test.pairs[place];
    let sizes: Vec<u64> = match (&test.sizes[..], &panel.sizes[..]) {
        ([], []) => vec![0],
        ([], all) => all.to_vec(),
        (sizes, _) => sizes.iter().map(|size| size.get_ref().0).collect(),
    };
    let point = |(i, size): (usize, u64)| {
        let against_size = test.against_size.as_ref();
        let against_size = against_size.map_or(size, |size| size.get_ref().0);
        let row = panel.row(pair.row.get_ref(), size);
        let against = match &pair.against {
            Some(label) => panel.row(label.get_ref(), against_size),
            None if test.compares_best() => best_other(test, pair, panel, against_size),
            None => None,
        };
        let value = |row: Option<&Row>| test.metric.value(row?);
        let values = value(row).zip(test.values.get(place * sizes.len() + i).copied());
        let difference = match (test.over, values) {
            (Over::Value, _) => value(row).map(|percent| percent / 100.0),
            (_, Some((own, paper))) => Some(own / paper - 1.0),
            _ => {
                let of = |label: &Spanned<String>| value(panel.row(label.get_ref(), against_size));
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
            test.relation().allows_equality()
                || row.outcome.counters != against.outcome.counters
                || std::ptr::eq(row, against)
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
fn best_other<'a>(test: &Test, pair: &Pair, panel: &'a Panel, size: u64) -> Option<&'a Row> {
    let others = panel
        .at(size)
        .filter(|row| row.label != *pair.row.get_ref());
    let sign = if test.relation().is_less() { -1.0 } else { 1.0 };
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
