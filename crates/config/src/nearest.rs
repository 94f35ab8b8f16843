//! Suggestions for misspelled names ("did you mean").

use crate::schema::{KEYS, Key, TABLES, keys_of, leaf, table};

/// The candidate with the fewest edits to `given`, at most one edit for each three letters; the first one among equals.
/// All names are in lower case, and capital letters in `given` count as no edit.
pub(crate) fn nearest<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let given = &given.to_lowercase();
    let limit = given.chars().count() / 3;
    candidates
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|&(edits, _)| edits <= limit)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}

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
