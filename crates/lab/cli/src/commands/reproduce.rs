//! `ssdlab reproduce`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ssdlab_output::make_folder;
use ssdlab_reproduce::{Descriptions, Report, ReproduceError, Settings, Study};
use ssdlab_sim::{Lab, SimError};
use ssdlab_words::shown_path;

use crate::failure::Failure;
use crate::message;
use crate::output::{self, Files, WholeFile};
use crate::progress::Progress;
use crate::screen::{Screen, Table};
use crate::signals::Interrupt;

#[derive(clap::Args)]
pub struct Args {
    /// The study: a paper, published measurements, `theory`, `own-buffer`, or `all`; `ssdlab list` names them
    #[arg(value_name = "NAME")]
    name: String,
    /// A folder of descriptions to use instead of the built-in ones: NAME/paper.toml, NAME/theory.toml,
    /// NAME/measured.toml, NAME/times.toml, NAME/fills.toml, NAME/equal.toml, NAME/learned.toml or NAME/contest.toml
    #[arg(long, value_name = "DIR")]
    descriptions: Option<PathBuf>,
    /// The folder of the traces
    #[arg(long, value_name = "DIR", default_value = "traces")]
    traces: PathBuf,
    /// The folder for the pages, created if needed; each page is NAME/README.md with its charts
    #[arg(short, long, value_name = "DIR", default_value = "reproduce")]
    output: PathBuf,
    /// Write nothing; fail if the existing pages are not current
    #[arg(long)]
    check: bool,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// A folder that keeps the result of each run: the same command goes on with the runs that it lacks
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

pub fn reproduce(args: Args, lab: &Lab) -> Result<(), Failure> {
    let descriptions = args.descriptions;
    let descriptions = descriptions.map_or(Descriptions::BuiltIn, Descriptions::Folder);
    let names = match (args.name.as_str(), &descriptions) {
        ("all", Descriptions::Folder(folder)) if descriptions.names().is_empty() => {
            let why = "has no description of a study";
            return Err(Failure::Input(format!("{} {why}", shown_path(folder))));
        }
        ("all", _) => descriptions.names(),
        (name, _) => vec![name.to_owned()],
    };
    // check all descriptions before the runs
    let studies: Vec<Box<dyn Study>> = names
        .iter()
        .map(|name| descriptions.read(name, lab))
        .collect::<Result<_, _>>()?;
    let interrupt = Interrupt::await_one();
    let settings = Settings {
        traces: args.traces.clone(),
        jobs: args.jobs.map_or(0, usize::from),
        results: args.results.clone(),
        version: env!("SSDLAB_VERSION").to_owned(),
        stop: interrupt.flag(),
    };
    let mut files = Files::default();
    for study in &studies {
        for input in study.inputs(&settings) {
            files.input("the file", &input)?;
        }
    }
    for study in &studies {
        let progress = Progress::of_runs();
        let report = study.run(&settings, &|all| progress.step(all));
        drop(progress);
        let report = match report {
            Err(ReproduceError::Sim(SimError::Stopped)) => {
                return Err(interrupted(args.results.as_deref()));
            }
            report => report?,
        };
        let folder = args.output.join(study.name());
        if args.check {
            check(study.name(), &folder, &report.files)?;
            continue;
        }
        write(&mut files, &folder, &report.files)?;
        print(&report, &folder)?;
    }
    Ok(())
}

/// Says what is left of an interrupted study.
fn interrupted(results: Option<&Path>) -> Failure {
    let what = match results {
        Some(folder) => format!(
            "{} keeps the runs that are done; the same command goes on with the others",
            shown_path(folder)
        ),
        None => "the runs are lost; --results DIR would keep those that are done".to_owned(),
    };
    message::complain("interrupted", &what);
    Failure::Interrupted
}

fn print(report: &Report, folder: &Path) -> Result<(), Failure> {
    let screen = Screen::stdout();
    let mut table = Table::new(report.header, report.words);
    for row in &report.rows {
        table.add(row);
    }
    let table = table.fit(&screen);
    let (sentence, page) = (screen.wrap(&report.sentence, 0), folder.join("README.md"));
    output::print(&format!(
        "{table}\n\n{sentence}\nPage: {}\n",
        shown_path(&page)
    ))
}

fn write(files: &mut Files, folder: &Path, pages: &[(String, String)]) -> Result<(), Failure> {
    make_folder(folder).map_err(|error| Failure::writing(folder, &error))?;
    let written = pages.iter().map(|(name, text)| {
        let path = folder.join(name);
        let mut file = files.create("the page", &path)?;
        file.write_all(text.as_bytes())
            .map_err(|error| Failure::writing(&path, &error))?;
        Ok(file)
    });
    // all of them, or none
    let written: Vec<WholeFile> = written.collect::<Result<_, Failure>>()?;
    for file in written {
        file.finish()?;
    }
    Ok(())
}

/// Fails if a file differs from the one that would be written, or if a chart exists that would not be written.
fn check(name: &str, folder: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    let differs = |(name, text): &&(String, String)| {
        fs::read(folder.join(name)).ok().as_deref() != Some(text.as_bytes())
    };
    let mut stale: Vec<String> = files.iter().filter(differs).map(|f| f.0.clone()).collect();
    let there = fs::read_dir(folder).into_iter().flatten().flatten();
    let there = there.filter_map(|entry| entry.file_name().into_string().ok());
    let left_over = there
        .filter(|there| there.ends_with(".svg") && !files.iter().any(|(name, _)| name == there))
        .map(|name| format!("{name} (no longer written: remove it)"));
    stale.extend(left_over);
    if stale.is_empty() {
        return Ok(());
    }
    stale.sort();
    Err(Failure::Machine(format!(
        "{}: not current: {}; run: ssdlab reproduce {}",
        shown_path(folder),
        stale.join(", "),
        name
    )))
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        Failure::of(error.is_bad_input(), error.to_string())
    }
}
