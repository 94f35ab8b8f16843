//! `ssdlab sweep plan`.

use ssdlab_sim::Lab;
use ssdlab_sweep::Explained;
use ssdlab_words::{bytes, duration, thousands};

use super::PlanArgs;
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
    /// Threads for reading the traces [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

pub fn plan(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let folder = args.plan.folder();
    let sweep = args.plan.sweep(lab, &folder, super::jobs(args.jobs))?;
    let explained = sweep.explain()?;
    if args.plan.out.is_some() {
        sweep.freeze(&folder)?;
    }
    if args.json {
        return output::print_json(&explained);
    }
    output::print(&Screen::stdout().facts(15, &facts(&explained)))
}

/// The plan in words.
pub fn facts(explained: &Explained) -> Vec<(&'static str, String)> {
    let count = |number: usize| thousands(number as u64);
    let mut facts = vec![
        ("traces", count(explained.traces)),
        ("configurations", count(explained.configurations)),
    ];
    if explained.alike > 0 {
        let what = "more set nothing else in what their systems read, and are not run";
        facts.push(("alike", format!("{} {what}", count(explained.alike))));
    }
    if explained.left_out > 0 {
        let what = "combinations, by [[without]]";
        facts.push(("left out", format!("{} {what}", count(explained.left_out))));
    }
    if let Some(first) = explained
        .first_refused
        .as_ref()
        .filter(|_| explained.refused > 0)
    {
        facts.push((
            "refused",
            format!("{} runs; the first: {first}", count(explained.refused)),
        ));
    }
    let shards = format!(
        "{}, the longest about {}",
        count(explained.shards),
        duration(explained.longest * 1e9)
    );
    facts.extend([
        ("runs", count(explained.runs)),
        ("shards", shards),
        ("time", time(explained.seconds)),
        (
            "memory",
            format!(
                "up to {} a run, its trace included",
                bytes(explained.memory.next_multiple_of(1 << 20))
            ),
        ),
    ]);
    facts
}

/// Seconds of one core in words.
pub fn time(seconds: f64) -> String {
    match seconds / 3600.0 {
        hours if hours >= 1.0 => format!("about {} core hours", ssdlab_words::amount(hours)),
        _ => format!("about {} of one core", duration(seconds * 1e9)),
    }
}
