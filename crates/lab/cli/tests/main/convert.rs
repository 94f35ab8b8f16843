//! `ssdlab trace convert`, and the formats of the other traces that commands write.
//!
//! Planted bugs that these catch: a file that stays after an error; a format by a name that says nothing; the input as
//! output; a second pass over standard input; volumes that are not told apart; a log that fio does not replay; a summary
//! among the requests on standard output.

use std::fs;

use crate::common::{HEADER, Lab, in_repository, json, trace};

const MSR: &str = "\
128166372003061629,usr,0,Read,0,512,1
128166372003061630,src,1,Write,1048576,512,1
128166372003061631,usr,0,Write,8192,4096,1
";

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write(
        "a.csv",
        trace(&["0,W,4096,8192", "300,F,0,0", "500,R,0,512", "600,D,512,512"]),
    );
    lab.write("bad.csv", trace(&["0,W,4096,8192", "300,W,0"]));
    lab.write("msr.csv", MSR);
    lab
}

#[test]
fn formats_by_their_endings() {
    let lab = lab();
    for (name, start) in [
        ("b.csv", HEADER.as_bytes()),
        ("b.csv.zst", &[0x28, 0xB5, 0x2F, 0xFD]),
        ("b.csv.gz", &[0x1F, 0x8B]),
        ("b.parquet", b"PAR1"),
        ("b.fio", b"fio version 3 iolog\n1 trace add\n"),
        ("b.mqsim", b"0 0 8 16 0\n500 0 0 1 1\n"),
        ("b.blkparse", b"240,0 "),
    ] {
        let text = lab.ok(&format!("trace convert a.csv -o {name}"));
        let bytes = fs::read(lab.path(name)).unwrap();
        assert!(bytes.starts_with(start), "{name}");
        assert!(
            text.starts_with(&format!("output        {name}, ")),
            "{text}"
        );
    }
    for name in ["b.csv", "b.csv.zst", "b.csv.gz"] {
        let again = lab.ok(&format!("trace convert {name} -o -"));
        assert_eq!(again, lab.read("a.csv"), "{name}");
    }
    let again = lab.ok("trace convert b.blkparse -o - --to plain");
    assert_eq!(again, lab.read("a.csv"));
    let report = lab.json("trace convert a.csv -o b.mqsim --json");
    assert_eq!(report["requests"], 2);
    assert_eq!(report["trace"]["requests"], 4);
    assert_eq!(report["bytes"], lab.read("b.mqsim").len());
    let warned = lab.run("trace convert a.csv -o b.mqsim").stderr;
    let expected = "\
warning: b.mqsim: 1 requests left out: discards, which the format cannot say
warning: b.mqsim: 1 requests left out: flushes, which the format cannot say
";
    assert_eq!(warned, expected);
}

#[test]
fn what_is_refused_leaves_nothing() {
    let lab = lab();
    for (args, why) in [
        ("bad.csv -o b.parquet", "bad.csv, line 3"),
        ("bad.csv -o b.csv.zst", "bad.csv, line 3"),
        ("bad.csv --split-by-volume v", "bad.csv, line 3"),
        ("a.csv --split-by-volume v", "no volumes to split by"),
        (
            "a.csv -o b.txt",
            ".csv, .parquet, .fio, .iolog, .mqsim or .blkparse",
        ),
        ("a.csv -o b.csv --to fio", "another format"),
        ("a.csv -o a.csv", "is also an input"),
        ("msr.csv -o b.csv", "--volume"),
        ("a.csv -o b.csv --scale-to 1024 --block 512", "need 8,704 B"),
        ("a.csv", "--output"),
        ("a.csv -o b.csv --block 512", "--scale-to"),
        ("a.csv -o b.csv --only X", "[possible values: R, W, F, D]"),
        ("a.csv -o b.csv --from 5", "with a unit"),
        ("a.csv -o b.csv --range 5..5", "the smaller first"),
        ("a.csv -o b.csv --from 2s --until 1s", "later than --from"),
        ("a.csv -o - --json", "give it a file with --output"),
        (
            "msr.csv --split-by-volume v --volume usr.0",
            "cannot be used with",
        ),
    ] {
        lab.refused(&format!("trace convert {args}"), &[why]);
    }
    let piped = lab.piped("trace convert - -o b.csv --scale-to 1M", lab.read("a.csv"));
    assert_eq!(piped.code, Some(2));
    assert!(piped.stderr.contains("read twice"), "{}", piped.stderr);
    assert!(!lab.path("b.csv").exists());
    let piped = lab.piped("trace convert - -o b.csv", lab.read("a.csv"));
    assert_eq!(piped.code, Some(0), "{}", piped.stderr);
    assert_eq!(lab.read("b.csv"), lab.read("a.csv"));
}

#[test]
fn a_part_of_a_trace() {
    let lab = lab();
    let part = "trace convert a.csv -o - --only W,F,R --from 300ns --until 600ns";
    let expected = trace(&["0,F,0,0", "200,R,0,512"]);
    assert_eq!(lab.ok(part), expected);
    let range = "trace convert a.csv -o - --range 8KiB.. --drop-flushes";
    assert_eq!(lab.ok(range), trace(&["0,W,8192,4096"]));
    let wrapped = "trace convert a.csv -o - --scale-to 10KiB --wrap --only W";
    assert_eq!(lab.ok(wrapped), trace(&["0,W,4096,6144", "0,W,0,2048"]));
    let packed = "trace convert a.csv -o - --scale-to 12KiB --block 4KiB --only W";
    assert_eq!(lab.ok(packed), trace(&["0,W,0,8192"]));
}

#[test]
fn volumes_apart() {
    let lab = lab();
    lab.ok("trace convert msr.csv --split-by-volume v --to csv");
    let read = |name: &str| lab.read(&format!("v/{name}.csv"));
    assert_eq!(read("usr.0"), trace(&["0,R,0,512", "200,W,8192,4096"]));
    assert_eq!(read("src.1"), trace(&["100,W,1048576,512"]));
    let report = lab.json("trace convert msr.csv --split-by-volume w --json");
    assert_eq!(
        (&report["files"], &report["requests"]),
        (&2.into(), &3.into())
    );
    assert!(lab.path("w/usr.0.parquet").exists());
    let mut names: Vec<_> = fs::read_dir(lab.path("w"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["src.1.parquet", "usr.0.parquet"]);
}

#[test]
fn other_commands_write_all_formats() {
    let lab = lab();
    lab.ok("trace generate uniform --requests 10 -o made.parquet");
    assert!(
        fs::read(lab.path("made.parquet"))
            .unwrap()
            .starts_with(b"PAR1")
    );
    lab.ok("trace merge a.csv a.csv -o both.fio");
    assert!(lab.read("both.fio").starts_with("fio version 3 iolog\n"));
    lab.refused(
        "trace generate uniform --requests 10 -o made.parqet",
        &[".parquet"],
    );
    lab.ok("trace generate uniform --requests 10 -o made");
    assert!(lab.read("made").starts_with(HEADER));
}

/// fio does what the log says, with its pauses.
#[test]
fn fio_replays_the_log() {
    let lab = lab();
    lab.write(
        "b.csv",
        trace(&[
            "0,W,4096,8192",
            "1000,F,0,0",
            "200000000,R,0,512",
            "300000000,W,0,4096",
        ]),
    );
    lab.ok("trace convert b.csv -o b.fio");
    let ended = lab.shell(
        "fio --name=replay --read_iolog=b.fio --ioengine=psync --output-format=json --output=done.json",
    );
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let done = json(&lab.read("done.json"));
    let job = &done["jobs"][0];
    assert_eq!(job["error"], 0);
    for (what, number, bytes) in [("read", 1, 512), ("write", 2, 12288)] {
        assert_eq!(job[what]["total_ios"], number, "{what}");
        assert_eq!(job[what]["io_bytes"], bytes, "{what}");
    }
    assert_eq!(job["sync"]["total_ios"], 1);
    assert!(job["job_runtime"].as_u64().unwrap() >= 300);
    assert_eq!(lab.path("trace").metadata().unwrap().len(), 12288);
}

#[test]
fn shipped_traces_come_back_bit_by_bit() {
    let lab = Lab::new();
    for name in ["w5-fat16-media", "w23-ext4-phone"] {
        let path = in_repository(&format!("traces/{name}.csv.zst"));
        let stored = zstd::decode_all(fs::File::open(&path).unwrap()).unwrap();
        for to in ["t.csv.gz", "t.parquet"] {
            let text = lab.ok(&["trace", "convert", path.to_str().unwrap(), "-o", to]);
            assert!(text.contains("\nrequests      "), "{text}");
            let plain = lab.ok(&["trace", "convert", to, "-o", "-"]);
            assert!(plain.as_bytes() == stored, "{name}, {to}");
        }
    }
}
