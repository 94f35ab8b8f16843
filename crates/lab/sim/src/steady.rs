//! A device that is brought to a steady state and then measured.

use std::sync::atomic::Ordering;

use ssdlab_config::Config;
use ssdlab_device::Counters;
use ssdlab_ftl::RegionCounts;
use ssdlab_host::Request;

use crate::error::SimError;
use crate::foresee::{SHARE, most_writes, too_long};
use crate::lab::Lab;
use crate::room::free_memory;
use crate::run::StopFlag;
use ssdlab_simulators::{Clocks, SimDevice};

const BATCH: usize = 1024;

/// A fresh device that serves requests while they are generated. Each stretch is counted separately, so that those
/// before the steady state can be left out.
pub struct Steady<I> {
    device: SimDevice,
    requests: I,
    served: u64,
    stop: StopFlag,
}

impl<I: Iterator<Item = Request>> Steady<I> {
    /// A device with a known capacity.
    ///
    /// # Errors
    /// The device does not fit in memory.
    pub fn new(lab: &Lab, config: &Config, requests: I) -> Result<Self, SimError> {
        Ok(Self {
            device: lab.systems().device(config)?,
            requests,
            served: 0,
            stop: StopFlag::default(),
        })
    }

    /// Once the flag is set, it serves nothing more.
    #[must_use]
    pub fn stopped_by(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The same device, which is told the writes to come if its placement foresees them. `requests` makes them anew at each
    /// call.
    ///
    /// # Errors
    /// `requests` fails, the device does not fit in memory, or the writes to come take more than a quarter of it.
    pub fn foreseeing(
        lab: &Lab,
        config: &Config,
        requests: &dyn Fn() -> Result<I, SimError>,
    ) -> Result<Self, SimError> {
        let systems = lab.systems();
        let Some(outlook) = systems.outlook(config, false, false) else {
            return Self::new(lab, config, requests()?);
        };
        let memory = free_memory().unwrap_or(u64::MAX);
        let future = outlook.future(most_writes(memory / SHARE), &mut |see| {
            requests()?.for_each(|request| see(&request));
            Ok::<_, SimError>(())
        })?;
        let future = future.map_err(|_| too_long(config, memory))?;
        let device = systems.device_unless(config, Some(&future), &mut || false)?;
        Ok(Self {
            device: device.expect("nothing stops it"),
            requests: requests()?,
            served: 0,
            stop: StopFlag::default(),
        })
    }

    /// Serves the next `requests` requests, fewer if there are no more, and returns their counts. The buffer is not
    /// drained.
    ///
    /// # Errors
    /// The device refuses a request; the error has its number.
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

    /// Generates the next requests, to be served later.
    pub fn make(&mut self, requests: usize) -> Vec<Request> {
        self.requests.by_ref().take(requests).collect()
    }

    /// Serves generated requests.
    ///
    /// # Errors
    /// Same as [`serve`](Self::serve); [`SimError::Stopped`].
    pub fn serve_made(&mut self, requests: &[Request]) -> Result<(), SimError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(SimError::Stopped);
        }
        let served = self.device.submit_all(requests);
        served.map_err(|(index, error)| SimError::Device {
            place: format!("request {}", self.served + index as u64 + 1),
            error,
        })?;
        self.served += requests.len() as u64;
        Ok(())
    }

    /// What the clocks measured since the last call; `None` under the serial model.
    pub fn take_clocked(&mut self) -> Option<Clocks> {
        self.device.take_clocked()
    }

    /// The counts of the regions of the placement so far.
    pub fn regions(&self) -> Vec<RegionCounts> {
        self.device.regions()
    }

    /// The counts so far.
    pub fn counters(&self) -> Counters {
        self.device.counters()
    }
}
