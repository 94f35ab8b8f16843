//! The rows of a table as requests.
//!
//! A table is read from its end, so it must be a file. Memory holds one page of each column.

use crate::block_layer::{Kind, Requests};
use crate::columns::{Column, Columns, Value};
use crate::decode::{BATCH, Facts, Out};
use crate::error::{Place, TraceError};
use crate::feed::Feed;
use crate::format::Format;
use crate::formats::parquet::reason;
use crate::identity::{Identity, Stamp};
use crate::options::ReadOptions;
use crate::source;
use crate::streams::StreamBy;
use crate::text::BadLine;
use crate::time_unit::TimeUnit;
use parquet::basic::{Compression, ConvertedType, LogicalType, TimeUnit as Unit, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use ssdlab_host::Op;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::thread::JoinHandle;

/// The time column of ssdlab's own tables, whose times are used as they are.
const OWN_TIME: &str = "time_ns";

/// A file with a table.
pub(crate) struct Table {
    name: String,
    reader: SerializedFileReader<File>,
    /// What the columns mean, once the options are known.
    meaning: Option<Columns>,
    group: usize,
    columns: Option<Readers>,
    /// Rows so far.
    row: u64,
    rows: u64,
    stamp: Option<Stamp>,
    hash: Hash,
    /// Rows that are read and not yet requests.
    batch: Batch,
}

/// Columns of the row group that is read.
struct Readers {
    /// Rows of the group that are left.
    left: usize,
    time: Numbers,
    op: Texts,
    offset: Numbers,
    size: Numbers,
    stream: Option<Numbers>,
    volume: Option<Texts>,
}

/// Some rows of all columns.
#[derive(Default)]
struct Batch {
    at: usize,
    rows: usize,
    time: Vec<u64>,
    op: Vec<ByteArray>,
    offset: Vec<u64>,
    size: Vec<u64>,
    stream: Vec<u16>,
    volume: Vec<ByteArray>,
    bad: Bad,
    /// Rows whose offset or size is wrong, which matters only if they have a range.
    bad_range: Bad,
}

/// A column of numbers.
struct Numbers {
    column: NumberColumn,
    name: String,
    /// Negative numbers are numbers above those of the signed type.
    unsigned: bool,
    /// The digits behind the point of decimal numbers.
    scale: Option<usize>,
    levels: Levels,
}

enum NumberColumn {
    Narrow(ColumnReaderImpl<Int32Type>, Vec<i32>),
    Wide(ColumnReaderImpl<Int64Type>, Vec<i64>),
    /// Decimal numbers, big endian.
    Long(ColumnReaderImpl<ByteArrayType>, Vec<ByteArray>),
    Fixed(
        ColumnReaderImpl<FixedLenByteArrayType>,
        Vec<FixedLenByteArray>,
    ),
    Single(ColumnReaderImpl<FloatType>, Vec<f32>),
    Double(ColumnReaderImpl<DoubleType>, Vec<f64>),
    /// Timestamps of older programs, in ns.
    Old(ColumnReaderImpl<Int96Type>, Vec<Int96>),
}

/// A column of texts, or of numbers that stand for texts.
enum Texts {
    Words {
        column: ColumnReaderImpl<ByteArrayType>,
        name: String,
        levels: Levels,
    },
    Numbers(Numbers),
    Booleans {
        column: ColumnReaderImpl<BoolType>,
        values: Vec<bool>,
        name: String,
        levels: Levels,
    },
}

/// What is wrong with a table as a whole.
enum Fault {
    /// The file.
    Damaged(ParquetError),
    /// A column.
    Column(String),
}

/// Rows of a batch that are no requests, and why.
type Bad = BTreeMap<usize, String>;

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Self {
        Fault::Damaged(error)
    }
}

impl Table {
    /// Opens a file.
    ///
    /// # Errors
    /// The file is missing or unreadable, or no table.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Table, TraceError> {
        let name = ssdlab_words::shown_path(path);
        let (file, metadata) = source::open(path, &name)?;
        let hash = match options.limit {
            // a part of the table may be asked for because the whole is large
            Some(_) => Hash::default(),
            None => Hash::of(path.to_owned()),
        };
        let damaged = |error: ParquetError| damaged(&name, &error, 0);
        let reader = SerializedFileReader::new(file).map_err(damaged)?;
        check(reader.metadata(), metadata.len()).map_err(damaged)?;
        let rows = reader.metadata().file_metadata().num_rows();
        Ok(Table {
            reader,
            meaning: None,
            group: 0,
            columns: None,
            row: 0,
            rows: u64::try_from(rows).unwrap_or(0),
            stamp: Stamp::of(&metadata),
            hash,
            batch: Batch::default(),
            name,
        })
    }

    /// Finds the columns.
    fn find(&mut self, options: &ReadOptions) -> Result<(), String> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let columns = schema.columns();
        let names: Vec<String> = columns
            .iter()
            .map(|column| column.path().string())
            .collect();
        // A timestamp has a unit of its own.
        let with_unit = ReadOptions {
            time_unit: options.time_unit.or(Some(TimeUnit::Nanosecond)),
            ..options.clone()
        };
        let with_unit = Columns::named(&names, &with_unit);
        let timestamp = with_unit.and_then(|mut meaning| {
            let unit = timestamp(&columns[meaning.time.index]).ok_or("a number")?;
            meaning.time_unit = Some(unit);
            Ok(meaning)
        });
        let meaning = timestamp.or_else(|_| Columns::named(&names, options))?;
        meaning.check_unit()?;
        if let Some(StreamBy::Column(name)) = &options.stream_by
            && meaning.stream.is_none()
        {
            return Err(format!(
                "--stream-by column:{name}: there is no such column"
            ));
        }
        self.meaning = Some(meaning);
        Ok(())
    }

    /// Opens the columns of the next row group. False: there is none.
    fn next_group(&mut self) -> Result<bool, Fault> {
        let Some(meaning) = &self.meaning else {
            return Ok(false);
        };
        if self.group == self.reader.num_row_groups() {
            return Ok(false);
        }
        let group = self.reader.get_row_group(self.group)?;
        self.group += 1;
        let rows = group.metadata().num_rows();
        let open = |column: &Column| {
            let described = group.metadata().column(column.index).column_descr_ptr();
            Ok::<_, Fault>((group.get_column_reader(column.index)?, described))
        };
        let numbers = |column: &Column| {
            let (reader, described) = open(column)?;
            Numbers::new(reader, &described, &column.name)
        };
        let texts = |column: &Column| {
            let (reader, described) = open(column)?;
            Texts::new(reader, &described, &column.name)
        };
        self.columns = Some(Readers {
            left: usize::try_from(rows).unwrap_or(0),
            time: numbers(&meaning.time)?,
            op: texts(&meaning.op)?,
            offset: numbers(&meaning.offset)?,
            size: numbers(&meaning.size)?,
            stream: meaning.stream.as_ref().map(numbers).transpose()?,
            volume: meaning.volume.as_ref().map(texts).transpose()?,
        });
        Ok(true)
    }

    /// Reads more rows. False: there are none.
    fn refill(&mut self) -> Result<bool, Fault> {
        while self
            .columns
            .as_ref()
            .is_none_or(|columns| columns.left == 0)
        {
            if !self.next_group()? {
                return Ok(false);
            }
        }
        let (Some(columns), Some(meaning)) = (&mut self.columns, &mut self.meaning) else {
            return Ok(false);
        };
        let batch = &mut self.batch;
        let rows = columns.left.min(BATCH);
        columns.left -= rows;
        batch.at = 0;
        batch.rows = 0;
        batch.bad.clear();
        batch.bad_range.clear();
        let (bad, bad_range) = (&mut batch.bad, &mut batch.bad_range);
        let time = |value: Value| meaning.time_of(value);
        columns.time.read(rows, &mut batch.time, bad, time)?;
        columns.op.read(rows, &mut batch.op, bad)?;
        let offset = |value: Value| meaning.offset_of(value);
        columns
            .offset
            .read(rows, &mut batch.offset, bad_range, offset)?;
        let size = |value: Value| meaning.size_of(value);
        columns.size.read(rows, &mut batch.size, bad_range, size)?;
        if let Some(stream) = &mut columns.stream {
            let number = |value: Value| meaning.stream_of(value);
            stream.read(rows, &mut batch.stream, bad, number)?;
        }
        if let Some(volume) = &mut columns.volume {
            volume.read(rows, &mut batch.volume, bad)?;
        }
        batch.rows = rows;
        Ok(true)
    }

    /// The error of a fault behind the rows that are done.
    fn fault(&self, fault: Fault) -> TraceError {
        match fault {
            Fault::Damaged(error) => damaged(&self.name, &error, self.row),
            Fault::Column(what) => self
                .bad(self.row + 1, &what)
                .in_trace(&self.name, self.at()),
        }
    }

    fn bad(&self, line: u64, what: &str) -> BadLine {
        let what = format!("{what} (row group {})", self.group);
        BadLine { line, what }
    }
}

/// Checks what the reader of tables takes for granted.
fn check(table: &ParquetMetaData, length: u64) -> Result<(), ParquetError> {
    let wrong = |what: &str| Err(ParquetError::General(format!("{what} is wrong")));
    for group in table.row_groups() {
        if group.num_rows() < 0 {
            return wrong("the number of rows");
        }
        for column in group.columns() {
            let dictionary = column.dictionary_page_offset();
            let first = dictionary.unwrap_or(column.data_page_offset());
            let end = first.checked_add(column.compressed_size());
            let end = end.filter(|_| first >= 0 && column.compressed_size() >= 0);
            if end.is_none_or(|end| end.cast_unsigned() > length) {
                return wrong("the place of a column");
            }
            if let Compression::BROTLI(_) | Compression::LZO = column.compression() {
                return Err(ParquetError::NYI(column.compression().to_string()));
            }
            if column.num_values() != group.num_rows() && column.column_descr().max_rep_level() == 0
            {
                return wrong("the number of values");
            }
        }
    }
    Ok(())
}

impl Batch {
    /// The requests of a row, or the reason why it has none.
    fn requests(
        &self,
        meaning: &Columns,
        row: usize,
    ) -> Result<Result<Requests, &'static str>, String> {
        if let Some(what) = self.bad.get(&row) {
            return Err(what.clone());
        }
        let kind = match self.op[row].data() {
            b"R" => Ok(Kind::from(Op::Read)),
            b"W" => Ok(Kind::from(Op::Write)),
            other => meaning.kind(other)?,
        };
        let kind = match kind {
            Ok(kind) => kind,
            Err(reason) => return Ok(Err(reason)),
        };
        meaning.requests(self.time[row], kind, |_| match self.bad_range.get(&row) {
            Some(what) => Err(what.clone()),
            None => Ok((self.offset[row], self.size[row])),
        })
    }
}

/// The unit of a column of timestamps.
fn timestamp(column: &ColumnDescriptor) -> Option<TimeUnit> {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(of)), _) => Some(match of.unit {
            Unit::MILLIS => TimeUnit::Millisecond,
            Unit::MICROS => TimeUnit::Microsecond,
            Unit::NANOS => TimeUnit::Nanosecond,
        }),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Some(TimeUnit::Millisecond),
        (_, ConvertedType::TIMESTAMP_MICROS) => Some(TimeUnit::Microsecond),
        _ if column.physical_type() == Type::INT96 => Some(TimeUnit::Nanosecond),
        _ => None,
    }
}

const NUMBERS: &str = "numbers";

impl Numbers {
    fn new(
        column: ColumnReader,
        described: &ColumnDescriptor,
        name: &str,
    ) -> Result<Numbers, Fault> {
        use ConvertedType as Old;
        let wrong = || Err(wrong_type(described, name, NUMBERS));
        let mut scale = None;
        let unsigned = match (described.logical_type_ref(), described.converted_type()) {
            (Some(LogicalType::Integer(of)), _) => !of.is_signed,
            (Some(LogicalType::Decimal(_)), _) | (None, Old::DECIMAL) => {
                scale = Some(usize::try_from(described.type_scale()).unwrap_or(0));
                false
            }
            (Some(LogicalType::Timestamp(_)), _) => false,
            (Some(_), _) => return wrong(),
            (None, Old::UINT_8 | Old::UINT_16 | Old::UINT_32 | Old::UINT_64) => true,
            (None, _) => false,
        };
        let column = match column {
            _ if described.max_rep_level() > 0 => return wrong(),
            ColumnReader::Int32ColumnReader(column) => NumberColumn::Narrow(column, Vec::new()),
            ColumnReader::Int64ColumnReader(column) => NumberColumn::Wide(column, Vec::new()),
            ColumnReader::FloatColumnReader(column) => NumberColumn::Single(column, Vec::new()),
            ColumnReader::DoubleColumnReader(column) => NumberColumn::Double(column, Vec::new()),
            ColumnReader::Int96ColumnReader(column) => NumberColumn::Old(column, Vec::new()),
            ColumnReader::ByteArrayColumnReader(column) if scale.is_some() => {
                NumberColumn::Long(column, Vec::new())
            }
            ColumnReader::FixedLenByteArrayColumnReader(column) if scale.is_some() => {
                NumberColumn::Fixed(column, Vec::new())
            }
            _ => return wrong(),
        };
        Ok(Numbers {
            column,
            name: name.to_owned(),
            unsigned,
            scale,
            levels: Levels::new(described),
        })
    }

    /// Replaces `into` with what the values of the next rows mean. Rows without one are noted, and get a default.
    fn read<T: Default>(
        &mut self,
        rows: usize,
        into: &mut Vec<T>,
        bad: &mut Bad,
        mut meaning: impl FnMut(Value) -> Result<T, String>,
    ) -> Result<(), Fault> {
        into.clear();
        let (unsigned, scale, name) = (self.unsigned, self.scale, &*self.name);
        let levels = &mut self.levels;
        let mut nulls = Bad::new();
        let mut add = |row: usize, number: Number| {
            let text;
            let value = match (number, scale) {
                (Number::Whole(value), None) => match u64::try_from(value) {
                    Ok(value) => Ok(Value::Whole(value)),
                    Err(_) => Err(format!(
                        "{name} is negative, found {value}; it must be from 0"
                    )),
                },
                (Number::Whole(value), Some(scale)) => {
                    text = decimal(value, scale);
                    Ok(Value::Text(text.as_bytes()))
                }
                (Number::Text(written), _) => {
                    text = written;
                    Ok(Value::Text(text.as_bytes()))
                }
                (Number::Beyond, _) => Err(format!("{name} has more than 38 digits")),
                (Number::Null, _) => Err(null(name)),
            };
            let value = value.and_then(&mut meaning);
            into.push(value.unwrap_or_else(|what| {
                bad.entry(row).or_insert(what);
                T::default()
            }));
        };
        macro_rules! each {
            ($column:expr, $values:expr, $number:expr) => {{
                levels.read($column, rows, $values, name, &mut nulls)?;
                let number = $number;
                for (row, value) in $values.iter().enumerate() {
                    // what stands in place of a null has no meaning
                    let is_null = nulls.contains_key(&row);
                    add(row, if is_null { Number::Null } else { number(value) });
                }
            }};
        }
        match &mut self.column {
            NumberColumn::Narrow(column, values) => each!(column, values, |value: &i32| {
                let positive = i128::from(value.cast_unsigned());
                Number::Whole(if unsigned { positive } else { (*value).into() })
            }),
            NumberColumn::Wide(column, values) => each!(column, values, |value: &i64| {
                let positive = i128::from(value.cast_unsigned());
                Number::Whole(if unsigned { positive } else { (*value).into() })
            }),
            NumberColumn::Long(column, values) => {
                each!(column, values, |value: &ByteArray| Number::big_endian(
                    value.data()
                ));
            }
            NumberColumn::Fixed(column, values) => {
                each!(column, values, |value: &FixedLenByteArray| {
                    Number::big_endian(value.data())
                });
            }
            NumberColumn::Single(column, values) => {
                each!(column, values, |value: &f32| Number::Text(
                    (value + 0.0).to_string()
                ));
            }
            NumberColumn::Double(column, values) => {
                each!(column, values, |value: &f64| Number::Text(
                    (value + 0.0).to_string()
                ));
            }
            NumberColumn::Old(column, values) => {
                each!(column, values, |value: &Int96| Number::Whole(
                    value.to_nanos().into()
                ));
            }
        }
        Ok(())
    }
}

/// A number of a column.
enum Number {
    Whole(i128),
    /// In decimal digits.
    Text(String),
    /// Beyond the numbers that are read.
    Beyond,
    Null,
}

impl Number {
    /// The number of some bytes in two's complement.
    fn big_endian(bytes: &[u8]) -> Number {
        let negative = bytes.first().is_some_and(|byte| *byte > 0x7F);
        let filler = if negative { 0xFF } else { 0 };
        let mut whole = [filler; size_of::<i128>()];
        match whole.len().checked_sub(bytes.len()) {
            Some(start) => whole[start..].copy_from_slice(bytes),
            None => return Number::Beyond,
        }
        Number::Whole(i128::from_be_bytes(whole))
    }
}

fn null(name: &str) -> String {
    format!("{name} is null; each request needs a value")
}

/// A decimal number with so many digits behind the point, without zeros at its end.
fn decimal(value: i128, scale: usize) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

impl Texts {
    fn new(column: ColumnReader, described: &ColumnDescriptor, name: &str) -> Result<Texts, Fault> {
        let (name, levels) = (name.to_owned(), Levels::new(described));
        match column {
            _ if described.max_rep_level() > 0 => {}
            ColumnReader::ByteArrayColumnReader(column)
                if !matches!(described.logical_type_ref(), Some(LogicalType::Decimal(_))) =>
            {
                return Ok(Texts::Words {
                    column,
                    name,
                    levels,
                });
            }
            ColumnReader::BoolColumnReader(column) => {
                return Ok(Texts::Booleans {
                    column,
                    values: Vec::new(),
                    name,
                    levels,
                });
            }
            ColumnReader::FixedLenByteArrayColumnReader(_)
                if !matches!(described.logical_type_ref(), Some(LogicalType::Decimal(_))) => {}
            column => return Numbers::new(column, described, &name).map(Texts::Numbers),
        }
        Err(wrong_type(described, &name, "texts or numbers"))
    }

    /// Replaces the texts with those of the next rows.
    fn read(&mut self, rows: usize, into: &mut Vec<ByteArray>, bad: &mut Bad) -> Result<(), Fault> {
        match self {
            Texts::Words {
                column,
                name,
                levels,
            } => levels.read(column, rows, into, name, bad),
            Texts::Numbers(column) => column.read(rows, into, bad, |value| {
                Ok(match value {
                    Value::Whole(number) => number.to_string().into_bytes().into(),
                    Value::Text(text) => text.to_vec().into(),
                })
            }),
            Texts::Booleans {
                column,
                values,
                name,
                levels,
            } => {
                levels.read(column, rows, values, name, bad)?;
                into.clear();
                into.extend(
                    values
                        .iter()
                        .map(|value| ByteArray::from(if *value { "true" } else { "false" })),
                );
                Ok(())
            }
        }
    }
}

/// Which rows of a column have a value.
struct Levels {
    /// The level of a row with a value.
    highest: i16,
    levels: Vec<i16>,
}

impl Levels {
    fn new(described: &ColumnDescriptor) -> Levels {
        Levels {
            highest: described.max_def_level(),
            levels: Vec::new(),
        }
    }

    /// Replaces the values with those of the next rows. Rows without a value are noted, and have a value of no meaning.
    fn read<T: DataType>(
        &mut self,
        column: &mut ColumnReaderImpl<T>,
        rows: usize,
        values: &mut Vec<T::T>,
        name: &str,
        bad: &mut Bad,
    ) -> Result<(), Fault> {
        values.clear();
        self.levels.clear();
        let mut done = 0;
        while done < rows {
            let levels = Some(&mut self.levels);
            let (records, _, _) = column.read_records(rows - done, levels, None, values)?;
            if records == 0 {
                return Err(Fault::Column(format!(
                    "{name} ends before the row group does"
                )));
            }
            done += records;
        }
        if values.len() == rows {
            return Ok(());
        }
        let mut present = std::mem::take(values).into_iter().peekable();
        for (row, &level) in self.levels.iter().enumerate() {
            let value = present.next_if(|_| level == self.highest);
            if value.is_none() {
                bad.entry(row).or_insert_with(|| null(name));
            }
            values.push(value.unwrap_or_default());
        }
        Ok(())
    }
}

fn wrong_type(described: &ColumnDescriptor, name: &str, needed: &str) -> Fault {
    let physical: Type = described.physical_type();
    let logical = described.logical_type_ref();
    let logical = logical.map_or(String::new(), |logical| format!(" ({logical:?})"));
    Fault::Column(format!(
        "the column {name} has the type {physical}{logical}; it must have {needed}"
    ))
}

fn damaged(name: &str, error: &ParquetError, row: u64) -> TraceError {
    if let ParquetError::NYI(codec) = error {
        let codec = codec.split('(').next().unwrap_or_default().to_lowercase();
        let what = format!(
            "its pages are compressed with {codec}, which is not read; write it again with zstd, gzip, snappy, LZ4 or without \
             compression"
        );
        let name = name.to_owned();
        return TraceError::Selection { name, what };
    }
    let text = error.to_string();
    let what = match text.strip_prefix("Parquet error: ") {
        Some(what) => what.to_owned(),
        None => text,
    };
    TraceError::Damaged {
        name: name.to_owned(),
        what: format!(
            "the Parquet data cannot be read ({})",
            ssdlab_words::shown_text(&what)
        ),
        at: place(row),
    }
}

const fn place(number: u64) -> Place {
    Place {
        unit: "row",
        number,
    }
}

impl Feed for Table {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, options: &ReadOptions) -> Result<(Format, String), TraceError> {
        let reason = match options.format {
            Some(_) => "--format parquet".into(),
            None => reason(),
        };
        Format::PARQUET
            .check(options, &reason)
            .and_then(|()| self.find(options))
            .map_err(|what| TraceError::Selection {
                name: self.name.clone(),
                what,
            })?;
        Ok((Format::PARQUET, reason))
    }

    fn decode(&mut self, out: &mut Out, room: usize) -> Result<bool, TraceError> {
        while out.requests.len() < room {
            if self.batch.at == self.batch.rows {
                match self.refill() {
                    Ok(true) => {}
                    Ok(false) => return Ok(false),
                    Err(fault) => return Err(self.fault(fault)),
                }
            }
            let Some(meaning) = &self.meaning else {
                return Ok(false);
            };
            let rows = self.batch.at..self.batch.rows;
            for row in rows.take(room - out.requests.len()) {
                let number = self.row + 1;
                let volume = self.batch.volume.get(row);
                // one that is null is told below
                let volume = volume.filter(|_| !self.batch.bad.contains_key(&row));
                let taken = match volume {
                    Some(volume) => out.take(volume.data()),
                    None => Ok(true),
                };
                let requests =
                    taken.and_then(|taken| Ok((taken, self.batch.requests(meaning, row)?)));
                match requests {
                    Ok((true, Ok(requests))) => {
                        out.stream = self.batch.stream.get(row).copied().unwrap_or(0);
                        requests.for_each(|request| out.push(number, request));
                    }
                    Ok((true, Err(reason))) => out.skip(reason),
                    Ok((false, _)) => {}
                    Err(what) => out
                        .tolerate(self.bad(number, &what))
                        .map_err(|bad| bad.in_trace(&self.name, self.at()))?,
                }
                self.batch.at = row + 1;
                self.row = number;
            }
        }
        Ok(true)
    }

    fn at(&self) -> Place {
        place(self.row)
    }

    fn origin(&self, format: Format) -> Option<u64> {
        let own = self
            .meaning
            .as_ref()
            .is_some_and(|meaning| meaning.time.name == OWN_TIME);
        format.entry().origin.filter(|_| own)
    }

    fn whole(&self) -> bool {
        self.row == self.rows && self.hash.asked
    }

    fn unended(&self) -> bool {
        false
    }

    fn identity(&self, requests: u64) -> Identity {
        Identity {
            stamp: self.stamp,
            bytes: self.stamp.map_or(0, |stamp| stamp.length),
            sha256: self.hash.get(),
            requests,
        }
    }

    fn passed(&self) -> Option<(u64, u64)> {
        Some((self.row, self.rows))
    }

    fn facts(&self) -> Facts {
        let meaning = self.meaning.as_ref();
        Facts {
            has_streams: meaning.is_some_and(|meaning| meaning.stream.is_some()),
            ..Facts::default()
        }
    }
}

/// The hash of a file, which another thread computes.
#[derive(Default)]
struct Hash {
    asked: bool,
    thread: Mutex<Option<JoinHandle<[u8; 32]>>>,
    hash: OnceLock<[u8; 32]>,
}

impl Hash {
    fn of(path: std::path::PathBuf) -> Hash {
        // What cannot be read cannot be decoded, either.
        let hash = move || source::hash(&path).unwrap_or_default();
        Hash {
            asked: true,
            thread: Mutex::new(Some(std::thread::spawn(hash))),
            hash: OnceLock::new(),
        }
    }

    /// Waits for the hash. Zeros if it is not asked for.
    fn get(&self) -> [u8; 32] {
        *self.hash.get_or_init(|| {
            let thread = self.thread.lock().ok().and_then(|mut thread| thread.take());
            thread
                .and_then(|thread| thread.join().ok())
                .unwrap_or_default()
        })
    }
}
