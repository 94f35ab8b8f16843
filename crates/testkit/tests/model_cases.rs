//! The reference model against the counters of the small cases in `tests/cases`. Those in `pending` there are of systems
//! that only the model knows: a case moves up one folder when its system is built.

use std::collections::BTreeMap;
use std::fs;

use ssdlab_host::{Op, Request};
use ssdlab_testkit::model::{self, ModelConfig, ModelFtl, ModelPolicy, ModelTimes};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases");

const BPLRU: ModelPolicy = ModelPolicy::Bplru {
    padding: true,
    compensation: true,
};

/// Each case with its configuration file, translated by hand.
fn cases() -> Vec<(&'static str, ModelConfig)> {
    vec![
        ("bast-aged-exactly", aged_exactly()),
        ("bast-blru-flush", blru_flush()),
        ("bast-bplru", bplru()),
        ("bast-bplru-empty", bplru_empty()),
        ("bast-lru-empty-rmw", lru_empty_rmw()),
        ("bast-none", none()),
        ("pending/block-open-3", block_open_3()),
        ("pending/replacement-sof", replacement_sof()),
        ("preset-bplru-2008", preset()),
    ]
}

fn bast(log_blocks: u64, partial_merge: bool) -> ModelFtl {
    ModelFtl::Bast {
        log_blocks,
        spare_blocks: 2,
        partial_merge,
    }
}

/// A device of pages of 2 KiB in blocks of 8, all else as in an empty configuration file.
fn small(capacity: u64, log_blocks: u64, policy: ModelPolicy, buffer_bytes: u64) -> ModelConfig {
    ModelConfig {
        page_size: 2048,
        pages_per_block: 8,
        logical_blocks: capacity / (8 * 2048),
        ftl: bast(log_blocks, true),
        policy,
        buffer_bytes,
        ..ModelConfig::default()
    }
}

fn aged_exactly() -> ModelConfig {
    ModelConfig {
        drain: false,
        flush_age_ns: 2_000_000_000,
        ..small(491_520, 5, ModelPolicy::Lru, 81_920)
    }
}

fn blru_flush() -> ModelConfig {
    ModelConfig {
        times: ModelTimes {
            buffer: 500,
            ..ModelTimes::default()
        },
        ..small(786_432, 6, ModelPolicy::Blru, 81_920)
    }
}

fn bplru() -> ModelConfig {
    ModelConfig {
        ftl: bast(7, false),
        ..small(786_432, 7, BPLRU, 98_304)
    }
}

fn bplru_empty() -> ModelConfig {
    ModelConfig {
        precondition_full: false,
        reads_cache: true,
        ..small(786_432, 4, BPLRU, 49_152)
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
    small(655_360, 5, ModelPolicy::None, 2048)
}

fn block_open_3() -> ModelConfig {
    ModelConfig {
        ftl: ModelFtl::Block {
            open_blocks: 3,
            spare_blocks: 4,
        },
        ..none()
    }
}

fn replacement_sof() -> ModelConfig {
    ModelConfig {
        ftl: ModelFtl::Replacement {
            log_blocks: 12,
            spare_blocks: 2,
        },
        policy: ModelPolicy::Sof,
        buffer_bytes: 40_960,
        ..none()
    }
}

fn preset() -> ModelConfig {
    ModelConfig {
        logical_blocks: (32 << 20) / (128 * 2048),
        ftl: bast(7, false),
        policy: BPLRU,
        buffer_bytes: 1 << 20,
        ..ModelConfig::default()
    }
}

fn read_file(name: &str) -> String {
    fs::read_to_string(format!("{CASES}/{name}")).unwrap()
}

fn trace(name: &str) -> Vec<Request> {
    let text = read_file(&format!("{name}.csv"));
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
        let json = read_file(&format!("{name}.json"));
        let expected: BTreeMap<String, u64> = serde_json::from_str(&json).unwrap();
        assert_eq!(found, expected, "{name}");
        ran += 1;
    }
    assert_eq!(ran, 9);
}
