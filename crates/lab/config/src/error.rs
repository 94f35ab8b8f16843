//! Errors of a configuration, each in one line for the user.

use std::fmt;
use std::sync::Arc;

/// The source of a value. It displays as the start of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The schema, or a default derived from other keys.
    Default,
    /// The preset of this name.
    Preset(&'static str),
    /// A configuration file.
    File {
        /// The name to show.
        name: Arc<str>,
        /// The line, from 1.
        line: usize,
    },
    /// `--preset`.
    PresetOption,
    /// `--set`.
    Set,
    /// `--scale-to`, with its size as it was given.
    ScaleTo(Arc<str>),
}

impl Origin {
    /// Whether the user gave the value, as a key of the file or by `--set`.
    pub fn is_explicit(&self) -> bool {
        matches!(self, Origin::File { .. } | Origin::Set)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default "),
            Origin::Preset(name) => write!(f, "preset {name}: "),
            Origin::File { name, line } => write!(f, "{name}:{line}: "),
            Origin::PresetOption => Ok(()),
            Origin::Set => f.write_str("--set "),
            Origin::ScaleTo(size) => write!(f, "--scale-to {size}: "),
        }
    }
}

/// A configuration that cannot be used. It displays as the whole message for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not TOML, not text, or not `key=value`.
    #[error("{at}{message}")]
    Syntax {
        /// The source.
        at: Origin,
        /// The problem.
        message: String,
    },
    /// The key or table does not exist.
    #[error("{at}unknown {what} {name}; {hint}")]
    Unknown {
        /// The source.
        at: Origin,
        /// `key` or `table`.
        what: &'static str,
        /// The name as it was given.
        name: String,
        /// The nearest name, or all names.
        hint: String,
    },
    /// The value has the wrong type, is out of range, or conflicts with other keys.
    #[error("{at}{key} = {found}: {allowed}")]
    Impossible {
        /// The source.
        at: Origin,
        /// The full path of the key.
        key: &'static str,
        /// The value as it was written.
        found: String,
        /// The allowed values.
        allowed: String,
    },
}

impl ConfigError {
    /// The same error; if it is the value of this key, with a way out that only the caller knows at its end.
    #[must_use]
    pub fn with_way_out(mut self, of: &str, way_out: &str) -> Self {
        if let ConfigError::Impossible { key, allowed, .. } = &mut self
            && *key == of
        {
            allowed.push_str(way_out);
        }
        self
    }
}
