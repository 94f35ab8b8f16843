//! Traces as tools write them, whole or not.
//!
//! Planted bugs these catch: the end of a column counted from its first data page although a dictionary stands before it; a null
//! of a flush that ends the trace; a letter of RWBS that is not known, so that no line is read; a dispatch that counts although it
//! was requeued; lost records of which nothing is said; a last line that is cut off and takes the trace with it.

use crate::common::{read, read_pieces, refused, skipped, with, written};
use ssdlab_host::Op;
use ssdlab_trace::{ReadOptions, TableOptions, TimeUnit, TraceReader, read_all, skip};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn table(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tables")).join(name)
}

/// The tables of `tests/tables` whose name says that they have the same 600 requests; the others have five.
#[test]
fn tables_of_data_frames() {
    let files = std::fs::read_dir(table("")).unwrap();
    let mut seen = 0;
    for file in files {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let read = read_all(&path, &ReadOptions::default());
        if name == "pyarrow-brotli.parquet" {
            let message = read.unwrap_err().to_string();
            assert!(
                message.contains(
                    "compressed with brotli, which is not read; write it again with zstd"
                ),
                "{message}"
            );
            continue;
        }
        seen += 1;
        let (requests, summary) = read.unwrap_or_else(|error| panic!("{error}"));
        if requests.len() == 600 {
            for (row, request) in (0..).zip(&requests) {
                let op = if row % 3 == 0 { Op::Read } else { Op::Write };
                let found = (
                    request.time_ns,
                    request.op(),
                    request.offset,
                    request.size(),
                );
                let offset = row * 7919 % 4096 * 4096;
                assert_eq!(
                    found,
                    (row * 1000, op, offset, (1 + row % 7) * 512),
                    "{name}"
                );
            }
        } else {
            let lines = [
                "W 0 4096",
                "R 4096 4096",
                "F 0 0",
                "D 8192 512",
                "W 4096 4096",
            ];
            let lines = (0..)
                .zip(lines)
                .map(|(row, line)| format!("{} {line}", row * 100_000_000_u64));
            // 0.3 is no number of 32 bits
            let cut = |line: &str| {
                line.replace("299999999", "300000000")
                    .replace("99999999", "100000000")
            };
            let found: Vec<_> = written(&requests).iter().map(|line| cut(line)).collect();
            assert_eq!(found, lines.collect::<Vec<_>>(), "{name}");
            assert_eq!(summary.skipped.len(), 0);
        }
    }
    assert_eq!(seen, 13);
}

/// Cells of text that other programs write.
#[test]
fn cells_of_text() {
    let read_ok = |text: &str, options: &ReadOptions| {
        let decoded = read(text, options).unwrap_or_else(|error| panic!("{text}: {error}"));
        written(&decoded.requests)
    };
    let table = "t_us,op,offset_bytes,size_bytes\n".replace("t_us", "time_us");
    let any = ReadOptions::default();
    // hexadecimal numbers, exponents and .0
    let text = format!(
        "# made by a tool\n\n{table}10,Write,0x018F8000,0x00001000\n# behind\n0x1e,W,4.096e+03,512.0\n40,W,1E3,512.000000\n"
    );
    assert_eq!(
        read_ok(&text, &any),
        ["0 W 26181632 4096", "20000 W 4096 512", "30000 W 1000 512"]
    );
    // flags of operations
    let text = format!(
        "{table}0,write|sync,0,512\n1,WRITE|FUA,0,512\n2,read|meta|prio,0,512\n3,FWFSM,0,512\n4,WS,0,512\n5,flush|sync,,\n"
    );
    assert_eq!(
        read_ok(&text, &any),
        [
            "0 W 0 512",
            "1000 W 0 512",
            "1000 F 0 0",
            "2000 R 0 512",
            "3000 F 0 0",
            "3000 W 0 512",
            "3000 F 0 0",
            "4000 W 0 512",
            "5000 F 0 0"
        ]
    );
    // a decimal comma, which the first time shows
    let text = "time_s;op;offset_bytes;size_bytes\n0,500;W;0;512\n1,750;W;0;512\n";
    assert_eq!(read_ok(text, &any), ["0 W 0 512", "1250000000 W 0 512"]);
    // dates, without a unit
    let text = "timestamp,op,offset_bytes,size_bytes\n2024-05-01 12:00:00.000000,W,0,4096\n2024-05-01T14:00:01.5+02:00,R,0,512\n";
    assert_eq!(read_ok(text, &any), ["0 W 0 4096", "1500000000 R 0 512"]);
    let columns = with(|options| {
        options.table.fields = TableOptions::parse_fields("time=1,op=2,offset=3,size=4").unwrap();
        options.sector = Some(1);
    });
    let text = "2024/02/29 23:59:59,W,0x0,0x200\n2024/03/01 00:00:00,W,0x0,0x200\n";
    assert_eq!(read_ok(text, &columns), ["0 W 0 512", "1000000000 W 0 512"]);
    // ticks since the year 1 are above 2^64 ns
    let ticks = with(|options| options.time_unit = Some(TimeUnit::Tick));
    let text = "time,op,offset_bytes,size_bytes\n638000000000000000,W,0,4096\n638000000000010000,W,4096,4096\n";
    assert_eq!(read_ok(text, &ticks), ["0 W 0 4096", "1000000 W 4096 4096"]);
    for (row, says) in [
        (
            "0;W;0;512.000",
            "size_bytes has a mark for thousands or a fraction, found \"512.000\"",
        ),
        ("0;W;64.000;512", "offset_bytes has a mark for thousands"),
        ("0;W;1,048,576;512", "offset_bytes has a mark for thousands"),
        (
            "1,500;W;0;512",
            "time_us has a comma for a fraction or for thousands, found \"1,500\"",
        ),
        ("1,500,000;W;0;512", "time_us has marks for thousands"),
        ("1.500,5;W;0;512", "time_us has marks for thousands"),
        ("0;W;0.5;512", "offset_bytes"),
        ("0;W;1.5e0;512", "offset_bytes"),
        ("0;W;0xg;512", "offset_bytes"),
        ("0;W;0x;512", "offset_bytes"),
        ("0;write|often;0;512", "op is no known operation"),
        ("05/01/2024 12:00;W;0;512", "time_us is no date with a time"),
    ] {
        let text = format!("{}{row}\n", table.replace(',', ";"));
        let message = refused("t", text, &any);
        assert!(message.contains(says), "{message} lacks {says}");
    }
    let unknown = refused("t", "time,op,offset_bytes,size_bytes\n1,W,0,512\n", &any);
    assert!(
        unknown.contains("the unit of time is not known; give --fields time=time"),
        "{unknown}"
    );
}

/// What only numbers suggest is said, with a way out.
#[test]
fn numbers_are_doubted() {
    for (line, format, says) in [
        ("0.000100 1 4096 8192", "midas", "blocks of 4096 bytes"),
        (
            "0.000000123 0 8 8 1",
            "disksim",
            "--format disksim --time-unit UNIT",
        ),
        (
            "1700000000,4096,8192,1,0",
            "tencent",
            "sectors of 512 bytes",
        ),
    ] {
        let summary = read(format!("{line}\n"), &ReadOptions::default())
            .unwrap()
            .summary;
        assert_eq!(summary.format, format);
        let doubt = summary
            .remarks
            .first()
            .unwrap_or_else(|| panic!("{line}: no doubt"));
        assert!(
            doubt.contains(says)
                && doubt.contains("only numbers")
                && doubt.contains("--fields time=N"),
            "{doubt}"
        );
        let chosen = with(|options| options.format = ssdlab_trace::Format::named(format));
        assert_eq!(
            read(format!("{line}\n"), &chosen).unwrap().summary.remarks,
            Vec::<String>::new()
        );
    }
    // one that is nobody's, and one that lacks its header
    let foreign = refused(
        "t",
        "0.0,0,4096,8192,1\n0.1,0,8192,4096,0\n",
        &ReadOptions::default(),
    );
    for says in [
        "a table of 5 columns without a header",
        "--fields",
        "--time-unit",
        "--sector",
    ] {
        assert!(
            foreign.contains(says) && !foreign.contains("put the line"),
            "{foreign}"
        );
    }
    let own = refused("t", "0,W,4096,8192\n", &ReadOptions::default());
    assert!(
        own.contains("put the line time_ns,op,offset_bytes,size_bytes first"),
        "{own}"
    );
    // the way out of a doubt about units can be followed
    let mut text = "time_ns,op,offset_bytes,size_bytes\n".to_owned();
    (0..100).for_each(|row| text += &format!("{row},W,0,4096\n"));
    let doubts = read(text.as_str(), &ReadOptions::default())
        .unwrap()
        .summary
        .remarks;
    assert!(
        doubts[0].ends_with("; if that is wrong, give --format csv --time-unit us"),
        "{doubts:?}"
    );
    // a discard moves no bytes
    let discards = text
        .replace(",W,0,4096", ",D,0,2147483648")
        .replace("\n1,", "\n90000,");
    let remarks = read(
        discards.replace("\n2,", "\n99000,"),
        &ReadOptions::default(),
    )
    .unwrap()
    .summary
    .remarks;
    assert!(
        remarks.iter().all(|doubt| !doubt.contains("any bus")),
        "{remarks:?}"
    );
}

/// Every cut of a text is read up to its last whole line.
#[test]
fn the_last_line_may_be_cut_off() {
    let text = "time_ns,op,offset_bytes,size_bytes\n0,W,0,4096\n10,W,4096,4096\n20,F,0,0\n";
    let whole = read(text, &ReadOptions::default()).unwrap();
    for cut in text.find('\n').unwrap() + 1..text.len() {
        let decoded = read_pieces(&text[..cut], &[3], &ReadOptions::default());
        let decoded = decoded.unwrap_or_else(|error| panic!("{error}"));
        let lines = text[..cut].matches('\n').count() - 1;
        assert_eq!(decoded.requests[..lines], whole.requests[..lines]);
        let is_cut = !text[..cut].ends_with('\n');
        let is_told = decoded
            .summary
            .remarks
            .iter()
            .any(|remark| remark.contains("is cut off and left out"));
        assert_eq!(
            is_cut,
            is_told || decoded.summary.unended.is_some(),
            "{cut}"
        );
        assert_eq!(skipped(&decoded, skip::CUT), u64::from(is_told));
    }
    // one inside is wrong
    let inside = text.replace("10,W", "10");
    assert!(refused("t", inside, &ReadOptions::default()).contains("line 3"));
}

#[test]
fn steps_of_the_block_layer() {
    let read =
        |text: &str| read(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let step = |number: u32, action: &str, letters: &str, range: &str| {
        format!("8,0 1 {number} 0.00000000{number} 7 {action} {letters} {range} [a]\n")
    };
    // barriers, atomic writes, zones and letters of the future
    let text: String = [
        ("WBS", "0 + 8"),
        ("ZR", "0 + 64"),
        ("ZAS", "0 + 8"),
        ("WSU", "8 + 8"),
        ("WXS", "16 + 8"),
        ("X", "0 + 8"),
    ]
    .iter()
    .zip(1..)
    .map(|((letters, range), number)| step(number, "D", letters, range))
    .collect();
    let decoded = read(&text);
    assert_eq!(
        written(&decoded.requests),
        ["0 F 0 0", "0 W 0 4096", "3 W 4096 4096", "4 W 8192 4096"]
    );
    assert_eq!(
        (
            skipped(&decoded, skip::ZONES),
            skipped(&decoded, skip::OPERATIONS)
        ),
        (2, 1)
    );
    assert!(
        decoded.summary.remarks[0].contains("1 lines have an unknown letter in RWBS, as \"WXS\"")
    );
    // a requeued dispatch counts once, with all that it becomes
    let text = [
        step(1, "D", "FWFS", "0 + 8"),
        step(2, "D", "R", "64 + 8"),
        step(3, "R", "FWFS", "0 + 8"),
        step(4, "D", "FWFS", "0 + 8"),
        step(5, "R", "W", "80 + 8"),
        step(6, "D", "W", "80 + 8"),
        step(7, "D", "W", "80 + 8"),
    ];
    let decoded = read(&text.concat());
    // the fifth line gives back what was dispatched before the recording began
    assert_eq!(
        written(&decoded.requests),
        [
            "0 R 32768 4096",
            "2 F 0 0",
            "2 W 0 4096",
            "2 F 0 0",
            "5 W 40960 4096"
        ]
    );
    assert_eq!(skipped(&decoded, skip::REQUEUED), 2);
    // lines without a process, behind comments
    let text = "#Maj,Mn CPU\n# --- ---\n8,16 1 1 1.427376394 5529 Q WS 274432 + 8\n8,16 1 2 1.427384090 5529 D FN\n8,16 1 3 1.5 5529 D WS 8 + 8\n";
    let decoded = read(&text.replace("1.5 ", "1.500000000 "));
    assert_eq!(
        written(&decoded.requests),
        ["0 F 0 0", "72615910 W 4096 4096"]
    );
    assert!(decoded.summary.remarks[0].contains("without the process"));
    let mixed = step(1, "D", "W", "0 + 8") + "8,0 1 2 0.000000002 7 D W 0 + 8\n";
    assert!(
        refused("t", mixed, &ReadOptions::default()).contains("the end of the line is cut off")
    );
    let skips =
        step(1, "D", "W", "0 + 8") + "CPU0 (t):\n Reads Queued: 0\nSkips: 12 forward (3 - 20.0%)\n";
    assert!(read(&skips).summary.remarks[0].contains("blkparse missed events (12 forward"));
}

/// A record of blktrace that writes 4 KiB.
fn record(version: u32, sequence: u32, time: u64, action: u64, sector: u64, cpu: u32) -> Vec<u8> {
    let mut record = (0x6561_7400_u32 | version).to_le_bytes().to_vec();
    record.extend(sequence.to_le_bytes());
    record.extend(time.to_le_bytes());
    record.extend(sector.to_le_bytes());
    record.extend(4096_u32.to_le_bytes());
    let action = action | 1 << 17;
    if version == 8 {
        record.extend(100_u32.to_le_bytes());
        record.extend(action.to_le_bytes());
    } else {
        record.extend((action as u32).to_le_bytes());
        record.extend(100_u32.to_le_bytes());
    }
    record.extend((259_u32 << 20).to_le_bytes());
    record.extend(cpu.to_le_bytes());
    record.extend([0; 4]);
    record.resize(if version == 8 { 64 } else { 48 }, 0);
    record
}

#[test]
fn records_of_blktrace() {
    let any = ReadOptions::default();
    const D: u64 = 7;
    const R: u64 = 6;
    let two = |version| {
        [
            record(version, 1, 0, D, 0, 0),
            record(version, 2, 9000, D, 8, 0),
        ]
        .concat()
    };
    for version in [7, 8] {
        let decoded = read(two(version), &any).unwrap();
        assert_eq!(
            written(&decoded.requests),
            ["0 W 0 4096", "9000 W 4096 4096"]
        );
        let nothing = Vec::<String>::new();
        assert_eq!(
            (decoded.summary.volumes, decoded.summary.remarks),
            (vec!["259,0".to_owned()], nothing)
        );
    }
    let message = refused("t", two(9), &any);
    assert!(
        message.contains("version 9 of the records of blktrace; it must be 7 or 8"),
        "{message}"
    );
    let mut swapped = two(7);
    swapped[..4].reverse();
    assert!(refused("t", swapped, &any).contains("big endian"));
    // a zone command
    let zones = [two(8), record(8, 3, 10, D | 1 << 33, 8, 0)].concat();
    assert_eq!(skipped(&read(zones, &any).unwrap(), skip::ZONES), 1);
    // every cut is read up to the last whole record
    let whole = two(7);
    for cut in 49..96 {
        let decoded = read_pieces(&whole[..cut], &[5], &any).unwrap();
        assert_eq!(decoded.requests.len(), 1);
        assert!(
            decoded.summary.remarks[0].contains("the last record, 2, is cut off and left out")
                || cut < 49,
            "{cut}"
        );
    }
    let lost = [
        record(7, 3, 0, D, 0, 0),
        record(7, 1, 1, D, 0, 1),
        record(7, 101, 2000, D, 8, 0),
        record(7, 2, 3000, D, 8, 1),
    ];
    let remarks = read(lost.concat(), &any).unwrap().summary.remarks;
    assert_eq!(
        remarks,
        [
            "97 events were lost while it was recorded, so requests are missing: the numbers of its records jump on CPU 0 from 3 to 101"
        ]
    );
    let again = [
        record(7, 1, 0, D, 0, 0),
        record(7, 2, 1, R, 0, 0),
        record(7, 3, 2, D, 0, 0),
    ];
    assert_eq!(
        written(&read(again.concat(), &any).unwrap().requests),
        ["0 W 0 4096"]
    );
}

#[test]
fn files_of_each_cpu() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let remarks = |name: &str| {
        read_all(&folder.path().join(name), &ReadOptions::default())
            .unwrap()
            .1
            .remarks
    };
    let (first, third) = (record(7, 1, 5, 7, 0, 0), record(7, 1, 6, 7, 8, 2));
    write("t.blktrace.0", &first);
    assert_eq!(remarks("t.blktrace.0"), Vec::<String>::new());
    let message = TraceReader::open(&folder.path().join("t"), &ReadOptions::default())
        .err()
        .unwrap()
        .to_string();
    assert!(
        message.contains("no such file; name ") && message.contains("t.blktrace.0"),
        "{message}"
    );
    write(
        "t.blktrace.2",
        &[third.clone(), third[..20].to_vec()].concat(),
    );
    let message = TraceReader::open(&folder.path().join("t"), &ReadOptions::default())
        .err()
        .unwrap()
        .to_string();
    assert!(
        message.contains("name one of the 2 files that blktrace wrote"),
        "{message}"
    );
    let remarks = remarks("t.blktrace.2").join("\n");
    assert!(
        remarks.contains("there is no file of CPU 1, such as t.blktrace.1")
            && remarks.contains("t.blktrace.2 is cut off and left out, found 20 bytes"),
        "{remarks}"
    );
}
