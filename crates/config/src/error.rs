//! What is wrong with a configuration, in one line for the user.

use std::fmt;
use std::sync::Arc;

/// Where a value came from; displays as the start of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The schema, or worked out from other keys.
    Default,
    /// The preset of this name.
    Preset(&'static str),
    /// A configuration file.
    File {
        /// The name to show.
        name: Arc<str>,
        /// From 1.
        line: usize,
    },
    /// `--preset`.
    PresetOption,
    /// `--set`.
    Set,
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
        }
    }
}

/// A configuration that cannot be used; displays as the whole message for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not TOML, not text, or not `key=value`.
    #[error("{at}{message}")]
    Syntax {
        /// Where.
        at: Origin,
        /// What is wrong.
        message: String,
    },
    /// No such key or table.
    #[error("{at}unknown {what} {name}; {hint}")]
    Unknown {
        /// Where.
        at: Origin,
        /// `key` or `table`.
        what: &'static str,
        /// What was given.
        name: String,
        /// The nearest name, or all names.
        hint: String,
    },
    /// A value of the wrong type, out of range, or at odds with other keys.
    #[error("{at}{key} = {found}: {allowed}")]
    Impossible {
        /// Where.
        at: Origin,
        /// Full path.
        key: &'static str,
        /// What was given, as written.
        found: String,
        /// What is allowed.
        allowed: String,
    },
    /// Legal, but not part of this version.
    #[error("{at}{key} {found} is not built yet; built: {built}")]
    NotBuilt {
        /// Where.
        at: Origin,
        /// Full path.
        key: &'static str,
        /// What was given, as written.
        found: String,
        /// What can be chosen instead.
        built: String,
    },
}
