//! `ssdlab sweep slurm`.

use std::path::{Path, PathBuf};
use std::process::Command;

use ssdlab_sim::Lab;
use ssdlab_sweep::{Slurm, most_of_array};
use ssdlab_words::{shown_path, thousands};

use super::PlanArgs;
use crate::failure::Failure;
use crate::message;
use crate::output::{self, Files};

/// The most indices of an array where Slurm is as it comes.
const USUAL: usize = 1001;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    plan: PlanArgs,
    /// Write the script to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Tasks; each runs a share of the shards [default: as many as there are shards, at most 10 arrays]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    tasks: usize,
    /// Cores of a task
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    cpus: u16,
    /// The most indices of an array [default: MaxArraySize of scontrol show config, or else 1001]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    array: Option<u32>,
    /// The time limit of a task over the estimated time
    #[arg(long, value_name = "FACTOR", default_value_t = 4.0, value_parser = factor)]
    margin: f64,
    /// An option for sbatch, such as --partition=short; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// How the nodes call ssdlab
    #[arg(long, value_name = "COMMAND", default_value = "ssdlab")]
    program: String,
}

fn factor(text: &str) -> Result<f64, String> {
    let factor = text
        .parse::<f64>()
        .ok()
        .filter(|factor| (1.0..=1000.0).contains(factor));
    factor.ok_or_else(|| "must be from 1 to 1000".to_owned())
}

pub fn slurm(args: &Args, lab: &Lab) -> Result<(), Failure> {
    for option in &args.sbatch {
        if !option.starts_with('-') || option.contains(char::is_control) {
            return Err(Failure::Input(format!(
                "--sbatch {option}: must be an option of sbatch, such as --partition=short"
            )));
        }
    }
    let folder = args.plan.folder();
    let mut files = Files::default();
    files.input("the plan", &args.plan.plan)?;
    let sweep = args.plan.sweep(lab, &folder, super::jobs(None))?;
    let explained = sweep.explain()?;
    sweep.freeze(&folder)?;
    let whole = |path: &Path| {
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        whole.display().to_string()
    };
    let slurm = Slurm {
        program: args.program.split_whitespace().map(str::to_owned).collect(),
        plan: whole(&args.plan.plan),
        folder: whole(&folder),
        tasks: args.tasks,
        most: args.array.map_or_else(most, |most| most as usize),
        cpus: args.cpus.into(),
        options: args.sbatch.clone(),
        margin: args.margin,
    };
    let script = slurm.script(&sweep, &explained)?;
    let Some(path) = &args.output else {
        return output::print(&script);
    };
    let mut file = files.create("--output", path)?;
    std::io::Write::write_all(&mut file, script.as_bytes())
        .map_err(|error| Failure::writing(path, &error))?;
    file.finish()?;
    output::print(&format!(
        "{}: {} tasks for {} shards; submit it with: sh {}\n",
        shown_path(path),
        thousands(slurm.tasks(&sweep) as u64),
        thousands(explained.shards as u64),
        shown_path(path)
    ))
}

/// `MaxArraySize`, if Slurm is here.
fn most() -> usize {
    let config = Command::new("scontrol").args(["show", "config"]).output();
    let known = config.ok().filter(|config| config.status.success());
    let known = known.and_then(|config| most_of_array(&String::from_utf8_lossy(&config.stdout)));
    known.unwrap_or_else(|| {
        let what = "scontrol does not say what MaxArraySize is here; taking 1001, as Slurm comes (--array sets it)";
        message::complain("note", what);
        USUAL
    })
}
