//! Parquet tables of requests.
//!
//! Planted bugs these catch: numbers above 2^63 read as negative; a null read as the value before it; rows of the second
//! row group numbered from 1; µs taken for ns; a table that is refused because it has more columns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use ssdlab_host::{Op, Request};
use ssdlab_trace::{Format, ReadOptions, StreamBy, TableOptions, TimeUnit, TraceReader, read_all};
use tempfile::TempDir;

/// The values of a column; `None` is null.
#[derive(Clone)]
enum Values {
    Narrow(Vec<i32>),
    Wide(Vec<i64>),
    Texts(Vec<&'static str>),
    Nulls(Vec<Option<i64>>),
}

/// Writes row groups of columns. Returns the path.
fn table(folder: &TempDir, schema: &str, groups: &[Vec<Values>]) -> PathBuf {
    let path = folder.path().join("t.parquet");
    let schema = Arc::new(parse_message_type(&format!("message t {{ {schema} }}")).unwrap());
    let file = std::fs::File::create(&path).unwrap();
    let properties = Arc::new(WriterProperties::default());
    let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
    for group in groups {
        let mut rows = writer.next_row_group().unwrap();
        for values in group {
            let mut column = rows
                .next_column()
                .unwrap()
                .expect("a column for all values");
            match values {
                Values::Narrow(values) => {
                    let written = column.typed::<Int32Type>().write_batch(values, None, None);
                    written.unwrap();
                }
                Values::Wide(values) => {
                    let written = column.typed::<Int64Type>().write_batch(values, None, None);
                    written.unwrap();
                }
                Values::Texts(values) => {
                    let values: Vec<ByteArray> = values.iter().map(|&text| text.into()).collect();
                    let written = column
                        .typed::<ByteArrayType>()
                        .write_batch(&values, None, None);
                    written.unwrap();
                }
                Values::Nulls(values) => {
                    let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
                    let values: Vec<i64> = values.iter().flatten().copied().collect();
                    let typed = column.typed::<Int64Type>();
                    typed.write_batch(&values, Some(&levels), None).unwrap();
                }
            }
            column.close().unwrap();
        }
        rows.close().unwrap();
    }
    writer.close().unwrap();
    path
}

const PLAIN: &str = "required int64 time_ns (INTEGER(64,false)); required binary op (UTF8); \
                     required int64 offset_bytes (INTEGER(64,false)); required int64 size_bytes;";

fn rows(times: &[i64], ops: &[&'static str], offsets: &[i64], sizes: &[i64]) -> Vec<Values> {
    vec![
        Values::Wide(times.to_vec()),
        Values::Texts(ops.to_vec()),
        Values::Wide(offsets.to_vec()),
        Values::Wide(sizes.to_vec()),
    ]
}

fn op(time: u64, op: Op, offset: u64, size: u64) -> Request {
    Request::new(time, op, offset, size).unwrap()
}

fn refused(path: &Path, options: &ReadOptions) -> String {
    let error = read_all(path, options).expect_err("must be refused");
    assert!(!error.is_io());
    error.to_string()
}

#[test]
fn a_table_is_a_trace() {
    let folder = TempDir::new().unwrap();
    let high = u64::MAX - 4095;
    let groups = [
        rows(&[5, 6], &["W", "F"], &[high.cast_signed(), 7], &[4095, 9]),
        rows(&[9, 4], &["R", "D"], &[0, 512], &[512, 1 << 40]),
    ];
    let path = table(&folder, PLAIN, &groups);
    let (requests, summary) = read_all(&path, &ReadOptions::default()).unwrap();
    let expected = [
        op(5, Op::Write, high, 4095),
        op(6, Op::Flush, 0, 0),
        op(9, Op::Read, 0, 512),
        op(4, Op::Discard, 512, 1 << 40),
    ];
    assert_eq!(requests, expected);
    assert_eq!(
        (summary.format, summary.backwards, summary.worst_backwards),
        ("parquet", 1, 5)
    );
    // as `sha256sum` says
    let bytes = std::fs::read(&path).unwrap();
    let through =
        TraceReader::from_reader("t", std::io::Cursor::new(bytes), &ReadOptions::default());
    let message = through
        .unwrap()
        .next_batch(&mut Vec::new())
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("a Parquet table is read from its end; store it in an uncompressed file"),
        "{message}"
    );
    assert_eq!(summary.sha256.map(|hash| hash.len()), Some(64));
}

#[test]
fn the_hash_is_that_of_the_file() {
    let folder = TempDir::new().unwrap();
    let path = table(&folder, PLAIN, &[rows(&[5], &["W"], &[0], &[4095])]);
    let hash = |options: &ReadOptions| read_all(&path, options).unwrap().1.sha256;
    // a text of the same bytes has the same hash
    let as_text = ReadOptions {
        format: Some(Format::PLAIN),
        ..ReadOptions::default()
    };
    let mut reader = TraceReader::open(&path, &as_text).unwrap();
    assert!(reader.next_batch(&mut Vec::new()).is_err());
    let expected = reader.identity();
    let mut reader = TraceReader::open(&path, &ReadOptions::default()).unwrap();
    reader.read_all().unwrap();
    assert_eq!(
        format!("{:?}", reader.identity())
            .split("sha256")
            .nth(1)
            .map(|s| s.split(']').next().map(str::to_owned)),
        format!("{expected:?}")
            .split("sha256")
            .nth(1)
            .map(|s| s.split(']').next().map(str::to_owned))
    );
    assert!(hash(&ReadOptions::default()).is_some());
    let limited = ReadOptions {
        limit: Some(1),
        ..ReadOptions::default()
    };
    let (requests, summary) = read_all(&path, &limited).unwrap();
    assert_eq!((requests.len(), summary.sha256), (1, None));
}

#[test]
fn other_types_other_orders_and_more_columns() {
    let folder = TempDir::new().unwrap();
    let schema = "required int32 size_bytes (INTEGER(32,false)); optional binary volume (UTF8); required int64 latency; \
                  required int64 time_ns (TIMESTAMP(MICROS,true)); required int32 stream (INTEGER(16,false)); \
                  required binary op; required int32 offset_bytes;";
    let group = vec![
        Values::Narrow(vec![-1, 512, 512]),
        Values::Texts(vec!["a", "b", "a"]),
        Values::Wide(vec![-1; 3]),
        Values::Wide(vec![10, 20, 30]),
        Values::Narrow(vec![1, 2, 3]),
        Values::Texts(vec!["W", "R", "W"]),
        Values::Narrow(vec![0, 512, 1024]),
    ];
    let schema = schema.replace("optional", "required");
    let path = table(&folder, &schema, &[group]);
    let message = refused(&path, &ReadOptions::default());
    assert!(
        message.contains("t.parquet, row 2: a second volume, found \"b\" after \"a\""),
        "{message}"
    );
    let one = ReadOptions {
        volume: Some("a".into()),
        ..ReadOptions::default()
    };
    let (requests, _) = read_all(&path, &one).unwrap();
    let expected = [
        op(10_000, Op::Write, 0, u32::MAX.into()).in_stream(1),
        op(30_000, Op::Write, 1024, 512).in_stream(3),
    ];
    assert_eq!(requests, expected);
    let all = ReadOptions {
        all_volumes: true,
        ..ReadOptions::default()
    };
    let mut reader = TraceReader::open(&path, &all).unwrap();
    let mut batch = Vec::new();
    assert!(reader.next_batch(&mut batch).unwrap());
    let volumes: Vec<u32> = (0..3).map(|index| reader.volume_of(index)).collect();
    assert_eq!(
        (volumes, reader.volumes()),
        (vec![0, 1, 0], &["a".to_owned(), "b".to_owned()][..])
    );
}

#[test]
fn what_is_wrong_with_a_table() {
    let folder = TempDir::new().unwrap();
    let optional = PLAIN.replace("required int64 offset_bytes", "optional int64 offset_bytes");
    let text = PLAIN.replace(
        "required int64 size_bytes",
        "required binary size_bytes (UTF8)",
    );
    let real = PLAIN.replace(
        "required int64 time_ns (INTEGER(64,false))",
        "required int64 time_ns (TIME(MICROS,true))",
    );
    let good = rows(&[1, 2], &["W", "W"], &[0, 0], &[512, 512]);
    let mut nulls = good.clone();
    nulls[2] = Values::Nulls(vec![Some(1), None]);
    let mut texts = good.clone();
    texts[3] = Values::Texts(vec!["512", "512"]);
    for (schema, groups, says) in [
        (
            PLAIN,
            vec![good.clone(), rows(&[3], &["x"], &[0], &[512])],
            "row 3: op is no known operation, found \"x\"; it must be R, W, F, D or such",
        ),
        (
            PLAIN,
            vec![rows(&[1, 2], &["W", "W"], &[0, 0], &[512, -3])],
            "row 2: size_bytes is negative, found -3; it must be from 0 (row group 1)",
        ),
        (
            &optional,
            vec![good.clone(), nulls].split_off(1),
            "row 2: offset_bytes is null; each request needs a value (row group 1)",
        ),
        (
            &text,
            vec![texts],
            "row 1: the column size_bytes has the type BYTE_ARRAY",
        ),
        (
            &real,
            vec![good.clone()],
            "row 1: the column time_ns has the type INT64 (Time",
        ),
    ] {
        let path = table(&folder, schema, &groups);
        let message = refused(&path, &ReadOptions::default());
        assert!(message.contains(&format!("t.parquet, {says}")), "{message}");
    }
    let renamed = PLAIN.replace("time_ns", "first");
    let path = table(&folder, &renamed, std::slice::from_ref(&good));
    let message = refused(&path, &ReadOptions::default());
    assert!(
        message.contains("t.parquet: no column has a name that means time, found \"first\""),
        "{message}"
    );
    let path = table(&folder, PLAIN, &[good]);
    let by_stream = ReadOptions {
        stream_by: Some(StreamBy::Column("stream".into())),
        ..ReadOptions::default()
    };
    assert!(refused(&path, &by_stream).contains("there is no such column"));
    let volume = ReadOptions {
        volume: Some("a".into()),
        ..ReadOptions::default()
    };
    assert!(refused(&path, &volume).contains("no column is the volume"));
    let action = ReadOptions {
        action: Some(ssdlab_trace::Action::Queue),
        ..ReadOptions::default()
    };
    assert!(
        refused(&path, &action)
            .contains("--action is for blkparse and blktrace traces, but this one is parquet")
    );
}

/// Rows that are none do not take others with them.
#[test]
fn bad_rows_are_told_or_tolerated_one_by_one() {
    let folder = TempDir::new().unwrap();
    let schema = PLAIN.replace("required int64 offset_bytes", "optional int64 offset_bytes");
    let mut group = rows(
        &[1, 2, 3, 4, 5],
        &["W"; 5],
        &[0; 5],
        &[512, 512, 512, -1, 512],
    );
    group[2] = Values::Nulls(vec![Some(0), None, Some(1024), Some(0), Some(2048)]);
    let path = table(&folder, &schema, &[group]);
    let mut reader = TraceReader::open(&path, &ReadOptions::default()).unwrap();
    let mut batch = Vec::new();
    let error = reader.next_batch(&mut batch).unwrap_err().to_string();
    assert_eq!(batch, [op(1, Op::Write, 0, 512)]);
    assert!(error.contains("row 2: offset_bytes is null"), "{error}");
    let tolerant = ReadOptions {
        skip_malformed: 2,
        ..ReadOptions::default()
    };
    let (requests, summary) = read_all(&path, &tolerant).unwrap();
    let good =
        [(1, 0), (3, 1024), (5, 2048)].map(|(time, offset)| op(time, Op::Write, offset, 512));
    assert_eq!(requests, good);
    assert!(
        summary
            .malformed
            .unwrap()
            .starts_with("row 2: offset_bytes is null")
    );
    let one = ReadOptions {
        skip_malformed: 1,
        ..ReadOptions::default()
    };
    assert!(refused(&path, &one).contains("row 4: size_bytes is negative, found -1"));
}

/// The names, units and operations are those of a data frame.
#[test]
fn columns_may_have_other_names_and_units() {
    let folder = TempDir::new().unwrap();
    let schema = "required int64 ts; required int32 rw; required int64 lba; required int32 len; required int32 disk;";
    let group = vec![
        Values::Wide(vec![1_700_000_000_000, 1_700_000_000_005]),
        Values::Narrow(vec![0, 1]),
        Values::Wide(vec![8, 16]),
        Values::Narrow(vec![1, 8]),
        Values::Narrow(vec![7, 7]),
    ];
    let path = table(&folder, schema, &[group]);
    let message = refused(&path, &ReadOptions::default());
    assert!(
        message.contains("the unit of time, offset and size is not known; give --fields time=ts,op=rw,offset=lba,size=len"),
        "{message}"
    );
    let mut options = ReadOptions {
        time_unit: Some(TimeUnit::Millisecond),
        sector: Some(512),
        ..ReadOptions::default()
    };
    let message = refused(&path, &options);
    assert!(
        message.contains("row 1: rw is no known operation, found \"0\"")
            && message.contains("--ops 0=R,1=W"),
        "{message}"
    );
    options.table.ops = TableOptions::parse_ops("0=R,1=W").unwrap();
    options.volume = Some("7".into());
    let (requests, _) = read_all(&path, &options).unwrap();
    let expected = [
        op(0, Op::Read, 4096, 512),
        op(5_000_000, Op::Write, 8192, 4096),
    ];
    assert_eq!(requests, expected);
    options.table.fields =
        TableOptions::parse_fields("time=ts,op=rw,offset=lba,size=disk").unwrap();
    options.volume = None;
    let (requests, _) = read_all(&path, &options).unwrap();
    assert_eq!(requests[0], op(0, Op::Read, 4096, 7 * 512));
}

/// Every cut, and a changed byte at every place, ends in a message or in requests, never in a panic.
#[test]
fn damaged_tables_are_refused() {
    let folder = TempDir::new().unwrap();
    let groups = [
        rows(&[5, 6], &["W", "F"], &[0, 7], &[4095, 9]),
        rows(&[9], &["R"], &[0], &[512]),
    ];
    let path = table(&folder, PLAIN, &groups);
    let whole = std::fs::read(&path).unwrap();
    let parquet = ReadOptions {
        format: Some(Format::PARQUET),
        ..ReadOptions::default()
    };
    for cut in 0..whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let message = refused(&path, &parquet);
        assert!(message.contains("t.parquet: "), "{message}");
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&path, &bytes).unwrap();
        if let Err(error) = read_all(&path, &parquet) {
            let message = error.to_string();
            assert!(
                !message.contains(char::is_control) && message.len() < 600,
                "{message:?}"
            );
        }
    }
}
