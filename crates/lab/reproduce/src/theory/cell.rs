//! One figure of theory and one of the simulator.

use ssdlab_config::Config;
use ssdlab_sim::{Counters, Lab, SimError, Steady, StopFlag};

use super::case::Case;
use crate::runs::Run;

/// A figure of theory, and the run that tests it.
#[derive(Debug)]
pub(super) struct Cell {
    /// The index of its table.
    pub table: usize,
    pub case: Case,
    /// S_f.
    pub spare: f64,
    pub pages_per_block: u32,
    /// The write amplification in theory.
    pub known: f64,
    /// The settings that turn the default device into this one.
    pub settings: Vec<String>,
    pub config: Config,
    /// The requests, as arguments of `ssdlab trace generate`.
    pub words: String,
    /// The number of requests before the measurement, and during it.
    pub warm_up: u64,
    pub measured: u64,
}

impl Run for Cell {
    /// Those of the measurement.
    type Value = Counters;

    fn config(&self) -> &Config {
        &self.config
    }

    fn requests(&self) -> Result<String, SimError> {
        Ok(self.words.clone())
    }

    fn how(&self) -> String {
        format!("{} measured after {}", self.measured, self.warm_up)
    }

    fn run(&self, lab: &Lab, stop: &StopFlag) -> Result<Counters, SimError> {
        let requests = ssdlab_workload::requests(&self.words).map_err(SimError::Limit)?;
        let mut device = Steady::new(lab, &self.config, requests)?.stopped_by(stop.clone());
        device.serve(self.warm_up)?;
        device.serve(self.measured)
    }
}

impl Cell {
    /// About how many pages the simulator programs.
    pub fn written(&self) -> f64 {
        (self.warm_up + self.measured) as f64 * self.known
    }
}

/// A cell and its result.
pub(super) struct Compared<'a> {
    pub cell: &'a Cell,
    /// The write amplification of the simulator.
    pub found: f64,
}

impl Compared<'_> {
    /// The relative deviation from theory: 0.01 is one percent more.
    pub fn deviation(&self) -> f64 {
        self.found / self.cell.known - 1.0
    }

    /// Whether the simulator agrees with theory within `within_percent` percent.
    pub fn agrees(&self, within_percent: f64) -> bool {
        self.deviation().abs() <= within_percent / 100.0
    }
}
