//! The pictures of the report agree with its data.

use std::collections::BTreeSet;

use super::*;

// Planted bugs: the last curve left out, by the script or from its data; points in reverse; an axis upside down; end
// labels not shown; the figure of another tab; an ideal FTL that dominates the scale.
#[test]
fn every_curve_of_every_figure_is_drawn() {
    let seen = ask(
        &SIZES,
        r##"
        const tabs = [];
        for (const [index, button] of all("#figures button").entries()) {
          await press("#figures button", index);
          tabs.push({ ...seen(), tab: button.textContent, tabs: all("#figures button").map((tab) => tab.ariaPressed) });
        }
        return tabs;
        "##,
    );
    let keys = ["throughput", "erases", "waf", "write_hit_ratio"];
    assert_eq!(list(&seen).len(), keys.len());
    for (index, (tab, key)) in list(&seen).iter().zip(keys).enumerate() {
        let data = &tab["data"];
        assert_eq!(figure(data, key), index);
        assert_eq!(tab["tab"], data["figures"][index]["title"]);
        let title = format!("{} by buffer size", text(&tab["tab"]));
        assert_eq!(tab["title"], title.as_str());
        assert!(text(&tab["figure"]["words"]).starts_with(&title), "{tab}");
        let pressed = list(&tab["tabs"]).iter().map(|pressed| pressed == "true");
        let others: Vec<bool> = (0..keys.len()).map(|other| other == index).collect();
        assert_eq!(pressed.collect::<Vec<_>>(), others);
        if key != "write_hit_ratio" {
            assert_curves(&tab["figure"], &shown(data, index), LINEAR);
        }
    }
    let labels: BTreeSet<&str> = list(&seen[0]["data"]["series"])
        .iter()
        .map(|one| text(&one["label"]))
        .collect();
    let rows = list(&seen[0]["rows"]).iter();
    let in_table: BTreeSet<&str> = rows.map(|row| text(&row[0])).collect();
    assert_eq!(labels, in_table);
}

// Planted bugs: numbers at equal distances; a title that mentions buffers.
#[test]
fn a_number_that_varies_is_an_axis() {
    for (seen, title, scale) in [
        (&*SPARE_SEEN, "Throughput by over-provisioning", LINEAR),
        (&*SIZES_SEEN, "Throughput by buffer size", LOG),
    ] {
        assert_eq!(seen["title"], title);
        let data = &seen["data"];
        let curves = shown(data, 0);
        assert_curves(&seen["figure"], &curves, LINEAR);
        let values = list(&data["axes"][0]["values"]);
        let points = list(&seen["figure"]["curves"][0]["points"]);
        let place = |(value, point): (&Value, &Value)| {
            (
                scale(value["at"].as_f64().unwrap()),
                point[0].as_f64().unwrap(),
            )
        };
        let pairs: Vec<(f64, f64)> = values.iter().zip(points).map(place).collect();
        assert!(assert_scaled(&pairs) > 0.0);
        for value in values {
            assert_eq!(colours(&seen["figure"], &value["text"]).len(), 1, "{value}");
        }
    }
}

/// The runs of the policies at a place of the only axis; of a single policy, the runs at all places.
fn compared(data: &Value, place: usize) -> Vec<&Value> {
    let series = list(&data["series"]);
    let policies = series.iter().filter(|one| one["bound"] == false).count();
    let is_here = |run: &&Value| {
        let at = list(&run["at"]).first();
        let here = at.is_none_or(|at| at.is_null() || *at == place);
        let one = run["series"].as_u64().unwrap() as usize;
        series[one]["bound"] == false && (here || policies == 1)
    };
    list(&data["runs"]).iter().filter(is_here).collect()
}

/// All bars of these runs, scaled, each part in its colour.
#[track_caller]
fn assert_bars(seen: &Value, id: &str, field: &str, runs: &[&Value]) {
    let bars = list(&seen[id]["bars"]);
    let mut pairs = Vec::new();
    for part in crate::common::keys(&runs[0][field]) {
        let values = runs.iter().map(|run| run[field][part].as_f64().unwrap());
        let colour = &seen["data"]["parts"][part];
        let drawn = bars.iter().filter(|bar| bar["colour"] == *colour);
        let drawn: Vec<f64> = drawn.map(|bar| bar["width"].as_f64().unwrap()).collect();
        if values.clone().any(|value| value > 0.0) {
            assert_eq!(drawn.len(), runs.len(), "{part}");
        }
        pairs.extend(values.zip(drawn));
    }
    assert_eq!(pairs.len(), bars.len(), "bars of parts");
    assert!(assert_scaled(&pairs) > 0.0, "large values are long");
}

// Planted bugs: the bars of another row; a part of the time left out; two parts in one colour; always the bars of the
// largest size; reasons that do not change.
#[test]
fn every_bar_is_drawn() {
    let chosen = ask(
        &SIZES,
        r##"
        await choose("why-places", "Buffer size", "2 MiB");
        return { why: document.querySelector("#reasons h3").textContent, lines: document.querySelectorAll("#reasons tbody tr").length, ...seen() };
        "##,
    );
    for (seen, place) in [
        (&*SIZES_SEEN, 2),
        (&*ONE_SIZE_SEEN, 0),
        (&*SPARE_SEEN, 0),
        (&chosen, 0),
    ] {
        let data = &seen["data"];
        let runs = compared(data, place);
        let fields = [
            ("time", "time"),
            ("programs", "programs"),
            ("merges", "merges"),
            ("bytes", "bytes"),
        ];
        for (id, field) in fields {
            if seen[id]["texts"]
                .as_array()
                .is_some_and(|texts| !texts.is_empty())
            {
                assert_bars(seen, id, field, &runs);
            }
        }
    }
    let reasons = list(&chosen["data"]["reasons"]);
    let reasons = reasons
        .iter()
        .find(|one| one["at"][0] == 0)
        .expect("of 2 MiB");
    let title = format!(
        "Why {} beats {}",
        text(&reasons["winner"]),
        text(&reasons["against"])
    );
    assert_eq!(chosen["why"], title);
    assert_eq!(chosen["lines"], list(&reasons["lines"]).len());
    assert_ne!(
        chosen["data"]["at"][0], 0,
        "another size than the one that was chosen"
    );
}

// Planted bug: the most worn block left out.
#[test]
fn wear_ends_at_the_most_worn_block() {
    for (seen, place) in [(&*SIZES_SEEN, 2), (&*ONE_SIZE_SEEN, 0)] {
        let data = &seen["data"];
        let runs = compared(data, place);
        let curves = list(&seen["wear"]["curves"]);
        assert_eq!(curves.len(), runs.len());
        let (mut across, mut down) = (Vec::new(), Vec::new());
        for (run, curve) in runs.iter().zip(curves) {
            let series = run["series"].as_u64().unwrap() as usize;
            assert_eq!(curve["colour"], data["series"][series]["colour"]);
            let (wear, points) = (list(&run["wear"]), list(&curve["points"]));
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

// Planted bugs: write amplification on the axis of the life; the curve of another run; a knee at another place; a
// picture of life where spare space does not vary.
#[test]
fn life_and_write_amplification_over_spare_space() {
    let report = compare(&[
        PAGE,
        NONE,
        "--vary=ftl.over_provisioning=0.07,0.15,0.28",
        "--steady",
    ]);
    let seen = ask(&report, "return seen();");
    let runs = compared(&seen["data"], 0);
    let curves = list(&seen["life"]["curves"]);
    assert_eq!(curves.len(), 2);
    for (curve, key) in curves.iter().zip(["life", "waf"]) {
        let points = list(&curve["points"]).iter().map(numbers);
        let value = |run: &&Value| run[key].as_f64().unwrap();
        let pairs: Vec<(f64, f64)> = runs
            .iter()
            .zip(points)
            .map(|(run, point)| (value(run), point[1]))
            .collect();
        assert_eq!(pairs.len(), 3);
        assert!(assert_scaled(&pairs) < 0.0, "large values are high up");
    }
    let knees: Vec<bool> = runs.iter().map(|run| run["knee"] == true).collect();
    let place = knees.iter().position(|knee| *knee).expect("a knee");
    let value = &seen["data"]["axes"][0]["values"][place]["text"];
    let label = Value::from(format!("knee {}", text(value)));
    assert_eq!(colours(&seen["life"], &label).len(), 1);
    let words = text(&seen["life"]["words"]);
    assert!(words.starts_with("Life and write amplification"), "{words}");
    assert_eq!(list(&SIZES_SEEN["life"]["curves"]).len(), 0);
}

// Planted bugs: a policy left out; bars in the colour of the first; the label without its value.
#[test]
fn without_an_axis_bars_stand_for_curves() {
    let words = &*WORDS_SEEN;
    for seen in [&*ONE_SIZE_SEEN, words] {
        let curves = shown(&seen["data"], 0);
        assert!(curves.iter().any(|curve| !curve.bound));
        let bars = list(&seen["figure"]["bars"]);
        assert_eq!(bars.len(), curves.len());
        let mut pairs = Vec::new();
        let decimals = seen["data"]["figures"][0]["decimals"].as_u64();
        let decimals = decimals.expect("a number") as usize;
        for (curve, bar) in curves.iter().zip(bars) {
            assert_eq!(bar["colour"], curve.colour, "{}", curve.label);
            pairs.push((curve.values[0], bar["width"].as_f64().unwrap()));
            assert_eq!(colours(&seen["figure"], curve.label).len(), 1);
            let value = Value::from(format!("{:.decimals$}", curve.values[0]));
            assert!(!colours(&seen["figure"], &value).is_empty(), "{value}");
        }
        assert!(assert_scaled(&pairs) > 0.0);
    }
    let labels = list(&words["data"]["series"]).iter();
    let labels: Vec<&Value> = labels.map(|one| &one["label"]).take(3).collect();
    assert_eq!(labels, ["greedy", "cat", "fifo"]);
}

// Planted bug: an unused colour scheme.
#[test]
fn light_and_dark() {
    let (light, dark) = (&*SIZES_SEEN, look(Scheme::Dark, &SIZES));
    for seen in [light, &dark] {
        assert_curves(&seen["figure"], &shown(&seen["data"], 0), LINEAR);
    }
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
    let dark = expected(&dark["data"], 0);
    for (light, dark) in expected(&light["data"], 0).iter().zip(dark) {
        assert_ne!(light.colour, dark.colour, "{}", light.label);
    }
}

// Planted bugs: charts wider than the screen; a table outside its box; curves without labels.
#[test]
fn a_phone_shows_all_of_it() {
    let script = r#"
        const { scrollWidth, clientWidth } = document.documentElement;
        const table = document.getElementById("rows").parentElement;
        return {
          width: innerWidth, page: scrollWidth - clientWidth, table: table.scrollWidth - table.clientWidth,
          ...seen(),
        };"#;
    for report in [&*SIZES, &*ONE_SIZE, &*SPARE] {
        let lab = Lab::new();
        lab.write("report.html", with_script(report, script));
        // the window cannot be so narrow, but a frame can
        let frame = "<iframe src=\"report.html\" style=\"width: 400px; height: 844px; border: 0\"></iframe>";
        lab.write(
            "phone.html",
            format!("<!doctype html><body>{frame}<script>{ANSWER}</script>"),
        );
        let phone = lab.path("phone.html");
        let seen = answer(&visit(&phone, Scheme::Light));
        assert_eq!(seen["width"], 400);
        assert_eq!(seen["page"], 0, "wider than the screen");
        assert!(
            seen["table"].as_i64() > Some(0),
            "the table scrolls in its box"
        );
        let curves = shown(&seen["data"], 0);
        let drawn = |what: &str| list(&seen["figure"][what]).len();
        assert_eq!(drawn("curves") + drawn("bars"), curves.len());
        for curve in curves.iter().filter(|curve| !curve.bound) {
            assert_eq!(
                colours(&seen["figure"], curve.label).len(),
                1,
                "{}",
                curve.label
            );
        }
    }
}

// Planted bugs: pages copied in and out exchanged; the bars of another region; a picture of bounds; a closed table without
// buttons.
#[test]
fn bars_of_regions_are_those_of_the_table() {
    let seen = ask(
        &PLACED,
        r##"
        const bars = (kind) => all(`section[aria-labelledby=placed] svg g > path`)
          .filter((path) => path.getAttribute("fill") === `var(--part-${kind})`)
          .map((path) => path.getBoundingClientRect().width);
        const rows = all("table.placed tbody tr").map((row) => [...row.cells].map((cell) => Number(cell.dataset.value)));
        const closed = document.querySelector("section[aria-labelledby=placed] details");
        return { host: bars("host"), out: bars("cleaning"), into: bars("copied"), rows, open: closed?.open ?? null,
          buttons: all("[data-table=placed] .tools button").map((button) => button.textContent) };
        "##,
    );
    let rows: Vec<Vec<Option<f64>>> = list(&seen["rows"])
        .iter()
        .map(|row| list(row).iter().map(Value::as_f64).collect())
        .collect();
    let counts = |column: usize| -> Vec<f64> {
        let counts = rows.iter().filter_map(|row| row[column]);
        counts.filter(|count| *count > 0.0).collect()
    };
    let most = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
    // all bars have one scale
    let unit = most(&numbers(&seen["host"])) / most(&counts(3));
    assert!(unit * most(&counts(3)) > 300.0, "{seen}");
    for (column, kind) in [(3, "host"), (4, "out"), (5, "into")] {
        let (counts, widths) = (counts(column), numbers(&seen[kind]));
        assert_eq!(widths.len(), counts.len(), "{kind}: {seen}");
        assert!(counts.len() >= 3, "{kind}: {seen}");
        for (count, width) in counts.into_iter().zip(widths) {
            let near = (width - unit * count).abs() < 1.0;
            assert!(near, "{kind}: {count} pages, {width} pixels");
        }
    }
    assert_eq!(seen["buttons"], serde_json::json!(["Copy", "CSV"]));
    assert_eq!(seen["open"], Value::Null);
}
