//! The shape of a random device.

use proptest::prelude::*;
use proptest::sample::select;

/// Bytes of a page of each case.
pub(super) const PAGE_SIZE: u64 = 512;

/// The shape of a device.
#[derive(Clone, Debug)]
pub(super) struct Flash {
    pub(super) pages_per_block: u64,
    /// Logical blocks of each chip.
    pub(super) blocks: u64,
    channels: u64,
    /// Chips on each channel.
    ways: u64,
    planes: u64,
    copy_back: bool,
    interleave: &'static str,
}

impl Flash {
    pub(super) fn block_bytes(&self) -> u64 {
        self.pages_per_block * PAGE_SIZE
    }

    pub(super) fn capacity(&self) -> u64 {
        self.channels * self.ways * self.blocks * self.block_bytes()
    }

    pub(super) fn settings(&self) -> Vec<String> {
        vec![
            format!("flash.page_size={PAGE_SIZE}"),
            format!("flash.pages_per_block={}", self.pages_per_block),
            format!("flash.capacity={}", self.capacity()),
            format!("flash.planes={}", self.planes),
            format!("flash.copy_back={}", self.copy_back),
            format!("flash.channels={}", self.channels),
            format!("flash.chips_per_channel={}", self.ways),
            format!("flash.interleave={}", self.interleave),
        ]
    }
}

pub(super) fn flash() -> impl Strategy<Value = Flash> {
    // mostly small blocks; sometimes a block with more pages than one word of the bit map
    let pages = select(vec![1_u64, 3, 4, 7, 8, 3, 4, 7, 8, 65]);
    let chips = prop_oneof![8 => Just((1_u64, 1_u64)), 1 => Just((3, 1)), 1 => Just((2, 2))];
    let interleaves = select(vec!["page", "block"]);
    let planes = (1_u64..=3, any::<bool>());
    (pages, 2_u64..=12, chips, planes, interleaves).prop_map(
        |(pages_per_block, blocks, (channels, ways), (planes, copy_back), interleave)| Flash {
            pages_per_block,
            blocks,
            channels,
            ways,
            planes,
            copy_back,
            interleave,
        },
    )
}
