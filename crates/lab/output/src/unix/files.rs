//! The files of a command: what it reads, and what it writes.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::identity::Identity;
use super::log;
use super::place::{self, Last, Place};
use super::stdio;
use super::whole::{Names, WholeFile};
use crate::error::OutputError;

/// The inputs and outputs of a command so far.
#[derive(Default)]
pub struct Files {
    known: Vec<Known>,
    umask: Option<u32>,
}

/// An input or an output.
struct Known {
    /// As messages name it.
    shown: String,
    is_input: bool,
    identity: Identity,
}

impl Files {
    /// New files get the permissions of this umask instead of the process's.
    #[must_use]
    pub fn with_umask(mut self, umask: u32) -> Self {
        self.umask = Some(umask);
        self
    }

    /// Adds an input, which messages show as `shown`.
    ///
    /// # Errors
    /// Standard output would change it.
    pub fn input(&mut self, shown: impl Into<String>, path: &Path) -> Result<(), OutputError> {
        self.add_input(shown.into(), Identity::at(path))
    }

    /// Adds standard input.
    ///
    /// # Errors
    /// It is a file that standard output would change.
    pub fn stdin(&mut self, shown: impl Into<String>) -> Result<(), OutputError> {
        let identity = stdio::input().as_ref().and_then(Identity::of);
        self.add_input(shown.into(), identity)
    }

    fn add_input(&mut self, shown: String, identity: Option<Identity>) -> Result<(), OutputError> {
        // what is not there is reported by who opens it
        let Some(identity) = identity else {
            return Ok(());
        };
        if stdio::output().as_ref().and_then(Identity::of).as_ref() == Some(&identity) {
            let why = format!("standard output: is also an input of this command, {shown}");
            return Err(OutputError::Refused(why));
        }
        self.add(shown, true, identity);
        Ok(())
    }

    fn add(&mut self, shown: String, is_input: bool, identity: Identity) {
        self.known.push(Known {
            shown,
            is_input,
            identity,
        });
    }

    /// Begins an output, which messages show as `shown`.
    ///
    /// # Errors
    /// It is an input or another output, or cannot be written.
    pub fn create(
        &mut self,
        shown: impl Into<String>,
        path: &Path,
    ) -> Result<WholeFile, OutputError> {
        let place = self.add_output(shown.into(), path)?;
        let file = WholeFile::begin(path, place, self.umask);
        file.map_err(|error| OutputError::failed(path, error))
    }

    /// Opens an output to which lines are added, or makes it.
    ///
    /// # Errors
    /// As [`Files::create`].
    pub fn add_to(&mut self, shown: impl Into<String>, path: &Path) -> Result<File, OutputError> {
        let place = self.add_output(shown.into(), path)?;
        log::open(path, &place)
    }

    /// Checks what [`Files::create`] would, and that it can be written; writes nothing.
    ///
    /// # Errors
    /// As [`Files::create`].
    pub fn check(&mut self, shown: impl Into<String>, path: &Path) -> Result<(), OutputError> {
        let place = self.add_output(shown.into(), path)?;
        let file = WholeFile::try_out(path, place, self.umask);
        file.map_err(|error| OutputError::failed(path, error))
    }

    /// Begins an output that has the first of many names, numbered from 1, that is free at the end. A name is not free if
    /// another input or output has it. `is_own` says whether a file may be replaced; it must still be there at the end.
    ///
    /// # Errors
    /// None of the names can be written.
    pub fn create_first_free(
        &mut self,
        name: impl Fn(u32) -> PathBuf + Send + 'static,
        is_own: impl Fn(File) -> bool,
    ) -> Result<WholeFile, OutputError> {
        let taken = self.known.iter().map(|known| known.identity.clone());
        let names = Names::new(name, taken.collect());
        WholeFile::begin_first_free(names, is_own, self.umask)
    }

    fn add_output(&mut self, shown: String, path: &Path) -> Result<Place, OutputError> {
        let failed = |error| OutputError::failed(path, error);
        let place = place::find(path, Last::Followed).map_err(failed)?;
        let Some(identity) = Identity::of_place(&place, path).map_err(failed)? else {
            return Ok(place);
        };
        let is_same = |known: &&Known| known.identity == identity;
        if let Some(known) = self.known.iter().find(is_same) {
            let what = if known.is_input {
                "an input"
            } else {
                "another output"
            };
            return Err(OutputError::Refused(format!(
                "{shown}: is also {what} of this command, {}",
                known.shown
            )));
        }
        let is_stdout = stdio::output().as_ref().and_then(Identity::of).as_ref() == Some(&identity);
        if is_stdout && !place.is_magic {
            let why = format!("{shown}: is also standard output");
            return Err(OutputError::Refused(why));
        }
        self.add(shown, false, identity);
        Ok(place)
    }
}
