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
use ssdlab_ftl::{FtlError, RamImage};
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
        match self.begin(cuts)? {
            Reached::Cut(stopped) => self.go_on(stopped, cuts),
            Reached::End(seen) => Ok(seen),
        }
    }

    /// Cuts at each operation of the run, in each way, then twice more soon after. With `loses`, a cut may lose
    /// operations that no barrier has followed. Returns the events of a run without a cut, and the number of all cuts.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn cut_everywhere(&self, loses: bool) -> Result<Seen, String> {
        let mut seen = self.run(&[])?;
        for at in 1..=seen.operations {
            let cuts = WAYS.map(|in_flight| {
                let lose = loses.then_some(at * 3 + in_flight as u64);
                [at, 1 + at % 7, 3 + at % 31].map(|at| Cut {
                    at,
                    in_flight,
                    lose,
                })
            });
            if let Reached::Cut(stopped) = self.begin(&cuts[0])? {
                for cuts in cuts {
                    seen.cuts += self.go_on(stopped.clone(), &cuts)?.cuts;
                }
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
            let cut = |at, in_flight| Cut {
                at,
                in_flight,
                lose: None,
            };
            let Reached::Cut(stopped) = self.begin(&[cut(first, WAYS[0])])? else {
                continue;
            };
            for in_flight in WAYS {
                for second in 1.. {
                    let cuts = [first, second].map(|at| cut(at, in_flight));
                    if self.go_on(stopped.clone(), &cuts)?.cuts < 2 {
                        break;
                    }
                    seen.cuts += 1;
                }
            }
        }
        Ok(seen)
    }

    /// Serves requests up to the first cut. How it leaves the operation that it interrupts is open until
    /// [`Self::go_on`], so all ways share this part of the run.
    fn begin(&self, cuts: &[Cut]) -> Result<Reached, String> {
        let mut all = cuts.iter().copied().chain(std::iter::repeat(NEVER));
        let fresh = |array| Ok(Flash::cut(array, all.next().expect("endless")));
        let fresh = Device::fresh_on(self.config, self.stack, fresh).map_err(|e| e.to_string());
        let start = |device| self.serve(device, Oracle::new(self), 0, 0);
        fresh
            .and_then(start)
            .map_err(|what| self.failure(&what, cuts))
    }

    /// Mounts a device after the first of these cuts, and serves the other requests through the other cuts.
    fn go_on(&self, stopped: Stopped, cuts: &[Cut]) -> Result<Seen, String> {
        self.through(stopped, cuts)
            .map_err(|what| self.failure(&what, cuts))
    }

    fn through(&self, mut stopped: Stopped, cuts: &[Cut]) -> Result<Seen, String> {
        if let Some(cut) = cuts.first() {
            let first = |flash: &mut Flash| flash.set_effect(cut.in_flight, cut.lose);
            stopped.media.iter_mut().for_each(first);
        }
        let others = cuts.iter().skip(stopped.media.len()).copied();
        let mut others = others.chain(std::iter::repeat(NEVER));
        loop {
            let Stopped {
                mut media,
                ram,
                mut oracle,
                next,
                mut cuts,
            } = stopped;
            let mut device = loop {
                cuts += 1;
                let arrays = media.into_iter().map(Flash::into_array);
                let again = arrays.map(|array| Flash::cut(array, others.next().expect("endless")));
                match Device::mount_with(self.config, self.stack, again.collect(), &ram) {
                    Ok(device) => break device,
                    Err((left, FtlError::Flash(Fault::PowerLost))) => media = left,
                    Err((_, error)) => return Err(format!("mount: {error}")),
                }
            };
            stopped = match oracle.verify(&mut device)? {
                Verified::PowerLost => Stopped::of(device, oracle, next, cuts),
                Verified::All => match self.serve(device, oracle, next, cuts)? {
                    Reached::Cut(stopped) => stopped,
                    Reached::End(seen) => return Ok(seen),
                },
            };
        }
    }

    /// What is wrong, and the cuts that show it.
    fn failure(&self, what: &str, cuts: &[Cut]) -> String {
        let Self {
            config, durable, ..
        } = self;
        let (ftl, buffer) = (config.ftl, config.policy);
        format!("{what}\n  {ftl} + {buffer}, durable {durable:?}, {cuts:?}")
    }

    /// Serves requests from `next` to the end of the trace or to a cut, after this many cuts. A request that a cut
    /// interrupts is served again after the mount.
    fn serve(
        &self,
        mut device: Device<Flash>,
        mut oracle: Oracle,
        mut next: usize,
        cuts: usize,
    ) -> Result<Reached, String> {
        let stop = |device, oracle, next| Ok(Reached::Cut(Stopped::of(device, oracle, next, cuts)));
        while let Some(request) = self.requests.get(next) {
            oracle.begin(request);
            match device.submit(request, &mut oracle) {
                Ok(()) => oracle.completed(request),
                Err(POWER_LOST) => return stop(device, oracle, next),
                Err(error) => return Err(format!("request {next}: {error}")),
            }
            next += 1;
        }
        match device.finish() {
            Ok(()) => oracle.drained(),
            Err(POWER_LOST) => return stop(device, oracle, next),
            Err(error) => return Err(format!("end: {error}")),
        }
        if let Verified::PowerLost = oracle.verify(&mut device)? {
            return stop(device, oracle, next);
        }
        Ok(Reached::End(Seen {
            cuts,
            merge_programs: device.counters().merge_programs,
            operations: device.media().map(Flash::operations).sum(),
        }))
    }
}

/// Where a device stopped.
enum Reached {
    Cut(Stopped),
    End(Seen),
}

/// A device at a power cut.
#[derive(Clone)]
struct Stopped {
    media: Vec<Flash>,
    ram: Vec<RamImage<u64>>,
    oracle: Oracle,
    /// The request that was interrupted.
    next: usize,
    /// Earlier cuts.
    cuts: usize,
}

impl Stopped {
    fn of(device: Device<Flash>, oracle: Oracle, next: usize, cuts: usize) -> Self {
        Self {
            ram: device.ram(),
            media: device.into_media(),
            oracle,
            next,
            cuts,
        }
    }
}

const POWER_LOST: DeviceError = DeviceError::Ftl(FtlError::Flash(Fault::PowerLost));

/// How the reading of all pages ended. An FTL with tables in flash programs while it reads.
enum Verified {
    All,
    PowerLost,
}

/// A page without data: discarded, or never written. What it holds does not matter.
const GONE: u64 = u64::MAX;
/// Zeros: a page of a full device that was not written since, or one without data that pads a block.
const ZEROS: u64 = 0;
/// The version of another page.
const WRONG: u64 = u64::MAX - 1;
/// The device returned nothing, not even that there is no data.
const NOT_READ: u64 = u64::MAX - 2;

/// The versions of each page that a device may return.
#[derive(Clone)]
struct Oracle {
    page_size: u64,
    durable: Durable,
    /// Per page, the version that is safe.
    safe: Vec<u64>,
    /// Later versions that may have survived, with their pages, in the order of the requests.
    later: Vec<(usize, u64)>,
    last_version: u64,
    /// Per page, what was read.
    found: Vec<u64>,
}

impl Oracle {
    fn new(of: &Scenario) -> Self {
        let full = of.config.precondition == Precondition::Full;
        let geometry = of.config.geometry(of.stack);
        let pages = geometry.logical_pages() as usize;
        Self {
            page_size: u64::from(geometry.page_size()),
            durable: of.durable,
            safe: vec![if full { ZEROS } else { GONE }; pages],
            later: Vec::new(),
            last_version: 0,
            found: vec![NOT_READ; pages],
        }
    }

    /// Adds the versions that the request may leave in its pages.
    fn begin(&mut self, request: &Request) {
        let version = match request.op() {
            Op::Write => {
                self.last_version += 1;
                self.last_version
            }
            Op::Discard => GONE,
            Op::Read | Op::Flush => return,
        };
        let pages = request.offset / self.page_size..request.end() / self.page_size;
        self.later
            .extend(pages.map(|page| (page as usize, version)));
    }

    fn completed(&mut self, request: &Request) {
        if self.durable == Durable::OnReturn || request.op() == Op::Flush {
            self.drained();
        }
    }

    /// All written versions are safe now.
    fn drained(&mut self) {
        for (page, version) in self.later.drain(..) {
            self.safe[page] = version;
        }
    }

    /// Reads all pages. The version found after a cut is safe from then on.
    fn verify(&mut self, device: &mut Device<Flash>) -> Result<Verified, String> {
        device.check()?;
        self.found.fill(NOT_READ);
        let all = self.safe.len() as u64 * self.page_size;
        let read = Request::new(0, Op::Read, 0, all).expect("within the device");
        match device.submit(&read, self) {
            Ok(()) => {}
            Err(POWER_LOST) => return Ok(Verified::PowerLost),
            Err(error) => return Err(error.to_string()),
        }
        for (page, found) in self.found.iter().enumerate() {
            let later = self.later.iter().filter(|later| later.0 == page);
            let allowed: Vec<u64> = later.map(|later| later.1).collect();
            let is_found = |&version: &u64| version == *found || version == GONE && *found == ZEROS;
            if !is_found(&self.safe[page]) && !allowed.iter().any(is_found) {
                return Err(format!(
                    "page {page} holds version {found}, allowed: {}, {allowed:?}",
                    self.safe[page]
                ));
            }
        }
        std::mem::swap(&mut self.safe, &mut self.found);
        self.later.clear();
        Ok(Verified::All)
    }
}

impl HostData<u64> for Oracle {
    fn write(&mut self, part: &Part, page: &mut u64) {
        assert_eq!(part.bytes.len() as u64, self.page_size, "whole pages");
        // so that a page of another LPN is noticed
        *page = u64::from(part.lpn.0) << 32 | self.last_version;
    }

    /// Stores the version, or an impossible one if it is another page's.
    fn read(&mut self, part: &Part, page: Option<&u64>) {
        self.found[part.lpn.index()] = match page {
            None => GONE,
            Some(&ZEROS) => ZEROS,
            Some(page) if page >> 32 == u64::from(part.lpn.0) => page & u64::from(u32::MAX),
            Some(_) => WRONG,
        };
    }
}
