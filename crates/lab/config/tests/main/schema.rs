//! The schema compared with the registries and with a configuration that gives nothing.
//!
//! Planted bugs that these tests catch: a key added in one place only; a registered policy that reads a key that does
//! not exist; a default outside its own range.

use ssdlab_config::{Key, Resolver, Value, keys, presets};
use ssdlab_device::registry::built_in;
use ssdlab_device::{Catalogue, Family};

/// Keys that a configuration contains only if they are given.
const IF_GIVEN: [&str; 19] = [
    "preset",
    "precondition_unseen",
    "flash.rated_tbw",
    "timing.spare_slots",
    "ftl.over_provisioning",
    "ftl.update_probability",
    "ftl.ram_threshold",
    "energy.read_uj",
    "energy.program_uj",
    "energy.erase_uj",
    "timing.slc_read_us",
    "timing.slc_program_us",
    "timing.fold_program_us",
    "ftl.map_blocks",
    "ftl.map_list",
    "ftl.slc_static",
    "ftl.slc_dynamic",
    "ftl.slc_keep",
    "ftl.slc_beside",
];

#[test]
fn every_key_has_a_value_in_its_order() {
    let keys: Vec<&str> = built_in_keys().iter().map(|key| key.path).collect();
    let (given, always): (Vec<&str>, Vec<&str>) =
        keys.into_iter().partition(|path| IF_GIVEN.contains(path));
    assert_eq!(given.len(), IF_GIVEN.len(), "{given:?}");
    let json = Resolver::new().resolve().unwrap().to_json();
    let top = json.as_object().unwrap().iter();
    let paths = top.flat_map(|(name, value)| match value.as_object() {
        Some(table) => table.keys().map(|key| format!("{name}.{key}")).collect(),
        None => vec![name.clone()],
    });
    assert_eq!(always, paths.collect::<Vec<_>>());
}

/// The keys of the built-in systems.
fn built_in_keys() -> Vec<Key> {
    keys(&Catalogue::built_in())
}

#[test]
fn registered_keys_are_keys_of_the_schema() {
    let keys = built_in_keys();
    for family in Family::ALL {
        let declared = built_in(family).iter().flat_map(|entry| entry.keys);
        for declared in declared {
            let key = keys.iter().find(|key| key.path == declared.path);
            let key = key.map(|key| format!("{key:?}"));
            assert_eq!(key, Some(format!("{declared:?}")));
        }
    }
}

/// The table of `docs/semantics.md` has all others.
#[test]
fn defaults_that_follow_from_other_keys() {
    let defaults = Resolver::new().resolve().unwrap();
    let mut follow = Vec::new();
    for key in built_in_keys() {
        let value = defaults.value(key.path).cloned();
        match key.default {
            Some(default) => assert_eq!(value, Some(Value::from(default)), "{}", key.path),
            None if !IF_GIVEN.contains(&key.path) => follow.push((key.path, value.unwrap())),
            None => {}
        }
    }
    let expected = [
        ("ftl.spare_blocks", Value::Int(2)),
        ("ftl.gc_low", Value::Int(3)),
        ("ftl.gc_high", Value::Int(4)),
        ("ftl.regions", Value::Int(4)),
        ("buffer.reads", Value::Text("bypass".into())),
    ];
    assert_eq!(follow, expected);
}

#[test]
fn presets_resolve() {
    for preset in presets() {
        let config = Resolver::new().preset(preset.name).resolve().unwrap();
        assert_eq!(config.preset.as_deref(), Some(preset.name));
        assert_eq!(config.to_json()["preset"], preset.name);
    }
}

// Planted bugs: a figure without a source; a source of a key that the preset does not give; the source of a key of
// another table; a key of a preset that the systems do not read.
#[test]
fn every_figure_of_a_preset_has_a_source() {
    let defaults = Resolver::new().resolve().unwrap();
    let mut figures = 0;
    for preset in presets() {
        let config = Resolver::new().preset(preset.name).resolve().unwrap();
        for key in built_in_keys() {
            let value = config.value(key.path);
            let is_number = matches!(
                value,
                Some(Value::Int(_) | Value::Float(_) | Value::List(_))
            );
            let own = preset.toml.lines().any(|line| {
                let leaf = key.path.rsplit('.').next().unwrap_or_default();
                line.starts_with(&format!("{leaf} = "))
            });
            if is_number && own && value != defaults.value(key.path) {
                figures += 1;
                let source = preset.source(key.path).unwrap_or_default();
                assert!(
                    source.len() > 3,
                    "{}: {} has no source",
                    preset.name,
                    key.path
                );
            }
        }
        let shown = config.to_toml();
        for (path, source) in preset.sources() {
            assert!(config.gives(&path), "{}: {path}", preset.name);
            assert!(config.reads(&path), "{}: {path} has no effect", preset.name);
            let leaf = path.rsplit('.').next().unwrap_or_default();
            let line = format!("# {}: {source}\n{leaf} = ", preset.name);
            assert!(shown.contains(&line), "no {line:?} in {shown}");
        }
        for (path, source) in preset.base.iter().flat_map(|base| base.sources()) {
            let base = preset.base.expect("a base").name;
            if !config.reads(&path) {
                continue;
            }
            let leaf = path.rsplit('.').next().unwrap_or_default();
            let of_base = shown.contains(&format!("# {base}: {source}\n{leaf} = "));
            let gives_it = preset.source(&path).is_some();
            assert_ne!(of_base, gives_it, "{}: {path} of {base}", preset.name);
        }
        let start = format!("# {}: ", preset.name);
        let mut sources = shown.lines().filter(|line| line.starts_with(&start));
        assert_eq!(sources.find(|line| line.chars().count() > 130), None);
        assert!(
            config.warnings.is_empty(),
            "{}: {:?}",
            preset.name,
            config.warnings
        );
    }
    assert!(figures > 90, "{figures}");
    // a value that another layer gives has no source
    let mut other = Resolver::new();
    let other = other.preset("nvme-tlc").set("timing.read_us=51").unwrap();
    let shown = other.resolve().unwrap().to_toml();
    assert!(
        !shown.contains("\n# nvme-tlc: Samsung, July 2018: reads"),
        "{shown}"
    );
    assert!(shown.contains("\nread_us = 51.0 "), "{shown}");
}
