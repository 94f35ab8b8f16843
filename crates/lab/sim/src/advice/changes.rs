//! What may lessen the bytes to flash of a cause: the changes to try.

use ssdlab_config::Config;
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_device::{Cause, Counters, keys};
use ssdlab_ftl::page::CLEANING;
use ssdlab_ftl::{BUFFER_AWARE, LOG_BLOCKS};
use ssdlab_policy::buffer::PADDING;
use ssdlab_words::{bytes, percent, size_value};

use crate::key::{FTL, PAGE_SIZE, PAGES_PER_BLOCK, POLICY, SIZE};
use crate::spare::SPARE;

/// How much larger buffers and log blocks are tried.
const LARGER: u64 = 4;
/// The share of the capacity that an owner may leave unused.
const RESERVE: f64 = 0.2;
/// The other key of spare flash.
const SPARE_BLOCKS: &str = ssdlab_ftl::SPARE_BLOCKS.key.path;
/// The mapping unit of most drives.
const SMALL_PAGE: u64 = 4096;

/// A change of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// In words: `page mapping`.
    pub words: String,
    /// Assignments in the syntax of `--set`.
    pub set: Vec<String>,
}

/// The changes that may lessen a cause for a device that counted this, the most promising first.
pub(super) fn against(cause: Cause, config: &Config, counters: &Counters) -> Vec<Change> {
    let device = Device {
        values: config.to_json(),
        config,
    };
    let changes = match cause {
        Cause::Padding => vec![
            device.off(PADDING.key.path, "no padding"),
            device.policy("lru"),
            device.policy("fab"),
        ],
        Cause::Merge => vec![
            device.more_log_blocks(),
            device.page_mapping(),
            device.on("ftl.partial_merge", "partial merges"),
            device.larger_buffer(),
            device.aware_merges(),
        ],
        Cause::Cleaning => vec![
            device.reserve(),
            device.more_spare(),
            device.instead("ftl.placement", &["dac"], "placement"),
            device.instead("ftl.cleaning", &["cost-benefit", "greedy"], "cleaning"),
            device.aware_merges(),
        ],
        Cause::ReadModifyWrite => vec![device.smaller_unit(), device.larger_buffer()],
        Cause::Host => vec![
            device.protected(counters),
            device.larger_buffer(),
            device.some_buffer(),
        ],
        // a cache moves what it held: none passes through none, and what was trimmed is not moved; a larger one moves no less
        Cause::Folding => vec![device.reserve(), device.off("ftl.slc", "no SLC cache")],
        Cause::Tables => vec![device.page_mapping()],
        Cause::Ageing | Cause::Buffer => Vec::new(),
    };
    changes.into_iter().flatten().collect()
}

/// A device that is to be changed.
struct Device<'a> {
    values: serde_json::Value,
    config: &'a Config,
}

impl Device<'_> {
    /// The value of a key that the device reads.
    fn read(&self, key: &str) -> Option<&serde_json::Value> {
        let place = format!("/{}", key.replace('.', "/"));
        let value = self.values.pointer(&place)?;
        self.config.reads(key).then_some(value)
    }

    fn has_buffer(&self) -> bool {
        self.config.policy != NO_BUFFER
    }

    /// A choice that is not `off`.
    fn off(&self, key: &str, words: &str) -> Option<Change> {
        let is_on = self.read(key)?.as_str()? != "off";
        is_on.then(|| change(words, [format!("{key}=off")]))
    }

    /// A switch that is off.
    fn on(&self, key: &str, words: &str) -> Option<Change> {
        let is_off = !self.read(key)?.as_bool()?;
        is_off.then(|| change(words, [format!("{key}=true")]))
    }

    /// The first of some systems that is not the present one.
    fn instead(&self, key: &str, names: &[&str], what: &str) -> Option<Change> {
        let present = self.read(key)?.as_str()?;
        let name = names.iter().find(|name| **name != present)?;
        Some(change(
            &format!("{what} {name} instead of {present}"),
            [format!("{key}={name}")],
        ))
    }

    fn policy(&self, name: &str) -> Option<Change> {
        self.instead(POLICY, &[name], "buffer")
            .filter(|_| self.config.policy != name)
    }

    fn larger_buffer(&self) -> Option<Change> {
        let size = self.read(SIZE)?.as_u64()?.checked_mul(LARGER)?;
        let fits = size > 0 && size <= self.config.flash.capacity;
        fits.then(|| {
            let words = format!("a buffer of {}", bytes(size));
            change(&words, [format!("{SIZE}={}", size_value(size))])
        })
    }

    fn some_buffer(&self) -> Option<Change> {
        (!self.has_buffer()).then(|| change("a buffer", [format!("{POLICY}=lru")]))
    }

    /// Flushes empty a buffer that is not protected.
    fn protected(&self, counters: &Counters) -> Option<Change> {
        let helps = self.has_buffer() && counters.host_flushes > 0;
        self.on(
            keys::buffer::PROTECTED.key.path,
            "a buffer with power-loss protection",
        )
        .filter(|_| helps)
    }

    fn more_log_blocks(&self) -> Option<Change> {
        let key = LOG_BLOCKS.key.path;
        let more = self.read(key)?.as_u64()?.checked_mul(LARGER)?;
        let fits = more < u64::from(self.config.logical_blocks());
        fits.then(|| change(&format!("{more} log blocks"), [format!("{key}={more}")]))
    }

    fn page_mapping(&self) -> Option<Change> {
        let is_page = self.config.ftl == "page";
        (!is_page).then(|| change("page mapping", [format!("{FTL}=page")]))
    }

    fn aware_merges(&self) -> Option<Change> {
        let key = BUFFER_AWARE.key.path;
        let is_off = ["off", "watch"].contains(&self.read(key)?.as_str()?);
        (is_off && self.has_buffer()).then(|| {
            change(
                "copies that take buffered pages along",
                [format!("{key}=merge")],
            )
        })
    }

    /// As much spare flash again, by the key that gives it.
    fn more_spare(&self) -> Option<Change> {
        let (logical, physical) = (self.config.logical_blocks(), self.config.physical_blocks());
        let spare = physical - logical;
        let set = if self.config.gives(SPARE_BLOCKS) {
            format!("{SPARE_BLOCKS}={}", 2 * u64::from(spare))
        } else {
            let share = f64::from(spare) / f64::from(logical);
            let given = self.read(SPARE).and_then(serde_json::Value::as_f64);
            // thousandths, so that a reader can type it
            format!(
                "{SPARE}={}",
                ((given.unwrap_or(share) + share) * 1e3).round() / 1e3
            )
        };
        let is_page = self.config.reads(CLEANING.key.path);
        (is_page && spare > 0).then(|| change("twice the spare flash", [set]))
    }

    /// Part of the capacity left unused: the trace must fit what is left.
    fn reserve(&self) -> Option<Change> {
        let key = keys::ftl::RESERVE.key.path;
        let none = self
            .read(key)
            .is_none_or(|share| share.as_f64() == Some(0.0));
        let words = format!("{} of the capacity left unused", percent(RESERVE));
        let is_page = self.config.reads(CLEANING.key.path);
        (none && is_page).then(|| change(&words, [format!("{key}={RESERVE}")]))
    }

    /// Mapping units of 4 KiB. As many bytes are programmed at once, so that each unit takes its share of the time.
    fn smaller_unit(&self) -> Option<Change> {
        let size = self.read(PAGE_SIZE)?.as_u64()?;
        let pages = self.read(PAGES_PER_BLOCK)?.as_u64()?;
        let times = size / SMALL_PAGE;
        let part = |key: &str| {
            let whole = self.read(key).and_then(serde_json::Value::as_f64)?;
            Some(format!("{key}={}", whole / times as f64))
        };
        let fits = times > 1 && size.is_multiple_of(SMALL_PAGE);
        fits.then(|| {
            let mut set = vec![
                format!("{PAGE_SIZE}={SMALL_PAGE}"),
                format!("{PAGES_PER_BLOCK}={}", pages * times),
            ];
            set.extend(
                [
                    keys::timing::PROGRAM_US.key.path,
                    keys::timing::TRANSFER_US.key.path,
                ]
                .into_iter()
                .filter_map(part),
            );
            change("mapping units of 4 KiB", set)
        })
    }
}

fn change(words: &str, set: impl Into<Vec<String>>) -> Change {
    Change {
        words: words.into(),
        set: set.into(),
    }
}
