//! From a merged layer, whose values have been checked one by one, to the settings of systems.

use crate::layer::Layer;
use ssdlab_device::keys::flash::PAGES_PER_BLOCK;
use ssdlab_device::{Flash, Timing};
use ssdlab_ftl::page::PLACEMENT;
use ssdlab_ftl::{Costs, Inputs, Shape};
use ssdlab_policy::{CLOCK, Clock, cleaning, placement};

/// The settings of the FTL and of the policies that it uses.
pub(super) fn inputs(
    layer: &Layer,
    spare_blocks: u32,
    cleaning: cleaning::Chosen,
    placement: placement::Chosen,
) -> Inputs<'_> {
    let timing = Timing::configure(layer);
    let flash = Flash::sold(layer);
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
        clock: CLOCK.of(layer),
        shape: Shape {
            ftls: flash.separate_chips().into(),
            page_bytes: flash.page_size.into(),
            chip_pages: PAGES_PER_BLOCK.of(layer),
            pages_per_block: flash.pages_per_block.into(),
        },
    }
}

/// The placement with its settings.
pub(crate) fn chosen_placement(layer: &Layer) -> placement::Chosen {
    let placement = layer.catalogue().placement(PLACEMENT.of(layer));
    placement
        .expect("a checked name")
        .choose(&placement_inputs(layer))
}

pub(super) fn placement_inputs(layer: &Layer) -> placement::Inputs<'_> {
    placement::Inputs {
        settings: layer,
        page_size: Flash::configure(layer).page_size,
        traced: CLOCK.of(layer) == Clock::Trace,
    }
}
