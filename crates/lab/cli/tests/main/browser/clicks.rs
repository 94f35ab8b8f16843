//! The controls of the report.

use super::*;

/// The columns in which the largest value is the best.
const MOST: [&str; 2] = ["Throughput", "Write hits"];

// Planted bugs: sorting numbers as text; empty values first; a second click without effect; two marked headings; the
// worst row on top first.
#[test]
fn a_click_on_a_heading_sorts_the_best_on_top() {
    let seen = ask(
        &SIZES,
        r##"
        const clicks = [];
        for (const button of all("#rows thead button")) {
          for (const _ of [1, 2]) {
            button.click();
            clicks.push({ rows: rows(), marks: all("#rows thead th").map((head) => head.ariaSort) });
          }
        }
        const titles = all("#rows thead button").map((button) => button.firstChild.textContent.trim());
        return { titles, before: rows(), clicks };
        "##,
    );
    let unordered = |rows: &Value| {
        let mut rows = list(rows).to_vec();
        rows.sort_by_key(Value::to_string);
        rows
    };
    let titles = list(&seen["titles"]);
    assert!(
        MOST.iter()
            .all(|title| titles.iter().any(|other| other == title))
    );
    let clicks = list(&seen["clicks"]);
    let columns = list(&seen["before"][0]).len();
    assert_eq!(clicks.len(), 2 * columns);
    for (index, click) in clicks.iter().enumerate() {
        let (column, first) = (index / 2, index % 2 == 0);
        let ascending = first != MOST.contains(&text(&titles[column]));
        assert_eq!(unordered(&click["rows"]), unordered(&seen["before"]));
        let rows = list(&click["rows"]).iter();
        let values: Vec<&str> = rows.map(|row| text(&row[column])).collect();
        let count = values.iter().take_while(|value| !value.is_empty()).count();
        let (cells, rest) = values.split_at(count);
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
        assert!(
            cells.is_sorted_by(in_order),
            "{}: {values:?}",
            titles[column]
        );
        assert!(rest.iter().all(|value| value.is_empty()), "{values:?}");
        let marks = list(&click["marks"]).iter().enumerate();
        let marked: Vec<_> = marks.filter(|(_, mark)| **mark != "none").collect();
        let mark = Value::from(if ascending { "ascending" } else { "descending" });
        assert_eq!(marked, [(column, &mark)]);
    }
}

// Planted bugs: a curve that stays hidden; a button that does not look pressed; an ideal FTL that cannot be shown; a check
// box without effect, or that cannot be unchecked.
#[test]
fn clicks_in_the_legend_and_the_log_scale() {
    let seen = ask(
        &SIZES,
        r##"
        await press("#log");
        const log = seen();
        await press("#log");
        const before = seen();
        const ideal = before.data.series.findIndex((one) => one.label === "ideal FTL");
        await press("#series button", 1);
        const hidden = seen();
        await press("#series button", 1);
        await press("#series button", ideal);
        return { ideal, log, before, hidden, both: seen() };
        "##,
    );
    let log = &seen["log"];
    assert_curves(&log["figure"], &shown(&log["data"], 0), LOG);
    let data = &seen["before"]["data"];
    let ideal = seen["ideal"].as_u64().expect("an ideal FTL") as usize;
    let pressed = |at: &str| -> Vec<bool> {
        let pressed = list(&seen[at]["pressed"]).iter();
        pressed.map(|pressed| pressed == "true").collect()
    };
    let all = expected(data, 0);
    let at_first: Vec<bool> = all.iter().map(|curve| curve.shown).collect();
    assert!(!at_first[ideal]);
    assert_eq!(pressed("before"), at_first);
    let mut fewer = at_first.clone();
    fewer[1] = false;
    let mut more = at_first.clone();
    more[ideal] = true;
    for (at, states) in [("before", at_first), ("hidden", fewer), ("both", more)] {
        assert_eq!(pressed(at), states);
        let mut curves = expected(data, 0).into_iter().zip(states);
        let curves: Vec<Expected> = curves
            .by_ref()
            .filter_map(|(curve, is_shown)| is_shown.then_some(curve))
            .collect();
        assert_curves(&seen[at]["figure"], &curves, LINEAR);
    }
}

// Planted bugs: an axis that cannot be changed; a lost place on the other axis.
#[test]
fn two_numbers_are_an_axis_and_a_choice() {
    let report = compare(&[
        "--buffer=lru,fab",
        "--size=2MiB,8MiB",
        "--vary=ftl.log_blocks=7,28",
    ]);
    let seen = ask(
        &report,
        r##"
        const first = { title: document.getElementById("figure-title").textContent, ...charts() };
        await choose("figure-places", "By", "buffer size");
        await choose("figure-places", "Log blocks", "7");
        return { first, ...seen() };
        "##,
    );
    assert_eq!(seen["first"]["title"], "Throughput by log blocks");
    assert_eq!(seen["title"], "Throughput by buffer size");
    let data = &seen["data"];
    let axes = list(&data["axes"]);
    assert_eq!(
        [&axes[0]["title"], &axes[1]["title"]],
        ["Log blocks", "Buffer size"]
    );
    let value = |label: &str, at: [usize; 2]| {
        let series = list(&data["series"])
            .iter()
            .position(|one| one["label"] == label);
        let mut runs = list(&data["runs"]).iter();
        let run =
            runs.find(|run| run["series"] == series.unwrap() && run["at"] == serde_json::json!(at));
        run.unwrap()["figures"][0].as_f64().unwrap()
    };
    let policies = || expected_labels(data).filter(|(label, _)| ["lru", "fab"].contains(label));
    for (chart, at) in [
        (&seen["first"]["figure"], [[0, 1], [1, 1]]),
        (&seen["figure"], [[0, 0], [0, 1]]),
    ] {
        let mut pairs = Vec::new();
        for (label, colour) in policies() {
            let curve = list(&chart["curves"])
                .iter()
                .find(|curve| curve["colour"] == *colour);
            let points = list(&curve.expect("a curve")["points"]);
            assert_eq!(points.len(), 2);
            let places = at.iter().zip(points);
            pairs.extend(places.map(|(&at, point)| (value(label, at), numbers(point)[1])));
        }
        assert!(assert_scaled(&pairs) < 0.0);
    }
}

fn expected_labels(data: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let series = list(&data["series"]).iter();
    series.map(|one| (text(&one["label"]), &one["colour"]))
}
