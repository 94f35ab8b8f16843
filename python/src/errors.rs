//! Errors as exceptions of `ssdlab.errors`.

use pyo3::prelude::*;
use ssdlab_config::{ConfigError, Origin};
use ssdlab_convert::ConvertError;
use ssdlab_drive::{DriveError, ImageError};
use ssdlab_results::TableError;
use ssdlab_sim::{NoChoice, SimError};
use ssdlab_study::StudyError;
use ssdlab_trace::TraceError;

/// What an exception says.
#[derive(Default)]
pub struct Said {
    /// The name of its class.
    class: &'static str,
    message: String,
    key: Option<String>,
    file: Option<String>,
    line: Option<u64>,
}

impl Said {
    /// An exception with a message alone.
    pub fn of(class: &'static str, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            ..Self::default()
        }
    }

    /// About a key, an argument or a column.
    pub fn of_key(self, key: impl Into<String>) -> Self {
        let key = Some(key.into());
        Self { key, ..self }
    }

    /// About a file, which the message begins with.
    pub fn in_file(self, file: &str) -> Self {
        let message = format!("{file}: {}", self.message);
        Self { message, ..self }.of_file(file, None)
    }

    /// About a file, or a line of it.
    pub fn of_file(self, file: impl Into<String>, line: Option<u64>) -> Self {
        let file = Some(file.into());
        Self { file, line, ..self }
    }
}

impl From<Said> for PyErr {
    fn from(said: Said) -> Self {
        let raised = Python::attach(|py| -> PyResult<PyErr> {
            let class = py.import("ssdlab.errors")?.getattr(said.class)?;
            let exception = class.call1((said.message,))?;
            exception.setattr("key", said.key)?;
            exception.setattr("file", said.file)?;
            exception.setattr("line", said.line)?;
            Ok(PyErr::from_value(exception))
        });
        raised.unwrap_or_else(|error| error)
    }
}

/// An error of the laboratory that becomes an exception.
pub trait Raise {
    /// What the exception says.
    fn said(self) -> Said;
}

/// A result whose error becomes an exception.
pub trait OrRaise<T> {
    /// The value, or the exception.
    ///
    /// # Errors
    /// The exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| error.said().into())
    }
}

/// Without the name of an option of the command line.
fn plain(message: &str) -> String {
    message.strip_prefix("--set ").unwrap_or(message).to_owned()
}

impl Raise for ConfigError {
    fn said(self) -> Said {
        let said = Said::of("ConfigError", plain(&self.to_string()));
        let (at, key) = match self {
            ConfigError::Syntax { at, .. } => (at, None),
            ConfigError::Unknown { at, name, .. } => (at, Some(name)),
            ConfigError::Impossible { at, key, .. } => (at, Some(key.to_owned())),
        };
        let said = match key {
            Some(key) => said.of_key(key),
            None => said,
        };
        match at {
            Origin::File { name, line } => said.of_file(&*name, Some(line as u64)),
            _ => said,
        }
    }
}

impl Raise for TraceError {
    fn said(self) -> Said {
        let message = self.to_string();
        let (name, line) = match self {
            TraceError::Damaged { name, at, .. }
            | TraceError::Malformed { name, at, .. }
            | TraceError::Io { name, at, .. } => (name, Some(at.number)),
            TraceError::Missing { name }
            | TraceError::Directory { name }
            | TraceError::Denied { name }
            | TraceError::Empty { name, .. }
            | TraceError::Mislabelled { name, .. }
            | TraceError::Selection { name, .. }
            | TraceError::Changed { name, .. }
            | TraceError::Stopped { name } => (name, None),
        };
        Said::of("TraceError", message).of_file(name, line)
    }
}

impl Raise for NoChoice {
    fn said(self) -> Said {
        let message = format!("{} = {:?}: {}", self.option, self.value, self.why);
        Said::of("ConfigError", message).of_key(self.option)
    }
}

impl Raise for SimError {
    fn said(self) -> Said {
        match self {
            SimError::Config(error) => error.said(),
            SimError::Trace(error) => error.said(),
            SimError::Stopped => unreachable!("the signal that stopped it is raised"),
            error if error.is_bad_input() => Said::of("ConfigError", plain(&error.to_string())),
            error => Said::of("SimulationError", error.to_string()),
        }
    }
}

impl Raise for TableError {
    fn said(self) -> Said {
        Said::of("ResultsError", self.to_string())
    }
}

impl Raise for StudyError {
    fn said(self) -> Said {
        Said::of("ResultsError", self.to_string())
    }
}

impl Raise for DriveError {
    fn said(self) -> Said {
        match self {
            DriveError::Config(error) => error.said(),
            DriveError::Impossible { key, .. } => {
                Said::of("ConfigError", self.to_string()).of_key(key)
            }
            DriveError::Image(ImageError::InUse) => {
                let why = "another process, or another drive of this one, has this image open";
                Said::of("DriveError", why)
            }
            error => Said::of("DriveError", error.to_string()),
        }
    }
}

impl Raise for ConvertError {
    fn said(self) -> Said {
        match self {
            ConvertError::Trace(error) => error.said(),
            error => Said::of("TraceError", error.to_string()),
        }
    }
}
