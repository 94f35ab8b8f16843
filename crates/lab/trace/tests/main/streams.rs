//! Where the streams of requests come from.
//!
//! Planted bugs these catch: a stream of more than 16 bits cut to its low bits; a rule that overrides requests of another
//! line; the requests before a refused one lost; values of a column numbered anew in each batch; a merge without streams.

use crate::common::{read, refuse, with};
use ssdlab_trace::plain::{self, HEADER, STREAM_HEADER};
use ssdlab_trace::{Action, BATCH, Merge, Merged, ReadOptions, StreamBy, TraceReader};
use ssdlab_workload::synthetic::{Arrivals, Generator, Mixed, Settings};

fn by(rule: StreamBy) -> ReadOptions {
    with(|options| options.stream_by = Some(rule))
}

fn column(name: &str) -> ReadOptions {
    by(StreamBy::Column(name.into()))
}

fn streams(text: &str, options: &ReadOptions) -> Vec<u16> {
    let decoded = read(text, options).unwrap();
    decoded
        .requests
        .iter()
        .map(|request| request.stream())
        .collect()
}

#[test]
fn a_column_of_a_plain_trace() {
    let none = ReadOptions::default();
    let text = format!("{STREAM_HEADER}\n0,W,0,1,0\n1,R,0,1,7\r\n2,F,9,9,65535\n3,D,0,1,00012\n");
    assert_eq!(streams(&text, &none), [0, 7, 65535, 12]);
    assert_eq!(streams(&text, &column("stream")), [0, 7, 65535, 12]);
    assert!(read(&*text, &none).unwrap().summary.has_streams);
    let without = format!("{HEADER}\n0,W,0,1\n");
    assert!(!read(&*without, &none).unwrap().summary.has_streams);
    for (line, fragments) in [
        ("1,W,0,1", &["4 fields", "5 fields", STREAM_HEADER][..]),
        ("1,W,0,1,2,3", &["6 fields", "5 fields"]),
        ("1,W,0,1,", &["stream is empty"]),
        (
            "1,W,0,1,65536",
            &["stream is too large", "\"65536\"", "0 to 65535"],
        ),
        ("1,W,0,1,-1", &["stream is negative"]),
        ("1,W,0,1,hot", &["stream is not a number", "\"hot\""]),
        ("1,W,0,0,1", &["size_bytes is 0"]),
        (STREAM_HEADER, &["a second header"]),
    ] {
        let text = format!("{STREAM_HEADER}\n0,W,0,1,0\n{line}\n2,W,0,1,0\n");
        refuse(text, &none, "t, line 3: ", fragments);
    }
    let fifth = format!("{HEADER}\n0,W,0,1,5\n");
    refuse(fifth, &none, "t, line 2: ", &["5 fields", "4 fields"]);
    let missing = ["--stream-by column:stream", "no such column"];
    refuse(without, &column("stream"), "t, line 1: ", &missing);
}

#[test]
fn the_operation_or_the_place() {
    let text = format!("{STREAM_HEADER}\n0,W,0,1,9\n1,R,4095,1,9\n2,F,0,0,9\n3,D,4096,1,9\n");
    assert_eq!(streams(&text, &by(StreamBy::Op)), [1, 0, 2, 3]);
    assert_eq!(streams(&text, &by(StreamBy::Lba(4096))), [0, 0, 0, 1]);
    let far = format!("{HEADER}\n0,W,65535,1\n1,W,0,1\n2,W,65536,1\n3,W,0,1\n");
    let options = by(StreamBy::Lba(1));
    let refusal = ["65536", "--stream-by", "from 0 to 65535", "larger SIZE"];
    refuse(&*far, &options, "t, line 4: ", &refusal);
    let mut reader =
        TraceReader::from_reader("t", std::io::Cursor::new(far.into_bytes()), &options).unwrap();
    let mut before = Vec::new();
    assert!(reader.next_batch(&mut before).is_err());
    assert_eq!(before.len(), 2);
}

fn blkparse(cpu: u32, pid: u32, process: &str) -> String {
    format!("8,0 {cpu} 1 0.000000000 {pid} D W 8 + 8 [{process}]\n")
}

#[test]
fn a_column_of_blkparse() {
    let lines = [
        (3, 70, "kworker/0 a"),
        (0, 9, "[x]"),
        (3, 9, "kworker/0 a"),
        (1, 70, "y"),
    ];
    let text: String = lines
        .map(|(cpu, pid, name)| blkparse(cpu, pid, name))
        .concat();
    assert_eq!(streams(&text, &column("cpu")), [0, 1, 0, 2]);
    assert_eq!(streams(&text, &column("pid")), [0, 1, 1, 0]);
    assert_eq!(streams(&text, &column("process")), [0, 1, 0, 2]);
    let other = ["--stream-by column:device", "cpu, pid, process"];
    refuse(&*text, &column("device"), "t: ", &other);
    let completed = ReadOptions {
        action: Some(Action::Complete),
        ..column("process")
    };
    refuse(&*text, &completed, "t: ", &["column:process", "the error"]);
    let msr = "128166372003061629,usr,0,Read,0,512,1\n";
    refuse(msr, &column("usr"), "t: ", &["msr", "no column"]);
}

#[test]
fn values_are_numbered_once() {
    let lines = (0..3 * BATCH as u32).map(|pid| blkparse(0, pid % 5000, "x"));
    let numbers = streams(&lines.collect::<String>(), &column("pid"));
    assert!((0..).zip(numbers).all(|(at, number)| number == at % 5000));
    let too_many: String = (0..65537).map(|pid| blkparse(0, pid, "x")).collect();
    refuse(
        too_many,
        &column("pid"),
        "t, line 65537: ",
        &["\"65536\"", "65536 streams"],
    );
}

#[test]
fn mixed_writers_have_streams_and_a_merge_keeps_them() {
    let settings = Settings {
        unit: 512,
        seed: 1,
        reads: 0.1,
        flush_every: 9,
        arrivals: Arrivals::Every(10),
        ..Settings::default()
    };
    let requests = Generator::new(Mixed::new(60, 3, 0.2), settings).take(500);
    let requests: Vec<_> = requests.collect();
    for request in &requests {
        let part = request.offset / 512 / 20;
        assert!(request.stream() == 0 || u64::from(request.stream()) == part + 1);
    }
    assert!((0..=3).all(|stream| requests.iter().any(|request| request.stream() == stream)));
    let mut text = format!("{STREAM_HEADER}\n");
    for request in &requests {
        plain::add_line(&mut text, request, true);
    }
    let folder = tempfile::tempdir().unwrap();
    let [with, without] = ["with.csv", "without.csv"].map(|name| folder.path().join(name));
    std::fs::write(&with, text).unwrap();
    std::fs::write(&without, format!("{HEADER}\n1,W,0,512\n")).unwrap();
    let paths = [with, without];
    let merged = Merged::open(&paths, &Merge::default(), &ReadOptions::default()).unwrap();
    assert!(merged.parts().iter().any(|part| part.summary.has_streams));
    let merged: Vec<_> = merged.map(|request| request.unwrap().stream()).collect();
    let mut expected: Vec<_> = requests.iter().map(|request| request.stream()).collect();
    expected.insert(1, 0);
    assert_eq!(merged, expected);
}
