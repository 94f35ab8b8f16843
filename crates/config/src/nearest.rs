//! "Did you mean": the nearest of the known names, if any is near enough.

use crate::schema::{KEYS, TABLES, keys_of, leaf};

/// The candidate with the fewest edits to `given`: at most one in three letters, ties to the first.
pub(crate) fn nearest<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (given.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|&(edits, _)| edits <= limit)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}

/// What to say of an unknown key: the nearest key, else those of its table.
pub(crate) fn key_hint(path: &str) -> String {
    let same_leaf = || {
        KEYS.iter()
            .map(|key| key.path)
            .find(|p| leaf(p) == leaf(path))
    };
    let near_leaf = || {
        let name = nearest(leaf(path), KEYS.iter().map(|key| leaf(key.path)))?;
        KEYS.iter().map(|key| key.path).find(|p| leaf(p) == name)
    };
    // the whole path first: `bufer.size` is nearer to `buffer.size` than to another table's `size`
    let found = nearest(path, KEYS.iter().map(|key| key.path))
        .or_else(same_leaf)
        .or_else(near_leaf);
    if let Some(name) = found {
        return format!("did you mean {name}?");
    }
    match path.rsplit_once('.') {
        Some((table, _)) if TABLES.contains(&table) => {
            format!("keys of [{table}]: {}", leaves(table))
        }
        _ => format!(
            "keys outside tables: {}; tables: {}",
            leaves(""),
            TABLES.join(", ")
        ),
    }
}

/// What to say of an unknown table.
pub(crate) fn table_hint(path: &str) -> String {
    match nearest(path, TABLES) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("tables: {}", TABLES.join(", ")),
    }
}

/// The last parts of a table's keys, in order of the schema.
pub(crate) fn leaves(table: &str) -> String {
    let names: Vec<&str> = keys_of(table).map(|key| leaf(key.path)).collect();
    names.join(", ")
}
