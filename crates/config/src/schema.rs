//! The structure of the key table. Parsing, checks, output and suggestions all read this table.

use crate::key::Key;
use crate::keys::KEYS;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The tables of the file, in order.
pub(crate) const TABLES: [&str; 6] = ["flash", "timing", "ftl", "buffer", "read_buffer", "drive"];

/// The last part of a path.
pub(crate) fn leaf(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, leaf)| leaf)
}

/// The table of a path; empty for a key outside the tables.
pub(crate) fn table(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(table, _)| table)
}

/// The keys of a table in order; the keys outside the tables if `name` is empty.
pub(crate) fn keys_of(name: &str) -> impl Iterator<Item = &'static Key> + Clone {
    KEYS.iter().filter(move |key| table(key.path) == name)
}

/// The index of a key in [`KEYS`].
pub(crate) fn index(path: &str) -> Option<usize> {
    static INDEX: LazyLock<HashMap<&str, usize>> =
        LazyLock::new(|| (0..).zip(KEYS).map(|(i, key)| (key.path, i)).collect());
    INDEX.get(path).copied()
}

/// The largest number of chips. A page across all of them stays below 4 GiB.
pub(crate) const MAX_CHIPS: u64 = 1024;
