//! `ssdlab trace merge`: traces side by side.
//!
//! Planted bugs that these catch: the traces one after the other; the later trace first where times are equal; a flush with
//! an offset; times that are stretched from 0 instead of the trace's first; a trace that reaches into the next one.

use crate::common::{HEADER, Lab, in_repository, trace, words};

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write(
        "a.csv",
        trace(&["100,W,0,4096", "300,F,0,0", "500,R,4096,512"]),
    );
    lab.write(
        "b.csv",
        trace(&["100,D,512,512", "200,W,0,8192", "900,W,8192,512"]),
    );
    lab
}

/// The requests that are printed.
fn merged(lab: &Lab, args: &str) -> Vec<String> {
    let text = lab.ok(&format!("trace merge {args}"));
    let mut lines = text.lines().map(str::to_owned);
    assert_eq!(lines.next().as_deref(), Some(HEADER));
    lines.collect()
}

const GIB: u64 = 1 << 30;

#[test]
fn by_time_each_on_its_part() {
    let lab = lab();
    let expected = [
        "100,W,0,4096".to_owned(),
        format!("100,D,{},512", GIB + 512),
        format!("200,W,{GIB},8192"),
        "300,F,0,0".to_owned(),
        "500,R,4096,512".to_owned(),
        format!("900,W,{},512", GIB + 8192),
    ];
    assert_eq!(merged(&lab, "a.csv b.csv"), expected);
    let near = merged(&lab, "a.csv b.csv --offset-each 1M");
    assert_eq!(near[1], "100,D,1049088,512");
    // the same trace again, without its flush
    let twice = merged(&lab, "a.csv a.csv --drop-flushes");
    let moved = GIB + 4096;
    let last = ["500,R,4096,512".to_owned(), format!("500,R,{moved},512")];
    assert_eq!(twice[2..], last);
}

#[test]
fn stretched_times() {
    let lab = lab();
    let all = merged(&lab, "a.csv b.csv --stretch 4e-6");
    let times: Vec<&str> = all
        .iter()
        .filter_map(|line| line.split(',').next())
        .collect();
    // 100 to 500 and 100 to 900 become 0 to 4000
    assert_eq!(times, ["0", "0", "500", "2000", "4000", "4000"]);
    assert!(all[4].starts_with("4000,R"), "{all:?}");
}

#[test]
fn real_traces() {
    let lab = Lab::new();
    let [one, two] = ["w2-ntfs-browser-cache", "w9-ext3-postmark"]
        .map(|name| in_repository(&format!("traces/{name}.csv.zst")));
    let paths = [one.to_str().unwrap(), two.to_str().unwrap()];
    let merge = words("trace merge --stretch=600 -o day.csv.zst");
    lab.ok(&[&merge, &paths[..]].concat());
    let info = |path: &str| lab.json(&["trace", "info", "--json", path]);
    let (day, one, two) = (info("day.csv.zst"), info(paths[0]), info(paths[1]));
    let sum = |key: &str| {
        let number = |info: &serde_json::Value| info["info"][key].as_u64().expect(key);
        (number(&day), number(&one) + number(&two))
    };
    for key in words("writes bytes_written reads pages_written flushes") {
        let (all, parts) = sum(key);
        assert_eq!(all, parts, "{key}");
    }
}

#[test]
fn what_cannot_be_merged() {
    let lab = lab();
    lab.write("still.csv", trace(&["7,W,0,512", "7,W,512,512"]));
    lab.write("bad.csv", trace(&["1,W,0,512", "2,X,0,512"]));
    for (args, why) in [
        ("", "required arguments were not provided"),
        (
            "a.csv -",
            "standard input: the traces are read twice, which standard input cannot be",
        ),
        (
            "a.csv b.csv --offset-each 8K",
            "b.csv: it ends at byte 8704, so it reaches into the next trace, 8192 bytes further on",
        ),
        (
            "a.csv still.csv --stretch 1",
            "still.csv: its times cannot be stretched: all of them are 7 ns",
        ),
        (
            "a.csv b.csv --stretch 0",
            "must be a number of seconds from 1e-9 to 1e9",
        ),
        (
            "a.csv b.csv --offset-each 0",
            "must be a size of at least 1 byte",
        ),
        ("a.csv none.csv", "none.csv"),
        ("a.csv bad.csv", "bad.csv, line 3"),
    ] {
        lab.refused(&format!("trace merge -o out.csv {args}"), &[why]);
    }
}
