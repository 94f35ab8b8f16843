//! Where a system finds the values of its configuration keys.

use alloc::string::String;

/// The values of configuration keys, by their full paths. Types and ranges were checked before. `()` has none.
pub trait Settings: Send + Sync {
    /// The value of a key; `None` if it has none.
    fn value(&self, path: &str) -> Option<Setting<'_>>;

    /// Whether the chosen systems read a key.
    fn reads(&self, path: &str) -> bool;
}

impl Settings for () {
    fn value(&self, _: &str) -> Option<Setting<'_>> {
        None
    }

    fn reads(&self, _: &str) -> bool {
        true
    }
}

/// The value of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting<'a> {
    /// A switch.
    Bool(bool),
    /// A whole number, or bytes.
    Int(i64),
    /// A number.
    Float(f64),
    /// A name.
    Text(&'a str),
    /// A list of numbers.
    List(&'a [f64]),
}

/// A parameter, or a combination of parameters, that cannot work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The key to change, as a full path; `ftl.spare_blocks` also stands for `ftl.over_provisioning`.
    pub key: &'static str,
    /// The allowed values and the reason. The message puts the key and the value found in front of it.
    pub why: String,
}
