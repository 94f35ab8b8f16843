//! The binary formats: blktrace, lcs, oracleGeneral, vscsiStats, dm-log-writes.
//!
//! Planted bugs these catch: a record of another length; a field at another place; a tenant read as part of the
//! operation; sectors taken for bytes; µs taken for ns; a payload taken for a record; the data of a write taken for an
//! entry; a short header read as a long one; the end of the log not seen; a record that is cut off taken for the end.

use std::path::PathBuf;

use proptest::prelude::*;
use ssdlab_host::{Op, Request};
use ssdlab_trace::{Action, Format, ReadOptions, TraceError, read_all};

use crate::common::{self, Decoded, read, refused};

fn format(format: Format) -> ReadOptions {
    ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    }
}

/// Reads bytes whose format is detected, whole and in pieces.
#[track_caller]
fn decoded(bytes: &[u8], name: &str, options: &ReadOptions) -> Decoded {
    let whole = read(bytes, options).unwrap();
    assert_eq!(whole.summary.format, name);
    for lengths in [&[1][..], &[47, 3], &[4096, 1]] {
        assert_eq!(common::read_pieces(bytes, lengths, options).unwrap(), whole);
    }
    whole
}

/// What is left out, and how often.
fn left_out(decoded: &Decoded) -> String {
    let each = decoded.summary.skipped.iter();
    let each: Vec<_> = each
        .map(|(reason, count)| format!("{reason} {count}"))
        .collect();
    each.join(", ")
}

fn op(time: u64, op: Op, offset: u64, size: u64) -> Request {
    Request::new(time, op, offset, size).unwrap()
}

fn flush(time: u64) -> Request {
    op(time, Op::Flush, 0, 0)
}

/// Numbers of these widths, one after the other, little endian.
fn packed(fields: &[(u64, usize)]) -> Vec<u8> {
    let bytes = fields
        .iter()
        .flat_map(|(value, width)| value.to_le_bytes()[..*width].to_vec());
    bytes.collect()
}

// blktrace ---------------------------------------------------------------------------------------------------------

const READ: u64 = 1 << 16;
const WRITE: u64 = 1 << 17;
const PREFLUSH: u64 = 1 << 18;
const COMMAND: u64 = 1 << 25;
const NOTIFY: u64 = 1 << 26;
const DISCARD: u64 = 1 << 29;
const FUA: u64 = 1 << 31;
const QUEUE: u64 = 1;
const ISSUE: u64 = 7;
const COMPLETE: u64 = 8;
const UNPLUG: u64 = 10;
const REMAP: u64 = 15;

struct Step {
    time: u64,
    sector: u64,
    bytes: u64,
    action: u64,
    device: u64,
    cpu: u64,
    payload: usize,
}

impl Step {
    fn new(time: u64, action: u64, sector: u64, bytes: u64) -> Step {
        Step {
            time,
            sector,
            bytes,
            action,
            device: 8 << 20,
            cpu: 0,
            payload: 0,
        }
    }

    fn record(&self) -> Vec<u8> {
        let mut record = packed(&[
            (0x6561_7407, 4),
            (1, 4),
            (self.time, 8),
            (self.sector, 8),
            (self.bytes, 4),
            (self.action, 4),
            (697, 4),
            (self.device, 4),
            (self.cpu, 4),
            (0, 2),
            (self.payload as u64, 2),
        ]);
        assert_eq!(record.len(), 48);
        record.resize(48 + self.payload, 0x07);
        record
    }
}

fn blktrace(steps: &[Step]) -> Vec<u8> {
    steps.iter().flat_map(Step::record).collect()
}

#[test]
fn steps_of_blktrace_become_requests() {
    let trace = blktrace(&[
        Step {
            payload: 16,
            ..Step::new(5, NOTIFY, 0, 0)
        },
        Step::new(100, QUEUE | WRITE, 8, 4096),
        Step {
            payload: 100,
            ..Step::new(200, ISSUE | WRITE | FUA, 8, 4096)
        },
        Step::new(300, ISSUE | WRITE | PREFLUSH, 16, 512),
        Step::new(400, ISSUE | READ, 24, 1024),
        Step::new(500, ISSUE | DISCARD | WRITE, 32, 8192),
        Step::new(600, ISSUE | PREFLUSH | WRITE, 0, 0),
        Step::new(700, ISSUE | READ | COMMAND, 0, 36),
        Step::new(800, ISSUE | WRITE, 0, 0),
        Step::new(900, UNPLUG, 0, 0),
        Step::new(950, REMAP | WRITE, 8, 512),
        Step {
            payload: 8,
            ..Step::new(1000, ISSUE | (1 << 8) | WRITE, 40, 512)
        },
        Step::new(1100, COMPLETE | WRITE, 8, 4096),
    ]);
    let all = decoded(&trace, "blktrace", &ReadOptions::default());
    assert_eq!(
        all.requests,
        [
            op(0, Op::Write, 8 * 512, 4096),
            flush(0),
            flush(100),
            op(100, Op::Write, 16 * 512, 512),
            op(200, Op::Read, 24 * 512, 1024),
            op(300, Op::Discard, 32 * 512, 8192),
            flush(400),
            op(800, Op::Write, 40 * 512, 512),
        ]
    );
    assert_eq!(all.lines, [3, 3, 4, 4, 5, 6, 7, 12]);
    let skipped = left_out(&all);
    assert_eq!(
        skipped,
        "no data 1, other actions 2, pass-through commands 1, plug and message lines 2, remap and split lines 1"
    );
    let queued = ReadOptions {
        action: Some(Action::Queue),
        ..ReadOptions::default()
    };
    let queued = decoded(&trace, "blktrace", &queued);
    assert_eq!(queued.requests, [op(0, Op::Write, 4096, 4096)]);
}

/// The records of the CPUs come one CPU after the other.
#[test]
fn records_of_all_cpus_are_sorted() {
    let step = |time, cpu, sector| Step {
        cpu,
        ..Step::new(time, ISSUE | WRITE, sector, 512)
    };
    let trace = blktrace(&[
        step(10, 0, 1),
        step(30, 0, 3),
        step(20, 1, 2),
        step(40, 1, 4),
    ]);
    let all = decoded(&trace, "blktrace", &ReadOptions::default());
    let sectors: Vec<u64> = all
        .requests
        .iter()
        .map(|request| request.offset / 512)
        .collect();
    assert_eq!(
        (sectors, &all.lines[..]),
        (vec![1, 2, 3, 4], &[1, 3, 2, 4][..])
    );
    assert_eq!((all.summary.backwards, all.summary.reordered), (0, 1));
    let unsorted = ReadOptions {
        sort_ns: Some(0),
        ..ReadOptions::default()
    };
    assert_eq!(read(trace, &unsorted).unwrap().summary.backwards, 1);
}

#[test]
fn devices_of_blktrace_are_volumes() {
    let step = |time, device| Step {
        device,
        ..Step::new(time, ISSUE | WRITE, time, 512)
    };
    let trace = blktrace(&[
        step(10, (8 << 20) | 16),
        step(20, (259 << 20) | 3),
        step(30, (8 << 20) | 16),
    ]);
    let message = refused("t", &trace[..], &ReadOptions::default());
    assert_eq!(
        message,
        "t, record 2: a second volume, found \"259,3\" after \"8,16\"; choose one of them with --volume (at byte 48)"
    );
    let one = ReadOptions {
        volume: Some("8,16".into()),
        ..ReadOptions::default()
    };
    assert_eq!(decoded(&trace, "blktrace", &one).requests.len(), 2);
}

/// The text that blkparse makes of the same records is a sample, too.
#[test]
fn the_sample_equals_its_text() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../traces/samples");
    let of = |name: &str, action| {
        let options = ReadOptions {
            action: Some(action),
            ..ReadOptions::default()
        };
        read_all(&folder.join(name), &options).unwrap()
    };
    for action in Action::ALL {
        let (binary, summary) = of("f2fs-small.blktrace.0.zst", action);
        let (text, _) = of("f2fs-small.blkparse.txt.zst", action);
        assert_eq!(summary.format, "blktrace");
        assert!(binary == text && binary.len() > 100, "{action:?}");
    }
}

/// A trace whose last record is cut off is read up to it, with a warning.
#[track_caller]
fn cut(trace: Vec<u8>, options: &ReadOptions, says: &str) {
    let remarks = read(trace, options).unwrap().summary.remarks.join("\n");
    assert!(
        remarks.contains("is cut off and left out") && remarks.contains(says),
        "{remarks}"
    );
}

#[test]
fn records_that_are_none_of_blktrace() {
    let good = Step::new(10, ISSUE | WRITE, 1, 512).record();
    let with = |at: usize, bytes: &[u8]| {
        let mut bad = good.clone();
        bad[at..at + bytes.len()].copy_from_slice(bytes);
        [good.clone(), bad].concat()
    };
    let options = format(Format::named("blktrace").unwrap());
    for (trace, says) in [
        (
            with(0, &[0x06]),
            "record 2: version 6 of the records of blktrace; it must be 7 or 8",
        ),
        (
            with(0, b"junk"),
            "record 2: the magic number is wrong, found 0x6b6e756a",
        ),
        (
            with(16, &[0xFF; 8]),
            "record 2: sector is too large, found 18446744073709551615",
        ),
    ] {
        let message = refused("t", trace, &options);
        assert!(message.starts_with(&format!("t, {says}")), "{message}");
    }
    cut(
        with(46, &[9, 0]),
        &options,
        "9 bytes are missing (at byte 96)",
    );
    cut(
        [&good[..], &good[..20]].concat(),
        &options,
        "found 20 bytes of it (at byte 48)",
    );
    let none = blktrace(&[Step::new(10, QUEUE | WRITE, 1, 512)]);
    let message = refused("t", none, &ReadOptions::default());
    assert_eq!(
        message,
        "t: no records of action D, but 1 of Q; choose one with --action"
    );
}

// lcs --------------------------------------------------------------------------------------------------------------

/// A header of this length that tells of so many requests.
fn lcs_header(version: u64, length: usize, requests: u64) -> Vec<u8> {
    const MAGIC: u64 = 0x1234_5678_9abc_def0;
    let mut header = packed(&[(MAGIC, 8), (version, 8), (version, 8), (requests, 8)]);
    header.resize(length - 8, 0);
    header.extend(MAGIC.to_le_bytes());
    header
}

/// A record of a version.
fn lcs_record(version: u64, time: u64, object: u64, size: u64, op: u64, tenant: u64) -> Vec<u8> {
    let kind = tenant << 8 | op;
    let mut fields = vec![(time, 4), (object, 8)];
    match version {
        1 => fields.push((size, 4)),
        2 => fields.extend([(size, 4), (kind, 4)]),
        _ => fields.extend([(size, 8), (kind, 4), (0, 4)]),
    }
    fields.push((u64::MAX, 8));
    let features = match version {
        4..=8 => 1 << (version - 4),
        _ => 0,
    };
    fields.extend(vec![(7, 4); features]);
    packed(&fields)
}

#[test]
fn all_versions_and_headers_of_lcs() {
    for version in 1..=8 {
        for header in [512, 1024, 8192] {
            let records = [
                (5, 8, 4096, 12),
                (5, 16, 512, 13),
                (7, 24, 1024, 9),
                (9, 0, 0, 13),
            ];
            let records = records
                .map(|(time, object, size, op)| lcs_record(version, time, object, size, op, 0));
            let trace = [lcs_header(version, header, 4), records.concat()].concat();
            let options = ReadOptions {
                sector: Some(512),
                ..ReadOptions::default()
            };
            let all = decoded(&trace, "lcs", &options);
            let [read, discard] = match version {
                1 => [Op::Write; 2],
                _ => [Op::Read, Op::Discard],
            };
            let second = 1_000_000_000;
            let expected = [
                op(0, read, 4096, 4096),
                op(0, Op::Write, 8192, 512),
                op(2 * second, discard, 24 * 512, 1024),
            ];
            assert_eq!(all.requests, expected, "version {version}, header {header}");
            assert_eq!(left_out(&all), "no data 1");
            let remarks = all.summary.remarks.join("\n");
            assert_eq!(
                remarks.contains("taken as writes"),
                version == 1,
                "{remarks}"
            );
            assert!(
                remarks.contains("whole seconds") && !remarks.contains("cut"),
                "{remarks}"
            );
        }
    }
}

#[test]
fn lcs_tells_its_volumes_its_length_and_its_unit() {
    let record = |tenant, object| lcs_record(2, 1, object, 4096, 13, tenant);
    let trace = [
        lcs_header(2, 1024, 3),
        record(0, 4096),
        record(70_000, 8192),
    ]
    .concat();
    let message = refused("t", trace.clone(), &ReadOptions::default());
    assert!(
        message.contains("a second volume, found \"70000\" after \"0\""),
        "{message}"
    );
    let options = ReadOptions {
        volume: Some("70000".into()),
        ..ReadOptions::default()
    };
    let one = decoded(&trace, "lcs", &options);
    assert_eq!(one.requests, [op(0, Op::Write, 8192, 4096)]);
    let remarks = one.summary.remarks.join("\n");
    for says in [
        "tells of 3 requests, but there are 2",
        "taken as bytes (100 % are multiples of 512, 100 % of 4096)",
    ] {
        assert!(remarks.contains(says), "{remarks}");
    }
}

#[test]
fn what_is_wrong_with_lcs() {
    let good = || [lcs_header(3, 512, 1), lcs_record(3, 1, 8, 4096, 13, 0)].concat();
    let put = |at: usize, bytes: &[u8]| {
        let mut bad = good();
        bad[at..at + bytes.len()].copy_from_slice(bytes);
        bad
    };
    let options = format(Format::named("lcs").unwrap());
    for (trace, says) in [
        (
            put(8, &[9]),
            "record 1: version 9 of the records; it must be from 1 to 8",
        ),
        (
            put(0, &[9]),
            "record 1: the magic number is wrong, found 0x123456789abcde09",
        ),
        (put(504, &[9]), "record 1: the header has no end"),
        (
            good()[..100].to_vec(),
            "record 1: the header is cut off, found 100 bytes of it",
        ),
        (
            good()[..530].to_vec(),
            "record 1: the last record is cut off, found 18 bytes of it (at byte 512)",
        ),
        (put(524, &[0xFF; 8]), "record 1: size is negative, found -1"),
        (
            put(516, &[0xFF; 8]),
            "record 1: obj is too large, found 18446744073709551615",
        ),
    ] {
        let message = refused("t", trace, &options);
        assert!(message.starts_with(&format!("t, {says}")), "{message}");
    }
    let old = [lcs_header(1, 512, 1), lcs_record(1, 1, 8, 4096, 0, 0)].concat();
    let volume = ReadOptions {
        volume: Some("7".into()),
        ..ReadOptions::default()
    };
    let message = refused("t", old, &volume);
    assert!(
        message.contains("version 1 of the records has no volumes"),
        "{message}"
    );
    let unknown = read(put(532, &[77]), &options).unwrap();
    assert_eq!(left_out(&unknown), "unknown actions 1");
}

// oracleGeneral ----------------------------------------------------------------------------------------------------

fn oracle(records: &[(u64, u64, u64, i64)]) -> Vec<u8> {
    let record = |&(time, object, size, next): &(u64, u64, u64, i64)| {
        packed(&[(time, 4), (object, 8), (size, 4), (next.cast_unsigned(), 8)])
    };
    records.iter().flat_map(record).collect()
}

#[test]
fn oracle_general_has_writes_only() {
    let records = [
        (3, 4096, 512, 3),
        (3, 8192, 4096, -1),
        (5, 4096, 512, i64::MAX),
        (6, 0, 1, -1),
    ];
    let all = decoded(&oracle(&records), "oracle-general", &ReadOptions::default());
    let second = 1_000_000_000;
    assert_eq!(
        all.requests[..3],
        [
            op(0, Op::Write, 4096, 512),
            op(0, Op::Write, 8192, 4096),
            op(2 * second, Op::Write, 4096, 512),
        ]
    );
    let remarks = all.summary.remarks.join("\n");
    assert!(
        remarks.contains("taken as writes") && remarks.contains("--sector"),
        "{remarks}"
    );
    // what goes back, or comes again before it came, is something else
    for bad in [(2, 0, 1, -1), (6, 0, 1, 2), (6, 0, 0, -1)] {
        let others = [&records[..3], &[bad]].concat();
        let message = refused("t", oracle(&others), &ReadOptions::default());
        assert!(message.contains("line 1: not text"), "{message}");
    }
}

// vscsiStats -------------------------------------------------------------------------------------------------------

fn vscsi(version: u64, command: u64, lbn: u64, length: u64, time: u64) -> Vec<u8> {
    let tag = version << 8;
    match version {
        1 => packed(&[
            (9, 4),
            (length, 4),
            (1, 4),
            (command, 2),
            (tag, 2),
            (lbn, 8),
            (time, 8),
        ]),
        _ => packed(&[
            (command, 2),
            (tag, 2),
            (9, 4),
            (length, 4),
            (1, 4),
            (lbn, 8),
            (time, 8),
            (77, 8),
        ]),
    }
}

#[test]
fn both_versions_of_vscsi() {
    for version in [1, 2] {
        let reads = [0x08, 0x28, 0x2D, 0x88, 0xA8];
        let writes = [0x0A, 0x2A, 0x3F, 0x8A, 0x8E, 0x9A, 0x9C, 0xAA, 0xAE];
        let all = reads.iter().chain(&writes);
        let records = all.map(|&command| vscsi(version, command, command, 4096, 1000 + command));
        let other = [(0x35, 512), (0x91, 0), (0x12, 36), (0x2A, 0)];
        let other = other.map(|(command, length)| vscsi(version, command, 7, length, 3000));
        let trace: Vec<u8> = records.chain(other).flatten().collect();
        let all = decoded(&trace, "vscsi", &ReadOptions::default());
        let request = |kind, command: &u64| op((command - 0x08) * 1000, kind, command * 512, 4096);
        let reads = reads.iter().map(|command| request(Op::Read, command));
        // one command in the middle is earlier than the first write before it
        let writes = writes.iter().map(|command| request(Op::Write, command));
        let last = (3000 - 1008) * 1000;
        let expected: Vec<_> = reads
            .chain(writes)
            .chain([flush(last), flush(last)])
            .collect();
        assert_eq!(all.requests, expected, "version {version}");
        assert_eq!(left_out(&all), "no data 1, pass-through commands 1");
    }
}

#[test]
fn what_is_wrong_with_vscsi() {
    let good = vscsi(2, 0x2A, 1, 512, 5);
    let after = |bad: Vec<u8>| [&[&good[..]; 2].concat()[..], &bad].concat();
    let options = format(Format::named("vscsi").unwrap());
    for (trace, says) in [
        (
            vec![0; 80],
            "record 1: no version 1 at byte 15 nor version 2 at byte 3",
        ),
        (
            after(vscsi(2, 0x2A, u64::MAX, 512, 5)),
            "record 3: lbn is too large",
        ),
        (
            after(vscsi(2, 0x2A, 1, 512, u64::MAX)),
            "record 3: the time is too large",
        ),
    ] {
        let message = refused("t", trace, &options);
        assert!(message.starts_with(&format!("t, {says}")), "{message}");
    }
    cut(
        after(good[..39].to_vec()),
        &options,
        "found 39 bytes of it (at byte 80)",
    );
    // behind what detection looks at
    let mut late = good.repeat(1000);
    late.extend(vscsi(3, 0x2A, 1, 512, 5));
    let message = refused("t", late.clone(), &ReadOptions::default());
    assert!(
        message.starts_with("t, record 1001: version is 0x0300"),
        "{message}"
    );
    let tolerant = ReadOptions {
        skip_malformed: 1,
        ..ReadOptions::default()
    };
    late.extend(&good);
    let tolerated = read(late, &tolerant).unwrap();
    assert_eq!(
        (tolerated.requests.len(), tolerated.lines[1000]),
        (1001, 1002)
    );
    assert!(
        tolerated
            .summary
            .malformed
            .unwrap()
            .starts_with("record 1001: version is 0x0300")
    );
}

// dm-log-writes ----------------------------------------------------------------------------------------------------

struct Log {
    sector: u64,
    bytes: Vec<u8>,
    entries: u64,
}

impl Log {
    fn new(sector: u64) -> Log {
        Log {
            sector,
            bytes: Vec::new(),
            entries: 0,
        }
    }

    fn add(mut self, sector: u64, sectors: u64, flags: u64, payload: &[u8]) -> Log {
        let mut entry = packed(&[
            (sector, 8),
            (sectors, 8),
            (flags, 8),
            (payload.len() as u64, 8),
        ]);
        entry.extend(payload);
        entry.resize(entry.len().next_multiple_of(self.sector as usize), 0);
        if flags & 4 == 0 {
            entry.resize(entry.len() + (sectors * self.sector) as usize, 0xFF);
        }
        self.bytes.extend(entry);
        self.entries += 1;
        self
    }

    fn end(self, entries: u64) -> Vec<u8> {
        let mut log = b"rhswfsj\0".to_vec();
        log.extend(packed(&[(1, 8), (entries, 8), (self.sector, 4)]));
        log.resize(self.sector as usize, 0);
        log.extend(self.bytes);
        log
    }
}

#[test]
fn entries_of_a_log_become_requests() {
    for sector in [512, 4096] {
        let log = Log::new(sector)
            .add(8, 2, 0, b"")
            .add(0, 0, 8, b"mkfs is done")
            .add(16, 1, 1 | 2, b"")
            .add(0, 0, 1, b"")
            .add(32, 1 << 30, 4, b"")
            .add(64, 3, 16, b"");
        let mut trace = log.end(6);
        // a log on a device ends before the device does
        trace.extend([0xEE; 10_000]);
        let all = decoded(&trace, "dm-log-writes", &ReadOptions::default());
        let write = |time, at, sectors| op(time, Op::Write, at * sector, sectors * sector);
        assert_eq!(
            all.requests,
            [
                write(0, 8, 2),
                flush(2),
                write(2, 16, 1),
                flush(2),
                flush(3),
                op(4, Op::Discard, 32 * sector, sector << 30),
                write(5, 64, 3),
            ]
        );
        let remarks = all.summary.remarks.join("\n");
        assert_eq!(remarks, "it has no times: requests are numbered");
    }
}

#[test]
fn what_is_wrong_with_a_log() {
    let log = || Log::new(512).add(8, 2, 0, b"");
    let options = format(Format::named("dm-log-writes").unwrap());
    let part = |length: usize| log().end(1)[..length].to_vec();
    for (trace, says) in [
        (
            part(20),
            "record 1: the header is cut off, found 20 bytes of it; it has 28",
        ),
        (
            part(530),
            "record 1: the last record is cut off, found 18 bytes of it (at byte 512)",
        ),
        (
            log().add(1, 1, 64, b"").end(2),
            "record 2: unknown flags, found 0x40",
        ),
        (
            log().add(u64::MAX / 2, 0, 0, b"").end(2),
            "record 2: sector is too large",
        ),
        (
            Log::new(1000).end(0),
            "record 1: the size of a sector is 1000",
        ),
    ] {
        let message = refused("t", trace, &options);
        assert!(message.starts_with(&format!("t, {says}")), "{message}");
    }
    cut(part(1030), &options, "1018 bytes are missing");
    let short = read(log().end(5), &options).unwrap();
    assert!(short.summary.remarks[1].contains("tells of 5 entries, but 1 are read"));
}

// all --------------------------------------------------------------------------------------------------------------

/// A valid trace of each format.
fn samples() -> [(Format, Vec<u8>); 6] {
    [
        (
            Format::named("blktrace").unwrap(),
            blktrace(&[
                Step::new(10, ISSUE | WRITE, 1, 512),
                Step::new(20, ISSUE | READ, 2, 512),
            ]),
        ),
        (
            Format::named("lcs").unwrap(),
            [lcs_header(5, 512, 1), lcs_record(5, 1, 8, 4096, 13, 0)].concat(),
        ),
        (
            Format::named("oracle-general").unwrap(),
            oracle(&[(3, 4096, 512, -1); 5]),
        ),
        (
            Format::named("vscsi").unwrap(),
            vscsi(1, 0x2A, 1, 512, 5).repeat(3),
        ),
        (
            Format::named("vscsi").unwrap(),
            vscsi(2, 0x2A, 1, 512, 5).repeat(3),
        ),
        (
            Format::named("dm-log-writes").unwrap(),
            Log::new(512).add(8, 2, 0, b"").add(1, 1, 3, b"").end(2),
        ),
    ]
}

proptest! {
    // planted bugs: what depends on the pieces in which a trace comes; a panic on junk
    #[test]
    fn damage_is_found_alike_in_pieces(
        which in 0..6_usize,
        damage in (any::<prop::sample::Index>(), 0..40_usize, prop::collection::vec(any::<u8>(), 0..40)),
        length in 1..200_usize,
        forced in any::<bool>(),
    ) {
        let (format, bytes) = samples()[which].clone();
        let options = ReadOptions { format: forced.then_some(format), ..ReadOptions::default() };
        common::read_damaged(bytes, damage, length, &options)?;
    }

    // planted bug: a field of a record that loses its upper bytes
    #[test]
    fn records_keep_all_bits(
        requests in prop::collection::vec((0..1_u64 << 32, 0..1_u64 << 54, 1..1_u64 << 31, any::<bool>()), 1..40),
    ) {
        let kind = |write| if write { Op::Write } else { Op::Read };
        let mut requests = requests;
        requests.sort_by_key(|request| request.0);
        let first = requests[0].0;
        let check = |bytes: Vec<u8>, unit: u64| {
            let options = ReadOptions { sector: None, ..ReadOptions::default() };
            let all = read(bytes, &options).map_err(|error: TraceError| error.to_string());
            let expected = requests.iter().map(|&(time, place, size, write)| {
                op((time - first) * unit, kind(write), place * 512, size)
            });
            assert_eq!(all.map(|all| all.requests), Ok(expected.collect::<Vec<_>>()));
        };
        let each = |record: &dyn Fn(u64, u64, u64, bool) -> Vec<u8>| -> Vec<u8> {
            requests.iter().flat_map(|&(time, place, size, write)| record(time, place, size, write)).collect()
        };
        for version in [1, 2] {
            let record = |time, place, size, write| {
                vscsi(version, if write { 0x2A } else { 0x28 }, place, size, time)
            };
            check(each(&record), 1000);
        }
        let record = |time, place, size, write: bool| {
            Step::new(time, ISSUE | if write { WRITE } else { READ }, place, size).record()
        };
        check(each(&record), 1);
        for version in 2..=8 {
            let record = |time, place, size, write: bool| {
                lcs_record(version, time, place * 512, size, 12 + u64::from(write), 0)
            };
            let header = lcs_header(version, 8192, requests.len() as u64);
            check([header, each(&record)].concat(), 1_000_000_000);
        }
    }
}

/// Each CPU has a file of its own, compressed or not.
#[test]
fn files_of_all_cpus_are_one_trace() {
    let folder = tempfile::TempDir::new().unwrap();
    let step = |time: u64, cpu: u64| Step {
        cpu,
        payload: (time % 3) as usize,
        ..Step::new(time, ISSUE | WRITE, time, 512)
    };
    let of = |cpu: u64| {
        let times = (cpu..3000).step_by(4).filter(|time| time % 7 < 5);
        blktrace(&times.map(|time| step(time * 1000, cpu)).collect::<Vec<_>>())
    };
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("sda.blktrace.0"), of(0)).unwrap();
    std::fs::write(path("sda.blktrace.1.zst"), common::zst(&of(1))).unwrap();
    std::fs::write(path("sda.blktrace.2"), b"").unwrap();
    std::fs::write(path("sda.blktrace.10.gz"), common::gz(&of(3))).unwrap();
    std::fs::write(path("sdb.blktrace.3"), of(2)).unwrap();
    let by_cpu = ReadOptions {
        stream_by: Some(ssdlab_trace::StreamBy::Column("cpu".into())),
        ..ReadOptions::default()
    };
    let (all, summary) = read_all(&path("sda.blktrace.0"), &by_cpu).unwrap();
    let times: Vec<u64> = (0..3000)
        .filter(|time| time % 4 != 2 && time % 7 < 5)
        .collect();
    let found: Vec<u64> = all.iter().map(|request| request.time_ns / 1000).collect();
    assert_eq!(found, times);
    assert_eq!((summary.backwards, summary.reordered), (0, 0));
    let streams = all
        .iter()
        .zip(&times)
        .all(|(request, time)| request.stream() == [0, 1, u16::MAX, 2][(time % 4) as usize]);
    assert!(streams);
    let (other, _) = read_all(&path("sda.blktrace.10.gz"), &by_cpu).unwrap();
    assert_eq!(other, all);
    let refused = || {
        read_all(&path("sda.blktrace.0"), &by_cpu)
            .unwrap_err()
            .to_string()
    };
    // the third record is cut
    std::fs::write(path("sda.blktrace.2"), &of(2)[..120]).unwrap();
    let (more, summary) = read_all(&path("sda.blktrace.0"), &by_cpu).unwrap();
    assert_eq!(more.len(), all.len() + 2);
    let remarks = summary.remarks.join("\n");
    assert!(remarks.contains("sda.blktrace.2 is cut off"), "{remarks}");
    std::fs::write(path("sda.blktrace.2"), b"").unwrap();
    std::fs::write(path("sda.blktrace.10"), of(3)).unwrap();
    let message = refused();
    assert!(message.contains("two files of one CPU"), "{message}");
    std::fs::remove_file(path("sda.blktrace.10")).unwrap();
    let mut damaged = of(1);
    // the first record has a payload of one byte
    damaged[49] = 0;
    std::fs::write(path("sda.blktrace.1.zst"), common::zst(&damaged)).unwrap();
    let message = refused();
    let says = "record 2 of ";
    assert!(
        message.contains(says)
            && message.contains("sda.blktrace.1.zst: version 0 of the records of blktrace"),
        "{message}"
    );
}
