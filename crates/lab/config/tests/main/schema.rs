//! The schema compared with the registries and with a configuration that gives nothing.
//!
//! Planted bugs that these tests catch: a key added in one place only; a registered policy that reads a key that does
//! not exist; a default outside its own range.

use ssdlab_config::{Key, Resolver, Value, keys, presets};
use ssdlab_device::registry::built_in;
use ssdlab_device::{Catalogue, Family};

/// Keys that a configuration contains only if they are given.
const IF_GIVEN: [&str; 9] = [
    "preset",
    "flash.rated_tbw",
    "timing.spare_slots",
    "ftl.over_provisioning",
    "ftl.update_probability",
    "ftl.ram_threshold",
    "energy.read_uj",
    "energy.program_uj",
    "energy.erase_uj",
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

#[test]
fn the_defaults_are_the_listing() {
    let json = Resolver::new().resolve().unwrap().to_json();
    let expected = serde_json::json!({
        "partial_writes": "whole", "precondition": "full", "precondition_size": 0,
        "precondition_segment": 0, "precondition_limit": 20.0, "precondition_seed": 1, "drain": true, "replay": "closed",
        "queue_depth": 1, "speedup": 1.0, "clock": "writes",
        "flash": {"capacity": 1_073_741_824, "page_size": 2048, "pages_per_block": 128, "planes": 1,
            "copy_back": false, "channels": 1, "chips_per_channel": 1, "interleave": "superpage",
            "pe_cycles": 3000},
        "timing": {"model": "serial", "read_us": 50.0, "program_us": 800.0, "erase_us": 1500.0,
            "transfer_us": 50.0, "buffer_us": 0.0, "bus_mb_s": 166.0, "channel_mb_s": 40.0,
            "read_suspends": false, "program_pages": 1, "sense_pages": 1, "reads_at_once": 1,
            "suspend_us": 50.0, "suspend_window_us": 400.0, "command_us": 0.0, "dispatch_us": 0.0,
            "read_host_us": 0.0, "write_host_us": 0.0},
        "ftl": {"kind": "bast", "reserve": 0.0, "open_blocks": 1, "spare_blocks": 2, "map_updates": "ignored", "log_blocks": 7, "free_lists": "one",
            "partial_merge": true, "buffer_aware": "off", "candidates": 0, "weigh_copy_backs": true, "averaged_merges": 16,
            "blocks_per_superblock": 8, "max_update_blocks": 8, "cleaning": "greedy",
            "placement": "single", "gc_low": 3, "unit_blocks": 1, "copy_stripes": 1, "eager": 0.0, "eager_free": 0,
            "pace": "whole", "idle_cleaning_us": 0.0, "gc_high": 4, "gc_frontier": "separate", "regions": 4,
            "stable_s": [100.0, 200.0, 300.0, 400.0], "ram": 4_194_304, "handles": 8, "handle_types": "ii", "heads": 8,
            "d": 10, "seed": 1},
        "buffer": {"policy": "bplru", "reads": "bypass", "protected": false, "flush_age_s": 0.0,
            "size": 16_777_216, "window": 0.25, "count_headers": false, "padding": true,
            "compensation": true, "hot": 0.1, "granularity": "block", "small_request": 5, "age": "three-quarters",
            "complete": "learned", "feedback": true},
        "read_buffer": {"policy": "none", "size": 8_388_608, "writes": "bypass"},
        "drive": {"hold_ms": 1000, "spare_blocks": 0, "bad_blocks": 0, "program_failures": 0.0,
            "erase_failures": 0.0, "erase_limit": 0, "bit_errors": 0.0, "bit_errors_per_erase": 0.0,
            "ecc_bits": 40, "fault_seed": 1},
    });
    assert_eq!(json.to_string(), expected.to_string());
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
