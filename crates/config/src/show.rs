//! Output: which keys have an effect, the resolved configuration as TOML and as JSON.

use crate::config::Config;
use crate::kind::Kind;
use crate::layer::Layer;
use crate::schema::{KEYS, Key, Reader, index, leaf, table};
use crate::value::{Value, format_size};
use serde_json::json;
use std::fmt::Write;

/// Why the chosen systems never read a key, to follow "has no effect with"; none if they do.
pub(crate) fn idle_with(layer: &Layer, key: &Key) -> Option<String> {
    let unlisted = |selector: &str| {
        let chosen = layer.text(selector);
        let entry = key
            .reader
            .registry()
            .iter()
            .find(|entry| entry.name == chosen);
        let listed = entry.is_some_and(|entry| entry.keys.contains(&key.path));
        (!listed).then(|| format!("{selector} {chosen:?}"))
    };
    match key.reader {
        Reader::All => None,
        Reader::Policy => unlisted("buffer.policy"),
        Reader::Ftl => unlisted("ftl.kind"),
        // a key that is idle itself decides nothing
        Reader::Unless(other, value) => idle_path(layer, other).or_else(|| {
            let given = layer.get(other).map(|given| given.value.to_toml());
            (given.as_deref() == Some(value)).then(|| format!("{other} {value}"))
        }),
        Reader::Chips => {
            let chips = layer.int("flash.channels") * layer.int("flash.chips_per_channel");
            (chips == 1).then(|| "one chip".into())
        }
    }
}

fn idle_path(layer: &Layer, path: &str) -> Option<String> {
    index(path).and_then(|slot| idle_with(layer, &KEYS[slot]))
}

/// Whether the chosen systems read the key of this path.
pub(crate) fn reads(layer: &Layer, path: &str) -> bool {
    idle_path(layer, path).is_none()
}

/// One sentence for each key that the user gave in vain.
pub(crate) fn warnings(layer: &Layer) -> Vec<String> {
    let explicit = layer.iter().filter(|(_, given)| given.origin.is_explicit());
    explicit
        .filter_map(|(key, _)| Some((key.path, idle_with(layer, key)?)))
        .map(|(path, with)| format!("{path} has no effect with {with}"))
        .collect()
}

/// Whether any system that can be chosen reads the key.
fn read_by_any(key: &Key) -> bool {
    match key.reader {
        Reader::All => true,
        Reader::Policy | Reader::Ftl => !readers(key).is_empty(),
        Reader::Unless(other, value) => match index(other).map(|slot| KEYS[slot].kind) {
            Some(Kind::Choice(names)) => names
                .built()
                .iter()
                .any(|name| format!("{name:?}") != value),
            _ => true,
        },
        Reader::Chips => false,
    }
}

/// The registered systems that list the key.
fn readers(key: &Key) -> Vec<&'static str> {
    let entries = key.reader.registry().iter();
    entries
        .filter(|entry| entry.keys.contains(&key.path))
        .map(|entry| entry.name)
        .collect()
}

impl Config {
    /// The value of a key by its full path; none if the path is unknown or the key absent.
    pub fn value(&self, path: &str) -> Option<&Value> {
        index(path)?;
        self.layer.get(path).map(|given| &given.value)
    }

    /// Every key as resolved, nested as the TOML, in order of the schema, sizes in bytes.
    /// Of `spare_blocks` and `over_provisioning` the one that holds; `preset` only if there is one.
    pub fn to_json(&self) -> serde_json::Value {
        let mut root = json!({});
        for (key, given) in self.layer.iter() {
            let branch = match table(key.path) {
                "" => &mut root,
                name => &mut root[name],
            };
            branch[leaf(key.path)] = given.value.to_json();
        }
        root
    }

    /// The resolved configuration as a commented file, which loads to an equal one.
    /// Keys without effect are commented out; those that no built system reads are left out.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        let mut current = "";
        for (key, given) in self.layer.iter().filter(|(key, _)| read_by_any(key)) {
            if table(key.path) != current {
                current = table(key.path);
                let _ = writeln!(out, "\n[{current}]");
            }
            let off = if idle_with(&self.layer, key).is_some() {
                "# "
            } else {
                ""
            };
            let line = format!("{off}{} = {}", leaf(key.path), literal(key, &given.value));
            let _ = writeln!(out, "{line:<31} # {}", comment(key));
        }
        out
    }
}

/// A value as TOML, sizes in the largest unit.
fn literal(key: &Key, value: &Value) -> String {
    match (key.kind, value) {
        (Kind::Size { .. }, Value::Int(bytes)) => format!("{:?}", format_size(*bytes)),
        _ => value.to_toml(),
    }
}

/// Who reads the key if they are few, what it means, what is legal.
fn comment(key: &Key) -> String {
    let readers = readers(key);
    let who = match readers.len() {
        1..=3 => format!("{}: ", readers.join(", ")),
        _ => String::new(),
    };
    format!("{who}{}; {}", key.doc, key.kind.legal())
}
