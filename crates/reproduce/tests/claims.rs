//! Tests claims on artificial rows.
//!
//! Planted bugs that these catch: a wrong sign; the wrong size; a verdict that is always the same; the row and its
//! rival exchanged; a bound, or the row itself, taken for a rival.

use ssdlab_reproduce::{Claim, Judged, Panel, judge};
use ssdlab_sim::{Comparison, Outcome, Row, RowKind};

const MIB: u64 = 1 << 20;

/// A row with a throughput, and a thousandth of it as erases.
fn row(label: &str, size: Option<u64>, throughput: f64) -> Row {
    let mut outcome = Outcome::default();
    outcome.derived.throughput_mb_s = Some(throughput);
    outcome.counters.erases = (throughput * 1000.0) as u64;
    Row {
        label: label.into(),
        name: label.into(),
        kind: match label {
            "ideal FTL" => RowKind::Bound,
            _ => RowKind::Policy,
        },
        policy: label.into(),
        ftl: "bast",
        size: size.map(|mib| mib * MIB),
        outcome,
        ..Row::default()
    }
}

/// Rows with 1, 2 and 4 MiB; `none` has no size.
fn panel(trace: &str, a: [f64; 3], b: [f64; 3]) -> Panel {
    let mut rows = vec![row("none", None, 1.0)];
    for (label, values) in [("a", a), ("b", b), ("ideal FTL", [99.0; 3])] {
        for (size, value) in [1, 2, 4].into_iter().zip(values) {
            rows.push(row(label, Some(size), value));
        }
    }
    let comparison = Comparison {
        rows,
        ..Comparison::default()
    };
    let trace = trace.into();
    Panel { trace, comparison }
}

fn claim(test: &str) -> Claim {
    let text = format!("says = \"\"\nsection = \"\"\ntest = {{ {test} }}");
    toml::from_str(&text).unwrap_or_else(|error| panic!("{error}"))
}

fn judged(test: &str, panels: &[Panel]) -> Judged {
    judge(&claim(test), panels).expect("a test")
}

const SIZES: &str = r#"sizes = ["1MiB", "2MiB", "4MiB"]"#;

#[test]
fn signs_and_sizes() {
    // a is slower with 1 MiB, as fast with 2, faster with 4
    let panels = [panel("t", [1.0, 2.0, 6.0], [2.0, 2.0, 4.0])];
    let holds = |relation: &str, row: &str, against: &str, sizes: &str| {
        let test = format!(
            r#"metric = "throughput", row = "{row}", against = "{against}", sizes = [{sizes}], relation = "{relation}""#
        );
        judged(&test, &panels).holds
    };
    for (relation, sizes, expected) in [
        ("> 0", r#""4MiB""#, true),
        ("> 0", r#""2MiB""#, false),
        ("> 0", r#""1MiB""#, false),
        ("> 0", r#""1MiB", "4MiB""#, false),
        (">= 0", r#""2MiB""#, true),
        (">= 0", r#""2MiB", "4MiB""#, true),
        (">= 0", r#""1MiB""#, false),
        ("< 0", r#""1MiB""#, true),
        ("< 0", r#""2MiB""#, false),
        ("< 0", r#""4MiB""#, false),
    ] {
        assert_eq!(
            holds(relation, "a", "b", sizes),
            expected,
            "{relation} {sizes}"
        );
    }
    assert!(holds("< 0", "b", "a", r#""4MiB""#));
    // a row without a size is valid at every size
    assert!(holds(">= 0", "a", "none", r#""1MiB", "2MiB", "4MiB""#));
}

#[test]
fn metrics() {
    let panels = [panel("t", [3.0; 3], [2.0; 3])];
    let test = r#"metric = "erases", row = "a", against = "b", sizes = ["1MiB"], relation = "> 0""#;
    let judged = judged(test, &panels);
    assert!(judged.holds);
    assert_eq!(judged.ours(), "+50 %");
    let panels = [panel("t", [3.0; 3], [0.0; 3])];
    assert_eq!(judge(&claim(test), &panels).unwrap().ours(), "–");
    assert!(!judge(&claim(test), &panels).unwrap().holds);
}

// planted bug: growth of the row itself, not of its lead; equal values taken for growth
#[test]
fn growth() {
    let holds = |a, b| {
        let test = format!(
            r#"metric = "throughput", row = "a", against = "b", {SIZES}, relation = "grows with size""#
        );
        judged(&test, &[panel("t", a, b)]).holds
    };
    assert!(holds([1.0, 2.0, 9.0], [2.0, 3.0, 4.0]));
    assert!(!holds([1.0, 2.0, 3.0], [1.0, 3.0, 9.0]));
    assert!(!holds([1.0, 2.0, 2.0], [1.0, 1.0, 1.0]));
}

#[test]
fn largest_of_rows() {
    let test = |row: &str| {
        format!(r#"metric = "throughput", row = "{row}", {SIZES}, relation = "largest of rows""#)
    };
    let panels = [panel("t", [2.0, 3.0, 4.0], [1.0, 2.0, 2.0])];
    let a = judged(&test("a"), &panels);
    assert!(a.holds);
    assert_eq!(a.ours(), "1 MiB +100 %, 2 MiB +50 %, 4 MiB +100 %");
    assert_eq!(a.points[1].against, "b");
    let b = judged(&test("b"), &panels);
    assert!(!b.holds);
    assert_eq!(b.points[b.telling].against, "a");
}

#[test]
fn largest_of_traces() {
    let holds = |trace: &str| {
        let test = format!(
            r#"metric = "throughput", row = "a", against = "b", trace = "{trace}", sizes = ["4MiB"], relation = "largest of traces""#
        );
        // a has more everywhere, its lead is largest on t, and it is fastest on u
        let panels = [
            panel("s", [9.0, 9.0, 2.0], [1.0; 3]),
            panel("t", [1.0, 1.0, 3.0], [1.0; 3]),
            panel("u", [9.0, 9.0, 9.0], [8.0; 3]),
        ];
        judged(&test, &panels).holds
    };
    assert_eq!(["s", "t", "u"].map(holds), [false, true, false]);
}

#[test]
fn verdicts() {
    let verdict = |ours: f64, paper: Option<f64>| {
        let test = r#"metric = "throughput", row = "a", against = "b", sizes = ["4MiB"], relation = "> 0""#;
        judged(test, &[panel("t", [ours; 3], [1.0; 3])]).verdict(paper)
    };
    assert_eq!(verdict(1.2, None), "same shape");
    assert_eq!(verdict(1.2, Some(20.0)), "same shape");
    assert_eq!(verdict(1.2, Some(41.0)), "same shape, weaker");
    assert_eq!(verdict(1.2, Some(9.0)), "same shape, stronger");
    assert_eq!(verdict(0.8, Some(20.0)), "differs");
}

// planted bug: always the last size, even if another one misses the claim
#[test]
fn the_telling_point_is_the_last_or_the_worst() {
    let test =
        format!(r#"metric = "throughput", row = "a", against = "b", {SIZES}, relation = "> 0""#);
    let telling = |a| judged(&test, &[panel("t", a, [1.0; 3])]).telling;
    assert_eq!(telling([2.0, 9.0, 3.0]), 2);
    assert_eq!(telling([2.0, 0.5, 3.0]), 1);
    assert_eq!(telling([0.9, 0.5, 0.7]), 1);
}

/// A test of row a against row b on these traces.
fn on_traces(test: &str, values: &[[[f64; 3]; 2]]) -> Judged {
    let names = ["t", "u", "v"].iter().zip(values);
    let panels: Vec<Panel> = names.map(|(name, [a, b])| panel(name, *a, *b)).collect();
    let test = format!(r#"metric = "throughput", row = "a", against = "b", {test}"#);
    judged(&test, &panels)
}

// planted bugs: only the first trace is judged; the deciding point counted from the first size of each trace
#[test]
fn without_a_trace_every_one_counts() {
    let test = r#"sizes = ["1MiB", "4MiB"], relation = "> 0""#;
    let good = [[2.0; 3], [1.0; 3]];
    assert!(on_traces(test, &[good, good]).holds);
    let judged = on_traces(test, &[good, [[2.0, 2.0, 0.5], [1.0; 3]]]);
    assert!(!judged.holds);
    let point = &judged.points[judged.telling];
    assert_eq!((point.trace.as_str(), point.size), ("u", 4 * MIB));
    assert_eq!(
        judged.ours(),
        "t 1 MiB +100 %, t 4 MiB +100 %, u 1 MiB +100 %, u 4 MiB −50 %"
    );
}

// planted bugs: a smaller value passes as equal; `within` accepts any smaller value
#[test]
fn equal_and_similar() {
    let holds = |a: f64, relation: &str| {
        let test = format!(r#"sizes = ["1MiB"], relation = "{relation}""#);
        on_traces(&test, &[[[a; 3], [2.0; 3]]]).holds
    };
    assert_eq!(
        [1.999, 2.0, 2.001].map(|a| holds(a, "= 0")),
        [false, true, false]
    );
    let values = [1.7, 1.9, 2.1, 2.3];
    assert_eq!(
        values.map(|a| holds(a, "within 10 %")),
        [false, true, true, false]
    );
}

// planted bugs: a tenth passes as more than a tenth; the smallest of several sizes left out
#[test]
fn more_than_a_tenth() {
    let holds = |a: [f64; 3]| {
        on_traces(
            &format!(r#"{SIZES}, relation = "> 10 %""#),
            &[[a, [2.0; 3]]],
        )
        .holds
    };
    assert!(holds([2.3; 3]));
    assert!(!holds([2.1; 3]));
    assert!(!holds([2.3, 2.1, 2.3]));
}

// planted bugs: the other row at the size of the first one; the row compared with itself
#[test]
fn another_size_of_the_same_row() {
    let panels = [panel("t", [2.0, 3.0, 5.0], [1.0; 3])];
    let test = r#"metric = "throughput", row = "a", against = "a", against_size = "1MiB", sizes = ["2MiB", "4MiB"], relation = "> 0""#;
    let judged = judged(test, &panels);
    assert_eq!(judged.ours(), "2 MiB +50 %, 4 MiB +150 %");
    assert_eq!(judged.points[0].against_size, MIB);
}

// planted bug: hits of writes, or a ratio of ratios that is 0 where the other row has no hit
#[test]
fn hits_of_reads() {
    let mut panels = [panel("t", [1.0; 3], [1.0; 3])];
    for row in &mut panels[0].comparison.rows {
        row.outcome.derived.write_hit_ratio = Some(0.9);
        row.outcome.derived.read_hit_ratio = match row.label.as_str() {
            "a" => Some(0.3),
            "b" => Some(0.2),
            _ => Some(0.0),
        };
    }
    let test = |against: &str| {
        format!(
            r#"metric = "read hits", row = "a", against = "{against}", sizes = ["1MiB"], relation = "> 10 %""#
        )
    };
    assert_eq!(judged(&test("b"), &panels).ours(), "+50 %");
    assert!(!judged(&test("none"), &panels).holds);
}

// planted bugs: every trace must be below; the mean of the rows instead of that of the differences
#[test]
fn averages() {
    let holds = |values: &[[[f64; 3]; 2]]| {
        let judged = on_traces(r#"sizes = ["1MiB"], relation = "< 0 on average""#, values);
        (judged.holds, judged.ours())
    };
    let (up, down) = ([[1.1; 3], [1.0; 3]], [[40.0; 3], [80.0; 3]]);
    let (below, ours) = holds(&[up, down]);
    assert!(below);
    assert!(
        ours.starts_with("mean ") && ours.contains("t +10 %"),
        "{ours}"
    );
    // a quarter more, and a fifth less of much more
    assert!(!holds(&[[[1.25; 3], [1.0; 3]], [[80.0; 3], [100.0; 3]]]).0);
}

// planted bugs: growth from size to size; the share of another row
#[test]
fn growth_over_traces_of_a_share() {
    let holds = |base: &str, values: &[[[f64; 3]; 2]]| {
        let test = format!(r#"{base} sizes = ["1MiB", "4MiB"], relation = "grows with trace""#);
        on_traces(&test, values).holds
    };
    let falling = |a: f64| [[a, a, a / 2.0], [1.0; 3]];
    assert!(holds("", &[falling(2.0), falling(3.0), falling(4.0)]));
    assert!(!holds("", &[falling(2.0), falling(4.0), falling(3.0)]));
    assert!(!holds("", &[falling(2.0), falling(2.0)]));
    // of `none`, which is 1, from 2 to 3; of b, from 1 to 0.6
    let values = [[[4.0; 3], [2.0; 3]], [[8.0; 3], [5.0; 3]]];
    assert!(holds(r#"base = "none","#, &values));
    assert!(!holds("", &values));
}

// planted bug: a row with a size used in a figure without sizes
#[test]
fn without_sizes_there_is_one_point() {
    let rows = vec![row("a", None, 3.0), row("b", None, 2.0)];
    let comparison = Comparison {
        rows,
        ..Comparison::default()
    };
    let trace = "t".into();
    let test = r#"metric = "throughput", row = "a", against = "b", relation = "> 0""#;
    let judged = judged(test, &[Panel { trace, comparison }]);
    assert!(judged.holds);
    assert_eq!((judged.points.len(), judged.ours().as_str()), (1, "+50 %"));
}

// planted bug: one counter for another
#[test]
fn metrics_of_counters() {
    let mut panel = panel("t", [1.0; 3], [1.0; 3]);
    for row in &mut panel.comparison.rows {
        let counters = &mut row.outcome.counters;
        let factor = if row.label == "a" { 1 } else { 0 };
        counters.elapsed_ns = 1000 + 100 * factor;
        counters.flash_programs = 1000 + 200 * factor;
        counters.full_merges = 1000 + 300 * factor;
        counters.partial_merges = 1000 + 400 * factor;
    }
    let panels = [panel];
    let ours = |metric: &str| {
        let test = format!(
            r#"metric = "{metric}", row = "a", against = "b", sizes = ["1MiB"], relation = "> 0""#
        );
        judged(&test, &panels).ours()
    };
    let metrics = ["time", "programs", "full merges", "partial merges"];
    assert_eq!(metrics.map(ours), ["+10 %", "+20 %", "+30 %", "+40 %"]);
}

// planted bug: the first and the last for the least and the most
#[test]
fn many_points_show_their_range() {
    let test = r#"sizes = ["1MiB", "2MiB", "4MiB"], relation = "> 0""#;
    let values = [[1.2, 0.5, 1.1], [1.3, 9.0, 1.4], [1.5, 1.6, 1.7]].map(|a| [a, [1.0; 3]]);
    let ours = on_traces(test, &values).ours();
    assert_eq!(ours, "9 points: t 2 MiB −50 % to u 2 MiB +800 %");
}
