//! Keys that had another name before.

use ssdlab_config::{Resolver, keys};
use ssdlab_device::Catalogue;

const OLD: &str = "timing.bus_mhz";
const NEW: &str = "timing.bus_mb_s";

fn resolver(file: &str, sets: &[&str]) -> Result<Resolver, String> {
    let mut resolver = Resolver::new();
    let mut build = || {
        resolver.file("device.toml", file.as_bytes())?;
        sets.iter()
            .try_for_each(|set| resolver.set(set).map(|_| ()))
    };
    build().map_err(|error| error.to_string())?;
    Ok(resolver)
}

/// The file with the bus at 5 MB/s, and what follows.
fn file(name: &str, more: &str) -> String {
    format!("timing.model = \"parallel\"\n{name} = 5\n{more}")
}

// Planted bugs: a former name that files or `--set` do not take; a value that stays with the former name and has no
// effect; a former name in `config show` or JSON; a message about the name that the user did not write.
#[test]
fn a_former_name_is_the_same_key() {
    let plain = file(NEW, "");
    let told = |file: &str, sets: &[&str]| {
        let config = resolver(file, sets)?
            .resolve()
            .map_err(|error| error.to_string())?;
        let parallel = config.timing.parallel.bus_ns;
        Ok::<_, String>((config.to_toml(), config.to_json(), parallel))
    };
    let expected = told(&plain, &[]).unwrap();
    assert_eq!(expected.2, 409_600);
    assert!(expected.0.contains("\nbus_mb_s = 5.0 "), "{}", expected.0);
    assert!(!expected.0.contains("mhz"), "{}", expected.0);
    assert_eq!(expected.1["timing"]["bus_mb_s"], 5.0);
    assert_eq!(told(&file(OLD, ""), &[]).unwrap(), expected);
    let model = "timing.model = \"parallel\"";
    assert_eq!(told(model, &["timing.bus_mhz=5"]).unwrap(), expected);
    // a stronger layer, a preset's too, may call it otherwise
    assert_eq!(
        told(&file(OLD, ""), &["timing.bus_mb_s=5"]).unwrap(),
        expected
    );
    let preset = told("preset = \"lfs-2010\"", &["timing.bus_mhz=5"]).unwrap();
    assert_eq!(preset.1["timing"]["bus_mb_s"], 5.0);
    let refused = told("", &["timing.bus_mhz=-1"]).unwrap_err();
    assert!(
        refused.starts_with("--set timing.bus_mhz = -1: "),
        "{refused}"
    );
    let idle = resolver("", &["timing.bus_mhz=1"])
        .unwrap()
        .resolve()
        .unwrap();
    let expected = "timing.bus_mhz has no effect with timing.model \"serial\"";
    assert_eq!(idle.warnings, [expected]);
    for key in keys(&Catalogue::built_in()) {
        for name in [key.path].into_iter().chain(key.alias) {
            assert_eq!(Resolver::new().path_of(name), Some(key.path));
        }
    }
}

// Planted bugs: the later of both names wins silently; an error that names one of them.
#[test]
fn both_names_in_one_source_are_refused() {
    let why = "must not be given together with";
    let another = "another name of the same key; give one of them";
    for (file, sets, expected) in [
        (
            file(NEW, "timing.bus_mhz = 5\n"),
            &[][..],
            format!("device.toml:3: {OLD} = 5: {why} {NEW}, {another}"),
        ),
        (
            String::new(),
            &["timing.bus_mhz=5", "timing.bus_mb_s=6"],
            format!("--set {NEW} = 6: {why} {OLD}, {another}"),
        ),
    ] {
        assert_eq!(resolver(&file, sets).err(), Some(expected));
    }
}
