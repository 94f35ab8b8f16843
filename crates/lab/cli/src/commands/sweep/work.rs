//! `ssdlab sweep run` and `ssdlab sweep work`.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Instant;

use ssdlab_results::part_of;
use ssdlab_sim::Lab;
use ssdlab_sweep::{Kind, Sweep, SweepError, Work, WorkEvent, chosen};
use ssdlab_words::{duration, shown_path, thousands};

use super::PlanArgs;
use crate::failure::Failure;
use crate::message;
use crate::output::{self, Files};
use crate::progress::Progress;
use crate::signals::Interrupt;

#[derive(clap::Args)]
pub struct RunArgs {
    #[command(flatten)]
    plan: PlanArgs,
    /// Threads, each with a run of its own [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Let the workers of a scheduler of Dask run the shards, such as tcp://10.0.0.1:8786; the program of the Python package
    /// does that
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["jobs", "memory", "log"])]
    dask: Option<String>,
    #[command(flatten)]
    how: How,
}

#[derive(clap::Args)]
pub struct WorkArgs {
    #[command(flatten)]
    plan: PlanArgs,
    /// The number of this worker and the number of all, such as 3/8
    #[arg(long, value_name = "I/N", value_parser = share)]
    shard: (usize, usize),
    /// Threads, each with a run of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    #[command(flatten)]
    how: How,
}

/// What both have.
#[derive(clap::Args)]
struct How {
    /// Memory for the traces and devices of all simultaneous runs [default: the free memory]
    #[arg(long, value_name = "SIZE", value_parser = ssdlab_arguments::values::size)]
    memory: Option<u64>,
    /// Add a line for each part to a CSV file: its shard, its runs, and the seconds that it took
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

fn share(text: &str) -> Result<(usize, usize), String> {
    let numbers = text
        .split_once('/')
        .and_then(|(number, all)| Some((number.parse().ok()?, all.parse().ok()?)));
    let numbers = numbers.filter(|(number, all)| (1..=*all).contains(number));
    numbers.ok_or_else(|| {
        "must be two numbers, the first from 1 to the second, such as 3/8".to_owned()
    })
}

pub fn run(args: &RunArgs, lab: &Lab) -> Result<(), Failure> {
    if let Some(address) = &args.dask {
        let why = "this program does not speak to Dask; the one of the Python package does: pip install '.[dask]' in a clone of ssdlab";
        return Err(Failure::Input(format!("--dask {address}: {why}")));
    }
    let (folder, jobs) = (args.plan.folder(), super::jobs(args.jobs));
    let sweep = args.plan.sweep(lab, &folder, jobs)?;
    sweep.explain()?;
    sweep.freeze(&folder)?;
    let all = 0..sweep.shards.len();
    shards(&args.plan.plan, &sweep, all, &folder, jobs, &args.how)
}

pub fn work(args: &WorkArgs, lab: &Lab) -> Result<(), Failure> {
    let folder = args.plan.folder();
    let sweep = args.plan.planned(lab)?.frozen(&folder)?;
    let (number, all) = args.shard;
    let share = chosen(&sweep.shards, number, all);
    shards(
        &args.plan.plan,
        &sweep,
        share,
        &folder,
        args.jobs.into(),
        &args.how,
    )
}

/// Runs some shards, and says what was done.
fn shards(
    plan: &Path,
    sweep: &Sweep,
    share: Range<usize>,
    folder: &Path,
    jobs: usize,
    how: &How,
) -> Result<(), Failure> {
    let (interrupt, termination) = (Interrupt::await_one(), Interrupt::await_termination());
    let open = |path: &Path| Log::open(path, plan, sweep, folder);
    let log = how.log.as_deref().map(open).transpose()?;
    let work = Work {
        folder: folder.to_owned(),
        jobs,
        memory: how.memory,
        finish: termination.flag(),
        stop: Some(interrupt.flag()),
    };
    let (_, others) = sweep.there(folder)?;
    let progress = Progress::of_sweep(
        sweep.shards[share.clone()]
            .iter()
            .map(|shard| shard.cost)
            .sum(),
    );
    let done = Mutex::new((0, 0));
    let started = Instant::now();
    let complete = sweep.work(share.clone(), &work, |told| match told {
        WorkEvent::Ran { cost } => progress.ran(cost),
        WorkEvent::Damaged { why } => {
            message::complain("warning", &format!("{why}: it is made again"));
        }
        WorkEvent::Part { shard, .. } => {
            let mut done = done.lock().expect("no panic");
            *done = (done.0 + 1, done.1 + shard.runs.len());
            if let Some(log) = &log {
                log.add(&told);
            }
        }
    });
    drop(progress);
    let (parts, runs) = done.into_inner().expect("no panic");
    let complete = match complete {
        Err(SweepError::Stopped) => {
            let what = format!(
                "{} parts are kept; the same command goes on with the others",
                thousands(parts)
            );
            message::complain("interrupted", &what);
            return Err(Failure::Interrupted);
        }
        complete => complete?,
    };
    if let Some(log) = log {
        log.finish()?;
    }
    let took = duration(started.elapsed().as_nanos() as f64);
    let (there, others_now) = sweep.there(folder)?;
    let mut text = format!(
        "{} runs in {} parts in {took}; {}: {} of {} parts",
        thousands(runs as u64),
        thousands(parts),
        shown_path(folder),
        thousands(there as u64),
        thousands(sweep.shards.len() as u64),
    );
    if others_now > others {
        text += " (others are not of this plan)";
    }
    output::print(&(text + "\n"))?;
    if !complete && termination.flag().load(Ordering::Relaxed) {
        message::complain(
            "terminated",
            "the parts that were begun are complete; the same command goes on with the others",
        );
        return Err(Failure::Command(143));
    }
    Ok(())
}

/// The file of `--log`, which grows over several runs.
struct Log {
    path: PathBuf,
    state: Mutex<(std::fs::File, std::io::Result<()>)>,
}

impl Log {
    /// Opens it, unless it is a file of the sweep.
    fn open(path: &Path, plan: &Path, sweep: &Sweep, folder: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::writing(path, &error);
        let mut files = Files::default();
        files.input("the plan", plan)?;
        if let Some(config) = sweep.config_file() {
            files.input("the device", &sweep.folder_of_plan().join(config))?;
        }
        for source in &sweep.sources {
            if let Kind::File { path, .. } = &source.kind {
                files.input("the trace", path)?;
            }
        }
        files.input("what was planned,", &Sweep::planned_in(folder))?;
        if part_of(path).is_some() {
            let why = "is the name of a part of a sweep; name another file";
            return Err(Failure::Input(format!("--log {}: {why}", shown_path(path))));
        }
        let mut file = files.add_to("--log", path)?;
        if file.metadata().map_err(failed)?.len() == 0 {
            file.write_all(b"part,runs,estimated_s,decode_s,run_s,write_s\n")
                .map_err(failed)?;
        }
        Ok(Self {
            path: path.to_owned(),
            state: Mutex::new((file, Ok(()))),
        })
    }

    fn add(&self, told: &WorkEvent) {
        let WorkEvent::Part {
            shard,
            decode,
            run,
            write,
        } = told
        else {
            return;
        };
        let line = format!(
            "{},{},{:.3},{decode:.4},{run:.4},{write:.4}\n",
            shard.name,
            shard.runs.len(),
            shard.cost
        );
        let (file, result) = &mut *self.state.lock().expect("no panic");
        if result.is_ok() {
            *result = file.write_all(line.as_bytes());
        }
    }

    fn finish(self) -> Result<(), Failure> {
        let (_, result) = self.state.into_inner().expect("no panic");
        result.map_err(|error| Failure::writing(&self.path, &error))
    }
}
