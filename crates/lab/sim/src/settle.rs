//! The steady state of a run: the progress towards it, and whether replays have reached it.

use serde::Serialize;
use ssdlab_config::Config;
use ssdlab_device::Counters;
use ssdlab_device::results::LEVEL;

use crate::extremes::IDEAL;
use crate::measured::Measured;
use ssdlab_words::{fixed, percent};

/// The progress of a run towards a steady state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SteadyState {
    /// The bytes that the host wrote in all replays, divided by `flash.capacity`.
    pub capacity_writes: f64,
    /// Whether a block was merged, cleaned or erased in any replay; `None` for `ideal`, which never needs to.
    pub cleaning_started: Option<bool>,
    /// The number of replays on this device; the last one is reported.
    pub replays: u32,
    /// With `--steady` only: whether the last two replays agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<bool>,
    /// The reason why they do not agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsteady_because: Option<String>,
}

impl SteadyState {
    pub(crate) fn new(config: &Config, all: &Counters, settling: &Settling) -> Self {
        let written = all.host_write_bytes as f64;
        Self {
            capacity_writes: written / config.flash.capacity.max(1) as f64,
            cleaning_started: (config.ftl != IDEAL).then(|| has_cleaned(all)),
            replays: settling.replays,
            steady: None,
            unsteady_because: None,
        }
    }

    /// Adds the result of `--steady`: whether the last two replays agree.
    pub(crate) fn judged(mut self, settling: &Settling) -> Self {
        let why = settling.unsteady_because();
        self.steady = Some(why.is_none());
        self.unsteady_because = why;
        self
    }

    /// Whether the host wrote but cleaning never started: the device still had free blocks, so the figures are not
    /// those of a steady state.
    pub fn never_cleaned(&self) -> bool {
        self.cleaning_started == Some(false) && self.capacity_writes > 0.0
    }

    /// The number of capacity writes in words.
    pub fn written(&self) -> String {
        format!("host wrote {} x capacity", times(self.capacity_writes))
    }

    /// All fields in words.
    pub fn in_words(&self) -> String {
        let mut text = self.written();
        text += match self.cleaning_started {
            None => "",
            Some(true) => "; cleaning started",
            Some(false) => "; cleaning never started",
        };
        let replays = self.replays;
        match self.steady {
            None => text,
            Some(true) => format!("{text}; steady after {replays} replays, the last reported"),
            Some(false) => format!("{text}; not steady after {replays} replays"),
        }
    }

    /// The warning about a steady state that was not reached, if any.
    pub fn warning(&self) -> Option<String> {
        if let Some(why) = &self.unsteady_because {
            let (replays, written) = (self.replays, self.written());
            return Some(format!(
                "not steady after {replays} replays: {why} ({written})"
            ));
        }
        self.never_cleaned()
            .then(|| format!("{}; cleaning never started", self.written()))
    }
}

/// A small number with enough digits to show that it is not 0.
pub(crate) fn times(number: f64) -> String {
    match number {
        0.0 => "0".into(),
        tiny if tiny < 0.005 => "less than 0.01".into(),
        some if some < 10.0 => format!("{some:.2}"),
        many => fixed(many, 0),
    }
}

fn has_cleaned(counters: &Counters) -> bool {
    let c = counters;
    c.switch_merges + c.partial_merges + c.full_merges + c.gc_victims + c.erases > 0
}

/// Compares successive replays on one device.
#[derive(Default)]
pub(crate) struct Settling {
    replays: u32,
    /// Whether the device cleaned before the last replay; true for a device that never needs to.
    had_cleaned: bool,
    has_cleaned: bool,
    log_room: u64,
    last: Option<Replay>,
    before: Option<Replay>,
}

/// The compared figures of a replay.
struct Replay {
    /// Write amplification, erases and simulated time.
    figures: [f64; 3],
    /// The reason why the device had not run full before this replay.
    unsettled: Option<&'static str>,
}

const FIGURES: [&str; 3] = ["write amplification", "erases", "time"];

impl Settling {
    /// The state before the first replay.
    pub fn new(config: &Config, log_room: u64) -> Self {
        let never_has_to = config.ftl == IDEAL;
        Self {
            has_cleaned: never_has_to,
            log_room,
            ..Self::default()
        }
    }

    /// Adds a replay with its counts and the pages that the unused log blocks can still take.
    pub fn add(&mut self, measured: &Measured, log_room: u64) {
        let c = &measured.counters;
        self.had_cleaned = self.has_cleaned;
        self.has_cleaned |= has_cleaned(c);
        let room_before = std::mem::replace(&mut self.log_room, log_room);
        let unsettled = match () {
            () if !self.has_cleaned => Some("cleaning never started"),
            () if !self.had_cleaned => Some("cleaning has only just started"),
            // a switch merge of a whole log block leaves the other log blocks unused for ever
            () if log_room > 0 && log_room < room_before => {
                Some("log blocks are still being filled")
            }
            () if c.flash_programs > 0 && c.erases == 0 => {
                Some("a replay is too short to erase a block")
            }
            () => None,
        };
        let waf = c.waf_pages().unwrap_or(0.0);
        let replay = Replay {
            figures: [waf, c.erases as f64, c.elapsed_ns as f64],
            unsettled,
        };
        self.before = self.last.replace(replay);
        self.replays += 1;
    }

    /// Whether the last two replays agree on a device that had run full before.
    pub fn is_steady(&self) -> bool {
        self.unsteady_because().is_none()
    }

    fn unsteady_because(&self) -> Option<String> {
        let (Some(before), Some(last)) = (&self.before, &self.last) else {
            return Some("one replay agrees with none".into());
        };
        if let Some(why) = last.unsettled.or(before.unsettled) {
            return Some(why.into());
        }
        let pairs = before.figures.iter().zip(&last.figures);
        let differences = pairs.map(|(a, b)| (a - b).abs() / a.max(*b).max(f64::MIN_POSITIVE));
        let largest = FIGURES
            .iter()
            .zip(differences)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let (name, share) = largest.expect("there are three");
        (share > LEVEL).then(|| format!("the last two differ by {} in {name}", percent(share)))
    }
}
