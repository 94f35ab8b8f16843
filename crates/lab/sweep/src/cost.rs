//! How long a run takes, before it runs: a few terms, and what each of them costs.
//!
//! `cargo run --release -p ssdlab-sweep --example run_costs` measures the prices anew, and how wrong the estimates are.

use ssdlab_config::{Config, Value};
use ssdlab_sim::{Precondition, Replay, key};

use crate::facts::Facts;
use crate::prices::{BUFFERS, DECODE, FTLS, GENERATED, RUN};
use crate::visits::GROUP;

/// Nanoseconds for the configuration of a run and its row of results, beside the run: `dev/benches/sweeps.py parts`.
const ROW: f64 = 300_000.0;

/// The replays that a steady state takes, as far as is known before: mostly 3, sometimes 50.
const STEADY: f64 = 4.0;

/// How often a run does what takes time. [`Terms::seconds`] multiplies with prices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// Of the FTL: requests, host pages written, blocks merged or pages' worth of cleaning, pages moved, the same pages
    /// written and moved under clocks, pages of ageing, and these under clocks.
    pub ftl: [f64; 8],
    /// Of the buffer: host pages written, and visits.
    pub buffer: [f64; 2],
    /// Of every run: itself, pages of the device, pages read, and under clocks requests and pages read.
    pub run: [f64; 5],
}

/// The prices of a name. A system of another crate costs as much as the dearest one in each term: a time limit is rather too
/// long than too short.
fn price<const N: usize>(table: &[(&str, [f64; N])], name: &str) -> [f64; N] {
    let known = table.iter().find(|(known, _)| *known == name);
    known.map_or_else(|| dearest(table), |(_, prices)| *prices)
}

fn dearest<const N: usize>(table: &[(&str, [f64; N])]) -> [f64; N] {
    let of_term = |term: usize| table.iter().map(move |(_, prices)| prices[term]);
    std::array::from_fn(|term| of_term(term).fold(0.0, f64::max))
}

fn sum<const N: usize>(amounts: [f64; N], prices: [f64; N]) -> f64 {
    amounts
        .iter()
        .zip(prices)
        .map(|(amount, price)| amount * price)
        .sum()
}

impl Terms {
    /// The terms of a run.
    pub fn of(facts: &Facts, config: &Config, settings: &Settings, replay: &Replay) -> Self {
        let replays = match replay.steady {
            true => STEADY,
            false => f64::from(replay.loops),
        };
        Self::of_replays(facts, config, settings, replays)
    }

    /// The terms of so many replays.
    pub fn of_replays(facts: &Facts, config: &Config, settings: &Settings, replays: f64) -> Self {
        let page = f64::from(config.flash.page_size);
        let per_block = f64::from(config.flash.pages_per_block);
        let capacity = match config.is_auto() {
            true => facts.end,
            false => config.flash.capacity,
        };
        let device = capacity as f64 / page;
        let blocks = (device / per_block).max(1.0);
        let aged = match &config.precondition {
            Precondition::Aged(aged) => aged.overwrites * device,
            _ => 0.0,
        };
        let clocks = f64::from(u8::from(config.has_clocks()));
        let requests = facts.requests as f64 * replays;
        let written = facts.write_bytes as f64 / page * replays;
        let read = facts.read_bytes as f64 / page * replays;
        let visits = facts.visits.all() as f64;
        let [merges, moved, ageing] = match config.ftl {
            "ideal" => [0.0, 0.0, aged],
            "page" => {
                let spare = settings.spare;
                // a random write copies so many pages, as a rule of thumb
                let copies = 0.5 / spare;
                let random = facts.visits.beyond(64.0) / visits.max(1.0);
                let cleaned = (written + aged - spare * device / 2.0).clamp(0.0, written);
                let copied = cleaned * copies * random;
                [copied * settings.weighed, copied, aged * (1.0 + copies)]
            }
            _ => {
                let logs = settings.logs;
                let held = f64::from(config.buffer_pages()) / per_block;
                let block = page * per_block;
                let entered = facts.visits.beyond((logs + held) * block / GROUP as f64);
                let merges = (entered * (GROUP as f64 / block).max(1.0)).min(written / replays);
                // where logs hold the whole device, random writes merge little
                let merged = (1.0 - logs / blocks).max(0.02);
                let merges = merges * replays;
                [merges, merges * per_block, aged * per_block * merged]
            }
        };
        Self {
            ftl: [
                requests,
                written,
                merges,
                moved,
                clocks * written,
                clocks * moved,
                ageing,
                clocks * ageing,
            ],
            buffer: [written, visits * replays],
            run: [1.0, device, read, clocks * requests, clocks * read],
        }
    }

    /// What they take together, seconds.
    pub fn seconds(&self, config: &Config) -> f64 {
        let ftl = sum(self.ftl, price(&FTLS, config.ftl));
        let buffer = sum(self.buffer, price(&BUFFERS, config.policy));
        (ftl + buffer + sum(self.run, RUN)) / 1e9
    }
}

/// What the time depends on beside the shape of the device; searched once for each configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The flash beyond the capacity, as a share of it.
    spare: f64,
    /// Blocks that take the writes of merging FTLs.
    logs: f64,
    /// 1 if the cleaning policy weighs ages.
    weighed: f64,
}

impl Settings {
    /// Those of a configuration.
    pub fn of(config: &Config) -> Self {
        let blocks = |all: u32| f64::from(all.max(1));
        let spare = match config.value(key::OVER_PROVISIONING) {
            Some(Value::Float(share)) => *share,
            _ if config.is_auto() => 0.07,
            _ => blocks(config.physical_blocks()) / blocks(config.logical_blocks()) - 1.0,
        };
        let logs = match config.ftl {
            "block" => key::OPEN_BLOCKS,
            _ => key::LOG_BLOCKS,
        };
        let logs = match config.value(logs) {
            Some(Value::Int(number)) => *number as f64,
            _ => 1.0,
        };
        let weighed = match config.value(key::CLEANING) {
            Some(Value::Text(name)) if ["cost-benefit", "cat"].contains(&&**name) => 1.0,
            _ => 0.0,
        };
        Self {
            spare: spare.max(0.01),
            logs,
            weighed,
        }
    }
}

/// The estimated seconds of decoding a trace.
pub fn decoding(facts: &Facts) -> f64 {
    let known = DECODE.iter().find(|(format, _)| *format == facts.format);
    facts.requests as f64 * known.map_or(GENERATED, |(_, each)| *each) / 1e9
}

/// The estimated seconds of a run, without decoding: the same everywhere, since it is what divides a sweep.
pub fn running(facts: &Facts, config: &Config, settings: &Settings, replay: &Replay) -> f64 {
    Terms::of(facts, config, settings, replay).seconds(config) + ROW / 1e9
}
