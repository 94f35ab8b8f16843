//! The clocks of a device.

use ssdlab_flash::Media;
use ssdlab_timing::{Layout, Setup, SlcTimes, Times};

use crate::{Interleave, Parameters, Stack, TimeModel};

impl Parameters {
    /// Whether a device on these media has clocks.
    pub(crate) fn has_clocks<M: Media>(&self) -> bool {
        M::CLOCKED && self.timing.model.has_clocks()
    }

    /// Whether the serial model on these media adds up a time for each operation.
    pub(crate) fn is_sum_of_notes<M: Media>(&self) -> bool {
        M::CLOCKED && !self.timing.model.has_clocks() && self.timing.needs_notes()
    }

    /// The parameters of its clocks.
    pub(crate) fn setup<M: Media>(&self, stack: &Stack<M>) -> Setup {
        let flash = &self.flash;
        let timing = &self.timing;
        let parallel = &timing.parallel;
        let needs = self.needs(stack);
        let logical = flash.chip_capacity().logical_blocks;
        let (channels, chips, layout) = match flash.interleave {
            Interleave::Superpage => (1, 1, Layout::Alone),
            Interleave::Page | Interleave::Block => (flash.channels, flash.chips(), Layout::Alone),
            Interleave::Line => (flash.channels, flash.chips(), Layout::Lines),
        };
        Setup {
            channels,
            chips,
            layout,
            stripes: flash.stripes(),
            times: Times {
                read_ns: timing.read_ns,
                program_ns: timing.program_ns,
                erase_ns: timing.erase_ns,
                slc: needs.has_slc.then_some(SlcTimes {
                    read_ns: timing.slc_read_ns,
                    program_ns: timing.slc_program_ns,
                    fold_ns: timing.fold_program_ns,
                }),
                channel_ns: parallel.channel_ns,
                bus_ns: parallel.bus_ns,
                buffer_ns: timing.buffer_ns,
                map_host_ns: timing.map_host_ns,
            },
            spread: timing.spread,
            read_suspends: parallel.read_suspends && timing.model == TimeModel::Parallel,
            issue: parallel.issue,
            slots: match stack.buffer() {
                Some(_) => stack.buffer_pages(self) + self.spare_slots(&needs),
                None if timing.model == TimeModel::Drive => self.spare_slots(&needs),
                None => 0,
            },
            ram_slots: needs.ram_pages.into(),
            logical_pages: flash.logical_pages(),
            headers: if self.buffer.count_headers {
                flash.logical_blocks()
            } else {
                0
            },
            read_buffer: stack.read_buffer().is_some(),
            today: (timing.model == TimeModel::Drive).then(|| timing.today.clone()),
            pages_per_block: flash.pages_per_block,
            // an FTL without flash uses logical pages as places; those of a map come behind the others
            blocks: needs.physical_blocks(logical).max(logical) as u32
                + needs.map.map_or(0, |map| map.blocks),
            map_pages: needs.map.map_or(0, |map| map.pages),
        }
    }
}
