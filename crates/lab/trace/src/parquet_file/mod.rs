//! Parquet tables with a row for each request: the columns `time_ns`, `op`, `offset_bytes` and `size_bytes`, and perhaps
//! `stream` and `volume`, of any integer or text type, in any order, among others; or such columns of other names and units,
//! as tables of text have them.
//!
//! They are recognised always, and read with the feature `parquet`.

#[cfg(feature = "parquet")]
mod table;

use crate::error::TraceError;
use crate::feed::Feed;
use crate::format::Format;
use crate::formats::parquet::MAGIC;
use crate::options::ReadOptions;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Whether a file is to be read as a table: as the options say, or as its first bytes show.
pub(crate) fn is_table(path: &Path, options: &ReadOptions) -> bool {
    match options.format {
        Some(format) => format == Format::PARQUET,
        None => {
            let mut magic = [0; 4];
            let read = |file: File| file.take(4).read_exact(&mut magic);
            path.is_file() && File::open(path).and_then(read).is_ok() && magic == *MAGIC
        }
    }
}

/// Opens a file with a table.
///
/// # Errors
/// The file is missing or unreadable, or no table.
#[cfg(feature = "parquet")]
pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn Feed>, TraceError> {
    Ok(Box::new(table::Table::open(path, options)?))
}

/// Says how to get a program that opens tables.
#[cfg(not(feature = "parquet"))]
pub(crate) fn open(path: &Path, _: &ReadOptions) -> Result<Box<dyn Feed>, TraceError> {
    let name = ssdlab_words::shown_path(path);
    crate::source::open(path, &name)?;
    let what = format!(
        "a Parquet table, which this build cannot read; {}",
        ssdlab_words::FULL_PROGRAM
    );
    Err(TraceError::Selection { name, what })
}
