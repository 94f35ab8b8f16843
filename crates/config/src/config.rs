//! The typed configuration that the systems read.

use crate::check;
use crate::effect::{idle_with, reads, warnings};
use crate::error::ConfigError;
use crate::error::Origin;
use crate::layer::{Given, Layer};
use crate::schema::MAX_PAGES;
use crate::value::Value;
use ssdlab_ftl::{BufferAware, Clock, Costs, Params};
use ssdlab_policy::placement::GcFrontier;
use ssdlab_policy::{Entry, buffer, cleaning, placement};

/// How a write of part of a page is handled (`partial_writes`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialWrites {
    /// Like a write of the whole page, as in the papers.
    Whole,
    /// A mapped page that is in no buffer is read from flash first.
    Rmw,
}

/// The state of the flash before the trace (`precondition`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// Every logical page was written once, in order, without cost.
    Full,
    /// No page is mapped.
    Empty,
}

/// How host reads affect the buffer (`buffer.reads`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Not at all: misses do not enter, and hits do not count as uses.
    Bypass,
    /// Misses enter as clean pages, and hits count as uses.
    Cache,
}

/// The flash array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flash {
    /// Capacity for the host in bytes, a whole number of blocks; 0 while [`Config::is_auto`].
    pub capacity: u64,
    /// Size of a page in bytes: 512 to 1 MiB in steps of 512, times the chips with [`Interleave::Superpage`].
    pub page_size: u32,
    /// Pages in an erase block, 1 to 65536.
    pub pages_per_block: u32,
    /// Planes, at least 1; block b is in plane b mod planes.
    pub planes: u32,
    /// Whether copies inside a plane avoid the flash bus.
    pub copy_back: bool,
    /// Channels, at least 1.
    pub channels: u32,
    /// Chips on each channel, at least 1.
    pub chips_per_channel: u32,
    /// See [`Interleave`].
    pub interleave: Interleave,
}

impl Flash {
    /// Size of an erase block in bytes, across all chips with [`Interleave::Superpage`].
    pub fn block_bytes(&self) -> u64 {
        u64::from(self.page_size) * u64::from(self.pages_per_block)
    }

    /// The number of chips with an FTL of their own: all with [`Interleave::Page`], otherwise 1.
    pub fn separate_chips(&self) -> u32 {
        match self.interleave {
            Interleave::Page => self.channels * self.chips_per_channel,
            Interleave::Superpage => 1,
        }
    }

    /// The bytes of which each capacity is a multiple: one block on each chip with its own FTL.
    pub fn capacity_step(&self) -> u64 {
        self.block_bytes() * u64::from(self.separate_chips())
    }
}

/// How pages spread over several chips (`flash.interleave`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleave {
    /// A page and a block span all chips, which share one FTL.
    Superpage,
    /// LPN p is on chip p mod chips. Each chip has its own FTL with local pages p div chips.
    Page,
}

/// Costs of the serial model in nanoseconds, at most one second each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Reads a page from the cells into the register.
    pub read_ns: u64,
    /// Programs a page from the register into the cells.
    pub program_ns: u64,
    /// Erases a block.
    pub erase_ns: u64,
    /// Transfers a page over the flash bus. With [`Interleave::Superpage`], the parts for the chips of one channel are
    /// transferred one after the other.
    pub transfer_ns: u64,
    /// One access of a buffer: a host page that hits or enters it.
    pub buffer_ns: u64,
}

/// The flash translation layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ftl {
    /// Its name in the registry.
    pub kind: &'static str,
    /// The parameters of all FTLs; this one reads only some of them.
    pub params: ssdlab_ftl::Params,
}

/// The write buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Its name in the registry.
    pub policy: &'static str,
    /// Size in bytes; see [`Config::buffer_pages`].
    pub size: u64,
    /// Default: `Cache` for cflru and fab, otherwise `Bypass`.
    pub reads: Reads,
    /// Flush requests do nothing, because the memory keeps its content without power.
    pub protected: bool,
    /// Trace time in nanoseconds after which dirty pages are written. 0 means never; less than half a nanosecond is
    /// rounded to 0.
    pub flush_age_ns: u64,
    /// Each block header takes the space of one page.
    pub count_headers: bool,
    /// bplru: missing pages of a victim are read from flash, and the whole block is written.
    pub padding: bool,
    /// bplru: sequentially written blocks are evicted first.
    pub compensation: bool,
    /// cflru: fraction of the buffer that is searched for clean pages, 0 to 1.
    pub window: f64,
    /// plru-br-2q: fraction of the buffer that is hot, 0 to 1.
    pub hot: f64,
}

/// The read buffer beside the write buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBuffer {
    /// fifo, lru or sof.
    pub policy: &'static str,
    /// Size in bytes, at least one page.
    pub size: u64,
}

/// A checked configuration. Two are equal if they agree in all keys that their systems read.
#[derive(Clone, Debug)]
pub struct Config {
    /// The preset it is based on.
    pub preset: Option<String>,
    /// See [`PartialWrites`].
    pub partial_writes: PartialWrites,
    /// See [`Precondition`].
    pub precondition: Precondition,
    /// Whether the buffer is written back at the end of the trace.
    pub drain: bool,
    /// The flash array.
    pub flash: Flash,
    /// The costs of operations.
    pub timing: Timing,
    /// The flash translation layer.
    pub ftl: Ftl,
    /// The write buffer.
    pub buffer: Buffer,
    /// The read buffer, if there is one.
    pub read_buffer: Option<ReadBuffer>,
    /// One sentence for each key that was given but has no effect, and for a rounded capacity.
    pub warnings: Vec<String>,
    pub(crate) layer: Layer,
}

impl Config {
    /// The configuration of a merged layer. Each value has been checked on its own; open defaults are filled in.
    pub(crate) fn new(mut layer: Layer) -> Result<Self, ConfigError> {
        let shape = flash(&layer);
        let rounded = check::round_capacity(&mut layer, &shape);
        let ftl = ftl(&mut layer);
        let config = Config {
            preset: layer.get("preset").map(|_| layer.text("preset").to_owned()),
            partial_writes: match layer.text("partial_writes") {
                "rmw" => PartialWrites::Rmw,
                _ => PartialWrites::Whole,
            },
            precondition: match layer.text("precondition") {
                "empty" => Precondition::Empty,
                _ => Precondition::Full,
            },
            drain: layer.on("drain"),
            flash: flash(&layer),
            timing: timing(&layer),
            ftl,
            buffer: write_buffer(&layer),
            read_buffer: read_buffer(&layer),
            warnings: rounded.into_iter().chain(warnings(&layer)).collect(),
            layer,
        };
        check::device(&config.layer, &config)?;
        Ok(config)
    }

    /// Whether `flash.capacity` is `"auto"`; then [`with_capacity`](Self::with_capacity) must be called first.
    pub fn is_auto(&self) -> bool {
        self.layer.text("flash.capacity") == "auto"
    }

    /// Whether a preset, a file or `--set` gives the key.
    pub fn gives(&self, path: &str) -> bool {
        let given = self.layer.get(path);
        given.is_some_and(|given| given.origin != Origin::Default)
    }

    /// The place where the user gave a key, in a file or by `--set`, as the start of a message.
    pub fn given_at(&self, path: &str) -> Option<String> {
        let given = self
            .layer
            .get(path)
            .filter(|given| given.origin.is_explicit())?;
        Some(format!("{}{path} = {}", given.origin, given.found))
    }

    /// Whether the chosen systems read the key of this path.
    pub fn reads(&self, path: &str) -> bool {
        reads(&self.layer, path)
    }

    /// Replaces an `"auto"` capacity by the end of the trace in bytes, rounded up to whole blocks (on all chips): at
    /// least one block, or at least the default if no layer gives a capacity. Any other capacity stays.
    pub fn with_capacity(mut self, trace_end: u64) -> Result<Self, ConfigError> {
        if !self.is_auto() {
            return Ok(self);
        }
        let block = self.flash.capacity_step();
        let least = match self.gives("flash.capacity") {
            true => 0,
            false => Layer::defaults().int("flash.capacity"),
        };
        let trace_end = trace_end.max(least);
        // a capacity above the largest TOML integer has too many pages and is refused below
        let blocks = trace_end.div_ceil(block).clamp(1, i64::MAX as u64 / block);
        let bytes = (blocks * block) as i64;
        let mut given = self.layer.get("flash.capacity").cloned();
        if let Some(given) = &mut given {
            given.value = Value::Int(bytes);
            given.found = format!("\"auto\", {bytes} bytes");
        }
        self.layer.put("flash.capacity", given);
        Config::new(self.layer)
    }

    /// The number of logical blocks.
    pub fn logical_blocks(&self) -> u32 {
        (self.flash.capacity / self.flash.block_bytes()) as u32
    }

    /// The number of logical pages.
    pub fn logical_pages(&self) -> u32 {
        self.logical_blocks() * self.flash.pages_per_block
    }

    /// The number of physical blocks; 0 for an FTL without flash.
    pub fn physical_blocks(&self) -> u32 {
        self.all_blocks() as u32
    }

    /// Like `physical_blocks`, but not limited to the allowed maximum.
    pub(crate) fn all_blocks(&self) -> u64 {
        let logical = self.flash.capacity / self.flash.capacity_step();
        ssdlab_ftl::kind(self.ftl.kind).physical_blocks(&self.ftl.params, logical)
            * u64::from(self.flash.separate_chips())
    }

    /// The size of the read buffer in pages; 0 without one.
    pub fn read_buffer_pages(&self) -> u32 {
        let size = self.read_buffer.as_ref().map_or(0, |buffer| buffer.size);
        // all sizes above the logical pages behave the same
        (size / u64::from(self.flash.page_size)).min(MAX_PAGES.into()) as u32
    }

    /// The size of the write buffer in pages: 0 without one, all logical pages if unbounded.
    pub fn buffer_pages(&self) -> u32 {
        match self.buffer.policy {
            "none" => 0,
            "unbounded" => self.logical_pages(),
            _ => (self.buffer.size / u64::from(self.flash.page_size)) as u32,
        }
    }
}

impl PartialEq for Config {
    fn eq(&self, other: &Self) -> bool {
        let read = |config: &Config| -> Vec<_> {
            let keys = config.layer.iter();
            let read = keys.filter(|(key, _)| idle_with(&config.layer, key).is_none());
            read.map(|(key, given)| (key.path, given.value.clone()))
                .collect()
        };
        read(self) == read(other)
    }
}

fn flash(layer: &Layer) -> Flash {
    let channels = layer.int("flash.channels") as u32;
    let chips_per_channel = layer.int("flash.chips_per_channel") as u32;
    let (interleave, span) = match layer.text("flash.interleave") {
        "page" => (Interleave::Page, 1),
        _ => (Interleave::Superpage, channels * chips_per_channel),
    };
    Flash {
        channels,
        chips_per_channel,
        interleave,
        capacity: layer.int("flash.capacity"),
        page_size: layer.int("flash.page_size") as u32 * span,
        pages_per_block: layer.int("flash.pages_per_block") as u32,
        planes: layer.int("flash.planes") as u32,
        copy_back: layer.on("flash.copy_back"),
    }
}

fn timing(layer: &Layer) -> Timing {
    let transfers = match layer.text("flash.interleave") {
        "superpage" => layer.int("flash.chips_per_channel"),
        _ => 1,
    };
    let ns = |path| rounded(layer.float(path), 1e3);
    Timing {
        read_ns: ns("timing.read_us"),
        program_ns: ns("timing.program_us"),
        erase_ns: ns("timing.erase_us"),
        transfer_ns: ns("timing.transfer_us") * transfers,
        buffer_ns: ns("timing.buffer_us"),
    }
}

/// The FTL. Fills in the default of its spare blocks, which may depend on the capacity.
fn ftl(layer: &mut Layer) -> Ftl {
    let flash = flash(layer);
    // the logical blocks of each chip with its own FTL
    let logical = flash.capacity / flash.capacity_step();
    let kind = registered(ssdlab_ftl::ENTRIES, layer.text("ftl.kind"));
    let (placement, regions) = placement(layer);
    let mut params = Params {
        log_blocks: layer.int("ftl.log_blocks") as u32,
        spare_blocks: 0,
        partial_merge: layer.on("ftl.partial_merge"),
        open_blocks: layer.int("ftl.open_blocks") as u32,
        blocks_per_superblock: layer.int("ftl.blocks_per_superblock") as u32,
        max_update_blocks: layer.int("ftl.max_update_blocks") as u32,
        cleaning: cleaning::Kind::named(layer.text("ftl.cleaning")).expect("a checked name"),
        choices: cleaning::Params {
            d: layer.int("ftl.d") as u32,
            seed: layer.int("ftl.seed"),
        },
        placement,
        regions,
        gc_low: layer.int("ftl.gc_low") as u32,
        clock: match layer.text("clock") {
            "trace" => Clock::Trace,
            _ => Clock::Writes,
        },
        buffer_aware: match layer.text("ftl.buffer_aware") {
            "merge" => BufferAware::Merge,
            "merge+victim" => BufferAware::MergeAndVictim,
            _ => BufferAware::Off,
        },
        candidates: layer.int("ftl.candidates") as u32,
        costs: costs(layer),
    };
    let (spare, fraction) = ("ftl.spare_blocks", "ftl.over_provisioning");
    let given = |given: &Given| given.origin != Origin::Default;
    if !layer.get(spare).is_some_and(given) && layer.get(fraction).is_none() {
        let known = (logical > 0).then_some(logical.min(MAX_PAGES.into()) as u32);
        match (ssdlab_ftl::kind(kind).default_spare_blocks)(&params, known) {
            Some(blocks) => layer.put_default(spare, &blocks.to_string()),
            None => layer.put(spare, None),
        }
    }
    params.spare_blocks = match layer.get(fraction) {
        // the product of two doubles, rounded up; the conversion saturates, and check::physical refuses the result
        Some(_) => (layer.float(fraction) * logical as f64).ceil() as u32,
        None => layer.int(spare) as u32,
    };
    Ftl { kind, params }
}

/// The costs of flash operations that the FTL uses, for both timing models.
fn costs(layer: &Layer) -> Costs {
    let timing = timing(layer);
    Costs {
        read: timing.read_ns,
        program: timing.program_ns,
        erase: timing.erase_ns,
        transfer: timing.transfer_ns,
    }
}

/// The placement, and the parameters of all placements.
pub(crate) fn placement(layer: &Layer) -> (placement::Kind, placement::Params) {
    let kind = placement::Kind::named(layer.text("ftl.placement")).expect("a checked name");
    let page_size = u64::from(flash(layer).page_size);
    let params = placement::Params {
        gc_frontier: match layer.text("ftl.gc_frontier") {
            "shared" => GcFrontier::Shared,
            _ => GcFrontier::Separate,
        },
        regions: layer.int("ftl.regions") as u32,
        stable: stable_times(layer),
        // all sizes above the logical pages behave the same
        ram_pages: (layer.int("ftl.ram") / page_size).min(MAX_PAGES.into()) as u32,
    };
    (kind, params)
}

/// `ftl.stable_s` in the unit of the clock.
fn stable_times(layer: &Layer) -> Vec<u64> {
    let unit = match layer.text("clock") {
        "trace" => 1e9,
        _ => 1.0,
    };
    let times = layer.list("ftl.stable_s").iter();
    times.map(|&time| rounded(time, unit)).collect()
}

fn write_buffer(layer: &Layer) -> Buffer {
    Buffer {
        policy: registered(buffer::ENTRIES, layer.text("buffer.policy")),
        size: layer.int("buffer.size"),
        reads: match layer.text("buffer.reads") {
            "cache" => Reads::Cache,
            _ => Reads::Bypass,
        },
        protected: layer.on("buffer.protected"),
        flush_age_ns: rounded(layer.float("buffer.flush_age_s"), 1e9),
        count_headers: layer.on("buffer.count_headers"),
        padding: layer.on("buffer.padding"),
        compensation: layer.on("buffer.compensation"),
        window: layer.float("buffer.window"),
        hot: layer.float("buffer.hot"),
    }
}

fn read_buffer(layer: &Layer) -> Option<ReadBuffer> {
    let policy = registered(buffer::ENTRIES, layer.text("read_buffer.policy"));
    (policy != "none").then(|| ReadBuffer {
        policy,
        size: layer.int("read_buffer.size"),
    })
}

/// A product of doubles, rounded to the nearest integer, halves to even.
fn rounded(time: f64, unit: f64) -> u64 {
    (time * unit).round_ties_even() as u64
}

/// The name from the registry for a checked name.
fn registered(entries: &'static [Entry], name: &str) -> &'static str {
    entries
        .iter()
        .map(|entry| entry.name)
        .find(|known| *known == name)
        .unwrap_or_default()
}
