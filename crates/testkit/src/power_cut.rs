//! Cuts the power of a device at flash operations, mounts it, checks the data, continues, and cuts again. The image of
//! the battery-backed regions in RAM is taken at the cut and lent to every mount until one succeeds.
//!
//! An FTL of another crate is tested at every flash operation by a few lines:
//!
//! ```no_run
//! # use ssdlab_testkit::configs::{config_with, stack_with};
//! # use ssdlab_testkit::power_cut::{Durable, Scenario};
//! # use ssdlab_testkit::workload::Workload;
//! # let plugins = ();
//! let config = config_with(&plugins, ["flash.capacity=1MiB", "buffer.policy=none"]);
//! let scenario = Scenario {
//!     config: &config,
//!     stack: &stack_with(&plugins, &config),
//!     requests: &Workload::of(&config, 100).requests(1),
//!     durable: Durable::OnReturn,
//! };
//! let seen = scenario.cut_everywhere(false).unwrap();
//! assert!(seen.cuts > 1000);
//! ```

use ssdlab_config::Config;
use ssdlab_device::{Device, DeviceError, HostData, Part, Precondition, Stack};
use ssdlab_flash::{Cut, Fault, InFlight};
use ssdlab_ftl::FtlError;
use ssdlab_host::{Op, Request};

use crate::flash::{Flash, NEVER};

/// When a completed write becomes safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// At once: there is no buffer, and the flash loses no completed operation.
    OnReturn,
    /// When a later flush has returned.
    OnFlush,
}

/// All results of the operation that a cut interrupts.
pub const WAYS: [InFlight; 3] = [InFlight::NotDone, InFlight::Torn, InFlight::Done];

/// A device, the requests that it serves, and its promise.
#[derive(Clone, Copy)]
pub struct Scenario<'a> {
    /// The device.
    pub config: &'a Config,
    /// Its systems.
    pub stack: &'a Stack<Flash>,
    /// The host's requests. They must cover whole pages.
    pub requests: &'a [Request],
    /// The promise of the device.
    pub durable: Durable,
}

/// The events of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Cuts that took place; others would come after the last operation.
    pub cuts: usize,
    /// Flash operations since the last cut.
    pub operations: u64,
    /// Pages that merges took from the buffer since the last cut.
    pub merge_programs: u64,
}

impl Scenario<'_> {
    /// Serves all requests, through these cuts, one after another; each counts the operations since the previous cut,
    /// including those of the mount. After each mount every page must hold a version that the promise allows, and the
    /// tables must agree with the flash.
    ///
    /// # Errors
    /// What is wrong, and the cuts that show it.
    pub fn run(&self, cuts: &[Cut]) -> Result<Seen, String> {
        self.attempt(cuts).map_err(|what| {
            let Self {
                config, durable, ..
            } = self;
            let (ftl, buffer) = (config.ftl, config.policy);
            format!("{what}\n  {ftl} + {buffer}, durable {durable:?}, {cuts:?}")
        })
    }

    /// Cuts at each operation of the run, in each way, then twice more soon after. With `loses`, a cut may lose
    /// operations that no barrier has followed. Returns the events of a run without a cut, and the number of all cuts.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn cut_everywhere(&self, loses: bool) -> Result<Seen, String> {
        let mut seen = self.run(&[])?;
        for at in 1..=seen.operations {
            for in_flight in WAYS {
                let lose = loses.then_some(at * 3 + in_flight as u64);
                let cut = |at| Cut {
                    at,
                    in_flight,
                    lose,
                };
                let cuts = [cut(at), cut(1 + at % 7), cut(3 + at % 31)];
                seen.cuts += self.run(&cuts)?.cuts;
            }
        }
        Ok(seen)
    }

    /// Cuts at each operation of the run, in each way, and after each of these cuts at each operation after the mount.
    /// Returns the events of a run without a cut, and the number of pairs.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn cut_in_pairs(&self) -> Result<Seen, String> {
        let mut seen = self.run(&[])?;
        for first in 1..=seen.operations {
            for in_flight in WAYS {
                let cut = |at| Cut {
                    at,
                    in_flight,
                    lose: None,
                };
                for second in 1.. {
                    if self.run(&[cut(first), cut(second)])?.cuts < 2 {
                        break;
                    }
                    seen.cuts += 1;
                }
            }
        }
        Ok(seen)
    }

    fn attempt(&self, cuts: &[Cut]) -> Result<Seen, String> {
        let mut oracle = Oracle::new(self);
        let mut cuts = cuts.iter().copied().chain(std::iter::repeat(NEVER));
        let mut cut = || cuts.next().expect("endless");
        let mut seen = Seen::default();
        let fresh = |array| Ok(Flash::cut(array, cut()));
        let mut device =
            Device::fresh_on(self.config, self.stack, fresh).map_err(|e| e.to_string())?;
        let mut next = 0;
        while self.serve(&mut device, &mut oracle, &mut next)? == Served::UntilPowerLost {
            seen.cuts += 1;
            let ram = device.ram();
            let mut media = device.into_media();
            device = loop {
                let arrays = media.into_iter().map(Flash::into_array);
                let again = arrays.map(|array| Flash::cut(array, cut())).collect();
                match Device::mount_with(self.config, self.stack, again, &ram) {
                    Ok(device) => break device,
                    Err((left, FtlError::Flash(Fault::PowerLost))) => media = left,
                    Err((_, error)) => return Err(format!("mount: {error}")),
                }
                seen.cuts += 1;
            };
            oracle.verify(&mut device)?;
        }
        oracle.verify(&mut device)?;
        seen.merge_programs = device.counters().merge_programs;
        seen.operations = device.media().map(Flash::operations).sum();
        Ok(seen)
    }

    /// Serves requests from `next` to the end of the trace. A request that a cut interrupts is served again after the
    /// mount.
    fn serve(
        &self,
        device: &mut Device<Flash>,
        oracle: &mut Oracle,
        next: &mut usize,
    ) -> Result<Served, String> {
        while let Some(request) = self.requests.get(*next) {
            oracle.begin(request);
            match device.submit(request, oracle) {
                Ok(()) => oracle.completed(request),
                Err(DeviceError::Ftl(FtlError::Flash(Fault::PowerLost))) => {
                    return Ok(Served::UntilPowerLost);
                }
                Err(error) => return Err(format!("request {next}: {error}")),
            }
            *next += 1;
        }
        match device.finish() {
            Ok(()) => {
                oracle.drained();
                Ok(Served::All)
            }
            Err(DeviceError::Ftl(FtlError::Flash(Fault::PowerLost))) => Ok(Served::UntilPowerLost),
            Err(error) => Err(format!("end: {error}")),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Served {
    All,
    UntilPowerLost,
}

/// A page without data: discarded, or never written. What it holds does not matter.
const GONE: u64 = u64::MAX;

/// The versions of each page that a device may return.
struct Oracle {
    page_size: u64,
    durable: Durable,
    /// Per page, the version that is safe, then all later versions that may have survived.
    versions: Vec<Vec<u64>>,
    last_version: u64,
    read: Option<u64>,
}

impl Oracle {
    fn new(of: &Scenario) -> Self {
        let full = of.config.precondition == Precondition::Full;
        let geometry = of.config.geometry(of.stack);
        Self {
            page_size: u64::from(geometry.page_size()),
            durable: of.durable,
            versions: vec![vec![if full { 0 } else { GONE }]; geometry.logical_pages() as usize],
            last_version: 0,
            read: None,
        }
    }

    /// Adds the versions that the request may leave in its pages.
    fn begin(&mut self, request: &Request) {
        let pages = self.pages(request);
        match request.op() {
            Op::Write => {
                self.last_version += 1;
                self.versions[pages]
                    .iter_mut()
                    .for_each(|v| v.push(self.last_version));
            }
            Op::Discard => self.versions[pages].iter_mut().for_each(|v| v.push(GONE)),
            Op::Read | Op::Flush => {}
        }
    }

    fn completed(&mut self, request: &Request) {
        match (request.op(), self.durable) {
            (Op::Flush, _) => self.drained(),
            (_, Durable::OnReturn) => {
                let pages = self.pages(request);
                self.versions[pages].iter_mut().for_each(only_last);
            }
            (_, Durable::OnFlush) => {}
        }
    }

    /// All written versions are safe now.
    fn drained(&mut self) {
        self.versions.iter_mut().for_each(only_last);
    }

    fn pages(&self, request: &Request) -> std::ops::Range<usize> {
        (request.offset / self.page_size) as usize..(request.end() / self.page_size) as usize
    }

    /// Reads all pages. The version found after a cut is safe from then on.
    fn verify(&mut self, device: &mut Device<Flash>) -> Result<(), String> {
        device.check()?;
        for page in 0..self.versions.len() {
            let read = Request::new(0, Op::Read, page as u64 * self.page_size, self.page_size);
            device
                .submit(&read.expect("within the device"), self)
                .map_err(|e| e.to_string())?;
            let found = self.read.take().unwrap_or(GONE);
            let allowed = std::mem::replace(&mut self.versions[page], vec![found]);
            if !allowed.contains(&found) {
                return Err(format!(
                    "page {page} holds version {found}, allowed: {allowed:?}"
                ));
            }
        }
        Ok(())
    }
}

fn only_last(versions: &mut Vec<u64>) {
    versions.drain(..versions.len() - 1);
}

impl HostData<u64> for Oracle {
    fn write(&mut self, part: &Part, page: &mut u64) {
        debug_assert_eq!(part.bytes.len() as u64, self.page_size, "whole pages");
        // so that a page of another LPN is noticed
        *page = u64::from(part.lpn.0) << 32 | self.last_version;
    }

    /// Stores the version, or an impossible one if it is another page's.
    fn read(&mut self, part: &Part, page: Option<&u64>) {
        self.read = page.map(|&page| match page >> 32 == u64::from(part.lpn.0) {
            true => page & u64::from(u32::MAX),
            false if page == 0 => 0,
            false => u64::MAX - 1,
        });
    }
}
