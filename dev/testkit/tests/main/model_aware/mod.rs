//! Buffer-aware collection in the reference model: the examples of the BAGC paper, then single rules worked out by
//! hand.

mod babm;
mod bavbs;
mod figures;

use ssdlab_device::{Parallel, TimeModel, Timing};
use ssdlab_ftl::BufferAware;
use ssdlab_host::{Op, Request};
use ssdlab_testkit::model::{BlockKind, ModelConfig, ModelFtl, ModelMap, ModelPolicy, ModelResult};

use crate::by_hand::{blocks, flush, request};

/// Read, program, erase and transfer. A copy costs 121, a copy-back 101 and a program from the buffer 110.
const TIMES: [u64; 4] = [1, 100, 1000, 10];

const NO_TIME: [u64; 4] = [0; 4];

fn timing([read_ns, program_ns, erase_ns, transfer_ns]: [u64; 4]) -> Timing {
    Timing {
        read_ns,
        program_ns,
        erase_ns,
        transfer_ns,
        buffer_ns: 0,
        model: TimeModel::Serial,
        parallel: Parallel::default(),
        ..Timing::default()
    }
}

/// A full device with blocks of 4 pages; dirty pages stay in the buffer at the end.
fn config(
    ftl: ModelFtl,
    aware: BufferAware,
    policy: ModelPolicy,
    buffer_pages: u64,
) -> ModelConfig {
    let mut config = ModelConfig::with_pages_of_a_byte(4, 4, ftl, policy);
    config.aware = aware;
    config.buffer.size = buffer_pages;
    config.drain = false;
    config.timing = timing(TIMES);
    config
}

fn bast(log_blocks: u64) -> ModelFtl {
    let partial_merge = true;
    blocks(BlockKind::Bast { partial_merge }, log_blocks, 2)
}

fn fast(log_blocks: u64, spare_blocks: u64) -> ModelFtl {
    blocks(BlockKind::Fast, log_blocks, spare_blocks)
}

/// Writes of single pages, each straight to flash.
fn flushed(pages: &[u64]) -> Vec<Request> {
    let pair = |&page| [request(Op::Write, page, 1), flush()];
    pages.iter().flat_map(pair).collect()
}

/// Programs from the buffer, copies and copy-backs.
fn moves(result: &ModelResult) -> [u64; 3] {
    let c = &result.counters;
    [c.merge_programs, c.flash_copies, c.copy_backs]
}

fn is_mapped(result: &ModelResult, lpn: usize) -> bool {
    match &result.map {
        ModelMap::Mapped(mapped) => mapped[lpn],
        ModelMap::Places(places) => places[lpn].is_some(),
    }
}
