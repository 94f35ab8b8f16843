//! Checks of the merged configuration: each key on its own, then keys together.

use crate::config::Config;
use crate::effect::{readers, reads};
use crate::error::ConfigError;
use crate::error::Origin::{File, Set};
use crate::keys::ENERGY;
use crate::kind::{self, Refusal};
use crate::layer::{Given, Layer};
use crate::schema::MAX_CHIPS;
use crate::value::Value;
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_device::{CLEANS_IN_NO_GAPS, Catalogue, Flash, Interleave, MAX_PAGES};
use ssdlab_ftl::BUFFER_AWARE;
use ssdlab_ftl::page::{IDLE_CLEANING_US, PLACEMENT};
use ssdlab_policy::placement::fdp::{HANDLE_TYPES, HANDLES};
use ssdlab_policy::placement::tt::HEADS;
use ssdlab_policy::placement::{REGIONS, default_regions};
use ssdlab_policy::{Impossible, Key, Setting};
use ssdlab_words::{listed, size_value};

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
    let chips = layer.int("flash.channels") * layer.int("flash.chips_per_channel");
    if layer.float("ftl.reserve") >= 1.0 {
        let why = "must be below 1, that is below 100 %: the rest is for the host".into();
        return Err(impossible(layer, "ftl.reserve", why));
    }
    if chips > MAX_CHIPS {
        let why = format!("makes {chips} chips, must be at most {MAX_CHIPS}");
        let path = if layer.int("flash.channels") > layer.int("flash.chips_per_channel") {
            "flash.channels"
        } else {
            "flash.chips_per_channel"
        };
        return Err(impossible(layer, path, why));
    }
    Ok(())
}

/// Only some FTLs can use the buffer in merges.
fn buffer_aware(layer: &Layer) -> Result<(), ConfigError> {
    let path = "ftl.buffer_aware";
    if layer.text(path) == "off" || reads(layer, path) {
        return Ok(());
    }
    let key = &BUFFER_AWARE.key;
    let kinds = readers(key, layer.catalogue()).join(", ");
    let why = format!(
        "must be off with ftl.kind {:?}; the kinds that can use the buffer are {kinds}",
        layer.text("ftl.kind")
    );
    Err(impossible(layer, path, why))
}

/// The keys of a placement stand for a layout of the drive, so no other value than the default may be given with another
/// placement.
fn of_placement(layer: &Layer) -> Result<(), ConfigError> {
    let path = PLACEMENT.path;
    let placement = layer.catalogue().placement(layer.text(path));
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
        let why = format!(
            "must not be given with {path} {:?}; the placements that have it are {placements}",
            layer.text(path)
        );
        return Err(impossible(layer, key.path, why));
    }
    Ok(())
}

/// A placement that knows the future sees the writes of the trace one by one.
fn foreseeing(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    if !config.needs.future {
        return Ok(());
    }
    let with = format!("with {} {:?}", PLACEMENT.path, layer.text(PLACEMENT.path));
    if layer.text("buffer.policy") != NO_BUFFER {
        let why = format!(
            "must be none {with}, which knows what the trace writes, not what a buffer does"
        );
        return Err(impossible(layer, "buffer.policy", why));
    }
    if config.flash.separate_chips() > 1 {
        let why = format!("must be superpage or line {with}: there must be one FTL");
        return Err(impossible(layer, "flash.interleave", why));
    }
    Ok(())
}

/// Energy by cause needs that of each operation.
fn whole_energy(layer: &Layer) -> Result<(), ConfigError> {
    let (given, missing): (Vec<&str>, Vec<&str>) = ENERGY
        .into_iter()
        .partition(|path| layer.get(path).is_some());
    match (given.first(), missing.is_empty()) {
        (Some(path), false) => {
            let why = format!(
                "needs {} too, to know the energy of all operations",
                listed(&missing)
            );
            Err(impossible(layer, path, why))
        }
        _ => Ok(()),
    }
}

/// The RAM region is the buffer, so there must be no other one.
fn one_buffer(layer: &Layer) -> Result<(), ConfigError> {
    let path = "buffer.policy";
    if layer.text(path) == NO_BUFFER || !reads(layer, "ftl.ram") {
        return Ok(());
    }
    let why = format!(
        "must be none with ftl.placement {:?}, whose RAM region is the buffer",
        layer.text("ftl.placement")
    );
    Err(impossible(layer, path, why))
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
    } else if layer.get("ftl.spare_blocks").is_some() {
        by_ftl()?;
    }
    idle_cleaning(layer, config)?;
    foreseeing(layer, config)?;
    read_buffer(layer, config)?;
    buffer(layer, config)
}

/// Only page mapping cleans in gaps, and only where requests come at their times.
fn idle_cleaning(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let path = IDLE_CLEANING_US.key.path;
    if layer.float(path) == 0.0 {
        return Ok(());
    }
    if !reads(layer, path) {
        let kinds = readers(&IDLE_CLEANING_US.key, layer.catalogue()).join(", ");
        let why = format!(
            "must be 0 with ftl.kind {:?}; the kinds that clean in gaps are {kinds}",
            layer.text("ftl.kind")
        );
        return Err(impossible(layer, path, why));
    }
    if !config.has_gaps() {
        return Err(impossible(layer, path, CLEANS_IN_NO_GAPS.into()));
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
pub(crate) fn round_capacity(layer: &mut Layer, flash: &Flash) -> Option<String> {
    let step = flash.capacity_step();
    let whole = flash.capacity / step * step;
    let mut given = layer.get("flash.capacity")?.clone();
    if !given.has_unit || whole == flash.capacity || whole == 0 {
        return None;
    }
    given.value = Value::Int(i64::try_from(whole).ok()?);
    let note = format!(
        "flash.capacity = {} is rounded down to {whole} bytes, a whole number of {}",
        given.found,
        units_of_capacity(flash)
    );
    layer.put("flash.capacity", Some(given));
    Some(note)
}

fn capacity(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let block = config.flash.capacity_step();
    let capacity = layer.int("flash.capacity");
    let blocks = units_of_capacity(&config.flash);
    if capacity >= block && capacity.is_multiple_of(block) {
        return match config.flash.capacity {
            0 => {
                let why = format!("must leave the host one of {} {blocks}", capacity / block);
                Err(impossible(layer, "ftl.reserve", why))
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
        "ftl.unit_blocks",
        "flash.pages_per_block",
        "flash.page_size",
        "flash.channels",
        "flash.chips_per_channel",
    ];
    match shape.into_iter().find(|path| layer.is_explicit(path)) {
        // if the user gave no capacity, the shape is at fault
        Some(path) if !layer.is_explicit("flash.capacity") => {
            let default = layer.get("flash.capacity").map_or("", |given| &given.found);
            let why = format!(
                "makes {blocks}, and flash.capacity = {default} is not a whole number of them; give flash.capacity too, {near}"
            );
            Err(impossible(layer, path, why))
        }
        _ => {
            let why = format!("must be a whole number of {blocks}, {near}");
            Err(impossible(layer, "flash.capacity", why))
        }
    }
}

/// The error for parameters that the FTL refuses.
fn refused_by_ftl(layer: &Layer, Impossible { key, why }: Impossible) -> ConfigError {
    let path = match layer.get("ftl.over_provisioning") {
        Some(_) if key == "ftl.spare_blocks" => "ftl.over_provisioning",
        _ => key,
    };
    impossible(layer, path, why)
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
        "flash.capacity"
    } else if layer.get("ftl.over_provisioning").is_some() {
        "ftl.over_provisioning"
    } else {
        "ftl.spare_blocks"
    };
    let why = format!("makes {pages} physical pages, must be at most {MAX_PAGES}");
    Err(impossible(layer, key, why))
}

/// A read buffer must hold at least one page.
fn read_buffer(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let page = u64::from(config.flash.page_size);
    if config.has_read_buffer() && config.read_buffer_size < page {
        let why = format!("must hold at least 1 page, {}", size_value(page));
        return Err(impossible(layer, "read_buffer.size", why));
    }
    Ok(())
}

/// A buffer must hold at least one page, and the header of its block if headers count.
fn buffer(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    if !reads(layer, "buffer.size") {
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
    Err(impossible(layer, "buffer.size", why))
}

/// The error for two keys that set the spare blocks. It names the key in the stronger layer, or the later one.
pub(crate) fn both_spares(layer: &Layer) -> ConfigError {
    let (spare, fraction) = ("ftl.spare_blocks", "ftl.over_provisioning");
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
