//! The report in a browser.
//!
//! The expected values come from the data in the page, and the labels also from its table; the tests of the report and
//! of `compare` check that these are right.

mod clicks;
mod clocked;
mod drawn;
mod taken;
mod workload;

use std::path::Path;
use std::sync::LazyLock;

use crate::common::{Lab, in_repository, json};
use serde_json::Value;
use ssdlab_browser::{Browser, Scheme, Visit};

const PROBE: &str = include_str!("browser/probe.js");
const ANSWER: &str = include_str!("browser/answer.js");

/// Sizes and counts of many magnitudes: sorted as text, they have another order.
static SIZES: LazyLock<String> = LazyLock::new(|| {
    compare(&[
        BAST,
        "--buffer=none,lru,fab,bplru",
        "--size=2MiB,8MiB,16MiB",
    ])
});
static ONE_SIZE: LazyLock<String> =
    LazyLock::new(|| compare(&[BAST, "--buffer=none,lru,fab,bplru", "--size=4MiB"]));
/// One policy, and a number that varies.
static SPARE: LazyLock<String> =
    LazyLock::new(|| compare(&[PAGE, NONE, "--vary=ftl.over_provisioning=0.07,0.15,0.28"]));
/// One policy, and words.
static WORDS: LazyLock<String> =
    LazyLock::new(|| compare(&[PAGE, NONE, "--vary=ftl.cleaning=greedy,cat,fifo"]));

/// Placements with regions.
static PLACED: LazyLock<String> =
    LazyLock::new(|| compare(&[PAGE, NONE, "--vary=ftl.placement=single,dac,sepbit"]));

const BAST: &str = "--set=ftl.kind=bast";
const PAGE: &str = "--ftl=page";
const NONE: &str = "--buffer=none";

/// The page of each when it is opened.
static SIZES_SEEN: LazyLock<Value> = LazyLock::new(|| look(Scheme::Light, &SIZES));
static ONE_SIZE_SEEN: LazyLock<Value> = LazyLock::new(|| look(Scheme::Dark, &ONE_SIZE));
static SPARE_SEEN: LazyLock<Value> = LazyLock::new(|| look(Scheme::Light, &SPARE));
static WORDS_SEEN: LazyLock<Value> = LazyLock::new(|| look(Scheme::Dark, &WORDS));

fn compare(options: &[&str]) -> String {
    let lab = Lab::new();
    let trace = in_repository("traces/w9-ext3-postmark.csv.zst");
    let args = ["compare", "--html=report.html", trace.to_str().unwrap()];
    lab.ok(&[&args, options].concat());
    lab.read("report.html")
}

fn visit(page: &Path, scheme: Scheme) -> Visit {
    let visit = Browser::find().and_then(|browser| browser.visit(page, scheme));
    visit.unwrap_or_else(|error| panic!("{error}"))
}

/// The report when it is opened. Neither a message nor a request may come.
fn look(scheme: Scheme, report: &str) -> Value {
    let script = "
        const { backgroundColor: page, color: ink } = getComputedStyle(document.body);
        return { page, ink, pictures: all('svg').length, ...seen() };";
    let visit = visit_with(scheme, report, script);
    assert_eq!(visit.console, [""; 0]);
    assert_eq!(visit.requests, [""; 0]);
    answer(&visit)
}

/// The value that a script returns at the end of the report.
fn ask(report: &str, script: &str) -> Value {
    let visit = visit_with(Scheme::Light, report, script);
    assert_eq!(visit.console, [""; 0]);
    answer(&visit)
}

fn visit_with(scheme: Scheme, report: &str, script: &str) -> Visit {
    let lab = Lab::new();
    lab.write("report.html", with_script(report, script));
    visit(&lab.path("report.html"), scheme)
}

fn with_script(report: &str, script: &str) -> String {
    format!(
        "{report}<script>{ANSWER}</script><script>{PROBE}(async () => {{ {script} }})().then(answer);</script>"
    )
}

fn answer(visit: &Visit) -> Value {
    let start = "<script type=\"application/json\" id=\"answer\">";
    let text = visit.dom.split_once(start);
    let (_, text) = text.unwrap_or_else(|| panic!("no answer: {:?}", visit.console));
    json(text.split_once("</script>").expect("its end").0)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn numbers(value: &Value) -> Vec<f64> {
    let number = |value: &Value| value.as_f64().expect("a number");
    list(value).iter().map(number).collect()
}

/// A curve of the data.
#[derive(Clone, Debug)]
struct Expected<'a> {
    label: &'a Value,
    colour: &'a str,
    bound: bool,
    /// Whether it is shown before the first click.
    shown: bool,
    values: Vec<f64>,
}

/// The curves of a figure along the only axis, or their only values.
fn expected<'a>(data: &'a Value, figure: usize) -> Vec<Expected<'a>> {
    let axes = list(&data["axes"]);
    assert!(axes.len() < 2, "one axis");
    let places = axes.first().map_or(1, |axis| list(&axis["values"]).len());
    let of = |(index, one): (usize, &'a Value)| {
        let runs = || {
            list(&data["runs"])
                .iter()
                .filter(move |run| run["series"] == index)
        };
        let here = |run: &&Value, place: usize| {
            let at = list(&run["at"]).first();
            at.is_none_or(|at| at.is_null() || *at == place)
        };
        let value = |place: usize| {
            let run = runs().rfind(|run| here(run, place));
            run.and_then(|run| run["figures"][figure].as_f64())
        };
        let bound = one["bound"] == true;
        Expected {
            label: &one["label"],
            colour: text(&one["colour"]),
            bound,
            shown: !bound
                || one["label"] != "ideal FTL" && runs().all(|run| run["bounds"][figure] == true),
            values: (0..places).filter_map(value).collect(),
        }
    };
    let series = list(&data["series"]).iter().enumerate();
    series.map(of).collect()
}

/// The curves that are shown before the first click.
fn shown<'a>(data: &'a Value, figure: usize) -> Vec<Expected<'a>> {
    let mut curves = expected(data, figure);
    curves.retain(|curve| curve.shown);
    curves
}

/// The index of a figure.
fn figure(data: &Value, key: &str) -> usize {
    let mut figures = list(&data["figures"]).iter();
    figures
        .position(|figure| figure["key"] == key)
        .expect("such a figure")
}

/// Checks that the places on an axis are the scaled values, and at least 50 pixels apart. Returns the pixels of a
/// unit.
#[track_caller]
fn assert_scaled(pairs: &[(f64, f64)]) -> f64 {
    let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.0.total_cmp(&b.0);
    let (least, at_least) = *pairs.iter().min_by(by_value).expect("values");
    let (most, at_most) = *pairs.iter().max_by(by_value).expect("values");
    assert!((at_most - at_least).abs() > 50.0, "{pairs:?}");
    let scale = (at_most - at_least) / (most - least);
    for &(value, at) in pairs {
        let expected = at_least + scale * (value - least);
        assert!(
            (at - expected).abs() < 1.5,
            "{at}, not {expected}: {pairs:?}"
        );
    }
    scale
}

/// The colour of each occurrence of a text in a chart.
fn colours<'a>(chart: &'a Value, label: &Value) -> Vec<&'a Value> {
    let texts = list(&chart["texts"]).iter();
    texts
        .filter(|item| item["text"] == *label)
        .map(|item| &item["colour"])
        .collect()
}

const LINEAR: fn(f64) -> f64 = |value| value;
const LOG: fn(f64) -> f64 = f64::log10;

/// Checks that a chart has exactly these curves, each with its colour, its label and all its points.
#[track_caller]
fn assert_curves(chart: &Value, curves: &[Expected], scale: fn(f64) -> f64) {
    // a curve that was hidden is drawn last, so sort by colour, and equal colours from the top
    let mut expected: Vec<(&str, &Vec<f64>)> = curves
        .iter()
        .map(|curve| (curve.colour, &curve.values))
        .collect();
    expected.sort_by(|(a, x), (b, y)| a.cmp(b).then(y[0].total_cmp(&x[0])));
    let mut drawn: Vec<(&str, Vec<Vec<f64>>)> = list(&chart["curves"])
        .iter()
        .map(|curve| {
            let points = list(&curve["points"]).iter().map(numbers);
            (text(&curve["colour"]), points.collect())
        })
        .collect();
    drawn.sort_by(|(a, x), (b, y)| a.cmp(b).then(x[0][1].total_cmp(&y[0][1])));
    assert_eq!(drawn.len(), expected.len(), "one curve for each label");
    let mut pairs = Vec::new();
    for ((colour, values), (in_colour, points)) in expected.iter().zip(&drawn) {
        assert_eq!(in_colour, colour);
        assert_eq!(points.len(), values.len(), "{colour}");
        assert!(points.is_sorted_by(|a, b| a[0] < b[0]), "{points:?}");
        let places = values.iter().zip(points);
        pairs.extend(places.map(|(&value, point)| (scale(value), point[1])));
    }
    assert!(assert_scaled(&pairs) < 0.0, "large values are high up");
    for curve in curves {
        assert_eq!(
            colours(chart, curve.label),
            [curve.colour],
            "{}",
            curve.label
        );
    }
}

// Planted bugs: a message to the console; a late error; a picture from the network, once against the policy of the page
// and once without a policy.
#[test]
fn nothing_is_asked_for_and_nothing_goes_wrong() {
    for (seen, pictures) in [
        (&*SIZES_SEEN, 6),
        (&*ONE_SIZE_SEEN, 6),
        (&*SPARE_SEEN, 6), // merges: none, but life
        (&*WORDS_SEEN, 5),
    ] {
        // `look` refuses requests and messages
        assert_eq!(seen["pictures"], pictures);
    }
}
