//! One run: a device under a load, with what was published of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ssdlab_config::Config;
use ssdlab_ftl::RegionCounts;
use ssdlab_sim::{
    Counters, Lab, Placed, Replay, RunOptions, SimError, Steady, StopFlag, Trace, run_loaded,
};
use toml::Spanned;

use super::logs::Log;
use super::window::Window;
use crate::runs::Run;

/// Requests that are served between two looks at the counters.
const BATCH: usize = 64;
/// Passes that are left out before tenths of a pass are taken.
const FIRST_PASSES: u64 = 2;
/// The parts of a pass.
const PARTS: u64 = 10;

/// A run.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The places of its series and of its point.
    pub series: usize,
    pub point: usize,
    /// The settings that turn the default device into this one.
    pub settings: Vec<String>,
    pub config: Config,
    pub requests: Requests,
    /// Capacities written before the published figures begin, and while they last.
    pub before: f64,
    pub writes: f64,
    /// The windows, with the published write amplification.
    pub windows: Vec<(Window, Option<f64>)>,
    /// What was published of this run.
    pub log: Log,
    /// The figures of the simulator are multiplied by the first, then the second is added.
    pub adjusted: [f64; 2],
}

/// The requests of a run.
#[derive(Clone, Debug)]
pub enum Requests {
    /// The arguments of `ssdlab trace generate`, without the number of requests.
    Generated(String),
    /// A file in the folder of the traces, and how often it is replayed.
    Replayed(Spanned<String>, u32),
}

/// The figures of the simulator.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// One for each window.
    pub windows: Vec<f64>,
    /// One for each step of the published curve.
    pub curve: Vec<f64>,
    /// One for each published handle.
    pub handles: Vec<f64>,
    /// One for each tenth of a pass, the mean of all passes but the first ones.
    pub tenths: Vec<f64>,
    /// The requests up to the beginning of the last window, and up to its end.
    pub requests: [u64; 2],
}

/// What was written up to a place of the run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Mark {
    /// The pages that the host was to write.
    place: u64,
    host: u64,
    media: u64,
    regions: Vec<RegionCounts>,
    requests: u64,
}

impl Mark {
    fn of(place: u64, counters: &Counters, regions: Vec<RegionCounts>, requests: u64) -> Self {
        Self {
            place,
            host: counters.host_write_pages,
            media: counters.flash_programs + counters.flash_copies,
            regions,
            requests,
        }
    }
}

/// A run on its load.
pub struct OnLoad<'a> {
    pub cell: &'a Cell,
    /// All traces that runs replay, by file.
    pub traces: &'a BTreeMap<String, Trace>,
}

impl Run for OnLoad<'_> {
    /// At each place where the counters are read; of a trace behind the last replay, and of that alone.
    type Value = Vec<Mark>;

    fn config(&self) -> &Config {
        &self.cell.config
    }

    fn requests(&self) -> Result<String, SimError> {
        match &self.cell.requests {
            Requests::Generated(words) => Ok(words.clone()),
            Requests::Replayed(file, _) => Ok(self.traces[file.get_ref()].identity()?.to_owned()),
        }
    }

    fn how(&self) -> String {
        match &self.cell.requests {
            Requests::Generated(_) => format!("counters at {:?}", self.cell.places()),
            Requests::Replayed(_, loops) => format!("the last of {loops} replays"),
        }
    }

    fn run(&self, lab: &Lab, stop: &StopFlag) -> Result<Vec<Mark>, SimError> {
        match &self.cell.requests {
            Requests::Generated(words) => self.cell.serve(lab, words, stop),
            Requests::Replayed(file, loops) => {
                let replay = Replay {
                    compact: true,
                    loops: *loops,
                    ..Replay::default()
                };
                let options = RunOptions {
                    replay,
                    stop: Some(stop.clone()),
                    ..RunOptions::new(lab)
                };
                let trace = &self.traces[file.get_ref()];
                let outcome = run_loaded(self.cell.config.clone(), trace, options)?;
                Ok(vec![Mark::of(0, &outcome.counters, Vec::new(), 0)])
            }
        }
    }
}

impl Cell {
    /// The file of its trace, if it replays one.
    pub fn trace(&self) -> Option<&Spanned<String>> {
        match &self.requests {
            Requests::Replayed(file, _) => Some(file),
            Requests::Generated(_) => None,
        }
    }

    /// Pages written up to a place, given in capacities since the published figures began.
    fn pages(&self, capacities: f64) -> u64 {
        let pages = (self.before + capacities) * f64::from(self.config.logical_pages());
        pages.round() as u64
    }

    /// All pages that the run writes.
    pub fn written(&self) -> u64 {
        self.pages(self.writes)
    }

    /// The pages at which the counters are read, ascending.
    fn places(&self) -> Vec<u64> {
        let mut places = vec![self.pages(0.0)];
        for (window, _) in &self.windows {
            places.extend(window.of(self.writes).map(|end| self.pages(end)));
        }
        if !self.log.handles.is_empty() {
            places.extend(
                Window::LastQuarter
                    .of(self.writes)
                    .map(|end| self.pages(end)),
            );
        }
        places.extend(self.log.curve.iter().map(|step| self.pages(step[0])));
        if !self.log.tenths.is_empty() {
            places.extend(self.tenths());
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The borders of the tenths of all passes that count.
    fn tenths(&self) -> impl Iterator<Item = u64> {
        let passes = self.writes as u64;
        let borders = FIRST_PASSES * PARTS..=passes * PARTS;
        borders.map(|border| self.pages(border as f64 / PARTS as f64))
    }

    fn serve(&self, lab: &Lab, words: &str, stop: &StopFlag) -> Result<Vec<Mark>, SimError> {
        // no request is smaller than a page
        let words = limited(words, self.written() + 1);
        let requests = || ssdlab_workload::requests(&words).map_err(SimError::Limit);
        let device = Steady::foreseeing(lab, &self.config, &requests)?;
        let mut device = device.stopped_by(stop.clone());
        let mut marks = Vec::new();
        let mut served = 0;
        for place in self.places() {
            while device.counters().host_write_pages < place {
                let batch = device.make(BATCH);
                if batch.is_empty() {
                    break;
                }
                device.serve_made(&batch)?;
                served += batch.len() as u64;
            }
            let regions = device.regions();
            marks.push(Mark::of(place, &device.counters(), regions, served));
        }
        Ok(marks)
    }

    /// The figures, from the marks of the run.
    pub fn found(&self, marks: &[Mark]) -> Found {
        if self.trace().is_some() {
            let nothing = Mark::default();
            let windows = marks.iter().map(|mark| self.between(&nothing, mark));
            return Found {
                windows: windows.collect(),
                ..Found::default()
            };
        }
        let at = |pages: u64| {
            let place = marks.partition_point(|mark| mark.place < pages);
            &marks[place.min(marks.len() - 1)]
        };
        let between = |from: &Mark, to: &Mark| self.between(from, to);
        let ends = |window: Window| window.of(self.writes).map(|end| at(self.pages(end)));
        let window = |window: Window| {
            let [from, to] = ends(window);
            between(from, to)
        };
        let mut before = at(self.pages(0.0));
        let mut curve = Vec::new();
        for step in &self.log.curve {
            let mark = at(self.pages(step[0]));
            curve.push(between(before, mark));
            before = mark;
        }
        let handles = self.log.handles.iter().map(|(handle, _)| {
            let handles = self.config.handles();
            let [from, to] = ends(Window::LastQuarter)
                .map(|mark| programmed(Placed::of(&mark.regions, handles), *handle));
            (to.1 - from.1) as f64 / (to.0 - from.0) as f64
        });
        let last = self.windows.last().map_or(Window::All, |window| window.0);
        Found {
            windows: self.windows.iter().map(|one| window(one.0)).collect(),
            curve,
            handles: handles.collect(),
            tenths: self.mean_tenths(&|from, to| between(at(from), at(to))),
            requests: ends(last).map(|mark| mark.requests),
        }
    }

    /// The figure of the simulator between two places.
    fn between(&self, from: &Mark, to: &Mark) -> f64 {
        let [times, plus] = self.adjusted;
        // not a number where a published curve goes back
        let growth = |of: fn(&Mark) -> u64| of(to) as f64 - of(from) as f64;
        growth(|mark| mark.media) / growth(|mark| mark.host) * times + plus
    }

    fn mean_tenths(&self, between: &dyn Fn(u64, u64) -> f64) -> Vec<f64> {
        if self.log.tenths.is_empty() {
            return Vec::new();
        }
        let borders: Vec<u64> = self.tenths().collect();
        let all: Vec<f64> = borders
            .windows(2)
            .map(|ends| between(ends[0], ends[1]))
            .collect();
        let parts = PARTS as usize;
        let mean = |tenth: usize| {
            let of_tenth = all.iter().skip(tenth).step_by(parts);
            of_tenth.clone().sum::<f64>() / of_tenth.count() as f64
        };
        (0..parts).map(mean).collect()
    }
}

/// The arguments of `ssdlab trace generate` for so many requests.
pub fn limited(words: &str, requests: u64) -> String {
    format!("{words} --requests {requests}")
}

/// Pages that came to a handle, and pages programmed for it. To the common destination of copies come those from elsewhere.
fn programmed(placed: Option<Placed>, handle: Option<usize>) -> (u64, u64) {
    let Some(Placed::Handles { handles, common }) = placed else {
        return (0, 0);
    };
    match handle {
        Some(handle) => handles.get(handle).map_or((0, 0), |handle| {
            (handle.host_pages, handle.host_pages + handle.copied_pages)
        }),
        None => common.as_ref().map_or((0, 0), |common| {
            (common.copied_in - common.copied_pages, common.copied_in)
        }),
    }
}
