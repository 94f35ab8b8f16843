//! The report as a browser shows it.
//!
//! What is expected comes from the data in the page, and the labels from its table too; that these are right is for the
//! tests of the report and of `compare`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use crate::common::{self, Lab, in_repository, json};
use serde_json::Value;
use ssdlab_browser::{Browser, Scheme, Visit};

const PROBE: &str = include_str!("browser/probe.js");
const ANSWER: &str = include_str!("browser/answer.js");

/// Sizes and counts of many magnitudes: sorted as text they come in another order.
static SIZES: LazyLock<String> = LazyLock::new(|| compare("2MiB,8MiB,16MiB"));
static ONE_SIZE: LazyLock<String> = LazyLock::new(|| compare("4MiB"));

/// The same, as they look when opened.
static SIZES_SEEN: LazyLock<Value> = LazyLock::new(|| ask(&SIZES, "return seen();"));
static ONE_SIZE_SEEN: LazyLock<Value> = LazyLock::new(|| ask(&ONE_SIZE, "return seen();"));

fn compare(sizes: &str) -> String {
    let lab = Lab::new();
    let trace = in_repository("traces/w9-ext3-postmark.csv.zst");
    let options = ["--buffer=none,lru,fab,bplru", "--size", sizes];
    lab.ok(&[&["compare"], &options[..], &[trace.to_str().unwrap()]].concat());
    lab.read("w9-ext3-postmark.compare.html")
}

fn visit(page: &Path, scheme: Scheme) -> Visit {
    let visit = Browser::find().and_then(|browser| browser.visit(page, scheme));
    visit.unwrap_or_else(|error| panic!("{error}"))
}

/// What a script returns at the end of the report.
fn ask(report: &str, script: &str) -> Value {
    ask_in(Scheme::Light, report, script)
}

fn ask_in(scheme: Scheme, report: &str, script: &str) -> Value {
    let lab = Lab::new();
    lab.write("report.html", with_script(report, script));
    answer(&visit(&lab.path("report.html"), scheme))
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

/// What the curves should be.
fn curves(seen: &Value) -> Vec<&Value> {
    list(&seen["data"]["curves"]).iter().collect()
}

/// The colours of a text in a chart, once for each time it stands there.
fn colours<'a>(chart: &'a Value, label: &Value) -> Vec<&'a Value> {
    let texts = list(&chart["texts"]).iter();
    texts
        .filter(|item| item["text"] == *label)
        .map(|item| &item["colour"])
        .collect()
}

/// Places on an axis must be the values, scaled, and at least 100 pixels apart. Returns the pixels for a unit.
#[track_caller]
fn assert_scaled(pairs: &[(f64, f64)]) -> f64 {
    let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.0.total_cmp(&b.0);
    let (least, at_least) = *pairs.iter().min_by(by_value).expect("values");
    let (most, at_most) = *pairs.iter().max_by(by_value).expect("values");
    assert!((at_most - at_least).abs() > 100.0, "{pairs:?}");
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

/// Every curve that is shown stands in the chart, in its colour, with its label and all its points.
#[track_caller]
fn assert_curves(chart: &Value, curves: &[&Value], key: &str, scale: fn(f64) -> f64) {
    // a curve that was hidden before is drawn last: by colour, and with the same colour from the top
    let mut expected: Vec<(&str, Vec<f64>)> = curves
        .iter()
        .map(|curve| (text(&curve["colour"]), numbers(&curve[key])))
        .collect();
    expected.sort_by(|(a, x), (b, y)| a.cmp(b).then(y[0].total_cmp(&x[0])));
    let mut drawn: Vec<(&str, Vec<Vec<f64>>)> = list(&chart["curves"])
        .iter()
        .map(|curve| {
            (
                text(&curve["colour"]),
                list(&curve["points"]).iter().map(numbers).collect(),
            )
        })
        .collect();
    drawn.sort_by(|(a, x), (b, y)| a.cmp(b).then(x[0][1].total_cmp(&y[0][1])));
    assert_eq!(drawn.len(), expected.len(), "one curve for each label");
    let mut pairs = Vec::new();
    for ((colour, values), (in_colour, points)) in expected.iter().zip(&drawn) {
        assert_eq!(in_colour, colour);
        assert_eq!(points.len(), values.len(), "{colour}");
        assert!(points.is_sorted_by(|a, b| a[0] < b[0]), "{points:?}");
        pairs.extend(
            values
                .iter()
                .zip(points)
                .map(|(&value, point)| (scale(value), point[1])),
        );
    }
    assert!(assert_scaled(&pairs) < 0.0, "large values are high up");
    for curve in curves {
        assert_eq!(
            colours(chart, &curve["label"]),
            [&curve["colour"]],
            "{}",
            curve["label"]
        );
    }
}

const LINEAR: fn(f64) -> f64 = |value| value;
const LOG: fn(f64) -> f64 = f64::log10;

// Planted bugs: a message to the console; an error thrown late; a picture from the network, with the policy of the page
// against that and without.
#[test]
fn nothing_is_asked_for_and_nothing_goes_wrong() {
    for (report, scheme) in [(&*SIZES, Scheme::Light), (&*ONE_SIZE, Scheme::Dark)] {
        let lab = Lab::new();
        lab.write("report.html", report);
        let visit = visit(&lab.path("report.html"), scheme);
        assert_eq!(visit.console, [""; 0]);
        assert_eq!(visit.requests, [""; 0]);
        let charts = visit.dom.matches("class=\"chart\"").count();
        assert_eq!(visit.dom.matches("<svg").count(), charts);
        assert!(charts > 0);
    }
}

// Planted bugs: the last curve left out, by the script or from its data; points in reverse; an axis upside down; end
// labels not shown.
#[test]
fn every_curve_is_drawn() {
    let seen = &*SIZES_SEEN;
    let curves = curves(seen);
    let drawn: BTreeSet<&str> = curves.iter().map(|curve| text(&curve["label"])).collect();
    let rows = list(&seen["rows"]).iter();
    let in_table: BTreeSet<&str> = rows.map(|row| text(&row[0])).collect();
    assert_eq!(drawn, in_table);
    for key in ["throughput", "erases"] {
        assert_curves(&seen[key], &curves, key, LINEAR);
    }
}

// Planted bugs: the bars of another row; a part of the time left out; two parts in one colour.
#[test]
fn every_bar_is_drawn() {
    for seen in [&*SIZES_SEEN, &*ONE_SIZE_SEEN] {
        let largest = list(&seen["data"]["largest"]);
        for (id, field) in [("time", "seconds"), ("merges", "merges")] {
            let bars = list(&seen[id]["bars"]);
            let mut pairs = Vec::new();
            for part in common::keys(&largest[0][field]) {
                let values = largest.iter().map(|row| row[field][part].as_f64().unwrap());
                let colour = &seen["data"]["parts"][part];
                let drawn = bars.iter().filter(|bar| bar["colour"] == *colour);
                let drawn: Vec<f64> = drawn.map(|bar| bar["width"].as_f64().unwrap()).collect();
                if values.clone().any(|value| value > 0.0) {
                    assert_eq!(drawn.len(), largest.len(), "{part}");
                }
                pairs.extend(values.zip(drawn));
            }
            assert_eq!(pairs.len(), bars.len(), "bars of parts");
            assert!(assert_scaled(&pairs) > 0.0, "large values are long");
            for row in largest {
                assert_eq!(
                    colours(&seen[id], &row["label"]).len(),
                    1,
                    "{}",
                    row["label"]
                );
            }
        }
    }
}

// Planted bug: the most worn block left out.
#[test]
fn wear_ends_at_the_most_worn_block() {
    for seen in [&*SIZES_SEEN, &*ONE_SIZE_SEEN] {
        let largest = list(&seen["data"]["largest"]);
        let curves = list(&seen["wear"]["curves"]);
        assert_eq!(curves.len(), largest.len());
        let (mut across, mut down) = (Vec::new(), Vec::new());
        for (row, curve) in largest.iter().zip(curves) {
            assert_eq!(curve["colour"], row["colour"], "{}", row["label"]);
            let (wear, points) = (list(&row["wear"]), list(&curve["points"]));
            for (values, point) in [(wear.first(), points.first()), (wear.last(), points.last())] {
                let (values, point) = (numbers(values.unwrap()), numbers(point.unwrap()));
                across.push((values[0], point[0]));
                down.push((values[1].log10(), point[1]));
            }
        }
        assert!(assert_scaled(&across) > 0.0);
        assert!(assert_scaled(&down) < 0.0);
    }
}

// Planted bugs: a policy left out; bars in the colour of the first.
#[test]
fn one_size_makes_bars_instead_of_curves() {
    let seen = &*ONE_SIZE_SEEN;
    let curves = curves(seen);
    for key in ["throughput", "erases"] {
        let bars = list(&seen[key]["bars"]);
        assert_eq!(bars.len(), curves.len());
        let mut pairs = Vec::new();
        for (curve, bar) in curves.iter().zip(bars) {
            assert_eq!(bar["colour"], curve["colour"], "{}", curve["label"]);
            pairs.push((
                curve[key][0].as_f64().unwrap(),
                bar["width"].as_f64().unwrap(),
            ));
            assert_eq!(colours(&seen[key], &curve["label"]).len(), 1);
        }
        assert!(assert_scaled(&pairs) > 0.0);
    }
}

// Planted bugs: sorting numbers as text; no value first; a second click that changes nothing; two headings marked.
#[test]
fn a_click_on_a_heading_sorts() {
    let seen = ask(
        &SIZES,
        r##"
        const clicks = [];
        for (const button of all("#rows thead button")) {
          for (const _ of ["ascending", "descending"]) {
            button.click();
            clicks.push({ rows: rows(), marks: all("#rows thead th").map((head) => head.ariaSort) });
          }
        }
        return { before: rows(), clicks };
        "##,
    );
    let unordered = |rows: &Value| {
        let mut rows = list(rows).to_vec();
        rows.sort_by_key(Value::to_string);
        rows
    };
    let clicks = list(&seen["clicks"]);
    let columns = list(&seen["before"][0]).len();
    assert_eq!(clicks.len(), 2 * columns);
    for (index, click) in clicks.iter().enumerate() {
        let (column, ascending) = (index / 2, index % 2 == 0);
        assert_eq!(unordered(&click["rows"]), unordered(&seen["before"]));
        let rows = list(&click["rows"]).iter();
        let values: Vec<&str> = rows.map(|row| text(&row[column])).collect();
        let known = values.iter().take_while(|value| !value.is_empty()).count();
        let (known, none) = values.split_at(known);
        let in_order = |a: &&str, b: &&str| {
            let order = match (a.parse::<f64>(), b.parse::<f64>()) {
                (Ok(a), Ok(b)) => a.total_cmp(&b),
                _ => a.cmp(b),
            };
            if ascending {
                order.is_le()
            } else {
                order.is_ge()
            }
        };
        assert!(known.is_sorted_by(in_order), "column {column}: {values:?}");
        assert!(
            none.iter().all(|value| value.is_empty()),
            "column {column}: {values:?}"
        );
        let marks = list(&click["marks"]).iter().enumerate();
        let marked: Vec<_> = marks.filter(|(_, mark)| **mark != "none").collect();
        let mark = Value::from(if ascending { "ascending" } else { "descending" });
        assert_eq!(marked, [(column, &mark)]);
    }
}

// Planted bugs: a curve hidden for good; a button that does not look pressed.
#[test]
fn a_click_in_the_legend_hides_a_curve() {
    let seen = ask(
        &SIZES,
        r##"
        const button = all("#policies button")[1];
        button.click();
        await settled();
        const hidden = { label: button.dataset.label, pressed: button.ariaPressed, ...charts() };
        button.click();
        await settled();
        return { data: data(), hidden, back: { pressed: button.ariaPressed, ...charts() } };
        "##,
    );
    let all = curves(&seen);
    let hidden = &seen["hidden"];
    let others: Vec<&Value> = all
        .iter()
        .copied()
        .filter(|curve| curve["label"] != hidden["label"])
        .collect();
    assert_eq!(others.len(), all.len() - 1);
    assert_eq!(
        [&hidden["pressed"], &seen["back"]["pressed"]],
        ["false", "true"]
    );
    for key in ["throughput", "erases"] {
        assert_curves(&hidden[key], &others, key, LINEAR);
        assert_curves(&seen["back"][key], &all, key, LINEAR);
    }
}

// Planted bug: a box that switches the other chart.
#[test]
fn log_scale() {
    let seen = ask(
        &SIZES,
        r##"
        document.querySelector("[data-log=throughput]").click();
        await settled();
        return seen();
        "##,
    );
    let curves = curves(&seen);
    assert_curves(&seen["throughput"], &curves, "throughput", LOG);
    assert_curves(&seen["erases"], &curves, "erases", LINEAR);
}

// Planted bug: a scheme that is never used.
#[test]
fn light_and_dark() {
    let [light, dark] = [Scheme::Light, Scheme::Dark].map(|scheme| {
        let script = "
            const { backgroundColor: page, color: ink } = getComputedStyle(document.body);
            return { page, ink, ...seen() };";
        let seen = ask_in(scheme, &SIZES, script);
        let curves = curves(&seen);
        assert_curves(&seen["throughput"], &curves, "throughput", LINEAR);
        seen
    });
    let brightness = |colour: &Value| -> u32 {
        let parts = text(colour)
            .trim_start_matches("rgb(")
            .trim_end_matches(')')
            .split(", ");
        parts
            .map(|part| part.parse::<u32>().expect("a colour without alpha"))
            .sum()
    };
    assert!(brightness(&light["page"]) > 600 && brightness(&light["ink"]) < 165);
    assert!(brightness(&dark["page"]) < 165 && brightness(&dark["ink"]) > 600);
    for (light, dark) in curves(&light).iter().zip(curves(&dark)) {
        assert_ne!(light["colour"], dark["colour"], "{}", light["label"]);
    }
}

// Planted bugs: charts wider than the screen; a table outside its box.
#[test]
fn a_phone_shows_all_of_it() {
    let script = r#"
        const { scrollWidth, clientWidth } = document.documentElement;
        const table = document.getElementById("rows").parentElement;
        return {
          width: innerWidth, page: scrollWidth - clientWidth, table: table.scrollWidth - table.clientWidth,
          ...seen(),
        };"#;
    for report in [&*SIZES, &*ONE_SIZE] {
        let lab = Lab::new();
        lab.write("report.html", with_script(report, script));
        // no window is so narrow, but a frame is
        let frame = "<iframe src=\"report.html\" style=\"width: 390px; height: 844px; border: 0\"></iframe>";
        lab.write(
            "phone.html",
            format!("<!doctype html><body>{frame}<script>{ANSWER}</script>"),
        );
        let seen = answer(&visit(&lab.path("phone.html"), Scheme::Light));
        assert_eq!(seen["width"], 390);
        assert_eq!(seen["page"], 0, "wider than the screen");
        assert!(
            seen["table"].as_i64() > Some(0),
            "the table scrolls in its box"
        );
        let shown = |key: &str, what: &str| list(&seen[key][what]).len();
        let curves = curves(&seen).len();
        assert_eq!(
            shown("throughput", "curves") + shown("throughput", "bars"),
            curves
        );
        assert_eq!(
            shown("wear", "curves"),
            list(&seen["data"]["largest"]).len()
        );
    }
}
