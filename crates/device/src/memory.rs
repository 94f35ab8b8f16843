//! The memory that a device takes.

use ssdlab_config::Config;
use ssdlab_flash::ProgramOrder;
use ssdlab_ftl::Size;
use ssdlab_policy::buffer::{BufferPolicy, Params, WithPolicy, with_policy};

use crate::registry::NO_BUFFER;
use crate::{chip_geometry, geometry};

/// Memory of each chip that is not counted one by one: names, short lists, blocks of the allocator.
const CHIP: u64 = 16 << 10;

/// An upper bound of the memory, in bytes, of a device with this configuration and `()` as payload, from its first
/// request to its last. Waste of the allocator is not included.
pub fn memory(config: &Config) -> u64 {
    let (chip, device) = (
        Size::from(&chip_geometry(config)),
        Size::from(&geometry(config)),
    );
    let kind = ssdlab_ftl::kind(config.ftl.kind);
    let programmed = match kind.program_order {
        ProgramOrder::Any => chip.physical_pages,
        ProgramOrder::Ascending => 0,
    };
    let of_chip = (kind.table_bytes)(&config.ftl.params, &chip)
        + 8 * chip.physical_blocks
        + programmed
        + CHIP;
    let mut bytes = u64::from(config.flash.separate_chips()) * of_chip;
    if config.buffer.policy != NO_BUFFER {
        let held = u64::from(config.buffer_pages()).min(device.logical_pages);
        bytes += buffer(config.buffer.policy, &device, held);
        if config.buffer.flush_age_ns > 0 {
            // a time for each page; a heap of up to twice the dirty pages, copied once while it grows
            bytes += 8 * device.logical_pages + 96 * held + (64 << 10);
        }
    }
    if let Some(read) = &config.read_buffer {
        let held = u64::from(config.read_buffer_pages()).min(device.logical_pages);
        bytes += buffer(read.policy, &device, held);
    }
    bytes
}

/// The tables of a buffer that holds `held` pages.
fn buffer(policy: &str, size: &Size, held: u64) -> u64 {
    let [page, of_held, block] = with_policy(policy, TableBytes).unwrap_or_default();
    // marks of all pages; pages of a padded victim, and blocks by held pages; ends of the lists
    page * size.logical_pages
        + of_held * held
        + block * size.logical_blocks
        + size.logical_pages / 4
        + 10 * size.pages_per_block
        + (4 << 10)
}

struct TableBytes;

impl WithPolicy for TableBytes {
    type Out = [u64; 3];

    fn with<B: BufferPolicy + 'static>(self, _: fn(&Params) -> B) -> Self::Out {
        B::TABLE_BYTES
    }
}
