//! `ssdlab trace`.

#[cfg(unix)]
use super::trace_record;
#[cfg(feature = "full")]
use super::{trace_catalogue, trace_fetch};
use super::{trace_convert, trace_generate, trace_info, trace_merge, trace_sample};
use crate::examples;
use crate::failure::Failure;
#[cfg(unix)]
use crate::left_out::RECORD;
#[cfg(feature = "full")]
use crate::left_out::about;

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
    /// Convert a trace: to Parquet, fio, MQSim, blkparse or the plain format; a part of it; packed; its volumes apart
    #[command(after_long_help = examples::TRACE_CONVERT)]
    Convert(Box<trace_convert::Args>),
    /// Sample a trace by groups of addresses, for a device that is smaller by the same share
    #[command(after_long_help = examples::TRACE_SAMPLE)]
    Sample(trace_sample::Args),
    #[cfg(feature = "full")]
    #[command(about = about("trace catalogue"), after_long_help = examples::TRACE_CATALOGUE)]
    Catalogue(trace_catalogue::Args),
    #[cfg(feature = "full")]
    #[command(about = about("trace fetch"), after_long_help = examples::TRACE_FETCH)]
    Fetch(trace_fetch::Args),
    #[cfg(unix)]
    #[command(about = RECORD.1, after_long_help = examples::TRACE_RECORD)]
    Record(trace_record::Args),
}

pub fn trace(command: Command) -> Result<(), Failure> {
    match command {
        Command::Info(args) => trace_info::info(args),
        Command::Generate(args) => trace_generate::generate(args),
        Command::Merge(args) => trace_merge::merge(&args),
        Command::Convert(args) => trace_convert::convert(&args),
        Command::Sample(args) => trace_sample::sample(&args),
        #[cfg(feature = "full")]
        Command::Catalogue(args) => trace_catalogue::catalogue(&args),
        #[cfg(feature = "full")]
        Command::Fetch(args) => trace_fetch::run(&args),
        #[cfg(unix)]
        Command::Record(args) => trace_record::record(&args),
    }
}
