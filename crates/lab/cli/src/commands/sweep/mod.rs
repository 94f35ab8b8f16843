//! `ssdlab sweep`.

mod merge;
mod plan;
mod slurm;
mod status;
mod verify;
mod work;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use ssdlab_results::TableError;
use ssdlab_sim::Lab;
use ssdlab_sweep::{Planned, Sweep, SweepError};

use crate::examples;
use crate::failure::Failure;
use crate::progress::Progress;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Check a plan, and say what it takes
    #[command(after_long_help = examples::SWEEP_PLAN)]
    Plan(plan::Args),
    /// Run what is missing, on all cores
    #[command(after_long_help = examples::SWEEP_RUN)]
    Run(work::RunArgs),
    /// Run what is missing of a share, as one of several workers
    #[command(after_long_help = examples::SWEEP_WORK)]
    Work(work::WorkArgs),
    /// Say what is done and what is left
    #[command(after_long_help = examples::SWEEP_STATUS)]
    Status(status::Args),
    /// Make some parts again, and compare them byte by byte
    #[command(after_long_help = examples::SWEEP_VERIFY)]
    Verify(verify::Args),
    /// Make one table of all parts
    #[command(after_long_help = examples::SWEEP_MERGE)]
    Merge(merge::Args),
    /// Write a script that submits the sweep to Slurm
    #[command(after_long_help = examples::SWEEP_SLURM)]
    Slurm(slurm::Args),
}

pub fn sweep(command: Command, lab: &Lab) -> Result<(), Failure> {
    match command {
        Command::Plan(args) => plan::plan(&args, lab),
        Command::Run(args) => work::run(&args, lab),
        Command::Work(args) => work::work(&args, lab),
        Command::Status(args) => status::status(&args, lab),
        Command::Verify(args) => verify::verify(&args, lab),
        Command::Merge(args) => merge::merge(&args, lab),
        Command::Slurm(args) => slurm::slurm(&args, lab),
    }
}

/// A plan, and the folder of its parts.
#[derive(clap::Args)]
struct PlanArgs {
    /// The plan (TOML); docs/sweeps.md defines it
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// The folder of the parts [default: PLAN.parts, without the ending of PLAN, here]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl PlanArgs {
    fn folder(&self) -> PathBuf {
        parts_of(&self.plan, self.out.as_deref())
    }

    fn planned(&self, lab: &Lab) -> Result<Planned, Failure> {
        Ok(Planned::read(&self.plan, lab, env!("SSDLAB_VERSION"))?)
    }

    /// The sweep; traces whose facts the folder does not have are read.
    fn sweep(&self, lab: &Lab, folder: &Path, jobs: usize) -> Result<Sweep, Failure> {
        let planned = self.planned(lab)?;
        let progress = Progress::of("reading traces", planned.sources().len() as u64);
        let sweep = planned.sweep(Some(folder), jobs, || progress.add(1));
        drop(progress);
        Ok(sweep?)
    }
}

/// The folder of the parts of a plan: this one, or the one that is named after the plan.
pub fn parts_of(plan: &Path, folder: Option<&Path>) -> PathBuf {
    let named = || {
        let mut name = plan.file_stem().unwrap_or("sweep".as_ref()).to_owned();
        name.push(".parts");
        PathBuf::from(name)
    };
    folder.map_or_else(named, Path::to_owned)
}

/// The threads that are asked for; by default one for each core.
fn jobs(asked: Option<u16>) -> usize {
    let cores = || available_parallelism().map_or(1, NonZero::get);
    asked.map_or_else(cores, usize::from)
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Output(error) => error.into(),
            SweepError::Stopped => Failure::Interrupted,
            SweepError::Run { run, error } => {
                Failure::of(error.is_bad_input(), format!("{run}: {error}"))
            }
            error @ (SweepError::Differs { .. } | SweepError::Threads(_)) => {
                Failure::Machine(error.to_string())
            }
            error => Failure::Input(error.to_string()),
        }
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        Failure::of(!matches!(error, TableError::Output(_)), error.to_string())
    }
}
