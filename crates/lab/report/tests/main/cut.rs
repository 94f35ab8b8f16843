//! Bars of which one is far longer than the others.
//!
//! Planted bugs that these catch: an outlier that squeezes all other bars; a bar that is cut without a mark, or with the number
//! of its end; bars that are cut though none is an outlier.

use ssdlab_browser::{Browser, Scheme};
use ssdlab_report::html;
use ssdlab_sim::{Cause, Comparison, RowKind};

use crate::common;

/// Says how long each bar of two charts is, in shares of the longest one, how many break marks they have, and their texts.
const MEASURE: &str = r#"<script>
addEventListener("load", () => setTimeout(() => {
  const told = ["figure", "time"].map((id) => {
    const svg = document.querySelector(`#${id} svg`);
    const paths = [...svg.querySelectorAll("path")];
    const boxes = (wanted) => paths.filter(wanted).map((path) => path.getBoundingClientRect());
    const bars = boxes((path) => path.getAttribute("ecmeta_series_index") !== null || /^M[\d. ]+l[\d.]+ 0l0 [-\d.]+l-[\d.]+ 0Z$/.test(path.getAttribute("d")));
    const marks = boxes((path) => path.getAttribute("d") === "M0 -1L1 -1L0 1L-1 1Z");
    const ends = new Map();
    for (const { top, right, width } of bars.filter(({ width, height }) => width > 2 && height > 10 && height < 30)) {
      const row = Math.round(top);
      ends.set(row, Math.max(ends.get(row) ?? 0, right));
    }
    const texts = [...svg.querySelectorAll("text")].map((text) => text.textContent);
    const start = Math.min(...bars.map(({ left }) => left));
    const longest = Math.max(...ends.values()) - start;
    return { lengths: [...ends].sort(([a], [b]) => a - b).map(([, end]) => (end - start) / longest), marks: marks.length, texts };
  });
  document.body.innerHTML = `<pre id="told">${JSON.stringify(told)}</pre>`;
}, 500));
</script>"#;

/// Four buffers of one size, of which the last has so many times the speed, and that many times the time.
fn with_one(times: u64) -> Comparison {
    let mut made = common::comparison("w1.csv");
    let smallest = made.sizes[0];
    made.rows.retain(|row| {
        row.kind == RowKind::Policy
            && row.size == Some(smallest)
            && row.label != "bplru"
            && row.label != "cflru"
    });
    made.sizes = vec![smallest];
    made.varied.retain(|varied| varied.key != "buffer.size");
    for (at, row) in made.rows.iter_mut().enumerate() {
        let factor = if at == 3 { times } else { 1 };
        let derived = &mut row.outcome.derived;
        derived.throughput_mb_s = Some(100.0 * factor as f64);
        for cause in Cause::ALL {
            derived.time_ns[cause] *= factor;
        }
    }
    made
}

fn measured(made: &Comparison) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    std::fs::write(&path, html(made, &common::about()) + MEASURE).unwrap();
    let visit = Browser::find().and_then(|browser| browser.visit(&path, Scheme::Light));
    let visit = visit.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(visit.console, [""; 0]);
    let (_, told) = visit
        .dom
        .split_once("<pre id=\"told\">")
        .expect("an answer");
    let (told, _) = told.split_once("</pre>").expect("its end");
    serde_json::from_str(told).unwrap_or_else(|error| panic!("{error}: {told}"))
}

#[test]
fn one_long_bar_is_cut_and_squeezes_no_other() {
    for (times, is_cut) in [(50, true), (3, false)] {
        let told = measured(&with_one(times));
        for chart in told.as_array().expect("two charts") {
            let lengths = chart["lengths"].as_array().expect("lengths");
            assert_eq!(lengths.len(), 4, "{chart}");
            let shares: Vec<f64> = lengths.iter().map(|one| one.as_f64().unwrap()).collect();
            assert_eq!(shares[3], 1.0, "{chart}");
            assert_eq!(chart["marks"], u64::from(is_cut), "{chart}");
            let least = if is_cut { 0.3 } else { 0.2 };
            assert!(shares.iter().all(|share| *share > least), "{chart}");
        }
        let texts = told[0]["texts"].as_array().unwrap();
        let number = format!("{}.00", 100 * times);
        let is_number =
            |text: &serde_json::Value| text.as_str().unwrap().replace(',', "") == number;
        assert!(texts.iter().any(is_number), "{texts:?}");
    }
}
