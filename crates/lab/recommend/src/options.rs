//! What a search chooses from.

use ssdlab_config::Resolver;
use ssdlab_device::Family;
use ssdlab_sim::key::CLEANING;
use ssdlab_sim::{Axis, Choices, CompareOptions, NoChoice};

/// What there is to choose from with at most `ram` bytes: write buffers in all of it, in half and in a quarter, and what
/// `choices` names. The traces age the devices that clean. Where nothing else varies and an FTL cleans, every cleaning policy.
///
/// # Errors
/// A name, key or value that does not exist, or that the device refuses.
pub fn within(
    mut options: CompareOptions,
    ram: u64,
    choices: &Choices,
) -> Result<CompareOptions, NoChoice> {
    let cleans = options
        .resolver
        .resolve()
        .is_ok_and(|base| base.reads(CLEANING));
    options.take_buffers(&choices.buffers)?;
    options.sizes = vec![ram / 4, ram / 2, ram];
    options.sizes.retain(|size| *size > 0);
    options.share_ram = true;
    options.settled = true;
    options.take_axes(&choices.ftls, &choices.vary)?;
    if choices.vary.is_empty() && (cleans || choices.ftls.iter().any(|ftl| ftl == "page")) {
        options.vary.push(every_cleaning(&options.resolver));
    }
    Ok(options)
}

fn every_cleaning(resolver: &Resolver) -> Axis {
    let entries = resolver.catalogue().entries(Family::Cleaning);
    Axis {
        key: CLEANING.into(),
        values: entries.iter().map(|entry| entry.name.to_owned()).collect(),
    }
}
