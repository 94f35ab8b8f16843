//! The system of a random case, read from its text. No default comes from the real configuration.

use ssdlab_policy::buffer::cbb;

use super::config::{
    ModelAware, ModelCleaning, ModelClock, ModelClocks, ModelConfig, ModelFtl, ModelPage,
    ModelPlacement, ModelPolicy, ModelTimes,
};
use crate::cases::Case;

impl From<&Case> for ModelConfig {
    /// # Panics
    /// If the model does not know the FTL or the policy, or if a setting is missing.
    fn from(case: &Case) -> Self {
        let page_size = number(case, "flash.page_size") * superpage(case);
        let line_chips = line(case);
        let pages_per_block = number(case, "flash.pages_per_block") * line_chips;
        let logical_blocks = number(case, "flash.capacity") / page_size / pages_per_block;
        let chips = chips(case) / superpage(case) / line_chips;
        Self {
            line_chips,
            clocks: clocks(case),
            page_size,
            pages_per_block,
            logical_blocks,
            chips,
            planes: number(case, "flash.planes"),
            copy_back: is_on(case, "flash.copy_back"),
            precondition_full: text(case, "precondition") == "full",
            partial_rmw: text(case, "partial_writes") == "rmw",
            drain: is_on(case, "drain"),
            wrap: case.wrap,
            ftl: ftl(case, logical_blocks / chips),
            aware: aware(case),
            candidates: number_or(case, "ftl.candidates", 0),
            weigh_copy_backs: case.get("ftl.weigh_copy_backs") != Some("false"),
            policy: policy(case),
            buffer_bytes: number(case, "buffer.size"),
            reads_cache: reads_cache(case),
            protected: is_on(case, "buffer.protected"),
            flush_age_ns: rounded(case, "buffer.flush_age_s", 1e9),
            count_headers: is_on(case, "buffer.count_headers"),
            read_policy: read_policy(case),
            read_buffer_bytes: number_or(case, "read_buffer.size", 8 << 20),
            times: times(case),
        }
    }
}

/// Chips in all.
fn chips(case: &Case) -> u64 {
    number_or(case, "flash.channels", 1) * number_or(case, "flash.chips_per_channel", 1)
}

/// The number of chips that a page spans.
fn superpage(case: &Case) -> u64 {
    match case.get("flash.interleave") {
        Some("page" | "line") => 1,
        _ => chips(case),
    }
}

/// The number of chips that a block spans, but not a page.
fn line(case: &Case) -> u64 {
    match case.get("flash.interleave") {
        Some("line") => chips(case),
        _ => 1,
    }
}

/// The parallel model. Over each channel and over the bus, a page that spans all chips moves in its parts.
fn clocks(case: &Case) -> Option<ModelClocks> {
    if case.get("timing.model") != Some("parallel") {
        return None;
    }
    let ways = match superpage(case) {
        1 => 1,
        _ => number_or(case, "flash.chips_per_channel", 1),
    };
    let move_ns = |key| {
        let mhz: f64 = text(case, key).parse().expect("a number");
        let page = 1000.0 * number(case, "flash.page_size") as f64;
        match mhz > 0.0 {
            true => (page / mhz).round_ties_even() as u64,
            false => 0,
        }
    };
    let timed = text(case, "replay") == "timed";
    Some(ModelClocks {
        channels: match superpage(case) {
            1 => number_or(case, "flash.channels", 1),
            _ => 1,
        },
        channel_ns: move_ns("timing.channel_mhz") * ways,
        bus_ns: move_ns("timing.bus_mhz") * superpage(case),
        read_suspends: is_on(case, "timing.read_suspends"),
        spare_slots: number(case, "timing.spare_slots"),
        depth: number(case, "queue_depth"),
        speedup: timed.then(|| text(case, "speedup").parse().expect("a number")),
    })
}

fn ftl(case: &Case, blocks_per_chip: u64) -> ModelFtl {
    match text(case, "ftl.kind") {
        "ideal" => ModelFtl::Ideal,
        "block" => ModelFtl::Block {
            open_blocks: number(case, "ftl.open_blocks"),
            spare_blocks: number(case, "ftl.spare_blocks"),
        },
        "replacement" => ModelFtl::Replacement {
            log_blocks: number(case, "ftl.log_blocks"),
            spare_blocks: number(case, "ftl.spare_blocks"),
        },
        "bast" => ModelFtl::Bast {
            log_blocks: number(case, "ftl.log_blocks"),
            spare_blocks: number(case, "ftl.spare_blocks"),
            partial_merge: is_on(case, "ftl.partial_merge"),
        },
        "fast" => ModelFtl::Fast {
            log_blocks: number(case, "ftl.log_blocks"),
            spare_blocks: number(case, "ftl.spare_blocks"),
        },
        "superblock" => ModelFtl::Superblock {
            log_blocks: number(case, "ftl.log_blocks"),
            spare_blocks: number(case, "ftl.spare_blocks"),
            blocks_per_superblock: number(case, "ftl.blocks_per_superblock"),
            max_update_blocks: number(case, "ftl.max_update_blocks"),
        },
        "page" => ModelFtl::Page(page(case, blocks_per_chip)),
        other => panic!("the model has no FTL {other:?} yet"),
    }
}

fn aware(case: &Case) -> ModelAware {
    match case.get("ftl.buffer_aware") {
        None | Some("off") => ModelAware::Off,
        Some("merge") => ModelAware::Merge,
        Some("merge+victim") => ModelAware::MergeAndVictim,
        Some(other) => panic!("there is no buffer awareness {other:?}"),
    }
}

fn page(case: &Case, blocks_per_chip: u64) -> ModelPage {
    let clock = match text(case, "clock") {
        "trace" => ModelClock::Trace,
        _ => ModelClock::Writes,
    };
    let mut page = ModelPage {
        spare_blocks: 0,
        cleaning: cleaning(case),
        placement: placement(case),
        shared_frontier: case.get("ftl.gc_frontier") == Some("shared"),
        stable: stable(case, clock),
        ram_bytes: number_or(case, "ftl.ram", 4 << 20),
        gc_low: 0,
        clock,
    };
    page.gc_low = number_or(case, "ftl.gc_low", page.frontiers() + 1);
    let least = page.gc_low + page.frontiers() + 1;
    let fraction = |fraction: f64| (fraction * blocks_per_chip as f64).ceil() as u64;
    page.spare_blocks = match case.get("ftl.over_provisioning") {
        Some(given) => fraction(given.parse().expect("a number")),
        None => number_or(case, "ftl.spare_blocks", fraction(0.07).max(least)),
    };
    page
}

fn cleaning(case: &Case) -> ModelCleaning {
    match text(case, "ftl.cleaning") {
        "greedy" => ModelCleaning::Greedy,
        "fifo" => ModelCleaning::Fifo,
        "cost-benefit" => ModelCleaning::CostBenefit,
        "cat" => ModelCleaning::Cat,
        "jffs2" => ModelCleaning::Jffs2,
        other => panic!("the model has no cleaning {other:?}"),
    }
}

fn placement(case: &Case) -> ModelPlacement {
    match case.get("ftl.placement") {
        None | Some("single") => ModelPlacement::Single,
        Some("dac") => ModelPlacement::Dac,
        Some("dac+") => ModelPlacement::DacPlus,
        Some("deb") => ModelPlacement::Deb,
        Some(other) => panic!("the model has no placement {other:?}"),
    }
}

/// The boundaries of the regions, in seconds of the trace or in pages.
fn stable(case: &Case, clock: ModelClock) -> Vec<u64> {
    let unit = match clock {
        ModelClock::Trace => 1e9,
        ModelClock::Writes => 1.0,
    };
    let list = case.get("ftl.stable_s").unwrap_or("[100,200,300,400]");
    let list = list.trim_start_matches('[').trim_end_matches(']');
    let times: Vec<u64> = list.split(',').map(|time| to_units(time, unit)).collect();
    let regions = number_or(case, "ftl.regions", 4);
    assert_eq!(times.len() as u64, regions, "a boundary for each region");
    times
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
        "lb-clock" => ModelPolicy::LbClock,
        "req-block" => ModelPolicy::ReqBlock {
            small: number(case, "buffer.small_request"),
        },
        "cbb" => ModelPolicy::Cbb(cbb::Config {
            age: match text(case, "buffer.age") {
                "three-quarters" => cbb::Age::ThreeQuarters,
                "linear" => cbb::Age::Linear,
                "root" => cbb::Age::Root,
                "none" => cbb::Age::None,
                other => panic!("the model has no age {other:?}"),
            },
            complete: match text(case, "buffer.complete") {
                "learned" => cbb::Complete::Learned,
                "equal" => cbb::Complete::Equal,
                "first" => cbb::Complete::First,
                other => panic!("the model weighs no complete blocks as {other:?}"),
            },
            padding: is_on(case, "buffer.padding"),
            feedback: is_on(case, "buffer.feedback"),
        }),
        "unbounded" => ModelPolicy::Unbounded,
        other => panic!("the model has no policy {other:?} yet"),
    }
}

fn read_policy(case: &Case) -> ModelPolicy {
    match case.get("read_buffer.policy") {
        None | Some("none") => ModelPolicy::None,
        Some("fifo") => ModelPolicy::Fifo,
        Some("lru") => ModelPolicy::Lru,
        Some("sof") => ModelPolicy::Sof,
        Some(other) => panic!("the model has no read buffer {other:?}"),
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
    // over each channel, a page that spans all chips moves in one part for each chip of the channel
    let ways = match superpage(case) {
        1 => 1,
        _ => number_or(case, "flash.chips_per_channel", 1),
    };
    ModelTimes {
        read: ns("timing.read_us"),
        program: ns("timing.program_us"),
        erase: ns("timing.erase_us"),
        transfer: ns("timing.transfer_us") * ways,
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

fn number_or(case: &Case, key: &str, default: u64) -> u64 {
    case.get(key).map_or(default, |_| number(case, key))
}

fn is_on(case: &Case, key: &str) -> bool {
    text(case, key) == "true"
}

fn rounded(case: &Case, key: &str, unit: f64) -> u64 {
    to_units(text(case, key), unit)
}

fn to_units(time: &str, unit: f64) -> u64 {
    let time: f64 = time.parse().expect("a number");
    (time * unit).round_ties_even() as u64
}
