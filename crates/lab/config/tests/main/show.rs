//! `config show`: its output loads to the same configuration, and no file makes it panic.
//!
//! Planted bugs that these tests catch: a size printed in a unit that does not divide it; a float printed with too few
//! digits; a key with an effect that is commented out; a slice inside a UTF-8 character.

use proptest::prelude::*;
use ssdlab_config::{Config, Resolver};
use ssdlab_device::{Family, registry::built_in};

fn reload(config: &Config) -> Config {
    let text = config.to_toml();
    let mut resolver = Resolver::new();
    resolver
        .file("shown.toml", text.as_bytes())
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    resolver.resolve().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// `--set` assignments that together make a valid configuration.
fn valid() -> impl Strategy<Value = Vec<String>> {
    let geometry =
        (1u64..=2048, 1u64..=300, 1u64..=500, 2u64..=40).prop_map(|(s, n, blocks, c)| {
            let page = s * 512;
            vec![
                format!("flash.page_size={page}"),
                format!("flash.pages_per_block={n}"),
                format!("flash.capacity={}", blocks * n * page),
                format!("buffer.size={}", c * page + s),
            ]
        });
    let some = |key: &'static str, values: BoxedStrategy<String>| {
        proptest::option::of(values.prop_map(move |value| format!("{key}={value}"))).boxed()
    };
    let name = |names: &'static [&'static str]| {
        proptest::sample::select(names)
            .prop_map(str::to_owned)
            .boxed()
    };
    let switch = || any::<bool>().prop_map(|on| on.to_string()).boxed();
    let number = |most: f64| (0.0..=most).prop_map(|x| format!("{x:?}")).boxed();
    let count = |most: u32| (1..=most).prop_map(|n| n.to_string()).boxed();
    let policies = &[
        "none",
        "fifo",
        "lru",
        "cflru",
        "sof",
        "fab",
        "blru",
        "bplru",
        "unbounded",
    ];
    let share = (0.001..=2.0).prop_map(|x| format!("{x:?}")).boxed();
    let spare = prop_oneof![
        some("ftl.spare_blocks", count(1000)),
        some("ftl.over_provisioning", share),
    ];
    let others = vec![
        some("preset", name(&["bplru-2008"])),
        some("ftl.kind", name(&["ideal", "block", "replacement", "bast"])),
        some("buffer.policy", name(policies)),
        some("buffer.reads", name(&["bypass", "cache"])),
        some("partial_writes", name(&["whole", "rmw"])),
        some("precondition", name(&["full", "empty"])),
        some("drain", switch()),
        some("flash.copy_back", switch()),
        some("ftl.partial_merge", switch()),
        some("buffer.count_headers", name(&["off", "bplru", "all"])),
        some("buffer.padding", name(&["block", "mapped", "off"])),
        some("buffer.compensation", switch()),
        some("buffer.protected", switch()),
        some("timing.read_us", number(1e6)),
        some("timing.buffer_us", number(1e-3)),
        some("buffer.flush_age_s", number(1e9)),
        some("buffer.window", number(1.0)),
        some("flash.planes", count(65535)),
        some("ftl.log_blocks", count(65535)),
        spare.boxed(),
    ];
    (geometry, others).prop_map(|(mut all, others)| {
        all.extend(others.into_iter().flatten());
        all
    })
}

proptest! {
    #[test]
    fn shown_loads_to_the_same(sets in valid()) {
        let mut resolver = Resolver::new();
        for set in &sets {
            resolver.set(set).unwrap();
        }
        let config = resolver.resolve().unwrap();
        let again = reload(&config);
        prop_assert_eq!(&config, &again);
        prop_assert_eq!(&again.warnings, &Vec::<String>::new());
        prop_assert_eq!(config.to_toml().lines().count(), again.to_toml().lines().count());
        // the typed values too, except those without effect
        prop_assert_eq!(&config.flash.capacity, &again.flash.capacity);
        prop_assert_eq!(&config.timing.read_ns, &again.timing.read_ns);
        prop_assert_eq!(config.physical_blocks(), again.physical_blocks());
        prop_assert_eq!(config.buffer_pages(), again.buffer_pages());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Resolver::new().file("x", &bytes).and_then(|r| r.resolve());
    }

    // mutations of a real file pass the parser far more often than random bytes
    #[test]
    fn no_mutation_makes_it_panic(cuts in proptest::collection::vec((any::<u16>(), "[\\PC\n]{0,6}"), 1..4)) {
        let mut text: Vec<char> = Resolver::new().resolve().unwrap().to_toml().chars().collect();
        for (at, put) in cuts {
            let at = usize::from(at) % text.len();
            text.splice(at..at + usize::from(at + 1 < text.len()), put.chars());
        }
        let text: String = text.into_iter().collect();
        let resolved = Resolver::new().file("x", text.as_bytes()).and_then(|r| r.resolve());
        if let Err(error) = resolved {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn no_assignment_makes_it_panic(path in "\\PC{0,8}", value in "\\PC{0,12}") {
        let _ = Resolver::new().set(&format!("{path}={value}")).and_then(|r| r.resolve());
        for key in ssdlab_config::keys(&ssdlab_device::Catalogue::built_in()) {
            let _ = Resolver::new().set(&format!("{}={value}", key.path)).and_then(|r| r.resolve());
        }
    }
}

#[test]
fn comments_tell_meaning_and_legal_values() {
    let shown = Resolver::new()
        .set("buffer.policy=lru")
        .unwrap()
        .resolve()
        .unwrap()
        .to_toml();
    let line = |start: &str| shown.lines().find(|line| line.starts_with(start)).unwrap();
    assert!(line("page_size = \"2KiB\"").contains("# bytes"));
    assert!(line("page_size").ends_with("512B to 1MiB in steps of 512"));
    assert!(line("# window = 0.25 ").contains("# cflru: "));
    let ftls: Vec<&str> = built_in(Family::Ftl).iter().map(|ftl| ftl.name).collect();
    assert!(line("kind = \"bast\"").contains(&ftls.join(" | ")));
    for idle in ["queue_depth = 1", "bus_mb_s = 166.0", "channel_mb_s = 40.0"] {
        assert!(line(&format!("# {idle} ")).contains("# "), "{idle}");
    }
}

#[test]
fn an_automatic_capacity_is_shown_as_such() {
    let auto = Resolver::new()
        .set("flash.capacity=auto")
        .unwrap()
        .resolve()
        .unwrap();
    assert!(reload(&auto).is_auto());
    let settled = auto.with_capacity(1 << 20).unwrap();
    assert_eq!(reload(&settled).flash.capacity, 1 << 20);
}

// found by `shown_loads_to_the_same`: copy_back has no effect with ideal, and planes depends on copy_back
#[test]
fn a_key_that_hangs_on_an_idle_key_is_idle() {
    let mut resolver = Resolver::new();
    resolver
        .set("ftl.kind=ideal")
        .unwrap()
        .set("flash.copy_back=true")
        .unwrap();
    let config = resolver.resolve().unwrap();
    assert!(config.to_toml().contains("\n# planes = 1 "));
    assert_eq!(reload(&config), config);
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = |open: &str, n: usize| open.repeat(n);
    let texts = [
        format!("drain = {}", deep("[", 200_000)),
        format!("drain = {}", deep("{a=", 200_000)),
        format!("{}b = 1", deep("a.", 200_000)),
        format!("[{}b]", deep("a.", 200_000)),
    ];
    for text in texts {
        assert!(Resolver::new().file("x", text.as_bytes()).is_err());
        assert!(Resolver::new().set(&text).is_err());
    }
}

// planted bugs: keys of the preset left out; a given default shown; a key without effect shown
#[test]
fn what_differs_from_the_defaults_is_known() {
    let mut resolver = Resolver::new();
    resolver.preset("bplru-2008");
    let same = resolver.resolve().expect("valid").changed();
    for set in [
        "flash.page_size=2048", // the default
        "ftl.over_provisioning=0.25",
        "buffer.window=0.5", // of cflru
        "buffer.size=3MiB",
    ] {
        resolver.set(set).expect("valid");
    }
    let changed = resolver.resolve().expect("valid").changed();
    let set = |key: &str| changed.iter().find(|(path, _)| *path == key);
    assert_eq!(
        set("ftl.over_provisioning").map(|(_, value)| value.as_str()),
        Some("0.25")
    );
    assert_eq!(
        set("buffer.size").map(|(_, value)| value.as_str()),
        Some("\"3MiB\"")
    );
    for key in ["flash.page_size", "buffer.window", "ftl.spare_blocks"] {
        assert_eq!(set(key), None);
    }
    assert!(same.contains(&("preset", "\"bplru-2008\"".into())));
    let none = Resolver::new().resolve().expect("valid").changed();
    assert_eq!(none, []);
}

// planted bugs: a key without a value left out; one that is not commented out; one with a value shown without it
#[test]
fn every_key_is_shown_with_or_without_a_value() {
    for preset in [None, Some("nvme-tlc")] {
        let mut resolver = Resolver::new();
        if let Some(preset) = preset {
            resolver.preset(preset);
        }
        let config = resolver.resolve().expect("valid");
        let shown = config.to_toml();
        let mut table = "";
        let mut paths = Vec::new();
        for line in shown.lines() {
            if let Some(name) = line.strip_prefix('[') {
                table = name.trim_end_matches(']');
            } else if let Some((key, value)) = line.trim_start_matches("# ").split_once(" =") {
                let is_key = key
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c));
                if is_key {
                    let path = if table.is_empty() {
                        key.to_owned()
                    } else {
                        format!("{table}.{key}")
                    };
                    let has_value = !value.trim_start().starts_with('#');
                    assert_eq!(has_value, config.value(&path).is_some(), "{line}");
                    assert!(has_value || line.starts_with("# "), "{line}");
                    paths.push(path);
                }
            }
        }
        let all = ssdlab_config::keys(&ssdlab_device::Catalogue::built_in());
        let all: Vec<String> = all.iter().map(|key| key.path.to_owned()).collect();
        assert_eq!(paths, all, "{shown}");
    }
}
