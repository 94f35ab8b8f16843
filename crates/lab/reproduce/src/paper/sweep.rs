//! The difference of a statement over a parameter that the paper leaves open.

use ssdlab_report::chart::{Curve, Legend, Plot, curves};
use ssdlab_report::slot;
use ssdlab_words::bytes;

use super::judged::{Judged, mean};
use super::statement::{Statement, Sweep};

/// A curve for each pair: the mean of its differences in percent at each value.
pub fn svg(statement: &Statement, sweep: &Sweep, judged: &[Judged]) -> String {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for point in judged.iter().flat_map(Judged::points) {
        let pair = (point.row.clone(), point.against.clone());
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let curve = |(place, pair): (usize, &(String, String))| {
        let at = |(i, judged): (usize, &Judged)| Some((i, 100.0 * mean_of(judged, pair)?));
        Curve {
            slot: slot(place),
            faint: false,
            points: judged.iter().enumerate().filter_map(at).collect(),
        }
    };
    let legend = pairs.iter().enumerate().map(|(place, pair)| Legend {
        label: format!("{} against {}", pair.0, pair.1),
        slot: slot(place),
    });
    let legend: Vec<Legend> = legend.collect();
    let metric = statement
        .test
        .as_ref()
        .map_or("", |test| test.metric.figure.words);
    let values = sweep.values.iter();
    let plot = Plot {
        title: format!("Difference in {metric}, %, over {}", sweep.over),
        ticks: values.map(|value| shown(value.get_ref())).collect(),
        curves: pairs.iter().enumerate().map(curve).collect(),
    };
    curves(&legend, &[plot])
}

/// The mean difference of a pair, if it can be drawn.
fn mean_of(judged: &Judged, pair: &(String, String)) -> Option<f64> {
    let of_pair = judged
        .points()
        .filter(|point| (&point.row, &point.against) == (&pair.0, &pair.1));
    mean(of_pair).filter(|mean| mean.is_finite())
}

/// A value as a reader writes it: a size with a space before its unit.
fn shown(value: &str) -> String {
    match ssdlab_words::parse_bytes(value).filter(|_| value.ends_with('B')) {
        Some(size) => bytes(size),
        None => value.to_owned(),
    }
}

/// Where the paper's result holds, as a sentence.
pub fn sentence(sweep: &Sweep, judged: &[Judged]) -> String {
    let agree: Vec<bool> = judged.iter().map(Judged::agrees).collect();
    let name = |i: usize| format!("{} {}", shown(sweep.values[i].get_ref()), sweep.over);
    let some = agree.iter().filter(|agrees| **agrees).count();
    let first = agree.iter().position(|agrees| *agrees);
    let last = agree.iter().rposition(|agrees| *agrees);
    match (first, last) {
        (Some(0), _) if some == agree.len() => "The paper's result holds everywhere.".into(),
        (Some(first), Some(last)) if some > last - first => {
            let (start, end) = (first == 0, last + 1 == agree.len());
            match (start, end) {
                (false, true) => format!("The paper's result first holds at {}.", name(first)),
                (true, _) => format!("The paper's result holds up to {}.", name(last)),
                _ if first == last => {
                    format!("The paper's result holds only at {}.", name(first))
                }
                _ => format!(
                    "The paper's result holds from {} to {}.",
                    name(first),
                    name(last)
                ),
            }
        }
        (Some(_), _) => {
            let there: Vec<String> = (0..agree.len()).filter(|&i| agree[i]).map(name).collect();
            format!("The paper's result holds at {}.", there.join(", "))
        }
        _ => {
            let all: Vec<String> = sweep.values.iter().map(|v| shown(v.get_ref())).collect();
            let (all, over) = (all.join(", "), &sweep.over);
            format!("The paper's result holds nowhere (tried: {all} {over}).")
        }
    }
}
