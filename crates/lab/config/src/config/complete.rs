//! From a merged layer to a configuration: fills in the defaults that depend on other keys, and checks all keys together.

use super::{Config, typed};
use crate::check;
use crate::effect::{reads, warnings};
use crate::error::{ConfigError, Origin};
use crate::layer::Layer;
use crate::schema::PRESET;
use crate::value::Value;
use ssdlab_device::keys::{buffer, flash, ftl, read_buffer, timing};
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_device::{Catalogue, Cause, Flash, MAX_PAGES, Parameters, TimeModel, units_lack};
use ssdlab_ftl::page::{
    CLEANING, GC_HIGH, GC_LOW, MAP, PLACEMENT, default_gc_high, has_map, slc_withheld,
};
use ssdlab_ftl::{Needs, OVER_PROVISIONING, SPARE_BLOCKS};
use ssdlab_policy::placement;
use ssdlab_words::{fixed, thousands};

impl Config {
    /// The configuration of a merged layer. Each value has been checked on its own; open defaults are filled in.
    pub(crate) fn new(mut layer: Layer) -> Result<Self, ConfigError> {
        let shape = Flash::sold(&layer);
        let rounded = check::round_capacity(&mut layer, &shape);
        let catalogue = layer.catalogue().clone();
        let ftl = catalogue.ftl(ftl::KIND.of(&layer)).expect("a checked name");
        let cleaning = catalogue.cleaning(CLEANING.of(&layer));
        let cleaning = cleaning.expect("a checked name");
        let cleaning = cleaning.choose(&layer);
        let placement = typed::chosen_placement(&layer);
        let spare_blocks = spare_blocks(&mut layer, |layer, logical| {
            let inputs = typed::inputs(layer, 0, cleaning.clone(), placement.clone());
            ftl.default_spare_blocks(&inputs, logical)
        });
        if !layer.gives(GC_HIGH.key.path) {
            let gc_low = GC_LOW.of(&layer) as u32;
            let inputs = typed::inputs(&layer, spare_blocks, cleaning.clone(), placement.clone());
            let spare = spare_blocks.saturating_sub(slc_withheld(&inputs));
            let blocks = default_gc_high(gc_low, spare, placement.regions());
            layer.put_default(GC_HIGH.key.path, Value::Int(blocks.into()));
        }
        let inputs = typed::inputs(&layer, spare_blocks, cleaning.clone(), placement.clone());
        let capacity = Flash::configure(&layer).chip_capacity();
        let (needs, refused) = match ftl.needs(&inputs, &capacity) {
            Ok(needs) => (needs, None),
            Err(why) => (Needs::default(), Some(why)),
        };
        let yielded = match refused {
            None => yield_units(&mut layer, &needs),
            Some(_) => None,
        };
        let config = Config {
            preset: PRESET.get(&layer).map(str::to_owned),
            policy: buffer_named(&catalogue, buffer::POLICY.of(&layer)),
            read_policy: buffer_named(&catalogue, read_buffer::POLICY.of(&layer)),
            ftl: ftl.entry.name,
            needs,
            moves: ftl.moves,
            warnings: (rounded.into_iter())
                .chain(warnings(&layer))
                .chain(slow_cache(&layer))
                .chain(large_placement(&layer, &placement))
                .chain(yielded)
                .chain(time_of_units(&layer))
                .chain(unfit_buffer(&layer, ftl.moves))
                .collect(),
            large: None,
            map_share: None,
            parameters: Parameters::configure(&layer),
            spare_blocks,
            cleaning,
            placement,
            layer,
        };
        check::device(&config.layer, &config, refused)?;
        Ok(config)
    }

    /// Replaces an `"auto"` capacity by the end of the trace in bytes, rounded up to whole blocks (on all chips): at
    /// least one block, or at least the default if no layer gives a capacity. What the owner reserves comes on top. Any
    /// other capacity stays.
    pub fn with_capacity(self, trace_end: u64) -> Result<Self, ConfigError> {
        if !self.is_auto() {
            return Ok(self);
        }
        let block = self.flash.capacity_step();
        let least = if self.gives(flash::CAPACITY.key.path) {
            0
        } else {
            flash::CAPACITY.of(&()).expect("a default in bytes")
        };
        let trace_end = trace_end.max(least);
        // a capacity above the largest TOML integer has too many pages and is refused below
        let blocks = trace_end.div_ceil(block).max(1);
        let reserve = ftl::RESERVE.of(&self.layer);
        let sold_for = |blocks: u64| (blocks as f64 / (1.0 - reserve)).ceil() as u64;
        let mut sold = sold_for(blocks);
        // the quotient may be rounded down
        if sold - ((reserve * sold as f64).ceil() as u64) < blocks {
            sold += sold_for(1);
        }
        self.sold(sold.min(i64::MAX as u64 / block) * block)
    }

    /// Replaces an `"auto"` capacity by that of the drive as sold, in bytes. Any other capacity stays.
    pub fn sold(mut self, bytes: u64) -> Result<Self, ConfigError> {
        if !self.is_auto() {
            return Ok(self);
        }
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let path = flash::CAPACITY.key.path;
        let mut given = self.layer.get(path).cloned();
        if let Some(given) = &mut given {
            given.value = Value::Int(bytes);
            given.found = format!("\"auto\", {bytes} bytes");
        }
        self.layer.put(path, given);
        let mut config = Config::new(self.layer)?;
        config.map_share = self.map_share;
        Ok(config)
    }
}

/// Says that an SLC cache that is programmed as slowly as native blocks gains nothing.
fn slow_cache(layer: &Layer) -> Option<String> {
    let key = timing::SLC_PROGRAM_US;
    let is_slow = key
        .get(layer)
        .is_none_or(|us| us >= timing::PROGRAM_US.of(layer));
    (reads(layer, key.key.path) && is_slow).then(|| {
        format!(
            "{} is not below {}: the SLC cache is no faster than native blocks",
            key.key.path,
            timing::PROGRAM_US.key.path
        )
    })
}

/// Says that a placement needs about the RAM that a map in flash saves.
fn large_placement(layer: &Layer, placement: &placement::Chosen) -> Option<String> {
    let key = MAP.key.path;
    let bytes = placement.update_bytes(8);
    (reads(layer, key) && has_map(layer) && bytes > 0).then(|| {
        format!(
            "{} {:?} keeps {bytes} bits in RAM for each page, as {key} {:?} keeps the map in flash, to save RAM",
            PLACEMENT.key.path,
            placement.entry().name,
            layer.get(key).map_or("", |given| given.found.trim_matches('"'))
        )
    })
}

/// Says that a device that cleans has the default buffer, which pads blocks for the merges of log blocks.
fn unfit_buffer(layer: &Layer, moves: Cause) -> Option<String> {
    let key = buffer::POLICY.key.path;
    let is_default = !layer.gives(key) && buffer::POLICY.of(layer) == "bplru";
    (is_default && moves == Cause::Cleaning && ftl::KIND.of(layer) != "ideal").then(|| {
        format!(
            "{key} = \"bplru\" by default: it writes whole blocks, which serves log blocks and costs much under page mapping; give \
             another one, such as {key}=lru"
        )
    })
}

/// Makes chips program page by page, in their share of the time, where the systems cannot have chips that program several pages
/// at once. Returns a note. Chips that the user sets stay, and are refused later.
fn yield_units(layer: &mut Layer, needs: &Needs) -> Option<String> {
    let pages = timing::PROGRAM_PAGES.of(layer);
    let path = timing::PROGRAM_PAGES.key.path;
    let yields = match layer.get(path)?.origin {
        Origin::Preset(_) | Origin::ScaleTo(_) => true,
        Origin::File { .. } => layer.units_yield,
        _ => false,
    };
    if pages <= 1 || !yields || timing::MODEL.of(layer) != TimeModel::Drive {
        return None;
    }
    let has_buffer = buffer::POLICY.of(layer) != NO_BUFFER;
    let lacks = units_lack(needs, has_buffer, flash::COPY_BACK.of(layer))?;
    let page_us = timing::PROGRAM_US.of(layer) / pages as f64;
    layer.put_default(path, Value::Int(1));
    layer.put_default(timing::SENSE_PAGES.key.path, Value::Int(1));
    layer.put_default(timing::PROGRAM_US.key.path, Value::Float(page_us));
    Some(format!(
        "chips program page by page, {} µs each, not {path} = {pages} at once, which needs {lacks}",
        fixed(page_us, 1)
    ))
}

/// Says what rate follows if the user sets how long a program takes, and the preset how many pages it has.
fn time_of_units(layer: &Layer) -> Option<String> {
    let [of_time, of_pages] = [timing::PROGRAM_US.key.path, timing::PROGRAM_PAGES.key.path];
    let (time, pages) = (layer.get(of_time)?, layer.get(of_pages)?);
    let count = timing::PROGRAM_PAGES.of(layer);
    if !time.origin.is_explicit() || pages.origin.is_explicit() || count <= 1 {
        return None;
    }
    let chips = flash::CHANNELS.of(layer) * flash::CHIPS_PER_CHANNEL.of(layer);
    let bytes = count * flash::PAGE_SIZE.of(layer) * chips;
    let mb_s = (bytes as f64 / timing::PROGRAM_US.of(layer)).round();
    let rate = match mb_s.is_finite() {
        true => format!("{} MB/s", thousands(mb_s as u64)),
        false => "without end".into(),
    };
    Some(format!(
        "{of_time} = {} is the time of a program of {of_pages} = {count} pages, as the preset has it: all chips together program \
         {rate}",
        time.found
    ))
}

/// The spare blocks of each chip with its own FTL. Fills in their default, which may depend on the capacity.
fn spare_blocks(layer: &mut Layer, default: impl Fn(&Layer, Option<u32>) -> Option<u32>) -> u32 {
    let sold = Flash::sold(layer);
    let logical = sold.capacity / sold.capacity_step();
    let spare = SPARE_BLOCKS.key.path;
    if !layer.gives(spare) && OVER_PROVISIONING.get(layer).is_none() {
        let blocks = (logical > 0).then_some(logical.min(MAX_PAGES.into()) as u32);
        match default(layer, blocks) {
            Some(blocks) => layer.put_default(spare, Value::Int(blocks.into())),
            None => layer.put(spare, None),
        }
    }
    let beyond = match OVER_PROVISIONING.get(layer) {
        // the product of two doubles, rounded up; the conversion saturates, and check::physical refuses the result
        Some(share) => (share * logical as f64).ceil() as u32,
        None => SPARE_BLOCKS.get(layer).unwrap_or_default() as u32,
    };
    beyond.saturating_add(sold.reserved_blocks(layer))
}

/// The name from the catalogue for a checked name.
fn buffer_named(catalogue: &Catalogue, name: &str) -> &'static str {
    let policy = catalogue.buffer(name);
    policy.map_or(NO_BUFFER, |policy| policy.entry.name)
}
