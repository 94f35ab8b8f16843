//! Tests statements on artificial rows.
//!
//! Planted bugs that these catch: a wrong sign; the wrong size; a verdict that is always the same; the row and its
//! rival exchanged; a bound, or the row itself, taken for a rival; runs that did nothing taken for agreement.

use ssdlab_reproduce::statement::Statement;
use ssdlab_reproduce::{Judged, Panel, Point, Score, judge};
use ssdlab_sim::{Figures, Outcome, Row, RowKind};

const MIB: u64 = 1 << 20;

/// A row with a throughput, and a thousandth of it as erases.
fn row(label: &str, size: Option<u64>, throughput: f64) -> Row {
    let mut outcome = Outcome::default();
    outcome.derived.throughput_mb_s = Some(throughput);
    outcome.counters.erases = (throughput * 1000.0) as u64;
    // rows of two policies never count the same
    outcome.counters.evictions = label.len() as u64;
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
    for (label, values) in [("a", a), ("bb", b), ("ideal FTL", [99.0; 3])] {
        for (size, value) in [1, 2, 4].into_iter().zip(values) {
            rows.push(row(label, Some(size), value));
        }
    }
    Panel {
        trace: trace.into(),
        sizes: [1, 2, 4].map(|mib| mib * MIB).to_vec(),
        rows,
    }
}

fn judged_with(paper: &str, test: &str, panels: &[Panel]) -> Judged {
    let text = format!("says = \"\"\nsection = \"\"\n{paper}\ntest = {{ {test} }}");
    let statement: Statement = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut test = statement.test.clone().expect("a test");
    test.metric.resolve(&Figures::default()).expect("a figure");
    judge(&test, &statement.said(), panels).expect("points")
}

fn judged(test: &str, panels: &[Panel]) -> Judged {
    judged_with("", test, panels)
}

fn nth(judged: &Judged, place: usize) -> &Point {
    judged.points().nth(place).expect("a point")
}

/// How many points agree, of those that were exercised.
fn counts(judged: &Judged) -> (usize, usize) {
    let scores = judged.points().filter_map(|point| point.score);
    let agree = scores.clone().filter(|score| score.agrees());
    (agree.count(), scores.count())
}

/// Its differences, without those elsewhere.
fn ours(judged: &Judged) -> String {
    let ours = judged.ours();
    ours.lines().next().unwrap_or_default().to_owned()
}

/// The worst verdict over all opponents.
fn verdict(judged: &Judged) -> &'static str {
    judged.score().map_or("not exercised", Score::words)
}

/// A test of the throughput of row a against row bb.
fn of_a(rest: &str, panels: &[Panel]) -> Judged {
    judged(
        &format!(r#"metric = "throughput", pairs = [["a", "bb"]], {rest}"#),
        panels,
    )
}

/// On traces of their own: the values of a and of bb.
fn panels(values: &[[[f64; 3]; 2]]) -> Vec<Panel> {
    let names = ["t", "u", "v"].iter().zip(values);
    names.map(|(name, [a, b])| panel(name, *a, *b)).collect()
}

#[test]
fn signs_and_sizes() {
    // a is slower with 1 MiB, as fast with 2, faster with 4
    let panels = [panel("t", [1.0, 2.0, 6.0], [2.0, 2.0, 4.0])];
    let of = |is: &str, sizes: &str| {
        verdict(&of_a(
            &format!(r#"is = "{is}", sizes = [{sizes}]"#),
            &panels,
        ))
    };
    for (is, sizes, expected) in [
        ("more", r#""4MiB""#, "same direction"),
        ("more", r#""2MiB""#, "no difference"),
        ("more", r#""1MiB""#, "opposite"),
        ("less", r#""1MiB""#, "same direction"),
        ("less", r#""4MiB""#, "opposite"),
        ("no less", r#""2MiB""#, "as the paper says"),
        ("no more", r#""4MiB""#, "opposite"),
        ("similar", r#""2MiB""#, "as the paper says"),
        ("similar", r#""4MiB""#, "opposite"),
    ] {
        assert_eq!(of(is, sizes), expected, "{is} {sizes}");
    }
    // without sizes, all of them; a row without a size is valid at every size
    assert_eq!(of_a(r#"is = "more""#, &panels).points().count(), 3);
    let against_none = r#"metric = "throughput", pairs = [["bb", "none"]], is = "more""#;
    assert_eq!(counts(&judged(against_none, &panels)), (3, 3));
}

// planted bugs: a majority decides, or all points; points that agree counted as all; a majority that is too small is
// called the opposite
#[test]
fn two_thirds_decide() {
    let of = |a: [f64; 3], b: [f64; 3]| {
        let panels = panels(&[[a, [1.0; 3]], [b, [1.0; 3]]]);
        let judged = of_a(r#"is = "more""#, &panels);
        (verdict(&judged), counts(&judged))
    };
    let three = ([2.0; 3], [0.5, 0.5, 0.5]);
    assert_eq!(of(three.0, three.1), ("opposite", (3, 6)));
    let four = ([2.0; 3], [2.0, 0.5, 0.5]);
    assert_eq!(of(four.0, four.1), ("same direction", (4, 6)));
    let noise = ([2.0; 3], [1.0, 0.5, 0.5]);
    assert_eq!(of(noise.0, noise.1), ("no difference", (3, 6)));
    // more than half agree, but not two thirds
    let most = [[2.0; 3], [2.0, 2.0, 0.5], [0.5; 3]].map(|a| [a, [1.0; 3]]);
    let judged = of_a(r#"is = "more""#, &panels(&most));
    assert_eq!(
        (verdict(&judged), counts(&judged)),
        ("no difference", (5, 9))
    );
    assert_eq!(judged.verdict(), "in part");
    assert_eq!(judged.ours(), "+100 % (−50 % to +100 %)");
}

#[test]
fn a_number_of_the_paper() {
    let of = |paper: &str, is: &str, a: f64| {
        let panels = [panel("t", [a; 3], [1.0; 3])];
        let test = format!(
            r#"metric = "throughput", pairs = [["a", "bb"]], is = "{is}", sizes = ["4MiB"]"#
        );
        verdict(&judged_with(&format!("paper = {paper}"), &test, &panels))
    };
    assert_eq!(of("20", "more", 1.21), "in the paper's range");
    assert_eq!(of("20", "more", 1.12), "within a factor of two");
    assert_eq!(of("20", "more", 1.05), "same direction");
    assert_eq!(of("[-90, -40]", "less", 0.3), "in the paper's range");
    // half of what is saved, but four times what is left
    assert_eq!(of("[-95, -88]", "less", 0.48), "same direction");
}

// planted bugs: one number for all pairs; the numbers of the pairs exchanged
#[test]
fn a_number_for_each_pair() {
    let of = |papers: &str| {
        let panels = [panel("t", [0.8; 3], [1.0; 3])];
        let test = r#"metric = "throughput", pairs = [["a", "bb"], ["a", "none"], ["a", "bb"]], is = "less", sizes = ["4MiB"]"#;
        let judged = judged_with(&format!("papers = {papers}"), test, &panels);
        let scores = judged.points().map(|point| point.score.map(Score::words));
        scores.flatten().collect::<Vec<_>>()
    };
    let (range, double, direction) = (
        "in the paper's range",
        "within a factor of two",
        "same direction",
    );
    assert_eq!(of("[-20, -38, -50]"), [range, double, direction]);
    assert_eq!(
        of("[[-40, -30], -50, [-21, -15]]"),
        [double, direction, range]
    );
}

// planted bugs: no work counts as agreement; a counter of the other row
#[test]
fn runs_that_do_nothing_are_not_exercised() {
    let mut panels = [panel("t", [2.0; 3], [1.0; 3])];
    let merged = |panels: &[Panel]| {
        let test = of_a(r#"is = "more", needs = "full_merges""#, panels);
        (verdict(&test), counts(&test), test.ours())
    };
    assert_eq!(merged(&panels), ("not exercised", (0, 0), "–".to_owned()));
    for row in &mut panels[0].rows {
        if row.label == "bb" || row.size == Some(4 * MIB) {
            row.outcome.counters.full_merges = 7;
        }
    }
    let once = ("same direction", (1, 1), "+100 %".to_owned());
    assert_eq!(merged(&panels), once);
    // two policies that do the same say nothing about their difference, but are equal
    for row in &mut panels[0].rows {
        row.outcome = Outcome::default();
        row.outcome.derived.throughput_mb_s = Some(1.0);
    }
    for (is, expected) in [
        ("more", "not exercised"),
        ("less", "not exercised"),
        ("similar", "as the paper says"),
        ("no less", "as the paper says"),
    ] {
        let judged = of_a(&format!(r#"is = "{is}""#), &panels);
        assert_eq!(verdict(&judged), expected, "{is}");
    }
}

#[test]
fn metrics() {
    let test = r#"metric = "erases", pairs = [["a", "bb"]], sizes = ["1MiB"], is = "more""#;
    let of = |a: f64, b: f64| judged(test, &[panel("t", [a; 3], [b; 3])]);
    assert_eq!(ours(&of(3.0, 2.0)), "+50 %");
    // nothing on both sides is no result; something against nothing is more
    assert_eq!(verdict(&of(0.0, 0.0)), "not exercised");
    assert_eq!(verdict(&of(3.0, 0.0)), "same direction");
}

// planted bug: growth of the row itself, not of its lead; equal values taken for growth
#[test]
fn growth() {
    let of = |a, b| {
        let judged = of_a(r#"is = "more", over = "sizes""#, &[panel("t", a, b)]);
        (verdict(&judged), counts(&judged))
    };
    let growing = of([1.0, 2.0, 9.0], [2.0, 3.0, 4.0]);
    assert_eq!(growing, ("same direction", (2, 2)));
    let shrinking = of([1.0, 2.0, 3.0], [1.0, 3.0, 9.0]);
    assert_eq!(shrinking, ("opposite", (0, 2)));
    let constant = of([1.0, 2.0, 4.0], [1.0, 2.0, 4.0]);
    assert_eq!(constant, ("no difference", (0, 2)));
}

// planted bug: the steps of one trace run on into the next
#[test]
fn growth_stays_within_a_trace() {
    let values = [[[1.0, 2.0, 3.0], [1.0; 3]], [[1.0, 2.0, 3.0], [1.0; 3]]];
    let judged = of_a(r#"is = "more", over = "sizes""#, &panels(&values));
    assert_eq!(counts(&judged), (4, 4));
    assert_eq!(judged.ours(), "+100 points (+100 points to +100 points)");
}

// planted bugs: growth from size to size; the share of another row
#[test]
fn growth_over_traces_of_a_share() {
    let of = |base: &str, values: &[[[f64; 3]; 2]]| {
        let rest = format!(r#"{base} sizes = ["1MiB", "4MiB"], is = "more", over = "traces""#);
        counts(&of_a(&rest, &panels(values)))
    };
    let falling = |a: f64| [[a, a, a / 2.0], [1.0; 3]];
    let grows = [falling(2.0), falling(3.0), falling(4.0)];
    assert_eq!(of("", &grows), (4, 4));
    let there_and_back = [falling(2.0), falling(4.0), falling(3.0)];
    assert_eq!(of("", &there_and_back), (2, 4));
    // of `none`, which is 1, from 2 to 3; of bb, from 1 to 0.6
    let values = [[[4.0; 3], [2.0; 3]], [[8.0; 3], [5.0; 3]]];
    assert_eq!(of(r#"base = ["none"],"#, &values), (2, 2));
    assert_eq!(of("", &values), (0, 2));
}

#[test]
fn the_best_of_the_others() {
    let test = |row: &str, is: &str| {
        let panels = [panel("t", [2.0, 3.0, 4.0], [1.0, 2.0, 2.0])];
        let test = format!(r#"metric = "throughput", pairs = [["{row}"]], is = "{is}""#);
        judged(&test, &panels)
    };
    let a = test("a", "more");
    assert_eq!(a.ours(), "+100 %, +50 %, +100 %");
    assert_eq!(nth(&a, 1).against, "bb");
    assert_eq!(nth(&test("bb", "more"), 1).against, "a");
    // of less, the best is the least
    assert_eq!(nth(&test("a", "less"), 1).against, "none");
}

#[test]
fn a_lead_over_the_other_traces() {
    let agrees = |trace: &str| {
        // a has more everywhere, its lead is largest on t, and it is fastest on u
        let panels = [
            panel("s", [9.0, 9.0, 2.0], [1.0; 3]),
            panel("t", [1.0, 1.0, 3.0], [1.0; 3]),
            panel("u", [9.0, 9.0, 9.0], [8.0; 3]),
        ];
        let rest = format!(
            r#"traces = ["{trace}"], sizes = ["4MiB"], is = "more", over = "other traces""#
        );
        of_a(&rest, &panels).agrees()
    };
    assert_eq!(["s", "t", "u"].map(agrees), [false, true, false]);
}

// planted bugs: the first point tells most; a point that was not exercised does
#[test]
fn the_telling_point_is_the_first_of_the_worst() {
    let telling = |a| {
        let judged = of_a(r#"is = "more""#, &[panel("t", a, [1.0; 3])]);
        judged.telling().map(|point| point.size / MIB)
    };
    assert_eq!(telling([2.0, 9.0, 3.0]), Some(1));
    assert_eq!(telling([2.0, 0.5, 0.7]), Some(2));
    assert_eq!(telling([0.0, 2.0, 1.0]), Some(1));
}

// planted bugs: only the first trace is judged; a trace that is not named counts
#[test]
fn without_a_trace_every_one_counts() {
    let good = [[2.0; 3], [1.0; 3]];
    let panels = panels(&[good, [[2.0, 2.0, 0.5], [1.0; 3]]]);
    assert_eq!(counts(&of_a(r#"is = "more""#, &panels)), (5, 6));
    let judged = of_a(r#"is = "more", traces = ["t"]"#, &panels);
    assert_eq!(counts(&judged), (3, 3));
}

// planted bugs: the other row at the size of the first one; the row compared with itself
#[test]
fn another_size_of_the_same_row() {
    let panels = [panel("t", [2.0, 3.0, 5.0], [1.0; 3])];
    let test = r#"metric = "throughput", pairs = [["a", "a"]], against_size = "1MiB", sizes = ["2MiB", "4MiB"], is = "more""#;
    let judged = judged(test, &panels);
    assert_eq!(ours(&judged), "+50 %, +150 %");
    assert_eq!(nth(&judged, 0).against_size, MIB);
}

// planted bug: hits of writes for hits of reads, or the other way round
#[test]
fn hits() {
    let mut panels = [panel("t", [1.0; 3], [1.0; 3])];
    for row in &mut panels[0].rows {
        let [read, write] = match row.label.as_str() {
            "a" => [0.3, 0.8],
            _ => [0.2, 0.5],
        };
        row.outcome.derived.read_hit_ratio = Some(read);
        row.outcome.derived.write_hit_ratio = Some(write);
    }
    let of = |metric: &str| {
        let test =
            format!(r#"metric = "{metric}", pairs = [["a", "bb"]], sizes = ["1MiB"], is = "more""#);
        ours(&judged(&test, &panels))
    };
    assert_eq!(["read hits", "write hits"].map(of), ["+50 %", "+60 %"]);
}

// planted bug: the mean of the rows instead of that of the differences
#[test]
fn averages() {
    let of = |values: &[[[f64; 3]; 2]]| {
        let judged = of_a(
            r#"sizes = ["1MiB"], is = "less", over = "mean""#,
            &panels(values),
        );
        (judged.agrees(), judged.ours())
    };
    let (up, down) = ([[1.1; 3], [1.0; 3]], [[40.0; 3], [80.0; 3]]);
    assert_eq!(of(&[up, down]), (true, "−20 %".to_owned()));
    // a quarter more, and a fifth less of much more
    assert!(!of(&[[[1.25; 3], [1.0; 3]], [[80.0; 3], [100.0; 3]]]).0);
}

// planted bug: a row with a size used in a figure without sizes
#[test]
fn without_sizes_there_is_one_point() {
    let rows = vec![row("a", None, 3.0), row("bb", None, 2.0)];
    let panel = Panel {
        trace: "t".into(),
        rows,
        ..Panel::default()
    };
    let judged = of_a(r#"is = "more""#, &[panel]);
    assert_eq!(
        (judged.points().count(), judged.ours().as_str()),
        (1, "+50 %")
    );
}

// planted bug: one counter for another
#[test]
fn metrics_of_counters() {
    let mut panel = panel("t", [1.0; 3], [1.0; 3]);
    for row in &mut panel.rows {
        let counters = &mut row.outcome.counters;
        let factor = if row.label == "a" { 1 } else { 0 };
        counters.elapsed_ns = 1000 + 100 * factor;
        counters.flash_programs = 1000 + 200 * factor;
        counters.full_merges = 1000 + 300 * factor;
        counters.partial_merges = 1000 + 400 * factor;
        counters.switch_merges = 1000 + 500 * factor;
        counters.evicted_clean_pages = 1000 + 600 * factor;
        counters.erases = 4000 + 3000 * factor;
    }
    let panels = [panel];
    let of = |metric: &str| {
        let test =
            format!(r#"metric = "{metric}", pairs = [["a", "bb"]], sizes = ["1MiB"], is = "more""#);
        ours(&judged(&test, &panels))
    };
    let metrics = ["time", "programs", "full merges", "partial merges"];
    assert_eq!(metrics.map(of), ["+10 %", "+20 %", "+30 %", "+40 %"]);
    // of the erases, 1200 more are of merges
    let metrics = ["switch merges", "clean evictions", "random log blocks"];
    assert_eq!(metrics.map(of), ["+50 %", "+60 %", "+180 %"]);
}

// planted bugs: the bound of another size; a value compared with the other rows; a value near the bound that exceeds it
#[test]
fn bounds_of_the_paper() {
    let panels = [panel("t", [2.0, 3.0, 4.0], [9.0; 3])];
    let test =
        r#"metric = "throughput", pairs = [["a"]], is = "no more", values = [2.1, 3.0, 1.0]"#;
    let judged = judged(test, &panels);
    assert_eq!(counts(&judged), (2, 3));
    assert_eq!(
        judged.ours(),
        "2.0 (paper 2.1), 3.0 (paper 3), 4.0 (paper 1)"
    );
    // of two rows, each has its own
    let two = r#"metric = "throughput", pairs = [["bb"], ["a"]], is = "no more", values = [9, 9, 9, 2, 3, 4]"#;
    assert_eq!(counts(&judged_with("", two, &panels)), (6, 6));
}

// planted bugs: the difference of two rows in place of the value of one; the base of one row
#[test]
fn values_and_differences_as_shares() {
    let mut panels = [panel("t", [3.0; 3], [2.0; 3])];
    let share = r#"metric = "throughput", pairs = [["a", "bb"]], base = ["a", "none"], is = "more", sizes = ["1MiB"]"#;
    assert_eq!(ours(&judged(share, &panels)), "+50 %");
    for row in &mut panels[0].rows {
        row.outcome.counters.merge_programs = 1;
        row.outcome.counters.copy_backs = 3;
    }
    let own = r#"metric = "from the buffer", pairs = [["a"]], over = "value", is = "more", sizes = ["1MiB"]"#;
    assert_eq!(ours(&judged(own, &panels)), "+25 %");
}

// planted bug: the first and the last for the least and the most
#[test]
fn many_points_show_their_median_and_range() {
    let values = [[1.2, 0.5, 1.1], [1.3, 9.0, 1.4], [1.5, 1.6, 1.7]].map(|a| [a, [1.0; 3]]);
    let ours = of_a(r#"is = "more""#, &panels(&values)).ours();
    assert_eq!(ours, "+40 % (−50 % to +800 %)");
}

// planted bugs: opponents are pooled; the best opponent decides; names of the first rows where the second ones differ
#[test]
fn each_opponent_has_its_verdict() {
    let panels = [panel("t", [2.0; 3], [0.5, 4.0, 4.0])];
    let test = r#"metric = "throughput", pairs = [["a", "none"], ["a", "bb"]], is = "more""#;
    let judged = judged(test, &panels);
    assert!(!judged.agrees());
    assert_eq!(judged.verdict(), "none: same direction\nbb: opposite");
    assert_eq!(judged.counts(), "none: 3 of 3\nbb: 1 of 3: with 1 MiB");
    assert_eq!(
        judged.ours(),
        "none: +100 %, +100 %, +100 %\nbb: +300 %, −50 %, −50 %"
    );
    let name = |pairs: &str| {
        let test = format!(r#"metric = "throughput", pairs = {pairs}, is = "more""#);
        let judged = self::judged(&test, &panels);
        judged.opponents[1].name.clone()
    };
    assert_eq!(name(r#"[["a", "none"], ["bb", "none"]]"#), "bb");
    let both = r#"[["bb", "none"], ["a", "bb"]]"#;
    assert_eq!(name(both), "a against bb");
    // opponents of one verdict are one
    let judged = self::judged(test, &[panel("t", [2.0; 3], [0.5; 3])]);
    assert_eq!(judged.verdict(), "same direction");
    assert_eq!(judged.counts(), "6 of 6");
    // and agree where all of them do
    let judged = self::judged(test, &[panel("t", [2.0; 3], [0.5, 0.5, 4.0])]);
    assert_eq!(judged.counts(), "5 of 6: with 1 MiB to 2 MiB");
    let apart = [panel("t", [2.0; 3], [0.5, 4.0, 4.0])];
    let test = r#"metric = "throughput", pairs = [["a", "bb"], ["bb", "a"]], is = "more""#;
    assert_eq!(
        self::judged(test, &apart).counts(),
        "a against bb: 1 of 3: with 1 MiB\nbb against a: 2 of 3: with 2 MiB to 4 MiB"
    );
}

// planted bugs: a trace on which it is the opposite among others; the points of all traces under the name of one
#[test]
fn each_trace_has_its_verdict() {
    let panels = panels(&[
        [[2.0; 3], [1.0; 3]],
        [[2.0; 3], [1.0; 3]],
        [[0.5; 3], [1.0; 3]],
    ]);
    assert!(of_a(r#"is = "more""#, &panels).agrees());
    let judged = of_a(r#"is = "more", each_trace = true"#, &panels);
    assert!(!judged.agrees());
    assert_eq!(
        judged.verdict(),
        "on t, on u: same direction\non v: opposite"
    );
    assert_eq!(judged.counts(), "on t, on u: 6 of 6\non v: 0 of 3");
    let test = r#"metric = "throughput", pairs = [["a", "none"], ["a", "bb"]], is = "more", each_trace = true"#;
    let judged = judged_with("", test, &panels[1..]);
    assert_eq!(judged.verdict(), "on u: same direction\non v: opposite");
}

// planted bugs: the number of another trace; a ratio that is far more in its direction
#[test]
fn each_trace_has_its_number() {
    let panels = panels(&[[[2.0; 3], [1.0; 3]], [[9.0; 3], [1.0; 3]]]);
    let of = |numbers: &str, is: &str| {
        let test = format!(
            r#"metric = "throughput", pairs = [["a", "bb"]], is = "{is}", traces = ["t", "u"], each_trace = true"#
        );
        judged_with(numbers, &test, &panels).verdict()
    };
    assert_eq!(of("papers = [100, 800]", "more"), "in the paper's range");
    assert_eq!(
        of("papers = [100, 300]", "more"),
        "on t: in the paper's range\non u: same direction"
    );
    assert_eq!(
        of("paper = 300", "times"),
        "on t: within a factor of two\non u: far more"
    );
}

// planted bug: the number of the worst opponent alone
#[test]
fn in_brief_each_of_few_opponents_has_its_number() {
    let panels = [panel("t", [0.8; 3], [0.5; 3])];
    let test = r#"metric = "throughput", pairs = [["a", "none"], ["a", "bb"]], is = "less", sizes = ["1MiB"]"#;
    let judged = judged_with("papers = [-20, -20]", test, &panels);
    assert_eq!(judged.in_brief(), ["−20 %, +60 %", "opposite: bb"]);
}

// planted bugs: a share of a difference taken for a difference; a share that is far more in its direction
#[test]
fn a_share_of_an_improvement() {
    let of = |a: f64| {
        let panels = [panel("t", [a; 3], [2.0; 3])];
        let test = r#"metric = "throughput", pairs = [["a", "bb"]], base = ["bb", "none"], is = "more", sizes = ["1MiB"]"#;
        verdict(&judged_with("paper = 16", test, &panels))
    };
    assert_eq!(of(2.16), "in the paper's range");
    assert_eq!(of(2.3), "within a factor of two");
    assert_eq!(of(2.59), "far more");
    assert_eq!(of(2.05), "far less");
}

// planted bugs: two thirds are enough for the most; a level rival beats it
#[test]
fn the_most_is_beaten_nowhere() {
    let of = |is: &str, a: [f64; 3]| {
        verdict(&of_a(
            &format!(r#"is = "{is}""#),
            &[panel("t", a, [1.0; 3])],
        ))
    };
    assert_eq!(of("more", [2.0, 2.0, 0.5]), "same direction");
    assert_eq!(of("most", [2.0, 2.0, 0.5]), "opposite");
    assert_eq!(of("most", [2.0, 2.0, 1.0]), "same direction");
    assert_eq!(of("least", [0.5, 0.5, 2.0]), "opposite");
}

// planted bugs: chosen sizes or traces hide the others; they count in the verdict; they have the paper's number
#[test]
fn what_the_paper_does_not_speak_of_is_shown() {
    let panels = panels(&[[[2.0, 0.5, 1.0], [1.0; 3]], [[0.5, 3.0, 2.0], [1.0; 3]]]);
    let test = r#"metric = "throughput", pairs = [["a", "bb"]], is = "more", sizes = ["1MiB"], traces = ["t"]"#;
    let judged = judged_with("paper = 100", test, &panels);
    assert_eq!(judged.verdict(), "in the paper's range");
    assert_eq!(judged.ours(), "+100 %\nelsewhere 0.0 % (−50 % to +200 %)");
    assert_eq!(judged.counts(), "1 of 1\nelsewhere 2 of 5");
}

// planted bugs: the range decides; the mean of the sizes of one trace
#[test]
fn the_mean_of_the_paper_decides() {
    let panels = panels(&[[[0.9; 3], [1.0; 3]], [[0.5; 3], [1.0; 3]]]);
    let test = r#"metric = "throughput", pairs = [["a", "bb"]], is = "less""#;
    let of = |mean: &str| {
        verdict(&judged_with(
            &format!("paper = [-20, -5]\n{mean}"),
            test,
            &panels,
        ))
    };
    let judged = judged_with("mean = -30", test, &panels);
    assert_eq!(judged.ours(), "−50 % (−50 % to −10 %); mean −30 %");
    assert_eq!(judged.numbers(), ["−30 %"]);
    // where it holds, the mean hides
    let apart = self::panels(&[[[1.2; 3], [1.0; 3]], [[0.2; 3], [1.0; 3]]]);
    let apart = judged_with("mean = -30", test, &apart);
    assert_eq!(apart.verdict(), "in the paper's range, on 3 of 6");
    assert_eq!(of("mean = -70"), "far less");
    assert_eq!(of("mean = -30"), "in the paper's range");
    assert_eq!(of("mean = -16"), "within a factor of two");
    assert_eq!(of(""), "same direction");
}

// planted bug: a trace without work is not named
#[test]
fn traces_that_are_not_exercised_are_named() {
    let mut panels = panels(&[[[2.0; 3], [1.0; 3]], [[3.0; 3], [1.0; 3]]]);
    for row in &mut panels[0].rows {
        row.outcome.counters.full_merges = 7;
    }
    let judged = of_a(r#"is = "more", needs = "full_merges""#, &panels);
    assert_eq!(judged.counts(), "3 of 3; not exercised on u");
}

// planted bugs: places of points that do not agree; sizes with a gap as one range; traces of equal sizes apart
#[test]
fn the_places_where_it_holds() {
    let of = |values: &[[f64; 3]]| {
        let values: Vec<_> = values.iter().map(|a| [*a, [1.0; 3]]).collect();
        of_a(r#"is = "more""#, &panels(&values)).counts()
    };
    assert_eq!(of(&[[2.0, 0.5, 2.0]]), "2 of 3: with 1 MiB, 4 MiB");
    assert_eq!(of(&[[2.0; 3], [0.5; 3], [2.0; 3]]), "6 of 9: on t, v");
    let first = [2.0, 2.0, 0.5];
    assert_eq!(of(&[first, first]), "4 of 6: with 1 MiB to 2 MiB");
    assert_eq!(
        of(&[first, [2.0; 3], first]),
        "7 of 9: on t, v with 1 MiB to 2 MiB; on u"
    );
    assert_eq!(of(&[[0.5; 3]]), "0 of 3");
}
