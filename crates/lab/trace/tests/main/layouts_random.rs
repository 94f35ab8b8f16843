//! Random requests, written and read back, in the formats that have a quick way and in those that are code.

use crate::common::{read_pieces, request, with};
use proptest::collection::vec;
use proptest::prelude::*;
use ssdlab_host::{Op, Request};
use ssdlab_trace::{Format, ReadOptions, TableOptions, TimeUnit};

/// How a format writes requests.
#[derive(Debug)]
struct Layout {
    format: &'static str,
    header: &'static str,
    /// The units of times (ns), offsets and sizes (bytes).
    units: [u64; 3],
    ops: &'static [Op],
    /// The line of a request; times are from an hour on, which is far enough from 0 for each clock.
    line: fn(&Request) -> String,
}

const BOTH: &[Op] = &[Op::Read, Op::Write];

/// Seconds with nine digits behind the point.
fn seconds(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

fn letter(request: &Request) -> char {
    request.op().letter()
}

fn bit(request: &Request, read: u8) -> u8 {
    if request.op() == Op::Read {
        read
    } else {
        1 - read
    }
}

const LAYOUTS: &[Layout] = &[
    Layout {
        format: "msr",
        header: "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
        units: [100, 1, 1],
        ops: BOTH,
        line: |r| {
            let ticks = 128_166_372_003_061_629 + r.time_ns / 100;
            let kind = if r.op() == Op::Read { "Read" } else { "Write" };
            format!("{ticks},src1,10,{kind},{},{},7", r.offset, r.size())
        },
    },
    Layout {
        format: "spc",
        header: "",
        units: [1, 512, 1],
        ops: BOTH,
        line: |r| {
            format!(
                "3,{},{},{},{}",
                r.offset / 512,
                r.size(),
                letter(r),
                seconds(r.time_ns)
            )
        },
    },
    Layout {
        format: "alibaba",
        header: "device_id,opcode,offset,length,timestamp",
        units: [1000, 1, 1],
        ops: BOTH,
        line: |r| {
            format!(
                "3,{},{},{},{}",
                letter(r),
                r.offset,
                r.size(),
                r.time_ns / 1000
            )
        },
    },
    Layout {
        format: "tencent",
        header: "",
        units: [1_000_000_000, 512, 512],
        ops: BOTH,
        line: |r| {
            let time = 1_538_323_199 + r.time_ns / 1_000_000_000;
            format!(
                "{time},{},{},{},3",
                r.offset / 512,
                r.size() / 512,
                bit(r, 0)
            )
        },
    },
    Layout {
        format: "fiu",
        header: "",
        units: [1, 512, 512],
        ops: BOTH,
        line: |r| {
            let (lba, size) = (r.offset / 512, r.size() / 512);
            format!(
                "{} 7 a b {lba} {size} {} 6 0 00112233445566778899aabbccddeeff",
                r.time_ns,
                letter(r)
            )
        },
    },
    Layout {
        format: "fio",
        header: "fio version 3 iolog",
        units: [1000, 1, 1],
        ops: &Op::ALL,
        line: |r| {
            let action = match r.op() {
                Op::Read => "read",
                Op::Write => "write",
                Op::Flush => "datasync",
                Op::Discard => "trim",
            };
            format!(
                "{} /mnt/f {action} {} {}",
                r.time_ns / 1000,
                r.offset,
                r.size()
            )
        },
    },
    Layout {
        format: "camelab",
        header: "",
        units: [1000, 512, 512],
        ops: &Op::ALL,
        line: |r| {
            format!(
                "{} {} {} {}",
                r.time_ns / 1000,
                letter(r),
                r.offset / 512,
                r.size() / 512
            )
        },
    },
    Layout {
        format: "csv",
        header: "",
        units: [1000, 512, 512],
        ops: &Op::ALL,
        line: |r| {
            let (offset, size) = (r.offset / 512, r.size() / 512);
            format!("{offset}; \"{}\";{size}.0;{}", letter(r), r.time_ns / 1000)
        },
    },
];

impl Layout {
    fn options(&self) -> ReadOptions {
        with(|options| {
            options.format = Format::named(self.format);
            if ["csv", "camelab"].contains(&self.format) {
                options.time_unit = Some(TimeUnit::Microsecond);
                options.sector = Some(512);
            }
            if self.format == "csv" {
                options.table.fields =
                    TableOptions::parse_fields("time=4,op=2,offset=1,size=3").unwrap();
            }
        })
    }

    /// A request that the format can write.
    fn request(&self, (time, op, offset, size): (u64, usize, u64, u64)) -> Request {
        let [time_unit, offset_unit, size_unit] = self.units;
        let time = HOUR + time / time_unit * time_unit;
        match self.ops[op % self.ops.len()] {
            Op::Flush => request(time, Op::Flush, 0, 0),
            op => request(
                time,
                op,
                offset / offset_unit * offset_unit,
                (size / size_unit * size_unit).max(size_unit),
            ),
        }
    }

    fn text(&self, requests: &[Request]) -> String {
        let mut text = String::new();
        if !self.header.is_empty() {
            text = format!("{}\n", self.header);
        }
        for request in requests {
            text += &format!("{}\n", (self.line)(request));
        }
        text
    }
}

const HOUR: u64 = 3600 * 1_000_000_000;

/// Numbers of every length.
fn number(bits: u32) -> impl Strategy<Value = u64> {
    (0..1u64 << bits, 0..bits).prop_map(|(value, shift)| value >> shift)
}

fn drawn() -> impl Strategy<Value = (&'static Layout, Vec<Request>)> {
    let parts = (number(53), 0..12usize, number(63), number(46));
    (0..LAYOUTS.len(), vec(parts, 1..60)).prop_map(|(place, parts)| {
        let layout = &LAYOUTS[place];
        (
            layout,
            parts
                .into_iter()
                .map(|parts| layout.request(parts))
                .collect(),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Planted bugs: a line lost at the end of a piece or a batch; a quick way that differs from the slow one, which lines with
    /// blanks or other letters take.
    #[test]
    fn requests_survive(
        (layout, all) in drawn(),
        repeat in prop::sample::select(vec![1, 1, 1, 200]),
        lengths in vec(1..300usize, 1..8),
        crlf: bool,
    ) {
        let all: Vec<_> = std::iter::repeat_n(all, repeat).flatten().collect();
        let mut text = layout.text(&all);
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let lengths = if repeat > 1 { vec![100_000] } else { lengths };
        let start = all[0].time_ns;
        let mut expected = all;
        for request in &mut expected {
            request.time_ns = request.time_ns.saturating_sub(start);
        }
        let decoded = read_pieces(text, &lengths, &layout.options()).unwrap();
        prop_assert_eq!(&decoded.requests, &expected, "{}", layout.format);
        let first = if layout.header.is_empty() { 1 } else { 2 };
        prop_assert_eq!(decoded.lines, (first..).take(expected.len()).collect::<Vec<_>>());
    }
}
