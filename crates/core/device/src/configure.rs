//! The parameters of a device from the values of its keys. Without values, the keys have their defaults: these are the
//! defaults of the parameters.

use ssdlab_ftl::page::UNIT_BLOCKS;
use ssdlab_policy::buffer::{COUNT_HEADERS, SIZE};
use ssdlab_policy::{Number, Settings};
use ssdlab_timing::{Issue, Spread, Today};

use crate::keys::{self, buffer, energy, flash, ftl, read_buffer, timing};
use crate::{Buffer, Energy, Flash, Interleave, Parallel, Parameters, Precondition, Timing};

impl Parameters {
    /// The parameters with these values of the keys, each of which was checked on its own. A capacity of `"auto"` is 0.
    pub fn configure(settings: &dyn Settings) -> Self {
        Self {
            partial_writes: keys::PARTIAL_WRITES.of(settings),
            precondition: Precondition::configure(settings),
            drain: keys::DRAIN.of(settings),
            flash: Flash::configure(settings),
            timing: Timing::configure(settings),
            energy: Energy::configure(settings),
            buffer: Buffer::configure(settings),
            read_buffer_size: read_buffer::SIZE.of(settings),
            read_buffer_takes_writes: read_buffer::WRITES.of(settings),
        }
    }
}

impl Flash {
    /// The flash that the host sees: without what its owner reserves.
    pub fn configure(settings: &dyn Settings) -> Self {
        let sold = Self::sold(settings);
        let reserved = u64::from(sold.reserved_blocks(settings)) * sold.capacity_step();
        Self {
            capacity: sold.capacity.saturating_sub(reserved),
            ..sold
        }
    }

    /// The flash with the capacity as sold.
    pub fn sold(settings: &dyn Settings) -> Self {
        let channels = flash::CHANNELS.of(settings) as u32;
        let chips_per_channel = flash::CHIPS_PER_CHANNEL.of(settings) as u32;
        let chips = channels * chips_per_channel;
        let interleave = flash::INTERLEAVE.of(settings);
        let (span, line) = match interleave {
            Interleave::Page | Interleave::Block => (1, 1),
            Interleave::Line => (1, chips),
            Interleave::Superpage => (chips, 1),
        };
        let pages_per_block = flash::PAGES_PER_BLOCK.of(settings) as u32;
        Self {
            channels,
            chips_per_channel,
            interleave,
            capacity: flash::CAPACITY.of(settings).unwrap_or_default(),
            page_size: flash::PAGE_SIZE.of(settings) as u32 * span,
            pages_per_block: pages_per_block * line * unit_blocks(settings),
            planes: flash::PLANES.of(settings) as u32,
            copy_back: flash::COPY_BACK.of(settings),
        }
    }

    /// The blocks of each chip with its own FTL that the owner leaves unused, if this is the capacity as sold.
    pub fn reserved_blocks(&self, settings: &dyn Settings) -> u32 {
        let blocks = self.capacity / self.capacity_step();
        // the product of two doubles, rounded up
        (ftl::RESERVE.of(settings) * blocks as f64).ceil() as u32
    }
}

/// The erase blocks of a reclaim unit. To the device a unit is one block.
fn unit_blocks(settings: &dyn Settings) -> u32 {
    match settings.reads(UNIT_BLOCKS.key.path) {
        true => UNIT_BLOCKS.of(settings) as u32,
        false => 1,
    }
}

impl Timing {
    /// The times with these values of the keys.
    pub fn configure(settings: &dyn Settings) -> Self {
        let transfers = match flash::INTERLEAVE.of(settings) {
            Interleave::Superpage => flash::CHIPS_PER_CHANNEL.of(settings),
            Interleave::Page | Interleave::Block | Interleave::Line => 1,
        };
        let ns = |key: Number| rounded(key.of(settings), 1e3);
        // one division of doubles
        let program_ns = |us: f64| rounded(us / timing::PROGRAM_PAGES.of(settings) as f64, 1e3);
        let program_us = timing::PROGRAM_US.of(settings);
        let slc_read_us = timing::SLC_READ_US.get(settings);
        let or_program = |key: Number| program_ns(key.get(settings).unwrap_or(program_us));
        Self {
            read_ns: ns(timing::READ_US),
            program_ns: program_ns(program_us),
            slc_read_ns: slc_read_us.map_or(ns(timing::READ_US), |us| rounded(us, 1e3)),
            slc_program_ns: or_program(timing::SLC_PROGRAM_US),
            fold_program_ns: or_program(timing::FOLD_PROGRAM_US),
            // the blocks of a unit are erased one after the other
            erase_ns: ns(timing::ERASE_US) * u64::from(unit_blocks(settings)),
            transfer_ns: ns(timing::TRANSFER_US) * transfers,
            buffer_ns: ns(timing::BUFFER_US),
            map_host_ns: ns(timing::MAP_HOST_US),
            spread: Some(Spread {
                share: timing::SPREAD.of(settings),
                seed: timing::SPREAD_SEED.of(settings),
            })
            .filter(|spread| spread.share > 0.0),
            model: timing::MODEL.of(settings),
            parallel: Parallel::configure(settings),
            today: Today {
                unit_pages: timing::PROGRAM_PAGES.of(settings) as u32,
                group_pages: timing::SENSE_PAGES.of(settings) as u32,
                reads_at_once: timing::READS_AT_ONCE.of(settings) as u32,
                unit_ns: ns(timing::PROGRAM_US),
                suspend_ns: ns(timing::SUSPEND_US),
                window_ns: ns(timing::SUSPEND_WINDOW_US),
                command_ns: ns(timing::COMMAND_US),
                dispatch_ns: ns(timing::DISPATCH_US),
                read_host_ns: ns(timing::READ_HOST_US),
                write_host_ns: ns(timing::WRITE_HOST_US),
            },
        }
    }
}

impl Parallel {
    /// The parallel model with these values of the keys. The moves of a superpage are those of its parts, one after the other.
    pub(crate) fn configure(settings: &dyn Settings) -> Self {
        let (of_channel, of_bus) = match flash::INTERLEAVE.of(settings) {
            Interleave::Superpage => {
                let ways = flash::CHIPS_PER_CHANNEL.of(settings);
                (ways, ways * flash::CHANNELS.of(settings))
            }
            Interleave::Page | Interleave::Block | Interleave::Line => (1, 1),
        };
        // one division of doubles
        let move_ns = |key: Number| match key.of(settings) {
            0.0 => 0,
            mb_s => rounded(1000.0 * flash::PAGE_SIZE.of(settings) as f64 / mb_s, 1.0),
        };
        Self {
            channel_ns: move_ns(timing::CHANNEL_MB_S) * of_channel,
            bus_ns: move_ns(timing::BUS_MB_S) * of_bus,
            read_suspends: timing::READ_SUSPENDS.of(settings),
            spare_slots: timing::SPARE_SLOTS.get(settings),
            issue: if keys::REPLAY.of(settings) {
                Issue::Timed {
                    speedup: keys::SPEEDUP.of(settings),
                }
            } else {
                Issue::Closed {
                    depth: keys::QUEUE_DEPTH.of(settings) as u32,
                }
            },
        }
    }
}

impl Energy {
    /// The energy of operations, if the keys give it.
    fn configure(settings: &dyn Settings) -> Option<Self> {
        let pj = |key: Number| Some(rounded(key.get(settings)?, 1e6));
        Some(Self {
            read_pj: pj(energy::READ_UJ)?,
            program_pj: pj(energy::PROGRAM_UJ)?,
            erase_pj: pj(energy::ERASE_UJ)? * u64::from(unit_blocks(settings)),
        })
    }
}

impl Buffer {
    /// The write buffer with these values of the keys. Whether it takes reads is open: by default, it does not.
    pub(crate) fn configure(settings: &dyn Settings) -> Self {
        Self {
            size: SIZE.of(settings),
            reads: buffer::READS.get(settings).unwrap_or_default(),
            protected: buffer::PROTECTED.of(settings),
            flush_age_ns: rounded(buffer::FLUSH_AGE_S.of(settings), 1e9),
            count_headers: COUNT_HEADERS
                .of(settings)
                .of_policy(buffer::POLICY.of(settings)),
        }
    }
}

/// A product of doubles, rounded to the nearest integer, halves to even.
fn rounded(time: f64, unit: f64) -> u64 {
    (time * unit).round_ties_even() as u64
}
