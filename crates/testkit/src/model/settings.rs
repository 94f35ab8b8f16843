//! The system that a random case describes, read from its text: no default comes from the real configuration.

use super::{ModelConfig, ModelFtl, ModelPolicy, ModelTimes};
use crate::cases::Case;

impl From<&Case> for ModelConfig {
    /// # Panics
    /// If the model does not know the FTL or the policy, or if a setting is missing.
    fn from(case: &Case) -> Self {
        let page_size = number(case, "flash.page_size");
        let pages_per_block = number(case, "flash.pages_per_block");
        Self {
            page_size,
            pages_per_block,
            logical_blocks: number(case, "flash.capacity") / page_size / pages_per_block,
            planes: number(case, "flash.planes"),
            copy_back: is_on(case, "flash.copy_back"),
            precondition_full: text(case, "precondition") == "full",
            partial_rmw: text(case, "partial_writes") == "rmw",
            drain: is_on(case, "drain"),
            wrap: case.wrap,
            ftl: ftl(case),
            policy: policy(case),
            buffer_bytes: number(case, "buffer.size"),
            reads_cache: reads_cache(case),
            protected: is_on(case, "buffer.protected"),
            flush_age_ns: rounded(case, "buffer.flush_age_s", 1e9),
            count_headers: is_on(case, "buffer.count_headers"),
            times: times(case),
        }
    }
}

fn ftl(case: &Case) -> ModelFtl {
    match text(case, "ftl.kind") {
        "ideal" => ModelFtl::Ideal,
        "bast" => ModelFtl::Bast {
            log_blocks: number(case, "ftl.log_blocks"),
            spare_blocks: number(case, "ftl.spare_blocks"),
            partial_merge: is_on(case, "ftl.partial_merge"),
        },
        other => panic!("the model has no FTL {other:?} yet"),
    }
}

fn policy(case: &Case) -> ModelPolicy {
    match text(case, "buffer.policy") {
        "none" => ModelPolicy::None,
        "fifo" => ModelPolicy::Fifo,
        "lru" => ModelPolicy::Lru,
        "cflru" => ModelPolicy::Cflru {
            window: text(case, "buffer.window").parse().expect("a number"),
        },
        "sof" => ModelPolicy::Sof,
        "fab" => ModelPolicy::Fab,
        "blru" => ModelPolicy::Blru,
        "bplru" => ModelPolicy::Bplru {
            padding: is_on(case, "buffer.padding"),
            compensation: is_on(case, "buffer.compensation"),
        },
        "plru-br" => ModelPolicy::PlruBr,
        "plru-br-2q" => ModelPolicy::PlruBr2q {
            hot: text(case, "buffer.hot").parse().expect("a number"),
        },
        "three-region" => ModelPolicy::ThreeRegion,
        "unbounded" => ModelPolicy::Unbounded,
        other => panic!("the model has no policy {other:?} yet"),
    }
}

fn reads_cache(case: &Case) -> bool {
    match case.get("buffer.reads") {
        Some(reads) => reads == "cache",
        None => matches!(text(case, "buffer.policy"), "cflru" | "fab"),
    }
}

fn times(case: &Case) -> ModelTimes {
    let ns = |key| rounded(case, key, 1e3);
    ModelTimes {
        read: ns("timing.read_us"),
        program: ns("timing.program_us"),
        erase: ns("timing.erase_us"),
        transfer: ns("timing.transfer_us"),
        buffer: ns("timing.buffer_us"),
    }
}

fn text<'a>(case: &'a Case, key: &str) -> &'a str {
    case.get(key)
        .unwrap_or_else(|| panic!("the case does not set {key}"))
}

fn number(case: &Case, key: &str) -> u64 {
    text(case, key).parse().expect("a number")
}

fn is_on(case: &Case, key: &str) -> bool {
    text(case, key) == "true"
}

fn rounded(case: &Case, key: &str, unit: f64) -> u64 {
    let time: f64 = text(case, key).parse().expect("a number");
    (time * unit).round_ties_even() as u64
}
