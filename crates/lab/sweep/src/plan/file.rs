//! A plan as TOML, with the lines of its parts.

use std::borrow::Cow;
use std::ops::Range;

use ssdlab_words::line_at;
use toml_edit::{Document, Item, TableLike, Value};

use crate::error::SweepError;

/// The text of a plan and its name for messages.
#[derive(Clone, Debug)]
pub struct File {
    pub name: String,
    pub text: String,
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<T> {
    pub value: T,
    /// The byte where it begins.
    pub at: usize,
}

impl AsRef<str> for Placed<String> {
    fn as_ref(&self) -> &str {
        &self.value
    }
}

/// A key of a table, and its item. Of a nested table, the key is a path with dots.
pub struct Entry<'a> {
    pub key: Cow<'a, str>,
    pub item: &'a Item,
    pub at: usize,
}

impl File {
    pub fn document(&self) -> Result<Document<&str>, SweepError> {
        Document::parse(self.text.as_str()).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let why = error.message().replace('\n', ", ");
            self.refuse(at, format!("not TOML: {why}"))
        })
    }

    /// The error at a byte.
    pub fn refuse(&self, at: usize, why: impl Into<String>) -> SweepError {
        SweepError::Plan {
            name: self.name.clone(),
            line: line_at(&self.text, at).0,
            why: why.into(),
        }
    }

    /// The keys of a table, in the order of the file.
    pub fn entries<'a>(&self, table: &'a dyn TableLike) -> Vec<Entry<'a>> {
        let entry = |(key, item): (&'a str, &'a Item)| Entry {
            key: key.into(),
            item,
            at: start(
                table
                    .key(key)
                    .and_then(toml_edit::Key::span)
                    .or_else(|| item.span()),
            ),
        };
        let mut entries: Vec<Entry> = table.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.at);
        entries
    }

    /// The keys of a table and of the tables in it that have values.
    pub fn leaves<'a>(&self, table: &'a dyn TableLike) -> Vec<Entry<'a>> {
        let mut leaves = Vec::new();
        for entry in self.entries(table) {
            match entry.item.as_table_like() {
                Some(inner) => leaves.extend(self.leaves(inner).into_iter().map(|leaf| Entry {
                    key: format!("{}.{}", entry.key, leaf.key).into(),
                    ..leaf
                })),
                None => leaves.push(entry),
            }
        }
        leaves
    }

    /// The table of a key.
    pub fn table<'a>(&self, entry: &Entry<'a>) -> Result<&'a dyn TableLike, SweepError> {
        let table = entry.item.as_table_like();
        table.ok_or_else(|| self.refuse(entry.at, format!("{}: must be a table", entry.key)))
    }

    /// A text.
    pub fn text(&self, entry: &Entry) -> Result<Placed<String>, SweepError> {
        let text = entry.item.as_str().map(str::to_owned);
        let wrong = || {
            self.refuse(
                entry.at,
                format!("{}: must be text in double quotes", entry.key),
            )
        };
        let value = text.ok_or_else(wrong)?;
        let at = entry.at;
        Ok(Placed { value, at })
    }

    /// A list of values, each with its place; a single value is a list of one.
    pub fn list<'a>(&self, entry: &Entry<'a>) -> Result<Vec<Placed<&'a Value>>, SweepError> {
        let value = entry.item.as_value();
        let values: Vec<&Value> = match value {
            Some(Value::Array(list)) => list.iter().collect(),
            Some(value) => vec![value],
            None => return Err(self.refuse(entry.at, format!("{}: must be a list", entry.key))),
        };
        if values.is_empty() {
            return Err(self.refuse(
                entry.at,
                format!("{}: is empty; needs one at least", entry.key),
            ));
        }
        let placed = values.into_iter().map(|value| Placed {
            value,
            at: value.span().map_or(entry.at, |span| span.start),
        });
        Ok(placed.collect())
    }
}

fn start(span: Option<Range<usize>>) -> usize {
    span.map_or(0, |span| span.start)
}

/// A value as it stands behind `=`, without spaces and comments around it.
pub fn literal(value: &Value) -> String {
    value.clone().decorated("", "").to_string()
}

/// A value as a word: text without its quotes.
pub fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| literal(value), str::to_owned)
}
