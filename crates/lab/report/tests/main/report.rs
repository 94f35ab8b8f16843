//! The report of artificial comparisons.

use std::collections::BTreeMap;

use crate::common::{self, between, data};
use serde_json::{Value, json};
use ssdlab_host::Op;
use ssdlab_report::{About, html};
use ssdlab_sim::{
    Activity, Advice, Cause, Clocked, Comparison, Completion, FlashBytes, Histograms, LIFE,
    Latency, LatencyByOp, OverTime, PerFigure, Row, RowKind, Slowest, Span, State, THROUGHPUT,
    Tried, Utilisation, WAF, Wear, explain,
};
use ssdlab_words::decimal_bytes;

fn page() -> String {
    html(&common::comparison("w1.csv"), &common::about())
}

/// The page without scripts and styles.
fn markup(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, tail)) = rest.split_once("<script") {
        out.push_str(before);
        rest = tail.split_once("</script>").expect("a script ends").1;
    }
    out + rest
}

/// The body of the table of all runs.
fn table(page: &str) -> &str {
    let table = between(page, "<table id=\"rows\">", "</table>");
    between(table, "<tbody>", "</tbody>")
}

/// The rows of the page's table: the texts of the cells without tags and small figures.
fn cells(page: &str) -> Vec<Vec<String>> {
    let body = table(page);
    let texts = |row: &str| {
        row.split_inclusive("</td>")
            .flat_map(|part| part.split_inclusive("</th>"))
            .filter(|part| !part.ends_with("</tr>"))
            .map(without_tags)
            .collect()
    };
    body.trim().lines().map(texts).collect()
}

fn without_tags(html: &str) -> String {
    let html = html.split("<small>").next().unwrap_or_default();
    html.split('<')
        .filter_map(|part| part.split_once('>'))
        .map(|(_, text)| text)
        .collect()
}

fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let from_right: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    from_right
        .iter()
        .map(|part| str::from_utf8(part).unwrap())
        .collect::<Vec<_>>()
        .join(",")
}

fn row<'a>(comparison: &'a Comparison, label: &str, size: Option<u64>) -> &'a Row {
    let mut rows = comparison.rows.iter();
    rows.find(|row| row.label == label && row.size == size)
        .expect("such a row")
}

// Planted bug: a column that shows another counter (partial merges under "Switch merges"), a row
// left out, or the bounds dropped from the table.
#[test]
fn every_row_and_number_is_in_the_table() {
    let comparison = common::comparison("w1.csv");
    let table = cells(&page());
    assert_eq!(table.len(), comparison.rows.len());
    for (row, cells) in comparison.rows.iter().zip(&table) {
        let counters = &row.outcome.counters;
        let derived = &row.outcome.derived;
        assert!(cells[0].starts_with(&row.label), "{cells:?}");
        let size = (row.size).map_or("–".into(), |bytes| format!("{} MiB", bytes >> 20));
        let hits = derived.write_hit_ratio;
        let hits = hits.map_or("–".into(), |ratio| format!("{:.1}", 100.0 * ratio));
        let expected = [
            size,
            format!("{:.3}", derived.throughput_mb_s.unwrap()),
            thousands(counters.erases),
            format!("{:.2}", derived.waf.unwrap()),
            thousands(counters.switch_merges),
            thousands(counters.partial_merges),
            thousands(counters.full_merges),
            hits,
            format!("{:.1}", counters.elapsed_ns as f64 / 1e9),
            thousands(counters.padding_reads),
        ];
        assert_eq!(cells[1..], expected);
    }
}

// Planted bug: a column with the difference of another figure, percentage points called percent, or a baseline compared
// with itself.
#[test]
fn differences_from_the_baseline_stand_in_their_columns() {
    let page = page();
    for line in table(&page).trim().lines() {
        let small: Vec<(usize, &str)> = line
            .split("</td>")
            .enumerate()
            .filter_map(|(at, cell)| Some((at, cell.split_once("<small>")?.1)))
            .map(|(at, text)| (at, text.trim_end_matches("</small>")))
            .collect();
        if line.contains(">lru ") {
            assert_eq!(small, []);
        } else if line.contains(">none<") || line.contains("bound") {
            assert_eq!(small[0], (1, "+25 %"));
        } else {
            assert_eq!(small, [(1, "+25 %"), (7, "−3.0 pp")]);
        }
    }
    assert!(
        page.contains("differences from lru with the same buffer size"),
        "the baseline"
    );
}

// Planted bugs: the reasons of the largest size at all sizes; a bound among the winners; a missing baseline.
#[test]
fn each_size_has_its_reasons() {
    let comparison = common::comparison("w1.csv");
    let data = data(&page());
    let reasons = data["reasons"].as_array().unwrap();
    assert_eq!(reasons.len(), comparison.sizes.len());
    for (place, (told, &size)) in reasons.iter().zip(&comparison.sizes).enumerate() {
        assert_eq!(told["at"], serde_json::json!([place]));
        let best = comparison
            .rows
            .iter()
            .find(|row| row.best && row.size.is_none_or(|own| own == size));
        let best = best.expect("one is the best of its size");
        assert_eq!(told["winner"], best.label.as_str());
        assert_eq!(told["against"], "lru");
        let expected = explain(best, row(&comparison, "lru", Some(size)));
        let lines = told["lines"].as_array().unwrap();
        assert_eq!(lines.len(), expected.len());
        for (line, reason) in lines.iter().zip(expected) {
            assert_eq!(line[0], reason.counter.replace('_', " "));
            assert_eq!(line[1], reason.value);
            assert_eq!(line[2], reason.against);
            assert_eq!(line[3], reason.ns as f64 / 1e9);
            assert_eq!(line[4], reason.against_ns as f64 / 1e9);
            assert_eq!(line[5], reason.saved_ns / 1e9);
        }
    }
}

// Planted bug: marking the best row of the table instead of the best of each size, or a bound.
#[test]
fn the_best_of_each_size_is_marked() {
    let comparison = common::comparison("w1.csv");
    let marked: Vec<bool> = cells(&page())
        .iter()
        .map(|cells| cells[0].contains('★'))
        .collect();
    let best: Vec<bool> = comparison.rows.iter().map(|row| row.best).collect();
    assert_eq!(marked, best);
    assert_eq!(
        best.iter().filter(|&&best| best).count(),
        comparison.sizes.len()
    );
}

// Planted bugs: sorting by the shown text, where "9" comes after "10,000", instead of by the number; the most erases
// treated as the best.
#[test]
fn cells_sort_by_plain_numbers() {
    let page = page();
    let made = common::comparison("w1.csv");
    let erases = row(&made, "fifo", Some(1 << 20)).outcome.counters.erases;
    assert!(page.contains(&format!(
        "<td data-value=\"{erases}\">{}</td>",
        thousands(erases)
    )));
    assert!(page.contains("<td data-value=\"1048576\">1 MiB</td>"));
    let best = |title: &str| {
        let (head, _) = page.split_once(&format!(">{title}<small>")).expect(title);
        let (_, best) = head.rsplit_once("data-best=\"").unwrap();
        best.split('"').next().unwrap()
    };
    let columns = [
        "Policy",
        "Buffer size",
        "Throughput",
        "Erases",
        "Write amplification",
        "Write hits",
        "Simulated time",
    ];
    let expected = ["least", "least", "most", "least", "least", "most", "least"];
    assert_eq!(columns.map(best), expected);
    assert_eq!(
        page.matches("aria-sort=\"none\"").count(),
        cells(&page)[0].len()
    );
}

// Planted bug: rows with different counters folded.
#[test]
fn rows_that_count_the_same_are_one() {
    let mut comparison = common::comparison("w1.csv");
    let at = |rows: &[Row], mib: u64| {
        let mut rows = rows.iter();
        rows.position(|row| row.label == "lru" && row.size == Some(mib << 20))
            .unwrap()
    };
    let (first, second) = (at(&comparison.rows, 1), at(&comparison.rows, 2));
    comparison.rows[second].outcome.counters = comparison.rows[first].outcome.counters.clone();
    let shown = cells(&html(&comparison, &common::about()));
    let sizes = shown
        .iter()
        .filter(|row| row[0].starts_with("lru"))
        .map(|row| row[1].as_str());
    assert_eq!(
        sizes.collect::<Vec<_>>(),
        ["1–2 MiB", "4 MiB", "8 MiB", "16 MiB"]
    );
}

/// The runs of a curve, with their rows.
fn runs<'a>(data: &'a Value, comparison: &'a Comparison) -> Vec<(&'a Value, &'a Row)> {
    let runs = data["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), comparison.rows.len());
    runs.iter().zip(&comparison.rows).collect()
}

// Planted bugs: a run at the place of another size; another figure's value; a bound shown where it is not valid.
#[test]
fn runs_hold_their_figures_and_places() {
    let comparison = common::comparison("w1.csv");
    let data = data(&page());
    let axis = &data["axes"][0];
    assert_eq!(axis["title"], "Buffer size");
    assert_eq!(
        axis["values"][4],
        serde_json::json!({ "text": "16 MiB", "at": 16_777_216.0 })
    );
    assert_eq!(data["at"], serde_json::json!([4]));
    let keys: Vec<&Value> = (0..4).map(|i| &data["figures"][i]["key"]).collect();
    assert_eq!(keys, ["throughput", "erases", "waf", "write_hit_ratio"]);
    for (run, row) in runs(&data, &comparison) {
        let series = &data["series"][run["series"].as_u64().unwrap() as usize];
        assert_eq!(series["label"], row.label.as_str());
        assert_eq!(series["bound"], row.bounds.is_some());
        let place = row
            .size
            .and_then(|size| comparison.sizes.iter().position(|&own| own == size));
        assert_eq!(run["at"], serde_json::json!([place]));
        let derived = &row.outcome.derived;
        let expected = [
            derived.throughput_mb_s,
            Some(row.outcome.counters.erases as f64),
            derived.waf,
            derived.write_hit_ratio.map(|ratio| 100.0 * ratio),
        ];
        for (i, expected) in expected.into_iter().enumerate() {
            let value = run["figures"][i].as_f64();
            let close = value
                .zip(expected)
                .is_some_and(|(a, b)| (a / b - 1.0).abs() < 1e-9);
            assert!(close || value == expected, "{value:?} {expected:?}");
        }
        let bounds = [row.bounds.is_some(), false, false, false];
        assert_eq!(run["bounds"], serde_json::json!(bounds));
    }
    assert_eq!(data["series"].as_array().unwrap().len(), 9);
}

// Planted bugs: a part left out; programs that do not add up to the write amplification.
#[test]
fn the_parts_of_a_run_add_up() {
    let comparison = common::comparison("w1.csv");
    let data = data(&page());
    for (run, row) in runs(&data, &comparison) {
        let counters = &row.outcome.counters;
        let sum = |field: &str| -> f64 {
            let parts = run[field].as_object().unwrap().values();
            parts.filter_map(Value::as_f64).sum()
        };
        assert_eq!(run["merges"]["full"], counters.full_merges as f64);
        assert!((sum("time") - counters.elapsed_ns as f64 / 1e9).abs() < 1e-6);
        assert!((sum("programs") - row.outcome.derived.waf.unwrap()).abs() < 1e-9);
        let padded = run["programs"]["padded"].as_f64().unwrap();
        let bytes = &row.outcome.endurance.flash_bytes;
        assert_eq!(padded > 0.0, bytes[Cause::Padding] > 0);
        assert_eq!(
            run["wear"].as_array().unwrap().len(),
            row.erase_histogram.len()
        );
    }
}

// Planted bugs: the figures of another run in the tiles; a gain without a rival.
#[test]
fn tiles_say_who_wins_and_by_how_much() {
    let comparison = common::comparison("w1.csv");
    let page = page();
    let tiles = between(&page, "class=\"tiles\"", "</section>");
    let best = row(&comparison, "bplru", Some(16 << 20));
    let base = row(&comparison, "lru", Some(16 << 20));
    let (counters, derived) = (&best.outcome.counters, &best.outcome.derived);
    let erases = counters.erases as f64 / base.outcome.counters.erases as f64 - 1.0;
    let [speed, base_speed] =
        [derived, &base.outcome.derived].map(|of| of.throughput_mb_s.unwrap());
    let expected = [
        "<p class=\"value\">bplru</p><p>buffer size 16 MiB</p>".to_owned(),
        format!(
            "<p class=\"value\">+{:.0} %</p><p>{speed:.3} MB/s against lru ({base_speed:.3})</p>",
            100.0 * (speed / base_speed - 1.0),
        ),
        format!(
            "<h2>Write amplification</h2><p class=\"value\">{:.2}</p>",
            derived.waf.unwrap()
        ),
        format!(
            "<h2>Erases</h2><p class=\"value\">{}</p><p>−{:.0} % against lru ({})</p>",
            thousands(counters.erases),
            -100.0 * erases,
            thousands(base.outcome.counters.erases)
        ),
        format!(
            "<h2>Time by cause</h2><p class=\"value\">{:.1} s</p>",
            counters.elapsed_ns as f64 / 1e9
        ),
        format!(
            "padding {:.0} %",
            100.0 * derived.time_ns[Cause::Padding] as f64 / counters.elapsed_ns as f64
        ),
    ];
    for text in expected {
        assert!(tiles.contains(&text), "{text} in {tiles}");
    }
    let mut alone = comparison;
    alone.verdict.over_baseline = None;
    let page = html(&alone, &common::about());
    assert!(page.contains("<h2>Throughput</h2>") && !page.contains("Throughput gain"));
    alone.verdict.winner = None;
    assert!(!html(&alone, &common::about()).contains("class=\"tiles\""));
}

// Planted bugs: numbers without an axis; a page that mentions buffers where none varies.
#[test]
fn numbers_that_vary_are_an_axis() {
    let comparison = common::one_policy("ftl.over_provisioning", &["0.28", "0.07", "0.15"]);
    let page = html(&comparison, &common::about());
    assert!(page.contains("ssdlab · comparison of over-provisioning<"));
    assert!(page.contains("they differ in over-provisioning only."));
    assert!(page.contains("<h2>Best over-provisioning</h2><p class=\"value\">0.15</p>"));
    assert!(page.contains("against over-provisioning 0.28 ("));
    let data = data(&page);
    assert_eq!(
        data["axes"].as_array().unwrap().len(),
        1,
        "no buffer, no sizes"
    );
    let at = |place: usize| data["axes"][0]["values"][place]["at"].as_f64();
    assert_eq!([at(0), at(1), at(2)], [Some(0.07), Some(0.15), Some(0.28)]);
    assert_eq!(data["series"].as_array().unwrap().len(), 1);
    let places: Vec<&Value> = runs(&data, &comparison)
        .iter()
        .map(|(run, _)| &run["at"][0])
        .collect();
    assert_eq!(places, [2, 0, 1]);
    let shown = cells(&page);
    assert_eq!(
        [&shown[0][..2], &shown[1][..2]],
        [["none baseline", "0.28"], ["none", "0.07"]]
    );
}

// Planted bugs: words on an axis; curves named after the only policy.
#[test]
fn words_that_vary_are_series() {
    let comparison = common::one_policy("ftl.cleaning", &["greedy", "cat", "fifo"]);
    let page = html(&comparison, &common::about());
    assert!(page.contains("ssdlab · comparison of cleaning policy<"));
    assert!(page.contains("<h2>Best cleaning policy</h2><p class=\"value\">fifo</p>"));
    let data = data(&page);
    assert_eq!(data["axes"], serde_json::json!([]));
    let series = data["series"].as_array().unwrap().iter();
    let labels: Vec<&Value> = series.map(|one| &one["label"]).collect();
    assert_eq!(labels, ["greedy", "cat", "fifo"]);
    assert!(page.contains(">Cleaning policy<small>"));
}

// Planted bugs: a key with its default value; a varied key with only its first value.
#[test]
fn keys_that_differ_are_facts() {
    let comparison = common::one_policy("ftl.over_provisioning", &["0.28", "0.07", "0.15"]);
    let page = html(&comparison, &common::about());
    for (key, value) in [
        ("ftl.kind", "page"),
        ("ftl.over_provisioning", "0.28, 0.07, 0.15"),
    ] {
        let fact = format!("<dt><code>{key}</code></dt><dd><code>{value}</code></dd>");
        assert!(page.contains(&fact), "{fact}");
    }
    assert!(self::page().contains("Every key has its default."));
}

// Planted bugs: two curves in one colour; a table with other colours than the charts.
#[test]
fn each_label_has_one_colour() {
    let page = page();
    let series = data(&page)["series"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let colours: BTreeMap<String, String> = series
        .iter()
        .map(|one| (text(&one["slot"]), text(&one["label"])))
        .collect();
    assert_eq!(colours.len(), series.len(), "{series:?}");
    for (slot, label) in colours {
        let rows = table(&page).lines();
        let mut own = rows.filter(|row| row.contains(&format!("data-value=\"{label}\"><i")));
        let colour = format!("\"--colour: var(--{slot})\"");
        assert!(own.clone().count() > 0, "{label}");
        assert!(own.all(|row| row.contains(&colour)), "{label}");
    }
}

// Planted bug: a name, fact, warning, command or configuration that is not escaped.
#[test]
fn nothing_from_outside_breaks_out() {
    let evil = "</script><b>\"'&{{config}}";
    let mut comparison = common::comparison(evil);
    comparison.sentence = evil.into();
    comparison.baseline = evil.into();
    comparison.warnings.push(evil.into());
    for row in &mut comparison.rows {
        row.label = format!("{}{evil}", row.label);
        row.name.clone_from(&row.label);
        row.outcome.changed = vec![("ftl.kind", evil.into())];
        row.outcome.warnings.push(evil.into());
        row.outcome.config["ftl"]["kind"] = evil.into();
        row.outcome.trace.sha256 = Some(evil.into());
    }
    let label = |label: &str| Some(format!("{label}{evil}"));
    comparison.verdict.winner = label("bplru");
    comparison.verdict.against = label("lru");
    comparison.verdict.over_baseline.as_mut().unwrap().label = format!("lru{evil}");
    comparison.trace.sha256 = Some(evil.into());
    let about = About {
        command: evil.into(),
        version: evil.into(),
        config_toml: evil.into(),
        trace_lines: vec![(evil.into(), evil.into())],
        columns: Vec::new(),
    };
    let page = html(&comparison, &about);
    assert!(!page.contains("</script><b>"));
    assert!(!page.contains(evil));
    assert_eq!(
        page.matches("<script").count(),
        page.matches("</script>").count()
    );
    let expected = "&lt;/script&gt;&lt;b&gt;&quot;&#39;&amp;{{config}}";
    assert!(page.contains(&format!("<h1>{expected}</h1>")));
    assert!(page.contains(&format!("<pre><code>{expected}</code></pre>")));
    let first = &data(&page)["series"][0]["label"];
    assert_eq!(first.as_str(), Some(format!("none{evil}").as_str()));
}

// Planted bug: a script, style sheet, font or image loaded from the network.
#[test]
fn nothing_is_fetched() {
    let page = page();
    let markup = markup(&page);
    for forbidden in [
        "http://", "https://", " src=", " href=", "<link", "@import", "url(",
    ] {
        assert!(!markup.contains(forbidden), "{forbidden}");
    }
    let library = include_str!("../../assets/echarts.common.min.js");
    let scripts = page.replace(library, "");
    for forbidden in ["http://", "https://", "import(", "fetch(", "XMLHttpRequest"] {
        assert!(!scripts.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("content=\"default-src 'none'; script-src 'unsafe-inline';"));
    assert!(page.len() < 1_000_000, "{}", page.len());
}

// Planted bug: iterating over a hash map, or writing the time of day into the page.
#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(page(), page());
}

// Planted bug: a division by zero blocks, an index into no sizes, or `null` or `NaN` in the page.
#[test]
fn missing_figures_are_dashes() {
    let mut comparison = common::comparison("w1.csv");
    comparison.sizes.clear();
    comparison.rows.truncate(1);
    let none = &mut comparison.rows[0];
    none.erase_histogram.clear();
    none.outcome.derived.waf = None;
    none.outcome.derived.throughput_mb_s = None;
    none.outcome.config = Value::Null;
    comparison.verdict = Default::default();
    let page = html(&comparison, &common::about());
    let table = cells(&page);
    // no sizes: policy, throughput, erases, write amplification
    assert_eq!([&table[0][1], &table[0][3]], ["–"; 2]);
    assert_eq!(data(&page)["runs"][0]["figures"][0], Value::Null);
    let nothing = data(&html(&Comparison::default(), &About::default()));
    assert_eq!(nothing["runs"], serde_json::json!([]));
}

// Planted bug: a section, the sentence or the facts missing in the template.
#[test]
fn the_page_says_what_it_was_told() {
    let page = markup(&page());
    let about = common::about();
    for text in [&about.command, &about.version, &about.trace_lines[3].1] {
        assert!(page.contains(text.as_str()), "{text}");
    }
    let facts = [
        "1 GiB",
        "2 KiB",
        "128 pages",
        "<dt>Log blocks</dt><dd>7</dd>",
        "erase 1,500 µs",
        "host wrote 0 x capacity",
        "full (written once, in order)",
    ];
    for text in facts.into_iter().chain([
        "log_blocks = 7",
        "bplru serves this trace best",
        "<title>w1.csv",
    ]) {
        assert!(page.contains(text), "{text}");
    }
}

// Planted bug: the warnings of single rows instead of those of the comparison, or a heading without warnings.
#[test]
fn warnings_are_said_once() {
    let mut comparison = common::comparison("w1.csv");
    comparison
        .warnings
        .push("12 requests go back in time".into());
    for row in &mut comparison.rows {
        row.outcome.warnings.clone_from(&comparison.warnings);
    }
    let page = html(&comparison, &common::about());
    assert_eq!(page.matches("12 requests go back in time").count(), 1);
    assert!(page.contains("<section class=\"warnings\""));
    assert!(!self::page().contains("<section class=\"warnings\""));
}

// Planted bugs: an interrupted comparison that looks complete; a winner among the finished runs.
#[test]
fn an_interrupted_comparison_says_so() {
    let mut comparison = common::comparison("w1.csv");
    comparison.missing_runs = 7;
    comparison.verdict = Default::default();
    let page = html(&comparison, &common::about());
    let all = comparison.rows.len() + 7;
    let badge = format!(">incomplete: {} of {all} runs</span></h1>", all - 7);
    assert!(page.contains(&badge), "{badge}");
    assert_eq!(data(&page)["reasons"], serde_json::json!([]));
    assert_eq!(data(&page)["interrupted"], " (incomplete)");
    assert!(!page.contains("class=\"tiles\""));
    assert!(!self::page().contains("<span class=\"incomplete\""));
}

// Planted bugs: a gain of 0; the capacity shown twice.
#[test]
fn what_is_equal_is_no_gain() {
    let mut comparison = common::comparison("w1.csv");
    comparison.fitted_capacity = Some(1 << 30);
    let is_winner = |row: &&Row| row.label == "bplru" && row.size == Some(16 << 20);
    let winner = comparison.rows.iter().find(is_winner).unwrap();
    let speed = winner.outcome.derived.throughput_mb_s;
    for row in comparison.rows.iter_mut().filter(|row| row.label == "lru") {
        row.outcome.derived.throughput_mb_s = speed.map(|speed| 0.999 * speed);
    }
    let page = html(&comparison, &common::about());
    assert!(!page.contains("Throughput gain"));
    assert!(page.contains(" MB/s</p><p>level with lru ("));
    let labels = page.to_lowercase().matches("<dt>capacity</dt>").count();
    assert_eq!(labels, 1);
    assert!(page.contains("flash.capacity is not given"));
}

// Planted bugs: the chart of throughput first whatever ranks; no word on what ranks; the gain in throughput above all.
#[test]
fn the_figure_that_ranks_comes_first() {
    let mut comparison = common::comparison("w1.csv");
    assert_eq!(data(&page())["figure"], 0);
    comparison.verdict.by = WAF;
    let page = html(&comparison, &common::about());
    let data = data(&page);
    let first = data["figure"].as_u64().unwrap() as usize;
    assert_eq!(data["figures"][first]["key"], "waf");
    assert!(page.contains("marks the best of each buffer size by write amplification."));
    let tiles = page.split_once("class=\"tiles\"").unwrap().1;
    let titles: Vec<&str> = tiles
        .split("<h2>")
        .skip(1)
        .filter_map(|tile| tile.split("</h2>").next())
        .take(4)
        .collect();
    assert_eq!(titles[1..], ["Write amplification", "Throughput", "Erases"]);
}

/// A comparison under the parallel model, in which all rows have the same latencies.
fn clocked() -> Comparison {
    let mut comparison = common::comparison("w1.csv");
    for row in &mut comparison.rows {
        let of = |max| Latency {
            count: 4,
            max: Some(max),
            ..Latency::default()
        };
        row.outcome.latency_ns = Some(LatencyByOp {
            reads: of(7000),
            writes: of(9000),
            ..LatencyByOp::default()
        });
        row.outcome.utilisation = Some(Utilisation {
            chips: vec![Some(0.5), Some(0.7)],
            channels: vec![Some(0.25)],
            bus: Some(0.125),
        });
        let request = Completion {
            op: Op::Write,
            issued_ns: 1000,
            completed_ns: 10_000,
        };
        let erase = Span {
            activity: Activity::Erase,
            start_ns: 500,
            end_ns: 2500,
            busy_ns: 1000,
            operations: 2,
        };
        row.clocked = Some(Clocked {
            latency_histogram: Histograms {
                reads: vec![(5000, 3), (7000, 1)],
                writes: vec![(9000, 4)],
                ..Histograms::default()
            },
            over_time: OverTime::default(),
            slowest: Some(Slowest {
                request,
                from_ns: 1000,
                chips: vec![vec![], vec![erase]],
                channels: vec![vec![]],
                bus: vec![],
            }),
        });
    }
    comparison
}

// Planted bugs: latencies of reads among those of writes; the section of latencies under the serial model; a timeline of
// a run that is not judged; spans since the start of the run instead of the request.
#[test]
fn latencies_of_the_parallel_model_are_in_the_data() {
    let hidden = |page: &str| page.contains("<section aria-labelledby=\"clocked\" hidden>");
    assert!(hidden(&page()));
    let comparison = clocked();
    let page = html(&comparison, &common::about());
    assert!(!hidden(&page));
    let data = data(&page);
    let policy =
        |run: &&Value| data["series"][run["series"].as_u64().unwrap() as usize]["bound"] == false;
    for run in data["runs"].as_array().unwrap() {
        let clocked = &run["clocked"];
        if !policy(&run) {
            assert!(clocked.is_null());
            continue;
        }
        let latency = &clocked["latency"];
        assert_eq!(latency["R"]["points"], json!([[5.0, 100.0], [7.0, 25.0]]));
        assert_eq!(latency["W"]["points"], json!([[9.0, 100.0]]));
        assert_eq!(
            (&latency["F"], &latency["W"]["named"][6]),
            (&Value::Null, &json!(9.0))
        );
        let used =
            json!({"chips": 60.0, "channels": 25.0, "bus": 12.5, "least": 50.0, "most": 70.0});
        assert_eq!(clocked["use"], used);
    }
    let lines = data["timelines"].as_array().unwrap();
    let labels: Vec<&str> = lines
        .iter()
        .map(|line| line["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["bplru, 16 MiB", "lru, 16 MiB"]);
    assert_eq!(
        (&lines[0]["from"], &lines[0]["completed"]),
        (&json!(0), &json!(9000))
    );
    let erase = data["activities"]
        .as_array()
        .unwrap()
        .iter()
        .position(|key| key == "erase");
    let chip = json!({"name": "chip 1", "spans": [[erase, -500, 1500, 2, 50.0]]});
    assert_eq!(lines[0]["parts"].as_array().unwrap().last(), Some(&chip));
}

/// A comparison in which each policy has bytes of its own.
fn eaten() -> Comparison {
    let mut comparison = common::comparison("w1.csv");
    for (at, row) in (1..).zip(&mut comparison.rows) {
        let endurance = &mut row.outcome.endurance;
        endurance.flash_bytes =
            FlashBytes::of([(Cause::Host, 1_000_000), (Cause::Merge, at * 2_000_000)]);
        endurance.largest_cause = Some(Cause::Merge);
        endurance.tb_until_worn = Wear {
            mean: Some(1234.56),
            worst: Some(0.25),
        };
        endurance.missing_because = Some("the trace has no time span".into());
    }
    comparison
}

// Planted bugs: bars that do not compare between rows; a bound in the table; the cause of another row; help against
// causes that do not occur; a reason that is not said.
#[test]
fn what_eats_the_drive_and_what_would_help() {
    let comparison = eaten();
    let page = html(&comparison, &common::about());
    let section = between(&page, "id=\"eaten\"", "</section>");
    assert!(section.contains("Figures are missing where the trace has no time span."));
    assert!(!section.contains("The lives are"), "{section}");
    let mut doubtful = comparison.clone();
    for row in &mut doubtful.rows {
        row.outcome.steady_state.capacity_writes = 0.4;
        row.outcome.steady_state.settled.state = State::Cycle;
    }
    let of_cycle = html(&doubtful, &common::about());
    assert!(of_cycle.contains("The lives are of a cycle, not of a settled state."));
    let winner = row(&comparison, "bplru", Some(16 << 20));
    let bytes = winner.outcome.endurance.flash_bytes;
    let words = format!(
        "With bplru, the winner, most is written by merges: {} of {} programmed",
        decimal_bytes(bytes[Cause::Merge]),
        decimal_bytes(bytes.total())
    );
    assert!(section.contains(&words), "no {words:?} in {section}");
    let table = between(section, "data-table=\"endurance\"", "</figure>");
    let body = between(table, "<tbody>", "</tbody>");
    let lines: Vec<&str> = body.trim().lines().collect();
    let policies: Vec<&Row> = comparison
        .rows
        .iter()
        .filter(|row| row.kind == RowKind::Policy)
        .collect();
    assert_eq!(lines.len(), policies.len());
    let total = |row: &Row| row.outcome.endurance.flash_bytes.total();
    let most = policies.iter().map(|row| total(row)).max().expect("rows");
    for (line, row) in lines.iter().zip(policies) {
        let width = format!(
            "style=\"width: {:.2}%\"",
            100.0 * total(row) as f64 / most as f64
        );
        assert!(line.contains(&width), "no {width} in {line}");
        assert!(
            line.contains(&format!(">{}</td>", decimal_bytes(total(row)))),
            "{line}"
        );
        assert!(
            line.contains("flex-grow: 1000000\"") && line.contains(">merges</td>"),
            "{line}"
        );
        assert!(
            line.contains(">1,235</td>") && line.contains(">0.250</td>"),
            "{line}"
        );
        assert!(!line.contains("part-padding"), "{line}");
    }
    assert!(section.contains("id=\"helps\" data-table=\"helps\" hidden"));
}

// Planted bugs: a change that was refused is shown as tried; a change in vain among those that help; the figures of
// another change; advice without its figures; the wall time in the page, which would differ each time.
#[test]
fn changes_that_were_tried_are_shown_with_their_figures() {
    let mut comparison = eaten();
    let figures = |waf, life| {
        let values = [(WAF, Some(waf)), (LIFE, Some(life)), (THROUGHPUT, None)];
        values.into_iter().collect::<PerFigure<Option<f64>>>()
    };
    let tried = |change: &str, helps, figures| Tried {
        against: Cause::Padding,
        change: change.into(),
        set: vec![format!("key={change}")],
        by_host: false,
        helps,
        figures,
        refused: None,
        simulate_ns: Some(987_654_321),
    };
    let refused = Tried {
        refused: Some("too large".into()),
        simulate_ns: None,
        ..tried("huge", false, PerFigure::default())
    };
    comparison.would_help = Some(Advice {
        set: Vec::new(),
        label: "bplru".into(),
        size: Some(16 << 20),
        figures: figures(3.4, 0.8),
        judges: vec![WAF, LIFE, THROUGHPUT],
        tried: vec![
            tried("good", true, figures(1.25, 2.5)),
            tried("bad", false, figures(4.05, 0.5)),
            refused,
        ],
        missing_runs: 0,
    });
    let page = html(&comparison, &common::about());
    let helps = between(&page, "id=\"helps\" data-table=\"helps\"", "</figure>");
    assert!(helps.starts_with("><figcaption>"), "shown: {helps}");
    assert!(
        helps.contains("Each change of bplru 16 MiB was tried on this trace, in 2 further runs.")
    );
    let body = between(helps, "<tbody>", "</tbody>");
    let lines: Vec<&str> = body.trim().lines().collect();
    let expected = [
        ["as it is", "", ">3.40<", ">0.800<"],
        ["good", ">yes<", ">1.25<", ">2.50<"],
        ["bad", ">no<", ">4.05<", ">0.500<"],
    ];
    assert_eq!(lines.len(), expected.len(), "{body}");
    for (line, parts) in lines.iter().zip(expected) {
        for part in parts {
            assert!(line.contains(part), "no {part} in {line}");
        }
    }
    assert!(lines[1].contains("<code>key=good</code>") && lines[1].contains(">padding<"));
    assert!(!page.contains("987654321"));
}

// Planted bug: an empty section.
#[test]
fn nothing_programmed_is_no_section() {
    let section = "<section aria-labelledby=\"eaten\"";
    let mut none = common::comparison("w1.csv");
    for row in &mut none.rows {
        row.outcome.endurance.flash_bytes = FlashBytes::default();
    }
    assert!(html(&none, &common::about()).contains(&format!("{section} hidden>")));
    assert!(html(&eaten(), &common::about()).contains(&format!("{section}>")));
}
