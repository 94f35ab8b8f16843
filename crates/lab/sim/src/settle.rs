//! The steady state of a run: the progress towards it, and whether replays have reached it.

use serde::Serialize;
use ssdlab_config::Config;
use ssdlab_device::results::LEVEL;
use ssdlab_device::{Cause, Counters, Precondition};

use crate::extremes::IDEAL;
use crate::measured::Measured;
use ssdlab_words::{fixed, percent};

/// A replay that writes less than this many times the capacity, again and again, ends in a cycle: each page is rewritten
/// in the same order, so that blocks become invalid as a whole. And a drive that was filled in order is on its way until
/// its host has written as much.
const ENOUGH: f64 = 2.0;

/// The random overwrites, over the capacity, after which a drive is in its steady state.
const AGED: f64 = 1.0;

/// Why figures are not those of a steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// The last two replays differ.
    Unsteady,
    /// The device never had to clean.
    NeverCleaned,
    /// The replays agree because they are the same: each writes a small part of the capacity.
    Cycle,
    /// Cleaning has begun, but most blocks are still as they were filled.
    Young,
}

impl Doubt {
    /// Every reason.
    pub(crate) const ALL: [Self; 4] =
        [Self::Unsteady, Self::NeverCleaned, Self::Cycle, Self::Young];

    /// What the figures are those of.
    pub fn of(self) -> &'static str {
        match self {
            Self::Unsteady => "of a state that still changes, not of a steady one",
            Self::NeverCleaned => "of a drive that never cleaned, not of one in use",
            Self::Cycle => "of a cycle, not of a steady state",
            Self::Young => "of a drive before its steady state",
        }
    }
}

/// The progress of a run towards a steady state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SteadyState {
    /// The bytes that the host wrote in all replays, divided by the capacity that it sees.
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
    /// With several replays only: whether each writes so little that they are a cycle, not a steady state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<bool>,
    /// The device was overwritten at random before the trace, often enough.
    #[serde(skip)]
    pub aged: bool,
    /// The FTL cleans instead of merging.
    #[serde(skip)]
    pub cleans: bool,
}

impl SteadyState {
    pub(crate) fn new(config: &Config, all: &Counters, settling: &Settling) -> Self {
        let written = all.host_write_bytes as f64;
        let capacity_writes = written / config.flash.capacity.max(1) as f64;
        let replays = settling.replays;
        let of_one = capacity_writes / f64::from(replays.max(1));
        Self {
            capacity_writes,
            cleaning_started: (config.ftl != IDEAL).then(|| has_cleaned(all)),
            replays,
            steady: None,
            unsteady_because: None,
            cycle: (replays > 1 && config.ftl != IDEAL).then_some(of_one < ENOUGH),
            aged: matches!(config.precondition, Precondition::Aged(a) if a.overwrites >= AGED),
            cleans: config.moves == Cause::Cleaning,
        }
    }

    /// Why the figures are not those of a steady state; `None` if they are, or if that is not known.
    pub fn doubt(&self) -> Option<Doubt> {
        let young = self.cleans && !self.aged && self.capacity_writes < ENOUGH;
        match () {
            () if self.steady == Some(false) => Some(Doubt::Unsteady),
            () if self.never_cleaned() => Some(Doubt::NeverCleaned),
            () if self.capacity_writes == 0.0 => None,
            () if self.cycle == Some(true) => Some(Doubt::Cycle),
            () if young && self.cleaning_started == Some(true) => Some(Doubt::Young),
            () => None,
        }
    }

    /// What the user can do about a doubt.
    fn way_out(&self) -> &'static str {
        match (self.aged, self.replays > 1) {
            (true, false) => "take a longer trace",
            (true, true) => "take a longer trace, or replay it once",
            (false, false) => {
                "age the drive first: add --set precondition=random:2, or take a longer trace"
            }
            (false, true) => {
                "take a longer trace, or replay it once on an aged drive: add --set precondition=random:2"
            }
        }
    }

    /// The warning of a doubt; `with` names the runs.
    pub(crate) fn warned(&self, doubt: Doubt, with: &str) -> String {
        let (written, way_out) = (self.written(), self.way_out());
        let replays = self.replays;
        match doubt {
            Doubt::Unsteady => format!("not steady after {replays} replays{with}"),
            Doubt::NeverCleaned => {
                format!(
                    "{written}; cleaning never started{with}: the figures say nothing of a drive in use; {way_out}"
                )
            }
            Doubt::Cycle => format!(
                "a cycle, not a steady state{with}: each replay writes {} x capacity, and less than {ENOUGH} x is too \
                 little; life, write amplification and ranking are those of the cycle; {way_out}",
                times(self.capacity_writes / f64::from(replays))
            ),
            Doubt::Young => format!(
                "{written}{with} to a drive that was not aged: in a steady state cleaning costs more; {way_out}"
            ),
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
            Some(true) if self.cycle == Some(true) => {
                format!(
                    "{text}; a cycle after {replays} replays, not a steady state, the last reported"
                )
            }
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
        self.doubt().map(|doubt| self.warned(doubt, ""))
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
