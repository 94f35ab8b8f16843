//! One file for each subcommand.

pub mod compare;
pub mod config;
pub mod list;
pub mod reproduce;
pub mod run;
pub mod shell;
pub mod theory;
pub mod trace;
mod trace_args;
mod trace_generate;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ssdlab_config::Resolver;
use ssdlab_sim::Replay;
use ssdlab_trace::shown_path;

use crate::failure::Failure;

pub use trace_args::TraceArgs;

/// The options of a replay.
#[derive(clap::Args)]
pub struct ReplayArgs {
    /// Take page numbers modulo the capacity instead of refusing requests beyond it
    #[arg(long)]
    wrap: bool,
    /// Map the erase blocks that reads and writes touch to dense numbers, in ascending order
    #[arg(long)]
    compact: bool,
    /// Replay the trace N times on one device and report the last replay, to approach a steady state
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    loops: u32,
    /// Replay the trace on one device until two successive replays agree within 1 % in write amplification, erases and
    /// time after cleaning has started, at most N times [default: 50]; report the last
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "50")]
    #[arg(conflicts_with = "loops", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    steady: Option<u32>,
}

impl ReplayArgs {
    /// Whether requests beyond the capacity wrap around.
    pub fn wraps(&self) -> bool {
        self.wrap
    }

    /// The options of the simulator.
    pub fn options(&self) -> Replay {
        Replay {
            wrap: self.wrap,
            compact: self.compact,
            loops: self.steady.unwrap_or(self.loops),
            steady: self.steady.is_some(),
        }
    }
}

/// The layers of a configuration; all commands share these options.
#[derive(clap::Args)]
pub struct ConfigArgs {
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Start from a preset instead of the defaults; `ssdlab list` names them
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Set a key, such as `buffer.policy=lru`; overrides file and preset; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl ConfigArgs {
    /// All input files of a command.
    pub fn inputs<'a>(&'a self, trace: &'a Path) -> Vec<&'a Path> {
        self.config.as_deref().into_iter().chain([trace]).collect()
    }

    /// The layers, not yet merged.
    pub fn resolver(&self) -> Result<Resolver, Failure> {
        let mut resolver = Resolver::new();
        if let Some(preset) = &self.preset {
            resolver.preset(preset);
        }
        if let Some(path) = &self.config {
            resolver.file(&shown_path(path), &small_file(path)?)?;
        }
        for setting in &self.set {
            resolver.set(setting)?;
        }
        Ok(resolver)
    }
}

/// The bytes of a configuration file, limited to 1 MiB.
fn small_file(path: &Path) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 1 << 20;
    let refused = |why: String| Failure::Input(format!("{}: {why}", shown_path(path)));
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes));
    match read {
        Ok(read) if read as u64 > MOST => {
            let why = "more than 1 MiB, which no configuration needs";
            Err(refused(why.into()))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(refused(format!("cannot be read: {error}"))),
    }
}
