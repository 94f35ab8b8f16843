//! The rows of a table as requests.
//!
//! A table is read from its end, so it must be a file. Memory holds one page of each column.

use crate::columns::{Column, Columns};
use crate::decode::{BATCH, Facts, Out};
use crate::error::{Place, TraceError};
use crate::feed::Feed;
use crate::format::Format;
use crate::formats::parquet::reason;
use crate::identity::{Identity, Stamp};
use crate::options::ReadOptions;
use crate::source;
use crate::streams::StreamBy;
use crate::text::{BadLine, request_with_data};
use crate::time_unit::TimeUnit;
use parquet::basic::{LogicalType, TimeUnit as Unit, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use ssdlab_host::{Op, Request};
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
    stream: Vec<u64>,
    volume: Vec<ByteArray>,
    bad: Bad,
}

/// A column of whole numbers.
struct Numbers {
    column: NumberColumn,
    name: String,
    /// Negative numbers are numbers above those of the signed type.
    unsigned: bool,
    /// Nanoseconds or bytes in the unit of the values.
    unit: u64,
    levels: Levels,
}

enum NumberColumn {
    Narrow(ColumnReaderImpl<Int32Type>, Vec<i32>),
    Wide(ColumnReaderImpl<Int64Type>, Vec<i64>),
}

/// A column of texts, or of numbers that stand for texts.
enum Texts {
    Texts {
        column: ColumnReaderImpl<ByteArrayType>,
        name: String,
        levels: Levels,
    },
    Numbers(Numbers, Vec<u64>),
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
            meaning.time_unit = timestamp(&columns[meaning.time.index]).ok_or("a number")?;
            Ok(meaning)
        });
        let meaning = timestamp.or_else(|_| Columns::named(&names, options))?;
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
        let numbers = |column: &Column, unit: u64| {
            let (reader, described) = open(column)?;
            Numbers::new(reader, &described, &column.name, unit)
        };
        let texts = |column: &Column| {
            let (reader, described) = open(column)?;
            Texts::new(reader, &described, &column.name)
        };
        self.columns = Some(Readers {
            left: usize::try_from(rows).unwrap_or(0),
            time: numbers(&meaning.time, meaning.time_unit.ns())?,
            op: texts(&meaning.op)?,
            offset: numbers(&meaning.offset, meaning.offset_unit)?,
            size: numbers(&meaning.size, meaning.size_unit)?,
            stream: (meaning.stream.as_ref())
                .map(|column| numbers(column, 1))
                .transpose()?,
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
        let Some(columns) = &mut self.columns else {
            return Ok(false);
        };
        let batch = &mut self.batch;
        let rows = columns.left.min(BATCH);
        columns.left -= rows;
        batch.at = 0;
        batch.rows = 0;
        batch.bad.clear();
        let bad = &mut batch.bad;
        columns.time.read(rows, &mut batch.time, bad)?;
        columns.op.read(rows, &mut batch.op, bad)?;
        columns.offset.read(rows, &mut batch.offset, bad)?;
        columns.size.read(rows, &mut batch.size, bad)?;
        if let Some(stream) = &mut columns.stream {
            stream.read(rows, &mut batch.stream, bad)?;
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
            let first = [
                Some(column.data_page_offset()),
                column.dictionary_page_offset(),
            ];
            let ends = first.into_iter().flatten().map(|first| {
                let end = first.checked_add(column.compressed_size());
                u64::try_from(end.filter(|_| first >= 0 && column.compressed_size() >= 0)?).ok()
            });
            let ends: Option<Vec<u64>> = ends.collect();
            if ends.is_none_or(|ends| ends.iter().any(|&end| end > length)) {
                return wrong("the place of a column");
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
    /// The request of a row, or the reason why it is left out.
    fn request(
        &self,
        meaning: &Columns,
        row: usize,
    ) -> Result<Result<Request, &'static str>, String> {
        if let Some(what) = self.bad.get(&row) {
            return Err(what.clone());
        }
        let op = match self.op[row].data() {
            b"R" => Op::Read,
            b"W" => Op::Write,
            other => meaning.op(other)?,
        };
        let (time, offset, size) = (self.time[row], self.offset[row], self.size[row]);
        let names = [&*meaning.offset.name, &*meaning.size.name];
        let request = match op {
            Op::Flush => Ok(Request::new(time, op, 0, 0).ok_or("a flush has no range")?),
            _ => request_with_data(names, time, op, offset, size)?,
        };
        let Some(stream) = self.stream.get(row) else {
            return Ok(request);
        };
        let stream = u16::try_from(*stream).map_err(|_| {
            format!(
                "stream is too large, found {stream}; it must be from 0 to {}",
                u16::MAX
            )
        })?;
        Ok(request.map(|request| request.in_stream(stream)))
    }
}

/// The unit of a column of timestamps.
fn timestamp(column: &ColumnDescriptor) -> Option<TimeUnit> {
    let Some(LogicalType::Timestamp(of)) = column.logical_type_ref() else {
        return None;
    };
    Some(match of.unit {
        Unit::MILLIS => TimeUnit::Millisecond,
        Unit::MICROS => TimeUnit::Microsecond,
        Unit::NANOS => TimeUnit::Nanosecond,
    })
}

impl Numbers {
    fn new(
        column: ColumnReader,
        described: &ColumnDescriptor,
        name: &str,
        unit: u64,
    ) -> Result<Numbers, Fault> {
        let unsigned = match described.logical_type_ref() {
            Some(LogicalType::Integer(of)) => !of.is_signed,
            Some(LogicalType::Timestamp(_)) | None => false,
            Some(_) => return Err(wrong_type(described, name, "whole numbers")),
        };
        let column = match column {
            _ if described.max_rep_level() > 0 => {
                return Err(wrong_type(described, name, "whole numbers"));
            }
            ColumnReader::Int32ColumnReader(column) => NumberColumn::Narrow(column, Vec::new()),
            ColumnReader::Int64ColumnReader(column) => NumberColumn::Wide(column, Vec::new()),
            _ => return Err(wrong_type(described, name, "whole numbers")),
        };
        Ok(Numbers {
            column,
            name: name.to_owned(),
            unsigned,
            unit,
            levels: Levels::new(described),
        })
    }

    /// Replaces the numbers with those of the next rows.
    fn read(&mut self, rows: usize, into: &mut Vec<u64>, bad: &mut Bad) -> Result<(), Fault> {
        into.clear();
        let (unsigned, name) = (self.unsigned, &*self.name);
        match &mut self.column {
            NumberColumn::Narrow(column, values) => {
                self.levels.read(column, rows, values, name, bad)?;
                for (row, &value) in values.iter().enumerate() {
                    into.push(match u32::try_from(value) {
                        Ok(value) => value.into(),
                        Err(_) if unsigned => value.cast_unsigned().into(),
                        Err(_) => negative(bad, row, name, value.into()),
                    });
                }
            }
            NumberColumn::Wide(column, values) => {
                self.levels.read(column, rows, values, name, bad)?;
                for (row, &value) in values.iter().enumerate() {
                    into.push(match u64::try_from(value) {
                        Ok(value) => value,
                        Err(_) if unsigned => value.cast_unsigned(),
                        Err(_) => negative(bad, row, name, value),
                    });
                }
            }
        }
        if self.unit > 1 {
            for (row, value) in into.iter_mut().enumerate() {
                let Some(product) = value.checked_mul(self.unit) else {
                    let what = || format!("{name} is too large, found {value}");
                    bad.entry(row).or_insert_with(what);
                    continue;
                };
                *value = product;
            }
        }
        Ok(())
    }
}

/// Notes a negative number, in place of which there is 0.
fn negative(bad: &mut Bad, row: usize, name: &str, value: i64) -> u64 {
    let what = || format!("{name} is negative, found {value}; it must be from 0");
    bad.entry(row).or_insert_with(what);
    0
}

impl Texts {
    fn new(column: ColumnReader, described: &ColumnDescriptor, name: &str) -> Result<Texts, Fault> {
        match column {
            ColumnReader::ByteArrayColumnReader(column) if described.max_rep_level() == 0 => {
                Ok(Texts::Texts {
                    column,
                    name: name.to_owned(),
                    levels: Levels::new(described),
                })
            }
            ColumnReader::Int32ColumnReader(_) | ColumnReader::Int64ColumnReader(_) => {
                let numbers = Numbers::new(column, described, name, 1)?;
                Ok(Texts::Numbers(numbers, Vec::new()))
            }
            _ => Err(wrong_type(described, name, "texts or whole numbers")),
        }
    }

    /// Replaces the texts with those of the next rows.
    fn read(&mut self, rows: usize, into: &mut Vec<ByteArray>, bad: &mut Bad) -> Result<(), Fault> {
        match self {
            Texts::Texts {
                column,
                name,
                levels,
            } => levels.read(column, rows, into, name, bad),
            Texts::Numbers(column, numbers) => {
                column.read(rows, numbers, bad)?;
                into.clear();
                let texts = numbers
                    .iter()
                    .map(|number| number.to_string().into_bytes().into());
                into.extend(texts);
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
                let what = || format!("{name} is null; each request needs a value");
                bad.entry(row).or_insert_with(what);
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
                let taken = match self.batch.volume.get(row) {
                    Some(volume) => out.take(volume.data()),
                    None => Ok(true),
                };
                let request =
                    taken.and_then(|taken| Ok((taken, self.batch.request(meaning, row)?)));
                match request {
                    Ok((true, Ok(request))) => {
                        out.stream = request.stream();
                        out.push(number, request);
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
