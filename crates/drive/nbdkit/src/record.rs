//! Recording the requests as a trace.

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
}

impl TraceRecorder {
    /// Begins a trace, in a file that does not have its name yet.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn to(mut file: WholeFile, streams: bool) -> Result<Self, OutputError> {
        let more = if streams { ",stream" } else { "" };
        let header = writeln!(file, "time_ns,op,offset_bytes,size_bytes{more}");
        match header {
            Ok(()) => Ok(Self {
                file: Some(file),
                streams,
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
        if let Some(file) = &mut self.file {
            let done = if self.streams {
                writeln!(file, "{time_ns},{op},{offset},{length},{stream}")
            } else {
                writeln!(file, "{time_ns},{op},{offset},{length}")
            };
            self.look(done);
        }
    }

    /// Hands everything to the system.
    pub fn flush(&mut self) {
        if let Some(file) = &mut self.file {
            let done = file.flush();
            self.look(done);
        }
    }

    /// Ends the recording after an error. The host goes on: its data do not depend on the trace.
    fn look(&mut self, done: io::Result<()>) {
        let Err(error) = done else { return };
        if let Some(file) = self.file.take() {
            let path = shown_path(file.path());
            settings::tell(&format!("{path}: the recorded trace ends here: {error}"));
        }
    }
}
