//! The traces of an artifact: copied, or named by hash and size.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use ssdlab_output::NewFolder;
use ssdlab_sweep::{Facts, Kind, Source, Sweep};
use ssdlab_words::hexadecimal;

use super::layout::Layout;
use super::{ABSOLUTE, NOT_HERE};
use crate::error::PublishError;
use crate::licence::may_be_given;

/// The traces that are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traces {
    /// Those whose licence allows it.
    Free,
    /// All: somebody says that they may be given to others.
    All,
    /// None.
    None,
}

/// A trace of an artifact, as `provenance.json` names it.
#[derive(Debug, Serialize)]
pub struct Copied {
    /// Its name in the results.
    pub name: String,
    /// Its file in the folder, or its place there; `None` of a workload, which the plan makes, and of a file that the plan
    /// names by an absolute path.
    pub file: Option<PathBuf>,
    /// Whether the file is in the folder.
    pub included: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// SHA-256 of the file.
    pub sha256: Option<String>,
    /// Bytes of the file.
    pub bytes: Option<u64>,
    /// Its requests.
    pub requests: u64,
    /// Its set in the catalogue.
    pub set: Option<String>,
    /// Its licence.
    pub licence: Option<String>,
}

impl Copied {
    /// A line about a trace that is not in the folder.
    pub fn left_out(&self) -> Option<String> {
        let why = self.why_not.as_ref()?;
        Some(format!("{}: {NOT_HERE}: {why}", self.name))
    }
}

/// What is copied, and where to.
pub struct Copy<'a> {
    pub sweep: &'a Sweep,
    pub which: Traces,
    pub layout: &'a Layout,
}

impl Copy<'_> {
    /// Copies the traces.
    pub fn all(&self, new: &NewFolder) -> Result<Vec<Copied>, PublishError> {
        let sources = self.sweep.sources.iter().zip(&self.sweep.facts);
        let places = sources.zip(&self.layout.traces);
        let mut copied: Vec<Copied> = Vec::new();
        for ((source, facts), place) in places {
            let again = copied
                .iter()
                .find(|other| other.included && other.file == *place);
            let known = again.and_then(|other| other.sha256.clone());
            copied.push(self.one(new, source, facts, place.as_deref(), known)?);
        }
        Ok(copied)
    }

    /// Copies one trace. `known`: its hash, if its file is there already, for the same trace with other options.
    fn one(
        &self,
        new: &NewFolder,
        source: &Source,
        facts: &Facts,
        place: Option<&Path>,
        known: Option<String>,
    ) -> Result<Copied, PublishError> {
        let mut copied = Copied {
            name: source.name.clone(),
            file: None,
            included: false,
            why_not: None,
            sha256: facts.sha256.clone(),
            bytes: None,
            requests: facts.requests,
            set: source.set.clone(),
            licence: source.licence.clone(),
        };
        let Kind::File { path, .. } = &source.kind else {
            return Ok(copied);
        };
        copied.bytes = Some(facts.file_bytes);
        copied.file = place.map(Path::to_owned);
        if copied.sha256.is_none() && path.exists() {
            // a limit ended the reading, so the plan has no hash of the whole file
            if !facts.are_of(source)? {
                return Err(changed(path));
            }
            let of_all = hash(path).map_err(|error| PublishError::unreadable(path, error))?;
            copied.sha256 = Some(of_all);
        }
        let free = may_be_given(
            copied.sha256.as_deref(),
            source.set.as_deref(),
            source.licence.as_deref(),
        );
        if let Ok(licence) = &free {
            copied.licence = Some(licence.clone());
        }
        let to = match (self.which, place, free) {
            (Traces::None, ..) => Err("left out with --without-traces".to_owned()),
            (_, None, _) => Err(ABSOLUTE.to_owned()),
            (Traces::Free, _, Err(why)) => Err(why),
            (_, Some(place), _) => Ok(place),
        };
        match to {
            Err(why) => copied.why_not = Some(why),
            Ok(place) => {
                let hash = match known {
                    Some(known) => known,
                    None => copy(path, new, place)?,
                };
                if copied.sha256.as_ref() != Some(&hash) {
                    return Err(changed(path));
                }
                copied.included = true;
            }
        }
        Ok(copied)
    }
}

fn changed(path: &Path) -> PublishError {
    let what = "changed since the sweep was planned, so its results are of another trace";
    PublishError::refused(path, what)
}

/// Copies a file, and returns its SHA-256.
fn copy(from: &Path, new: &NewFolder, to: &Path) -> Result<String, PublishError> {
    let unreadable = |error| PublishError::unreadable(from, error);
    let mut file = File::open(from).map_err(unreadable)?;
    let mut hash = Sha256::new();
    let mut failed = None;
    new.add(to, |out| {
        let read = pieces(&mut file, |piece| {
            hash.update(piece);
            out.write_all(piece)
        });
        match read {
            // what cannot be read is no fault of the folder
            Ok(Err(error)) => failed = Some(error),
            Ok(Ok(())) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    })?;
    match failed {
        Some(error) => Err(unreadable(error)),
        None => Ok(hexadecimal(&hash.finalize())),
    }
}

/// The SHA-256 of a file.
pub fn hash(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    pieces(&mut File::open(path)?, |piece| {
        hash.update(piece);
        Ok(())
    })??;
    Ok(hexadecimal(&hash.finalize()))
}

/// Hands over all of a file. The inner error is of reading.
fn pieces(
    file: &mut File,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<io::Result<()>> {
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(Ok(())),
            Ok(length) => take(&piece[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Ok(Err(error)),
        }
    }
}
