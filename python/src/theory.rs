//! Write amplification in closed form.

use pyo3::prelude::*;
use ssdlab_theory::{BadPools, Class, Cleaning, Pool, Pools, Spare};

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
        return Err(pages_of_block(pages_per_block));
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

/// The share of the physical pages and the write amplification of each pool, and that of all: `cleaning` within pools of
/// writes, data and whether they are in order. Without a split, in proportion to the data, or the best one.
#[pyfunction]
#[pyo3(signature = (cleaning, spare_share, pages_per_block, pools, split, optimal))]
pub fn pools(
    cleaning: &str,
    spare_share: f64,
    pages_per_block: u32,
    pools: Vec<(f64, f64, bool)>,
    split: Option<Vec<f64>>,
    optimal: bool,
) -> PyResult<(Vec<f64>, Vec<f64>, f64)> {
    let spare = spare(spare_share)?;
    let cleaning = match cleaning {
        "greedy" if (1..=1 << 22).contains(&pages_per_block) => Cleaning::Greedy(pages_per_block),
        "greedy" => return Err(pages_of_block(pages_per_block)),
        "fifo" => Cleaning::Fifo,
        _ => {
            let what = format!("cleaning = {cleaning:?}: must be greedy or fifo");
            return Err(Said::of("ConfigError", what).of_key("cleaning").into());
        }
    };
    let refused = |key: &str, error: &BadPools| -> PyErr {
        let why = error.in_words(|share| ((share * 1e8).round() / 1e8).to_string());
        let what = format!("{key}: {why}");
        Said::of("ConfigError", what).of_key(key).into()
    };
    let pools = pools.into_iter().map(|(writes, data, sequential)| Pool {
        class: Class { writes, data },
        sequential,
    });
    let pools = Pools::new(&pools.collect::<Vec<_>>()).map_err(|error| refused("pools", &error))?;
    let found = match split {
        Some(split) => pools
            .split(spare, cleaning, &split)
            .map_err(|error| refused("split", &error))?,
        None if optimal => pools.optimal(spare, cleaning),
        None => pools.proportional(spare, cleaning),
    };
    Ok((found.shares, found.each, found.amplification))
}

fn pages_of_block(pages_per_block: u32) -> PyErr {
    let what = format!("pages_per_block = {pages_per_block}: must be 1 to 4194304");
    let said = Said::of("ConfigError", what);
    said.of_key("pages_per_block").into()
}
