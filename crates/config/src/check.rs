//! What must hold of the merged configuration: each key by itself, then keys together.

use crate::config::Config;
use crate::effect::{readers, reads};
use crate::error::ConfigError;
use crate::error::Origin::{File, Set};
use crate::kind::Refusal;
use crate::layer::{Given, Layer};
use crate::schema::{KEYS, MAX_CHIPS, MAX_PAGES, index};
use crate::value::format_size;
use ssdlab_ftl::Impossible;

/// Range and name of one value.
pub(crate) fn key(path: &'static str, given: &Given) -> Result<(), ConfigError> {
    let kind = index(path).map(|slot| KEYS[slot].kind);
    kind.map_or(Ok(()), |kind| kind.check(&given.value))
        .map_err(|why| given.refuse(path, why))
}

/// Every key by itself, and the pairs that are refused for good rather than for now.
pub(crate) fn keys(layer: &Layer) -> Result<(), ConfigError> {
    for (schema, given) in layer.iter() {
        key(schema.path, given)?;
    }
    buffer_aware(layer)?;
    one_buffer(layer)?;
    let chips = layer.int("flash.channels") * layer.int("flash.chips_per_channel");
    if chips > MAX_CHIPS {
        let why = format!("makes {chips} chips, must be at most {MAX_CHIPS}");
        let path = match layer.int("flash.channels") > layer.int("flash.chips_per_channel") {
            true => "flash.channels",
            false => "flash.chips_per_channel",
        };
        return Err(impossible(layer, path, why));
    }
    Ok(())
}

/// Only some FTLs ask the buffer.
fn buffer_aware(layer: &Layer) -> Result<(), ConfigError> {
    let path = "ftl.buffer_aware";
    if layer.text(path) == "off" || reads(layer, path) {
        return Ok(());
    }
    let kinds = readers(&KEYS[index(path).expect("a key")]).join(", ");
    let why = format!(
        "must be off with ftl.kind {:?}; the kinds that can ask the buffer are {kinds}",
        layer.text("ftl.kind")
    );
    Err(impossible(layer, path, why))
}

/// A region in RAM counts as the buffer.
fn one_buffer(layer: &Layer) -> Result<(), ConfigError> {
    let path = "buffer.policy";
    if layer.text(path) == "none" || !reads(layer, "ftl.ram") {
        return Ok(());
    }
    let why = format!(
        "must be none with ftl.placement {:?}, whose region in RAM is the buffer",
        layer.text("ftl.placement")
    );
    Err(impossible(layer, path, why))
}

/// Keys together, with the capacity known or still open.
pub(crate) fn device(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    if !config.is_auto() {
        capacity(layer, config)?;
        ftl(layer, config)?;
        physical(layer, config)?;
    } else if layer.get("ftl.spare_blocks").is_some() {
        ftl(layer, config)?;
    }
    read_buffer(layer, config)?;
    buffer(layer, config)
}

fn capacity(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let (capacity, block) = (config.flash.capacity, config.flash.capacity_step());
    let blocks = match config.flash.separate_chips() {
        1 => format!("blocks of {block} bytes"),
        chips => format!("{block} bytes, a block on each of {chips} chips"),
    };
    if capacity >= block && capacity % block == 0 {
        return Ok(());
    }
    let (fewer, more) = (capacity / block * block, capacity.next_multiple_of(block));
    let near = match fewer {
        0 => format!("such as {more}"),
        _ => format!("such as {fewer} or {more}"),
    };
    let shape = [
        "flash.pages_per_block",
        "flash.page_size",
        "flash.channels",
        "flash.chips_per_channel",
    ];
    match shape.into_iter().find(|path| layer.is_explicit(path)) {
        // a capacity that nobody gave is not what is wrong
        Some(path) if !layer.is_explicit("flash.capacity") => {
            let default = layer.get("flash.capacity").map_or("", |given| &given.found);
            let why = format!(
                "makes {blocks}, and flash.capacity = {default} is no whole number of them; give it as well, {near}"
            );
            Err(impossible(layer, path, why))
        }
        _ => {
            let why = format!("must be a whole number of {blocks}, {near}");
            Err(impossible(layer, "flash.capacity", why))
        }
    }
}

/// What the FTL refuses of its parameters.
fn ftl(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let check = ssdlab_ftl::kind(config.ftl.kind).check;
    check(&config.ftl.params).map_err(|Impossible { key, why }| {
        let path = match layer.get("ftl.over_provisioning") {
            Some(_) if key == "ftl.spare_blocks" => "ftl.over_provisioning",
            _ => key,
        };
        impossible(layer, path, why)
    })
}

fn physical(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let logical = config.flash.capacity / config.flash.block_bytes();
    let per_block = u64::from(config.flash.pages_per_block);
    let physical = config.all_blocks();
    let pages = physical.max(logical) * per_block;
    if pages <= MAX_PAGES.into() {
        return Ok(());
    }
    // the key that asks for most is the one to change
    let key = match physical > 2 * logical {
        false => "flash.capacity",
        true if layer.get("ftl.over_provisioning").is_some() => "ftl.over_provisioning",
        true => "ftl.spare_blocks",
    };
    let why = format!("makes {pages} physical pages, must be at most {MAX_PAGES}");
    Err(impossible(layer, key, why))
}

/// A read buffer holds at least one page.
fn read_buffer(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    let page = u64::from(config.flash.page_size);
    match &config.read_buffer {
        Some(buffer) if buffer.size < page => {
            let bytes = format_size(page as i64);
            let why = format!("must hold at least 1 page, {bytes}");
            Err(impossible(layer, "read_buffer.size", why))
        }
        _ => Ok(()),
    }
}

/// A buffer holds at least one page, and the header of its block if that counts.
fn buffer(layer: &Layer, config: &Config) -> Result<(), ConfigError> {
    if !reads(layer, "buffer.size") {
        return Ok(());
    }
    let page = u64::from(config.flash.page_size);
    let (least, slots) = match config.buffer.count_headers {
        true => (2, "2 pages with buffer.count_headers"),
        false => (1, "1 page"),
    };
    let why = match config.buffer.size / page {
        pages if pages < least => {
            let bytes = format_size((least * page) as i64);
            format!("must hold at least {slots}, {bytes}")
        }
        pages if pages > MAX_PAGES.into() => {
            format!("makes {pages} pages, must be at most {MAX_PAGES}")
        }
        _ => return Ok(()),
    };
    Err(impossible(layer, "buffer.size", why))
}

/// The error of giving both ways to size the spare blocks; told of the stronger or later one.
pub(crate) fn both_spares(layer: &Layer) -> ConfigError {
    let (spare, fraction) = ("ftl.spare_blocks", "ftl.over_provisioning");
    let (here, other) = match later(layer.get(spare), layer.get(fraction)) {
        true => (spare, fraction),
        false => (fraction, spare),
    };
    impossible(
        layer,
        here,
        format!("must not stand beside {other}; give one of them"),
    )
}

/// Whether the first stands further down, or in a stronger layer.
fn later(a: Option<&Given>, b: Option<&Given>) -> bool {
    match (a.map(|given| &given.origin), b.map(|given| &given.origin)) {
        (Some(File { line: a, .. }), Some(File { line: b, .. })) => a > b,
        (Some(Set), Some(File { .. })) => true,
        _ => false,
    }
}

fn impossible(layer: &Layer, path: &'static str, why: String) -> ConfigError {
    refuse(layer, path, Refusal::Impossible(why))
}

fn refuse(layer: &Layer, path: &'static str, why: Refusal) -> ConfigError {
    let given = layer.get(path);
    given
        .expect("only a key with a value is refused")
        .refuse(path, why)
}
