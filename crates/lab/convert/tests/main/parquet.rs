//! Parquet, read back row by row.
//!
//! Planted bugs that these catch: a row group that is written twice or not at all; rows in another order; a volume that
//! has the name of another one; offsets above 2^63 that become other numbers; a trace that runs backwards and is said to be
//! sorted.

use std::collections::BTreeMap;

use parquet::basic::{ConvertedType, Encoding, Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use ssdlab_convert::Convert;
use ssdlab_host::Request;

use crate::common::{convert, file, lines, read_back};

/// The values of a row by column.
#[derive(Debug, PartialEq)]
pub struct Row(BTreeMap<String, String>);

impl Row {
    pub fn of(request: &Request, stream: bool, volume: Option<&str>) -> Row {
        let values = [
            ("time_ns", Some(request.time_ns.to_string())),
            ("op", Some(request.op().letter().to_string())),
            ("offset_bytes", Some(request.offset.to_string())),
            ("size_bytes", Some(request.size().to_string())),
            ("stream", stream.then(|| request.stream().to_string())),
            ("volume", volume.map(str::to_owned)),
        ];
        let named = |(name, value): (&str, Option<String>)| Some((name.to_owned(), value?));
        Row(values.into_iter().filter_map(named).collect())
    }
}

fn open(bytes: Vec<u8>) -> SerializedFileReader<std::fs::File> {
    let file = file("");
    std::fs::write(file.path(), bytes).unwrap();
    SerializedFileReader::new(file.reopen().unwrap()).unwrap()
}

/// The rows of a file.
pub fn rows(bytes: Vec<u8>) -> Vec<Row> {
    let all = open(bytes);
    let row = |row: Result<parquet::record::Row, _>| {
        let values = row.unwrap().into_columns().into_iter();
        Row(values
            .map(|(name, value)| {
                let value = match value {
                    Field::Str(text) => text,
                    Field::ULong(number) => number.to_string(),
                    Field::UShort(number) => number.to_string(),
                    other => panic!("{name}: {other:?}"),
                };
                (name, value)
            })
            .collect())
    };
    all.get_row_iter(None).unwrap().map(row).collect()
}

/// The keys and values of a file.
fn metadata(bytes: Vec<u8>) -> BTreeMap<String, Option<String>> {
    let file = open(bytes);
    let pairs = file.metadata().file_metadata().key_value_metadata();
    let pairs = pairs.unwrap().iter();
    pairs
        .map(|pair| (pair.key.clone(), pair.value.clone()))
        .collect()
}

#[test]
fn columns_and_metadata() {
    let text = lines(&["5,W,4096,512", "7,F,0,0", "6,R,18446744073709551103,512"]);
    let (bytes, converted) = convert(&text, &Convert::default(), "parquet");
    let file = open(bytes.clone());
    let schema = file.metadata().file_metadata().schema_descr();
    let columns: Vec<_> = (schema.columns().iter())
        .map(|column| {
            (
                column.name(),
                column.physical_type(),
                column.converted_type(),
            )
        })
        .collect();
    let number = |name| (name, Type::INT64, ConvertedType::UINT_64);
    let expected = [
        number("time_ns"),
        ("op", Type::BYTE_ARRAY, ConvertedType::UTF8),
        number("offset_bytes"),
        number("size_bytes"),
    ];
    assert_eq!(columns, expected);
    let group = file.metadata().row_group(0);
    let has = |column: usize, encoding| group.column(column).encodings().any(|e| e == encoding);
    assert!(has(0, Encoding::DELTA_BINARY_PACKED));
    assert!(has(1, Encoding::RLE_DICTIONARY));
    assert!(has(3, Encoding::RLE_DICTIONARY));
    let metadata = metadata(bytes);
    let value = |key: &str| metadata[key].as_deref().unwrap();
    assert_eq!(value("ssdlab.version"), "1");
    assert!(value("ssdlab.tool").starts_with("ssdlab "));
    assert_eq!(value("ssdlab.source"), converted.trace.name);
    assert_eq!(
        Some(value("ssdlab.sha256")),
        converted.trace.sha256.as_deref()
    );
    assert_eq!(value("ssdlab.sorted"), "false");
    let sorted = convert(
        &lines(&["5,W,0,1", "5,R,0,1"]),
        &Convert::default(),
        "parquet",
    );
    let sorted = crate::parquet::metadata(sorted.0);
    assert_eq!(sorted["ssdlab.sorted"].as_deref(), Some("true"));
}

#[test]
fn volumes_have_their_names() {
    let text = "\
128166372003061629,usr,0,Read,0,512,1
128166372003061630,src,1,Write,512,512,1
128166372003061631,usr,0,Write,0,512,1
";
    let how = Convert::default();
    let (bytes, converted) = convert(text, &how, "parquet");
    assert_eq!(converted.trace.volumes, ["usr.0", "src.1"]);
    let names = ["usr.0", "src.1", "usr.0"];
    assert_eq!(read_back(bytes.clone(), "parquet").1, names);
    let volumes: Vec<_> = rows(bytes)
        .into_iter()
        .map(|Row(mut row)| row.remove("volume").unwrap())
        .collect();
    assert_eq!(volumes, names);
    // the first volume is left out
    let how = Convert {
        select: ssdlab_convert::Select {
            from_ns: 100,
            until_ns: Some(200),
            ..Default::default()
        },
        ..how
    };
    let left = rows(convert(text, &how, "parquet").0);
    let request = Request::new(0, ssdlab_host::Op::Write, 512, 512).unwrap();
    assert_eq!(left, [Row::of(&request, false, Some("src.1"))]);
}

#[test]
fn many_row_groups() {
    let number = (1 << 20) + 10;
    let mut text = lines(&[]);
    text.pop();
    for at in 0..number {
        text += &format!("{at},W,{},512\n", at % 1000 * 512);
    }
    let (bytes, _) = convert(&text, &Convert::default(), "parquet");
    let file = open(bytes);
    let groups = file.metadata().row_groups().iter();
    let lengths: Vec<_> = groups.map(|group| group.num_rows()).collect();
    assert_eq!(lengths, [1 << 20, 10]);
    let mut rows = file.get_row_iter(None).unwrap();
    let last = rows.nth(number - 1).unwrap().unwrap();
    assert_eq!(last.into_columns()[0].1, Field::ULong(number as u64 - 1));
}

#[test]
fn a_trace_without_requests() {
    assert!(rows(convert(&lines(&[]), &Convert::default(), "parquet").0).is_empty());
}
