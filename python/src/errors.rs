//! Errors as exceptions of `ssdlab.errors`.

use pyo3::prelude::*;
use ssdlab_analysis::AnalysisError;
use ssdlab_config::{ConfigError, Origin};
use ssdlab_convert::ConvertError;
use ssdlab_drive::{DriveError, ImageError, LfssError};
use ssdlab_results::TableError;
use ssdlab_sim::{NoChoice, SimError};
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
    /// An exception with a message alone. Arguments have the names that they have in Python, except in a plan.
    pub fn of(class: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        let is_of_plan = class == "PlanError";
        Self {
            class,
            message: if is_of_plan { message } else { plain(&message) },
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

/// With arguments of Python instead of options of the command line: `--scale-to 1GiB` is `scale_to 1GiB`. What is part of
/// a command stays.
fn plain(message: &str) -> String {
    let mut said = String::new();
    let mut rest = message;
    while let Some(at) = rest.find("--") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        said += before;
        let is_of_name = |c: char| c.is_ascii_lowercase() || c == '-';
        let end = after.find(|c| !is_of_name(c)).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        let begins = said.is_empty() || said.ends_with([' ', '(', '\'']);
        let sentence = said.rsplit([';', ':', ',']).next().unwrap_or_default();
        if name.is_empty() || !begins || sentence.contains("ssdlab ") {
            said += "--";
            said += name;
            rest = after;
            continue;
        }
        match name {
            // a key by itself
            "set" => {}
            "size" => said += "buffer_size",
            "curves" => said += "by",
            "table" => said += "figures",
            "trace-memory" => said += "memory",
            "no-bounds" | "no-advice" => said += &format!("{}=False", &name[3..]),
            name => said += &name.replace('-', "_"),
        }
        rest = if name == "set" {
            after.trim_start()
        } else {
            after
        };
    }
    said += rest;
    // results of Python have no such argument
    said.replace("keep some rows with where", "take fewer rows")
        .replace("keep some with where", "take fewer rows")
}

impl Raise for ConfigError {
    fn said(self) -> Said {
        let said = Said::of("ConfigError", self.to_string());
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
        let argument = plain(&format!("--{}", self.option));
        let message = format!("{argument} = {:?}: {}", self.value, self.why);
        Said::of("ConfigError", message).of_key(argument)
    }
}

impl Raise for SimError {
    fn said(self) -> Said {
        match self {
            SimError::Config(error) => error.said(),
            SimError::Trace(error) => error.said(),
            SimError::Stopped => unreachable!("the signal that stopped it is raised"),
            error if error.is_bad_input() => Said::of("ConfigError", error.to_string()),
            error => Said::of("SimulationError", error.to_string()),
        }
    }
}

impl Raise for TableError {
    fn said(self) -> Said {
        Said::of("ResultsError", self.to_string())
    }
}

impl Raise for AnalysisError {
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

impl Raise for LfssError {
    fn said(self) -> Said {
        let message = self.to_string();
        match self {
            LfssError::Drive(error) => error.said(),
            LfssError::Unsuited { key, .. } => Said::of("ConfigError", message).of_key(key),
            LfssError::Size { .. } => Said::of("ConfigError", message).of_key("data"),
            LfssError::Exists(_)
            | LfssError::Missing(_)
            | LfssError::Beyond { .. }
            | LfssError::Block { .. } => Said::of("DriveError", message),
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
