//! Where a system finds the values of its configuration keys.

use alloc::string::String;

/// The values of configuration keys, by their full paths. Types and ranges were checked before.
///
/// # Panics
/// Each method may panic for a key that does not exist or has another type.
pub trait Settings: Send + Sync {
    /// Whether a switch is on.
    fn on(&self, key: &str) -> bool;

    /// A whole number, or a size in bytes.
    fn int(&self, key: &str) -> u64;

    /// A number.
    fn float(&self, key: &str) -> f64;

    /// A name.
    fn text(&self, key: &str) -> &str;

    /// A list of numbers.
    fn list(&self, key: &str) -> &[f64];
}

/// A parameter, or a combination of parameters, that cannot work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The key to change, as a full path; `ftl.spare_blocks` also stands for `ftl.over_provisioning`.
    pub key: &'static str,
    /// The allowed values and the reason. The message puts the key and the value found in front of it.
    pub why: String,
}
