//! `ssdlab sweep status`.

use ssdlab_sim::Lab;
use ssdlab_words::{some_of, thousands};

use super::PlanArgs;
use super::plan::time;
use crate::failure::Failure;
use crate::output;
use crate::screen::Screen;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    plan: PlanArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn status(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let folder = args.plan.folder();
    let sweep = args.plan.planned(lab)?.frozen(&folder)?;
    let status = ssdlab_sweep::status(&sweep, &folder)?;
    if args.json {
        return output::print_json(&status);
    }
    let of = |done: usize, all: usize| {
        format!("{} of {}", thousands(done as u64), thousands(all as u64))
    };
    let mut facts = vec![
        ("parts", of(status.done, status.shards)),
        ("runs", of(status.runs_done, status.runs)),
    ];
    if status.done < status.shards {
        let missing: Vec<String> = status.missing.iter().map(usize::to_string).collect();
        facts.push(("left", time(status.seconds_left)));
        facts.push(("missing", format!("shards {}", some_of(&missing))));
    }
    if let Some(first) = status.first_damaged.first() {
        let what = "parts, which sweep run makes again; the first:";
        facts.push((
            "damaged",
            format!("{} {what} {first}", thousands(status.damaged as u64)),
        ));
    }
    if status.others > 0 {
        let what = "parts are of another plan, version or trace; sweep merge does not take them";
        facts.push((
            "others",
            format!("{} {what}", thousands(status.others as u64)),
        ));
    }
    if status.unfinished > 0 {
        let what = "files are of workers that run, or were killed; the latter can be deleted";
        facts.push((
            "unfinished",
            format!("{} {what}", thousands(status.unfinished as u64)),
        ));
    }
    output::print(&Screen::stdout().facts(11, &facts))
}
