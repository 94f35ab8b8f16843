//! The trace that a command reads.

use std::path::{Path, PathBuf};

use clap::{Args as _, Command};
use ssdlab_arguments::ReadArgs;
use ssdlab_results::Origin;
use ssdlab_sim::Replay;
use ssdlab_trace::{ReadOptions, Watch};
use ssdlab_words::{shown_path, shown_text};

use super::command_line::command_line;
use crate::start::kept;

/// A trace and the options of reading it.
#[derive(clap::Args)]
pub struct TraceArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// The trace, or - for standard input: in any format that `ssdlab list` names, uncompressed or compressed with zstd, gzip,
    /// bzip2 or xz
    trace: PathBuf,
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

    /// Where runs on it come from.
    pub fn origin(&self, replay: Replay) -> Origin {
        Origin {
            trace: self.name(),
            replay,
            version: env!("CARGO_PKG_VERSION").into(),
            command: Some(command_line()),
            ..Origin::default()
        }
    }

    /// Its path with the options of reading, as sweeps name a trace.
    fn name(&self) -> String {
        let known = ReadArgs::augment_args(Command::default());
        let mut name = shown_path(&self.trace);
        let mut arguments = kept().arguments.iter().map(|word| word.to_string_lossy());
        while let Some(word) = arguments.next() {
            let option = word
                .split('=')
                .next()
                .and_then(|word| word.strip_prefix("--"));
            let option = option.and_then(|long| {
                known
                    .get_arguments()
                    .find(|arg| arg.get_long() == Some(long))
            });
            let Some(option) = option else { continue };
            name += &format!(" {}", shown_text(&word));
            if option.get_action().takes_values() && !word.contains('=') {
                let value = arguments.next();
                name += &value.map_or(String::new(), |value| format!("={}", shown_text(&value)));
            }
        }
        name
    }

    /// The options of reading it, and the receiver of the progress.
    pub fn options(&self, watch: Watch) -> ReadOptions {
        self.read.options(watch)
    }
}
