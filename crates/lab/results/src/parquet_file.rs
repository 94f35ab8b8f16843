//! Parquet: a column for each column, all of them optional.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{
    Compression, ConvertedType, LogicalType, Repetition, Type as Physical, ZstdLevel,
};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnDescriptor, Type as Node};

use crate::cell::{Cell, Type};
use crate::error::TableError;
use crate::proof::{self, Proving};
use crate::table::{Piece, Table};

/// The first bytes of a file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

const TOOL: &str = concat!("ssdlab ", env!("CARGO_PKG_VERSION"));

/// The most values that are read at once.
const BATCH: usize = 1 << 16;

/// Tables with fewer rows, as parts are, have neither compression nor dictionaries: for 200 columns, both take longer than
/// all else.
const SMALL: usize = 1000;

/// Tables with fewer rows are small.
pub(crate) fn is_small(table: &Table) -> bool {
    table.rows() < SMALL
}

pub(crate) fn write<W: Write + Send>(
    table: &Table,
    about: &[(&str, &str)],
    out: W,
) -> Result<W, TableError> {
    let mut file = Groups::begin(table, is_small(table), out)?;
    file.add(table)?;
    file.finish(about.iter().copied())
}

/// A file that gets a group of rows after the other.
pub(crate) struct Groups<W: Write + Send>(SerializedFileWriter<Proving<W>>);

fn failed(error: ParquetError) -> TableError {
    TableError::Output(output(error))
}

impl<W: Write + Send> Groups<W> {
    /// A file with the columns of `table`.
    pub fn begin(table: &Table, is_small: bool, out: W) -> Result<Self, TableError> {
        let schema = schema(table).map_err(failed)?;
        let level = ZstdLevel::try_new(3).map_err(failed)?;
        let compression = match is_small {
            true => Compression::UNCOMPRESSED,
            false => Compression::ZSTD(level),
        };
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .set_dictionary_enabled(!is_small)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_created_by(TOOL.to_owned())
            .build();
        let file =
            SerializedFileWriter::new(Proving::new(out), Arc::new(schema), Arc::new(properties));
        Ok(Self(file.map_err(failed)?))
    }

    /// Adds the rows of a table with the same columns as one group.
    pub fn add(&mut self, table: &Table) -> Result<(), TableError> {
        if table.rows() == 0 {
            return Ok(());
        }
        let mut group = self.0.next_row_group().map_err(failed)?;
        for (number, (_, kind)) in table.columns().enumerate() {
            column(&mut group, kind, table.cells(number)).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        Ok(())
    }

    /// Ends the file with pairs for its metadata, and its proof.
    pub fn finish<'a>(
        mut self,
        about: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<W, TableError> {
        let proof = [proof::PROVEN, (proof::KEY, proof::BLANK)];
        for (key, value) in about.chain(proof) {
            let pair = KeyValue::new(key.to_owned(), value.to_owned());
            self.0.append_key_value_metadata(pair);
        }
        self.0.inner_mut().hold();
        let proving = self.0.into_inner().map_err(failed)?;
        Ok(proving.finish()?)
    }
}

fn schema(table: &Table) -> Result<Node, ParquetError> {
    let field = |(name, kind): (&str, Type)| {
        let (physical, logical) = match kind {
            Type::Bool => (Physical::BOOLEAN, None),
            Type::Int => (Physical::INT64, None),
            Type::Float => (Physical::DOUBLE, None),
            Type::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let node = Node::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()?;
        Ok(Arc::new(node))
    };
    let fields: Result<Vec<_>, ParquetError> = table.columns().map(field).collect();
    Node::group_type_builder("results")
        .with_fields(fields?)
        .build()
}

/// Writes the next column of a row group.
fn column(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    kind: Type,
    cells: &[Cell],
) -> Result<(), ParquetError> {
    match kind {
        Type::Bool => values::<BoolType>(group, cells, |cell| match cell {
            Cell::Bool(on) => Some(*on),
            _ => None,
        }),
        Type::Int => values::<Int64Type>(group, cells, |cell| match cell {
            Cell::Int(number) => Some(*number),
            _ => None,
        }),
        Type::Float => values::<DoubleType>(group, cells, |cell| match cell {
            Cell::Float(number) => Some(*number),
            _ => None,
        }),
        Type::Text => {
            values::<ByteArrayType>(group, cells, |cell| cell.text().map(ByteArray::from))
        }
    }
}

fn values<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    cells: &[Cell],
    value: impl Fn(&Cell) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = cells
        .iter()
        .map(|cell| (*cell != Cell::Null).into())
        .collect();
    let values: Vec<T::T> = cells.iter().filter_map(value).collect();
    let next = group.next_column()?;
    let mut column = next.expect("as many columns as in the schema");
    column
        .typed::<T>()
        .write_batch(&values, Some(&levels), None)?;
    column.close()
}

pub(crate) fn read(path: &Path) -> Result<Table, TableError> {
    let (mut all, mut next): (Vec<Vec<Cell>>, usize) = (Vec::new(), 0);
    let columns = pieces(path, &|_| true, &mut |piece| match piece {
        Piece::Rows(_) => next = 0,
        Piece::Column(_, cells) => {
            match all.get_mut(next) {
                Some(before) => before.extend(cells),
                None => all.push(cells),
            }
            next += 1;
        }
    })?;
    all.resize(columns.len(), Vec::new());
    let named = columns.into_iter().zip(all);
    let columns = named.map(|((name, kind), cells)| (name, kind, cells));
    Ok(Table::of_columns(columns.collect()))
}

/// Reads the columns that are kept, one after the other, in each group of rows; and returns their names and types.
pub(crate) fn pieces(
    path: &Path,
    keep: &dyn Fn(&str) -> bool,
    take: &mut dyn FnMut(Piece),
) -> Result<Vec<(String, Type)>, TableError> {
    let wrong = |error: ParquetError| match error {
        ParquetError::External(error) if error.is::<io::Error>() => {
            TableError::unreadable(path, *error.downcast().expect("just asked"))
        }
        other => TableError::no_table(path, format!("no readable Parquet: {}", message(&other))),
    };
    let refused =
        |column: &str, what: String| TableError::no_table(path, format!("column {column}: {what}"));
    proof::check(path)?;
    let file = open(path)?;
    proof::check_name(path, &pairs_of(&file))?;
    let descriptor = file.metadata().file_metadata().schema_descr_ptr();
    let mut columns = Vec::new();
    for (place, about) in descriptor.columns().iter().enumerate() {
        let name = about.path().string();
        if !keep(&name) {
            continue;
        }
        if about.max_rep_level() > 0 {
            return Err(refused(
                &name,
                "a list in each row; must be one value".into(),
            ));
        }
        let kind = kind(about).map_err(|found| {
            let allowed = "a signed integer, a float, text or a boolean";
            refused(&name, format!("of type {found}; must be {allowed}"))
        })?;
        columns.push((place, name, kind));
    }
    for number in 0..file.num_row_groups() {
        let group = decoded(|| file.get_row_group(number)).map_err(wrong)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(usize::MAX);
        for (number, (place, name, _)) in columns.iter().enumerate() {
            let deepest = descriptor.column(*place).max_def_level();
            let all = || cells(group.get_column_reader(*place)?, rows, deepest);
            let cells = decoded(all).map_err(wrong)?;
            if cells.len() != rows {
                return Err(refused(
                    name,
                    format!("{} values in {rows} rows", cells.len()),
                ));
            }
            // what the footer says is known to be true only now
            if number == 0 {
                take(Piece::Rows(rows));
            }
            take(Piece::Column(name, cells));
        }
    }
    let named = columns.into_iter();
    Ok(named.map(|(_, name, kind)| (name, kind)).collect())
}

/// What a column of Parquet holds, or the name of a type that is not read: its numbers mean something else than they are.
fn kind(of: &ColumnDescriptor) -> Result<Type, String> {
    use ConvertedType as Converted;
    let logical = match of.logical_type_ref() {
        Some(LogicalType::Decimal(_)) => "DECIMAL",
        Some(LogicalType::Date) => "DATE",
        Some(LogicalType::Time(_)) => "TIME",
        Some(LogicalType::Timestamp(_)) => "TIMESTAMP",
        Some(LogicalType::Integer(of)) if !of.is_signed && of.bit_width >= 32 => "unsigned INTEGER",
        _ => "",
    };
    let is_other = matches!(
        of.converted_type(),
        Converted::DECIMAL
            | Converted::DATE
            | Converted::TIME_MILLIS
            | Converted::TIME_MICROS
            | Converted::TIMESTAMP_MILLIS
            | Converted::TIMESTAMP_MICROS
            | Converted::UINT_32
            | Converted::UINT_64
    );
    match (logical, of.physical_type()) {
        ("", _) if is_other => Err(of.converted_type().to_string()),
        ("", Physical::BOOLEAN) => Ok(Type::Bool),
        ("", Physical::INT32 | Physical::INT64) => Ok(Type::Int),
        ("", Physical::FLOAT | Physical::DOUBLE) => Ok(Type::Float),
        ("", Physical::BYTE_ARRAY) => Ok(Type::Text),
        ("", other) => Err(other.to_string()),
        (logical, _) => Err(logical.to_owned()),
    }
}

/// The names of the columns.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, TableError> {
    let file = open(path)?;
    let descriptor = file.metadata().file_metadata().schema_descr();
    let columns = descriptor.columns().iter();
    Ok(columns.map(|column| column.path().string()).collect())
}

/// The number of rows of a Parquet file, from its metadata; and the metadata's pairs.
///
/// # Errors
/// The file cannot be read, or is cut or no Parquet.
pub fn rows_in(path: &Path) -> Result<(u64, Vec<(String, String)>), TableError> {
    proof::check(path)?;
    let file = open(path)?;
    let rows = file.metadata().file_metadata().num_rows();
    Ok((u64::try_from(rows).unwrap_or(0), pairs_of(&file)))
}

/// The pair of the metadata that a part of this name has.
pub fn about_part(name: &str) -> (&'static str, &str) {
    (proof::PART, name)
}

/// Checks that a file is the part of its name, with all bytes as they were written.
///
/// # Errors
/// It cannot be read, is damaged, or is another part or none.
pub fn prove(path: &Path) -> Result<(), TableError> {
    let (_, about) = rows_in(path)?;
    proof::check_name(path, &about)?;
    match about.iter().any(|(key, _)| key == proof::PART) {
        true => Ok(()),
        false => Err(TableError::no_table(path, "is no part of a sweep")),
    }
}

fn pairs_of(file: &SerializedFileReader<File>) -> Vec<(String, String)> {
    let about = file.metadata().file_metadata().key_value_metadata();
    let pairs = about.into_iter().flatten();
    let pairs = pairs.map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default()));
    pairs.collect()
}

/// What the library makes of bytes; it panics at some of those that are damaged.
fn decoded<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    ssdlab_words::caught(decode).unwrap_or_else(|panic| Err(ParquetError::General(panic)))
}

fn open(path: &Path) -> Result<SerializedFileReader<File>, TableError> {
    let file = File::open(path).map_err(|error| TableError::unreadable(path, error))?;
    decoded(|| SerializedFileReader::new(file)).map_err(|error| {
        TableError::no_table(path, format!("no readable Parquet: {}", message(&error)))
    })
}

/// All cells of a column of a type that is read.
fn cells(reader: ColumnReader, rows: usize, deepest: i16) -> Result<Vec<Cell>, ParquetError> {
    Ok(match reader {
        ColumnReader::BoolColumnReader(reader) => all(reader, rows, deepest, Cell::Bool)?,
        ColumnReader::Int32ColumnReader(reader) => {
            all::<Int32Type>(reader, rows, deepest, |number| Cell::Int(number.into()))?
        }
        ColumnReader::Int64ColumnReader(reader) => {
            all::<Int64Type>(reader, rows, deepest, Cell::Int)?
        }
        ColumnReader::FloatColumnReader(reader) => {
            all::<FloatType>(reader, rows, deepest, |number| Cell::Float(number.into()))?
        }
        ColumnReader::DoubleColumnReader(reader) => all(reader, rows, deepest, Cell::Float)?,
        ColumnReader::ByteArrayColumnReader(reader) => {
            all::<ByteArrayType>(reader, rows, deepest, |text| {
                Cell::Text(String::from_utf8_lossy(text.data()).into_owned())
            })?
        }
        _ => Vec::new(),
    })
}

fn all<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    deepest: i16,
    cell: impl Fn(T::T) -> Cell,
) -> Result<Vec<Cell>, ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut done = 0;
    while done < rows {
        let (records, ..) =
            reader.read_records(BATCH.min(rows - done), Some(&mut levels), None, &mut values)?;
        if records == 0 {
            break;
        }
        done += records;
    }
    if deepest == 0 {
        return Ok(values.into_iter().map(cell).collect());
    }
    let mut values = values.into_iter();
    let cells = levels.iter().map(|&level| match level == deepest {
        true => values.next().map_or(Cell::Null, &cell),
        false => Cell::Null,
    });
    Ok(cells.collect())
}

/// The message without the words of the library, in one line.
fn message(error: &ParquetError) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("Parquet error: ").unwrap_or(&text);
    text.lines().next().unwrap_or_default().to_owned()
}

/// The error of the output, without the words of the library.
fn output(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
