//! What numbers mean: who wins, what dominates, what counts as one trace or one figure.

use crate::common::Lab;

/// The standard error of a command on a file with this text, and what it writes to a file of this name.
fn of(text: &str, name: &str, args: &[&str]) -> (String, String) {
    let lab = Lab::new();
    lab.write("in.csv", text);
    let output = format!("--output={name}");
    let ended = lab.run(&[&["report", "in.csv", &output], args].concat());
    assert!(ended.stderr.contains("note") || ended.stderr.is_empty(), "{}", ended.stderr);
    (ended.stderr, lab.read(name))
}

/// The notes of a spread of a figure over these rows.
fn winners(text: &str, figure: &str) -> String {
    of(text, "a.csv", &[&format!("--plot={figure}"), "--kind=spread"]).0
}

// planted bugs: percentages in the unit of pages, of which a hundredth of a point is a lead; points called percent
#[test]
fn percentages_win_by_points() {
    let rows = |lead: f64| {
        let mut text = String::from("trace,buffer_policy,write_hit_ratio\n");
        for (trace, ratio) in [("a", 0.2), ("b", 0.5), ("c", 0.8)] {
            text += &format!("{trace},lru,{ratio}\n{trace},fab,{}\n", ratio + lead);
        }
        text
    };
    let notes = winners(&rows(0.005), "write_hit_ratio");
    assert!(notes.contains("no winner by write hits: fab is better than lru in 0 of 3 samples, level in 3"), "{notes}");
    let notes = winners(&rows(0.055), "write_hit_ratio");
    assert!(notes.contains("fab wins by write hits: at least 5.5 points better"), "{notes}");
    let (_, picture) = of(&rows(0.055), "a.csv", &["--plot=write_hit_ratio", "--kind=spread"]);
    assert!(picture.contains(",50,"), "{picture}");
}
