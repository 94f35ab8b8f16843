//! The difference of a statement over a parameter that the paper leaves open.

use ssdlab_report::chart::{Curve, Legend, Plot, curves};
use ssdlab_report::slot;
use ssdlab_words::{bytes, listed};
use toml::Spanned;

use super::description::Figure;
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

/// Where the paper's result holds and where not, as a sentence with all values and traces.
pub fn sentence(
    figure: &Figure,
    statement: &Statement,
    sweep: &Sweep,
    judged: &[Judged],
) -> String {
    let values = |agree: bool| {
        let values = sweep.values.iter().zip(judged);
        let values = values.filter(|(_, judged)| judged.agrees() == agree);
        let values: Vec<String> = values.map(|(value, _)| shown(value.get_ref())).collect();
        listed(&values)
    };
    let (over, place) = (&sweep.over, place(figure, statement, sweep));
    match (values(true), values(false)) {
        (all, none) if none.is_empty() => {
            format!("The paper's result holds{place} at {all} {over}.")
        }
        (none, all) if none.is_empty() => {
            format!("The paper's result holds nowhere{place} (tried: {all} {over}).")
        }
        (some, others) => {
            format!("The paper's result holds{place} at {some} {over}, but not at {others}.")
        }
    }
}

/// The traces and the sizes of a sweep: ` on w1 with 16 MiB of buffer`.
fn place(figure: &Figure, statement: &Statement, sweep: &Sweep) -> String {
    let tested = statement.test.iter();
    let names = |of: &[Spanned<String>]| of.iter().map(|name| name.get_ref().clone()).collect();
    let traces: Vec<String> = match &sweep.traces[..] {
        _ if sweep.generate.is_some() => Vec::new(),
        [] => match tested
            .clone()
            .find(|test| !test.traces.is_empty() && !test.over.needs_all_traces())
        {
            Some(test) => names(&test.traces),
            None => names(&figure.traces),
        },
        own => names(own),
    };
    let is_size = sweep
        .key
        .as_ref()
        .is_some_and(|key| key.get_ref() == figure.size_key());
    let sizes: Vec<String> = match &sweep.sizes[..] {
        _ if is_size => Vec::new(),
        [] => tested
            .flat_map(|test| &test.sizes)
            .map(|size| bytes(size.get_ref().0))
            .collect(),
        own => own.iter().map(|size| bytes(size.0)).collect(),
    };
    let mut words = String::new();
    if !traces.is_empty() {
        words += &format!(" on {}", listed(&traces));
    }
    if !sizes.is_empty() {
        words += &format!(" with {} of {}", listed(&sizes), figure.memory());
    }
    words
}
