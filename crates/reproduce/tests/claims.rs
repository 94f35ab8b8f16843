//! Claims judged on made rows.
//!
//! Planted bugs that these catch: a sign flipped; another size than the one named; a verdict that is always the same;
//! the row and the one that it is held against exchanged; a bound, or the row itself, taken for a rival.

use ssdlab_reproduce::{Claim, Judged, Panel, judge};
use ssdlab_sim::{Comparison, Costs, Outcome, Relative, Row, RowKind};

const MIB: u64 = 1 << 20;

/// A row with a throughput and as many erases as a thousandth of it says.
fn row(label: &str, size: Option<u64>, throughput: f64) -> Row {
    let mut outcome = Outcome::default();
    outcome.derived.throughput_mb_s = Some(throughput);
    outcome.counters.erases = (throughput * 1000.0) as u64;
    Row {
        label: label.into(),
        kind: match label {
            "ideal FTL" => RowKind::Bound,
            _ => RowKind::Policy,
        },
        policy: label.into(),
        ftl: "bast",
        variant: Default::default(),
        size: size.map(|mib| mib * MIB),
        best: false,
        relative: Relative::default(),
        costs: Costs::default(),
        outcome,
        erase_histogram: Vec::new(),
    }
}

/// With 1, 2 and 4 MiB; `none` has no size.
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
    // a row without a size stands at every size
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

// planted bug: always the last size, though it is not the one that fails
#[test]
fn the_telling_point_is_the_last_or_the_worst() {
    let test =
        format!(r#"metric = "throughput", row = "a", against = "b", {SIZES}, relation = "> 0""#);
    let telling = |a| judged(&test, &[panel("t", a, [1.0; 3])]).telling;
    assert_eq!(telling([2.0, 9.0, 3.0]), 2);
    assert_eq!(telling([2.0, 0.5, 3.0]), 1);
    assert_eq!(telling([0.9, 0.5, 0.7]), 1);
}
