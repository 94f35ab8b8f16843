//! The trace that a command reads.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ssdlab_trace::{Action, Format, ReadOptions, StreamBy, Watch};

/// A trace and the options of reading it.
#[derive(clap::Args)]
pub struct TraceArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// The trace, or - for standard input: CSV of ssdlab, default text of blkparse, or CSV of MSR Cambridge;
    /// uncompressed, or compressed with zstd or gzip
    trace: PathBuf,
}

/// The options of reading a trace.
#[derive(clap::Args, Debug)]
pub struct ReadArgs {
    /// Format of the trace [default: detected from the first line]
    #[arg(long, value_name = "NAME", value_parser = formats())]
    format: Option<Format>,
    /// blkparse: the lines to read as requests: queued, dispatched to the device, or completed [default: D]
    #[arg(long, value_name = "LETTER", value_parser = actions())]
    action: Option<Action>,
    /// blkparse and msr: the volume to read, such as 8,0 or usr.0 [default: the only one]
    #[arg(long, value_name = "NAME")]
    volume: Option<String>,
    /// Number the streams of requests by op, lba:SIZE (parts of the device) or column:NAME [default: the column stream of a
    /// plain trace]
    #[arg(long, value_name = "RULE", value_parser = stream_by)]
    stream_by: Option<StreamBy>,
    /// Stop reading after N requests
    #[arg(long, value_name = "N", value_parser = ssdlab_trace::workload::positive_count)]
    limit: Option<u64>,
    /// Leave out the flush requests
    #[arg(long)]
    drop_flushes: bool,
    /// Leave out the read requests
    #[arg(long)]
    drop_reads: bool,
    /// Leave out the discards, such as those of mkfs and of deleted files
    #[arg(long)]
    drop_discards: bool,
}

impl TraceArgs {
    /// The path of the trace.
    pub fn path(&self) -> &Path {
        &self.trace
    }

    /// The options of reading it, as a text that differs if they do.
    pub fn how_read(&self) -> String {
        format!("{:?}", self.read)
    }

    /// The options of reading it, and the receiver of the progress.
    pub fn options(&self, watch: Watch) -> ReadOptions {
        self.read.options(watch)
    }
}

impl ReadArgs {
    /// The options, and the receiver of the progress.
    pub fn options(&self, watch: Watch) -> ReadOptions {
        ReadOptions {
            format: self.format,
            action: self.action,
            volume: self.volume.clone(),
            limit: self.limit,
            drop_flushes: self.drop_flushes,
            drop_reads: self.drop_reads,
            drop_discards: self.drop_discards,
            stream_by: self.stream_by.clone(),
            watch,
        }
    }
}

fn stream_by(text: &str) -> Result<StreamBy, String> {
    let wrong = || "must be op, lba:SIZE (such as lba:1GiB) or column:NAME (such as column:pid)";
    let rule = match text.split_once(':') {
        None if text == "op" => Some(StreamBy::Op),
        Some(("lba", size)) => ssdlab_words::parse_bytes(size)
            .filter(|size| *size > 0)
            .map(StreamBy::Lba),
        Some(("column", name)) if !name.is_empty() => Some(StreamBy::Column(name.to_owned())),
        _ => None,
    };
    rule.ok_or_else(|| wrong().to_owned())
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .try_map(|name| Format::named(&name).ok_or("no such format"))
}

/// The actions of blktrace, by letter.
pub fn actions() -> impl TypedValueParser<Value = Action> {
    PossibleValuesParser::new(Action::ALL.map(Action::letter).map(PossibleValue::new))
        .try_map(|letter| Action::named(&letter).ok_or("no such action"))
}
