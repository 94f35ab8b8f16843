//! What a search chooses from.

use ssdlab_config::Resolver;
use ssdlab_device::Family;
use ssdlab_sim::key::{CLEANING, MAP, MAP_CACHE, MAP_LIST};
use ssdlab_sim::{Axis, Choices, CompareOptions, LISTED, NoChoice};

/// What there is to choose from with at most the bytes of RAM that `choices` names: write buffers in all of it, in half and in a
/// quarter, and what else it names. The traces age the devices that clean. Where nothing else varies, every cleaning policy if
/// an FTL cleans or, if the map of the device is in flash, every cache of it with a quarter or three quarters of the RAM, and with
/// a list of moved pages that is short or has a quarter.
///
/// # Errors
/// A name, key or value that does not exist, or that the device refuses.
pub fn within(mut options: CompareOptions, choices: &Choices) -> Result<CompareOptions, NoChoice> {
    let base = options.resolver.resolve().ok();
    let reads = |key| base.as_ref().is_some_and(|base| base.reads(key));
    let cleans = reads(CLEANING);
    options.take_buffers(&choices.buffers)?;
    let ram = choices.ram_total.first().copied().unwrap_or_default();
    options.sizes = vec![ram / 4, ram / 2, ram];
    options.sizes.retain(|size| *size > 0);
    options.share_ram = true;
    options.settled = true;
    options.take_axes(&choices.ftls, &choices.vary)?;
    if choices.vary.is_empty() && reads(MAP_CACHE) {
        let pages = base.map_or(1, |base| base.flash.pages_per_block.into());
        options.vary.extend(every_map(ram, pages));
    } else if choices.vary.is_empty() && (cleans || choices.ftls.iter().any(|ftl| ftl == "page")) {
        options.vary.push(every_cleaning(&options.resolver));
    }
    Ok(options)
}

/// Where the map can be, what its cache gets of the RAM, and the entries of the list of pages that cleaning moved. A map in RAM
/// is refused where it does not fit.
fn every_map(ram: u64, pages_per_block: u64) -> [Axis; 3] {
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let long = pages_per_block.max(ram / 4 / LISTED);
    let axis = |key: &str, values| Axis {
        key: key.into(),
        values,
    };
    let mut lists = vec![pages_per_block.to_string()];
    if long > pages_per_block {
        lists.push(long.to_string());
    }
    [
        axis(MAP, texts(&["ram", "dftl", "tpftl", "pages", "leaftl"])),
        axis(MAP_CACHE, texts(&["25%", "75%"])),
        axis(MAP_LIST, lists),
    ]
}

fn every_cleaning(resolver: &Resolver) -> Axis {
    let entries = resolver.catalogue().entries(Family::Cleaning);
    Axis {
        key: CLEANING.into(),
        values: entries.iter().map(|entry| entry.name.to_owned()).collect(),
    }
}
