//! One run: a small drive under a load, and the latencies of a probe beside it.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use ssdlab_config::Config;
use ssdlab_host::{Op, Request};
use ssdlab_sim::{Lab, RunOptions, SimError, StopFlag, Trace, run_loaded};

use crate::runs::Run;

/// The stream of a probe.
const PROBE: u16 = 1;

/// A run.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The settings that turn the default device into this one.
    pub config: Config,
    /// The arguments of `ssdlab trace generate`.
    pub words: String,
    /// Requests that come later are left out, ns.
    pub until_ns: u64,
}

/// What a run measures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Times {
    /// p50, p99 and p99.9 of the probe in ns; 0 without one.
    pub reads: [u64; 3],
    pub writes: [u64; 3],
    /// Writes a second.
    pub rate: f64,
}

impl Run for Cell {
    type Value = Times;

    fn config(&self) -> &Config {
        &self.config
    }

    fn requests(&self) -> Result<String, SimError> {
        Ok(self.words.clone())
    }

    fn how(&self) -> String {
        format!("latencies of the probe until {} ns", self.until_ns)
    }

    fn run(&self, lab: &Lab, stop: &StopFlag) -> Result<Times, SimError> {
        let requests = ssdlab_workload::requests(&self.words).map_err(SimError::Limit)?;
        let requests: Vec<Request> = requests
            .take_while(|request| request.time_ns <= self.until_ns)
            .collect();
        let all = Arc::new(Mutex::new(Vec::with_capacity(requests.len())));
        let seen = all.clone();
        let trace = Trace::made(&self.words, requests.clone());
        let options = RunOptions {
            completions: Some(Box::new(move |done| {
                let mut all = seen.lock().unwrap_or_else(PoisonError::into_inner);
                all.extend(done.iter().map(|done| (done.issued_ns, done.completed_ns)));
            })),
            stop: Some(stop.clone()),
            ..RunOptions::new(lab)
        };
        run_loaded(self.config.clone(), &trace, options)?;
        let all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let (mut written, mut last) = (0, 1);
        for (request, &(issued, completed)) in requests.iter().zip(all.iter()) {
            last = last.max(completed);
            written += u64::from(request.op() == Op::Write);
            match request.op() {
                _ if request.stream() != PROBE => {}
                Op::Read => reads.push(completed - issued),
                _ => writes.push(completed - issued),
            }
        }
        Ok(Times {
            reads: percentiles(reads),
            writes: percentiles(writes),
            rate: written as f64 * 1e9 / last as f64,
        })
    }
}

/// p50, p99 and p99.9: the least value that at least this share of all do not exceed.
fn percentiles(mut values: Vec<u64>) -> [u64; 3] {
    values.sort_unstable();
    [500, 990, 999].map(|share| {
        let place = (values.len() * share).div_ceil(1000).max(1) - 1;
        values.get(place).copied().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a rank that is one too low or too high
    #[test]
    fn percentiles_are_ranks() {
        assert_eq!(percentiles((1..=1000).rev().collect()), [500, 990, 999]);
        assert_eq!(percentiles(vec![7, 3, 5]), [5, 7, 7]);
        assert_eq!(percentiles(Vec::new()), [0; 3]);
    }
}
