//! The formats that are written, one file for each.

use ssdlab_host::Request;

use crate::notes::Notes;
use crate::writer::Volume;

pub mod blkparse;
pub mod fio;
pub mod mqsim;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod plain;
mod sectors;

/// A format of lines.
pub trait Lines: Send {
    /// Adds what stands before the requests.
    fn begin(&self, _to: &mut String) {}

    /// Adds the lines of a request, and returns their number.
    ///
    /// # Errors
    /// Why the format cannot say it.
    fn add(
        &mut self,
        to: &mut String,
        request: &Request,
        volume: Option<Volume>,
        notes: &mut Notes,
    ) -> Result<u64, String>;

    /// Adds what stands behind the requests.
    fn end(&self, _to: &mut String) {}
}

/// Notes that a format has no place for the stream of a request.
fn note_stream(request: &Request, notes: &mut Notes) {
    if request.stream() != 0 {
        notes.change("without their stream, which the format cannot say");
    }
}
