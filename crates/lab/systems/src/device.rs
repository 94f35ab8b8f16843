//! A device of the simulator under either model of time.

use ssdlab_device::{
    Busy, Completion, Counters, Device, DeviceError, Histograms, LatencyByOp, NoData, NotAged,
    Precondition, Recording, Spent, TimeParts,
};
use ssdlab_ftl::Events;
use ssdlab_host::Request;

use crate::media::{ClockedMedia, SimMedia};

/// Receives the times of requests, in order.
pub type Completions = Box<dyn FnMut(&[Completion]) + Send>;

/// What the clocks of a device measured.
#[derive(Clone, Debug)]
pub struct Clocks {
    /// The latencies of the requests.
    pub latencies: LatencyByOp,
    /// How often latencies of each length occurred.
    pub histograms: Histograms,
    /// The work of the parts.
    pub busy: Busy,
    /// What the parts did over time, if it was recorded.
    pub recording: Option<Recording>,
}

/// A device of the simulator.
pub enum SimDevice {
    /// Time is the sum of all operations.
    Serial(Box<Device<SimMedia>>),
    /// Chips, channels and the bus have clocks.
    Parallel(Box<Device<ClockedMedia>>, Option<Completions>),
}

/// The same call for both kinds.
macro_rules! either {
    ($device:expr, $inner:ident => $call:expr) => {
        match $device {
            SimDevice::Serial($inner) => $call,
            SimDevice::Parallel($inner, _) => $call,
        }
    };
}

impl SimDevice {
    /// See [`Device::wrap_around`].
    pub fn wrap_around(&mut self, wrap: bool) {
        either!(self, device => device.wrap_around(wrap));
    }

    /// See [`Device::age`].
    pub(crate) fn age(
        &mut self,
        precondition: &Precondition,
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<(), NotAged> {
        either!(self, device => device.age(precondition, stopped))
    }

    /// See [`Device::report_to`].
    pub fn report_to(&mut self, events: Events) {
        either!(self, device => device.report_to(events));
    }

    /// Hands the times of all requests from now on to a receiver; under the serial model there are none.
    pub fn time_to(&mut self, completions: Option<Completions>) {
        if let SimDevice::Parallel(device, receiver) = self
            && completions.is_some()
        {
            device.keep_completions();
            *receiver = completions;
        }
    }

    fn hand_completions(&mut self) {
        if let SimDevice::Parallel(device, Some(receiver)) = self {
            receiver(&device.take_completions());
        }
    }

    /// See [`Device::submit_all`].
    pub fn submit_all(&mut self, requests: &[Request]) -> Result<(), (usize, DeviceError)> {
        let served = either!(self, device => device.submit_all(requests, &mut NoData));
        self.hand_completions();
        served
    }

    /// See [`Device::submit`].
    pub fn submit(&mut self, request: &Request) -> Result<(), DeviceError> {
        let served = either!(self, device => device.submit(request, &mut NoData));
        self.hand_completions();
        served
    }

    /// See [`Device::finish`].
    pub fn finish(&mut self) -> Result<(), DeviceError> {
        either!(self, device => device.finish())
    }

    /// See [`Device::counters`].
    pub fn counters(&self) -> Counters {
        either!(self, device => device.counters())
    }

    /// See [`Device::page_size`].
    pub fn page_size(&self) -> u64 {
        either!(self, device => device.page_size())
    }

    /// See [`Device::served_ns`].
    pub fn served_ns(&self) -> Option<u64> {
        either!(self, device => device.served_ns())
    }

    /// See [`Device::spent`].
    pub fn spent(&self) -> Spent {
        either!(self, device => device.spent())
    }

    /// See [`Device::energy_pj`].
    pub fn energy_pj(&self) -> Option<TimeParts> {
        either!(self, device => device.energy_pj())
    }

    /// See [`Device::chips_spent`].
    pub fn chips_spent(&self) -> Option<Spent> {
        either!(self, device => device.chips_spent())
    }

    /// See [`Device::host_programs`].
    pub fn host_programs(&self) -> u64 {
        either!(self, device => device.host_programs())
    }

    /// See [`Device::log_room`].
    pub fn log_room(&self) -> u64 {
        either!(self, device => device.log_room())
    }

    /// See [`Device::erase_counts`].
    pub fn erase_counts(&self) -> Vec<u32> {
        either!(self, device => device.erase_counts())
    }

    /// See [`Device::record`].
    pub fn record(&mut self) {
        either!(self, device => device.record());
    }

    /// What the clocks measured since the last call; `None` under the serial model.
    pub fn take_clocked(&mut self) -> Option<Clocks> {
        either!(self, device => {
            let histograms = device.latency_histograms()?;
            Some(Clocks {
                histograms,
                latencies: device.take_latencies()?,
                busy: device.take_busy()?,
                recording: device.take_recording(),
            })
        })
    }
}
