//! Cuts the power of a device at chosen flash operations, mounts it, checks the data, continues, and cuts again. The
//! image of the battery-backed regions in RAM is taken at the cut and lent to every mount until one succeeds.

use std::fmt;

use ssdlab_config::Config;
use ssdlab_device::{Device, DeviceError, HostData, Part};
use ssdlab_flash::{Bytes, Cut, Fault, InFlight, PowerCut};
use ssdlab_ftl::FtlError;
use ssdlab_host::{Op, Request};

use crate::configs::stack;

/// When a completed write becomes safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// At once: there is no buffer, and the flash loses no completed operation.
    OnReturn,
    /// When a later flush has returned.
    OnFlush,
}

/// Requests with power cuts at some operations. The display of a scenario is enough to replay it.
#[derive(Clone, Debug)]
pub struct Scenario<'a> {
    /// The device.
    pub config: &'a Config,
    /// The host's requests.
    pub requests: &'a [Request],
    /// The promise of the device.
    pub durable: Durable,
    /// The cuts, one after another; each counts the operations since the previous cut, including those of the mount.
    pub cuts: Vec<Cut>,
}

impl fmt::Display for Scenario<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ftl, buffer) = (self.config.ftl, self.config.policy);
        write!(
            f,
            "{ftl} + {buffer}, durable {:?}, {:?}",
            self.durable, self.cuts
        )
    }
}

/// The events of a scenario.
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
    /// Serves all requests, through all cuts. After each mount every page must hold a version that the promise allows,
    /// and the tables must agree with the flash.
    pub fn run(&self) -> Result<Seen, String> {
        self.attempt()
            .map_err(|what| format!("{what}\n  replay: {self}"))
    }

    fn attempt(&self) -> Result<Seen, String> {
        let mut oracle = Oracle::new(self.config, self.durable);
        let mut cuts = self.cuts.iter().copied().chain(std::iter::repeat(NEVER));
        let mut cut = || cuts.next().expect("endless");
        let mut seen = Seen::default();
        let fresh = |array| Ok(PowerCut::new(array, cut()));
        let mut device =
            Device::fresh_on(self.config, &stack(self.config), fresh).map_err(|e| e.to_string())?;
        let mut next = 0;
        while self.serve(&mut device, &mut oracle, &mut next)? == Served::UntilPowerLost {
            seen.cuts += 1;
            let ram = device.ram();
            let mut media = device.into_media();
            device = loop {
                let arrays = media.into_iter().map(PowerCut::into_array);
                let again = arrays.map(|array| PowerCut::new(array, cut())).collect();
                match Device::mount_with(self.config, &stack(self.config), again, &ram) {
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
        seen.operations = device.media().map(PowerCut::operations).sum();
        Ok(seen)
    }

    /// Serves requests from `next` to the end of the trace. A request that a cut interrupts is served again after the
    /// mount.
    fn serve(
        &self,
        device: &mut Device<PowerCut<Bytes>>,
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

const NEVER: Cut = Cut {
    at: 0,
    in_flight: InFlight::Done,
    lose: None,
};

#[derive(PartialEq, Eq)]
enum Served {
    All,
    UntilPowerLost,
}

/// A page without data: discarded, or never written. Its bytes do not matter.
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
    fn new(config: &Config, durable: Durable) -> Self {
        let full = config.precondition == ssdlab_device::Precondition::Full;
        let geometry = config.geometry(&stack::<PowerCut<Bytes>>(config));
        Self {
            page_size: u64::from(geometry.page_size()),
            durable,
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
    fn verify(&mut self, device: &mut Device<PowerCut<Bytes>>) -> Result<(), String> {
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

impl HostData<Bytes> for Oracle {
    fn write(&mut self, part: &Part, page: &mut Bytes) {
        let stamp = [u64::from(part.lpn.0), self.last_version].map(u64::to_le_bytes);
        let (chunks, rest) = page.0[part.bytes.clone()].as_chunks_mut::<16>();
        debug_assert!(rest.is_empty(), "pages are multiples of 512 bytes");
        chunks.fill(stamp.concat().try_into().expect("16 bytes"));
    }

    /// Stores the version, or an impossible one unless the whole page has one version of this very page.
    fn read(&mut self, part: &Part, page: Option<&Bytes>) {
        self.read = page.map(|page| {
            let (stamp, rest) = page.0.split_at(16);
            // every 16 bytes must repeat the previous 16
            let whole = *rest == page.0[..rest.len()];
            let word =
                |at: usize| u64::from_le_bytes(stamp[at..at + 8].try_into().expect("eight bytes"));
            let blank = stamp.iter().all(|&byte| byte == 0);
            match whole && (blank || word(0) == u64::from(part.lpn.0)) {
                true => word(8),
                false => u64::MAX - 1,
            }
        });
    }
}
