//! The traces of a paper.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ssdlab_host::{Op, Request};
use ssdlab_sim::Trace;
use ssdlab_trace::{Merge, Merged, ReadOptions};
use toml::Spanned;

use super::checked::Paper;
use super::description::Origin;
use super::statement::PLACE;
use super::terms::Requests;
use crate::error::ReproduceError;
use crate::file::File;
use crate::study::Settings;

/// The hint for a missing trace.
const ON_TRACES: &str =
    "ssdlab's repository has the traces in its folder traces; name it with --traces DIR";

/// A trace of the description, or a workload that a value completes.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// A short name.
    Named(&'a Spanned<String>),
    /// A workload with a place for a value, and the value.
    Generated {
        /// The arguments of `ssdlab trace generate`.
        words: &'a Spanned<String>,
        /// The value.
        value: &'a Spanned<String>,
    },
}

impl Source<'_> {
    /// The short name, or the value.
    pub fn name(&self) -> &str {
        match self {
            Source::Named(name) => name.get_ref(),
            Source::Generated { value, .. } => value.get_ref(),
        }
    }

    /// What distinguishes its trace from all others.
    fn key(&self) -> String {
        match self {
            Source::Named(name) => name.get_ref().clone(),
            Source::Generated { words, value } => words.get_ref().replace(PLACE, value.get_ref()),
        }
    }
}

/// Each trace once for each set of requests to leave out.
#[derive(Default)]
pub struct Traces(BTreeMap<(String, bool, bool), Trace>);

impl Traces {
    /// Loads a trace, if it is not there yet.
    ///
    /// # Errors
    /// An unreadable file, or a workload that is none.
    pub fn load(
        &mut self,
        paper: &Paper,
        settings: &Settings,
        source: &Source,
        left_out: &[Requests],
    ) -> Result<(), ReproduceError> {
        let key = key(source, left_out);
        if self.0.contains_key(&key) {
            return Ok(());
        }
        let trace = match source {
            Source::Generated { words, .. } => generated(&paper.file, words, &key.0, left_out)?,
            Source::Named(name) => {
                let origin = &paper.description.trace[name.get_ref()].origin;
                load(&paper.file, settings, name.get_ref(), origin, left_out)?
            }
        };
        self.0.insert(key, trace);
        Ok(())
    }

    /// A trace, which must be loaded.
    pub fn get(&self, source: &Source, left_out: &[Requests]) -> &Trace {
        &self.0[&key(source, left_out)]
    }
}

fn key(source: &Source, left_out: &[Requests]) -> (String, bool, bool) {
    let (reads, flushes) = (Requests::Reads, Requests::Flushes);
    let [reads, flushes] = [reads, flushes].map(|kind| left_out.contains(&kind));
    (source.key(), reads, flushes)
}

/// The trace of this name, which a description says where to find.
pub(crate) fn load(
    of: &File,
    settings: &Settings,
    name: &str,
    origin: &Origin,
    left_out: &[Requests],
) -> Result<Trace, ReproduceError> {
    let mut options = ReadOptions {
        drop_reads: left_out.contains(&Requests::Reads),
        drop_flushes: left_out.contains(&Requests::Flushes),
        ..ReadOptions::default()
    };
    let place = |file: &Spanned<String>| settings.traces.join(file.get_ref());
    match origin {
        Origin::Generated(words) => generated(of, words, words.get_ref(), left_out),
        Origin::File { file, limit } => {
            let path = place(file);
            options.limit = *limit;
            let trace = Trace::load(&path, &options, u64::MAX);
            trace.map_err(|error| unread(of, file, &path, error.to_string()))
        }
        Origin::Merged {
            files,
            offset_each,
            stretch_s,
        } => {
            let how = Merge {
                offset_each: offset_each.map(|size| size.0),
                stretch_ns: stretch_s.map(|seconds| seconds.saturating_mul(1_000_000_000)),
            };
            let paths: Vec<PathBuf> = files.iter().map(place).collect();
            let missing = paths.iter().position(|path| !path.exists()).unwrap_or(0);
            let merged = Merged::open(&paths, &how, &options).and_then(Iterator::collect);
            let requests = merged.map_err(|error: ssdlab_trace::TraceError| {
                unread(of, &files[missing], &paths[missing], error.to_string())
            })?;
            Ok(Trace::made(name, requests))
        }
    }
}

fn generated(
    of: &File,
    at: &Spanned<String>,
    words: &str,
    left_out: &[Requests],
) -> Result<Trace, ReproduceError> {
    let requests = ssdlab_workload::requests(words).map_err(|error| of.refuse(at, error))?;
    let kept = requests.filter(|request| !is_left_out(request, left_out));
    Ok(Trace::made(words, kept.collect()))
}

fn is_left_out(request: &Request, left_out: &[Requests]) -> bool {
    match request.op() {
        Op::Read => left_out.contains(&Requests::Reads),
        Op::Flush => left_out.contains(&Requests::Flushes),
        _ => false,
    }
}

fn unread(of: &File, file: &Spanned<String>, path: &Path, error: String) -> ReproduceError {
    if path.exists() {
        of.refuse(file, error)
    } else {
        of.refuse(file, format!("{error}; {ON_TRACES}"))
    }
}
