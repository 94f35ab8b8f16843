//! The command line, inside the extension.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use ssdlab::{Start, main_of};

/// Runs the command line in this process, which should do nothing else: it catches signals, and some of them end the
/// process. `arguments` begin with the name of the program; the plugin of nbdkit lies in `folder`. Returns the exit code.
#[pyfunction]
pub fn command(py: Python, arguments: Vec<OsString>, folder: PathBuf) -> u8 {
    let start = Start {
        arguments,
        folder: Some(folder),
    };
    py.detach(|| main_of(&(), start))
}
