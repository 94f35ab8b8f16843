//! `ssdlab sweep verify`.

use std::sync::atomic::Ordering;

use ssdlab_sim::Lab;
use ssdlab_sweep::Work;
use ssdlab_words::thousands;

use super::PlanArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::signals::Interrupt;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    plan: PlanArgs,
    /// Parts to make again; all of them, if there are fewer
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    parts: u32,
    /// Chooses other parts
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads, each with a run of its own [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Memory for the traces and devices of all simultaneous runs [default: the free memory]
    #[arg(long, value_name = "SIZE", value_parser = ssdlab_arguments::values::size)]
    memory: Option<u64>,
}

pub fn verify(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let folder = args.plan.folder();
    let sweep = args.plan.planned(lab)?.frozen(&folder)?;
    let (interrupt, termination) = (Interrupt::await_one(), Interrupt::await_termination());
    let work = Work {
        folder,
        jobs: super::jobs(args.jobs),
        memory: args.memory,
        finish: termination.flag(),
        stop: Some(interrupt.flag()),
    };
    let progress = Progress::of("parts", u64::from(args.parts));
    let number = usize::try_from(args.parts).unwrap_or(usize::MAX);
    let verified = sweep.verify(number, args.seed, &work, || progress.add(1));
    drop(progress);
    let verified = verified?;
    let count = |number: usize| thousands(number as u64);
    if !verified.different.is_empty() {
        let what = format!(
            "{} of {} parts are not the same again: runs of one version with one configuration and one trace must be; keep \
             the files and report this",
            count(verified.different.len()),
            count(verified.parts)
        );
        let mut lines = verified.different;
        lines.push(what);
        return Err(Failure::Machine(lines.join("\n")));
    }
    output::print(&format!(
        "{} of {} parts, with {} runs, are the same byte by byte\n",
        count(verified.parts),
        count(verified.of),
        count(verified.runs)
    ))?;
    if verified.ended && termination.flag().load(Ordering::Relaxed) {
        return Err(Failure::Command(143));
    }
    Ok(())
}
