//! The figures of runs.

use pyo3::prelude::*;
use ssdlab_sim::Lab;

/// Every figure: its name, its title, its unit, and whether more (`True`), less (`False`) or neither (`None`) is better.
#[pyfunction]
pub fn figures() -> Vec<(&'static str, &'static str, &'static str, Option<bool>)> {
    use ssdlab_sim::Better;
    let figures = Lab::new().figures();
    let described = figures.iter().map(|figure| {
        let better = match figure.better {
            Better::More => Some(true),
            Better::Less => Some(false),
            Better::Neither => None,
        };
        (figure.key, figure.title, figure.unit.symbol(), better)
    });
    described.collect()
}
