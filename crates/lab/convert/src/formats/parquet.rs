//! Apache Parquet: a column for each field of a request. `docs/convert.md` defines it.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use ssdlab_host::{Op, Request};

use crate::writer::{About, Head, Volume};

/// Rows of a row group, which is in memory until it is written.
const ROWS: usize = 1 << 20;
/// Rows of a page, which is compressed as a whole.
const PAGE: usize = 1 << 16;
/// On the shipped traces, level 3 makes files 2 % larger, and level 15 makes them 4 % smaller in twice the time.
const LEVEL: i32 = 9;

/// The columns whose values hardly repeat; all others have a dictionary. Differences of offsets make files a fifth larger.
const ENCODINGS: [(&str, Encoding); 2] = [
    ("time_ns", Encoding::DELTA_BINARY_PACKED),
    ("offset_bytes", Encoding::BYTE_STREAM_SPLIT),
];

const TOOL: &str = concat!("ssdlab ", env!("CARGO_PKG_VERSION"));
/// The version of the layout, in the metadata.
const VERSION: &str = "1";

/// Gathers requests, and writes them a row group at a time.
pub struct Columns<W: Write + Send> {
    file: SerializedFileWriter<W>,
    head: Head,
    requests: Vec<Request>,
    /// The volume of each request, if they have any.
    volumes: Vec<u32>,
    names: Vec<ByteArray>,
    /// The last time, and whether no time was before the one before it.
    last: u64,
    sorted: bool,
}

impl<W: Write + Send> Columns<W> {
    pub fn new(out: W, head: Head) -> io::Result<Self> {
        let schema = parse_message_type(&schema(head)).map_err(failed)?;
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties()?));
        Ok(Self {
            file: file.map_err(failed)?,
            head,
            requests: Vec::new(),
            volumes: Vec::new(),
            names: Vec::new(),
            last: 0,
            sorted: true,
        })
    }

    pub fn add(&mut self, request: &Request, volume: Option<Volume>) -> io::Result<()> {
        self.sorted &= self.last <= request.time_ns;
        self.last = request.time_ns;
        self.requests.push(*request);
        if self.head.volumes {
            let Volume { number, name } = volume.unwrap_or(Volume {
                number: 0,
                name: "",
            });
            // volumes appear in the order of their numbers, but those of an output may begin later
            if self.names.len() <= number as usize {
                self.names.resize(number as usize + 1, ByteArray::from(""));
            }
            let known = &mut self.names[number as usize];
            if known.is_empty() {
                *known = ByteArray::from(name);
            }
            self.volumes.push(number);
        }
        if self.requests.len() == ROWS {
            self.write_group().map_err(failed)?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let requests = &self.requests;
        let mut group = self.file.next_row_group()?;
        // what is unsigned keeps its bits
        let times = requests.iter().map(|request| request.time_ns as i64);
        column::<Int64Type>(&mut group, times)?;
        let letters = Op::ALL.map(|op| ByteArray::from(op.letter().to_string().as_str()));
        let letters = (requests.iter()).map(|request| letters[request.op() as usize].clone());
        column::<ByteArrayType>(&mut group, letters)?;
        let offsets = requests.iter().map(|request| request.offset as i64);
        column::<Int64Type>(&mut group, offsets)?;
        let sizes = requests.iter().map(|request| request.size() as i64);
        column::<Int64Type>(&mut group, sizes)?;
        if self.head.streams {
            let streams = requests.iter().map(|request| request.stream().into());
            column::<Int32Type>(&mut group, streams)?;
        }
        if self.head.volumes {
            let name = |&volume: &u32| self.names[volume as usize].clone();
            column::<ByteArrayType>(&mut group, self.volumes.iter().map(name))?;
        }
        group.close()?;
        self.requests.clear();
        self.volumes.clear();
        Ok(())
    }

    pub fn finish(mut self, about: &About) -> io::Result<W> {
        if !self.requests.is_empty() {
            self.write_group().map_err(failed)?;
        }
        let known = [
            ("ssdlab.version", Some(VERSION)),
            ("ssdlab.tool", Some(TOOL)),
            ("ssdlab.source", Some(about.source.as_str())),
            ("ssdlab.sha256", about.sha256.as_deref()),
            (
                "ssdlab.sorted",
                Some(if self.sorted { "true" } else { "false" }),
            ),
        ];
        for (key, value) in known {
            if let Some(value) = value {
                let pair = KeyValue::new(key.to_owned(), value.to_owned());
                self.file.append_key_value_metadata(pair);
            }
        }
        self.file.into_inner().map_err(failed)
    }
}

fn schema(head: Head) -> String {
    let mut columns = vec![
        "REQUIRED INT64 time_ns (INTEGER(64,false));",
        "REQUIRED BYTE_ARRAY op (STRING);",
        "REQUIRED INT64 offset_bytes (INTEGER(64,false));",
        "REQUIRED INT64 size_bytes (INTEGER(64,false));",
    ];
    if head.streams {
        columns.push("REQUIRED INT32 stream (INTEGER(16,false));");
    }
    if head.volumes {
        columns.push("REQUIRED BYTE_ARRAY volume (STRING);");
    }
    format!("message trace {{ {} }}", columns.join(" "))
}

fn properties() -> io::Result<WriterProperties> {
    let level = ZstdLevel::try_new(LEVEL).map_err(failed)?;
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_data_page_row_count_limit(PAGE)
        .set_created_by(TOOL.to_owned());
    for (name, encoding) in ENCODINGS {
        let column = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, encoding);
    }
    Ok(properties.build())
}

/// Writes the next column of a row group.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    values: impl Iterator<Item = T::T>,
) -> Result<(), ParquetError> {
    let next = group.next_column()?;
    let mut column = next.expect("as many columns as in the schema");
    let values: Vec<T::T> = values.collect();
    column.typed::<T>().write_batch(&values, None, None)?;
    column.close()
}

/// The error of the output, without the words of the library.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
