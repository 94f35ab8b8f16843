//! A sample of a trace, and devices that are smaller by the same share.

use ssdlab_config::{Config, ConfigError, Resolver, Value};
use ssdlab_convert::{Kept, Rate, Sample};
use ssdlab_sim::{Candidate, SimError, Trace};

/// The least groups that a sample keeps: with fewer, the trace is taken whole.
const FEWEST: f64 = 24.0;

/// Keys of sizes in RAM, and of numbers of blocks, that go with the size of the device.
const SIZES: [&str; 3] = ["buffer.size", "read_buffer.size", "ftl.ram"];
const BLOCKS: [&str; 3] = ["ftl.log_blocks", "ftl.spare_blocks", "ftl.gc_high"];

/// A trace, or a sample of it.
pub struct Level<'a> {
    of: Of<'a>,
    /// Its share of the requests of the whole trace.
    pub work: f64,
}

enum Of<'a> {
    Whole(&'a Trace),
    Sample(Trace, Kept),
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
            Of::Sample(trace, _) => trace,
        }
    }

    /// A sample of about this rate, in groups of so many bytes; `None` if it would keep too few groups, or nearly all.
    pub fn sample(
        trace: &Trace,
        rate: f64,
        group: u64,
        seed: u64,
    ) -> Result<Option<Self>, SimError> {
        let sample = |rate: f64| Sample {
            rate: Rate::new(rate).expect("a share"),
            seed,
            group,
        };
        let take = |rate: f64| sample(rate).requests(|visit| trace.each(|request| visit(request)));
        let (mut requests, mut kept) = take(rate)?;
        let needed = FEWEST / kept.groups.max(1) as f64;
        if needed > 0.5 {
            return Ok(None);
        }
        if rate < needed {
            (requests, kept) = take(needed)?;
        }
        if kept.groups_kept == 0 {
            return Ok(None);
        }
        let work = requests.len() as f64 / trace.summary.requests.max(1) as f64;
        Ok(Some(Level {
            of: Of::Sample(Trace::made(&trace.summary.name, requests), kept),
            work,
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
        set("flash.capacity", capacity.next_multiple_of(step))?;
        let number = |key: &str| match whole.value(key) {
            Some(Value::Int(number)) if whole.reads(key) => u64::try_from(*number).ok(),
            _ => None,
        };
        let page = u64::from(whole.flash.page_size);
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
