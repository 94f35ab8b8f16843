//! `ssdlab trace`.

use super::{trace_generate, trace_info, trace_merge};
use crate::examples;
use crate::failure::Failure;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Say what a workload is for flash: footprint, rewrites, hot set, sizes, the hits of LRU write buffers of all sizes,
    /// and what a coarse mapping unit does to the writes
    #[command(after_long_help = examples::TRACE_INFO)]
    Info(trace_info::Args),
    /// Generate a synthetic trace in the plain format: seeded, of any length
    #[command(after_long_help = examples::TRACE_GENERATE)]
    Generate(trace_generate::Args),
    /// Merge traces side by side on one device, like programs that run at the same time
    #[command(after_long_help = examples::TRACE_MERGE)]
    Merge(trace_merge::Args),
}

pub fn trace(command: Command) -> Result<(), Failure> {
    match command {
        Command::Info(args) => trace_info::info(args),
        Command::Generate(args) => trace_generate::generate(args),
        Command::Merge(args) => trace_merge::merge(&args),
    }
}
