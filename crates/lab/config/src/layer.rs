//! One layer of a configuration: the keys and values of a file, a preset or `--set`.

use crate::error::{ConfigError, Origin};
use crate::hint::{key_hint, leaves, table_hint};
use crate::kind::{self, Refusal};
use crate::presets::Preset;
use crate::schema::Schema;
use crate::value::{Value, literal};
use ssdlab_device::Catalogue;
use ssdlab_ftl::page::MAP_CACHE;
use ssdlab_ftl::{OVER_PROVISIONING, SPARE_BLOCKS};
use ssdlab_policy::Key;
use std::fmt;
use std::sync::Arc;
use toml_edit::{Document, Item, TableLike, TomlError};

/// A value, its source, and its text there.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub value: Value,
    /// The path or alias by which the source calls the key.
    pub name: &'static str,
    pub found: String,
    pub origin: Origin,
    /// A size with a unit, such as `1.92TB` or `256GiB`.
    pub has_unit: bool,
    /// A share in per cent.
    pub percent: bool,
}

impl Given {
    /// Reads a TOML value as the kind of the key.
    fn read(
        (key, name): (&Key, &'static str),
        raw: &toml_edit::Value,
        found: String,
        at: Origin,
        catalogue: &Catalogue,
    ) -> Result<Self, ConfigError> {
        match kind::read(&key.kind, raw).or_else(|| share(key, raw)) {
            Some(value) => Ok(Given {
                value,
                name,
                found,
                origin: at,
                has_unit: kind::has_unit(&key.kind, raw),
                percent: kind::is_percent(&key.kind, raw),
            }),
            None => Err(ConfigError::Impossible {
                at,
                key: name,
                found,
                allowed: kind::wrong_type(&key.kind, catalogue),
            }),
        }
    }

    /// A default of a key.
    fn by_default(key: &Key, value: Value) -> Self {
        Given {
            found: literal(key, &value),
            value,
            name: key.path,
            origin: Origin::Default,
            has_unit: false,
            percent: false,
        }
    }

    /// The error for a value that cannot be used.
    pub fn refuse(&self, why: Refusal) -> ConfigError {
        ConfigError::Impossible {
            at: self.origin.clone(),
            key: self.name,
            found: self.found.clone(),
            allowed: why.0,
        }
    }
}

/// A share of all RAM, such as `"25%"`: the cache of a map may have one where RAM is shared.
fn share(key: &Key, raw: &toml_edit::Value) -> Option<Value> {
    let text = raw.as_str().filter(|_| key.path == MAP_CACHE.key.path)?;
    ram_share(text).map(|_| Value::Text(text.into()))
}

/// The fraction that a share in per cent is, from 0 to 1.
pub(crate) fn ram_share(text: &str) -> Option<f64> {
    let percent: f64 = text.strip_suffix('%')?.trim().parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

/// The values that one source gives.
#[derive(Clone)]
pub(crate) struct Layer {
    /// One entry for each key in the order of the schema.
    given: Vec<Option<Given>>,
    /// A file's chips that program several pages at once yield to systems that cannot have them.
    pub units_yield: bool,
    schema: Arc<Schema>,
}

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.iter().map(|(key, given)| (key.path, &given.value));
        f.debug_map().entries(values).finish()
    }
}

impl Layer {
    pub fn new(schema: Arc<Schema>) -> Self {
        Layer {
            given: vec![None; schema.keys.len()],
            units_yield: false,
            schema,
        }
    }

    /// The fixed defaults of the schema.
    pub fn defaults(schema: Arc<Schema>) -> Self {
        let given = schema.keys.iter().map(|key| {
            let value = key.default.map(Value::from)?;
            Some(Given::by_default(key, value))
        });
        Layer {
            given: given.collect(),
            units_yield: false,
            schema,
        }
    }

    /// The keys that there are.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The systems that values can name.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.schema.catalogue
    }

    /// The keys of a preset, over those of its base. A base's spare flash gives way to the preset's, in whichever of its
    /// two keys.
    pub fn of_preset(preset: &Preset, schema: &Arc<Schema>) -> Result<Self, ConfigError> {
        let (name, text) = (preset.name, preset.toml);
        let at = |_| Origin::Preset(name);
        let above_base = Source { text, at }.read(schema)?;
        let Some(base) = preset.base else {
            return Ok(above_base);
        };
        let mut layer = Self::of_preset(base, schema)?;
        let spares = [SPARE_BLOCKS.key.path, OVER_PROVISIONING.key.path];
        if spares.iter().any(|spare| above_base.get(spare).is_some()) {
            spares.iter().for_each(|spare| layer.put(spare, None));
        }
        layer.overlay(&above_base);
        Ok(layer)
    }

    /// The keys of a file; `name` is for messages.
    pub fn of_file(name: &str, bytes: &[u8], schema: &Arc<Schema>) -> Result<Self, ConfigError> {
        let name: Arc<str> = name.into();
        let at = |line| Origin::File {
            name: name.clone(),
            line,
        };
        let text = std::str::from_utf8(bytes).map_err(|error| ConfigError::Syntax {
            at: at(line_of(bytes, error.valid_up_to())),
            message: "not a text file in UTF-8; save it as UTF-8".into(),
        })?;
        Source { text, at }.read(schema)
    }

    /// Applies one `path=value` of `--set`.
    pub fn assign(&mut self, assignment: &str) -> Result<(), ConfigError> {
        let at = Origin::Set;
        let parts = assignment.split_once('=');
        let Some((path, text)) = parts.filter(|(path, _)| !path.trim().is_empty()) else {
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
        let schema = self.schema.clone();
        if let Some(table) = schema.tables.iter().find(|table| **table == path) {
            let keys = leaves(&schema, table);
            let message = format!("{table} = {found}: is a table; its keys: {keys}");
            return Err(ConfigError::Syntax { at, message });
        }
        let Some((slot, name)) = schema.called(path) else {
            let (name, hint) = (shorten(path), key_hint(&schema, path));
            return Err(ConfigError::Unknown {
                at,
                what: "key",
                name,
                hint,
            });
        };
        let key = (&schema.keys[slot], name);
        self.give(slot, Given::read(key, &raw, found, at, &schema.catalogue)?)
    }

    /// Takes a value of this source, which calls a key by one name only.
    fn give(&mut self, slot: usize, given: Given) -> Result<(), ConfigError> {
        if let Some(other) = self.given[slot]
            .as_ref()
            .filter(|other| other.name != given.name)
        {
            let why = format!(
                "must not be given together with {}, another name of the same key; give one of them",
                other.name
            );
            return Err(given.refuse(Refusal(why)));
        }
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
        self.given[self.slot(path)].as_ref()
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
        let slot = self.slot(path);
        self.given[slot] = given;
    }

    /// Gives a key a default value.
    pub fn put_default(&mut self, path: &str, value: Value) {
        let slot = self.slot(path);
        self.given[slot] = Some(Given::by_default(&self.schema.keys[slot], value));
    }

    /// Gives a key a value of this origin.
    pub fn put_as(&mut self, path: &str, value: Value, origin: &Origin) {
        self.put_default(path, value);
        let slot = self.slot(path);
        let given = self.given[slot].as_mut().expect("it was put there");
        given.origin = origin.clone();
    }

    fn slot(&self, path: &str) -> usize {
        self.schema.index(path).expect("a path of the schema")
    }

    /// The name that a key with names has, such as the one that chooses a system of a family.
    pub fn text(&self, path: &str) -> &str {
        match self.get(path).map(|given| &given.value) {
            Some(Value::Text(text)) => text,
            other => panic!("{path} is {other:?}"),
        }
    }

    /// The keys with a value, in the order of the schema.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Given)> {
        let pairs = self.schema.keys.iter().zip(&self.given);
        pairs.filter_map(|(key, given)| given.as_ref().map(|given| (key, given)))
    }
}

/// A TOML text, and the source of each of its lines.
struct Source<'a, F> {
    text: &'a str,
    at: F,
}

impl<F: Fn(usize) -> Origin> Source<'_, F> {
    fn read(&self, schema: &Arc<Schema>) -> Result<Layer, ConfigError> {
        let document = Document::parse(self.text).map_err(|error| self.not_toml(&error))?;
        let mut layer = Layer::new(schema.clone());
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
        let advice = if reason.starts_with("duplicate key") {
            "give each key and table once"
        } else {
            "a line is key = value or [table], with text in double quotes"
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
            let shown = if !name.is_empty() && name.bytes().all(bare) {
                name.to_owned()
            } else {
                format!("{name:?}")
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
        let schema = layer.schema.clone();
        if let Some((slot, name)) = schema.called(&path) {
            let key = &schema.keys[slot];
            let Some(raw) = item.as_value() else {
                let allowed = kind::wrong_type(&key.kind, &schema.catalogue);
                let found = "a table".into();
                return Err(ConfigError::Impossible {
                    at,
                    key: name,
                    found,
                    allowed,
                });
            };
            let found = self.found(raw);
            let given = Given::read((key, name), raw, found, at, &schema.catalogue)?;
            return layer.give(slot, given);
        }
        if let Some(name) = schema.tables.iter().find(|table| **table == path) {
            let Some(table) = item.as_table_like() else {
                let found = item
                    .as_value()
                    .map_or("a list of tables".into(), |v| self.found(v));
                let allowed = format!("must be a table; its keys: {}", leaves(&schema, name));
                return Err(ConfigError::Impossible {
                    at,
                    key: name,
                    found,
                    allowed,
                });
            };
            return self.walk(table, name, layer);
        }
        let (what, hint) = if item.is_value() && !item.is_inline_table() {
            ("key", key_hint(&schema, &path))
        } else {
            ("table", table_hint(&schema, &path))
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
