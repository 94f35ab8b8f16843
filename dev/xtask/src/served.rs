//! The served runs of papers: the seconds that a drive takes which answers at the speed of the simulated one.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use ssdlab_reproduce::{Descriptions, Paper, ServedRun};
use ssdlab_sim::Lab;
use tempfile::TempDir;

/// Where the studies are.
const STUDIES: &str = "crates/lab/reproduce/studies";
/// The paper with served runs.
const PAPER: &str = "bplru-2008";
/// So many drives are served at a time: they wait for most of the time.
const AT_A_TIME: usize = 4;

/// Serves the drives of all runs, replays the traces, and writes the seconds into the folder of the study.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    let built = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args([
            "build",
            "--quiet",
            "--release",
            "--package",
            "ssdlab",
            "--package",
            "ssdlab-plugin",
            "--features",
            "full",
        ])
        .current_dir(root)
        .status()?;
    if !built.success() {
        return Err("the release build failed".into());
    }
    let studies = root.join(STUDIES);
    let paper = Paper::read(&Descriptions::Folder(studies.clone()), PAPER, &Lab::new())?;
    for served in paper.served() {
        let seconds = measured(root, &served.runs)?;
        fs::write(
            studies.join(PAPER).join(&served.file),
            served.text(&seconds),
        )?;
    }
    Ok(())
}

/// The seconds of each run.
fn measured(root: &Path, runs: &[ServedRun]) -> Result<Vec<f64>, Box<dyn Error>> {
    let todo = Mutex::new(runs.iter().enumerate());
    let done = Mutex::new(vec![None; runs.len()]);
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let next = todo.lock().expect("no thread panics").next();
                    let Some((place, run)) = next else { return };
                    let seconds = seconds(root, run).map_err(|error| error.to_string());
                    let (trace, row) = (&run.trace, &run.row);
                    eprintln!("{trace}, {row}: {seconds:?}");
                    done.lock().expect("no thread panics")[place] = Some(seconds);
                }
            });
        }
    });
    let done = done.into_inner().expect("no thread panics");
    let seconds = done.into_iter().flatten();
    Ok(seconds.collect::<Result<Vec<f64>, String>>()?)
}

/// The seconds of a replay against a new drive.
fn seconds(root: &Path, run: &ServedRun) -> Result<f64, Box<dyn Error>> {
    let folder = TempDir::new()?;
    let image = folder.path().join("drive.img");
    let program = root.join("target/release/ssdlab");
    let program = program.display();
    let image = image.display();
    let replay = format!("{program} replay {} $uri --json", run.replay);
    let command = format!(
        "{program} drive create {} {image} >&2 && {program} serve {image} --realtime --run '{replay}'",
        run.create
    );
    let ended = Command::new("sh")
        .args(["-c", &command])
        .current_dir(root)
        .stderr(Stdio::piped())
        .output()?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        return Err(format!("{command}: {}: {said}", ended.status).into());
    }
    let replayed: serde_json::Value = serde_json::from_slice(&ended.stdout)?;
    let elapsed = replayed["counters"]["elapsed_ns"].as_u64();
    let elapsed = elapsed.ok_or("the replay tells no elapsed_ns")?;
    Ok(elapsed as f64 / 1e9)
}
