//! Recording the requests as a trace.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::settings;

/// A trace that is being written, in the plain format of ssdlab.
pub struct Record {
    path: PathBuf,
    /// None after an error.
    file: Option<BufWriter<File>>,
}

impl Record {
    /// Begins a trace; a file of this name is overwritten.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut file = BufWriter::with_capacity(1 << 16, File::create(path)?);
        file.write_all(b"time_ns,op,offset_bytes,size_bytes\n")?;
        Ok(Self {
            path: path.to_owned(),
            file: Some(file),
        })
    }

    /// Adds a request that has taken effect: `R`, `W`, `F` or `D`.
    pub fn add(&mut self, time_ns: u64, op: char, offset: u64, length: u64) {
        if let Some(file) = &mut self.file {
            let done = writeln!(file, "{time_ns},{op},{offset},{length}");
            self.look(done);
        }
    }

    /// Hands all to the system.
    pub fn flush(&mut self) {
        if let Some(file) = &mut self.file {
            let done = file.flush();
            self.look(done);
        }
    }

    /// Ends the recording after an error. The host goes on: its data do not depend on the trace.
    fn look(&mut self, done: io::Result<()>) {
        if let Err(error) = done {
            self.file = None;
            let path = self.path.display();
            settings::tell(&format!("{path}: the recorded trace ends here: {error}"));
        }
    }
}
