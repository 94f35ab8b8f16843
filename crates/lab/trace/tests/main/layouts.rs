//! What the options say of text formats, and what is particular to one of them.

use crate::common::{Decoded, read, refuse, skipped, with, written};
use ssdlab_trace::{Format, ReadOptions, Role, TableOptions, TimeUnit};

#[test]
fn volumes_that_cannot_be_chosen() {
    let wrong = with(|options| options.volume = Some("6 0".into()));
    let line = "0 1 a 0 8 W 6 0\n";
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
        let tencent = with(|options| options.format = Format::named("tencent"));
        read(lines(offset).collect::<String>(), &tencent)
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
    assert_eq!(decoded.summary.remarks.last().unwrap(), remark);
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
    let remark = read(
        Format::named("thesios").unwrap().example(),
        &ReadOptions::default(),
    )
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
            "\"ts\",\"type\",\"lba\",\"len\"\n\"1\" , \"w\",\"8\",1.00\n",
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
