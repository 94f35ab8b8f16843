//! `ssdlab trace merge`.

use std::path::PathBuf;

use ssdlab_sim::trace_warnings;
use ssdlab_trace::{Merge, Merged, Watch};

use super::trace_output::TraceOutput;
use crate::failure::Failure;
use crate::message;
use crate::output::Files;
use ssdlab_arguments::ReadArgs;
use ssdlab_arguments::values;

#[derive(clap::Args)]
pub struct Args {
    /// Distance of the traces on the device [default: each behind the one before, at a multiple of 1 GiB]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    offset_each: Option<u64>,
    /// Start all traces at time 0 and stretch each to this length [default: their own times]
    #[arg(long, value_name = "SECONDS", value_parser = nanoseconds)]
    stretch: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    output: TraceOutput,
    /// The traces, each read twice; a trace may be repeated, and one alone can be stretched
    #[arg(value_name = "TRACE", num_args = 1.., required = true)]
    traces: Vec<PathBuf>,
}

/// Seconds, up to some years, in nanoseconds.
fn nanoseconds(text: &str) -> Result<u64, String> {
    let seconds = text.parse::<f64>().ok();
    let seconds = seconds.filter(|seconds| (1e-9..=1e9).contains(seconds));
    let nanoseconds = seconds.map(|seconds| (seconds * 1e9).round() as u64);
    nanoseconds
        .ok_or_else(|| "must be a number of seconds from 1e-9 to 1e9, such as 600".to_owned())
}

pub fn merge(args: &Args) -> Result<(), Failure> {
    let mut files = Files::default();
    for trace in &args.traces {
        files.input("the trace", trace)?;
    }
    let how = Merge {
        offset_each: args.offset_each,
        stretch_ns: args.stretch,
    };
    let merged = Merged::open(&args.traces, &how, &args.read.options(Watch::default()))?;
    let summaries = merged.parts().iter().map(|part| &part.summary);
    let warnings: Vec<String> = summaries.clone().flat_map(trace_warnings).collect();
    message::warn(&warnings);
    let has_streams = summaries.clone().any(|summary| summary.has_streams);
    let number = summaries.map(|summary| summary.requests).sum();
    let requests = merged.map(|request| request.map_err(Failure::from));
    args.output
        .write(files, "merging", number, has_streams, requests)
}
