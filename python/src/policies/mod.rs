//! Policies written in Python, beside the built-in ones.
//!
//! A method of Python is called where a built-in policy would decide. All that it returns is checked: a page that is not
//! held never leaves, and a block that is not full is never cleaned. The first exception, or the first value that is not
//! allowed, stops the run, which goes on with valid answers until it sees the flag and then raises.

mod buffer;
mod called;
mod cleaning;
mod declared;
mod ending;
mod placement;

use std::sync::Arc;

use pyo3::prelude::*;
use ssdlab_config::{Config, Value};
use ssdlab_device::{Catalogue, Family};
use ssdlab_sim::{Lab as Systems, Within};

use self::declared::Declared;

pub use self::ending::{Ending, holding};

/// The built-in systems and policies written in Python.
#[pyclass(frozen, module = "ssdlab._native")]
pub struct Lab {
    pub policies: Policies,
}

#[pymethods]
impl Lab {
    /// With these policies, whose names and keys Python has checked.
    #[new]
    fn new(policies: Vec<Declared>) -> Self {
        let policies = policies.into_iter().map(Arc::new).collect();
        Self {
            policies: Policies(policies),
        }
    }
}

/// Policies written in Python.
#[derive(Clone, Default)]
pub struct Policies(Arc<[Arc<Declared>]>);

impl Policies {
    /// All systems, for a run that ends so.
    pub fn lab(&self, ending: &Ending) -> Systems {
        let add = |lab, policy: &Arc<Declared>| match policy.family.as_str() {
            "buffer" => buffer::add(lab, policy, ending),
            "cleaning" => cleaning::add(lab, policy, ending),
            _ => placement::add(lab, policy, ending),
        };
        let lab = self.0.iter().fold(Systems::new(), add);
        if self.0.is_empty() {
            return lab;
        }
        // it may call no method for minutes
        let ending = ending.clone();
        lab.polled_by(Arc::new(move || ending.check()))
    }

    /// All systems by name.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        if self.0.is_empty() {
            return Catalogue::built_in();
        }
        self.lab(&Ending::default()).systems().catalogue()
    }

    /// Whether a device has one of these policies.
    pub fn are_in(&self, config: &Config) -> bool {
        let of_python = |text: &str| self.0.iter().any(|policy| policy.name == text);
        config.effective().any(|(key, value)| {
            let selects = Family::ALL
                .iter()
                .any(|family| family.selector() == key.path);
            (selects || key.path == "read_buffer.policy")
                && matches!(value, Value::Text(text) if of_python(text))
        })
    }

    /// A run with one of these policies holds the lock of the interpreter, which takes long to get for each call. Runs
    /// without them go on beside it.
    pub fn within(&self) -> Option<Within> {
        if self.0.is_empty() {
            return None;
        }
        let policies = self.clone();
        Some(Arc::new(move |config, run| {
            if policies.are_in(config) {
                holding(run);
            } else {
                run();
            }
        }))
    }
}
