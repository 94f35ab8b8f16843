//! A device on its way to a steady state, and in it.

use ssdlab_config::Config;
use ssdlab_device::{Counters, NoData};
use ssdlab_host::Request;

use crate::SimError;
use crate::run::{SimDevice, fresh};

const BATCH: usize = 1024;

/// A fresh device under requests that are made as they are served. What is counted is told for each stretch, so that
/// those before the steady state can be left out.
pub struct Steady<I> {
    device: SimDevice,
    requests: I,
    served: u64,
}

impl<I: Iterator<Item = Request>> Steady<I> {
    /// A device of a settled capacity.
    ///
    /// # Errors
    /// No memory for it.
    pub fn new(config: &Config, requests: I) -> Result<Self, SimError> {
        Ok(Self {
            device: fresh(config)?,
            requests,
            served: 0,
        })
    }

    /// Serves so many requests more, fewer if there are no more: what was counted meanwhile. Nothing is drained.
    ///
    /// # Errors
    /// A request that the device does not take, by its number.
    pub fn serve(&mut self, requests: u64) -> Result<Counters, SimError> {
        let before = self.device.counters();
        let mut rest = usize::try_from(requests).unwrap_or(usize::MAX);
        let mut batch = Vec::with_capacity(BATCH);
        while rest > 0 {
            batch.clear();
            batch.extend(self.requests.by_ref().take(rest.min(BATCH)));
            if batch.is_empty() {
                break;
            }
            rest -= batch.len();
            self.serve_made(&batch)?;
        }
        Ok(self.device.counters().since(&before))
    }

    /// The next requests, to be served at a time of one's own.
    pub fn make(&mut self, requests: usize) -> Vec<Request> {
        self.requests.by_ref().take(requests).collect()
    }

    /// Serves what was made.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub fn serve_made(&mut self, requests: &[Request]) -> Result<(), SimError> {
        let served = self.device.submit_all(requests, &mut NoData);
        served.map_err(|(index, error)| SimError::Device {
            place: format!("request {}", self.served + index as u64 + 1),
            error,
        })?;
        self.served += requests.len() as u64;
        Ok(())
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        self.device.counters()
    }
}
