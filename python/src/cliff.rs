//! The write cliff.

use pyo3::prelude::*;
use ssdlab_report::cliff_picture;
use ssdlab_report::picture::Format;
use ssdlab_reproduce::Fills;
use ssdlab_sim::Cliff;

use crate::device::Device;
use crate::errors::{OrRaise, Said};
use crate::interrupt::apart;
use crate::pictures::chosen;
use crate::policies::Ending;

/// A sequential fill of a drive with an SLC cache.
#[pyclass(frozen, module = "ssdlab._native", name = "Cliff")]
pub struct Filled(Cliff);

#[pymethods]
impl Filled {
    /// The object `cliff` that `ssdlab cliff --json` prints.
    fn json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|error| Said::of("Error", error.to_string()).into())
    }

    /// The fill in a sentence.
    fn sentence(&self) -> String {
        self.0.sentence()
    }

    /// The picture of `ssdlab cliff --picture`: a file of this format, `width` mm wide.
    fn picture(&self, format: &str, width: f64) -> PyResult<Vec<u8>> {
        let format = chosen("format", format, &Format::ALL)?;
        let reviewed = Fills::reviewed().map_err(|error| Said::of("Error", error.to_string()))?;
        let file = cliff_picture(&self.0, &reviewed).file(format, width);
        Ok(file.map_err(|error| Said::of("Error", error))?)
    }
}

/// How a device with an SLC cache takes a sequential fill, of which a share is full before; `run_on`: the bytes of the drive that
/// runs, `None`: none does.
#[pyfunction]
pub fn cliff(
    py: Python,
    device: &Device,
    filled: f64,
    after: f64,
    run_on: Option<u64>,
) -> PyResult<Filled> {
    let ending = Ending::default();
    let lab = device.policies.lab(&ending);
    let config = device.resolver(&lab)?.resolve().or_raise()?;
    let found = Cliff::of(&config, filled).ok_or_else(|| {
        let why = "the drive has no SLC cache (ftl.slc), so it has no cliff; try preset=\"consumer-tlc-1tb\"";
        PyErr::from(Said::of("ConfigError", why).of_key("ftl.slc"))
    })?;
    let found = found.after(&config, after);
    let Some(run_on) = run_on else {
        return Ok(Filled(found));
    };
    let resolver = device.resolver(&lab)?;
    let found = apart(py, |stop| {
        found.with_runs(&lab, &resolver, &config, run_on, &stop)
    })?;
    Ok(Filled(ending.of(found)?.or_raise()?))
}
