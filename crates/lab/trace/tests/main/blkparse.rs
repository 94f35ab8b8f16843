//! blkparse's default text.
//!
//! Planted bugs these catch: sectors taken for bytes or for 4 KiB; nanoseconds read without their leading zeros; the
//! lines of another action; FUA's flush before its write, or a flush for every F; the summary taken for a request, or a
//! process called `] 1 + 8 [`; a second device mixed into the first; lines after the summary taken for a part of it; a
//! file with carriage returns alone read as one long line; a file that is cut in a line of another action taken for a
//! whole one.

use crate::common::{Decoded, read, refuse, skipped, written};
use ssdlab_trace::{Action, Format, Place, ReadOptions, TraceError, TraceReader, read_all};
use std::collections::BTreeMap;
use std::io::{Cursor, Read, repeat};
use std::path::PathBuf;

fn take(action: Action) -> ReadOptions {
    ReadOptions {
        format: Format::named("blkparse"),
        action: Some(action),
        ..ReadOptions::default()
    }
}

fn volume(name: &str) -> ReadOptions {
    ReadOptions {
        volume: Some(name.into()),
        ..take(Action::Dispatch)
    }
}

fn dispatched(text: &str) -> Decoded {
    read(text, &take(Action::Dispatch)).unwrap()
}

/// A line of the device 8,0 on CPU 3.
pub fn line(time: &str, action: &str, rest: &str) -> String {
    format!("  8,0    3       17 {time:>15}   697 {action:>2} {rest}\n")
}

fn d(rest: &str) -> String {
    line("0.000000000", "D", rest)
}

/// Another program made the CSVs of the same captures.
#[test]
fn samples_equal_their_csvs() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../traces");
    for (sample, csv) in [
        ("w5-fat16-media-flush", "w5-fat16-media-flush"),
        ("w6-fat16-p2p", "w6-fat16-p2p"),
        ("w9-fat16-postmark", "w9-fat16-postmark"),
        ("f2fs-small", "samples/f2fs-small"),
    ] {
        let options = ReadOptions::default();
        let text = folder.join(format!("samples/{sample}.blkparse.txt.zst"));
        let (requests, summary) = read_all(&text, &options).unwrap();
        let (expected, _) = read_all(&folder.join(format!("{csv}.csv.zst")), &options).unwrap();
        assert_eq!(requests.len(), expected.len(), "{sample}");
        for (index, (request, expected)) in requests.iter().zip(&expected).enumerate() {
            assert_eq!(request, expected, "{sample}, request {index}");
        }
        assert_eq!((summary.format, summary.backwards), ("blkparse", 0));
        if sample == "w5-fat16-media-flush" {
            // counted with awk
            let counts = [
                ("other actions", 784 + 277 + 3 * 3942),
                ("plug and message lines", 3618 + 3614 + 4),
                ("remap and split lines", 3435),
                ("summary lines", 13),
            ];
            assert_eq!(summary.skipped, counts.into());
        }
    }
}

#[test]
fn letters_and_units() {
    for (rest, expected) in [
        ("R 223490 + 8 [cat]", &["0 R 114426880 4096"][..]),
        ("WS 1 + 1 [sync]", &["0 W 512 512"]),
        ("RAM 0 + 256 [x]", &["0 R 0 131072"]),
        ("D 8 + 8 [fstrim]", &["0 D 4096 4096"]),
        ("DS 8 + 8 [x]", &["0 D 4096 4096"]),
        ("DE 8 + 8 [x]", &["0 D 4096 4096"]),
        ("DES 8 + 8 [x]", &["0 D 4096 4096"]),
        ("FN [kworker/0:1H]", &["0 F 0 0"]),
        ("F [x]", &["0 F 0 0"]),
        ("FS [x]", &["0 F 0 0"]),
        ("FN 0 [x]", &["0 F 0 0"]),
        ("FWS [x]", &["0 F 0 0"]),
        ("FN (     123) [x]", &["0 F 0 0"]),
        ("WFS 8 + 8 [x]", &["0 W 4096 4096", "0 F 0 0"]),
        ("WSF 8 + 8 [x]", &["0 W 4096 4096", "0 F 0 0"]),
        ("FW 8 + 8 [x]", &["0 F 0 0", "0 W 4096 4096"]),
        ("FWFSM 8 + 8 [x]", &["0 F 0 0", "0 W 4096 4096", "0 F 0 0"]),
        ("FR 8 + 8 [x]", &["0 F 0 0", "0 R 4096 4096"]),
        ("RF 8 + 8 [x]", &["0 R 4096 4096"]),
        ("W 8 + 8 (    4711) [x]", &["0 W 4096 4096"]),
        ("W 8 + 8 []", &["0 W 4096 4096"]),
        ("W 8 + 8 [a b] 9 + 9 [c]]", &["0 W 4096 4096"]),
        ("W 8 + 8 [\u{fc}\u{7}]", &["0 W 4096 4096"]),
    ] {
        let decoded = dispatched(&d(rest));
        assert_eq!(written(&decoded.requests), expected, "{rest}");
        assert_eq!(decoded.summary.skipped, Default::default(), "{rest}");
        assert!(decoded.lines.iter().all(|&line| line == 1), "{rest}");
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let text = [
        line("1.000000000", "Q", "W 8 + 8 [x]"),
        line("1.000000001", "m", "N cfq697S / alloced [ 5 + 8 ]"),
        line("1.000000002", "A", "W 8 + 8 <- (8,1) 0"),
        line("1.000000003", "X", "W 8 / 12 [x]"),
        line("1.000000004", "P", "N [x]"),
        line("1.000000005", "UT", "N [x] 1"),
        line("1.000000006", "D", "W 8 + 8 [x]"),
        line("1.000000007", "D", "N [x]"),
        line("1.000000008", "D", "W [x]"),
        line("1.000000009", "D", "R 9 + 0 [x]"),
        line("1.000000010", "D", "R 36 (12 00 00 00 24 00 ..) [sg_inq]"),
        line("1.000000011", "D", "N 0 [smartd]"),
        line("1.000000012", "ZP", "W 8 [x]"),
        "\n \r\n".into(),
        line("1.000000013", "D", "FN [x]"),
        "CPU0 (8,0):\n Reads Queued:     0,    0KiB\n\nTotal (8,0):\n".into(),
        "Events (8,0): 3 entries\nCPU1".into(),
    ]
    .concat();
    let decoded = dispatched(&text);
    assert_eq!(written(&decoded.requests), ["0 W 4096 4096", "7 F 0 0"]);
    assert_eq!(decoded.lines, [7, 16]);
    let counts = &decoded.summary.skipped;
    let expected = BTreeMap::from([
        ("blank lines", 2),
        ("no data", 3),
        ("other actions", 1),
        ("pass-through commands", 2),
        ("plug and message lines", 3),
        ("remap and split lines", 2),
        ("summary lines", 6),
        ("unknown actions", 1),
    ]);
    assert_eq!(*counts, expected);
    // every line is either a request or counted as skipped
    let left_out: u64 = counts.values().sum();
    assert_eq!(left_out + 2, text.lines().count() as u64);
}

#[test]
fn actions() {
    let text = [
        line("0.500000000", "Q", "WFS 8 + 8 [x]"),
        line("1.000000000", "D", "WS 8 + 4 [x]"),
        line("1.000000007", "D", "WS 12 + 4 [x]"),
        line("2.000000000", "C", "WS 12 + 4 [0]"),
        line("2.000000001", "C", "WS 8 + 4 (    99) [-5]"),
        line("2.000000002", "C", "FN 0 [0]"),
        line("2.000000003", "C", "WS 8 [0]"),
        line("2.000000004", "C", "R (12 00 ..) [0]"),
    ]
    .concat();
    for (action, expected, left_out) in [
        (Action::Queue, &["0 W 4096 4096", "0 F 0 0"][..], 7),
        (Action::Dispatch, &["0 W 4096 2048", "7 W 6144 2048"], 6),
        (
            Action::Complete,
            &["0 W 6144 2048", "1 W 4096 2048", "2 F 0 0"],
            3,
        ),
    ] {
        let decoded = read(text.as_str(), &take(action)).unwrap();
        assert_eq!(written(&decoded.requests), expected, "{action:?}");
        let completed = u64::from(action == Action::Complete);
        assert_eq!(skipped(&decoded, "other actions"), left_out);
        assert_eq!(skipped(&decoded, "no data"), completed);
        assert_eq!(skipped(&decoded, "pass-through commands"), completed);
    }
}

/// Planted bug: times that wrap around below 0.
#[test]
fn times_before_the_first_become_0() {
    let text = [
        line("5.000000010", "D", "R 0 + 1 [x]"),
        line("4.999999999", "D", "R 1 + 1 [x]"),
        line("5.000000009", "D", "R 2 + 1 [x]"),
        line("6.000000000", "D", "R 3 + 1 [x]"),
        line("5.000000011", "D", "R 4 + 1 [x]"),
    ];
    let decoded = dispatched(&text.concat());
    let times: Vec<_> = decoded.requests.iter().map(|r| r.time_ns).collect();
    assert_eq!(times, [0, 0, 0, 999_999_990, 1]);
    assert_eq!(decoded.summary.backwards, 3);
}

#[test]
fn several_devices() {
    let text = [
        // lines of other actions are not checked
        line("0.000000000", "Q", "W 8 + 8 [x]").replace("8,0 ", "9,9 "),
        d("W 8 + 8 [x]"),
        d("W 16 + 8 [x]").replace("8,0 ", "8,16"),
        d("W 24 + 8 [x]").replace("8,0 ", "259,3"),
    ]
    .concat();
    let one = take(Action::Dispatch);
    let both = ["a second volume", "\"8,16\"", "\"8,0\"", "--volume"];
    refuse(text.as_str(), &one, "t, line 3: ", &both);
    let second = read(text.as_str(), &volume("8,16")).unwrap();
    assert_eq!(written(&second.requests), ["0 W 8192 4096"]);
    assert_eq!(skipped(&second, "other volumes"), 2);
    let none = "t: no request of volume \"8,1\"; the trace has \"8,0\", \"8,16\", \"259,3\";";
    refuse(text.as_str(), &volume("8,1"), none, &[]);
    refuse(
        text.as_str(),
        &volume("sda"),
        "t: --volume sda: ",
        &["major", "8,0"],
    );
    let many: String = (0..100)
        .map(|n| d("W 8 + 8 [x]").replace("8,0 ", &format!("7,{n}")))
        .collect();
    let some = "t: no request of volume \"8,1\"; the trace has \"7,0\", \"7,1\", \"7,2\", \"7,3\", perhaps others;";
    refuse(many, &volume("8,1"), some, &[]);
}

#[test]
fn nothing_to_take() {
    let text = [
        line("1.000000000", "Q", "W 8 + 8 [x]"),
        line("1.000000000", "Q", "W 8 + 8 [x]"),
        line("1.000000001", "C", "W 8 + 8 [0]"),
    ]
    .concat();
    let what = ["no lines of action D", "2 of Q and 1 of C", "--action"];
    refuse(text, &take(Action::Dispatch), "t: ", &what);
    let plugs = line("1.000000004", "P", "N [x]");
    refuse(
        plugs,
        &take(Action::Queue),
        "t: ",
        &["no lines of action Q, D or C"],
    );
}

/// Planted bug: collecting a line without bound.
#[test]
fn endless_lines_fail_early() {
    let head = Cursor::new(d("W 8 + 8 [x]").trim_end().to_owned() + "CPU");
    let input = head.chain(repeat(b'x'));
    let options = take(Action::Dispatch);
    let mut reader = TraceReader::from_reader("t", input, &options).unwrap();
    let error = reader.next_batch(&mut Vec::new()).unwrap_err();
    assert!(
        matches!(
            error,
            TraceError::Malformed {
                at: Place { number: 1, .. },
                ..
            }
        ),
        "{error}"
    );
}
