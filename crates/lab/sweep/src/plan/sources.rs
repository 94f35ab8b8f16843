//! The traces of a plan: files, and workloads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ssdlab_arguments::ReadArgs;
use ssdlab_catalogue::Catalogue;
use ssdlab_sim::Trace;
use ssdlab_trace::{ReadOptions, Watch};
use ssdlab_words::shown_path;
use ssdlab_workload::Description as Workload;

use super::description::{Description, TraceEntry, What};
use super::file::{File, Placed};
use crate::error::SweepError;

/// A trace of a sweep.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path relative to the plan, or the words of the workload; what its rows call it.
    pub name: String,
    /// What it is made of.
    pub kind: Kind,
    /// The public set that it is of.
    pub set: Option<String>,
    /// Its licence.
    pub licence: Option<String>,
    /// The seed of a workload.
    pub seed: Option<u64>,
}

/// What a trace is made of.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A file.
    File {
        /// Its path.
        path: PathBuf,
        /// The path from the folder of the plan; `None`: the plan names it by an absolute path.
        from_plan: Option<PathBuf>,
        /// How it is read.
        read: Box<ReadOptions>,
        /// The options of the command line that say so.
        options: Vec<String>,
    },
    /// A workload, in the words of `trace generate`.
    Generated(String),
}

/// The traces of a plan, in its order. Paths are relative to `folder`.
///
/// # Errors
/// A pattern that fits no file, or a trace that appears twice; an option or a workload that does not exist.
pub fn sources(file: &File, plan: &Description, folder: &Path) -> Result<Vec<Source>, SweepError> {
    let mut sources: Vec<Source> = Vec::new();
    let mut names = HashSet::new();
    for entry in &plan.traces {
        let new = match &entry.what {
            What::Files(pattern) => files(file, entry, pattern, folder)?,
            What::Generated { words, seeds } => made(file, entry, words, seeds)?,
        };
        for source in new {
            if !names.insert(source.name.clone()) {
                let why = format!("traces: {} is there twice", source.name);
                return Err(file.refuse(entry.at, why));
            }
            sources.push(source);
        }
    }
    Ok(sources)
}

fn files(
    file: &File,
    entry: &TraceEntry,
    pattern: &str,
    folder: &Path,
) -> Result<Vec<Source>, SweepError> {
    let words: Vec<String> = entry
        .options
        .iter()
        .map(|option| option.value.clone())
        .collect();
    let read = ReadArgs::parse(&words).map_err(|why| {
        let is_wrong = |option: &&Placed<String>| ReadArgs::parse(&[&option.value]).is_err();
        let at = entry
            .options
            .iter()
            .find(is_wrong)
            .map_or(entry.at, |option| option.at);
        file.refuse(at, format!("traces: {why}"))
    })?;
    let read = read.options(Watch::default());
    let licence = licence(file, entry)?;
    let whole = glob::Pattern::escape(&folder.display().to_string());
    let whole = if folder.as_os_str().is_empty() {
        pattern.to_owned()
    } else {
        format!("{whole}/{pattern}")
    };
    let absolute = Path::new(pattern).is_absolute();
    let found = glob::glob(if absolute { pattern } else { &whole });
    let found =
        found.map_err(|error| file.refuse(entry.at, format!("traces: {pattern:?}: {error}")))?;
    let mut sources = Vec::new();
    for path in found {
        let path = path.map_err(|error| {
            let path = error.path().to_path_buf();
            SweepError::unreadable(&path, error.into())
        })?;
        if path.is_dir() {
            continue;
        }
        let from_plan = (!absolute).then(|| path.strip_prefix(folder).unwrap_or(&path).to_owned());
        let mut name = shown_path(from_plan.as_ref().unwrap_or(&path));
        for word in &words {
            name += &format!(" {word}");
        }
        sources.push(Source {
            name,
            kind: Kind::File {
                path,
                from_plan,
                read: Box::new(read.clone()),
                options: words.clone(),
            },
            set: entry.set.as_ref().map(|set| set.value.clone()),
            licence: licence.clone(),
            seed: None,
        });
    }
    if sources.is_empty() {
        let place = match folder.as_os_str().is_empty() {
            true => "this folder".to_owned(),
            false => shown_path(folder),
        };
        let why = format!(
            "traces: no file fits {pattern:?} in {place}, from which the paths of a plan begin"
        );
        return Err(file.refuse(entry.at, why));
    }
    Ok(sources)
}

/// The licence of a trace: that of its set, or the one that the plan names.
fn licence(file: &File, entry: &TraceEntry) -> Result<Option<String>, SweepError> {
    let Some(set) = &entry.set else {
        return Ok(entry.licence.clone());
    };
    let catalogue = Catalogue::built_in().expect("a list that the tests read");
    let known = catalogue.set(&set.value);
    let known = known.map_err(|error| file.refuse(set.at, format!("traces: {error}")))?;
    Ok(Some(known.licence.clone()))
}

fn made(
    file: &File,
    entry: &TraceEntry,
    words: &str,
    seeds: &[u64],
) -> Result<Vec<Source>, SweepError> {
    let seeded = |seed: Option<u64>| match seed {
        Some(seed) => format!("{words} --seed {seed}"),
        None => words.to_owned(),
    };
    // a seed is a number, whichever, so one stands for all
    let first = seeded(seeds.first().copied());
    let workload = Workload::parse(&first).and_then(|workload| workload.requests().map(drop));
    workload.map_err(|why| file.refuse(entry.at, format!("traces: generate: {why}")))?;
    let source = |seed: Option<u64>| {
        let words = seeded(seed);
        Ok(Source {
            name: words.clone(),
            kind: Kind::Generated(words),
            set: entry.set.as_ref().map(|set| set.value.clone()),
            licence: licence(file, entry)?,
            seed,
        })
    };
    match seeds {
        [] => Ok(vec![source(None)?]),
        seeds => seeds.iter().map(|&seed| source(Some(seed))).collect(),
    }
}

impl Source {
    /// The trace, in memory if it takes at most `memory` bytes.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn load(&self, memory: u64) -> Result<Trace, SweepError> {
        let failed = |error| SweepError::Run {
            run: self.name.clone(),
            error: Box::new(error),
        };
        match &self.kind {
            Kind::File { path, read, .. } => Trace::load(path, read, memory).map_err(failed),
            Kind::Generated(words) => {
                let requests = ssdlab_workload::requests(words);
                let requests = requests.expect("a workload that the plan has tried");
                Ok(Trace::made(&self.name, requests.collect()))
            }
        }
    }
}
