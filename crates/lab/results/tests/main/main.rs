//! Tables that are written and read back.

mod writer;

use std::io::Write as _;
use std::sync::Arc;

use parquet::file::metadata::{FileMetaData, ParquetMetaDataBuilder, ParquetMetaDataWriter};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use ssdlab_device::results::{Better, Figure, Unit};
use ssdlab_results::{
    Cell, Compared, Origin, Schema, Table, TableError, Type, about_part, prove, rows_in,
};
use ssdlab_sim::{Comparison, Lab, Row};
use tempfile::NamedTempFile;

fn table(rows: Vec<Vec<Cell>>) -> Table {
    let kinds = [
        ("n", Type::Int),
        ("x", Type::Float),
        ("on", Type::Bool),
        ("text", Type::Text),
    ];
    let mut table = Table::new(kinds.map(|(name, kind)| (name, Some(kind))));
    rows.into_iter().for_each(|row| table.add(row));
    table
}

fn parquet(table: &Table) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    let bytes = table
        .write_parquet(&[("what", "test")], Vec::new())
        .unwrap();
    file.write_all(&bytes).unwrap();
    file
}

fn csv(text: &[u8]) -> Result<Table, TableError> {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    Table::read(file.path())
}

fn rows() -> impl Strategy<Value = Vec<Vec<Cell>>> {
    let text = "[ -~äß]{0,9}";
    let row = (
        any::<Option<i64>>(),
        prop::option::of(-1e300..1e300),
        any::<Option<bool>>(),
        prop::option::of(text),
    );
    let cells = row.prop_map(|(n, x, on, text)| {
        vec![
            n.map_or(Cell::Null, Cell::Int),
            x.into(),
            on.into(),
            text.into(),
        ]
    });
    prop::collection::vec(cells, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    // planted bugs: a null becomes 0; levels of another column
    #[test]
    fn parquet_reads_back_the_same(rows in rows()) {
        let table = table(rows);
        let file = parquet(&table);
        let (count, about) = rows_in(file.path()).unwrap();
        prop_assert_eq!(count, table.rows() as u64);
        prop_assert!(about.contains(&("what".into(), "test".into())));
        if table.rows() > 0 {
            prop_assert_eq!(Table::read(file.path()).unwrap(), table);
        }
    }

    // planted bug: a float without a point, which reads back as an integer
    #[test]
    fn csv_reads_back_numbers_and_switches(rows in rows()) {
        let mut table = table(rows);
        // an empty text and no text are the same there, and a text may look like a number
        let blank = vec![Cell::Null; table.rows()];
        table.set_column("text", blank);
        let mut text = Vec::new();
        table.write_csv(&mut text).unwrap();
        let read = csv(&text).unwrap();
        for name in ["n", "x", "on"] {
            prop_assert_eq!(read.column(name), table.column(name));
        }
    }
}

// planted bugs: a byte that the checksum leaves out; a file without its checksum counts as one that never had any
#[test]
fn a_flipped_bit_is_damage() {
    let row = vec![
        Cell::Int(70_000),
        Cell::Float(0.25),
        true.into(),
        "word".into(),
    ];
    let table = table(vec![row; 3]);
    let whole = table.write_parquet(&[about_part("a")], Vec::new()).unwrap();
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("part-a.parquet");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        (prove(&path), Table::read(&path))
    };
    assert!(matches!(read(&whole), (Ok(()), Ok(same)) if same == table));
    // each byte, once or twice
    for bit in (0..whole.len() * 8).step_by(5) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let (proven, read) = read(&bytes);
        assert!(
            proven.is_err() && read.is_err(),
            "bit {bit} of {}",
            whole.len() * 8
        );
    }
    for end in 0..whole.len() {
        assert!(read(&whole[..end]).0.is_err(), "{end} of {}", whole.len());
    }
    let other = place.path().join("part-b.parquet");
    std::fs::write(&other, &whole).unwrap();
    let why = Table::read(&other).unwrap_err().to_string();
    assert!(
        why.contains("part-b.parquet: has the rows of another part, a"),
        "{why}"
    );
    // a copy under a name of the user's
    std::fs::rename(&other, place.path().join("mine.parquet")).unwrap();
    assert!(Table::read(&place.path().join("mine.parquet")).is_ok());
}

// planted bug: a panic of the library ends the program
#[test]
fn a_panic_of_the_library_is_an_error() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, include_bytes!("panics.parquet")).unwrap();
    let why = Table::read(file.path()).unwrap_err().to_string();
    assert!(why.contains("no readable Parquet"), "{why}");
}

// planted bug: the bytes of a part depend on more than its rows
#[test]
fn the_same_rows_are_the_same_bytes() {
    let made = || {
        table(vec![
            vec![Cell::Int(1), Cell::Null, true.into(), "a".into()];
            7
        ])
    };
    let bytes = || made().write_parquet(&[("a", "b")], Vec::new()).unwrap();
    assert_eq!(bytes(), bytes());
    // compressed, with dictionaries
    let large = table(vec![
        vec![Cell::Int(1), Cell::Null, true.into(), "a".into()];
        2000
    ]);
    assert_eq!(Table::read(parquet(&large).path()).unwrap(), large);
}

// planted bug: columns are joined by their place
#[test]
fn tables_are_joined_by_the_names_of_columns() {
    let mut one = Table::new([("a", None), ("b", None)]);
    one.add([Cell::Int(1), "x".into()]);
    let mut other = Table::new([("b", None), ("c", None)]);
    other.add([Cell::Int(7), Cell::Float(0.5)]);
    one.append(&other);
    assert_eq!(one.rows(), 2);
    assert_eq!(one.column("a").unwrap(), [Cell::Int(1), Cell::Null]);
    assert_eq!(one.column("b").unwrap(), ["x".into(), "7".into()]);
    assert_eq!(one.column("c").unwrap(), [Cell::Null, Cell::Float(0.5)]);
    let kinds: Vec<(&str, Type)> = one.columns().collect();
    assert_eq!(
        kinds,
        [("a", Type::Int), ("b", Type::Text), ("c", Type::Float)]
    );
}

// planted bugs: a short line becomes nulls; the second of two columns of a name is lost
#[test]
fn what_is_no_table_is_refused_with_its_line() {
    let refused = |text: &[u8]| csv(text).unwrap_err().to_string();
    assert!(refused(b"a,b\n1,2\n3\n").contains("line 3: 1 fields, must be 2"));
    assert!(
        refused(b"a,a\n1,2\n").contains("line 1: the column \"a\" must have a name of its own")
    );
    assert!(refused(b"\x00\xff,b\n").contains("must be Parquet or CSV"));
    assert!(refused(b"words\n").contains("not a table of results"));
    assert!(refused(b"PAR1 and nothing else").contains("no readable Parquet"));
    let whole = std::fs::read(parquet(&table(vec![vec![Cell::Null; 4]; 3])).path()).unwrap();
    for cut in [4, 11, whole.len() - 1] {
        assert!(csv(&whole[..cut]).is_err(), "{cut}");
    }
    let missing = Table::read("no/such/file".as_ref())
        .unwrap_err()
        .to_string();
    assert!(
        missing.starts_with("no/such/file: cannot be read"),
        "{missing}"
    );
}

// planted bug: a key and a counter share a name, and one of them is lost
#[test]
fn every_column_has_a_name_of_its_own() {
    let schema = Schema::of(&Lab::new().systems().catalogue());
    let names: Vec<&str> = schema
        .columns()
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    for (at, name) in names.iter().enumerate() {
        assert!(!names[..at].contains(name), "{name}");
        assert!(!name.ends_with('_') && !name.contains('.'), "{name}");
    }
    for name in ["trace", "buffer_policy", "erases", "waf", "p99", "run_id"] {
        assert!(names.contains(&name), "{name}");
    }
    assert_eq!(
        schema.column("buffer.policy").unwrap().name,
        "buffer_policy"
    );
}

// planted bug: a hash of digits and an e that becomes a number, as which others are equal to it
#[test]
fn hashes_stay_texts() {
    for text in [
        "12345678901234567890123456789012",
        "123456789012e4567890123456789012",
        "00000000000000000000000000000e12",
        "007",
    ] {
        assert_eq!(Cell::parse(text), Cell::Text(text.into()));
    }
    assert_eq!(
        Cell::parse("0.00007228044813877847"),
        Cell::Float(0.00007228044813877847)
    );
    assert_eq!(Cell::parse("1e300"), Cell::Float(1e300));
}

/// A file with a column `x` of a type, in the words of Parquet, and a column `y`; without rows.
fn typed(of: &str) -> NamedTempFile {
    let schema = format!("message results {{ optional {of}; optional double y; }}");
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let file = NamedTempFile::new().unwrap();
    let writer = SerializedFileWriter::new(file.reopen().unwrap(), schema, Arc::default());
    writer.unwrap().close().unwrap();
    file
}

// planted bugs: numbers that stand for others, as they are; a type of a column that is not read
#[test]
fn numbers_that_mean_others_are_refused() {
    for (of, found) in [
        ("int32 x (DECIMAL(5,2))", "DECIMAL"),
        ("int64 x (UINT_64)", "UINT_64"),
        ("int64 x (INTEGER(64,false))", "unsigned INTEGER"),
        ("int32 x (DATE)", "DATE"),
        ("int64 x (TIMESTAMP(MICROS,true))", "TIMESTAMP"),
        ("fixed_len_byte_array(4) x", "FIXED_LEN_BYTE_ARRAY"),
    ] {
        let file = typed(of);
        let refused = Table::read(file.path()).unwrap_err().to_string();
        let expected = format!("column x: of type {found}; must be a signed integer");
        assert!(refused.contains(&expected), "{refused}");
        let read = Table::read_pieces(file.path(), &|name| name == "y", &mut |_| {});
        assert!(read.is_ok(), "{of}");
    }
    for of in [
        "int64 x (INTEGER(64,true))",
        "int32 x (INT_8)",
        "binary x (STRING)",
    ] {
        assert!(Table::read(typed(of).path()).is_ok(), "{of}");
    }
}

// planted bug: memory for as many rows as the footer says
#[test]
fn a_wrong_number_of_rows_is_refused_before_they_are_kept() {
    let file = parquet(&table(vec![
        vec![
            Cell::Int(1),
            Cell::Null,
            Cell::Null,
            Cell::Null
        ];
        3
    ]));
    let bytes = std::fs::read(file.path()).unwrap();
    let length = bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap();
    let footer = bytes.len() - 8 - u32::from_le_bytes(length) as usize;
    let reader = SerializedFileReader::new(file.reopen().unwrap()).unwrap();
    for (rows, why) in [
        (4, "column n: 3 values in 4 rows"),
        (1 << 60, "column n: 3 values in"),
        (-1, "no readable Parquet"),
    ] {
        // without the checksum, as other programs write it
        let own = reader.metadata().file_metadata();
        let others = FileMetaData::new(
            own.version(),
            own.num_rows(),
            None,
            None,
            own.schema_descr_ptr(),
            own.column_orders().cloned(),
        );
        let about = ParquetMetaDataBuilder::new(others);
        let groups = reader.metadata().row_groups().iter().cloned();
        let groups = groups.map(|group| group.into_builder().set_num_rows(rows).build().unwrap());
        let about = about.set_row_groups(groups.collect()).build();
        let mut damaged = bytes[..footer].to_owned();
        let writer = ParquetMetaDataWriter::new(&mut damaged, &about);
        writer.finish().unwrap();
        let refused = csv(&damaged).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

// planted bugs: a figure of another crate takes the column of a fact, or of what a comparison has beside it
#[test]
fn foreign_figures_may_have_any_name() {
    let named =
        |name: &'static str| Figure::new(name, [name; 3], Unit::Count, Better::Less, |_| Some(7.0));
    let names = ["trace", "doubt", "version", "label", "over_time", "waf-"];
    let lab = names
        .into_iter()
        .fold(Lab::new(), |lab, name| lab.figure(named(name)));
    let schema = Schema::of(&lab.systems().catalogue());
    let comparison = Comparison {
        rows: vec![Row {
            label: "lru".into(),
            ..Row::default()
        }],
        ..Comparison::default()
    };
    let origin = Origin {
        version: "1.2.3".into(),
        ..Origin::default()
    };
    let compared = Compared {
        comparison: &comparison,
        origin: &origin,
        schema: &schema,
    };
    let (table, row) = (compared.table(), &compared.json()[0]);
    for name in names {
        let own = schema
            .columns()
            .iter()
            .find(|column| column.of == name)
            .unwrap();
        assert_eq!(*own.name, format!("{}_", name.trim_end_matches('-')));
        assert_eq!(*table.cell(0, &own.name), Cell::Float(7.0), "{name}");
        assert_eq!(row[&own.name], 7.0, "{name}");
    }
    for (name, expected) in [("label", "lru"), ("version", "1.2.3")] {
        assert_eq!(table.cell(0, name).text(), Some(expected));
        assert_eq!(row[name], expected);
    }
    assert_eq!(*table.cell(0, "doubt"), Cell::Null);
}
