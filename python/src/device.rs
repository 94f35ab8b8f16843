//! Devices as a user describes them.

use pyo3::prelude::*;
use ssdlab_config::{Config, Resolver};
use ssdlab_sim::Lab as Systems;

use crate::errors::OrRaise;
use crate::policies::{Ending, Lab, Policies};

/// A description of a device: layers of a configuration that go together.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Device {
    layers: Layers,
    /// The policies in Python that it may have.
    pub policies: Policies,
    /// Its layers without a capacity that fits a trace.
    pub config: Config,
}

/// What a user gives, from weak to strong.
struct Layers {
    preset: Option<String>,
    /// Names and bytes.
    files: Vec<(String, Vec<u8>)>,
    /// `key=value`.
    assignments: Vec<String>,
    /// The size of a smaller drive that behaves alike, and the text that gave it.
    scale_to: Option<(u64, String)>,
}

impl Device {
    /// The configuration for these systems.
    ///
    /// # Errors
    /// A key or value that they do not know.
    pub fn resolver(&self, systems: &Systems) -> PyResult<Resolver> {
        self.layers.resolver(systems)
    }
}

impl Layers {
    fn resolver(&self, systems: &Systems) -> PyResult<Resolver> {
        let mut resolver = systems.resolver();
        if let Some(preset) = &self.preset {
            resolver.preset(preset);
        }
        for (name, bytes) in &self.files {
            resolver.file(name, bytes).or_raise()?;
        }
        for assignment in &self.assignments {
            resolver.set(assignment).or_raise()?;
        }
        if let Some((size, given)) = &self.scale_to {
            resolver.scale_to(*size, given);
        }
        Ok(resolver)
    }
}

#[pymethods]
impl Device {
    /// Layers from weak to strong: a preset, files (name and bytes), assignments `key=value`; then a smaller drive that
    /// behaves alike (bytes, and the text that gave them). `lab` has the policies in Python.
    #[new]
    #[pyo3(signature = (preset, files, assignments, scale_to, lab=None))]
    fn new(
        preset: Option<String>,
        files: Vec<(String, Vec<u8>)>,
        assignments: Vec<String>,
        scale_to: Option<(u64, String)>,
        lab: Option<&Lab>,
    ) -> PyResult<Self> {
        let policies = lab.map(|lab| lab.policies.clone()).unwrap_or_default();
        let layers = Layers {
            preset,
            files,
            assignments,
            scale_to,
        };
        let resolver = layers.resolver(&policies.lab(&Ending::default()))?;
        let config = resolver.resolve().or_raise()?;
        Ok(Self {
            layers,
            policies,
            config,
        })
    }

    /// Whether a preset, a file, a key or a scale gives the capacity.
    fn has_capacity(&self) -> PyResult<bool> {
        let mut resolver = self.resolver(&self.policies.lab(&Ending::default()))?;
        let fitting = resolver.fit_capacity(true).resolve().or_raise()?;
        Ok(self.config.is_auto() || !fitting.is_auto())
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
