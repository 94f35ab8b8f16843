//! What a sweep knows of a trace before it runs.

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use ssdlab_host::{Op, Request};
use ssdlab_sim::SimError;
use ssdlab_trace::TraceReader;

use crate::error::SweepError;
use crate::plan::{Kind, Source};
use crate::visits::{Visitor, Visits};

/// The facts of a trace, from one pass over it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The name of its source.
    pub name: String,
    /// SHA-256 of the stored bytes; `None` for a workload, and if a limit ended the reading.
    pub sha256: Option<String>,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// The time of its last change, ns since 1970.
    pub modified_ns: u64,
    /// The number of requests.
    pub requests: u64,
    /// Bytes that requests read.
    pub read_bytes: u64,
    /// Bytes that requests write.
    pub write_bytes: u64,
    /// The byte behind the last one that is accessed.
    pub end: u64,
    /// The first time, ns.
    pub earliest: u64,
    /// The last time, ns.
    pub latest: u64,
    /// The name of its format; empty for a workload.
    #[serde(default)]
    pub format: String,
    /// How writes move over the addresses.
    #[serde(default)]
    pub visits: Visits,
}

impl Facts {
    /// Reads a trace once.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn of(source: &Source) -> Result<Facts, SweepError> {
        let mut facts = Facts {
            name: source.name.clone(),
            ..Facts::default()
        };
        let mut visitor = Visitor::default();
        match &source.kind {
            Kind::File { path, read, .. } => {
                let failed = |error| SweepError::Run {
                    run: source.name.clone(),
                    error: Box::new(SimError::Trace(error)),
                };
                let metadata = path.metadata();
                let metadata = metadata.map_err(|error| SweepError::unreadable(path, error))?;
                facts.stamp(&metadata);
                let mut reader = TraceReader::open(path, read).map_err(failed)?;
                let mut batch = Vec::new();
                while reader.next_batch(&mut batch).map_err(failed)? {
                    batch
                        .iter()
                        .for_each(|request| facts.add(request, &mut visitor));
                }
                let summary = reader.finish();
                facts.format = summary.format.to_owned();
                facts.sha256 = summary.sha256;
                facts.earliest = summary.earliest;
                facts.latest = summary.latest;
            }
            Kind::Generated(words) => {
                let requests = ssdlab_workload::requests(words);
                let mut requests = requests.expect("a workload that the plan has tried");
                facts.earliest = u64::MAX;
                requests.try_for_each(|request| {
                    facts.earliest = facts.earliest.min(request.time_ns);
                    facts.latest = facts.latest.max(request.time_ns);
                    facts.add(&request, &mut visitor);
                    Some(())
                });
            }
        }
        facts.visits = visitor.finish();
        Ok(facts)
    }

    fn stamp(&mut self, metadata: &Metadata) {
        let since = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        self.file_bytes = metadata.len();
        self.modified_ns = since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0));
    }

    fn add(&mut self, request: &Request, visitor: &mut Visitor) {
        self.requests += 1;
        match request.op() {
            Op::Read => self.read_bytes += request.size(),
            Op::Write => {
                self.write_bytes += request.size();
                visitor.write(request.offset, request.size());
            }
            Op::Flush | Op::Discard => {}
        }
        if request.op() != Op::Flush {
            self.end = self.end.max(request.end());
        }
    }

    /// Whether they are those of this source, whose trace is read again.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn are_of(&self, source: &Source) -> Result<bool, SweepError> {
        let now = Facts {
            modified_ns: self.modified_ns,
            ..Facts::of(source)?
        };
        Ok(now == *self)
    }

    /// Whether they are those of this source, whose file has not changed since.
    pub fn still_hold(&self, source: &Source) -> bool {
        let mut now = Facts::default();
        if let Kind::File { path, .. } = &source.kind {
            let Ok(metadata) = path.metadata() else {
                return false;
            };
            now.stamp(&metadata);
        }
        let stamp = |facts: &Facts| (facts.file_bytes, facts.modified_ns);
        self.name == source.name && stamp(self) == stamp(&now)
    }
}
