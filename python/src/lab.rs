//! The systems that there are, and the keys that describe devices.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
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
pub fn systems(family: &str) -> Option<Vec<(&'static str, &'static str, &'static str)>> {
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
                .map(|one| (one.name, one.about, one.paper))
                .collect(),
        );
    }
    let (_, family) = families.into_iter().find(|(name, _)| *name == family)?;
    let entries = Catalogue::built_in().entries(family).into_iter();
    Some(
        entries
            .map(|entry| (entry.name, entry.rule, entry.paper))
            .collect(),
    )
}

/// Every key of a configuration: its path, what it means, its type (`bool`, `int`, `float`, `size`, `str`, `list`), the
/// allowed values, the default.
#[pyfunction]
pub fn keys(py: Python) -> PyResult<Bound<PyList>> {
    let catalogue = Catalogue::built_in();
    let described = all_keys(&catalogue).into_iter().map(|key| {
        let described = PyDict::new(py);
        described.set_item("path", key.path)?;
        described.set_item("doc", key.doc)?;
        let kind = match key.kind {
            Kind::Bool => "bool",
            Kind::Int { .. } => "int",
            Kind::Size { .. } => "size",
            Kind::Float { .. } | Kind::Share => "float",
            Kind::Choice(_) | Kind::Pattern { .. } => "str",
            Kind::List { .. } => "list",
        };
        described.set_item("kind", kind)?;
        described.set_item("allowed", legal(&key.kind, &catalogue))?;
        described.set_item("default", default_of(&key))?;
        Ok(described)
    });
    PyList::new(py, described.collect::<PyResult<Vec<_>>>()?)
}
