//! Decides which keys have an effect with the chosen systems.

use crate::layer::{Given, Layer};
use ssdlab_device::keys::read_buffer;
use ssdlab_device::registry::Entry;
use ssdlab_device::{Catalogue, Family};
use ssdlab_policy::buffer::SIZE;
use ssdlab_policy::{Key, Setting, Settings, With};

/// The reason why a key has no effect, to be put after "has no effect with"; none if it has one.
pub(crate) fn idle_with(layer: &Layer, key: &Key) -> Option<String> {
    unread(layer, key).or_else(|| unmet(layer, key))
}

/// If systems declare the key and none of them is chosen: the choice.
fn unread(layer: &Layer, key: &Key) -> Option<String> {
    let mut reason = None;
    for (family, readers) in families(key, layer.catalogue()) {
        let selector = family.selector();
        let chooses = |path: &str| {
            let chosen = layer.text(path);
            readers.iter().any(|entry| entry.name == chosen)
        };
        // a read buffer has a size of its own
        let in_read_buffer = family == Family::Buffer
            && key.path != SIZE.key.path
            && chooses(read_buffer::POLICY.key.path);
        let is_chosen = chooses(selector) || in_read_buffer;
        // if the selecting key has no effect itself, its reason counts
        reason = idle_path(layer, selector)
            .or_else(|| (!is_chosen).then(|| format!("{selector} {:?}", layer.text(selector))));
        if reason.is_none() {
            break;
        }
    }
    reason
}

/// If the key has an effect only with other values of another key: that key and its value.
fn unmet(layer: &Layer, key: &Key) -> Option<String> {
    let when = key.when?;
    let is_unmet = || !(when.holds)(layer);
    match when.with {
        With::Words(words) => is_unmet().then(|| words.to_owned()),
        With::Value(path) => idle_path(layer, path).or_else(|| {
            let value = layer.get(path).map(|given| given.value.to_toml());
            is_unmet().then(|| format!("{path} {}", value.unwrap_or_default()))
        }),
    }
}

fn idle_path(layer: &Layer, path: &str) -> Option<String> {
    let key = layer.schema().key(path)?;
    idle_with(layer, key)
}

/// Whether the chosen systems read the key of this path; false if there is no such key.
pub(crate) fn reads(layer: &Layer, path: &str) -> bool {
    let key = layer.schema().key(path);
    key.is_some_and(|key| idle_with(layer, key).is_none())
}

/// One sentence for each key that the user gave without effect, or in per cent.
pub(crate) fn warnings(layer: &Layer) -> Vec<String> {
    let explicit = layer.iter().filter(|(_, given)| given.origin.is_explicit());
    let warning = |(key, given): (&Key, &Given)| match idle_with(layer, key) {
        Some(with) => Some(format!("{} has no effect with {with}", given.name)),
        None if given.percent => Some(format!(
            "{} = {} is taken for {} %, as it is above 1: {}",
            given.name,
            given.found,
            given.found,
            given.value.to_toml()
        )),
        None => None,
    };
    explicit.filter_map(warning).collect()
}

/// The families with systems that declare the key, and these systems.
fn families(key: &Key, catalogue: &Catalogue) -> impl Iterator<Item = (Family, Vec<Entry>)> {
    Family::ALL.into_iter().filter_map(move |family| {
        let mut entries = catalogue.entries(family);
        entries.retain(|entry| entry.reads(key.path));
        (!entries.is_empty()).then_some((family, entries))
    })
}

/// The registered systems that declare the key.
pub(crate) fn readers(key: &Key, catalogue: &Catalogue) -> Vec<&'static str> {
    let entries = families(key, catalogue).flat_map(|(_, entries)| entries);
    entries.map(|entry| entry.name).collect()
}

impl Settings for Layer {
    fn value(&self, path: &str) -> Option<Setting<'_>> {
        self.schema().index(path)?;
        self.get(path).map(|given| given.value.setting())
    }

    fn reads(&self, path: &str) -> bool {
        reads(self, path)
    }
}
