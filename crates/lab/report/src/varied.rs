//! The varied keys of a comparison: keys with numbers become axes, keys with words become curves.

use ssdlab_sim::key::{self, FTL, SIZE};
use ssdlab_sim::{Comparison, Row, RowKind};
use ssdlab_words::{bytes, capital, thousands};

/// A key whose values are numbers.
#[derive(Debug, PartialEq)]
pub struct Axis {
    /// Its path, such as `ftl.over_provisioning`.
    pub key: String,
    /// Its name for readers.
    pub title: String,
    /// Its values, ascending: as text and as numbers.
    pub values: Vec<(String, f64)>,
}

/// The differences between the policies' rows; the bounds vary in the same keys.
pub struct Varied {
    /// The keys with numbers; the buffer size is the last.
    pub axes: Vec<Axis>,
    /// The keys with words, in the order of their names.
    words: Vec<String>,
    /// Whether several systems, usually buffer policies, compete.
    pub several: bool,
}

impl Varied {
    /// Finds the varied keys of the rows.
    pub fn of(comparison: &Comparison) -> Self {
        let rows = || policies(comparison);
        let mut keys: Vec<&str> = rows()
            .flat_map(|row| row.variant.keys().map(String::as_str))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let (mut axes, mut words) = (Vec::new(), Vec::new());
        for key in keys {
            let mut values = rows().filter_map(|row| row.variant.get(key));
            let first = values.next();
            if values.all(|value| Some(value) == first) {
                continue;
            }
            let mut varied = comparison.varied.iter();
            let is_size = varied.any(|varied| varied.key == key && varied.is_size);
            match axis(key, rows(), is_size) {
                Some(axis) => axes.push(axis),
                None => words.push(key.to_owned()),
            }
        }
        axes.extend(sizes(rows(), comparison.sized()));
        let mut names = rows().map(|row| &row.name);
        let first = names.next();
        Self {
            axes,
            words,
            several: names.any(|name| Some(name) != first),
        }
    }

    /// The place of a row on each axis; `None` if the run does not read the key.
    pub fn place(&self, row: &Row) -> Vec<Option<usize>> {
        let on = |axis: &Axis| {
            let value = number(&axis.key, row, false)?.1;
            axis.values.iter().position(|known| known.1 == value)
        };
        self.axes.iter().map(on).collect()
    }

    /// The keys that distinguish the curves.
    pub fn series_title(&self) -> String {
        match self.words.as_slice() {
            words if !self.several && !words.is_empty() => words
                .iter()
                .map(|key| title(key))
                .collect::<Vec<_>>()
                .join(", "),
            _ => "Policy".into(),
        }
    }

    /// The label of a row's curve: the label of the row without the numbers; with a single policy, only the words.
    pub fn series(&self, row: &Row) -> String {
        if !self.several && row.kind == RowKind::Policy && !self.words.is_empty() {
            let words = self.words.iter().filter_map(|key| row.variant.get(key));
            return words.map(String::as_str).collect::<Vec<_>>().join(", ");
        }
        let mut label = row.name.clone();
        let mut others = Vec::new();
        for key in &self.words {
            let Some(value) = row.variant.get(key) else {
                continue;
            };
            match key.as_str() {
                FTL => label += &format!(" + {value}"),
                key => others.push(format!("{} {value}", leaf(key))),
            }
        }
        if !others.is_empty() {
            label += &format!(" ({})", others.join(", "));
        }
        label
    }

    /// The values that distinguish a row, each with its key, the most important first.
    pub fn parts(&self, row: &Row) -> Vec<(String, String)> {
        let name = (self.several, "policy".to_owned(), row.name.clone());
        let words = self
            .words
            .iter()
            .filter_map(|key| Some((true, title(key), row.variant.get(key)?.clone())));
        let places = self.place(row);
        let numbers = self.axes.iter().zip(places).filter_map(|(axis, place)| {
            Some((true, axis.title.clone(), axis.values[place?].0.clone()))
        });
        [name]
            .into_iter()
            .chain(words)
            .chain(numbers)
            .filter(|part| part.0)
            .map(|(_, title, value)| (lower(&title), value))
            .collect()
    }

    /// The varied keys for readers: `write buffers`, `over-provisioning`.
    pub fn subjects(&self) -> Vec<String> {
        let buffers = self.several.then(|| "write buffers".to_owned());
        let words = self.words.iter().map(|key| match key.as_str() {
            FTL => "FTLs".into(),
            key => lower(&title(key)),
        });
        let axes = self.axes.iter().map(|axis| match axis.key.as_str() {
            SIZE => lower(&axis.title) + "s",
            _ => lower(&axis.title),
        });
        buffers.into_iter().chain(words).chain(axes).collect()
    }
}

/// The rows that compete.
pub fn policies(comparison: &Comparison) -> impl Iterator<Item = &Row> {
    let rows = comparison.rows.iter();
    rows.filter(|row| row.kind == RowKind::Policy)
}

/// The axis of a varied key, if all its values are numbers.
fn axis<'a>(key: &str, rows: impl Iterator<Item = &'a Row>, is_size: bool) -> Option<Axis> {
    let mut values = Vec::new();
    for row in rows.filter(|row| row.variant.contains_key(key)) {
        values.push(number(key, row, is_size)?);
    }
    Some(ascending(key, values))
}

/// The axis of the buffer sizes, if there are several.
fn sizes<'a>(rows: impl Iterator<Item = &'a Row>, title: &str) -> Option<Axis> {
    let values = rows.filter_map(|row| number(SIZE, row, true)).collect();
    let axis = Axis {
        title: capital(title),
        ..ascending(SIZE, values)
    };
    (axis.values.len() > 1).then_some(axis)
}

fn ascending(key: &str, mut values: Vec<(String, f64)>) -> Axis {
    values.sort_by(|a, b| a.1.total_cmp(&b.1));
    values.dedup_by(|a, b| a.1 == b.1);
    Axis {
        key: key.into(),
        title: title(key),
        values,
    }
}

/// The number of a row for a key, and its text; `None` if the row has no number or does not read the key.
fn number(key: &str, row: &Row, is_size: bool) -> Option<(String, f64)> {
    if key == SIZE && !row.variant.contains_key(SIZE) {
        let size = row.size?;
        return Some((bytes(size), size as f64));
    }
    let word = row.variant.get(key)?;
    let path = format!("/{}", key.replace('.', "/"));
    let value = row.outcome.config.pointer(&path)?;
    let text = match value.as_u64() {
        Some(size) if is_size => bytes(size),
        Some(count) => thousands(count),
        None => word.clone(),
    };
    value.as_f64().map(|number| (text, number))
}

fn leaf(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, leaf)| leaf)
}

/// The name of a key for readers.
pub fn title(key: &str) -> String {
    let leaf = leaf(key);
    let unit = [("_us", " (µs)"), ("_mb_s", " (MB/s)"), ("_s", " (s)")];
    let unit = unit.into_iter().find(|(end, _)| leaf.ends_with(end));
    let name = match key {
        SIZE => return "Buffer size".into(),
        FTL => return "FTL".into(),
        key::POLICY => return "Buffer policy".into(),
        key::READ_POLICY => return "Read buffer".into(),
        key::READ_SIZE => return "Read buffer size".into(),
        key::OVER_PROVISIONING => return "Over-provisioning".into(),
        key::RAM => return "RAM".into(),
        key::CLEANING => return "Cleaning policy".into(),
        key::BUFFER_AWARE => return "Buffer-aware merges".into(),
        _ => leaf.strip_suffix(unit.map_or("", |(end, _)| end)),
    };
    let words = name.unwrap_or(leaf).replace('_', " ");
    capital(&words) + unit.map_or("", |(_, unit)| unit)
}

/// A title within a sentence; abbreviations keep their capitals.
pub fn lower(title: &str) -> String {
    let word = title.split([' ', '-']).next().unwrap_or_default();
    if word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase()) {
        return title.to_owned();
    }
    let mut letters = title.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bugs: a unit kept in the name; an abbreviation in small letters.
    #[test]
    fn keys_have_names_for_people() {
        assert_eq!(title("ftl.log_blocks"), "Log blocks");
        assert_eq!(title("timing.program_us"), "Program (µs)");
        assert_eq!(title("buffer.flush_age_s"), "Flush age (s)");
        assert_eq!(title("timing.bus_mb_s"), "Bus (MB/s)");
        assert_eq!(title("drain"), "Drain");
        assert_eq!(lower(&title("ftl.ram")), "RAM");
        assert_eq!(lower(&title("ftl.over_provisioning")), "over-provisioning");
    }
}
