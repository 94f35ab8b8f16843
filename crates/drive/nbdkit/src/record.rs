//! Recording the requests as a trace.

use std::fmt::Write as _;
use std::io::{self, Write};

use ssdlab_output::{OutputError, WholeFile};
use ssdlab_words::shown_path;

use crate::settings;

/// A trace that is being written, in the plain format of ssdlab.
pub struct TraceRecorder {
    /// None after an error.
    file: Option<WholeFile>,
    /// The trace has the streams of requests, as the drive reads them.
    streams: bool,
    /// Whole lines that are not written yet, so that a kill leaves none by half.
    lines: String,
    /// The bytes that are written.
    written: u64,
}

/// Bytes of lines before they are written.
const LINES: usize = 8 << 10;

impl TraceRecorder {
    /// Begins a trace, in a file that does not have its name yet.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn to(mut file: WholeFile, streams: bool) -> Result<Self, OutputError> {
        let more = if streams { ",stream" } else { "" };
        let header = format!("time_ns,op,offset_bytes,size_bytes{more}\n");
        match file.write_all(header.as_bytes()) {
            Ok(()) => Ok(Self {
                file: Some(file),
                streams,
                lines: String::new(),
                written: header.len() as u64,
            }),
            Err(error) => Err(OutputError::Failed {
                path: file.path().to_owned(),
                error,
            }),
        }
    }

    /// Gives the file its name; it replaces a file of that name.
    ///
    /// # Errors
    /// The file cannot get its name.
    pub fn publish(&mut self) -> Result<(), OutputError> {
        match &mut self.file {
            Some(file) => file.publish(),
            None => Ok(()),
        }
    }

    /// Adds a request that has taken effect: `R`, `W`, `F` or `D`.
    pub fn add(&mut self, time_ns: u64, op: char, offset: u64, length: u64, stream: u16) {
        if self.file.is_none() {
            return;
        }
        let line = write!(self.lines, "{time_ns},{op},{offset},{length}");
        let line = line.and_then(|()| match self.streams {
            true => writeln!(self.lines, ",{stream}"),
            false => writeln!(self.lines),
        });
        line.expect("a text takes all");
        if self.lines.len() >= LINES {
            self.flush();
        }
    }

    /// Hands everything to the system.
    pub fn flush(&mut self) {
        if let Some(file) = &mut self.file {
            let done = file
                .write_all(self.lines.as_bytes())
                .and_then(|()| file.flush());
            if done.is_ok() {
                self.written += self.lines.len() as u64;
            }
            self.lines.clear();
            self.look(done);
        }
    }

    /// Ends the recording after an error, behind a whole line. The host goes on: its data do not depend on the trace.
    fn look(&mut self, done: io::Result<()>) {
        let Err(error) = done else { return };
        if let Some(mut file) = self.file.take() {
            file.cut(self.written);
            let path = shown_path(file.path());
            settings::tell(&format!("{path}: the recorded trace ends here: {error}"));
        }
    }
}
