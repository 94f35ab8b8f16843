//! Hints for unknown keys and tables.

use crate::key::Key;
use crate::keys::KEYS;
use crate::nearest::nearest;
use crate::schema::{TABLES, keys_of, leaf, table};

/// The hint for an unknown key: the nearest key, or else the keys of its table.
pub(crate) fn key_hint(path: &str) -> String {
    let home = nearest(table(path), TABLES).unwrap_or_default();
    // its own table first, because some keys (`size`) are in two tables
    if let Some(key) = near_key(path, keys_of(home)).or_else(|| near_key(path, KEYS.iter())) {
        return format!("did you mean {}?", key.path);
    }
    match home {
        "" => format!(
            "keys outside tables: {}; tables: {}",
            leaves(""),
            TABLES.join(", ")
        ),
        _ => format!("keys of [{home}]: {}", leaves(home)),
    }
}

/// The key whose last part is nearest to the last part of the path.
fn near_key(path: &str, keys: impl Iterator<Item = &'static Key> + Clone) -> Option<&'static Key> {
    let name = nearest(leaf(path), keys.clone().map(|key| leaf(key.path)))?;
    keys.clone().find(|key| leaf(key.path) == name)
}

/// The hint for an unknown table.
pub(crate) fn table_hint(path: &str) -> String {
    match nearest(path, TABLES).or_else(|| nearest(leaf(path), TABLES)) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("tables: {}", TABLES.join(", ")),
    }
}

/// The last parts of a table's keys, in the order of the schema.
pub(crate) fn leaves(table: &str) -> String {
    let names: Vec<&str> = keys_of(table).map(|key| leaf(key.path)).collect();
    names.join(", ")
}
