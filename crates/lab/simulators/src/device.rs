//! A device of the simulator under either model of time.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use ssdlab_device::{
    Busy, Completion, Counters, Device, DeviceError, Histograms, Interval, LatencyByOp, NoData,
    NotAged, Precondition, Recording, Spent, TimeParts,
};
use ssdlab_flash::Lpn;
use ssdlab_ftl::{Events, LearnedMap, RegionCounts, SlcState};
use ssdlab_host::Request;
use ssdlab_policy::buffer::Victim;

use crate::media::{ClockedMedia, SimMedia};

/// Receives the times of requests, in order.
pub type Completions = Box<dyn FnMut(&[Completion]) + Send>;

/// What the clocks of a device measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Clocks {
    /// The latencies of the requests.
    pub latencies: LatencyByOp,
    /// How often latencies of each length occurred.
    pub histograms: Histograms,
    /// The work of the parts.
    pub busy: Busy,
    /// What the parts did over time, if it was recorded; it is not serialised.
    #[serde(skip)]
    pub recording: Option<Recording>,
}

/// What a device under the parallel model did while it served a request, or after the last one.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The work of its parts, also that of the gap before the request.
    pub intervals: Vec<Interval>,
    /// The times of the request; `None` at the end.
    pub completion: Option<Completion>,
    /// The pages that the write buffer holds now, and the dirty ones among them.
    pub buffered: (u32, u32),
    /// The erased blocks that wait to be programmed now; `None` if the FTL keeps no list of them.
    pub free_blocks: Option<u64>,
}

/// Receives what a device does, request by request.
pub type Observer = Box<dyn FnMut(&Observed) + Send>;

/// Who is told of requests under the parallel model.
#[derive(Default)]
pub struct Listeners {
    completions: Option<Completions>,
    observer: Option<Observer>,
}

/// A device of the simulator.
pub enum SimDevice {
    /// Time is the sum of all operations.
    Serial(Box<Device<SimMedia>>),
    /// Chips, channels and the bus have clocks.
    Parallel(Box<Device<ClockedMedia>>, Listeners),
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

    /// See [`Device::begin_ageing`].
    pub fn begin_ageing(&mut self) -> bool {
        either!(self, device => device.begin_ageing())
    }

    /// See [`Device::end_ageing`].
    pub fn end_ageing(&mut self) {
        either!(self, device => device.end_ageing());
    }

    /// See [`Device::report_to`].
    pub fn report_to(&mut self, events: Events) {
        either!(self, device => device.report_to(events));
    }

    /// Hands the times of all requests from now on to a receiver; under the serial model there are none.
    pub fn time_to(&mut self, completions: Option<Completions>) {
        if let SimDevice::Parallel(device, listeners) = self
            && completions.is_some()
        {
            device.keep_completions();
            listeners.completions = completions;
        }
    }

    /// Hands what the device does from now on to an observer; under the serial model there is nothing to see.
    pub fn observe(&mut self, observer: Option<Observer>) {
        if let SimDevice::Parallel(device, listeners) = self
            && observer.is_some()
        {
            device.keep_intervals();
            listeners.observer = observer;
        }
    }

    fn is_observed(&self) -> bool {
        matches!(self, SimDevice::Parallel(_, listeners) if listeners.observer.is_some())
    }

    /// Tells what was done since the last call; the completion is that of a request, if one has just been served.
    fn tell_listeners(&mut self, served: bool) {
        let SimDevice::Parallel(device, listeners) = self else {
            return;
        };
        if let Some(receiver) = &mut listeners.completions {
            receiver(&device.take_completions());
        }
        if let Some(observer) = &mut listeners.observer {
            observer(&Observed {
                intervals: device.take_intervals(),
                completion: device.completion().filter(|_| served),
                buffered: device.buffered(),
                free_blocks: device.free_blocks(),
            });
        }
    }

    /// See [`Device::submit_all`].
    pub fn submit_all(&mut self, requests: &[Request]) -> Result<(), (usize, DeviceError)> {
        if self.is_observed() {
            // the work of many requests would not fit in memory
            let mut all = (0..).zip(requests);
            return all.try_for_each(|(index, one)| self.submit(one).map_err(|why| (index, why)));
        }
        let served = either!(self, device => device.submit_all(requests, &mut NoData));
        self.tell_listeners(true);
        served
    }

    /// See [`Device::submit`].
    pub fn submit(&mut self, request: &Request) -> Result<(), DeviceError> {
        let served = either!(self, device => device.submit(request, &mut NoData));
        self.tell_listeners(true);
        served
    }

    /// See [`Device::finish`].
    pub fn finish(&mut self) -> Result<(), DeviceError> {
        let finished = either!(self, device => device.finish());
        if self.is_observed() {
            self.tell_listeners(false);
        }
        finished
    }

    /// See [`Device::held_in`].
    pub fn held_in(&self, pages: Range<u32>, most: usize) -> Vec<(Lpn, bool)> {
        either!(self, device => device.held_in(pages, most))
    }

    /// See [`Device::regions`].
    pub fn regions(&self) -> Vec<RegionCounts> {
        either!(self, device => device.regions())
    }

    /// See [`Device::outlook`].
    pub fn outlook(&self, most: usize) -> Option<Vec<Victim>> {
        either!(self, device => device.outlook(most))
    }

    /// See [`Device::buffer_places`].
    pub fn buffer_places(&self) -> Option<u64> {
        either!(self, device => device.buffer_places())
    }

    /// See [`Device::pages_per_block`].
    pub fn pages_per_block(&self) -> u32 {
        either!(self, device => device.pages_per_block())
    }

    /// See [`Device::buffered`].
    pub fn buffered(&self) -> (u32, u32) {
        either!(self, device => device.buffered())
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

    /// See [`Device::slc`].
    pub fn slc(&self) -> Option<SlcState> {
        either!(self, device => device.slc())
    }

    /// See [`Device::learned`].
    pub fn learned(&self) -> Option<LearnedMap> {
        either!(self, device => device.learned())
    }

    /// See [`Device::slc_erases`].
    pub fn slc_erases(&self) -> Vec<(bool, u32)> {
        either!(self, device => device.slc_erases())
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
