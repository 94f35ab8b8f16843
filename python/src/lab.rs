//! The systems that there are, and the keys that describe devices.

use pyo3::prelude::*;
use ssdlab_config::{Kind, default_of, keys as all_keys, legal, presets};
use ssdlab_device::{Catalogue, Family};

/// The version of the program.
#[pyfunction]
pub fn version() -> &'static str {
    ssdlab::VERSION
}

/// The bytes of a size such as `4MiB`; `None`: it is none.
#[pyfunction]
pub fn parse_bytes(text: &str) -> Option<u64> {
    ssdlab_words::parse_bytes(text)
}

/// The names of the systems of a family (`buffer`, `ftl`, `cleaning`, `placement`) or of the presets (`preset`), each with
/// what it does and its source.
#[pyfunction]
pub fn systems(family: &str) -> Option<Vec<(&'static str, &'static str, String)>> {
    let families = [
        ("buffer", Family::Buffer),
        ("ftl", Family::Ftl),
        ("cleaning", Family::Cleaning),
        ("placement", Family::Placement),
    ];
    if family == "preset" {
        let presets = presets().iter();
        return Some(
            presets
                .map(|one| (one.name, one.about, one.source.in_full().to_string()))
                .collect(),
        );
    }
    let (_, family) = families.into_iter().find(|(name, _)| *name == family)?;
    let entries = Catalogue::built_in().entries(family).into_iter();
    Some(
        entries
            .map(|entry| (entry.name, entry.rule, entry.source.to_string()))
            .collect(),
    )
}

/// A key: its path, what it means, its type (`bool`, `int`, `float`, `size`, `str`,
/// `switch`: a name, or true or false for the first and the last one, `list`), the allowed values, the default.
type Described = (
    &'static str,
    &'static str,
    &'static str,
    String,
    Option<String>,
);

/// Every key of a configuration: its path, what it means, its type (`bool`, `int`, `float`, `size`, `str`,
/// `switch`: a name, or true or false for the first and the last one, `list`), the
/// allowed values, the default.
#[pyfunction]
pub fn keys() -> Vec<Described> {
    let catalogue = Catalogue::built_in();
    let described = all_keys(&catalogue).into_iter().map(|key| {
        let kind = match key.kind {
            Kind::Bool => "bool",
            Kind::Int { .. } => "int",
            Kind::Size { .. } => "size",
            Kind::Float { .. } | Kind::Share => "float",
            Kind::Choice(ssdlab_policy::Names::Switched(_)) => "switch",
            Kind::Choice(_) | Kind::Pattern { .. } => "str",
            Kind::List { .. } => "list",
        };
        let allowed = legal(&key.kind, &catalogue);
        (key.path, key.doc, kind, allowed, default_of(&key))
    });
    described.collect()
}
