//! Traces with one fault.

use super::base::Change::{self, Edit, Whole};
use super::base::{Base, until, utf_16};
use ssdlab_trace::{ReadOptions, TraceReader};
use std::io::Cursor;

pub const BASES: &[Base] = &[
    Base {
        prefix: "traces/plain-",
        extension: "csv",
        text: PLAIN,
        changes: PLAIN_CHANGES,
        refused,
    },
    Base {
        prefix: "traces/blkparse-",
        extension: "txt",
        text: BLKPARSE,
        changes: BLKPARSE_CHANGES,
        refused,
    },
    Base {
        prefix: "traces/msr-",
        extension: "csv",
        text: MSR,
        changes: MSR_CHANGES,
        refused,
    },
];

fn refused(bytes: &[u8]) -> bool {
    let input = Cursor::new(bytes.to_vec());
    let reader = TraceReader::from_reader("trace", input, &ReadOptions::default());
    reader.and_then(|mut reader| reader.read_all()).is_err()
}

pub const PLAIN: &str = "\
time_ns,op,offset_bytes,size_bytes
0,W,4096,8192
15000,R,12288,512
20000,F,0,0
30000,D,4096,8192
";

const PLAIN_CHANGES: &[(&str, Change)] = &[
    (
        "a-web-page",
        Whole(|_| b"<!DOCTYPE html>\n<title>404 Not Found</title>\n".into()),
    ),
    (
        "a-picture",
        Whole(|_| b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".into()),
    ),
    (
        "blanks-behind-commas",
        Edit("15000,R,12288,512", "15000, R, 12288, 512"),
    ),
    (
        "blkparse-line-inside",
        Edit("20000,F,0,0", "8,0 0 1 0.000020000 697 D W 24 + 8 [sync]"),
    ),
    ("byte-order-mark-inside", Edit("20000", "\u{FEFF}20000")),
    (
        "carriage-returns-alone",
        Whole(|text| text.replace('\n', "\r").into()),
    ),
    ("cut-off-in-an-offset", Whole(|text| until(text, "D,40"))),
    ("empty", Whole(|_| Vec::new())),
    ("empty-line-inside", Edit("512\n", "512\n\n")),
    ("end-past-2-to-64", Edit("12288", "18446744073709551615")),
    ("field-added", Edit("12288,512", "12288,512,7")),
    ("field-empty", Edit("12288", "")),
    ("field-missing", Edit("12288,512", "12288")),
    ("field-twice", Edit("12288,512", "12288,12288,512")),
    (
        "fields-in-quotes",
        Edit("15000,R,12288,512", r#""15000","R","12288","512""#),
    ),
    ("fields-swapped", Edit("15000,R", "R,15000")),
    ("flush-with-dashes", Edit("20000,F,0,0", "20000,F,-,-")),
    (
        "header-in-capitals",
        Edit(
            "time_ns,op,offset_bytes,size_bytes",
            "TIME_NS,OP,OFFSET_BYTES,SIZE_BYTES",
        ),
    ),
    (
        "header-missing",
        Edit("time_ns,op,offset_bytes,size_bytes\n", ""),
    ),
    (
        "header-of-other-names",
        Edit("time_ns,op,offset_bytes,size_bytes", "time,type,lba,length"),
    ),
    ("header-twice", Whole(|text| text.repeat(2).into())),
    ("nul-bytes", Edit("12288", "122\0\08")),
    ("offset-hexadecimal", Edit("12288", "0x3000")),
    ("offset-negative", Edit("12288", "-12288")),
    ("offset-of-2-to-64", Edit("12288", "18446744073709551616")),
    ("op-a-word", Edit("15000,R", "15000,Read")),
    ("op-in-lower-case", Edit("15000,R", "15000,r")),
    ("op-of-blkparse", Edit("0,W,4096", "0,WS,4096")),
    ("semicolons", Whole(|text| text.replace(',', ";").into())),
    ("size-of-20-digits", Edit("512", "99999999999999999999")),
    ("size-with-a-unit", Edit("512", "4KiB")),
    ("size-zero", Edit("512", "0")),
    ("tabs", Edit("15000,R,12288,512", "15000\tR\t12288\t512")),
    ("time-in-seconds", Edit("15000", "0.000015")),
    ("time-infinite", Edit("15000", "inf")),
    ("time-with-a-comma", Edit("15000", "15000,5")),
    ("time-with-an-exponent", Edit("15000", "1.5e4")),
    ("utf-16", Whole(utf_16)),
];

pub const BLKPARSE: &str = "  8,0    0        1     0.000000000   697  Q  WS 8 + 8 [kjournald]
  8,0    0        2     0.000012345   697  D  WS 8 + 8 [kjournald]
  8,0    1        1     0.000500000     0  C  WS 8 + 8 [0]
  8,0    0        3     0.001000000   697  D FWFS 16 + 8 [kjournald]
  8,0    0        4     0.002000000   698  A   W 24 + 8 <- (8,1) 16
  8,0    0        5     0.002100000   698  D   W 24 + 8 [sync]
  8,0    0        6     0.002200000   698  Q   R 32 + 8 [cat]
CPU0 (8,0):
 Reads Queued:           1,        4KiB	 Writes Queued:           1,        4KiB

Events (8,0): 7 entries
Skips: 0 forward (0 -   0.0%)
";

const BLKPARSE_CHANGES: &[(&str, Change)] = &[
    ("action-a-number", Edit("D   W 24", "7   W 24")),
    ("action-a-word", Edit("D   W 24", "issue W 24")),
    (
        "blktrace-binary",
        Whole(|_| {
            b"\x07tae\x01\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\x10\0\0\x01\0\x11\0".into()
        }),
    ),
    (
        "carriage-returns-alone",
        Whole(|text| text.replace('\n', "\r").into()),
    ),
    ("count-missing", Edit("24 + 8 [sync]", "24 + [sync]")),
    ("count-negative", Edit("24 + 8 [sync]", "24 + -8 [sync]")),
    ("cpu-negative", Edit("0        5", "-1        5")),
    ("cut-off-in-a-sector", Whole(|text| until(text, "D   W 2"))),
    (
        "cut-off-in-another-action",
        Whole(|text| until(text, "Q   R 3")),
    ),
    (
        "data-although-letters-say-none",
        Edit("D   W 24", "D   FN 24"),
    ),
    (
        "device-with-a-colon",
        Edit("8,0    0        5", "8:0    0        5"),
    ),
    (
        "dispatch-as-remap",
        Edit("24 + 8 [sync]", "24 + 8 <- (8,1) 16"),
    ),
    ("dispatch-as-split", Edit("24 + 8 [sync]", "24 / 28 [sync]")),
    (
        "end-past-2-to-64",
        Edit("24 + 8 [sync]", "36028797018963967 + 8 [sync]"),
    ),
    ("first-line-cut", Whole(|text| text.as_bytes()[30..].into())),
    ("letters-in-lower-case", Edit("D   W 24", "D   w 24")),
    ("letters-missing", Edit("D   W 24", "D   24")),
    (
        "letters-swapped",
        Edit(
            "WS 8 + 8 [kjournald]\n  8,0    1",
            "SW 8 + 8 [kjournald]\n  8,0    1",
        ),
    ),
    (
        "no-requests",
        Whole(|_| b"8,0 0 1 0.000000000 697 P N [x]\n8,0 0 2 0.000000001 697 U N [x] 1\n".into()),
    ),
    ("nul-bytes", Edit("24 + 8 [sync]", "24\0+ 8 [sync]")),
    ("pid-a-name", Edit("698  D", "sync  D")),
    (
        "plain-behind-the-summary",
        Whole(|text| format!("{text}{PLAIN}").into()),
    ),
    (
        "plain-line-inside",
        Edit(
            "  8,0    0        5     0.002100000   698  D   W 24 + 8 [sync]",
            "2100000,W,12288,4096",
        ),
    ),
    ("plus-missing", Edit("24 + 8 [sync]", "24 8 [sync]")),
    ("process-missing", Edit("24 + 8 [sync]", "24 + 8")),
    ("process-not-closed", Edit("[sync]", "[sync")),
    ("process-with-a-line-break", Edit("[sync]", "[sy\nnc]")),
    (
        "queued-alone",
        Whole(|text| text.lines().next().unwrap_or_default().into()),
    ),
    (
        "request-behind-the-summary",
        Whole(|text| text.repeat(2).into()),
    ),
    (
        "request-cut-behind-the-summary",
        Whole(|text| format!("{text}  8,0    0        7     0.00").into()),
    ),
    (
        "second-volume",
        Edit("8,0    0        5", "8,16   0        5"),
    ),
    (
        "sector-hexadecimal",
        Edit("24 + 8 [sync]", "0x18 + 8 [sync]"),
    ),
    ("sector-negative", Edit("24 + 8 [sync]", "-24 + 8 [sync]")),
    (
        "sector-of-2-to-55",
        Edit("24 + 8 [sync]", "36028797018963968 + 8 [sync]"),
    ),
    (
        "sector-of-2-to-64",
        Edit("24 + 8 [sync]", "18446744073709551616 + 8 [sync]"),
    ),
    (
        "sequence-missing",
        Edit("        5     0.0021", "     0.0021"),
    ),
    (
        "summary-alone",
        Edit(
            "  8,0    0        1     0.000000000   697  Q  WS 8 + 8 [kjournald]\n",
            "CPU0 (8,0):\n",
        ),
    ),
    ("time-in-microseconds", Edit("0.002100000", "0.002100")),
    ("time-in-nanoseconds", Edit("0.002100000", "2100000")),
    ("time-negative", Edit("0.002100000", "-0.002100000")),
    (
        "time-too-large",
        Edit("0.002100000", "18446744074.000000000"),
    ),
    ("time-with-a-comma", Edit("0.002100000", "0,002100000")),
    ("utf-16", Whole(utf_16)),
];

const MSR: &str = "\
128166372003061629,usr,0,Read,4096,512,41286
128166372016382155,usr,0,Write,8192,4096,1963
128166372026382245,usr,0,Write,12288,512,2011
";

const MSR_CHANGES: &[(&str, Change)] = &[
    ("cut-off-in-a-size", Whole(|text| until(text, "12288,5"))),
    ("disk-a-letter", Edit("2155,usr,0", "2155,usr,C")),
    ("field-added", Edit("1963", "1963,0")),
    ("field-missing", Edit("Write,8192,4096", "Write,8192")),
    ("fields-swapped", Edit("Write,8192", "8192,Write")),
    (
        "header-inside",
        Edit(
            "41286\n",
            "41286\nTimestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n",
        ),
    ),
    ("host-empty", Edit("2155,usr", "2155,")),
    ("offset-negative", Edit("8192", "-8192")),
    (
        "plain-lines-behind",
        Whole(|text| format!("{text}{PLAIN}").into()),
    ),
    ("response-no-number", Edit("1963", "fast")),
    ("second-volume", Edit("2155,usr,0", "2155,usr,1")),
    ("semicolons", Whole(|text| text.replace(',', ";").into())),
    ("size-hexadecimal", Edit("4096,1963", "0x1000,1963")),
    ("size-zero", Edit("4096,1963", "0,1963")),
    (
        "timestamp-a-date",
        Edit("128166372016382155", "2007-02-22 17:00:01"),
    ),
    (
        "timestamp-in-microseconds",
        Edit("128166372016382155", "1172163601638215"),
    ),
    (
        "timestamp-in-seconds",
        Edit("128166372003061629", "1172163600"),
    ),
    (
        "timestamp-in-unix-nanoseconds",
        Edit("128166372016382155", "1172163601638215500"),
    ),
    ("type-a-letter", Edit("Write,8192", "W,8192")),
];
