//! The reference model on the small cases in `tests/cases`: it must give their counters.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;

use ssdlab_host::{Op, Request};
use ssdlab_testkit::model::{
    self, ModelAware, ModelCleaning, ModelClock, ModelConfig, ModelFtl, ModelPage, ModelPlacement,
    ModelPolicy, ModelTimes,
};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases");

const BPLRU: ModelPolicy = ModelPolicy::Bplru {
    padding: true,
    compensation: true,
};

/// Each case with its configuration file, translated by hand.
fn cases() -> Vec<(&'static str, ModelConfig)> {
    vec![
        ("bast-aged-exactly", aged_exactly()),
        ("bast-babm", babm()),
        ("bast-blru-flush", blru_flush()),
        ("bast-bplru", bplru()),
        ("bast-bplru-ageing-pads", bplru_ageing()),
        ("bast-bplru-empty", bplru_empty()),
        ("bast-lru-empty-rmw", lru_empty_rmw()),
        ("bast-none", none()),
        ("block-interleave", block_interleave()),
        ("block-open-3", block_open_3()),
        ("replacement-sof", replacement_sof()),
        ("fast-bagc", fast_bagc()),
        ("fast-cflru", fast_cflru()),
        ("fast-fab-empty", fast_fab_empty()),
        ("fast-none", fast_none()),
        ("superblock-fifo", superblock_fifo()),
        ("superblock-merge-victim", superblock_merge_victim()),
        ("superblock-plru-br", superblock_plru_br()),
        ("page-cost-benefit-plru-br-2q", page_cost_benefit()),
        ("page-dac", page_clustered(ModelPlacement::Dac)),
        ("page-deb", page_clustered(ModelPlacement::Deb)),
        ("page-greedy", page_greedy()),
        ("page-jffs2", page_jffs2()),
        ("page-merge-victim", page_merge_victim()),
        ("preset-bplru-2008", preset()),
        ("preset-plru-br-2q", preset_superpage()),
    ]
}

fn bast(log_blocks: u64, partial_merge: bool) -> ModelFtl {
    ModelFtl::Bast {
        log_blocks,
        spare_blocks: 2,
        partial_merge,
    }
}

/// A device with pages of 2 KiB in blocks of 8; all other keys as in an empty configuration file.
fn small(capacity: u64, ftl: ModelFtl, policy: ModelPolicy, buffer_bytes: u64) -> ModelConfig {
    ModelConfig {
        page_size: 2048,
        pages_per_block: 8,
        logical_blocks: capacity / (8 * 2048),
        ftl,
        policy,
        buffer_bytes,
        ..ModelConfig::default()
    }
}

fn aged_exactly() -> ModelConfig {
    ModelConfig {
        drain: false,
        flush_age_ns: 2_000_000_000,
        ..small(491_520, bast(5, true), ModelPolicy::Lru, 81_920)
    }
}

/// The times of the BAGC paper.
fn bagc_times() -> ModelTimes {
    ModelTimes {
        read: 25_000,
        program: 200_000,
        erase: 1_500_000,
        transfer: 100_000,
        buffer: 0,
    }
}

fn babm() -> ModelConfig {
    ModelConfig {
        planes: 4,
        copy_back: true,
        aware: ModelAware::Merge,
        flush_age_ns: 2_000_000_000,
        times: bagc_times(),
        ..small(786_432, bast(5, true), ModelPolicy::ThreeRegion, 122_880)
    }
}

fn fast_bagc() -> ModelConfig {
    let ftl = ModelFtl::Fast {
        log_blocks: 9,
        spare_blocks: 8,
    };
    ModelConfig {
        planes: 4,
        copy_back: true,
        aware: ModelAware::MergeAndVictim,
        flush_age_ns: 3_000_000_000,
        times: bagc_times(),
        ..small(1_048_576, ftl, ModelPolicy::ThreeRegion, 147_456)
    }
}

fn blru_flush() -> ModelConfig {
    ModelConfig {
        times: ModelTimes {
            buffer: 500,
            ..ModelTimes::default()
        },
        ..small(786_432, bast(6, true), ModelPolicy::Blru, 81_920)
    }
}

fn bplru() -> ModelConfig {
    small(786_432, bast(7, false), BPLRU, 98_304)
}

fn bplru_ageing() -> ModelConfig {
    ModelConfig {
        flush_age_ns: 1_000_000_000,
        count_headers: true,
        ..small(655_360, bast(5, true), BPLRU, 143_360)
    }
}

fn bplru_empty() -> ModelConfig {
    ModelConfig {
        precondition_full: false,
        reads_cache: true,
        ..small(786_432, bast(4, true), BPLRU, 49_152)
    }
}

fn lru_empty_rmw() -> ModelConfig {
    ModelConfig {
        page_size: 512,
        pages_per_block: 4,
        logical_blocks: 65_536 / (4 * 512),
        precondition_full: false,
        partial_rmw: true,
        ftl: bast(3, true),
        policy: ModelPolicy::Lru,
        buffer_bytes: 5120,
        ..ModelConfig::default()
    }
}

fn none() -> ModelConfig {
    small(655_360, bast(5, true), ModelPolicy::None, 2048)
}

fn block_open_3() -> ModelConfig {
    let ftl = ModelFtl::Block {
        open_blocks: 3,
        spare_blocks: 4,
    };
    small(655_360, ftl, ModelPolicy::None, 2048)
}

fn block_interleave() -> ModelConfig {
    ModelConfig {
        page_size: 4096,
        pages_per_block: 8,
        logical_blocks: 2_097_152 / (8 * 4096),
        chips: 4,
        ftl: ModelFtl::Block {
            open_blocks: 1,
            spare_blocks: 2,
        },
        policy: ModelPolicy::Fifo,
        buffer_bytes: 65_536,
        read_policy: ModelPolicy::Lru,
        read_buffer_bytes: 98_304,
        ..ModelConfig::default()
    }
}

fn replacement_sof() -> ModelConfig {
    let ftl = ModelFtl::Replacement {
        log_blocks: 12,
        spare_blocks: 2,
    };
    small(655_360, ftl, ModelPolicy::Sof, 40_960)
}

fn fast(log_blocks: u64) -> ModelFtl {
    ModelFtl::Fast {
        log_blocks,
        spare_blocks: 2,
    }
}

fn fast_cflru() -> ModelConfig {
    let policy = ModelPolicy::Cflru { window: 0.25 };
    ModelConfig {
        reads_cache: true,
        ..small(786_432, fast(5), policy, 81_920)
    }
}

fn fast_fab_empty() -> ModelConfig {
    ModelConfig {
        precondition_full: false,
        reads_cache: true,
        ..small(655_360, fast(4), ModelPolicy::Fab, 81_920)
    }
}

fn fast_none() -> ModelConfig {
    small(655_360, fast(6), ModelPolicy::None, 2048)
}

fn superblock_fifo() -> ModelConfig {
    let ftl = ModelFtl::Superblock {
        log_blocks: 30,
        spare_blocks: 2,
        blocks_per_superblock: 4,
        max_update_blocks: 3,
    };
    small(655_360, ftl, ModelPolicy::Fifo, 32_768)
}

fn superblock_merge_victim() -> ModelConfig {
    let ftl = ModelFtl::Superblock {
        log_blocks: 8,
        spare_blocks: 2,
        blocks_per_superblock: 4,
        max_update_blocks: 3,
    };
    ModelConfig {
        planes: 2,
        copy_back: true,
        aware: ModelAware::MergeAndVictim,
        flush_age_ns: 3_000_000_000,
        times: bagc_times(),
        ..small(786_432, ftl, ModelPolicy::ThreeRegion, 102_400)
    }
}

fn superblock_plru_br() -> ModelConfig {
    let ftl = ModelFtl::Superblock {
        log_blocks: 5,
        spare_blocks: 2,
        blocks_per_superblock: 4,
        max_update_blocks: 3,
    };
    small(704_512, ftl, ModelPolicy::PlruBr, 49_152)
}

/// Page mapping with greedy cleaning and separate frontiers.
fn page(spare_blocks: u64) -> ModelPage {
    ModelPage {
        spare_blocks,
        cleaning: ModelCleaning::Greedy,
        placement: ModelPlacement::Single,
        shared_frontier: false,
        stable: Vec::new(),
        ram_bytes: 0,
        gc_low: 3,
        clock: ModelClock::Writes,
    }
}

fn page_greedy() -> ModelConfig {
    small(786_432, ModelFtl::Page(page(12)), ModelPolicy::None, 2048)
}

fn page_cost_benefit() -> ModelConfig {
    let ftl = ModelFtl::Page(ModelPage {
        cleaning: ModelCleaning::CostBenefit,
        // a quarter of 48
        ..page(12)
    });
    small(786_432, ftl, ModelPolicy::PlruBr2q { hot: 0.2 }, 61_440)
}

/// Four regions in flash; `deb` has one more in RAM, of 20 pages.
fn page_clustered(placement: ModelPlacement) -> ModelConfig {
    let ftl = ModelFtl::Page(ModelPage {
        cleaning: ModelCleaning::Cat,
        placement,
        stable: [1, 3, 8, 20].map(|s| s * 1_000_000_000).into(),
        ram_bytes: 40_960,
        gc_low: 5,
        clock: ModelClock::Trace,
        ..page(16)
    });
    small(786_432, ftl, ModelPolicy::None, 2048)
}

fn page_jffs2() -> ModelConfig {
    let ftl = ModelFtl::Page(ModelPage {
        cleaning: ModelCleaning::Jffs2,
        shared_frontier: true,
        gc_low: 2,
        ..page(8)
    });
    small(655_360, ftl, ModelPolicy::None, 2048)
}

fn page_merge_victim() -> ModelConfig {
    let ftl = ModelFtl::Page(page(9));
    ModelConfig {
        aware: ModelAware::MergeAndVictim,
        candidates: 6,
        times: bagc_times(),
        ..small(1_310_720, ftl, ModelPolicy::Blru, 122_880)
    }
}

fn preset() -> ModelConfig {
    ModelConfig {
        count_headers: true,
        logical_blocks: (32 << 20) / (128 * 2048),
        ftl: bast(7, false),
        policy: BPLRU,
        buffer_bytes: 1 << 20,
        ..ModelConfig::default()
    }
}

/// A page spans two channels with four chips each, so four parts of it move over each channel.
fn preset_superpage() -> ModelConfig {
    ModelConfig {
        page_size: 8 * 2048,
        pages_per_block: 64,
        logical_blocks: 64,
        ftl: fast(4096),
        drain: false,
        policy: ModelPolicy::PlruBr2q { hot: 0.1 },
        buffer_bytes: 2 << 20,
        times: ModelTimes {
            read: 25_000,
            program: 200_000,
            erase: 2_000_000,
            transfer: 4 * 70_000,
            buffer: 0,
        },
        ..ModelConfig::default()
    }
}

fn read_file(name: &str) -> io::Result<String> {
    fs::read_to_string(format!("{CASES}/{name}"))
}

fn read_packed(name: &str) -> String {
    let file = File::open(format!("{CASES}/{name}.zst")).unwrap();
    String::from_utf8(zstd::decode_all(file).unwrap()).unwrap()
}

fn trace(name: &str) -> Vec<Request> {
    let name = format!("{name}.csv");
    let text = read_file(&name).unwrap_or_else(|_| read_packed(&name));
    text.lines().skip(1).map(request).collect()
}

fn request(line: &str) -> Request {
    let fields: Vec<&str> = line.split(',').collect();
    let number = |at: usize| fields[at].parse().unwrap();
    let op = |op: &Op| fields[1] == op.letter().to_string();
    let op = Op::ALL.into_iter().find(op).unwrap();
    Request::new(number(0), op, number(2), number(3)).unwrap()
}

#[test]
fn every_counter_of_every_case_agrees() {
    let mut ran = 0;
    for (name, config) in cases() {
        let result = model::run(&config, &trace(name));
        let found = result.counters.entries();
        let found: BTreeMap<String, u64> = found.map(|(name, n)| (name.to_owned(), n)).into();
        let json = read_file(&format!("{name}.json")).unwrap();
        let expected: BTreeMap<String, u64> = serde_json::from_str(&json).unwrap();
        assert_eq!(found, expected, "{name}");
        ran += 1;
    }
    assert_eq!(ran, 26);
}
