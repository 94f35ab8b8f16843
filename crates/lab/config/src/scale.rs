//! `--scale-to`: a smaller drive that behaves like a large one.
//!
//! The cost of cleaning depends on the share of spare blocks and on how many of them `gc_low` and frontiers take, and
//! hardly on the size of a block of some hundred pages. So a drive that cleans keeps its blocks, as far as it has to,
//! and they become smaller. The cost of a merge is the size of a block. So a drive that merges has fewer blocks, of the
//! same size.
//!
//! The bursts of a workload do not become smaller. So what takes them stays: buffers, chips, channels, the queue.

use std::sync::Arc;

use ssdlab_device::keys::{flash, ftl, read_buffer, timing};
use ssdlab_device::{Cause, Controller, Flash, Interleave};
use ssdlab_ftl::page::{
    ALL_BLOCKS, GC_LOW, MAP_CACHE, MAP_HOST, MAP_SYNC, MapConfig, SLC_DYNAMIC, SLC_REST,
    SLC_STATIC, SlcConfig, has_slc,
};
use ssdlab_ftl::{LOG_BLOCKS, OVER_PROVISIONING, SPARE_BLOCKS};
use ssdlab_policy::buffer::SIZE;
use ssdlab_policy::placement::{RAM, RAM_THRESHOLD};
use ssdlab_policy::{Count, Number};
use ssdlab_words::{size_value, thousands};

use crate::config::Config;
use crate::effect::reads;
use crate::error::{ConfigError, Origin};
use crate::kind::Refusal;
use crate::layer::{Given, Layer};
use crate::value::{Value, literal};

/// As many spare blocks behave like any larger number.
const SPARE: f64 = 256.0;
/// A block of a drive that cleans keeps as many pages, if it had them and its chips program them one by one.
const PAGES: u64 = 256;
/// The small drive may be larger than was asked for by this share, if so it keeps the number of its blocks.
const LARGER: f64 = 0.01;
/// A buffer has at most one part in so many of the small drive: a larger one would hold what the drive stores.
pub const BUFFERED: u64 = 8;
/// Otherwise a chip's block keeps as many units.
const UNITS: u64 = 4;
/// A drive keeps its units if as many blocks are left.
const BLOCKS: u64 = 100;
/// With less than this share of the large drive's spare blocks, cleaning costs some per cent more.
const COSTLY: f64 = 0.97;

/// The large drive that a small one stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Large {
    /// Its capacity, over that of the small one.
    pub times: f64,
    /// What its controller needs.
    pub controller: Controller,
    /// The terabytes that its maker rates, if they are given.
    pub rated_tbw: Option<f64>,
}

/// Makes the drive of a merged layer, with its defaults filled in, about as large as `size` bytes. Keys of `--set` are
/// those of the small drive, except the capacity and the rated terabytes. Returns the large drive, and in words what was
/// done; `given` is the size as it was given.
///
/// # Errors
/// One of the drives cannot be, or the large one has no size or is not larger.
pub(crate) fn scale(
    layer: &mut Layer,
    size: u64,
    given: &Arc<str>,
) -> Result<(Large, String), ConfigError> {
    let origin = Origin::ScaleTo(given.clone());
    let large = Config::new(layer.clone())?;
    let capacity = Flash::sold(&large.layer).capacity;
    let why = match capacity {
        0 => "must be the size of the large drive; \"auto\" is that of the trace",
        capacity if capacity <= size => "must be larger than the drive that it is scaled to",
        _ => "",
    };
    if !why.is_empty() {
        let capacity = layer.get(flash::CAPACITY.key.path);
        let capacity = capacity.expect("a default").clone();
        let capacity = Given { origin, ..capacity };
        return Err(capacity.refuse(Refusal(why.into())));
    }
    Scaled { layer, origin }.fit(&large, size);
    let small = Config::new(layer.clone()).map_err(|error| too_small(error, given))?;
    holds_no_more(&small, given)?;
    let of = Large {
        times: capacity as f64 / Flash::sold(&small.layer).capacity as f64,
        controller: large.controller(),
        rated_tbw: large.rated_tbw(),
    };
    let told = told(&large, &small, &of, given);
    Ok((of, told))
}

/// Refuses a drive so small that a buffer of the large one holds too much of it.
fn holds_no_more(small: &Config, given: &Arc<str>) -> Result<(), ConfigError> {
    for buffer in [SIZE, read_buffer::SIZE] {
        let path = buffer.key.path;
        let bytes = buffer.get(&small.layer).unwrap_or_default();
        let least = bytes.saturating_mul(BUFFERED);
        if !reads(&small.layer, path) || least <= Flash::sold(&small.layer).capacity {
            continue;
        }
        if let Some(value) = small.layer.get(path)
            && value.origin != Origin::Set
        {
            let origin = Origin::ScaleTo(given.clone());
            return Err(Given { origin, ..value.clone() }.refuse(Refusal(format!(
                "must be at most an eighth of the small drive, since bursts stay as long as they are; scale to at least {}, or \
                 give the small drive a buffer with --set {path}",
                size_value(least)
            ))));
        }
    }
    Ok(())
}

/// The layer of the drive that becomes smaller.
struct Scaled<'a> {
    layer: &'a mut Layer,
    origin: Origin,
}

impl Scaled<'_> {
    fn fit(&mut self, large: &Config, size: u64) {
        let sold = Flash::sold(&large.layer);
        let (blocks, step) = (sold.capacity / sold.capacity_step(), sold.capacity_step());
        let own = flash::PAGES_PER_BLOCK.of(self.layer);
        if cleans(large) {
            let chips = u64::from(sold.pages_per_block) / own;
            let factor = size as f64 / sold.capacity as f64;
            let spare = f64::from(large.inputs().spare_blocks.max(1));
            let fewer_blocks = factor.max((SPARE / spare).min(1.0));
            let unit = timing::PROGRAM_PAGES.of(self.layer);
            let pages = (own as f64 * factor / fewer_blocks).ceil() as u64;
            // as many as divide the large drive's, so that at least that many blocks are left
            let least = |pages: u64| match unit {
                1 => PAGES.div_ceil(chips).min(own),
                _ => (UNITS * pages).min(own),
            };
            let leaves = |unit: u64| size / (step / own * least(unit)) >= BLOCKS;
            let mut smaller = (1..=unit)
                .rev()
                .filter(|smaller| unit.is_multiple_of(*smaller));
            let small = match self.sets(timing::PROGRAM_PAGES.key.path) {
                true => unit,
                false => smaller.find(|&unit| leaves(unit)).unwrap_or(1),
            };
            if small < unit {
                self.shrink_units(large, small, unit);
            }
            let pages = pages.clamp(least(small), own).next_multiple_of(small);
            self.put(
                flash::PAGES_PER_BLOCK.key.path,
                Value::Int(pages.min(own) as i64),
            );
        }
        let pages = flash::PAGES_PER_BLOCK.of(self.layer);
        if pages < own {
            // the same share of the time
            let erase = self.product(timing::ERASE_US, pages as f64 / own as f64);
            self.put(timing::ERASE_US.key.path, erase);
        }
        let step = step / own * pages;
        let now = match blocks * step {
            kept if kept as f64 <= size as f64 * (1.0 + LARGER) => blocks,
            _ => size.div_ceil(step),
        };
        let capacity = Value::Int((now * step) as i64);
        self.layer
            .put_as(flash::CAPACITY.key.path, capacity, &self.origin);
        let fewer = now as f64 / blocks as f64;
        if !cleans(large) {
            self.count(LOG_BLOCKS, fewer, 2);
        } else if timing::PROGRAM_PAGES.of(&large.layer) > 1 && reads(self.layer, GC_LOW.key.path) {
            self.spare(large, now);
        } else if self.layer.gives(SPARE_BLOCKS.key.path) {
            self.count(SPARE_BLOCKS, fewer, 1);
        }
        let share = (now * step) as f64 / sold.capacity as f64;
        let page = u64::from(sold.page_size);
        for memory in [RAM, RAM_THRESHOLD] {
            if reads(self.layer, memory.key.path)
                && let Some(bytes) = memory.get(self.layer)
            {
                let pages = ((bytes as f64 * share) as u64 / page).max(1);
                self.put(
                    memory.key.path,
                    Value::Int((pages * page).min(bytes) as i64),
                );
            }
        }
        self.cache(large, now == blocks, share);
        let inputs = large.inputs();
        let map = MapConfig::configure(&inputs);
        let least = map.map_or(1, |map| map.least().0 * inputs.shape.ftls);
        for (count, least) in [(MAP_CACHE, least), (MAP_HOST, 1), (MAP_SYNC, 1)] {
            if reads(self.layer, count.key.path) {
                self.count(count, share, least);
            }
        }
        if flash::RATED_TBW.get(self.layer).is_some() {
            let rated = self.product(flash::RATED_TBW, share);
            self.layer
                .put_as(flash::RATED_TBW.key.path, rated, &self.origin);
        }
    }

    /// The SLC cache: as many blocks if the drive keeps the number of its own, else the same share.
    fn cache(&mut self, large: &Config, keeps_blocks: bool, share: f64) {
        let Some(cache) = SlcConfig::configure(&large.inputs()).filter(|_| has_slc(self.layer))
        else {
            return;
        };
        let flash = Flash::sold(self.layer);
        let own = flash::PAGES_PER_BLOCK.of(self.layer);
        let bits = flash::CELL_BITS.of(self.layer);
        let pages = own / bits * (u64::from(flash.pages_per_block) / own);
        let block = pages * u64::from(flash.page_size) * u64::from(flash.separate_chips());
        let sizes = [
            (SLC_STATIC.key.path, SLC_STATIC.get(self.layer), cache.fixed),
            (
                SLC_DYNAMIC.key.path,
                SLC_DYNAMIC.get(self.layer).flatten(),
                cache.dynamic,
            ),
            (SLC_REST.key.path, SLC_REST.get(self.layer), cache.rest),
        ];
        for (path, bytes, blocks) in sizes {
            let Some(bytes) = bytes.filter(|bytes| *bytes > 0) else {
                continue;
            };
            let small = match keeps_blocks && blocks != ALL_BLOCKS {
                true => u64::from(blocks) * block,
                false => (bytes as f64 * share) as u64,
            };
            self.put(path, Value::Int(small as i64));
        }
    }

    /// Chips program this many pages at once instead of `before`, in their share of the time, and sense at most as many.
    fn shrink_units(&mut self, large: &Config, unit: u64, before: u64) {
        let group = timing::SENSE_PAGES.of(self.layer);
        let mut groups = (1..=group.min(unit)).rev();
        let group = groups.find(|&group| unit.is_multiple_of(group));
        let time = self.product(timing::PROGRAM_US, unit as f64 / before as f64);
        let slots = large.spare_slots(&large.needs);
        self.put(timing::PROGRAM_PAGES.key.path, Value::Int(unit as i64));
        self.put(
            timing::SENSE_PAGES.key.path,
            Value::Int(group.unwrap_or(1) as i64),
        );
        self.put(timing::PROGRAM_US.key.path, time);
        self.put(timing::SPARE_SLOTS.key.path, Value::Int(slots as i64));
    }

    /// The small drive, of so many blocks as sold, has the same share of spare blocks beside those that stay free.
    fn spare(&mut self, large: &Config, sold: u64) {
        let [number, share] = [SPARE_BLOCKS.key.path, OVER_PROVISIONING.key.path];
        let blocks = Flash::sold(&large.layer);
        let blocks = blocks.capacity / blocks.capacity_step();
        if sold == blocks
            || [number, share, GC_LOW.key.path]
                .into_iter()
                .any(|path| self.sets(path))
        {
            return;
        }
        let reserved = (ftl::RESERVE.of(self.layer) * sold as f64).ceil();
        let spare = kept(large) + effective(large) * (sold as f64 - reserved) - reserved;
        self.layer.put(share, None);
        let spare = Value::Int((spare.round() as i64).max(1));
        self.layer.put_as(number, spare, &self.origin);
    }

    fn count(&mut self, count: Count, share: f64, least: u64) {
        let all = count.of(self.layer);
        let some = ((all as f64 * share).round() as u64).max(least.min(all));
        self.put(count.key.path, Value::Int(some as i64));
    }

    fn product(&self, number: Number, share: f64) -> Value {
        let product = format!("{:.3e}", number.of(self.layer) * share);
        Value::Float(product.parse().expect("a number"))
    }

    fn sets(&self, path: &str) -> bool {
        matches!(self.layer.get(path), Some(given) if given.origin == Origin::Set)
    }

    /// Replaces a value that `--set` did not give.
    fn put(&mut self, path: &'static str, value: Value) {
        let given = self.layer.get(path);
        if !self.sets(path) && given.is_none_or(|given| given.value != value) {
            self.layer.put_as(path, value, &self.origin);
        }
    }
}

fn cleans(config: &Config) -> bool {
    config.moves == Cause::Cleaning
}

/// The spare blocks that stay free, and a frontier.
fn kept(config: &Config) -> f64 {
    GC_LOW.of(&config.layer) as f64 + 1.0
}

/// The share of spare blocks, without those that stay free and a frontier.
fn effective(config: &Config) -> f64 {
    (f64::from(config.inputs().spare_blocks) - kept(config))
        / f64::from(config.flash.chip_capacity().logical_blocks as u32)
}

/// What was done.
fn told(large: &Config, small: &Config, of: &Large, given: &str) -> String {
    let changed = small.layer.iter().filter_map(|(key, now)| {
        let before = large.layer.get(key.path)?;
        let is_other = now.origin != Origin::Default && before.value != now.value;
        is_other.then(|| {
            let [before, now] =
                [before, now].map(|given| literal(key, &given.value).replace('"', ""));
            format!("{} {now} instead of {before}", key.path)
        })
    });
    let changed: Vec<String> = changed.collect();
    let line = small.flash.interleave == Interleave::Line && small.flash.chips() > 1;
    let what = if line { "lines" } else { "blocks" };
    let [now, before] = [small, large].map(|config| {
        let blocks = thousands(config.physical_blocks().into());
        format!("{blocks} of {}", size_value(config.flash.block_bytes()))
    });
    let mut text = format!(
        "--scale-to {given}: {what}: {now} instead of {before}; {}",
        changed.join(", ")
    );
    text += &format!(
        "; wear, life and RAM are given for the large drive, {} times as large, if the same data lie on it",
        ssdlab_words::fixed(of.times, 0)
    );
    let unit = |config: &Config| timing::PROGRAM_PAGES.of(&config.layer);
    if unit(small) < unit(large) {
        text += "; chips program smaller units in as much less time, so write amplification and rates are those of the large drive, \
                 latencies are not";
    }
    if cleans(small) && effective(small) < COSTLY * effective(large) {
        let [few, many] = [small, large].map(|config| config.inputs().spare_blocks);
        text += &format!(
            "; with {few} spare {what} instead of {many}, cleaning costs more than on the large drive"
        );
    }
    text
}

/// The error of a drive that became too small.
fn too_small(error: ConfigError, given: &Arc<str>) -> ConfigError {
    match error {
        ConfigError::Impossible {
            key,
            found,
            allowed,
            ..
        } => ConfigError::Impossible {
            at: Origin::ScaleTo(given.clone()),
            key,
            found,
            allowed: format!("{allowed}; scale to a larger size"),
        },
        other => other,
    }
}
