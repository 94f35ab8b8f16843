//! `ssdlab artifact`.

use std::path::{Path, PathBuf};

use ssdlab_publish::{Artifact, PublishError, Traces};
use ssdlab_results::Table;
use ssdlab_sim::Lab;
use ssdlab_sweep::Planned;
use ssdlab_words::{shell_line, shown_path, thousands};

use super::cite::uncited;
use super::sweep::parts_of;
use crate::failure::Failure;
use crate::message;
use crate::output;

#[derive(clap::Args)]
pub struct Args {
    /// The plan of a finished sweep (TOML)
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// The folder to make
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The folder of the parts [default: PLAN.parts, without the ending of PLAN, here]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Copy no trace; name them by hash and size
    #[arg(long)]
    without_traces: bool,
    /// Copy all traces: you say that they may be given to others
    #[arg(long, conflicts_with = "without_traces")]
    all_traces: bool,
    /// What sweep run --log wrote, for the time that the runs took
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

pub fn artifact(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let parts = parts_of(&args.plan, args.results.as_deref());
    let core_seconds = args.log.as_deref().map(seconds).transpose()?;
    let planned = Planned::read(&args.plan, lab, env!("SSDLAB_VERSION"))?;
    let sweep = planned.frozen(&parts)?;
    let made = Artifact {
        sweep: &sweep,
        plan: &args.plan,
        parts: &parts,
        catalogue: &lab.systems().catalogue(),
        traces: match (args.without_traces, args.all_traces) {
            (true, _) => Traces::None,
            (_, true) => Traces::All,
            _ => Traces::Free,
        },
        core_seconds,
        go_on: go_on(args),
    }
    .make(&args.out)?;
    for line in &made.left_out {
        message::complain("note", line);
    }
    uncited(&made.unknown);
    output::print(&format!(
        "{}: {} runs, {} files\n",
        shown_path(&args.out),
        thousands(made.runs as u64),
        thousands(made.files as u64)
    ))
}

/// The command that goes on with the sweep.
fn go_on(args: &Args) -> String {
    let mut words = ["ssdlab", "sweep", "run"].map(str::to_owned).to_vec();
    words.push(args.plan.display().to_string());
    if let Some(parts) = &args.results {
        words.extend(["--out".into(), parts.display().to_string()]);
    }
    shell_line(&words)
}

/// The seconds of all parts in a log.
fn seconds(path: &Path) -> Result<f64, Failure> {
    let table = Table::read(path)?;
    let mut sum = 0.0;
    for name in ["decode_s", "run_s", "write_s"] {
        let cells = table.column(name).ok_or_else(|| {
            let why = format!("no column {name}; must be a file of ssdlab sweep run --log");
            Failure::Input(format!("--log {}: line 1: {why}", shown_path(path)))
        })?;
        for (row, cell) in cells.iter().enumerate() {
            let number = cell.number().filter(|number| *number >= 0.0);
            sum += number.ok_or_else(|| {
                let why = format!("{name} is {cell:?}, must be seconds");
                Failure::Input(format!(
                    "--log {}: line {}: {why}",
                    shown_path(path),
                    row + 2
                ))
            })?;
        }
    }
    Ok(sum)
}

impl From<PublishError> for Failure {
    fn from(error: PublishError) -> Self {
        match error {
            PublishError::Sweep(error) => error.into(),
            PublishError::Table(error) => error.into(),
            PublishError::Analysis(error) => error.into(),
            PublishError::Output(error) => error.into(),
            error => Failure::Input(error.to_string()),
        }
    }
}
