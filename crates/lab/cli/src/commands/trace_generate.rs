//! `ssdlab trace generate`.

use super::trace_output::TraceOutput;
use crate::failure::Failure;
use crate::output::Files;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    workload: ssdlab_workload::Description,
    #[command(flatten)]
    output: TraceOutput,
}

pub fn generate(args: Args) -> Result<(), Failure> {
    let requests = args.workload.requests().map_err(Failure::Input)?;
    let (number, has_streams) = (args.workload.number(), args.workload.has_streams());
    let files = Files::default();
    args.output
        .write(files, "generating", number, has_streams, requests.map(Ok))
}
