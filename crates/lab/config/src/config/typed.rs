//! From a merged layer, whose values have been checked one by one, to parameters and settings.

use crate::effect::reads;
use crate::keys::{
    ENERGY, INTERLEAVE, MODEL, PARTIAL_WRITES, PROTECTED, READ_BUFFER_WRITES, READS, REPLAY,
};
use crate::layer::Layer;
use crate::precondition;
use ssdlab_device::{Buffer, Energy, Flash, Interleave, Issue, Parallel, Parameters, Timing};
use ssdlab_ftl::page::UNIT_BLOCKS;
use ssdlab_ftl::{Costs, Inputs};
use ssdlab_policy::buffer::{COUNT_HEADERS, SIZE};
use ssdlab_policy::{CLOCK, Clock, cleaning, placement};

/// The flash that the host sees.
pub(super) fn flash(layer: &Layer) -> Flash {
    let sold = sold(layer);
    let reserved = u64::from(reserved_blocks(layer)) * sold.capacity_step();
    Flash {
        capacity: sold.capacity.saturating_sub(reserved),
        ..sold
    }
}

/// The blocks of each chip with its own FTL that the owner leaves unused.
pub(super) fn reserved_blocks(layer: &Layer) -> u32 {
    let sold = sold(layer);
    let blocks = sold.capacity / sold.capacity_step();
    // the product of two doubles, rounded up
    (layer.float("ftl.reserve") * blocks as f64).ceil() as u32
}

/// The flash with the capacity as sold, `flash.capacity`.
pub(crate) fn sold(layer: &Layer) -> Flash {
    let channels = layer.int("flash.channels") as u32;
    let chips_per_channel = layer.int("flash.chips_per_channel") as u32;
    let chips = channels * chips_per_channel;
    let interleave = INTERLEAVE.of(layer);
    let (span, line) = match interleave {
        Interleave::Page | Interleave::Block => (1, 1),
        Interleave::Line => (1, chips),
        Interleave::Superpage => (chips, 1),
    };
    Flash {
        channels,
        chips_per_channel,
        interleave,
        capacity: layer.int("flash.capacity"),
        page_size: layer.int("flash.page_size") as u32 * span,
        pages_per_block: layer.int("flash.pages_per_block") as u32 * line * unit_blocks(layer),
        planes: layer.int("flash.planes") as u32,
        copy_back: layer.on("flash.copy_back"),
    }
}

/// The erase blocks of a reclaim unit. To the device a unit is one block.
fn unit_blocks(layer: &Layer) -> u32 {
    match reads(layer, UNIT_BLOCKS.key.path) {
        true => UNIT_BLOCKS.of(layer) as u32,
        false => 1,
    }
}

fn timing(layer: &Layer) -> Timing {
    let transfers = match INTERLEAVE.of(layer) {
        Interleave::Superpage => layer.int("flash.chips_per_channel"),
        Interleave::Page | Interleave::Block | Interleave::Line => 1,
    };
    let ns = |path| rounded(layer.float(path), 1e3);
    Timing {
        read_ns: ns("timing.read_us"),
        program_ns: ns("timing.program_us"),
        // the blocks of a unit are erased one after the other
        erase_ns: ns("timing.erase_us") * u64::from(unit_blocks(layer)),
        transfer_ns: ns("timing.transfer_us") * transfers,
        buffer_ns: ns("timing.buffer_us"),
        model: MODEL.of(layer),
        parallel: parallel(layer),
    }
}

/// The parallel model. The moves of a superpage are those of its parts, one after the other.
fn parallel(layer: &Layer) -> Parallel {
    let (of_channel, of_bus) = match INTERLEAVE.of(layer) {
        Interleave::Superpage => {
            let ways = layer.int("flash.chips_per_channel");
            (ways, ways * layer.int("flash.channels"))
        }
        Interleave::Page | Interleave::Block | Interleave::Line => (1, 1),
    };
    // one division of doubles
    let move_ns = |path| match layer.float(path) {
        0.0 => 0,
        mb_s => rounded(1000.0 * layer.int("flash.page_size") as f64 / mb_s, 1.0),
    };
    Parallel {
        channel_ns: move_ns("timing.channel_mb_s") * of_channel,
        bus_ns: move_ns("timing.bus_mb_s") * of_bus,
        read_suspends: layer.on("timing.read_suspends"),
        spare_slots: layer.int("timing.spare_slots"),
        issue: if REPLAY.of(layer) {
            Issue::Timed {
                speedup: layer.float("speedup"),
            }
        } else {
            Issue::Closed {
                depth: layer.int("queue_depth") as u32,
            }
        },
    }
}

/// The settings of the FTL and of the policies that it uses.
pub(super) fn inputs(
    layer: &Layer,
    spare_blocks: u32,
    cleaning: cleaning::Chosen,
    placement: placement::Chosen,
) -> Inputs<'_> {
    let timing = timing(layer);
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
    }
}

/// The placement with its settings.
pub(crate) fn chosen_placement(layer: &Layer) -> placement::Chosen {
    let placement = layer.catalogue().placement(layer.text("ftl.placement"));
    placement
        .expect("a checked name")
        .choose(&placement_inputs(layer))
}

pub(super) fn placement_inputs(layer: &Layer) -> placement::Inputs<'_> {
    placement::Inputs {
        settings: layer,
        page_size: flash(layer).page_size,
        traced: CLOCK.of(layer) == Clock::Trace,
    }
}

/// The energy of operations, if the keys give it.
fn energy(layer: &Layer) -> Option<Energy> {
    let pj = |path| {
        layer.get(path)?;
        Some(rounded(layer.float(path), 1e6))
    };
    let [read_pj, program_pj, erase_pj] = ENERGY.map(pj);
    Some(Energy {
        read_pj: read_pj?,
        program_pj: program_pj?,
        erase_pj: erase_pj? * u64::from(unit_blocks(layer)),
    })
}

/// All parameters but the systems.
pub(super) fn parameters(layer: &Layer) -> Parameters {
    Parameters {
        partial_writes: PARTIAL_WRITES.of(layer),
        precondition: precondition::of(layer),
        drain: layer.on("drain"),
        flash: flash(layer),
        timing: timing(layer),
        energy: energy(layer),
        buffer: Buffer {
            size: SIZE.of(layer),
            reads: READS.of(layer),
            protected: PROTECTED.of(layer),
            flush_age_ns: rounded(layer.float("buffer.flush_age_s"), 1e9),
            count_headers: COUNT_HEADERS.of(layer),
        },
        read_buffer_size: layer.int("read_buffer.size"),
        read_buffer_takes_writes: READ_BUFFER_WRITES.of(layer),
    }
}

/// A product of doubles, rounded to the nearest integer, halves to even.
fn rounded(time: f64, unit: f64) -> u64 {
    (time * unit).round_ties_even() as u64
}
