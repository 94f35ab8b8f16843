//! The report of made comparisons.

use crate::common;
use serde_json::Value;
use ssdlab_report::{About, html};
use ssdlab_sim::{Comparison, Reason, Row};

fn page() -> String {
    html(&common::comparison("w1.csv"), &common::about())
}

/// The JSON that the charts read.
fn data(page: &str) -> Value {
    let start = "<script id=\"data\" type=\"application/json\">";
    let text = page.split_once(start).expect("a data script").1;
    serde_json::from_str(text.split_once("</script>").expect("its end").0).expect("valid JSON")
}

/// The page without scripts, styles and what they hold.
fn markup(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, tail)) = rest.split_once("<script") {
        out.push_str(before);
        rest = tail.split_once("</script>").expect("a script ends").1;
    }
    out + rest
}

/// The table rows of the page: the texts of the cells, tags and small figures removed.
fn cells(page: &str) -> Vec<Vec<String>> {
    let body = page
        .split_once("<tbody>")
        .unwrap()
        .1
        .split_once("</tbody>")
        .unwrap()
        .0;
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
        let size = row
            .size
            .map_or("–".into(), |bytes| format!("{} MiB", bytes >> 20));
        let throughput = format!("{:.2}", derived.throughput_mb_s.unwrap());
        let hits = derived
            .write_hit_ratio
            .map_or("–".into(), |ratio| format!("{:.1}", 100.0 * ratio));
        let expected = [
            size,
            throughput,
            thousands(counters.erases),
            format!("{:.3}", derived.waf.unwrap()),
            thousands(counters.switch_merges),
            thousands(counters.partial_merges),
            thousands(counters.full_merges),
            hits,
            thousands(counters.padding_reads),
            format!("{:.3}", counters.elapsed_ns as f64 / 1e9),
        ];
        assert_eq!(cells[1..], expected);
    }
}

// Planted bug: a column with the difference of another one, percentage points called percent, or a baseline that is held
// against itself.
#[test]
fn differences_from_the_baseline_stand_in_their_columns() {
    let page = page();
    let table = page.split_once("<tbody>").unwrap().1;
    for line in table.split_once("</tbody>").unwrap().0.trim().lines() {
        let small: Vec<(usize, &str)> = line
            .split("</td>")
            .enumerate()
            .filter_map(|(at, cell)| Some((at, cell.split_once("<small>")?.1)))
            .map(|(at, text)| (at, text.trim_end_matches("</small>")))
            .collect();
        match line.contains(">lru<") {
            true => assert_eq!(small, []),
            false if line.contains(">none<") || line.contains("bound") => {
                assert_eq!(small[0], (1, "+25 %"));
            }
            false => assert_eq!(small, [(1, "+25 %"), (7, "−3 pp")]),
        }
    }
    assert!(
        page.contains("the difference from lru with"),
        "the baseline"
    );
}

// Planted bug: reasons in another order, or a saving shown as a cost.
#[test]
fn the_reasons_of_the_verdict_are_told() {
    let mut comparison = common::comparison("w1.csv");
    comparison.verdict.winner = Some("bplru".into());
    comparison.verdict.against = Some("lru".into());
    let reason = |counter, value, against, saved_ns| Reason {
        counter,
        value,
        against,
        ns: 0,
        against_ns: 0,
        saved_ns,
    };
    comparison.verdict.why = vec![
        reason("full_merges", 0, 13_098, 1.5e12),
        reason("padding_reads", 581_464, 0, -5e11),
    ];
    let page = html(&comparison, &common::about());
    let section = page.split_once("Why bplru beats lru").expect("a heading").1;
    let text = section
        .split_once("</table>")
        .unwrap()
        .0
        .replace(['\n', ' '], "");
    let expected = [
        "<td>fullmerges</td><td>0</td><td>13,098</td><td>1,500.000</td>",
        "<td>paddingreads</td><td>581,464</td><td>0</td><td>−500.000</td>",
    ];
    let at = expected.map(|row| text.find(row).unwrap_or_else(|| panic!("{row} in {text}")));
    assert!(at[0] < at[1]);
    assert!(
        !self::page().contains("Why bplru beats"),
        "no verdict, no reasons"
    );
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

// Planted bug: sorting by the shown text, where "9" comes after "10,000", instead of by the number.
#[test]
fn cells_sort_by_plain_numbers() {
    let page = page();
    let bplru = common::comparison("w1.csv");
    let erases = row(&bplru, "fifo", Some(1 << 20)).outcome.counters.erases;
    assert!(page.contains(&format!(
        "<td data-value=\"{erases}\">{}</td>",
        thousands(erases)
    )));
    assert!(page.contains("<td data-value=\"1048576\">1 MiB</td>"));
    assert_eq!(page.matches("aria-sort=\"none\"").count(), 11);
}

// Planted bug: points in the order of the rows instead of the sizes, or a curve of another policy.
#[test]
fn curves_hold_the_values_of_their_rows() {
    let comparison = common::comparison("w1.csv");
    let data = data(&page());
    assert_eq!(
        data["sizes"],
        serde_json::json!(["1 MiB", "2 MiB", "4 MiB", "8 MiB", "16 MiB"])
    );
    for curve in data["curves"].as_array().unwrap() {
        let label = curve["label"].as_str().unwrap();
        for (index, &size) in comparison.sizes.iter().enumerate() {
            let size = curve["sized"].as_bool().unwrap().then_some(size);
            let outcome = &row(&comparison, label, size).outcome;
            let throughput = curve["throughput"][index].as_f64().unwrap();
            let exact = outcome.derived.throughput_mb_s.unwrap();
            assert!((throughput / exact - 1.0).abs() < 1e-12);
            assert_eq!(
                curve["erases"][index].as_u64(),
                Some(outcome.counters.erases)
            );
        }
    }
    assert_eq!(data["curves"].as_array().unwrap().len(), 9);
}

// Planted bug: merges or times of the smallest size, or bounds among the competing bars.
#[test]
fn bars_show_policies_at_the_largest_size() {
    let comparison = common::comparison("w1.csv");
    let data = data(&page());
    let bars = data["largest"].as_array().unwrap();
    let labels: Vec<&str> = bars
        .iter()
        .map(|bar| bar["label"].as_str().unwrap())
        .collect();
    assert_eq!(
        labels,
        [
            "none",
            "fifo",
            "lru",
            "cflru",
            "fab",
            "bplru",
            "three-region"
        ]
    );
    for bar in &bars[1..] {
        let row = row(&comparison, bar["label"].as_str().unwrap(), Some(16 << 20));
        assert_eq!(
            bar["merges"]["full"].as_u64(),
            Some(row.outcome.counters.full_merges)
        );
        let seconds: f64 = bar["seconds"]
            .as_object()
            .unwrap()
            .values()
            .filter_map(Value::as_f64)
            .sum();
        assert!((seconds - row.outcome.counters.elapsed_ns as f64 / 1e9).abs() < 1e-6);
        assert_eq!(
            bar["wear"].as_array().unwrap().len(),
            row.erase_histogram.len()
        );
    }
}

// Planted bug: colours given by position, so that leaving a policy out recolours the others.
#[test]
fn a_policy_keeps_its_colour() {
    let mut fewer = common::comparison("w1.csv");
    fewer
        .rows
        .retain(|row| row.label == "bplru" || row.label == "new-policy");
    let mut other = fewer.rows[0].clone();
    other.label = "new-policy".into();
    fewer.rows.insert(0, other);
    let slots = |page: &str| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let curves = data(page)["curves"].as_array().unwrap().clone();
        curves
            .iter()
            .map(|curve| (text(&curve["label"]), text(&curve["slot"])))
            .collect()
    };
    let before = slots(&page());
    let after = slots(&html(&fewer, &common::about()));
    assert!(before.contains(&after[1]), "{after:?}");
    assert_ne!(after[0].1, after[1].1);
}

// Planted bug: a name, fact, warning, command or configuration that goes into the page as it is.
#[test]
fn nothing_from_outside_breaks_out() {
    let evil = "</script><b>\"'&{{config}}";
    let mut comparison = common::comparison(evil);
    comparison.sentence = evil.into();
    comparison.baseline = evil.into();
    comparison.verdict.winner = Some(evil.into());
    comparison.verdict.against = Some(evil.into());
    comparison.warnings.push(evil.into());
    for row in &mut comparison.rows {
        row.label = format!("{}{evil}", row.label);
        row.outcome.warnings.push(evil.into());
        row.outcome.config["ftl"]["kind"] = evil.into();
        row.outcome.trace.sha256 = Some(evil.into());
    }
    let about = About {
        command: evil.into(),
        version: evil.into(),
        config_toml: evil.into(),
        trace_lines: vec![(evil.into(), evil.into())],
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
    let first = &data(&page)["curves"][0]["label"];
    assert_eq!(first.as_str(), Some(format!("none{evil}").as_str()));
}

// Planted bug: a script, style sheet, font or image taken from the network.
#[test]
fn nothing_is_fetched() {
    let page = page();
    let markup = markup(&page);
    for forbidden in [
        "http://", "https://", " src=", " href=", "<link", "@import", "url(",
    ] {
        assert!(!markup.contains(forbidden), "{forbidden}");
    }
    let library = include_str!("../assets/echarts.common.min.js");
    let scripts = page.replace(library, "");
    for forbidden in ["http://", "https://", "import(", "fetch(", "XMLHttpRequest"] {
        assert!(!scripts.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("content=\"default-src 'none'; script-src 'unsafe-inline';"));
    assert!(page.len() < 1_000_000, "{}", page.len());
}

// Planted bug: walking a hash map, or writing the time of day into the page.
#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(page(), page());
}

// Planted bug: dividing by no blocks, indexing no sizes, or printing `null` or `NaN` for nothing.
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
    let page = html(&comparison, &common::about());
    let table = cells(&page);
    assert_eq!(
        [&table[0][1], &table[0][2], &table[0][4], &table[0][8]],
        ["–"; 4]
    );
    assert_eq!(
        data(&page)["curves"][0]["throughput"],
        serde_json::json!([null])
    );

    assert_eq!(
        data(&html(&Comparison::default(), &About::default()))["largest"],
        serde_json::json!([])
    );
}

// Planted bug: a section, the sentence or the facts forgotten in the template.
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
        "bast, 7 log blocks",
        "erase 1,500 µs",
        "full (aged device)",
    ];
    for text in facts.into_iter().chain([
        "log_blocks = 7",
        "bplru serves this trace best",
        "<title>w1.csv",
    ]) {
        assert!(page.contains(text), "{text}");
    }
}

// Planted bug: the warnings of single rows shown instead of those of the comparison, or a heading without warnings.
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
    assert!(!self::page().contains("<h2>Warnings</h2>"));
}
