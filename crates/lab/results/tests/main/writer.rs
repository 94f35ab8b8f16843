use ssdlab_results::{Cell, Table, TableWriter, Type};

/// Rows of three columns.
fn table(rows: usize) -> Table {
    let columns = [("a", Type::Int), ("b", Type::Text), ("c", Type::Float)];
    let mut table = Table::new(columns.map(|(name, kind)| (name, Some(kind))));
    for row in 0..rows as i64 {
        let text = (row % 3 > 0).then(|| format!("row {row}"));
        table.add([Cell::Int(row), text.into(), Cell::Float(row as f64 / 2.0)]);
    }
    table
}

/// Reads a file of these bytes.
fn read(bytes: &[u8]) -> Table {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    std::fs::write(&path, bytes).unwrap();
    Table::read(&path).unwrap()
}

// planted bugs: the rows behind the last full group are lost; a group is written twice; a header for each group
#[test]
fn pieces_make_the_whole_table() {
    for (pieces, rows) in [(0, 0), (1, 7), (3, 9_000), (25, 999)] {
        let piece = table(rows);
        let mut whole = table(0);
        let mut parquet = TableWriter::parquet(&whole, &[("key", "value")], Vec::new());
        let mut csv = TableWriter::csv(&whole, Vec::new()).unwrap();
        for _ in 0..pieces {
            whole.append(&piece);
            parquet.add(&piece).unwrap();
            csv.add(&piece).unwrap();
        }
        assert_eq!(parquet.rows(), (pieces * rows) as u64);
        let parquet = parquet.finish().unwrap();
        let csv = csv.finish().unwrap();
        let mut text = Vec::new();
        whole.write_csv(&mut text).unwrap();
        assert!(csv == text);
        assert!(read(&parquet).columns().eq(whole.columns()));
        assert_eq!(read(&parquet).rows(), whole.rows());
        for column in 0..3 {
            assert!(read(&parquet).cells(column) == whole.cells(column));
        }
        if pieces * rows < 10_000 {
            let at_once = whole.write_parquet(&[("key", "value")], Vec::new());
            assert!(at_once.unwrap() == parquet);
        }
    }
}

// planted bug: the cells of an unknown column are dropped
#[test]
fn other_columns_are_refused() {
    let mut writer = TableWriter::csv(&table(0), Vec::new()).unwrap();
    let mut other = table(1);
    other.set_column("d", vec![Cell::Int(1)]);
    let why = writer.add(&other).unwrap_err().to_string();
    assert!(why.contains("column d is not one of this version"), "{why}");
}
