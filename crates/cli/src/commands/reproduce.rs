//! `ssdlab reproduce`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ssdlab_reproduce::{Paper, Settings, pages, papers, sentence, summary};

use super::compare::{progress_bar, step};
use crate::failure::Failure;
use crate::output::{self, WholeFile};

/// Where the papers are described, unless said otherwise.
pub const FOLDER: &str = "reproduce";

#[derive(clap::Args)]
pub struct Args {
    /// The paper, or `all`; `ssdlab list` names them
    #[arg(value_name = "NAME")]
    name: String,
    /// The folder of the papers, NAME/paper.toml in it
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    dir: PathBuf,
    /// The folder of the traces
    #[arg(long, value_name = "DIR", default_value = "traces")]
    traces: PathBuf,
    /// Where the pages go, NAME/README.md in it [default: the folder of the papers]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing; fail if the pages that are there are not current
    #[arg(long)]
    check: bool,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

pub fn reproduce(args: Args) -> Result<(), Failure> {
    let names = match args.name.as_str() {
        "all" => papers(&args.dir),
        name => vec![name.to_owned()],
    };
    if names.is_empty() {
        let why = "describes no papers";
        return Err(Failure::Input(format!("{} {why}", args.dir.display())));
    }
    // what is wrong with any of them is better known before the runs
    let papers: Vec<Paper> = names
        .iter()
        .map(|name| Paper::read(&args.dir, name))
        .collect::<Result<_, _>>()?;
    let settings = Settings {
        traces: args.traces.clone(),
        jobs: args.jobs.map_or(0, usize::from),
    };
    for paper in &papers {
        let bar = progress_bar();
        let results = ssdlab_reproduce::reproduce(paper, &settings, |all| step(&bar, all));
        bar.finish_and_clear();
        let results = results?;
        let folder = args.out.as_ref().unwrap_or(&args.dir).join(&paper.name);
        let files = pages(paper, &results)?;
        if args.check {
            check(paper, &folder, &files)?;
            continue;
        }
        write(&folder, &files)?;
        let lines = summary(paper, &results);
        let mut table = output::table(&["figure", "the paper says", "paper", "ours", "verdict"], 2);
        for line in &lines {
            let says = line.claim.says.get_ref();
            let (paper, ours, verdict) = (line.paper(), line.ours(), line.verdict());
            table.add_row([&line.figure.number(), says, &paper, &ours, verdict]);
        }
        let page = folder.join("README.md");
        output::print(&format!(
            "{table}\n\n{}\nPage: {}\n",
            sentence(&lines),
            page.display()
        ))?;
    }
    Ok(())
}

fn write(folder: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    for (name, text) in files {
        let path = folder.join(name);
        let mut file = WholeFile::create(&path)?;
        file.write_all(text.as_bytes())
            .map_err(|error| Failure::writing(&path, &error))?;
        file.finish()?;
    }
    Ok(())
}

/// Fails if a file is not what would be written, or a chart is there that would not be written.
fn check(paper: &Paper, folder: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    let differs = |(name, text): &&(String, String)| {
        fs::read(folder.join(name)).ok().as_deref() != Some(text.as_bytes())
    };
    let mut stale: Vec<String> = files.iter().filter(differs).map(|f| f.0.clone()).collect();
    let there = fs::read_dir(folder).into_iter().flatten().flatten();
    let there = there.filter_map(|entry| entry.file_name().into_string().ok());
    let left_over = there
        .filter(|there| there.ends_with(".svg") && !files.iter().any(|(name, _)| name == there))
        .map(|name| format!("{name} (no longer made: remove it)"));
    stale.extend(left_over);
    if stale.is_empty() {
        return Ok(());
    }
    stale.sort();
    Err(Failure::Machine(format!(
        "{}: not current: {}; run: ssdlab reproduce {}",
        folder.display(),
        stale.join(", "),
        paper.name
    )))
}
