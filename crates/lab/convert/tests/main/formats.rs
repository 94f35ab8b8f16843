//! The text of each format, and what each cannot say.
//!
//! Planted bugs that these catch: times of fio from 0; a file of fio that is not opened; a time of fio that runs backwards;
//! a size that fio does not read; a device number that is that of another volume; a discard that is rounded to what it does
//! not cover.

use ssdlab_convert::Convert;

use crate::common::{convert, lines, refused, try_convert};

const ALL: [&str; 5] = [
    "0,W,4096,8192",
    "1500,F,0,0",
    "2000000000,R,0,512",
    "2000001999,D,1024,512",
    "3000000000,W,0,512",
];

fn text(of: &str, how: &Convert, to: &str) -> String {
    String::from_utf8(convert(of, how, to).0).unwrap()
}

#[test]
fn fio() {
    let written = text(&lines(&ALL), &Convert::default(), "fio");
    let expected = "\
fio version 3 iolog
1 trace add
1 trace open
1 trace write 4096 8192
2 trace sync 0 0
2000001 trace read 0 512
2000002 trace trim 1024 512
3000001 trace write 0 512
3000001 trace close
";
    assert_eq!(written, expected);
}

#[test]
fn fio_keeps_an_order_and_reads_32_bits() {
    let of = lines(&["0,R,0,512", "9000,D,0,6442450944", "5000,R,0,4294967295"]);
    let (bytes, converted) = convert(&of, &Convert::default(), "fio");
    let expected = "\
fio version 3 iolog
1 trace add
1 trace open
1 trace read 0 512
10 trace trim 0 1073741824
10 trace trim 1073741824 1073741824
10 trace trim 2147483648 1073741824
10 trace trim 3221225472 3221225472
10 trace read 0 4294967295
10 trace close
";
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    assert_eq!(converted.requests, 6);
    // one is cut, one has a later time
    assert_eq!(converted.by_format.changed.values().sum::<u64>(), 2);
}

#[test]
fn mqsim() {
    let (bytes, converted) = convert(&lines(&ALL), &Convert::default(), "mqsim");
    let written = String::from_utf8(bytes).unwrap();
    assert_eq!(
        written,
        "0 0 8 16 0\n2000000000 0 0 1 1\n3000000000 0 0 1 0\n"
    );
    let left_out: Vec<_> = converted.by_format.left_out.into_iter().collect();
    let expected = [
        ("discards, which the format cannot say", 1),
        ("flushes, which the format cannot say", 1),
    ];
    assert_eq!(left_out, expected);
}

#[test]
fn blkparse() {
    let written = text(&lines(&ALL), &Convert::default(), "blkparse");
    let expected = "\
240,0    0        1     0.000000000     0  D   W 8 + 16 [ssdlab]
240,0    0        2     0.000001500     0  D  FN [ssdlab]
240,0    0        3     2.000000000     0  D   R 0 + 1 [ssdlab]
240,0    0        4     2.000001999     0  D   D 2 + 1 [ssdlab]
240,0    0        5     3.000000000     0  D   W 0 + 1 [ssdlab]
";
    assert_eq!(written, expected);
}

#[test]
fn volumes() {
    let of = "\
128166372003061629,usr,0,Read,0,512,1
128166372003061630,src,1,Write,512,512,1
";
    let how = Convert::default();
    assert_eq!(text(of, &how, "mqsim"), "0 0 0 1 1\n100 1 1 1 0\n");
    let log = text(of, &how, "fio");
    let expected = "\
1 usr.0 add
1 usr.0 open
1 usr.0 read 0 512
1 src.1 add
1 src.1 open
1 src.1 write 512 512
1 usr.0 close
1 src.1 close
";
    assert_eq!(log.split_once('\n').unwrap().1, expected);
    let devices = |text: &str| -> Vec<String> {
        let device = |line: &str| line.split_whitespace().next().unwrap().to_owned();
        text.lines().map(device).collect()
    };
    assert_eq!(devices(&text(of, &how, "blkparse")), ["240,0", "240,1"]);
    // devices of blkparse stay
    let of = "  8,0    1        1     0.000000000     1  D   W 8 + 16 [a]\n259,12    1        1     0.000000000     1  D   W 8 + 16 [a]\n";
    assert_eq!(devices(&text(of, &how, "blkparse")), ["8,0", "259,12"]);
    // the plain format has no place for them
    let error = try_convert(of, &how, "plain").unwrap_err().to_string();
    assert!(
        error.contains("choose one of them with --volume"),
        "{error}"
    );
}

#[test]
fn inside_a_sector() {
    let of = lines(&["0,W,0,512", "1,W,100,512", "2,D,100,2000", "3,D,600,100"]);
    for to in ["mqsim", "blkparse"] {
        let why = refused(&of, &Convert::default(), to);
        assert!(
            why.contains(", line 3: ") && why.contains("--whole-sectors"),
            "{why}"
        );
    }
    let how = Convert {
        whole_sectors: true,
        ..Convert::default()
    };
    let (bytes, converted) = convert(&of, &how, "blkparse");
    let written = String::from_utf8(bytes).unwrap();
    let places: Vec<_> = written
        .lines()
        .map(|line| &line[line.len() - "W 0 + 1 [ssdlab]".len()..])
        .collect();
    assert_eq!(
        places,
        ["W 0 + 1 [ssdlab]", "W 0 + 2 [ssdlab]", "D 1 + 3 [ssdlab]"]
    );
    assert_eq!(converted.by_format.changed["rounded to whole sectors"], 2);
    assert_eq!(converted.by_format.left_out["discards inside a sector"], 1);
}

#[test]
fn streams_that_are_lost_are_counted() {
    let of = "time_ns,op,offset_bytes,size_bytes,stream\n0,W,0,512,3\n1,W,0,512,0\n";
    for to in ["mqsim", "blkparse", "fio"] {
        let notes = convert(of, &Convert::default(), to).1.by_format;
        assert_eq!(notes.changed.values().sum::<u64>(), 1, "{to}");
    }
    assert_eq!(text(of, &Convert::default(), "plain"), of);
}
