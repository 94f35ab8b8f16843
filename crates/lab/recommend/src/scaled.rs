//! Parts of a trace, and devices that are smaller by the same share.

use ssdlab_config::{Config, ConfigError, Resolver, Value};
use ssdlab_convert::{Kept, Rate, Sample};
use ssdlab_host::Request;
use ssdlab_sim::{Candidate, SimError, Trace, key};

/// The least groups that a sample keeps: with fewer, the first requests are taken instead.
const FEWEST: u64 = 16;

/// The seeds of which one is taken: the one whose share of the requests is nearest to the rate.
const SEEDS: u64 = 8;

/// How far that share may be from the rate, as a factor. Where few groups have most of the requests, no sample is near, and
/// the first requests are taken instead.
const NEAR: f64 = 1.5;

/// The fewest requests of which a part is taken.
const SHORT: u64 = 2000;

/// Keys of sizes in RAM, and of numbers of blocks, that go with the size of the device.
const SIZES: [&str; 3] = [key::SIZE, key::READ_SIZE, key::RAM];
const BLOCKS: [&str; 3] = [key::LOG_BLOCKS, key::SPARE_BLOCKS, key::GC_HIGH];

/// A trace, or a part of it.
pub struct Level<'a> {
    of: Of<'a>,
    /// Its share of the requests of the whole trace.
    pub work: f64,
}

enum Of<'a> {
    Whole(&'a Trace),
    /// The first requests, on the whole device.
    First(Box<Trace>),
    /// Some groups of addresses, on a smaller device.
    Sample(Box<Trace>, Kept),
}

impl<'a> Level<'a> {
    /// The whole trace.
    pub fn whole(trace: &'a Trace) -> Self {
        Level {
            of: Of::Whole(trace),
            work: 1.0,
        }
    }

    /// Its requests.
    pub fn trace(&self) -> &Trace {
        match &self.of {
            Of::Whole(trace) => trace,
            Of::First(trace) | Of::Sample(trace, _) => trace,
        }
    }

    /// About this share of a trace: a sample in groups of so many bytes, or else its first requests. `None` if the trace
    /// is too short for that.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn part(trace: &Trace, rate: f64, group: u64, seed: u64) -> Result<Option<Self>, SimError> {
        let all = trace.summary.requests;
        if all < SHORT {
            return Ok(None);
        }
        let name = &trace.summary.name;
        let share = |requests: &[Request]| requests.len() as f64 / all as f64;
        // how far from the rate, as the logarithm of a factor
        let far = |requests: &[Request]| (share(requests) / rate).ln().abs();
        let mut nearest: Option<(Vec<Request>, Kept)> = None;
        for seed in seed..seed.saturating_add(SEEDS) {
            let rate = Rate::new(rate).expect("a share");
            let sample = Sample { rate, seed, group };
            let (requests, kept) = sample.requests(|visit| trace.each(|request| visit(request)))?;
            if kept.groups_kept < FEWEST {
                continue;
            }
            if nearest
                .as_ref()
                .is_none_or(|(known, _)| far(&requests) < far(known))
            {
                nearest = Some((requests, kept));
            }
        }
        if let Some((requests, kept)) = nearest
            && far(&requests) <= NEAR.ln()
        {
            return Ok(Some(Level {
                work: share(&requests),
                of: Of::Sample(Box::new(Trace::made(name, requests)), kept),
            }));
        }
        let count = (all as f64 * rate) as usize;
        let mut requests = Vec::new();
        trace.each(|request| {
            if requests.len() < count {
                requests.push(*request);
            }
        })?;
        Ok(Some(Level {
            work: share(&requests),
            of: Of::First(Box::new(Trace::made(name, requests))),
        }))
    }

    /// The device of a candidate for this level.
    ///
    /// # Errors
    /// The device cannot be so small.
    pub fn config(&self, base: &Resolver, candidate: &Candidate) -> Result<Config, ConfigError> {
        let whole = &candidate.config;
        let Of::Sample(_, kept) = &self.of else {
            return Ok(whole.clone());
        };
        let mut resolver = base.clone();
        for setting in &candidate.settings {
            resolver.set(setting)?;
        }
        let mut set = |key: &str, value: u64| resolver.set(&format!("{key}={value}")).map(drop);
        let step = whole.flash.capacity_step();
        let capacity = kept.scaled_capacity(whole.flash.capacity);
        set(key::CAPACITY, capacity.next_multiple_of(step))?;
        let number = |key: &str| match whole.value(key) {
            Some(Value::Int(number)) if whole.reads(key) => u64::try_from(*number).ok(),
            _ => None,
        };
        let page = u64::from(whole.flash.page_size);
        if let Some(bytes) = number(key::MAP_CACHE) {
            let step = match whole.value(key::MAP) {
                Some(Value::Text(map)) if map == "pages" => page,
                _ => 8,
            };
            set(key::MAP_CACHE, kept.scaled(bytes, step))?;
        }
        if let Some(entries) = number(key::MAP_LIST).filter(|_| whole.gives(key::MAP_LIST)) {
            let least = whole.flash.pages_per_block.into();
            set(key::MAP_LIST, kept.scaled(entries, 1).max(least))?;
        }
        for key in SIZES {
            if let Some(size) = number(key) {
                set(key, kept.scaled(size, page))?;
            }
        }
        for key in BLOCKS {
            if let Some(blocks) = number(key).filter(|_| whole.gives(key)) {
                set(key, kept.scaled(blocks, 1).max(2))?;
            }
        }
        resolver.resolve()
    }
}
