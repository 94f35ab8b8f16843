//! The trace that a command writes.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};

use ssdlab_convert::{About, Head, Notes, Target, To, TraceWriter};
use ssdlab_host::Request;
use ssdlab_words::{shown_path, thousands};

use super::command_line::command_line;
use crate::failure::Failure;
use crate::message;
use crate::output::{self, Files, WholeFile};
use crate::progress::Progress;

/// Where a trace goes that the command makes itself.
#[derive(clap::Args)]
pub struct TraceOutput {
    /// Write to this file instead of standard output, `-`; its ending says the format, such as .csv, .csv.zst, .csv.gz or
    /// .parquet
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
        let path = self.output.as_deref().unwrap_or(Path::new("-"));
        let out = Out::open(&mut files, path)?;
        let target = target(path, None, Some(To::Plain))?;
        let failed = |error: io::Error| out_failed(path, &error);
        // on a terminal, a line of progress would mix with the lines of the trace
        let apart = path != Path::new("-") || !io::stdout().is_terminal();
        let progress = apart.then(|| Progress::of(what, number));
        let head = Head {
            streams: has_streams,
            ..Head::default()
        };
        let mut writer = TraceWriter::new(out, target, head).map_err(failed)?;
        for request in watched(requests, progress.as_ref()) {
            let added = writer.add(&request?, None);
            added.map_err(|error| {
                let error = error.at(|| format!("--output {}", shown_path(path)));
                Failure::converting(error, |error| out_failed(path, error))
            })?;
        }
        let about = About {
            source: command_line(),
            sha256: None,
        };
        let (out, notes) = writer.finish(&about).map_err(failed)?;
        message::warn(&said(&notes, path));
        out.finish()
    }
}

/// The format of an output; standard output, `-`, has none of its own.
pub fn target(path: &Path, asked: Option<Target>, unnamed: Option<To>) -> Result<Target, Failure> {
    if path == Path::new("-") {
        return Ok(asked.unwrap_or(Target::PLAIN));
    }
    Target::of_file(path, asked, unnamed).map_err(|why| Failure::Input(format!("--output {why}")))
}

/// An output that is a file, or standard output.
pub enum Out {
    File(Box<WholeFile>),
    Stdout(BufWriter<Stdout>),
}

impl Out {
    /// Begins an output; `-` is standard output.
    pub fn open(files: &mut Files, path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            // locked or not, it must be there
            let out = output::stdout().map(drop);
            out.map_err(|error| Failure::printing(&error))?;
            return Ok(Self::Stdout(BufWriter::new(io::stdout())));
        }
        Ok(Self::File(Box::new(files.create("--output", path)?)))
    }

    /// Gives a complete file its name.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Self::File(file) => Ok(file.finish().map(drop)?),
            Self::Stdout(mut out) => out.flush().map_err(|error| Failure::printing(&error)),
        }
    }
}

/// The failure of an output.
pub fn out_failed(path: &Path, error: &io::Error) -> Failure {
    if path == Path::new("-") {
        Failure::printing(error)
    } else {
        Failure::writing(path, error)
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(out) => out.flush(),
        }
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

/// What a format could not say of the requests, as warnings.
pub fn said(notes: &Notes, path: &Path) -> Vec<String> {
    let left_out = notes.left_out.iter();
    let left_out = left_out.map(|(why, count)| (count, "left out", why));
    let changed = notes
        .changed
        .iter()
        .map(|(why, count)| (count, "written", why));
    let said = left_out.chain(changed).map(|(count, what, why)| {
        let count = thousands(*count);
        format!("{}: {count} requests {what}: {why}", shown_path(path))
    });
    said.collect()
}
