//! Checks of the merged configuration: each key on its own, then keys together.

use crate::config::Config;
use crate::effect::{readers, reads};
use crate::error::ConfigError;
use crate::error::Origin::{File, Set};
use crate::kind::{self, Refusal};
use crate::layer::{Given, Layer};
use crate::schema::MAX_CHIPS;
use crate::value::Value;
use ssdlab_device::keys::{buffer, energy, flash, ftl, read_buffer, timing};
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_device::{
    CLEANS_IN_NO_GAPS, Catalogue, FOLDS_IN_NO_GAPS, Flash, Interleave, MAX_PAGES, NO_MAP_IN_DRIVES,
    NO_SLC_IN_DRIVES, NO_SPREAD_IN_DRIVES, TimeModel,
};
use ssdlab_ftl::page::{
    IDLE_CLEANING_US, MAP, PLACEMENT, SLC, SLC_IDLE_US, UNIT_BLOCKS, has_map, has_slc,
};
use ssdlab_ftl::{BUFFER_AWARE, BufferAware, OVER_PROVISIONING, SPARE_BLOCKS};
use ssdlab_policy::buffer::SIZE;
use ssdlab_policy::placement::fdp::{HANDLE_TYPES, HANDLES};
use ssdlab_policy::placement::tt::HEADS;
use ssdlab_policy::placement::{RAM, REGIONS, default_regions};
use ssdlab_policy::{Impossible, Key, Number, Setting};
use ssdlab_words::{listed, size_value};

/// How an error begins to say that the value of another key forbids this one, which a device then simply does not have.
pub const FORBIDDEN: &str = "must not be given with ";

/// Checks the range and the name of one value.
pub(crate) fn key(key: &Key, given: &Given, catalogue: &Catalogue) -> Result<(), ConfigError> {
    let checked = kind::check(&key.kind, &given.value, catalogue);
    checked.map_err(|why| given.refuse(why))
}

/// Checks each key on its own, and the combinations that do not depend on the capacity.
pub(crate) fn keys(layer: &Layer) -> Result<(), ConfigError> {
    for (declared, given) in layer.iter() {
        key(declared, given, layer.catalogue())?;
    }
    buffer_aware(layer)?;
    one_buffer(layer)?;
    of_placement(layer)?;
    whole_energy(layer)?;
    if timing::SPREAD.of(layer) > 0.0 && timing::MODEL.of(layer) == TimeModel::Drive {
        let path = timing::SPREAD.key.path;
        return Err(impossible(layer, path, NO_SPREAD_IN_DRIVES.into()));
    }
    let channels = flash::CHANNELS.of(layer);
    let ways = flash::CHIPS_PER_CHANNEL.of(layer);
    let chips = channels * ways;
    if ftl::RESERVE.of(layer) >= 1.0 {
        let why = "must be below 1, that is below 100 %: the rest is for the host".into();
        return Err(impossible(layer, ftl::RESERVE.key.path, why));
    }
    if chips > MAX_CHIPS {
        let why = format!("makes {chips} chips, must be at most {MAX_CHIPS}");
        let key = if channels > ways {
            flash::CHANNELS
        } else {
            flash::CHIPS_PER_CHANNEL
        };
        return Err(impossible(layer, key.key.path, why));
    }
    Ok(())
}

/// Only some FTLs can use the buffer in merges.
fn buffer_aware(layer: &Layer) -> Result<(), ConfigError> {
    let path = BUFFER_AWARE.key.path;
    if BUFFER_AWARE.of(layer) == BufferAware::Off || reads(layer, path) {
        return Ok(());
    }
    let kinds = readers(&BUFFER_AWARE.key, layer.catalogue()).join(", ");
    let why = format!(
        "must be off with ftl.kind {:?}; the kinds that can use the buffer are {kinds}",
        ftl::KIND.of(layer)
    );
    Err(impossible(layer, path, why))
}

/// The keys of a placement stand for a layout of the drive, so no other value than the default may be given with another
/// placement.
fn of_placement(layer: &Layer) -> Result<(), ConfigError> {
    let (path, name) = (PLACEMENT.key.path, PLACEMENT.of(layer));
    let placement = layer.catalogue().placement(name);
    let Some(placement) = placement.filter(|_| reads(layer, path)) else {
        return Ok(());
    };
    let regions = Setting::Int(default_regions(placement.entry()).into());
    for key in [REGIONS.key, HANDLES.key, HANDLE_TYPES.key, HEADS.key] {
        let given = layer.get(key.path).map(|given| given.value.setting());
        let is_default = given.is_none() || given == Some(key.default.unwrap_or(regions));
        if is_default || reads(layer, key.path) {
            continue;
        }
        let placements = readers(&key, layer.catalogue()).join(", ");
        let why =
            format!("{FORBIDDEN}{path} {name:?}; the placements that have it are {placements}");
        return Err(impossible(layer, key.path, why));
    }
    Ok(())
}

/// A placement that knows the future sees the writes of the trace one by one.
fn foreseeing(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    if !config.needs.future {
        return Ok(());
    }
    let with = format!("with {} {:?}", PLACEMENT.key.path, PLACEMENT.of(layer));
    if buffer::POLICY.of(layer) != NO_BUFFER {
        let why = format!(
            "must be none {with}, which knows what the trace writes, not what a buffer does"
        );
        return Err(impossible(layer, buffer::POLICY.key.path, why));
    }
    if config.flash.separate_chips() > 1 {
        let why = format!("must be superpage or line {with}: there must be one FTL");
        return Err(impossible(layer, flash::INTERLEAVE.key.path, why));
    }
    Ok(())
}

/// Energy by cause needs that of each operation.
fn whole_energy(layer: &Layer) -> Result<(), ConfigError> {
    let (given, missing): (Vec<Number>, Vec<Number>) = energy::OPERATIONS
        .into_iter()
        .partition(|key| key.get(layer).is_some());
    match (given.first(), missing.is_empty()) {
        (Some(given), false) => {
            let missing: Vec<&str> = missing.iter().map(|missing| missing.key.path).collect();
            let why = format!(
                "needs {} too, to know the energy of all operations",
                listed(&missing)
            );
            Err(impossible(layer, given.key.path, why))
        }
        _ => Ok(()),
    }
}

/// The RAM region is the buffer, so there must be no other one.
fn one_buffer(layer: &Layer) -> Result<(), ConfigError> {
    if buffer::POLICY.of(layer) == NO_BUFFER || !reads(layer, RAM.key.path) {
        return Ok(());
    }
    let why = format!(
        "must be none with ftl.placement {:?}, whose RAM region is the buffer",
        PLACEMENT.of(layer)
    );
    Err(impossible(layer, buffer::POLICY.key.path, why))
}

/// Checks keys together; `by_ftl` is what the FTL refuses. The capacity may still be open.
pub(crate) fn device(
    layer: &Layer,
    config: &Config,
    by_ftl: Option<Impossible>,
) -> Result<(), ConfigError> {
    let by_ftl = || match by_ftl {
        None => Ok(()),
        Some(why) => Err(refused_by_ftl(layer, why)),
    };
    if !config.is_auto() {
        capacity(layer, config)?;
        by_ftl()?;
        physical(layer, config)?;
    } else if SPARE_BLOCKS.get(layer).is_some() {
        by_ftl()?;
    }
    idle_cleaning(layer, config)?;
    slc(layer, config)?;
    map(layer, config)?;
    foreseeing(layer, config)?;
    read_buffer(layer, config)?;
    buffer(layer, config)
}

/// Only page mapping cleans in gaps, and only where requests come at their times.
fn idle_cleaning(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let path = IDLE_CLEANING_US.key.path;
    if IDLE_CLEANING_US.of(layer) == 0.0 {
        return Ok(());
    }
    if !reads(layer, path) {
        let kinds = readers(&IDLE_CLEANING_US.key, layer.catalogue()).join(", ");
        let why = format!(
            "must be 0 with ftl.kind {:?}; the kinds that clean in gaps are {kinds}",
            ftl::KIND.of(layer)
        );
        return Err(impossible(layer, path, why));
    }
    if !config.has_gaps() {
        return Err(impossible(layer, path, CLEANS_IN_NO_GAPS.into()));
    }
    Ok(())
}

/// Only page mapping has an SLC cache, and only models with times for it; it folds in gaps where requests come at their times.
fn slc(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let path = SLC.key.path;
    if !has_slc(layer) {
        return Ok(());
    }
    if !reads(layer, path) {
        let kinds = readers(&SLC.key, layer.catalogue()).join(", ");
        let why = format!(
            "must be \"off\" with ftl.kind {:?}; the kinds that can have an SLC cache are {kinds}",
            ftl::KIND.of(layer)
        );
        return Err(impossible(layer, path, why));
    }
    if config.timing.model == TimeModel::Drive {
        return Err(impossible(layer, path, NO_SLC_IN_DRIVES.into()));
    }
    if SLC_IDLE_US.of(layer) > 0.0 && !config.has_folding_gaps() {
        return Err(impossible(
            layer,
            SLC_IDLE_US.key.path,
            FOLDS_IN_NO_GAPS.into(),
        ));
    }
    Ok(())
}

/// Only page mapping has its map in flash, and only models with times for that.
fn map(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let path = MAP.key.path;
    if !has_map(layer) {
        return Ok(());
    }
    if !reads(layer, path) {
        let kinds = readers(&MAP.key, layer.catalogue()).join(", ");
        let why = format!(
            "must be \"ram\" with ftl.kind {:?}; the kinds whose map can be in flash are {kinds}",
            ftl::KIND.of(layer)
        );
        return Err(impossible(layer, path, why));
    }
    if config.timing.model == TimeModel::Drive {
        return Err(impossible(layer, path, NO_MAP_IN_DRIVES.into()));
    }
    Ok(())
}

/// The units that a capacity must be a whole number of, in words.
fn units_of_capacity(flash: &Flash) -> String {
    let step = flash.capacity_step();
    match flash.separate_chips() {
        1 if flash.interleave == Interleave::Line && flash.chips() > 1 => {
            format!(
                "lines of {step} bytes, one block on each of {} chips",
                flash.chips()
            )
        }
        1 => format!("blocks of {step} bytes"),
        chips => format!("units of {step} bytes, one block on each of {chips} chips"),
    }
}

/// Rounds a capacity that was given with a unit down to one that the device can have. Returns a note for the user.
pub(crate) fn round_capacity(layer: &mut Layer, sold: &Flash) -> Option<String> {
    let step = sold.capacity_step();
    let whole = sold.capacity / step * step;
    let path = flash::CAPACITY.key.path;
    let mut given = layer.get(path)?.clone();
    if !given.has_unit || whole == sold.capacity || whole == 0 {
        return None;
    }
    given.value = Value::Int(i64::try_from(whole).ok()?);
    let note = format!(
        "{path} = {} is rounded down to {whole} bytes, a whole number of {}",
        given.found,
        units_of_capacity(sold)
    );
    layer.put(path, Some(given));
    Some(note)
}

fn capacity(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let block = config.flash.capacity_step();
    let path = flash::CAPACITY.key.path;
    let capacity = flash::CAPACITY.of(layer).unwrap_or_default();
    let blocks = units_of_capacity(&config.flash);
    if capacity >= block && capacity.is_multiple_of(block) {
        return match config.flash.capacity {
            0 => {
                let why = format!("must leave the host one of {} {blocks}", capacity / block);
                Err(impossible(layer, ftl::RESERVE.key.path, why))
            }
            _ => Ok(()),
        };
    }
    let (fewer, more) = (capacity / block * block, capacity.next_multiple_of(block));
    let near = match fewer {
        0 => format!("such as {more}"),
        _ => format!("such as {fewer} or {more}"),
    };
    let shape = [
        UNIT_BLOCKS,
        flash::PAGES_PER_BLOCK,
        flash::PAGE_SIZE,
        flash::CHANNELS,
        flash::CHIPS_PER_CHANNEL,
    ];
    let mut given = shape
        .into_iter()
        .filter(|key| layer.is_explicit(key.key.path));
    match given.next() {
        // if the user gave no capacity, the shape is at fault
        Some(of_shape) if !layer.is_explicit(path) => {
            let default = layer.get(path).map_or("", |given| &given.found);
            let why = format!(
                "makes {blocks}, and {path} = {default} is not a whole number of them; give {path} too, {near}"
            );
            Err(impossible(layer, of_shape.key.path, why))
        }
        _ => {
            let why = format!("must be a whole number of {blocks}, {near}");
            Err(impossible(layer, path, why))
        }
    }
}

/// The error for parameters that the FTL refuses.
fn refused_by_ftl(layer: &Layer, Impossible { key, why }: Impossible) -> ConfigError {
    let is_spare = key == SPARE_BLOCKS.key.path;
    impossible(layer, if is_spare { spare_key(layer) } else { key }, why)
}

/// The key that gives the spare blocks.
fn spare_key(layer: &Layer) -> &'static str {
    match OVER_PROVISIONING.get(layer) {
        Some(_) => OVER_PROVISIONING.key.path,
        None => SPARE_BLOCKS.key.path,
    }
}

fn physical(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let logical = config.flash.capacity / config.flash.block_bytes();
    let per_block = u64::from(config.flash.pages_per_block);
    let physical = config.all_blocks();
    let pages = physical.max(logical) * per_block;
    if pages <= MAX_PAGES.into() {
        return Ok(());
    }
    // names the key with the largest effect
    let key = if physical <= 2 * logical {
        flash::CAPACITY.key.path
    } else {
        spare_key(layer)
    };
    let why = format!("makes {pages} physical pages, must be at most {MAX_PAGES}");
    Err(impossible(layer, key, why))
}

/// A read buffer must hold at least one page.
fn read_buffer(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let page = u64::from(config.flash.page_size);
    if config.has_read_buffer() && config.read_buffer_size < page {
        let why = format!("must hold at least 1 page, {}", size_value(page));
        return Err(impossible(layer, read_buffer::SIZE.key.path, why));
    }
    Ok(())
}

/// A buffer must hold at least one page, and the header of its block if headers count.
fn buffer(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    if !reads(layer, SIZE.key.path) {
        return Ok(());
    }
    let page = u64::from(config.flash.page_size);
    let (least, slots) = if config.buffer.count_headers {
        (2, "2 pages with buffer.count_headers")
    } else {
        (1, "1 page")
    };
    let why = match config.buffer.size / page {
        pages if pages < least => {
            format!("must hold at least {slots}, {}", size_value(least * page))
        }
        pages if pages > MAX_PAGES.into() => {
            format!("makes {pages} pages, must be at most {MAX_PAGES}")
        }
        _ => return Ok(()),
    };
    Err(impossible(layer, SIZE.key.path, why))
}

/// The error for two keys that set the spare blocks. It names the key in the stronger layer, or the later one.
pub(crate) fn both_spares(layer: &Layer) -> ConfigError {
    let (spare, fraction) = (SPARE_BLOCKS.key.path, OVER_PROVISIONING.key.path);
    let (here, other) = if later(layer.get(spare), layer.get(fraction)) {
        (spare, fraction)
    } else {
        (fraction, spare)
    };
    impossible(
        layer,
        here,
        format!("must not be given together with {other}; give one of them"),
    )
}

/// Whether `a` is in a stronger layer than `b`, or further down in the same file.
fn later(a: Option<&Given>, b: Option<&Given>) -> bool {
    match (a.map(|given| &given.origin), b.map(|given| &given.origin)) {
        (Some(File { line: a, .. }), Some(File { line: b, .. })) => a > b,
        (Some(Set), Some(File { .. })) => true,
        _ => false,
    }
}

/// The error for a key whose value conflicts with others; `why` says what must hold.
fn impossible(layer: &Layer, path: &'static str, why: String) -> ConfigError {
    let given = layer.get(path).expect("only a key with a value is refused");
    given.refuse(Refusal(why))
}
