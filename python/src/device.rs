//! Devices as a user describes them.

use pyo3::prelude::*;
use ssdlab_config::{Config, Resolver};
use ssdlab_sim::Lab;

use crate::errors::OrRaise;

/// A description of a device: layers of a configuration that go together.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Device {
    pub resolver: Resolver,
    /// Its layers without a capacity that fits a trace.
    pub config: Config,
}

#[pymethods]
impl Device {
    /// Layers from weak to strong: a preset, files (name and bytes), assignments `key=value`; then a smaller drive that
    /// behaves alike (bytes, and the text that gave them).
    #[new]
    #[pyo3(signature = (preset, files, assignments, scale_to))]
    fn new(
        preset: Option<&str>,
        files: Vec<(String, Vec<u8>)>,
        assignments: Vec<String>,
        scale_to: Option<(u64, String)>,
    ) -> PyResult<Self> {
        let mut resolver = Lab::new().resolver();
        if let Some(preset) = preset {
            resolver.preset(preset);
        }
        for (name, bytes) in files {
            resolver.file(&name, &bytes).or_raise()?;
        }
        for assignment in assignments {
            resolver.set(&assignment).or_raise()?;
        }
        if let Some((size, given)) = scale_to {
            resolver.scale_to(size, &given);
        }
        let config = resolver.resolve().or_raise()?;
        Ok(Self { resolver, config })
    }

    /// The resolved configuration: all keys as JSON, nested as in a file, sizes in bytes.
    fn json(&self) -> String {
        self.config.to_json().to_string()
    }

    /// The resolved configuration as a file with comments.
    fn toml(&self) -> String {
        self.config.to_toml()
    }

    /// The keys that this device reads, with their values as JSON.
    fn effective(&self) -> Vec<(&'static str, String)> {
        let effective = self.config.effective();
        effective
            .map(|(key, value)| (key.path, value.to_json().to_string()))
            .collect()
    }

    /// The keys that this device reads and that differ from their defaults, with values as in a file.
    fn changed(&self) -> Vec<(&'static str, String)> {
        self.config.changed()
    }

    /// What to know about the configuration, one sentence each.
    fn warnings(&self) -> Vec<String> {
        self.config.warnings.clone()
    }
}
