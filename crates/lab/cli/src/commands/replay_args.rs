//! The options of a replay, which several commands share.

use ssdlab_sim::Replay;

/// The options of a replay.
#[derive(clap::Args)]
pub struct ReplayArgs {
    /// Take page numbers modulo the capacity instead of refusing requests beyond it
    #[arg(long)]
    wrap: bool,
    /// Map the erase blocks that reads and writes touch to dense numbers, in ascending order
    #[arg(long)]
    compact: bool,
    /// Replay the trace N times on one device and report the last replay, to approach a steady state
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    loops: u32,
    /// Replay the trace on one device until two successive replays agree within 1 % in write amplification, erases and
    /// time after cleaning has started, at most N times [default: 50]; report the last
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "50")]
    #[arg(conflicts_with = "loops", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    steady: Option<u32>,
}

impl ReplayArgs {
    /// The options, as words of a command.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (option, on) in [("--wrap", self.wrap), ("--compact", self.compact)] {
            words.extend(on.then(|| option.to_owned()));
        }
        match self.steady {
            Some(most) => words.push(format!("--steady={most}")),
            None if self.loops > 1 => words.push(format!("--loops={}", self.loops)),
            None => {}
        }
        words
    }

    /// The options of the simulator.
    pub fn options(&self) -> Replay {
        Replay {
            wrap: self.wrap,
            compact: self.compact,
            loops: self.steady.unwrap_or(self.loops),
            steady: self.steady.is_some(),
        }
    }
}
