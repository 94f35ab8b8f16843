//! Checks that every configuration key that the sources name exists.

use std::collections::BTreeSet;
use std::fs;

use ssdlab_config::keys;
use ssdlab_device::Catalogue;

use crate::tree::{files, root};

/// The keys that a source names: texts that begin with a table and a name, with or without a value, and the same two as
/// indices of a configuration in JSON.
fn named<'a>(source: &'a str, tables: &BTreeSet<&str>) -> Vec<String> {
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_lowercase())
    };
    let texts = source.split('"').collect::<Vec<&'a str>>();
    let key_of = |text: &str| {
        let path = text.split('=').next()?;
        let (table, name) = path.split_once('.')?;
        (tables.contains(table) && is_name(name)).then(|| path.to_owned())
    };
    let indices = texts.windows(4).filter_map(|window| match window {
        [before, table, "][", name] if before.ends_with('[') && tables.contains(table) => {
            Some(format!("{table}.{name}"))
        }
        _ => None,
    });
    texts
        .iter()
        .filter_map(|text| key_of(text))
        .chain(indices)
        .collect()
}

// Planted bug: a key that was renamed, while a command still names it as it was.
#[test]
fn every_key_that_is_named_exists() {
    let keys = keys(&Catalogue::built_in());
    let known: BTreeSet<&str> = keys
        .iter()
        .flat_map(|key| [Some(key.path), key.alias])
        .flatten()
        .collect();
    let tables = known
        .iter()
        .filter_map(|path| Some(path.split_once('.')?.0))
        .collect();
    let (mut count, mut unknown) = (0, Vec::new());
    for file in files(root()).unwrap() {
        let is_source = file.components().any(|part| part.as_os_str() == "src");
        if !is_source
            || file.starts_with("examples")
            || file.extension().is_none_or(|end| end != "rs")
        {
            continue;
        }
        let source = fs::read_to_string(root().join(&file)).unwrap();
        for key in named(&source, &tables) {
            count += 1;
            // a file of the examples
            if !known.contains(key.as_str()) && key != "drive.img" {
                unknown.push(format!("{}: {key}", file.display()));
            }
        }
    }
    assert!(count > 150, "{count} keys");
    assert!(unknown.is_empty(), "{unknown:#?}");
}
