//! Hints for unknown keys and tables.

use crate::nearest::nearest;
use crate::schema::{Schema, leaf, table};
use ssdlab_policy::Key;

/// The hint for an unknown key: the nearest key, or else the keys of its table.
pub(crate) fn key_hint(schema: &Schema, path: &str) -> String {
    let home = nearest(table(path), tables(schema)).unwrap_or_default();
    // its own table first, because some keys (`size`) are in two tables
    if let Some(key) =
        near_key(path, schema.keys_of(home)).or_else(|| near_key(path, schema.keys.iter()))
    {
        return format!("did you mean {}?", key.path);
    }
    match home {
        "" => format!(
            "keys outside tables: {}; tables: {}",
            leaves(schema, ""),
            schema.tables.join(", ")
        ),
        _ => format!("keys of [{home}]: {}", leaves(schema, home)),
    }
}

/// The key whose last part is nearest to the last part of the path.
fn near_key<'a>(path: &str, keys: impl Iterator<Item = &'a Key> + Clone) -> Option<&'a Key> {
    let name = nearest(leaf(path), keys.clone().map(|key| leaf(key.path)))?;
    keys.clone().find(|key| leaf(key.path) == name)
}

/// The hint for an unknown table.
pub(crate) fn table_hint(schema: &Schema, path: &str) -> String {
    match nearest(path, tables(schema)).or_else(|| nearest(leaf(path), tables(schema))) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("tables: {}", schema.tables.join(", ")),
    }
}

/// The last parts of a table's keys, in the order of the schema.
pub(crate) fn leaves(schema: &Schema, table: &str) -> String {
    let names: Vec<&str> = schema.keys_of(table).map(|key| leaf(key.path)).collect();
    names.join(", ")
}

fn tables(schema: &Schema) -> impl Iterator<Item = &'static str> + '_ {
    schema.tables.iter().copied()
}
