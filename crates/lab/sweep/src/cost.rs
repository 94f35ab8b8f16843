//! How long a run takes, and what memory it needs, before it runs.

use ssdlab_config::Config;
use ssdlab_sim::Replay;

use crate::facts::Facts;

/// Nanoseconds to decode a request.
const DECODE: f64 = 60.0;
/// Nanoseconds for a request, whatever it touches.
const REQUEST: f64 = 40.0;
/// Nanoseconds for a page under the parallel model, beside those of the FTL.
const CLOCKS: f64 = 60.0;
/// Nanoseconds for each page of the device, at its start.
const FRESH: f64 = 1.0;
/// The replays that a steady state takes, as far as is known before.
const STEADY: f64 = 6.0;

/// Nanoseconds for each page that the host writes, by FTL: rough, from runs of the shipped traces.
const PAGE: [(&str, f64); 7] = [
    ("ideal", 8.0),
    ("block", 180.0),
    ("replacement", 180.0),
    ("bast", 90.0),
    ("fast", 120.0),
    ("superblock", 110.0),
    ("page", 60.0),
];

/// The estimated seconds of decoding a trace.
pub fn decoding(facts: &Facts) -> f64 {
    facts.requests as f64 * DECODE / 1e9
}

/// The estimated seconds of a run, without decoding. It is a guess for dividing work evenly: often wrong by a factor of
/// three, but the same everywhere.
pub fn running(facts: &Facts, config: &Config, replay: &Replay) -> f64 {
    let page = f64::from(config.flash.page_size);
    let pages = (facts.write_bytes as f64 + 0.3 * facts.read_bytes as f64) / page;
    let known = PAGE.iter().find(|(ftl, _)| *ftl == config.ftl);
    let each =
        known.map_or(120.0, |(_, each)| *each) + if config.is_parallel() { CLOCKS } else { 0.0 };
    let replays = match replay.steady {
        true => STEADY,
        false => f64::from(replay.loops),
    };
    let capacity = if config.is_auto() {
        facts.end
    } else {
        config.flash.capacity
    };
    let device = capacity as f64 / page;
    let aged = match &config.precondition {
        ssdlab_sim::Precondition::Aged(aged) => aged.overwrites * device * each,
        _ => 0.0,
    };
    (replays * (facts.requests as f64 * REQUEST + pages * each) + device * FRESH + aged) / 1e9
}
