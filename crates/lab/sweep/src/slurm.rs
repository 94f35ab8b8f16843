//! The script of a sweep for Slurm.

use std::fmt::Write;

use ssdlab_words::shell_line;

use crate::cost;
use crate::error::SweepError;
use crate::sweep::{Explained, Sweep};
use crate::work::chosen;

/// What the script of a sweep says.
#[derive(Clone, Debug, PartialEq)]
pub struct Slurm {
    /// The command before `sweep`: how the nodes call ssdlab.
    pub program: Vec<String>,
    /// The plan and the folder of the parts, as the nodes see them.
    pub plan: String,
    /// The folder of the parts.
    pub folder: String,
    /// Tasks, each of which takes some shards; 0: as many as there are shards, at most 10 arrays of them.
    pub tasks: usize,
    /// The most indices of one array (`MaxArraySize`).
    pub most: usize,
    /// Cores of a task.
    pub cpus: usize,
    /// Further options of `sbatch`, each as one line.
    pub options: Vec<String>,
    /// The time limit of a task over the estimated time.
    pub margin: f64,
}

/// Arrays of one sweep, unless the user wants more.
const ARRAYS: usize = 10;

/// The shortest time limit, seconds: a node that is busy, and a file system that is slow.
const LEAST: f64 = 600.0;

impl Slurm {
    /// The number of tasks for a sweep.
    pub fn tasks(&self, sweep: &Sweep) -> usize {
        let asked = if self.tasks == 0 {
            self.most.max(1) * ARRAYS
        } else {
            self.tasks
        };
        asked.min(sweep.shards.len()).max(1)
    }

    /// The script, for `sh`: it submits the arrays one after the other, and ends with the first error of `sbatch`.
    ///
    /// # Errors
    /// A path or an option has a line break or another control character, of which a script cannot make sure that they
    /// are a part of a word.
    pub fn script(&self, sweep: &Sweep, explained: &Explained) -> Result<String, SweepError> {
        let words = self.program.iter().chain([&self.plan, &self.folder]);
        let mut words = words.chain(&self.options);
        if let Some(word) = words.find(|word| word.contains(char::is_control)) {
            let what =
                "a script for Slurm takes no control characters; rename it, or name another one";
            return Err(SweepError::folder(word.as_ref(), what));
        }
        let tasks = self.tasks(sweep);
        let seconds = (1..=tasks).map(|task| {
            let shards = &sweep.shards[chosen(&sweep.shards, task, tasks)];
            shards
                .iter()
                .map(|shard| shard.cost + cost::decoding(&sweep.facts[shard.trace]))
                .sum()
        });
        let longest = seconds.fold(0.0, f64::max);
        let minutes =
            ((longest / self.cpus.max(1) as f64 * self.margin).max(LEAST) / 60.0).ceil() as u64;
        let mib = ((explained.memory as f64 * 1.5) as u64)
            .saturating_mul(self.cpus as u64)
            .div_ceil(1 << 20)
            + 256;
        let most = self.most.max(1);
        let mut arrays = String::new();
        let mut first = 0;
        while first < tasks {
            let length = (tasks - first).min(most);
            let _ = writeln!(arrays, "submit {first} {}", length - 1);
            first += length;
        }
        let worker = shell_line(
            &[
                self.program.clone(),
                [
                    "sweep",
                    "work",
                    &self.plan,
                    "--out",
                    &self.folder,
                    "--jobs",
                    &self.cpus.to_string(),
                    "--shard",
                ]
                .map(str::to_owned)
                .to_vec(),
            ]
            .concat(),
        );
        let mut options = String::new();
        for option in &self.options {
            let _ = writeln!(options, "#SBATCH {option}");
        }
        Ok(format!(
            r#"#!/bin/sh
# {runs} runs in {shards} shards, {tasks} tasks of {cpus} cores each. Made by ssdlab sweep slurm.
#
# Submit: sh this-file. Submitting again goes on with what is missing. A task that is preempted is queued again; one
# that gets SIGTERM finishes the parts that it is at.
set -eu

# submits the tasks from FIRST+1 on: OFFSET, and the last index of the array
submit() {{
  job=$(sbatch --parsable --array=0-"$2" --export=ALL,SSDLAB_OFFSET="$1" <<'TASK'
#!/bin/sh
#SBATCH --job-name=ssdlab-sweep
#SBATCH --cpus-per-task={cpus}
#SBATCH --mem={mib}M
#SBATCH --time={minutes}
#SBATCH --requeue
#SBATCH --signal=B:TERM@120
#SBATCH --output=/dev/null
{options}task=$((SSDLAB_OFFSET + SLURM_ARRAY_TASK_ID + 1))
exec >> {folder}/task-"$task".log 2>&1
exec {worker} "$task"/{tasks}
TASK
  ) || {{ echo "sbatch failed with exit code $?: the tasks from $(($1 + 1)) on are not submitted" >&2; exit 1; }}
  [ -n "$job" ] || {{ echo "sbatch named no job: the tasks from $(($1 + 1)) on are not submitted" >&2; exit 1; }}
  echo "tasks $(($1 + 1)) to $(($1 + $2 + 1)): job $job"
}}

mkdir -p {folder}
{arrays}"#,
            runs = explained.runs,
            shards = sweep.shards.len(),
            cpus = self.cpus,
            folder = shell_line(std::slice::from_ref(&self.folder)),
        ))
    }
}

/// `MaxArraySize` from the output of `scontrol show config`: one more than the largest index.
pub fn most_of_array(config: &str) -> Option<usize> {
    let line = config
        .lines()
        .find(|line| line.trim_start().starts_with("MaxArraySize"))?;
    line.split('=').nth(1)?.trim().parse().ok()
}
