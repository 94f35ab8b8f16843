//! The typed configuration that the systems read.

use crate::check;
use crate::effect::{idle_with, reads, warnings};
use crate::error::ConfigError;
use crate::error::Origin;
use crate::layer::{Given, Layer};
use crate::value::Value;
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_device::{
    Buffer, Catalogue, Flash, FtlFacts, Interleave, Issue, MAX_PAGES, Parallel, Parameters,
    PartialWrites, Precondition, Reads, Registry, Selection, Stack, Timing,
};
use ssdlab_flash::Media;
use ssdlab_ftl::{Clock, Costs, Inputs};
use ssdlab_policy::{Settings, cleaning, placement};
use std::ops::Deref;
use std::sync::Arc;

/// A checked configuration. Two are equal if they agree in all keys that their systems read.
#[derive(Clone, Debug)]
pub struct Config {
    /// The preset it is based on.
    pub preset: Option<String>,
    /// The name of the write buffer's policy.
    pub policy: &'static str,
    /// The name of the read buffer's policy.
    pub read_policy: &'static str,
    /// The name of the FTL.
    pub ftl: &'static str,
    /// What a device must know of the FTL.
    pub facts: FtlFacts,
    /// One sentence for each key that was given but has no effect, and for a rounded capacity.
    pub warnings: Vec<String>,
    parameters: Parameters,
    spare_blocks: u32,
    cleaning: cleaning::Chosen,
    placement: placement::Chosen,
    pub(crate) layer: Layer,
}

impl Deref for Config {
    type Target = Parameters;

    fn deref(&self) -> &Parameters {
        &self.parameters
    }
}

impl Config {
    /// The configuration of a merged layer. Each value has been checked on its own; open defaults are filled in.
    pub(crate) fn new(mut layer: Layer) -> Result<Self, ConfigError> {
        let shape = flash(&layer);
        let rounded = check::round_capacity(&mut layer, &shape);
        let catalogue = layer.catalogue().clone();
        let (ftl, cleaning) = (layer.text("ftl.kind"), layer.text("ftl.cleaning"));
        let ftl = catalogue.ftl(ftl).expect("a checked name");
        let cleaning = catalogue.cleaning(cleaning).expect("a checked name");
        let cleaning = cleaning.choose(&layer);
        let placement = placement(&layer);
        let spare_blocks = spare_blocks(&mut layer, |layer, logical| {
            let inputs = inputs(layer, 0, cleaning.clone(), placement.clone());
            ftl.default_spare_blocks(&inputs, logical)
        });
        let inputs = inputs(&layer, spare_blocks, cleaning.clone(), placement.clone());
        let facts = ftl.facts(&inputs);
        let config = Config {
            preset: layer.get("preset").map(|_| layer.text("preset").to_owned()),
            policy: buffer(&catalogue, layer.text("buffer.policy")),
            read_policy: buffer(&catalogue, layer.text("read_buffer.policy")),
            ftl: ftl.entry.name,
            facts,
            warnings: rounded.into_iter().chain(warnings(&layer)).collect(),
            parameters: parameters(&layer),
            spare_blocks,
            cleaning,
            placement,
            layer,
        };
        check::device(&config.layer, &config)?;
        Ok(config)
    }

    /// The settings of the FTL and of the policies that it uses.
    pub fn inputs(&self) -> Inputs<'_> {
        inputs(
            &self.layer,
            self.spare_blocks,
            self.cleaning.clone(),
            self.placement.clone(),
        )
    }

    /// The settings of the placement.
    pub fn placement_inputs(&self) -> placement::Inputs<'_> {
        placement_inputs(&self.layer)
    }

    /// The systems of this configuration, built by a registry with the same systems.
    pub fn stack<M: Media>(&self, registry: &Registry<M>) -> Stack<M> {
        registry.stack(&Selection {
            buffer: self.policy,
            read_buffer: self.read_policy,
            ftl: self.ftl,
            inputs: self.inputs(),
        })
    }

    /// The systems that the configuration can name.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        self.layer.catalogue()
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
            false => Layer::defaults(self.catalogue().clone()).int("flash.capacity"),
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
        self.flash.logical_blocks()
    }

    /// The number of logical pages.
    pub fn logical_pages(&self) -> u32 {
        self.flash.logical_pages()
    }

    /// The number of physical blocks; 0 for an FTL without flash.
    pub fn physical_blocks(&self) -> u32 {
        self.all_blocks() as u32
    }

    /// Like `physical_blocks`, but not limited to the allowed maximum.
    pub(crate) fn all_blocks(&self) -> u64 {
        let logical = self.flash.capacity / self.flash.capacity_step();
        self.facts.physical_blocks(logical) * u64::from(self.flash.separate_chips())
    }

    /// Whether the clocks of the parallel model give the times.
    pub fn is_parallel(&self) -> bool {
        self.layer.text("timing.model") == "parallel"
    }

    /// Whether there is a read buffer.
    pub fn has_read_buffer(&self) -> bool {
        self.read_policy != NO_BUFFER
    }

    /// The size of the write buffer in pages: 0 without one, all logical pages if unbounded.
    pub fn buffer_pages(&self) -> u32 {
        let policy = self.catalogue().buffer(self.policy);
        match policy.and_then(|policy| policy.nature) {
            None => 0,
            Some(nature) if !nature.bounded => self.logical_pages(),
            Some(_) => self.flash.pages_in(self.buffer.size) as u32,
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
    let chips = channels * chips_per_channel;
    let (interleave, span, line) = match layer.text("flash.interleave") {
        "page" => (Interleave::Page, 1, 1),
        "line" => (Interleave::Line, 1, chips),
        _ => (Interleave::Superpage, chips, 1),
    };
    Flash {
        channels,
        chips_per_channel,
        interleave,
        capacity: layer.int("flash.capacity"),
        page_size: layer.int("flash.page_size") as u32 * span,
        pages_per_block: layer.int("flash.pages_per_block") as u32 * line,
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
        parallel: parallel(layer),
    }
}

/// The parallel model. The moves of a superpage are those of its parts, one after the other.
fn parallel(layer: &Layer) -> Parallel {
    let (of_channel, of_bus) = match layer.text("flash.interleave") {
        "superpage" => {
            let ways = layer.int("flash.chips_per_channel");
            (ways, ways * layer.int("flash.channels"))
        }
        _ => (1, 1),
    };
    // one division of doubles
    let move_ns = |path| match layer.float(path) {
        0.0 => 0,
        mhz => rounded(1000.0 * layer.int("flash.page_size") as f64 / mhz, 1.0),
    };
    Parallel {
        channel_ns: move_ns("timing.channel_mhz") * of_channel,
        bus_ns: move_ns("timing.bus_mhz") * of_bus,
        read_suspends: layer.on("timing.read_suspends"),
        spare_slots: layer.int("timing.spare_slots"),
        issue: match layer.text("replay") {
            "timed" => Issue::Timed {
                speedup: layer.float("speedup"),
            },
            _ => Issue::Closed {
                depth: layer.int("queue_depth") as u32,
            },
        },
    }
}

/// The spare blocks of each chip with its own FTL. Fills in their default, which may depend on the capacity.
fn spare_blocks(layer: &mut Layer, default: impl Fn(&Layer, Option<u32>) -> Option<u32>) -> u32 {
    let flash = flash(layer);
    let logical = flash.capacity / flash.capacity_step();
    let (spare, fraction) = ("ftl.spare_blocks", "ftl.over_provisioning");
    let given = |given: &Given| given.origin != Origin::Default;
    if !layer.get(spare).is_some_and(given) && layer.get(fraction).is_none() {
        let known = (logical > 0).then_some(logical.min(MAX_PAGES.into()) as u32);
        match default(layer, known) {
            Some(blocks) => layer.put_default(spare, &blocks.to_string()),
            None => layer.put(spare, None),
        }
    }
    match layer.get(fraction) {
        // the product of two doubles, rounded up; the conversion saturates, and check::physical refuses the result
        Some(_) => (layer.float(fraction) * logical as f64).ceil() as u32,
        None => layer.int(spare) as u32,
    }
}

/// The settings of the FTL and of the policies that it uses.
fn inputs(
    layer: &Layer,
    spare_blocks: u32,
    cleaning: cleaning::Chosen,
    placement: placement::Chosen,
) -> Inputs<'_> {
    let timing = timing(layer);
    Inputs {
        settings: layer,
        spare_blocks,
        costs: Costs {
            read: timing.read_ns,
            program: timing.program_ns,
            erase: timing.erase_ns,
            transfer: timing.transfer_ns,
        },
        cleaning,
        placement,
        clock: match layer.text("clock") {
            "trace" => Clock::Trace,
            _ => Clock::Writes,
        },
    }
}

/// The placement.
pub(crate) fn placement(layer: &Layer) -> placement::Chosen {
    let placement = layer.catalogue().placement(layer.text("ftl.placement"));
    placement
        .expect("a checked name")
        .choose(&placement_inputs(layer))
}

fn placement_inputs(layer: &Layer) -> placement::Inputs<'_> {
    placement::Inputs {
        settings: layer,
        page_size: flash(layer).page_size,
        traced: layer.text("clock") == "trace",
    }
}

/// All parameters but the systems.
fn parameters(layer: &Layer) -> Parameters {
    Parameters {
        partial_writes: match layer.text("partial_writes") {
            "rmw" => PartialWrites::Rmw,
            _ => PartialWrites::Whole,
        },
        precondition: match layer.text("precondition") {
            "empty" => Precondition::Empty,
            _ => Precondition::Full,
        },
        drain: layer.on("drain"),
        flash: flash(layer),
        timing: timing(layer),
        buffer: Buffer {
            size: layer.int("buffer.size"),
            reads: match layer.text("buffer.reads") {
                "cache" => Reads::Cache,
                _ => Reads::Bypass,
            },
            protected: layer.on("buffer.protected"),
            flush_age_ns: rounded(layer.float("buffer.flush_age_s"), 1e9),
            count_headers: layer.on("buffer.count_headers"),
        },
        read_buffer_size: layer.int("read_buffer.size"),
    }
}

/// A product of doubles, rounded to the nearest integer, halves to even.
fn rounded(time: f64, unit: f64) -> u64 {
    (time * unit).round_ties_even() as u64
}

/// The name from the catalogue for a checked name.
fn buffer(catalogue: &Catalogue, name: &str) -> &'static str {
    let known = catalogue.buffer(name);
    known.map_or(NO_BUFFER, |known| known.entry.name)
}
