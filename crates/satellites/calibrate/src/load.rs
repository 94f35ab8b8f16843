//! A load on a drive, and the write amplification that it has with a given share of spare flash: in closed form for
//! uniform writes in the steady state, by simulation of a small drive for everything else.

use ssdlab_config::{Config, ConfigError};
use ssdlab_host::{Op, Request};
use ssdlab_sim::{Lab, SimError, Steady};
use ssdlab_theory::{Spare, greedy};
use ssdlab_workload::Description;

use crate::recorded::Recorded;

/// Blocks of the small drive, and pages of each: with more of both, write amplification changes by less than half a per
/// cent.
const BLOCKS: u64 = 512;
const PAGES: u64 = 512;
/// The fewest writes of one unit that must fit in the used space: those of a small drive.
pub(crate) const LEAST_UNITS: u64 = BLOCKS * PAGES;
/// Free blocks that cleaning keeps.
pub(crate) const GC_LOW: u64 = 3;
/// Blocks that neither hold data nor wait to be cleaned, on average: those that stay free, and the empty part of two
/// frontiers. With so many, drives with few blocks agree with the closed form.
pub(crate) const IDLE_BLOCKS: f64 = GC_LOW as f64 + 0.5;
/// Writes, in times the used space, until a load counts as steady, and those that are measured then.
const STEADY: f64 = 8.0;
const MEASURED: f64 = 2.0;
/// The passes of a load by parts that are left out, and those that are averaged.
const PASSES_BEFORE: u64 = 2;
const PASSES: u64 = 3;

/// How much was written before the measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Share {
    /// So much that write amplification had settled.
    Steady,
    /// So many times the used space, after it was filled in order.
    Times(f64),
}

/// What was written.
#[derive(Clone, Debug)]
pub(crate) enum Workload {
    Described(Box<Description>),
    Recorded(Recorded),
}

impl Workload {
    fn is(&self, what: fn(&Description) -> bool) -> bool {
        matches!(self, Workload::Described(description) if what(description))
    }

    pub fn is_sequential(&self) -> bool {
        self.is(Description::is_sequential)
    }

    pub fn is_pass(&self) -> bool {
        self.is(Description::is_pass)
    }

    /// Bytes of a write.
    pub fn unit(&self) -> u64 {
        match self {
            Workload::Described(description) => description.unit(),
            Workload::Recorded(recorded) => recorded.page,
        }
    }

    /// Bytes of written mapping units for each byte of the host.
    fn coarse(&self, mapping_unit: u64) -> f64 {
        match self {
            _ if self.is_sequential() => 1.0,
            Workload::Described(description) => {
                (mapping_unit as f64 / description.unit() as f64).max(1.0)
            }
            Workload::Recorded(recorded) => recorded.coarse,
        }
    }
}

/// A load.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub workload: Workload,
    /// Bytes that it covers; the rest of the drive is unmapped.
    pub used: u64,
    pub before: Share,
    /// What the host wrote in the measurement, in times the used space; none: as much as it takes.
    pub times: Option<f64>,
    pub mapping_unit: u64,
}

/// A result for a load.
#[derive(Clone, Debug)]
pub(crate) struct Amplification {
    pub waf: f64,
    /// That of equal parts of a pass.
    pub parts: Vec<f64>,
}

/// The most of a small drive that may be used.
const FULL: f64 = 0.99;
/// The most writes of a simulation, in times the used space.
pub(crate) const MOST_TIMES: f64 = 100.0;

impl Load {
    /// Bytes of flash for each byte of the host before any cleaning: more than 1 for writes that are smaller than the
    /// mapping unit.
    pub fn coarse(&self) -> f64 {
        self.workload.coarse(self.mapping_unit)
    }

    /// The write amplification with this much flash, in bytes, that holds data or waits to be cleaned. `parts`: parts of a
    /// pass to measure.
    pub fn amplification(
        &self,
        lab: &Lab,
        flash: f64,
        cleaning: &str,
        parts: usize,
    ) -> Result<Amplification, SimError> {
        let plain = |waf: f64| Amplification {
            waf: waf * self.coarse(),
            parts: Vec::new(),
        };
        if self.workload.is_sequential() {
            return Ok(plain(1.0));
        }
        let utilisation = (self.used as f64 / flash).min(FULL);
        if let Some(spare) = self.closed_form(utilisation, cleaning) {
            return Ok(plain(greedy(spare, PAGES as u32)));
        }
        let mut found = self.simulated(lab, utilisation, cleaning, parts)?;
        found.waf *= self.coarse();
        Ok(found)
    }

    /// Whether the closed form holds.
    pub fn has_closed_form(&self, cleaning: &str) -> bool {
        self.workload.is(Description::is_uniform)
            && self.before == Share::Steady
            && cleaning == "greedy"
    }

    fn closed_form(&self, utilisation: f64, cleaning: &str) -> Option<Spare> {
        self.has_closed_form(cleaning)
            .then(|| Spare::new(1.0 - utilisation))
            .flatten()
    }

    fn simulated(
        &self,
        lab: &Lab,
        utilisation: f64,
        cleaning: &str,
        parts: usize,
    ) -> Result<Amplification, SimError> {
        let pages = (utilisation * (BLOCKS as f64 - IDLE_BLOCKS) * PAGES as f64).round() as u64;
        let times = |share: f64| (share * pages as f64).round() as u64;
        let before = match self.before {
            _ if parts > 0 => PASSES_BEFORE * pages,
            Share::Steady => times(STEADY),
            Share::Times(share) => times(share),
        };
        let measured = match self.times {
            _ if parts > 0 => PASSES * pages,
            Some(share) if self.before != Share::Steady => times(share.min(MOST_TIMES)).max(1),
            _ => times(MEASURED),
        };
        let config = self.small_drive(lab, pages, cleaning)?;
        let mut device = Steady::new(lab, &config, self.requests(pages, before + measured)?)?;
        device.serve(pages + before)?;
        if parts == 0 {
            let waf = device.serve(measured)?.waf_pages().unwrap_or(f64::NAN);
            return Ok(Amplification {
                waf,
                parts: Vec::new(),
            });
        }
        // the same part of all passes together
        let mut sums = vec![[0_u64; 2]; parts];
        for _ in 0..PASSES {
            for (part, sum) in (0..parts as u64).zip(&mut sums) {
                let parts = parts as u64;
                let writes = (part + 1) * pages / parts - part * pages / parts;
                let counters = device.serve(writes)?;
                sum[0] += writes;
                sum[1] += (counters.waf_pages().unwrap_or(1.0) * writes as f64).round() as u64;
            }
        }
        let parts: Vec<f64> = sums
            .iter()
            .map(|[host, all]| *all as f64 / *host as f64)
            .collect();
        let waf = parts.iter().sum::<f64>() / parts.len() as f64;
        Ok(Amplification { waf, parts })
    }

    /// Fills the used pages in order; then the load.
    fn requests(
        &self,
        pages: u64,
        requests: u64,
    ) -> Result<impl Iterator<Item = Request> + use<>, SimError> {
        let unit = self.workload.unit();
        let fill = (0..pages).filter_map(move |page| Request::new(0, Op::Write, page * unit, unit));
        let load: Box<dyn Iterator<Item = Request>> = match &self.workload {
            Workload::Described(description) => {
                let small = description
                    .scaled_to(pages, requests)
                    .expect("checked when it was read");
                Box::new(small.requests().map_err(SimError::Limit)?)
            }
            Workload::Recorded(recorded) => Box::new(recorded.scaled_to(pages, requests)),
        };
        Ok(fill.chain(load))
    }

    /// A drive of which `pages` pages are used; the others are never written.
    fn small_drive(&self, lab: &Lab, pages: u64, cleaning: &str) -> Result<Config, ConfigError> {
        let logical = pages.div_ceil(PAGES);
        let page = self.workload.unit();
        let settings = [
            format!("flash.page_size={page}"),
            format!("flash.pages_per_block={PAGES}"),
            format!("flash.capacity={}", logical * PAGES * page),
            format!("ftl.spare_blocks={}", BLOCKS - logical),
            format!("ftl.gc_low={GC_LOW}"),
            format!("ftl.cleaning={cleaning}"),
            "ftl.kind=page".into(),
            "ftl.pace=paced".into(),
            "buffer.policy=none".into(),
            "precondition=empty".into(),
        ];
        let mut resolver = lab.resolver();
        for setting in &settings {
            resolver.set(setting)?;
        }
        resolver.resolve()
    }
}
