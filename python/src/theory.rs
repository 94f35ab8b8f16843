//! Write amplification in closed form.

use pyo3::prelude::*;
use ssdlab_theory::{Class, Spare};

use crate::errors::Said;

fn spare(share: f64) -> PyResult<Spare> {
    Spare::new(share).ok_or_else(|| {
        let what = format!("spare = {share}: must be from 1e-6 to below 1");
        Said::of("ConfigError", what).of_key("spare").into()
    })
}

/// The share of spare pages of an over-provisioning.
#[pyfunction]
pub fn spare_of(over_provisioning: f64) -> PyResult<f64> {
    let spare = Spare::from_over_provisioning(over_provisioning);
    spare.map(Spare::share).ok_or_else(|| {
        let what = format!("over_provisioning = {over_provisioning}: must be above 0");
        Said::of("ConfigError", what)
            .of_key("over_provisioning")
            .into()
    })
}

/// Write amplification of uniform random writes: of `greedy` or `fifo` cleaning, or of `d` random blocks.
#[pyfunction]
#[pyo3(signature = (policy, spare_share, pages_per_block, d))]
pub fn uniform(policy: &str, spare_share: f64, pages_per_block: u32, d: u32) -> PyResult<f64> {
    let spare = spare(spare_share)?;
    if !(1..=1 << 22).contains(&pages_per_block) {
        let what = format!("pages_per_block = {pages_per_block}: must be 1 to 4194304");
        return Err(Said::of("ConfigError", what)
            .of_key("pages_per_block")
            .into());
    }
    match policy {
        "greedy" => Ok(ssdlab_theory::greedy(spare, pages_per_block)),
        "fifo" => Ok(ssdlab_theory::fifo(spare)),
        "d-choices" if (1..=65535).contains(&d) => {
            Ok(ssdlab_theory::d_choices(spare, pages_per_block, d))
        }
        "d-choices" => {
            let what = format!("d = {d}: must be 1 to 65535");
            Err(Said::of("ConfigError", what).of_key("d").into())
        }
        _ => {
            let what = format!("policy = {policy:?}: must be greedy, fifo or d-choices");
            Err(Said::of("ConfigError", what).of_key("policy").into())
        }
    }
}

/// Write amplification of fifo cleaning, where a share of the writes goes to a share of the data.
#[pyfunction]
pub fn hot_and_cold(spare_share: f64, writes: f64, data: f64) -> PyResult<f64> {
    let spare = spare(spare_share)?;
    let is_share = |share: f64| share > 0.0 && share < 1.0;
    if !is_share(writes) || !is_share(data) {
        let what = format!("hot = {writes}/{data}: must be two shares above 0 and below 1");
        return Err(Said::of("ConfigError", what).of_key("hot").into());
    }
    let classes = [(writes, data), (1.0 - writes, 1.0 - data)];
    let classes = classes.map(|(writes, data)| Class { writes, data });
    Ok(ssdlab_theory::classes(spare, &classes))
}
