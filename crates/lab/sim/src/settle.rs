//! The steady state of a run: the progress towards it, and whether replays have reached it.

use serde::Serialize;
use ssdlab_config::Config;
use ssdlab_device::results::LEVEL;
use ssdlab_device::{Cause, Counters};

use crate::extremes::IDEAL;
use crate::measured::Measured;
use crate::run::Loops;
use crate::settled::{FEWEST, Settled, State, WINDOWS};
use ssdlab_words::{fixed, percent};

/// A replay that writes less than this many times the capacity, again and again, ends in a cycle: each page is rewritten
/// in the same order, so that blocks become invalid as a whole.
const ENOUGH: f64 = 2.0;

/// The progress of a run towards a steady state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SteadyState {
    /// The bytes that the host wrote in all replays, divided by the capacity that it sees.
    pub capacity_writes: f64,
    /// Likewise, those by which its own workload aged the device before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aged_writes: Option<f64>,
    /// Whether a block was merged, cleaned or erased in any replay, or by its own workload before; `None` for `ideal`, which never needs to.
    pub cleaning_started: Option<bool>,
    /// The number of replays on this device; the last one is reported.
    pub replays: u32,
    /// With `--steady` only: whether the last two replays agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<bool>,
    /// The reason why they do not agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsteady_because: Option<String>,
    /// Whether the figures that need a settled state are those of one.
    pub settled: Settled,
}

impl SteadyState {
    /// The state after some replays, which went on `until_steady`.
    pub(crate) fn new(config: &Config, loops: &Loops, until_steady: bool) -> Self {
        let (all, ageing) = loops.counted();
        let capacity = config.flash.capacity.max(1) as f64;
        let times = |counters: &Counters| counters.host_write_bytes as f64 / capacity;
        let aged = ageing.map(times);
        let why = until_steady.then(|| loops.settling.unsteady_because());
        let mut state = Self {
            capacity_writes: times(all) - aged.unwrap_or(0.0),
            aged_writes: aged,
            cleaning_started: (config.ftl != IDEAL).then(|| has_cleaned(all)),
            replays: loops.settling.replays,
            steady: why.as_ref().map(Option::is_none),
            unsteady_because: why.flatten(),
            settled: loops.windows.judged(),
        };
        if loops.had_settled() {
            state.settled.state = State::Settled;
        }
        state.settled.state = state.judged(config);
        state
    }

    /// The state, of which the windows tell most.
    fn judged(&self, config: &Config) -> State {
        let of_one = self.capacity_writes / f64::from(self.replays.max(1));
        match () {
            () if config.ftl == IDEAL => State::Settled,
            () if self.cleaning_started == Some(false) => State::NotCleaning,
            () if self.replays > 1 && of_one < ENOUGH => State::Cycle,
            () if self.steady.is_some_and(|steady| !steady) => State::Unsettled,
            // merges leave nothing but log blocks behind; and replays that agree have settled
            () if config.moves != Cause::Cleaning || self.steady.is_some() => State::Settled,
            () => self.settled.state,
        }
    }

    /// Why the figures are not those of a settled state; `None` if they are, or if nothing was written.
    pub fn doubt(&self) -> Option<State> {
        let state = match self.steady {
            Some(false) => State::Unsettled,
            _ => self.settled.state,
        };
        let wrote = self.capacity_writes > 0.0 || self.steady == Some(false);
        (wrote && state != State::Settled).then_some(state)
    }

    /// What the user can do about a doubt.
    fn way_out(&self) -> &'static str {
        match (self.aged_writes, self.replays > 1) {
            (Some(_), false) => "raise precondition_limit, or take a longer trace",
            (Some(_), true) => "replay the trace once",
            (None, true) => {
                "take a longer trace, or replay it once on a drive that it has aged: add --set precondition=workload"
            }
            (None, false) => {
                "let the trace age the drive first: add --set precondition=workload, or take a longer trace"
            }
        }
    }

    /// The warning of a doubt; `with` names the runs.
    pub(crate) fn warned(&self, doubt: State, with: &str) -> String {
        let (written, way_out) = (self.written(), self.way_out());
        let replays = self.replays;
        match doubt {
            State::Unsettled if self.steady == Some(false) => {
                format!("not steady after {replays} replays{with}")
            }
            State::Unsettled => {
                let why = if (self.settled.waf.len() as u64) < FEWEST * WINDOWS {
                    format!("{FEWEST} x would show whether write amplification moves no more")
                } else {
                    "write amplification still moves".to_owned()
                };
                format!("not settled{with}: {written}, and {why}; {way_out}")
            }
            State::NotCleaning => {
                format!(
                    "{written}; cleaning never started{with}: the figures say nothing of a drive in use; {way_out}"
                )
            }
            State::Cycle => format!(
                "a cycle, not a settled state{with}: each replay writes {} x capacity, and less than {ENOUGH} x is too \
                 little; life, write amplification and ranking are those of the cycle; {way_out}",
                times(self.capacity_writes / f64::from(replays))
            ),
            State::Settled => String::new(),
        }
    }

    /// The number of capacity writes in words.
    pub fn written(&self) -> String {
        let written = format!("host wrote {} x capacity", times(self.capacity_writes));
        match self.aged_writes {
            Some(aged) => format!("{written} after {} x that aged the drive", times(aged)),
            None => written,
        }
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
        let state = self.settled.state;
        match self.steady {
            None if state == State::Unsettled => text + "; not settled",
            None => text,
            Some(true) if state == State::Cycle => {
                format!(
                    "{text}; a cycle after {replays} replays, not a settled state, the last reported"
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
    pub replays: u32,
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

    /// The device was aged by its workload, which counted this.
    pub fn aged(&mut self, all: &Measured, log_room: u64) {
        self.has_cleaned |= has_cleaned(&all.counters);
        self.log_room = log_room;
    }

    /// Whether the last two replays agree on a device that had run full before.
    pub fn is_steady(&self) -> bool {
        self.unsteady_because().is_none()
    }

    pub fn unsteady_because(&self) -> Option<String> {
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
