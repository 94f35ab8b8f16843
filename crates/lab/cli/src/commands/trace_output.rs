//! The trace that a command writes, in the plain format.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use ssdlab_host::Request;
use ssdlab_trace::plain;

use crate::failure::Failure;
use crate::output::{self, Files};
use crate::progress::Progress;

/// Where a trace goes.
#[derive(clap::Args)]
pub struct TraceOutput {
    /// Write to this file instead of standard output, `-`; compressed if its name ends in .zst
    #[arg(long, short, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl TraceOutput {
    /// Writes `number` requests, with their streams if they have some; `what` is the word beside the progress. `files`
    /// has the inputs.
    ///
    /// # Errors
    /// The first error of the requests, or of writing. No file is left then.
    pub fn write(
        &self,
        mut files: Files,
        what: &str,
        number: u64,
        has_streams: bool,
        requests: impl Iterator<Item = Result<Request, Failure>>,
    ) -> Result<(), Failure> {
        let path = self.output.as_deref();
        let path = path.filter(|path| path.as_os_str() != "-");
        // on a terminal, a line of progress would mix with the lines of the trace
        let apart = path.is_some() || !io::stdout().is_terminal();
        let progress = apart.then(|| Progress::of(what, number));
        let requests = watched(requests, progress.as_ref());
        let Some(path) = path else {
            let failed = |error: &io::Error| Failure::printing(error);
            let out = output::stdout().map_err(|error| failed(&error))?;
            let mut out = written(io::BufWriter::new(out), has_streams, requests, failed)?;
            return out.flush().map_err(|error| failed(&error));
        };
        let failed = |error: &io::Error| Failure::writing(path, error);
        let file = files.create("--output", path)?;
        let file = if path.extension().is_some_and(|end| end == "zst") {
            let level = zstd::DEFAULT_COMPRESSION_LEVEL;
            let encoder = zstd::Encoder::new(file, level).map_err(|error| failed(&error))?;
            let encoder = written(encoder, has_streams, requests, failed)?;
            encoder.finish().map_err(|error| failed(&error))?
        } else {
            written(file, has_streams, requests, failed)?
        };
        file.finish()?;
        Ok(())
    }
}

/// Reports the progress every few thousand requests.
fn watched<'a, T: 'a>(
    requests: impl Iterator<Item = T> + 'a,
    progress: Option<&'a Progress>,
) -> impl Iterator<Item = T> + 'a {
    const BATCH: u64 = 4096;
    let mut number = 0;
    requests.inspect(move |_| {
        number += 1;
        if let Some(progress) = progress
            && number % BATCH == 0
        {
            progress.add(BATCH);
        }
    })
}

fn written<W: Write>(
    mut out: W,
    has_streams: bool,
    requests: impl Iterator<Item = Result<Request, Failure>>,
    failed: impl Fn(&io::Error) -> Failure,
) -> Result<W, Failure> {
    writeln!(out, "{}", plain::header(has_streams)).map_err(|error| failed(&error))?;
    let mut line = String::new();
    for request in requests {
        line.clear();
        plain::add_line(&mut line, &request?, has_streams);
        let written = out.write_all(line.as_bytes());
        written.map_err(|error| failed(&error))?;
    }
    Ok(out)
}
