//! The runs of a comparison for those who judge them in their own way, or keep what they measured.

use serde::{Deserialize, Serialize};
use ssdlab_config::Config;
use ssdlab_device::Counters;
use ssdlab_ftl::{Events, LearnedMap};
use ssdlab_trace::TraceSummary;

use crate::compare::checked;
use crate::error::SimError;
use crate::input::Trace;
use crate::measured::Measured;
use crate::outcome::outcome;
use crate::plan::{CompareOptions, Plan};
use crate::room::free_memory;
use crate::row::Row;

/// A run of a comparison that can begin.
pub struct Cell(Plan);

/// What a run measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// Of the last replay.
    last: Measured,
    /// The counters of each replay.
    pub replays: Vec<Counters>,
}

impl Measurement {
    /// What a map in flash had learned at the end, if it learns.
    pub fn learned(&self) -> Option<LearnedMap> {
        self.last.learned
    }
}

/// All runs of a comparison, checked, and its sizes in ascending order; without sizes if no run has one.
///
/// # Errors
/// An invalid configuration, or a trace that is not for it.
pub fn cells(options: &CompareOptions, trace: &Trace) -> Result<(Vec<Cell>, Vec<u64>), SimError> {
    let mut options = options.clone();
    let plans = checked(&mut options, trace)?;
    Ok((plans.into_iter().map(Cell).collect(), options.sizes))
}

impl Cell {
    /// The label of its row.
    pub fn label(&self) -> &str {
        &self.0.label
    }

    /// Whether it is the run of this label at this size; one without a size is the run at every size.
    pub fn is(&self, label: &str, size: u64) -> bool {
        self.0.label == label && self.0.size.is_none_or(|own| own == size)
    }

    /// The configuration, with its capacity.
    pub fn config(&self) -> &Config {
        &self.0.run.config
    }

    /// What its results depend on beside the configuration and the requests of the trace, in words.
    pub fn replay(&self) -> String {
        format!("{:?}", self.0.run.replay)
    }

    /// Runs it.
    ///
    /// # Errors
    /// A trace that cannot be read or does not fit the device, too little memory, or [`SimError::Stopped`].
    pub fn measure(&self, trace: &Trace) -> Result<Measurement, SimError> {
        let memory = free_memory().unwrap_or(u64::MAX);
        let run = self.0.run.clone().foreseeing(trace, memory)?;
        let (mut device, mut loops) = run.device(Some(trace), Events::default())?;
        run.simulate(&mut device, trace, &mut loops)?;
        Ok(Measurement {
            replays: loops.counters().cloned().collect(),
            last: loops.last,
        })
    }

    /// The row, whose outcome says nothing of single replays and of the steady state.
    pub fn row(&self, trace: &TraceSummary, measured: &Measurement) -> Row {
        let (config, replays) = (self.config(), measured.replays.len());
        let outcome = outcome(config, &measured.last, trace, replays);
        Row::of(&self.0, &measured.last, outcome)
    }
}
