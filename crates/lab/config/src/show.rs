//! Prints the resolved configuration as TOML and as JSON.

use crate::config::Config;
use crate::effect::{idle_with, readers};
use crate::error::Origin;
use crate::kind::legal;
use crate::layer::{Given, Layer};
use crate::presets::{Preset, presets};
use crate::schema::{leaf, table};
use crate::value::{Value, literal};
use serde_json::json;
use ssdlab_device::Catalogue;
use ssdlab_policy::Key;
use std::fmt::Write;

impl Config {
    /// The value of a key by its full path; none if the path is unknown or the key has no value.
    pub fn value(&self, path: &str) -> Option<&Value> {
        self.layer.schema().index(path)?;
        self.layer.get(path).map(|given| &given.value)
    }

    /// The keys that the chosen systems read and their values, in the order of the schema; without those that have no
    /// value.
    pub fn effective(&self) -> impl Iterator<Item = (&Key, &Value)> {
        let keys = self.layer.iter();
        let read = keys.filter(|(key, _)| idle_with(&self.layer, key).is_none());
        read.map(|(key, given)| (key, &given.value))
    }

    /// All resolved keys, nested as in the TOML file, in the order of the schema, sizes in bytes. Only one of
    /// `spare_blocks` and `over_provisioning` is included, and `preset` only if there is one.
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

    /// The keys that the chosen systems read and that differ from their defaults, in the order of the schema, with
    /// values as in a file. Defaults that depend on other keys are not included.
    pub fn changed(&self) -> Vec<(&'static str, String)> {
        let defaults = Layer::defaults(self.layer.schema().clone());
        let differs = |key: &Key, given: &Given| match defaults.get(key.path) {
            Some(default) => default.value != given.value,
            None => self.gives(key.path),
        };
        self.layer
            .iter()
            .filter(|(key, given)| differs(key, given) && self.reads(key.path))
            .map(|(key, given)| (key.path, literal(key, &given.value)))
            .collect()
    }

    /// The resolved configuration as a commented file. Loading the file gives an equal configuration. Keys without
    /// effect or without a value are commented out. Above a value of a preset stands its source.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        let mut current = "";
        let preset = GivenPreset::of(self);
        for key in &self.layer.schema().keys {
            if table(key.path) != current {
                current = table(key.path);
                let _ = writeln!(out, "\n[{current}]");
            }
            let Some(given) = self.layer.get(key.path) else {
                let line = format!("# {} =", leaf(key.path));
                let _ = writeln!(out, "{line:<31} # {}", comment(key, self.catalogue()));
                continue;
            };
            let off = if idle_with(&self.layer, key).is_some() {
                "# "
            } else {
                ""
            };
            if off.is_empty()
                && let Some((preset, source)) = preset.as_ref().and_then(|p| p.source(key, given))
            {
                let _ = writeln!(out, "# {preset}: {source}");
            }
            let line = format!("{off}{} = {}", leaf(key.path), literal(key, &given.value));
            let _ = writeln!(out, "{line:<31} # {}", comment(key, self.catalogue()));
        }
        out
    }
}

/// The preset of a configuration, and the values that it gives.
struct GivenPreset(&'static Preset, Layer);

impl GivenPreset {
    fn of(config: &Config) -> Option<Self> {
        let name = config.preset.as_deref()?;
        let preset = presets().iter().find(|preset| preset.name == name)?;
        let layer = Layer::of_preset(preset, config.layer.schema()).ok()?;
        Some(Self(preset, layer))
    }

    /// The name of the preset, or of the base that gives the value, and its source; none if the value is another one.
    fn source(&self, key: &Key, given: &Given) -> Option<(&'static str, &'static str)> {
        let of_preset = self.1.get(key.path)?;
        let mut chain = std::iter::successors(Some(self.0), |preset| preset.base);
        let from = chain.find(|preset| of_preset.origin == Origin::Preset(preset.name))?;
        (of_preset.value == given.value).then_some((from.name, from.source(key.path)?))
    }
}

/// The default of a key as TOML; none if it has none of its own.
pub fn default_of(key: &Key) -> Option<String> {
    let value = key.default.map(Value::from)?;
    Some(literal(key, &value))
}

/// The systems that read the key if they are few, its meaning, and its legal values.
fn comment(key: &Key, catalogue: &Catalogue) -> String {
    let readers = readers(key, catalogue);
    let who = match readers.len() {
        1..=4 => format!("{}: ", readers.join(", ")),
        _ => String::new(),
    };
    format!("{who}{}; {}", key.doc, legal(&key.kind, catalogue))
}
