//! A policy of a device: an instance of a class of Python, and its methods.

use std::sync::Arc;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use ssdlab_policy::Settings;

use super::declared::{Declared, Value};
use super::ending::Ending;
use crate::errors::Said;

/// After so many calls, Python looks whether a signal has come.
const SIGNALS: u32 = 4096;

/// The most letters of a wrong value that a message shows.
const SHOWN: usize = 80;

/// An instance that is made at its first call: no code of Python runs while a device is built, which happens under a
/// lock.
pub struct Called {
    policy: Arc<Declared>,
    ending: Ending,
    /// The names of the methods, and what the shape says, by name.
    names: &'static [&'static str],
    shape: Vec<(&'static str, u64)>,
    keys: Vec<(String, Value)>,
    /// In the order of the names; `None`: the class does not define it.
    methods: Option<Vec<Option<Py<PyAny>>>>,
    calls: u32,
}

impl Called {
    /// An instance with these keys and this shape, which the class takes by name.
    pub fn new(
        policy: &Arc<Declared>,
        ending: &Ending,
        names: &'static [&'static str],
        shape: Vec<(&'static str, u64)>,
        keys: Vec<(String, Value)>,
    ) -> Self {
        Self {
            policy: Arc::clone(policy),
            ending: ending.clone(),
            names,
            shape,
            keys,
            methods: None,
            calls: 0,
        }
    }

    fn make(&self, py: Python) -> PyResult<Vec<Option<Py<PyAny>>>> {
        let (shape, keys) = (PyDict::new(py), PyDict::new(py));
        for (name, value) in &self.shape {
            shape.set_item(name, value)?;
        }
        for (name, value) in &self.keys {
            keys.set_item(name, value)?;
        }
        let make = py.import("ssdlab.policies")?.getattr("made")?;
        let class = self.policy.class.bind(py);
        make.call1((class, self.names.to_vec(), shape, keys))?
            .extract()
    }

    /// The value that a method returns; `None`: it is not defined, or the run ends.
    #[inline]
    fn call<'py>(
        &mut self,
        py: Python<'py>,
        method: usize,
        arguments: impl PyCallArgs<'py>,
    ) -> Option<Bound<'py, PyAny>> {
        if self.methods.is_none() {
            match self.make(py) {
                Ok(methods) => self.methods = Some(methods),
                Err(error) => {
                    self.ending.raise(error);
                    return None;
                }
            }
        }
        let method = self.methods.as_ref()?[method].as_ref()?;
        self.calls = self.calls.wrapping_add(1);
        let signals = match self.calls % SIGNALS {
            0 => py.check_signals(),
            _ => Ok(()),
        };
        let returned = signals.and_then(|()| method.bind(py).call1(arguments));
        returned.map_err(|error| self.ending.raise(error)).ok()
    }

    /// Whether a call of this method can do anything.
    #[inline]
    fn is_defined(&self, method: usize) -> bool {
        !self.ending.is_near()
            && self
                .methods
                .as_ref()
                .is_none_or(|methods| methods[method].is_some())
    }

    /// Calls a method whose value does not matter.
    #[inline]
    pub fn tell<A: for<'py> PyCallArgs<'py>>(&mut self, method: usize, arguments: A) {
        if self.is_defined(method) {
            Python::attach(|py| {
                self.call(py, method, arguments);
            });
        }
    }

    /// What a method returns, as `read` takes it. `None`: it is not defined, or the run ends; so it does if `read` takes
    /// nothing, with a message that says what is allowed.
    #[inline]
    pub fn ask<A: for<'py> PyCallArgs<'py>, T>(
        &mut self,
        method: usize,
        arguments: A,
        read: impl FnOnce(&Bound<PyAny>) -> Option<T>,
        allowed: impl FnOnce() -> String,
    ) -> Option<T> {
        if !self.is_defined(method) {
            return None;
        }
        Python::attach(|py| {
            let returned = self.call(py, method, arguments)?;
            let value = read(&returned);
            if value.is_none() {
                self.refuse(method, &returned, &allowed());
            }
            value
        })
    }

    #[cold]
    fn refuse(&self, method: usize, returned: &Bound<PyAny>, allowed: &str) {
        let class = &self.policy.class_name;
        let method = self.names[method];
        let shown = shown(returned);
        self.fail(format!(
            "{class}.{method}() returned {shown}: must be {allowed}"
        ));
    }

    /// Ends the run with a message.
    #[cold]
    pub fn fail(&self, message: String) {
        self.ending
            .raise(Said::of("SimulationError", message).into());
    }

    /// The name of its class, for messages.
    pub fn class_name(&self) -> &str {
        &self.policy.class_name
    }
}

/// A value in a message.
fn shown(value: &Bound<PyAny>) -> String {
    let text = value.repr().map(|text| text.to_string());
    let Ok(text) = text else {
        return format!("an object of {}", value.get_type());
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A whole number that is no `bool`, of Python or NumPy.
#[inline]
pub fn number(value: &Bound<PyAny>) -> Option<u32> {
    if value.is_instance_of::<PyBool>() {
        return None;
    }
    value.extract().ok()
}

/// The values of a policy's own keys, by the names that it gives them.
pub fn values(policy: &Declared, settings: &dyn Settings) -> Vec<(String, Value)> {
    let values = policy.own.iter();
    values
        .map(|own| (own.name.clone(), own.of(settings)))
        .collect()
}
