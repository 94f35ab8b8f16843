//! `ssdlab trace sample`.
//!
//! Planted bugs that these catch: a device that is not scaled by the share of the groups; a run that is not ready to use; a
//! small sample without a warning.

use crate::common::Lab;

#[test]
fn the_device_goes_with_the_sample() {
    let lab = Lab::new();
    lab.ok("trace generate uniform --capacity 64MiB --requests 20k -o all.csv.zst");
    let args = "trace sample all.csv.zst --rate 1/4 --group 256KiB --capacity 64MiB --buffer 4MiB --log-blocks 16 -o part.csv";
    let report = lab.json(&format!("{args} --json"));
    let [groups, kept] = ["groups", "groups_kept"].map(|key| report[key].as_u64().unwrap());
    assert_eq!(groups, 256);
    assert!((40..90).contains(&kept), "{kept}");
    assert_eq!(report["capacity"], kept * 256 * 1024);
    let share = kept as f64 / groups as f64;
    assert_eq!(report["share"], share);
    let buffer = report["buffer"].as_u64().unwrap() as f64;
    assert!((buffer / (4 << 20) as f64 - share).abs() < 0.001);
    assert_eq!(report["log_blocks"], (16.0 * share).round());
    let requests = report["requests"].as_u64().unwrap() as f64;
    assert!((requests / 20_000.0 - share).abs() < 0.02, "{requests}");
    // the command that is printed works
    let text = lab.ok(args);
    let run = text.split("ssdlab run ").nth(1).unwrap();
    let run: Vec<&str> = ["run", "--json"]
        .into_iter()
        .chain(run.split_whitespace())
        .collect();
    assert_eq!(
        lab.json(&run)["config"]["flash"]["capacity"],
        report["capacity"]
    );
    let again = lab.ok(args);
    assert_eq!(again, text);
    let piped = lab.ok("trace sample all.csv.zst --rate 1/4 -o - --to mqsim");
    assert_eq!(piped.lines().next().unwrap().split(' ').count(), 5);
    lab.refused(
        "trace sample all.csv.zst --rate 1/4 -o - --json",
        &["give it a file with --output"],
    );
}

#[test]
fn a_sample_of_few_groups_is_warned_of() {
    let lab = Lab::new();
    lab.ok("trace generate uniform --capacity 64MiB --requests 2k -o all.csv.zst");
    let ended = lab.run("trace sample all.csv.zst --rate 10% -o part.csv");
    assert_eq!(ended.code, Some(0));
    assert!(
        ended.stderr.contains("with fewer than 32"),
        "{}",
        ended.stderr
    );
    lab.refused(
        "trace sample all.csv.zst --rate 0.00001 -o few.csv",
        &["none of the 64 groups of 1 MiB", "larger rate"],
    );
    lab.refused(
        "trace sample all.csv.zst --rate 2 -o few.csv",
        &["at most 1"],
    );
}
