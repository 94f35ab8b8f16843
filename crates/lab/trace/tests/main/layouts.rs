//! The text formats of other tools and collections, by their definitions: units, volumes, what is left out, detection.
//!
//! Planted bugs these catch: sectors taken for bytes or the reverse; a time in another unit, or rounded through f64; 0 and 1
//! of an operation swapped; a name with blanks cut at the first; a format that takes the files of another one.

use crate::common::{Decoded, read, read_pieces, refuse, skipped, with, written};
use ssdlab_trace::{Format, ReadOptions, Role, TableOptions, TimeUnit};

const THESIOS: &str = "filename,file_offset,application,c_time,io_zone,redundancy_type,op_type,service_class,from_flash_cache,\
                       cache_hit,request_io_size_bytes,disk_io_size_bytes,response_io_size_bytes,start_time,disk_time,\
                       simulated_disk_start_time,simulated_latency";

/// A line of Thesios.
fn thesios(file: &str, offset: u64, op: &str, hit: &str, size: u64, time: &str) -> String {
    format!(
        "{file},{offset},spanner,1705000000,WARM,REPLICATED,{op},OTHER,0,{hit},{size},0,{size},{time},0,0,0.001"
    )
}

/// A trace that its format is detected from.
struct Sample {
    format: &'static str,
    options: ReadOptions,
    lines: Vec<String>,
    expected: &'static [&'static str],
    reason: &'static str,
}

fn samples() -> Vec<Sample> {
    let none = ReadOptions::default;
    let sample = |format, lines: &[&str], expected, reason| Sample {
        format,
        options: none(),
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        expected,
        reason,
    };
    let mut all = vec![
        sample(
            "spc",
            &[
                "0,3000000,8192,W,0.5,x",
                "0,3000008,3001,w,0.502335",
                " 0 , 7, 512 ,R, 2.000000001 ,,",
                "0,1,0,r,3",
                "0,1,1,r,4",
            ],
            &[
                "0 W 1536000000 8192",
                "2335000 W 1536004096 3001",
                "1500000001 R 3584 512",
                "3500000000 R 512 1",
            ],
            "line 1 has 6 fields, the fourth is \"W\"",
        ),
        sample(
            "alibaba",
            &[
                "3,R,4096000,4096,1577808000000046",
                "3,W,81920,77824,1577808000000426",
                "3,w,5,1,1577808000000427",
            ],
            &["0 R 4096000 4096", "380000 W 81920 77824", "381000 W 5 1"],
            "line 1 has 5 fields, the second is \"R\"",
        ),
        sample(
            "alibaba",
            &[
                "device_id,opcode,offset,length,timestamp",
                "3,R,0,512,1577808000000046",
            ],
            &["0 R 0 512"],
            "line 1 is \"device_id,opcode,offset,length,timestamp\"",
        ),
        sample(
            "tencent",
            &["1538400000,2048000,16,0,77", "1538400001,8,1,1,77"],
            &["0 R 1048576000 8192", "1000000000 W 4096 512"],
            "line 1 has 5 fields, the first is a second since 1970, the fourth is \"0\"",
        ),
        sample(
            "systor17",
            &[
                "Timestamp,Response,IOType,LUN,Offset,Size",
                "1456100000.133000000,0.000500000,R,0,4096000,131072",
                "1456100000.133000001,,W,0,512,1024",
                "1456100000.200000000,,,0,512,1024",
            ],
            &["0 R 4096000 131072", "1 W 512 1024"],
            "line 1 is \"Timestamp,Response,IOType,LUN,Offset,Size\"",
        ),
        sample(
            "systor17",
            &[
                "1456100000.133000000,0.000500000,,0,4096000,131072",
                "1456100001.2,0.1,W,0,0,512",
            ],
            &["0 W 0 512"],
            "line 1 has 6 fields, the third is \"\"",
        ),
        sample(
            "fiu",
            &[
                "7 77 writer 4096000 8 W 6 0 00112233445566778899aabbccddeeff",
                "1000000007 77 Web Content 8 16 R 6 0 00112233445566778899aabbccddeeff",
                "1000000008\t1\tkworker/0:1\t0\t1\tW\t6\t0",
                "1000000009 1 12 34 R 6 0 0 1 r 6 0",
            ],
            &[
                "0 W 2097152000 4096",
                "1000000000 R 4096 8192",
                "1000000001 W 0 512",
                "1000000002 R 0 512",
            ],
            "line 1 has a process and two numbers before \"W\", and a device behind it",
        ),
        sample(
            "fio",
            &[
                "fio version 3 iolog",
                "290 /mnt/f add",
                "5133 /mnt/f open",
                "6136 /mnt/f read 249856 4096",
                "15107 /mnt/f write 4096 512",
                "15108 /mnt/f datasync 0 0",
                "15109 /mnt/f sync 7 9",
                "15110 /mnt/f trim 0 1048576",
                "15111 /mnt/f close",
            ],
            &[
                "0 R 249856 4096",
                "8971000 W 4096 512",
                "8972000 F 0 0",
                "8973000 F 0 0",
                "8974000 D 0 1048576",
            ],
            "line 1 is \"fio version 3 iolog\"",
        ),
        sample(
            "fio",
            &[
                "fio version 2 iolog",
                "/mnt/f add",
                "/mnt/f write 0 4096",
                "/mnt/f wait 150 0",
                "/mnt/f wait 50 0",
                "/mnt/f write 4096 4096",
            ],
            &["0 W 0 4096", "200000 W 4096 4096"],
            "line 1 is \"fio version 2 iolog\"",
        ),
        sample(
            "disksim",
            &[
                "0.000000 4 20480 7 1",
                "12.345678 4 8 1 0",
                "12.3456789\t4\t9\t2\tF1",
                "13 4 0 1 0x2",
            ],
            &[
                "0 R 10485760 3584",
                "12345678 W 4096 512",
                "12345678 R 4608 1024",
                "13000000 W 0 512",
            ],
            "the lines have five numbers, and times have fractions, as milliseconds have",
        ),
        sample(
            "disksim",
            &["0 0 8 1 1", "3 0 8 1 0", "9 0 8 1 0"],
            &["0 R 4096 512", "3000000 W 4096 512", "9000000 W 4096 512"],
            "the lines have five numbers, and times are whole numbers that grow by 4 from line to line",
        ),
        sample(
            "mqsim",
            &["4851300 1 524288 16 0", "4864300 1 524304 16 1"],
            &["0 W 268435456 8192", "13000 R 268443648 8192"],
            "the lines have five numbers, and times are whole numbers that grow by 13000 from line to line",
        ),
        sample(
            "diskmon",
            &[
                "#\tTime\tDuration (s)\tDisk\tRequest\tSector\tLength",
                "0\t0.050000\t0.00006866\t0\tWrite\t27295103\t8",
                "1\t1.5\t\t0\tRead\t0\t1\t",
            ],
            &["0 W 13975092736 4096", "1450000000 R 0 512"],
            "line 1 is \"#\\tTime\\tDuration (s)\\tDisk\\tRequest\\tSector\\tLength\"",
        ),
        sample(
            "diskmon",
            &[
                "0\t11:59:59.5 PM\t0.1\t0\tWrite\t8\t8",
                "1\t12:00:01.25 AM\t0.1\t0\tRead\t8\t8",
                "2\t1:00:00 PM\t0.1\t0\tRead\t8\t8",
            ],
            &[
                "0 W 4096 4096",
                "1750000000 R 4096 4096",
                "46800500000000 R 4096 4096",
            ],
            "line 1 has 7 fields with tabs between them, the fifth is \"Write\"",
        ),
        sample(
            "baleen",
            &[
                "12 262144 65536 1572000000.5 1 9 9 9",
                "7 0 4096 1572000000.500001 4 9 9 9",
                "12 0 1 1572000000.500001 3 9 9 9",
                "8 0 1 1572000000.6 100 9 9 9",
            ],
            &["0 R 262144 65536", "1000 W 8388608 4096", "1000 W 0 1"],
            "line 1 has 8 numbers, the fourth is a second since 1970",
        ),
        sample(
            "baleen",
            &[
                "#block_id io_offset io_size op_time op_name user_namespace",
                "12 4 5 1572000000.5 6 24",
            ],
            &["0 W 4 5"],
            "line 1 is \"#block_id io_offset io_size op_time op_name user…\" (58 bytes)",
        ),
        sample(
            "midas",
            &[
                "0.250000000 1 0 4096",
                "0.250049590 0 5 8192",
                "0.250049591 3 1 512",
                "0.250049592 2 1 512",
            ],
            &["0 W 0 4096", "49590 R 20480 8192", "49591 D 4096 512"],
            "the lines have a time with a fraction, 0, 1 or 3, a block, and multiples of 512 bytes",
        ),
        Sample {
            options: with(|options| {
                options.time_unit = Some(TimeUnit::Millisecond);
                options.sector = Some(512);
            }),
            ..sample(
                "camelab",
                &["12.5 W 81920 8", "13 R 0 1"],
                &["0 W 41943040 4096", "500000 R 0 512"],
                "the lines have a time, R, W, 0 or 1, and two numbers",
            )
        },
        sample(
            "csv",
            &[
                "timestamp_us;offset_bytes;rw;len (bytes)",
                "10;4096;read;512",
                "12.5;0;W;1.0",
            ],
            &["0 R 4096 512", "2500 W 0 1"],
            "line 1 names the columns time=timestamp_us,op=rw,offset=offset_bytes,size=4",
        ),
    ];
    all.push(Sample {
        format: "thesios",
        options: none(),
        lines: vec![
            THESIOS.to_owned(),
            thesios("a", 4096, "WRITE", "-1", 512, "1705276801.5"),
            thesios("b", 0, "READ", "0", 1024, "1705276801.500000001"),
            THESIOS.to_owned(),
            thesios("a", 0, "read", "0", 1, "1705276802.5"),
            thesios("a", 0, "READ", "1", 1, "1705276803"),
        ],
        expected: &["0 W 4096 512", "1 R 67108864 1024", "1000000000 R 0 1"],
        reason: "line 1 is \"filename,file_offset,application,c_time,io_zone,…\" (241 bytes)",
    });
    all
}

/// Each sample is read as its format, however its lines end, and is detected as no other format.
#[test]
fn by_definition() {
    for sample in samples() {
        let Sample {
            format,
            options,
            lines,
            expected,
            reason,
        } = sample;
        let decoded =
            |text: String| read(text, &options).unwrap_or_else(|error| panic!("{format}: {error}"));
        let whole = decoded(lines.join("\n") + "\n");
        assert_eq!(written(&whole.requests), expected, "{format}");
        let summary = &whole.summary;
        assert_eq!((summary.format, &*summary.format_reason), (format, reason));
        for text in [
            lines.join("\r\n") + "\r\n",
            lines.join("\n"),
            lines.join("\n\n") + "\n \n",
        ] {
            assert_eq!(decoded(text).requests, whole.requests, "{format}");
        }
        let text = lines.join("\n") + "\n";
        assert_eq!(read_pieces(text.as_str(), &[1], &options), Ok(whole));
        let named = ReadOptions {
            format: Format::named(format),
            ..options.clone()
        };
        if format != "csv" {
            assert_eq!(written(&read(text, &named).unwrap().requests), expected);
        }
    }
    let names: Vec<_> = samples().iter().map(|sample| sample.format).collect();
    let tested = |format: &Format| names.contains(&format.name());
    let others = ["plain", "blkparse", "msr"];
    let all = Format::ALL
        .iter()
        .filter(|format| !format.example().is_empty() && !others.contains(&format.name()));
    assert!(all.clone().all(tested), "{names:?}");
}

/// The example of each format is detected as that format.
#[test]
fn examples_are_detected() {
    let texts = Format::ALL
        .into_iter()
        .filter(|format| !format.example().is_empty());
    for format in texts {
        let text = format!("{}\n", format.example());
        let found = match read(text, &ReadOptions::default()) {
            Ok(decoded) => decoded.summary.format.to_owned(),
            Err(error) => error.to_string(),
        };
        let expected = match format.name() {
            "camelab" => "units of camelab",
            name => name,
        };
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

/// The document has a row and a section for each format, with its own words.
#[test]
fn the_document_has_all_formats() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../docs/trace-formats.md"
    );
    let text = std::fs::read_to_string(path).unwrap();
    for format in Format::ALL {
        let name = format.name();
        let row = format!(
            "| [{name}](#{name}) | {} | {} |\n",
            format.about(),
            format.source()
        );
        for part in [&*row, &format!("\n## {name}\n")] {
            assert!(text.contains(part), "{path} lacks {part}");
        }
    }
}

fn skipped_of(format: &str) -> Vec<(&'static str, u64)> {
    let of_format = samples()
        .into_iter()
        .filter(|sample| sample.format == format);
    let skipped = of_format.flat_map(|Sample { lines, options, .. }| {
        read(lines.join("\n"), &options).unwrap().summary.skipped
    });
    skipped.collect()
}

#[test]
fn what_is_left_out() {
    for (format, expected) in [
        ("spc", vec![("no data", 1)]),
        (
            "systor17",
            vec![("unknown operations", 1), ("unknown operations", 1)],
        ),
        (
            "fio",
            vec![("lines about files", 3), ("lines about files", 1)],
        ),
        ("thesios", vec![("cache hits", 1), ("header lines", 1)]),
        ("baleen", vec![("unknown operations", 1)]),
        ("midas", vec![("unknown operations", 1)]),
        ("alibaba", vec![]),
    ] {
        assert_eq!(skipped_of(format), expected, "{format}");
    }
}

/// Requests without data and unknown operations of another volume are counted as those of another volume.
#[test]
fn volumes() {
    for (format, lines, names, chosen) in [
        (
            "spc",
            &["1,8,512,W,0", "0,8,512,W,1", "2,8,0,W,1"][..],
            &["1", "0", "2"][..],
            "0",
        ),
        ("alibaba", &["9,R,0,1,7", "12,W,0,1,7"], &["9", "12"], "12"),
        (
            "tencent",
            &["1538400000,0,1,0,77", "1538400000,0,1,0,7"],
            &["77", "7"],
            "7",
        ),
        (
            "systor17",
            &["1.0,,R,1,0,1", "2.0,,W,2,0,1", "2.0,,,3,0,1"],
            &["1", "2", "3"],
            "2",
        ),
        (
            "fiu",
            &["0 1 a 0 8 W 6 0", "0 1 a 0 8 W 6 1"],
            &["6,0", "6,1"],
            "6,1",
        ),
        (
            "fio",
            &["fio version 2 iolog", "/a read 0 1", "/b write 0 1"],
            &["/a", "/b"],
            "/b",
        ),
        ("disksim", &["0.5 0 0 1 0", "0.5 1 0 1 0"], &["0", "1"], "1"),
        ("mqsim", &["500 0 0 1 0", "700 1 0 1 0"], &["0", "1"], "1"),
        (
            "diskmon",
            &["0\t1\t\t0\tRead\t0\t1", "1\t1\t\t1\tWrite\t0\t1"],
            &["0", "1"],
            "1",
        ),
        (
            "csv",
            &[
                "time_s,disk,op,offset_bytes,bytes",
                "1,\"a,\"\"b\"\"\",r,0,1",
                "2,c d,w,0,1",
            ],
            &["a,\"b\"", "c d"],
            "c d",
        ),
    ] {
        let text = lines.join("\n");
        let second = read(text.as_str(), &ReadOptions::default())
            .unwrap_err()
            .to_string();
        let [first, other] = [names[0], names[1]].map(|name| format!("{:?}", name));
        let expected = format!(
            "a second volume, found {other} after {first}; choose one of them with --volume"
        );
        assert!(second.contains(&expected), "{format}: {second}");
        let all = with(|options| options.all_volumes = true);
        let all = read(text.as_str(), &all).unwrap();
        assert_eq!(all.summary.volumes, names, "{format}");
        let one = with(|options| options.volume = Some(chosen.into()));
        let one = read(text.as_str(), &one).unwrap();
        assert_eq!(one.requests.len(), 1, "{format}");
        assert_eq!(
            skipped(&one, "other volumes"),
            names.len() as u64 - 1,
            "{format}"
        );
    }
    let wrong = with(|options| options.volume = Some("6 0".into()));
    let line = samples()
        .into_iter()
        .find(|sample| sample.format == "fiu")
        .unwrap()
        .lines
        .swap_remove(0);
    refuse(line, &wrong, "t: --volume 6 0: ", &["as 6,0"]);
    let plain = "time_s,op,offset_bytes,bytes\n1,r,0,1\n";
    let volume = with(|options| options.volume = Some("a".into()));
    refuse(
        plain,
        &volume,
        "t, line 1: --volume",
        &["volume=COLUMN", "--fields"],
    );
}

/// A copy of the Tencent set has offsets in bytes.
#[test]
fn units_by_option() {
    let text = "1538400000,4096,16,0,77\n";
    for (sector, size_unit, expected) in [
        (Some(1), Some(512), "0 R 4096 8192"),
        (Some(1), None, "0 R 4096 16"),
        (None, Some(4096), "0 R 2097152 65536"),
        (Some(4096), None, "0 R 16777216 65536"),
    ] {
        let options = with(|options| {
            options.sector = sector;
            options.size_unit = size_unit;
        });
        assert_eq!(written(&read(text, &options).unwrap().requests), [expected]);
    }
    let mqsim = "500 0 0 1 0\n700 0 0 1 0\n";
    let options = with(|options| options.time_unit = Some(TimeUnit::Microsecond));
    assert_eq!(
        written(&read(mqsim, &options).unwrap().requests)[1],
        "200000 W 0 512"
    );
    let sector = with(|options| options.sector = Some(1));
    let what = [
        "--sector is for ",
        "tencent, camelab and csv traces, but this one is mqsim",
    ];
    refuse(mqsim, &sector, "t: ", &what);
}

/// A set whose copies have other units tells of itself.
#[test]
fn offsets_in_bytes_are_noticed() {
    let lines = |offset: u64| {
        (0..20).map(move |n| format!("{},{},{},1,7\n", 1_538_400_000 + n, n * offset, n % 3 + 1))
    };
    let remarks = |offset| {
        read(lines(offset).collect::<String>(), &ReadOptions::default())
            .unwrap()
            .summary
            .remarks
    };
    let bytes = remarks(4096);
    assert!(bytes[0].contains("--sector 1 --size-unit 512"), "{bytes:?}");
    assert_eq!(remarks(8), Vec::<String>::new());
}

#[test]
fn slots() {
    let text = "1 10 6 1572000000.5 1 0\n2 0 4 1572000000.5 3 0\n1 12 4 1572000000.5 3 0\n";
    let slot = |size| with(|options| options.slot = Some(size));
    let decoded = read(text, &slot(16)).unwrap();
    assert_eq!(
        written(&decoded.requests),
        ["0 R 10 6", "0 W 16 4", "0 W 12 4"]
    );
    let remark = "addresses are made up: the trace has 2 blocks, and each got the next 16 bytes of the device (--slot)";
    assert_eq!(decoded.summary.remarks, [remark]);
    refuse(
        text,
        &slot(15),
        "t, line 1: io_offset + io_size is beyond the slot",
        &["10 + 6", "at most 15", "--slot"],
    );
    let far = with(|options| {
        options.slot = Some(u64::MAX);
    });
    refuse(
        text,
        &far,
        "t, line 2: ",
        &["slot 1 is beyond the last address", "--slot"],
    );
    let beyond = thesios("a", 67_108_863, "WRITE", "-1", 2, "1705276801");
    refuse(
        format!("{THESIOS}\n{beyond}"),
        &ReadOptions::default(),
        "t, line 2: file_offset",
        &["67108864", "--slot"],
    );
    let remark = read(THESIOS, &ReadOptions::default())
        .unwrap()
        .summary
        .remarks;
    assert!(remark[0].contains("0 files"), "{remark:?}");
}

/// Planted bug: a trace that two formats fit read as one of them without a word.
#[test]
fn ambiguous_traces_are_refused() {
    for (text, formats) in [
        ("5 0 0 8 0\n", &["disksim (", "mqsim ("][..]),
        ("0.5 1 0 4096 0\n0.6 1 1 512 1\n", &["disksim (", "midas ("]),
    ] {
        let fragments = [&["several formats fit", "--format"][..], formats].concat();
        refuse(text, &ReadOptions::default(), "t, line 1: ", &fragments);
        for format in formats {
            let name = format.trim_end_matches(" (");
            let options = with(|options| options.format = Format::named(name));
            assert_eq!(read(text, &options).unwrap().summary.format, name);
        }
    }
}

#[test]
fn streams_of_midas() {
    let streams = |text: &str, options: &ReadOptions| {
        let decoded: Decoded = read(text, options).unwrap();
        let streams: Vec<_> = decoded
            .requests
            .iter()
            .map(|request| request.stream())
            .collect();
        (decoded.summary.has_streams, streams)
    };
    let midas = with(|options| options.format = Format::named("midas"));
    assert_eq!(
        streams("0.1 1 0 4096 3\n0.2 1 0 4096 65535\n", &midas),
        (true, vec![3, 65535])
    );
    // a trace may have streams from any line on
    assert_eq!(streams("0.1 1 0 4096\n", &midas), (true, vec![0]));
    let column = with(|options| {
        options.format = Format::named("midas");
        options.stream_by = Some(ssdlab_trace::StreamBy::Column("stream".into()));
    });
    refuse(
        "0.1 1 0 4096\n",
        &column,
        "t, line 1: stream is empty",
        &["0 to 65535"],
    );
}

#[test]
fn fio_without_times() {
    let text = "fio version 2 iolog\n/f write 0 1\n/f sync_file_range 0 1\n";
    let decoded = read(text, &ReadOptions::default()).unwrap();
    assert_eq!(written(&decoded.requests), ["0 W 0 1"]);
    assert_eq!(skipped(&decoded, "unknown operations"), 1);
    assert!(
        decoded.summary.remarks[0].contains("has no times"),
        "{:?}",
        decoded.summary.remarks
    );
}

fn table(fields: &str) -> ReadOptions {
    with(|options| {
        options.format = Some(Format::CSV);
        options.table.fields = TableOptions::parse_fields(fields).unwrap();
    })
}

#[test]
fn tables_of_any_shape() {
    let seconds = |options: &mut ReadOptions| {
        options.time_unit = Some(TimeUnit::Second);
        options.sector = Some(512);
    };
    let mut sectors = table("time=ts,op=type,offset=lba,size=len");
    seconds(&mut sectors);
    let mut without_header = table("time=4,op=1,offset=2,size=3");
    seconds(&mut without_header);
    without_header.table.ops = TableOptions::parse_ops("0=R,1=W,T=trim,x=F").unwrap();
    let mut bytes_of_sizes = table("time=ts,op=type,offset=lba,size=len_bytes");
    seconds(&mut bytes_of_sizes);
    for (options, text, expected) in [
        (
            &sectors,
            "type,len,lba,ts\nread,8,16,1.5\nWRITE,1,0,2.5\n",
            &["0 R 8192 4096", "1000000000 W 0 512"][..],
        ),
        (
            &sectors,
            "len\ttype\tx y\tLBA\tts\n8\tTrim\t\t16\t1\n",
            &["0 D 8192 4096"],
        ),
        (
            &sectors,
            "ts type lba len\n1  r\t8  1\n 2 w 8 1 \n",
            &["0 R 4096 512", "1000000000 W 4096 512"],
        ),
        (
            &sectors,
            "\u{FEFF}ts|type|lba|len\n1|flush||\n",
            &["0 F 0 0"],
        ),
        (
            &sectors,
            "\"ts\",\"type\",\"lba\",\"len\"\n\"1\" , \"w\",\"8\",1.000\n",
            &["0 W 4096 512"],
        ),
        (
            &without_header,
            "1,8,1,5\n0,8,1,6\nT;\n".strip_suffix("T;\n").unwrap(),
            &["0 W 4096 512", "1000000000 R 4096 512"],
        ),
        (
            &without_header,
            "T;8;1;0,5\n".replace(',', ".").leak(),
            &["0 D 4096 512"],
        ),
        (&without_header, "X,8,1,5\n", &["0 F 0 0"]),
        (
            &bytes_of_sizes,
            "ts,type,lba,len_bytes\n1,w,8,7\n",
            &["0 W 4096 7"],
        ),
    ] {
        let decoded = read(text, options).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(written(&decoded.requests), expected, "{text:?}");
    }
    // --fields makes a table of a file whose first line says nothing
    let mut named = without_header.clone();
    named.format = None;
    let summary = read("1,8,1,5\n", &named).unwrap().summary;
    assert_eq!(
        (summary.format, &*summary.format_reason),
        ("csv", "--fields")
    );
    let mut stream = table("time=1,op=2,offset=3,size=4,stream=5");
    seconds(&mut stream);
    let decoded = read("1,r,0,1,7\n2,w,0,1,65535\n", &stream).unwrap();
    assert!(decoded.summary.has_streams);
    let streams: Vec<_> = decoded
        .requests
        .iter()
        .map(|request| request.stream())
        .collect();
    assert_eq!(streams, [7, 65535]);
    refuse(
        "1,r,0,1,65536\n",
        &stream,
        "t, line 1: column 5 is too large",
        &["65535"],
    );
    // a header that files put together repeat
    let repeated = read(
        "ts,type,lba,len\n1,w,0,1\nts,type,lba,len\n2,w,0,1\n",
        &sectors,
    )
    .unwrap();
    assert_eq!(
        (repeated.lines, repeated.summary.skipped["header lines"]),
        (vec![2, 4], 1)
    );
}

/// A header that differs from that of a plain trace only in letters, signs or order is one of a table.
#[test]
fn headers_like_that_of_a_plain_trace() {
    for text in [
        "TIME_NS,OP,OFFSET_BYTES,SIZE_BYTES\n7,W,0,1\n9,R,0,1",
        "time_ns;op;offset_bytes;size_bytes\n7;W;0;1\n9;R;0;1",
        "op,time_ns,offset_bytes,size_bytes \nW,7,0,1\nR,9,0,1",
    ] {
        let decoded = read(text, &ReadOptions::default()).unwrap();
        assert_eq!(decoded.summary.format, "csv");
        assert_eq!(written(&decoded.requests), ["0 W 0 1", "2 R 0 1"]);
    }
}

#[test]
fn unclear_tables_are_refused() {
    let none = ReadOptions::default();
    let units = [
        "the unit of time, offset and size is not known; give --fields time=ts,op=type,offset=lba,size=len --time-unit \
                  UNIT --sector BYTES",
    ];
    refuse("ts,type,lba,len\n1,w,0,1\n", &none, "t, line 1: ", &units);
    let some = [
        "the unit of offset is not known",
        "--time-unit us --sector BYTES --size-unit 1 ",
    ];
    refuse("time (us),op,sector,bytes\n", &none, "t, line 1: ", &some);
    let numbers = table("time=1,op=2,offset=3,size=4");
    refuse(
        "1,r,2,3\n",
        &numbers,
        "t, line 1: ",
        &["give --fields time=1,op=2,offset=3,size=4 --time-unit UNIT"],
    );
    let csv = with(|options| options.format = Some(Format::CSV));
    refuse(
        "a,b,c,d\n",
        &csv,
        "t, line 1: no column has a name that means time",
        &["\"a\", \"b\"", "--fields"],
    );
    refuse(
        "ts,time,op,lba,len\n",
        &csv,
        "t, line 1: several columns may be time: \"ts\" and \"time\"",
        &["--fields"],
    );
    refuse(
        "1,r,2,3\n",
        &csv,
        "t, line 1: the table has no header",
        &["--fields time=1,op=2,offset=3,size=4"],
    );
    let missing = table("time=x,op=2,offset=3,size=4");
    refuse(
        "a,b,c,d\n",
        &missing,
        "t, line 1: --fields names the column \"x\"",
        &["\"a\", \"b\", \"c\" and \"d\""],
    );
    refuse(
        "1,2,3,4\n",
        &missing,
        "t, line 1: --fields names the column \"x\"",
        &["no header", "1 to 4"],
    );
    refuse(
        "a,b,c,d\n",
        &table("time=1,op=2"),
        "t, line 1: --fields lacks offset=COLUMN",
        &[],
    );
    let text = |line: &str| format!("time_us,op,offset_bytes,bytes\n1,r,2,3\n{line}\n");
    for (line, fragments) in [
        ("1,r,2", &["3 fields", "4 fields, as the first line"][..]),
        ("1,r,2,3,4", &["5 fields"]),
        ("x,r,2,3", &["time_us is not a number", "in us"]),
        (
            "1,q,2,3",
            &["op is no known operation", "\"q\"", "--ops 0=R,1=W"],
        ),
        ("1,1,2,3", &["op is no known operation", "\"1\"", "--ops"]),
        ("1,r,-2,3", &["offset_bytes is negative"]),
        ("1,r,2.5,3", &["offset_bytes is not a whole number"]),
        ("1,r,,3", &["offset_bytes is empty"]),
        ("1,r,2,18446744073709551616", &["bytes is too large"]),
        (
            "1,r,18446744073709551615,2",
            &["offset_bytes + bytes is too large"],
        ),
        ("\"1,r,2,3", &["double quotes"]),
        ("\"1\"x,r,2,3", &["double quotes"]),
    ] {
        refuse(text(line), &none, "t, line 3: ", fragments);
    }
    assert_eq!(
        skipped(&read(text("2,w,0,0"), &none).unwrap(), "no data"),
        1
    );
    let header = with(|options| options.table.header = Some(true));
    let what = ["--header is for csv traces, but this one is plain"];
    refuse(
        "time_ns,op,offset_bytes,size_bytes\n",
        &header,
        "t: ",
        &what,
    );
    for wrong in ["time", "time=", "when=1", "time=1,time=2", ""] {
        assert!(TableOptions::parse_fields(wrong).is_err(), "{wrong}");
    }
    for wrong in ["0", "0=x", "", "0="] {
        assert!(TableOptions::parse_ops(wrong).is_err(), "{wrong}");
    }
    assert_eq!(Role::ALL.map(Role::name).len(), 6);
}

/// Planted bug: a malformed line that ends the run although the user tolerates it, or counts as a request.
#[test]
fn malformed_lines_can_be_left_out() {
    let text = "0,1,512,W,1\n2,30862016,4096,W,2 448003\n0,2,512,W,2\n";
    let none = ReadOptions::default();
    refuse(
        text,
        &none,
        "t, line 2: Timestamp is not a number",
        &["\"2 448003\"", "in s"],
    );
    let one = with(|options| options.skip_malformed = 1);
    let decoded = read(text, &one).unwrap();
    assert_eq!(
        (
            decoded.lines.as_slice(),
            skipped(&decoded, "malformed lines (--skip-malformed)")
        ),
        (&[1, 3][..], 1)
    );
}
