//! One layer of a configuration: the keys and values of a file, a preset or `--set`.

use crate::error::{ConfigError, Origin};
use crate::hint::{key_hint, leaves, table_hint};
use crate::key::Key;
use crate::keys::KEYS;
use crate::kind::Refusal;
use crate::presets::Preset;
use crate::schema::{TABLES, index};
use crate::value::Value;
use ssdlab_device::Catalogue;
use ssdlab_policy::Settings;
use std::fmt;
use std::sync::{Arc, LazyLock};
use toml_edit::{Document, Item, TableLike, TomlError};

/// A value, its source, and its text there.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub value: Value,
    pub found: String,
    pub origin: Origin,
    /// A size in a decimal unit (1000s).
    pub decimal: bool,
}

impl Given {
    /// Reads a TOML value as the kind of the key.
    fn read(
        key: &Key,
        raw: &toml_edit::Value,
        found: String,
        at: Origin,
        catalogue: &Catalogue,
    ) -> Result<Self, ConfigError> {
        match key.kind.read(raw) {
            Some(value) => Ok(Given {
                value,
                found,
                origin: at,
                decimal: key.kind.is_decimal(raw),
            }),
            None => Err(ConfigError::Impossible {
                at,
                key: key.path,
                found,
                allowed: key.kind.wrong_type(catalogue),
            }),
        }
    }

    /// The error for a value that cannot be used.
    pub fn refuse(&self, key: &'static str, why: Refusal) -> ConfigError {
        ConfigError::Impossible {
            at: self.origin.clone(),
            key,
            found: self.found.clone(),
            allowed: why.0,
        }
    }
}

/// The values that one source gives.
#[derive(Clone)]
pub(crate) struct Layer {
    /// One entry for each key in the order of the schema.
    given: Vec<Option<Given>>,
    /// The systems that values can name.
    catalogue: Arc<Catalogue>,
}

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.iter().map(|(key, given)| (key.path, &given.value));
        f.debug_map().entries(values).finish()
    }
}

impl Layer {
    pub fn new(catalogue: Arc<Catalogue>) -> Self {
        Layer {
            given: vec![None; KEYS.len()],
            catalogue,
        }
    }

    /// The fixed defaults of the schema.
    pub fn defaults(catalogue: Arc<Catalogue>) -> Self {
        static DEFAULTS: LazyLock<Layer> = LazyLock::new(|| {
            let mut layer = Layer::new(Catalogue::built_in());
            for key in KEYS {
                if let Some(text) = key.default {
                    layer.put_default(key.path, text);
                }
            }
            layer
        });
        Layer {
            given: DEFAULTS.given.clone(),
            catalogue,
        }
    }

    /// The systems that values can name.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// The keys of a preset, over those of its base. A base's spare flash gives way to the preset's, in whichever of its
    /// two keys.
    pub fn of_preset(preset: &Preset, catalogue: &Arc<Catalogue>) -> Result<Self, ConfigError> {
        let (name, text) = (preset.name, preset.toml);
        let at = |_| Origin::Preset(name);
        let own = Source { text, at }.read(catalogue)?;
        let Some(base) = preset.base else {
            return Ok(own);
        };
        let mut layer = Self::of_preset(base, catalogue)?;
        let spares = ["ftl.spare_blocks", "ftl.over_provisioning"];
        if spares.iter().any(|spare| own.get(spare).is_some()) {
            spares.iter().for_each(|spare| layer.put(spare, None));
        }
        layer.overlay(&own);
        Ok(layer)
    }

    /// The keys of a file; `name` is for messages.
    pub fn of_file(
        name: &str,
        bytes: &[u8],
        catalogue: &Arc<Catalogue>,
    ) -> Result<Self, ConfigError> {
        let name: Arc<str> = name.into();
        let at = |line| Origin::File {
            name: name.clone(),
            line,
        };
        let text = std::str::from_utf8(bytes).map_err(|error| ConfigError::Syntax {
            at: at(line_of(bytes, error.valid_up_to())),
            message: "not a text file in UTF-8; save it as UTF-8".into(),
        })?;
        Source { text, at }.read(catalogue)
    }

    /// Applies one `path=value` of `--set`.
    pub fn assign(&mut self, assignment: &str) -> Result<(), ConfigError> {
        let at = Origin::Set;
        let given = assignment
            .split_once('=')
            .filter(|(path, _)| !path.trim().is_empty());
        let Some((path, text)) = given else {
            let message = format!(
                "{}: must be key=value, such as buffer.policy=lru",
                shorten(assignment)
            );
            return Err(ConfigError::Syntax { at, message });
        };
        let (path, text) = (path.trim(), text.trim());
        let raw = text
            .parse()
            .unwrap_or_else(|_| toml_edit::Value::from(text));
        let found = shorten(raw.to_string().trim());
        if let Some(table) = TABLES.into_iter().find(|table| *table == path) {
            let message = format!("{table} = {found}: is a table; its keys: {}", leaves(table));
            return Err(ConfigError::Syntax { at, message });
        }
        let Some(slot) = index(path) else {
            let (name, hint) = (shorten(path), key_hint(path));
            return Err(ConfigError::Unknown {
                at,
                what: "key",
                name,
                hint,
            });
        };
        let given = Given::read(&KEYS[slot], &raw, found, at, &self.catalogue)?;
        self.given[slot] = Some(given);
        Ok(())
    }

    /// Puts `stronger` over this layer.
    pub fn overlay(&mut self, stronger: &Layer) {
        for (slot, given) in self.given.iter_mut().zip(&stronger.given) {
            if given.is_some() {
                slot.clone_from(given);
            }
        }
    }

    /// The value given for a key of the schema.
    pub fn get(&self, path: &str) -> Option<&Given> {
        self.given[slot(path)].as_ref()
    }

    /// Whether a preset, a file or `--set` gave a key of the schema.
    pub fn gives(&self, path: &str) -> bool {
        self.get(path)
            .is_some_and(|given| given.origin != Origin::Default)
    }

    /// Whether the user gave a key of the schema, in a file or by `--set`.
    pub fn is_explicit(&self, path: &str) -> bool {
        self.get(path)
            .is_some_and(|given| given.origin.is_explicit())
    }

    pub fn put(&mut self, path: &str, given: Option<Given>) {
        self.given[slot(path)] = given;
    }

    /// Gives a key a default value, written as TOML.
    pub fn put_default(&mut self, path: &'static str, text: &str) {
        let raw = text.parse().expect("defaults are TOML");
        let key = &KEYS[slot(path)];
        let given = Given::read(key, &raw, text.into(), Origin::Default, &self.catalogue);
        self.put(path, Some(given.expect("defaults fit their kind")));
    }

    /// The keys with a value, in the order of the schema.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Key, &Given)> {
        let pairs = KEYS.iter().zip(&self.given);
        pairs.filter_map(|(key, given)| given.as_ref().map(|given| (key, given)))
    }
}

/// A key without a value, or with another type, has the empty value.
impl Settings for Layer {
    fn text(&self, path: &str) -> &str {
        match self.get(path) {
            Some(Given {
                value: Value::Text(text),
                ..
            }) => text,
            _ => "",
        }
    }

    fn int(&self, path: &str) -> u64 {
        match self.get(path) {
            // the ranges of the schema exclude negative numbers
            Some(Given {
                value: Value::Int(n),
                ..
            }) => n.unsigned_abs(),
            _ => 0,
        }
    }

    fn float(&self, path: &str) -> f64 {
        match self.get(path) {
            Some(Given {
                value: Value::Float(x),
                ..
            }) => *x,
            _ => 0.0,
        }
    }

    fn list(&self, path: &str) -> &[f64] {
        match self.get(path) {
            Some(Given {
                value: Value::List(numbers),
                ..
            }) => numbers,
            _ => &[],
        }
    }

    fn on(&self, path: &str) -> bool {
        matches!(
            self.get(path),
            Some(Given {
                value: Value::Bool(true),
                ..
            })
        )
    }
}

fn slot(path: &str) -> usize {
    index(path).expect("a path of the schema")
}

/// A TOML text, and the source of each of its lines.
struct Source<'a, F> {
    text: &'a str,
    at: F,
}

impl<F: Fn(usize) -> Origin> Source<'_, F> {
    fn read(&self, catalogue: &Arc<Catalogue>) -> Result<Layer, ConfigError> {
        let document = Document::parse(self.text).map_err(|error| self.not_toml(&error))?;
        let mut layer = Layer::new(catalogue.clone());
        self.walk(document.as_table(), "", &mut layer)?;
        Ok(layer)
    }

    fn not_toml(&self, error: &TomlError) -> ConfigError {
        let start = error.span().map_or(0, |span| span.start);
        let line = self
            .text
            .lines()
            .nth(line_of(self.text.as_bytes(), start) - 1);
        let reason = error.message().replace('\n', ", ");
        let advice = match reason.starts_with("duplicate key") {
            true => "give each key and table once",
            false => "a line is key = value or [table], with text in double quotes",
        };
        let found = shorten(line.unwrap_or_default());
        ConfigError::Syntax {
            at: self.at(error.span()),
            message: format!("not TOML: {reason}, found {found:?}; {advice}"),
        }
    }

    fn walk(
        &self,
        table: &dyn TableLike,
        prefix: &str,
        layer: &mut Layer,
    ) -> Result<(), ConfigError> {
        for (name, item) in table.iter() {
            // a dot inside quotes does not separate a table from a key
            let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            let shown = match !name.is_empty() && name.bytes().all(bare) {
                true => name.to_owned(),
                false => format!("{name:?}"),
            };
            let path = match prefix {
                "" => shown,
                _ => format!("{prefix}.{shown}"),
            };
            let span = table.key(name).and_then(|key| key.span());
            let at = self.at(span.or_else(|| item.span()));
            self.item(path, item, at, layer)?;
        }
        Ok(())
    }

    fn item(
        &self,
        path: String,
        item: &Item,
        at: Origin,
        layer: &mut Layer,
    ) -> Result<(), ConfigError> {
        if let Some(slot) = index(&path) {
            let key = &KEYS[slot];
            let Some(raw) = item.as_value() else {
                let (found, allowed) = ("a table".into(), key.kind.wrong_type(&layer.catalogue));
                return Err(ConfigError::Impossible {
                    at,
                    key: key.path,
                    found,
                    allowed,
                });
            };
            let given = Given::read(key, raw, self.found(raw), at, &layer.catalogue)?;
            layer.given[slot] = Some(given);
            return Ok(());
        }
        if let Some(known) = TABLES.into_iter().find(|table| *table == path) {
            let Some(table) = item.as_table_like() else {
                let found = item
                    .as_value()
                    .map_or("a list of tables".into(), |v| self.found(v));
                let allowed = format!("must be a table; its keys: {}", leaves(known));
                return Err(ConfigError::Impossible {
                    at,
                    key: known,
                    found,
                    allowed,
                });
            };
            return self.walk(table, known, layer);
        }
        let (what, hint) = match item.is_value() && !item.is_inline_table() {
            true => ("key", key_hint(&path)),
            false => ("table", table_hint(&path)),
        };
        Err(ConfigError::Unknown {
            at,
            what,
            name: shorten(&path),
            hint,
        })
    }

    /// A value as it was written, shortened.
    fn found(&self, raw: &toml_edit::Value) -> String {
        let written = raw.span().and_then(|span| self.text.get(span));
        shorten(written.unwrap_or_default())
    }

    fn at(&self, span: Option<std::ops::Range<usize>>) -> Origin {
        (self.at)(line_of(
            self.text.as_bytes(),
            span.map_or(0, |span| span.start),
        ))
    }
}

/// The line that contains a byte, from 1.
fn line_of(text: &[u8], byte: usize) -> usize {
    1 + text.iter().take(byte).filter(|b| **b == b'\n').count()
}

/// Shortens a text for a message: one line without control characters, at most 60 characters.
fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().filter(|c| !c.is_control()).take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
