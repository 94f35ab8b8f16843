//! `ssdlab trace generate`.

use std::io::{self, Write};
use std::path::PathBuf;

use ssdlab_host::Request;
use ssdlab_trace::plain::HEADER;

use crate::failure::Failure;
use crate::output::{self, WholeFile};

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
    match &args.output {
        None => to_stdout(requests),
        Some(path) if path.as_os_str() == "-" => to_stdout(requests),
        Some(path) => {
            let file = WholeFile::create(path)?;
            let zstd = path.extension().is_some_and(|end| end == "zst");
            let written = match zstd {
                true => compressed(file, requests),
                false => plain(file, requests),
            };
            let file = written.map_err(|error| Failure::writing(path, &error))?;
            file.finish()
        }
    }
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
