//! The folder of a sweep: what was planned, and the parts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use ssdlab_output::{Files, NewFile, OutputError};
use ssdlab_results::Table;

use crate::error::SweepError;
use crate::facts::Facts;
use crate::shard::Shard;

/// The facts of the traces, as the sweep was planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The names of complete parts.
    pub parts: BTreeSet<String>,
    /// Files that ended workers left unfinished.
    pub unfinished: usize,
}

const FROZEN: &str = "plan.json";
const PART: &str = "part-";
const ENDING: &str = ".parquet";

impl Folder {
    /// The path of a part.
    pub fn part(&self, name: &str) -> PathBuf {
        self.0.join(format!("{PART}{name}{ENDING}"))
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
        serde_json::from_str(&text).map(Some).map_err(|error| {
            SweepError::folder(
                &path,
                format!("no plan of a sweep: {error}; delete it to plan again"),
            )
        })
    }

    /// Keeps what was planned. Others may do the same at the same time.
    pub fn freeze(&self, frozen: &Frozen) -> Result<(), SweepError> {
        self.make()?;
        let path = self.0.join(FROZEN);
        let text = serde_json::to_string_pretty(frozen).expect("plain data") + "\n";
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
            let name = name.to_string_lossy();
            let part = name
                .strip_prefix(PART)
                .and_then(|name| name.strip_suffix(ENDING));
            if let Some(part) = part {
                found.parts.insert(part.to_owned());
            } else if name.ends_with(".unfinished") {
                found.unfinished += 1;
            }
        }
        Ok(found)
    }

    /// Writes a part. `Ok(false)`: another worker wrote the same one in the meantime.
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
                    Ok(false)
                } else {
                    Err(SweepError::Differs { path })
                }
            }
            Err(error) => Err(failed(error)),
        }
    }
}

impl Frozen {
    /// The facts by the names of their traces.
    pub fn by_name(&self) -> BTreeMap<&str, &Facts> {
        self.traces
            .iter()
            .map(|facts| (facts.name.as_str(), facts))
            .collect()
    }
}
