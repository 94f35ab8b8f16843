//! `ssdlab trace generate`.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use ssdlab_host::Request;
use ssdlab_trace::plain::HEADER;

use crate::failure::Failure;
use crate::output::{self, WholeFile};
use crate::progress::Progress;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    workload: ssdlab_workload::Description,
    /// Write to this file instead of standard output, `-`; compressed if its name ends in .zst
    #[arg(long, short, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn generate(args: Args) -> Result<(), Failure> {
    let requests = args.workload.requests().map_err(Failure::Input)?;
    let path = args
        .output
        .as_deref()
        .filter(|path| path.as_os_str() != "-");
    // on a terminal, a line of progress would mix with the lines of the trace
    let apart = path.is_some() || !io::stdout().is_terminal();
    let progress = apart.then(|| Progress::of("generating", args.workload.number()));
    let requests = watched(requests, progress.as_ref());
    let Some(path) = path else {
        return to_stdout(requests);
    };
    let file = WholeFile::create(path)?;
    let zstd = path.extension().is_some_and(|end| end == "zst");
    let written = match zstd {
        true => compressed(file, requests),
        false => plain(file, requests),
    };
    let file = written.map_err(|error| Failure::writing(path, &error))?;
    file.finish()
}

/// Reports the progress every few thousand requests.
fn watched<'a>(
    requests: impl Iterator<Item = Request> + 'a,
    progress: Option<&'a Progress>,
) -> impl Iterator<Item = Request> + 'a {
    const BATCH: u64 = 4096;
    let mut made = 0;
    requests.inspect(move |_| {
        made += 1;
        if let Some(progress) = progress
            && made % BATCH == 0
        {
            progress.add(BATCH);
        }
    })
}

fn to_stdout(requests: impl Iterator<Item = Request>) -> Result<(), Failure> {
    let write = |out| plain(io::BufWriter::new(out), requests)?.flush();
    let written = output::stdout().and_then(write);
    written.map_err(|error| Failure::printing(&error))
}

fn compressed(file: WholeFile, requests: impl Iterator<Item = Request>) -> io::Result<WholeFile> {
    let encoder = zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    plain(encoder, requests)?.finish()
}

fn plain<W: Write>(mut out: W, requests: impl Iterator<Item = Request>) -> io::Result<W> {
    writeln!(out, "{HEADER}")?;
    for request in requests {
        let (time, op) = (request.time_ns, request.op().letter());
        writeln!(out, "{time},{op},{},{}", request.offset, request.size())?;
    }
    Ok(out)
}
