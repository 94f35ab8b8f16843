//! Traces as they are in the field: what tools of every age print, what people cut, and what they take for CSV. The files are
//! in `tests/field`.
//!
//! Planted bugs that these catch: a barrier without its flush; a dispatch that was taken back and counts; records that were lost
//! without a word; seconds in floats of which a part is lost; a mark of thousands that is taken for a point.

use serde_json::Value;

use crate::common::{Lab, in_repository, trace};

/// What `trace info` finds in a file, with options: requests, reads, writes, flushes, discards, bytes written, end, span (s); `None`
/// is not looked at. The texts are in its output, on either stream.
type Found = (&'static str, [Option<f64>; 8], &'static [&'static str]);

const KEYS: [&str; 8] = [
    "requests",
    "reads",
    "writes",
    "flushes",
    "discards",
    "bytes_written",
    "end",
    "span_s",
];

/// As many requests of 4 KiB that write, and nothing else.
const fn writes(count: f64) -> [Option<f64>; 8] {
    let none = Some(0.0);
    let bytes = Some(4096.0 * count);
    [
        Some(count),
        none,
        Some(count),
        none,
        none,
        bytes,
        None,
        None,
    ]
}

const FOUND: &[Found] = &[
    (
        "blkparse-barrier.blkparse",
        [
            None,
            Some(0.0),
            Some(3.0),
            Some(2.0),
            None,
            Some(12288.0),
            None,
            None,
        ],
        &[],
    ),
    (
        "blkparse-comment-lines.txt",
        writes(2.0),
        &["2 comment lines"],
    ),
    (
        "blkparse-no-process.blkparse",
        [
            Some(2.0),
            None,
            Some(2.0),
            None,
            None,
            Some(8192.0),
            Some(140_517_376.0),
            None,
        ],
        &["without the process"],
    ),
    (
        "blkparse-requeue.blkparse",
        writes(1.0),
        &["1 requeued dispatches"],
    ),
    ("two.blktrace.0", writes(2.0), &[]),
    (
        "blktrace-cut.blktrace.0 --skip-malformed 1",
        writes(3.0),
        &["warning: ", "found 9 bytes of it"],
    ),
    (
        "blktrace-lost-events.blktrace.0",
        writes(5.0),
        &["warning: ", "97 events were lost", "from 3 to 101"],
    ),
    (
        "blktrace-version-8.blktrace.0 --volume 259,0",
        [
            Some(2.0),
            None,
            Some(2.0),
            None,
            None,
            Some(8192.0),
            Some(8192.0),
            None,
        ],
        &[],
    ),
    (
        "csv-date-and-time.csv",
        [
            Some(3.0),
            Some(1.0),
            Some(2.0),
            None,
            None,
            None,
            None,
            Some(1.5),
        ],
        &[],
    ),
    (
        "csv-hexadecimal.csv",
        [
            Some(2.0),
            None,
            Some(2.0),
            None,
            None,
            Some(8192.0),
            Some(26_189_824.0),
            None,
        ],
        &[],
    ),
    (
        "csv-net-ticks.csv --time-unit 100ns",
        [
            Some(2.0),
            None,
            Some(2.0),
            None,
            None,
            None,
            None,
            Some(0.001),
        ],
        &[],
    ),
    (
        "discard-no-bus.blkparse",
        [
            None,
            None,
            Some(2.0),
            None,
            Some(2.0),
            None,
            None,
            Some(0.00012),
        ],
        &[],
    ),
    (
        "four-numbers.txt",
        [Some(3.0), None, None, None, None, None, None, None],
        &["warning: ", "blocks of 4096 bytes", "--format"],
    ),
    ("parquet-float-seconds.parquet", SECONDS, &[]),
    ("csv-float-seconds.csv", SECONDS, &[]),
    (
        "parquet-pandas.parquet",
        [
            Some(1000.0),
            None,
            Some(1000.0),
            None,
            None,
            Some(4_096_000.0),
            None,
            Some(0.999),
        ],
        &[],
    ),
];

const SECONDS: [Option<f64>; 8] = [
    Some(5.0),
    Some(1.0),
    Some(2.0),
    Some(1.0),
    Some(1.0),
    None,
    None,
    Some(0.4),
];

/// What is refused, and the texts of the message.
const REFUSED: &[(&str, &[&str])] = &[
    ("trace info two", &["such as two.blktrace.0"]),
    (
        "trace info csv-thousands-point.csv",
        &["line 2", "512.000", "mark for thousands"],
    ),
    (
        "trace info parquet-brotli.parquet",
        &["brotli", "zstd, gzip, snappy"],
    ),
    (
        "trace info wrong-header-advice.csv",
        &["--fields", "offset=", "size=", "--time-unit", "--sector"],
    ),
    (
        "run apart.csv --compact --set flash.capacity=1MiB --set ftl.kind=page --set flash.page_size=4096 --set flash.pages_per_block=16",
        &["the trace needs 4194304 bytes even with --compact"],
    ),
];

/// A folder with all files.
fn lab() -> Lab {
    let lab = Lab::new();
    for entry in std::fs::read_dir(in_repository("tests/field")).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        std::fs::copy(&path, lab.path(&name.to_string_lossy())).expect("a copy");
    }
    lab
}

#[test]
fn every_file_is_what_it_is() {
    let lab = lab();
    let mut left = lab.files();
    // read with the one beside it
    left.retain(|file| file != "two.blktrace.1");
    for (options, numbers, says) in FOUND {
        let (name, _) = options.split_once(' ').unwrap_or((options, ""));
        left.retain(|file| !file.starts_with(name));
        let info = &lab.json(&format!("trace info --json {options}"))["info"];
        for (key, number) in KEYS.iter().zip(numbers) {
            if let Some(number) = number {
                let found = info[key].as_f64().unwrap_or(f64::NAN);
                assert!((found - number).abs() < 1e-9, "{options}: {key} {found}");
            }
        }
        let shown = lab.run(&format!("trace info {options}"));
        let shown = format!("{}{}", shown.stdout, shown.stderr);
        for text in *says {
            assert!(shown.contains(text), "{options}: {text} in {shown}");
        }
        // nothing to say, nothing said
        if says.is_empty() {
            assert!(!shown.contains("warning"), "{shown}");
        }
    }
    for (command, fragments) in REFUSED {
        left.retain(|file| !command.contains(file.as_str()));
        lab.refused(*command, fragments);
    }
    assert!(left.is_empty(), "looked at by no test: {left:?}");
}

// planted bug: a clock that begins in 1970 makes a drive live for decades
#[test]
fn a_trace_of_unix_time_is_that_from_zero() {
    let lab = Lab::new();
    let from = |start: u64| {
        let line = |n: u64| {
            let time = start + n * 1_000_000;
            format!("{time},W,{},4096", n * 7919 % 8000 * 4096)
        };
        let lines: Vec<String> = (0..3000).map(line).collect();
        trace(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    };
    lab.write("zero.csv", from(0));
    lab.write("epoch.csv", from(1_700_000_000_000_000_000));
    for device in [
        "--set ftl.kind=page --set buffer.policy=none",
        "--set ftl.kind=page --set buffer.policy=lru --set replay=timed",
        "--set ftl.kind=page --set timing.model=parallel --set replay=timed",
    ] {
        let figures = |name: &str| {
            let options = "--json --set flash.capacity=64MiB --set flash.page_size=4096";
            let mut run = lab.json(&format!("run {name} {options} {device}"));
            strip(&mut run);
            run.to_string().replace("epoch.csv", "zero.csv")
        };
        assert_eq!(figures("epoch.csv"), figures("zero.csv"), "{device}");
    }
}

/// Removes what tells two files of the same requests apart.
fn strip(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, _| !key.contains("sha256") && key != "run_id" && key != "hash");
            members.values_mut().for_each(strip);
        }
        Value::Array(members) => members.iter_mut().for_each(strip),
        _ => {}
    }
}

// planted bugs: a dictionary that is longer than what the reader of its own files takes; a file that stays open for each volume
#[test]
fn tables_of_many_sizes_streams_and_volumes_come_back() {
    let lab = Lab::new();
    let mut lines = "time_ns,op,offset_bytes,size_bytes,stream\n".to_owned();
    let mut volumes = "timestamp,volume,op,offset,size\n".to_owned();
    for n in 0..1500_u64 {
        lines += &format!("{n},W,{},{},{n}\n", n << 20, 512 * (n + 1));
        volumes += &format!("{n},vol{n},W,{},{}\n", n << 20, 512 * (n + 1));
    }
    lab.write("many.csv", &lines);
    lab.ok("trace convert many.csv -o many.parquet");
    lab.ok("trace convert many.parquet -o back.csv");
    assert_eq!(lab.read("back.csv"), lines);
    lab.write("volumes.csv", volumes);
    let fields = "--fields time=timestamp,volume=volume,op=op,offset=offset,size=size --time-unit us --sector 1";
    lab.ok(&format!(
        "trace convert volumes.csv {fields} --split-by-volume v"
    ));
    assert_eq!(std::fs::read_dir(lab.path("v")).expect("it").count(), 1500);
    for n in [0, 777, 1499] {
        let info = &lab.json(&format!("trace info --json v/vol{n}.parquet"))["info"];
        let expected = (1.into(), (512 * (n + 1)).into());
        assert_eq!(
            (&info["writes"], &info["bytes_written"]),
            (&expected.0, &expected.1)
        );
    }
}
