//! All keys of a configuration: those of the device, and those that the registered systems declare.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use ssdlab_device::{Catalogue, Family, keys};
use ssdlab_policy::{Key, Names, Words};

/// `preset`, which only a configuration has.
pub(crate) const PRESET: Words =
    Words::name("preset", Names::Presets, None, "the device to start from");

/// The keys of a catalogue, in the order of the documentation: table by table, first those that every device has.
pub(crate) struct Schema {
    pub keys: Vec<Key>,
    index: HashMap<&'static str, usize>,
    /// The tables of the file, in order.
    pub tables: Vec<&'static str>,
    pub catalogue: Arc<Catalogue>,
}

/// The last part of a path.
pub(crate) fn leaf(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, leaf)| leaf)
}

/// The table of a path; empty for a key outside the tables.
pub(crate) fn table(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(table, _)| table)
}

impl Schema {
    /// The keys of these systems.
    ///
    /// # Panics
    /// If two keys of different kinds have one path, or a key is a table.
    pub fn of(catalogue: &Arc<Catalogue>) -> Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Schema>> =
            LazyLock::new(|| Arc::new(Schema::new(Catalogue::built_in())));
        if Arc::ptr_eq(catalogue, &Catalogue::built_in()) {
            BUILT_IN.clone()
        } else {
            Arc::new(Self::new(catalogue.clone()))
        }
    }

    fn new(catalogue: Arc<Catalogue>) -> Self {
        let entries = Family::ALL.map(|family| catalogue.entries(family));
        let declared = entries.iter().flatten().flat_map(|entry| entry.keys);
        let of_device = [&PRESET.key].into_iter().chain(keys::all());
        let all = || of_device.clone().chain(declared.clone());
        let mut tables = vec![""];
        for key in all() {
            if !tables.contains(&table(key.path)) {
                tables.push(table(key.path));
            }
        }
        let mut keys: Vec<Key> = Vec::new();
        let mut index = HashMap::new();
        for name in &tables {
            for key in all().filter(|key| table(key.path) == *name) {
                if let Some(&known) = index.get(key.path) {
                    let same = format!("{key:?}") == format!("{:?}", keys[known]);
                    assert!(same, "{} is declared twice, differently", key.path);
                    continue;
                }
                for path in [key.path].into_iter().chain(key.alias) {
                    let taken = index.insert(path, keys.len());
                    assert!(taken.is_none(), "{path} is the name of two keys");
                }
                keys.push(*key);
            }
        }
        tables.remove(0);
        for name in &tables {
            assert!(!index.contains_key(name), "{name} is a table and a key");
        }
        Self {
            keys,
            index,
            tables,
            catalogue,
        }
    }

    /// The keys of a table in order; the keys outside the tables if `name` is empty.
    pub fn keys_of(&self, name: &str) -> impl Iterator<Item = &Key> + Clone {
        self.keys.iter().filter(move |key| table(key.path) == name)
    }

    /// The place of a key, by its path or alias.
    pub fn index(&self, path: &str) -> Option<usize> {
        self.index.get(path).copied()
    }

    /// The place of a key, and the path or alias by which it is called.
    pub fn called(&self, path: &str) -> Option<(usize, &'static str)> {
        let (name, place) = self.index.get_key_value(path)?;
        Some((*place, name))
    }

    /// The key of this path or alias.
    pub fn key(&self, path: &str) -> Option<&Key> {
        self.index(path).map(|place| &self.keys[place])
    }
}

/// All keys of a configuration of these systems, in the order of the documentation.
pub fn keys(catalogue: &Arc<Catalogue>) -> Vec<Key> {
    Schema::of(catalogue).keys.clone()
}

/// The largest number of chips. A page across all of them stays below 4 GiB.
pub(crate) const MAX_CHIPS: u64 = 1024;
