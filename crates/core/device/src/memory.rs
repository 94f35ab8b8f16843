//! The memory that a device takes.

use ssdlab_flash::{Media, ProgramOrder};
use ssdlab_ftl::{BufferAware, Size};
use ssdlab_policy::buffer::Nature;

use crate::{Parameters, Stack};

/// Memory of each chip that is not counted one by one: names, short lists, blocks of the allocator.
const CHIP: u64 = 16 << 10;

/// An upper bound of the memory, in bytes, of a device with these parameters and `()` as payload, from its first
/// request to its last. Waste of the allocator is not included.
pub fn memory<M: Media>(parameters: &Parameters, stack: &Stack<M>) -> u64 {
    let flash = &parameters.flash;
    let needs = parameters.needs(stack);
    let (chip, device) = (
        Size::from(&flash.chip_geometry(&needs)),
        Size::from(&flash.geometry(&needs)),
    );
    let programmed = match stack.program_order() {
        ProgramOrder::Any => chip.physical_pages,
        ProgramOrder::Ascending => 0,
    };
    let averaged = match needs.aware.mode {
        BufferAware::MergeAndVictim => 8 * (u64::from(needs.aware.averaged_merges) + 1),
        _ => 0,
    };
    let own_blocks = needs.map.map_or(0, |map| u64::from(map.blocks));
    let blocks = chip.physical_blocks + own_blocks;
    let of_chip = needs.table_bytes + averaged + 8 * blocks + programmed + CHIP;
    let mut bytes = u64::from(flash.separate_chips()) * of_chip;
    if parameters.has_clocks::<M>() {
        bytes += parameters.setup(stack).bytes();
    }
    if let Some(write) = stack.buffer() {
        let held = stack.buffer_pages(parameters).min(device.logical_pages);
        bytes += buffer(write.nature, &device, held);
        if needs.streams {
            bytes += 2 * device.logical_pages;
        }
        if needs.aware.is_on() {
            // what becomes of the pages that merges clean
            bytes += 8 * device.logical_pages;
        }
        if parameters.buffer.flush_age_ns > 0 {
            // a heap and a tree of up to twice the dirty pages; the heap is copied once while it grows
            bytes += 160 * held + (96 << 10);
        }
    }
    if let Some(read) = stack.read_buffer() {
        let held = flash
            .pages_in(parameters.read_buffer_size)
            .min(device.logical_pages);
        bytes += buffer(read.nature, &device, held);
    }
    bytes
}

/// The tables of a buffer that holds `held` pages.
fn buffer(nature: Nature, size: &Size, held: u64) -> u64 {
    // marks of all pages; pages of a padded victim, and blocks by held pages; ends of the lists
    nature.memory(size.logical_pages, size.logical_blocks, held)
        + size.logical_pages / 4
        + 10 * size.pages_per_block
        + (4 << 10)
}
