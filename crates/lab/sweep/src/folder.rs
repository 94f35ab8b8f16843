//! The folder of a sweep: what was planned, and the parts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use ssdlab_output::{Files, NewFile, OutputError};
use ssdlab_results::{Table, TableError, part_of, prove};
use ssdlab_sim::Threads;

use crate::error::SweepError;
use crate::facts::Facts;
use crate::shard::Shard;

/// The facts of the traces, as the sweep was planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frozen {
    /// The version of ssdlab.
    pub version: String,
    /// SHA-256 of the plan.
    pub plan: String,
    /// The traces in order.
    pub traces: Vec<Facts>,
}

/// The folder of a sweep.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

/// What the folder holds of a sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The names of parts; what they hold is not known yet.
    pub parts: BTreeSet<String>,
    /// Files that ended workers left unfinished.
    pub unfinished: usize,
}

/// The parts of a sweep, as their bytes show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proven {
    /// The names of parts that are complete.
    pub parts: BTreeSet<String>,
    /// Those that are damaged or other parts, with the reasons.
    pub damaged: BTreeMap<String, String>,
}

const FROZEN: &str = "plan.json";

/// The key of `plan.json` whose value is SHA-256 of the rest.
const SHA256: &str = "sha256";

impl Folder {
    /// The path of a part.
    pub fn part(&self, name: &str) -> PathBuf {
        self.0.join(format!("part-{name}.parquet"))
    }

    /// The path of the file that keeps what was planned.
    pub fn planned(&self) -> PathBuf {
        self.0.join(FROZEN)
    }

    /// Makes the folder, if it is not there.
    pub fn make(&self) -> Result<(), SweepError> {
        fs::create_dir_all(&self.0)
            .map_err(|error| SweepError::Output(OutputError::failed(&self.0, error)))
    }

    /// What was planned here, if anything.
    pub fn frozen(&self) -> Result<Option<Frozen>, SweepError> {
        let path = self.0.join(FROZEN);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(SweepError::unreadable(&path, error)),
        };
        let refused =
            |what: String| SweepError::folder(&path, format!("{what}; delete it to plan again"));
        let no_plan = |error| refused(format!("no plan of a sweep: {error}"));
        let mut object: Map<String, Value> = serde_json::from_str(&text).map_err(no_plan)?;
        let sha256 = object.remove(SHA256);
        let frozen: Frozen = serde_json::from_value(Value::Object(object)).map_err(no_plan)?;
        // one of an older version has none, and is of another version
        if sha256.is_some_and(|sha256| sha256 != frozen.sha256()) {
            return Err(refused("not as it was written".into()));
        }
        Ok(Some(frozen))
    }

    /// Keeps what was planned. Others may do the same at the same time.
    pub fn freeze(&self, frozen: &Frozen) -> Result<(), SweepError> {
        self.make()?;
        let path = self.0.join(FROZEN);
        let mut kept = serde_json::json!(frozen);
        kept[SHA256] = frozen.sha256().into();
        let text = serde_json::to_string_pretty(&kept).expect("plain data") + "\n";
        let mut file = Files::default().create(FROZEN, &path)?;
        let written = file.write_all(text.as_bytes());
        written.map_err(|error| SweepError::Output(OutputError::failed(&path, error)))?;
        file.finish()?;
        Ok(())
    }

    /// What the folder holds.
    pub fn found(&self) -> Result<Found, SweepError> {
        let mut found = Found::default();
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
            Err(error) => return Err(SweepError::unreadable(&self.0, error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| SweepError::unreadable(&self.0, error))?;
            let name = entry.file_name();
            if let Some(part) = part_of(Path::new(&name)) {
                found.parts.insert(part.to_owned());
            } else if name.to_string_lossy().ends_with(".unfinished") {
                found.unfinished += 1;
            }
        }
        Ok(found)
    }

    /// Which of these parts are there, as their bytes show. Reads them on `jobs` threads.
    ///
    /// # Errors
    /// The folder or a part cannot be read.
    pub fn proven(&self, shards: &[&Shard], jobs: usize) -> Result<Proven, SweepError> {
        let found = self.found()?.parts;
        let is_there = |shard: &&&Shard| found.contains(&shard.name);
        let there: Vec<&Shard> = shards.iter().filter(is_there).copied().collect();
        let proven = Mutex::new(Proven::default());
        let look = |shard: &&Shard| {
            let name = &shard.name;
            let state = prove(&self.part(name));
            let mut proven = proven.lock().expect("no panic");
            match state {
                Ok(()) => drop(proven.parts.insert(name.clone())),
                // another worker has made it again, or somebody has deleted it
                Err(TableError::Unreadable { error, .. })
                    if error.kind() == ErrorKind::NotFound => {}
                Err(error @ TableError::NoTable { .. }) => {
                    proven.damaged.insert(name.clone(), error.to_string());
                }
                Err(error) => return Err(SweepError::from(error)),
            }
            Ok(())
        };
        let threads = Threads::start(jobs, there.len(), None)?;
        threads.each(&there, |_| 0, look, |_| ())?;
        Ok(proven.into_inner().expect("no panic"))
    }

    /// Whether the part of a shard is there, as its bytes show.
    pub fn has(&self, shard: &Shard) -> bool {
        prove(&self.part(&shard.name)).is_ok()
    }

    /// Writes a part, or writes one again that is damaged. `Ok(false)`: another worker wrote the same one in the meantime.
    ///
    /// # Errors
    /// The part is there with other bytes, or it cannot be written.
    pub fn write(
        &self,
        shard: &Shard,
        about: &[(&str, &str)],
        table: &Table,
    ) -> Result<bool, SweepError> {
        let path = self.part(&shard.name);
        let bytes = table.write_parquet(about, Vec::new())?;
        let failed = |error| SweepError::Output(OutputError::failed(&path, error));
        let written = NewFile::create(&path).and_then(|file| {
            file.file().write_all(&bytes)?;
            file.finish()
        });
        match written {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let there =
                    fs::read(&path).map_err(|error| SweepError::unreadable(&path, error))?;
                if there == bytes {
                    return Ok(false);
                }
                if self.has(shard) {
                    return Err(SweepError::Differs { path });
                }
                let mut file = Files::default().create("a part", &path)?;
                file.write_all(&bytes).map_err(failed)?;
                file.finish()?;
                Ok(true)
            }
            Err(error) => Err(failed(error)),
        }
    }
}

impl Frozen {
    fn sha256(&self) -> String {
        let text = serde_json::to_vec(self).expect("plain data");
        ssdlab_words::hexadecimal(&Sha256::digest(text))
    }

    /// The facts by the names of their traces.
    pub fn by_name(&self) -> BTreeMap<&str, &Facts> {
        self.traces
            .iter()
            .map(|facts| (facts.name.as_str(), facts))
            .collect()
    }
}
