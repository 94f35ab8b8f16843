//! Progress on standard error, if that is a terminal.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ssdlab_trace::{Passed, Watch};

/// The visible line of progress, so that other code can remove it.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Removes the line and shows none again.
pub fn clear() {
    let shown = SHOWN.lock().unwrap_or_else(|e| e.into_inner()).take();
    if let Some(bar) = shown {
        bar.finish_and_clear();
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
}

/// A line of progress; it disappears when this value is dropped.
pub struct Progress(ProgressBar);

impl Drop for Progress {
    fn drop(&mut self) {
        clear();
    }
}

/// Parts of a pass over a trace.
const PARTS: u64 = 1_000_000;

impl Progress {
    /// A number of items, with the time left.
    pub fn of(what: &str, length: u64) -> Self {
        Self::show(ProgressBar::new(length).with_message(what.to_owned()), BAR)
    }

    /// A number of runs; the first call of [`step`](Self::step) gives the total.
    pub fn of_runs() -> Self {
        Self::show(ProgressBar::no_length(), RUNS)
    }

    /// Reports that one of `all` runs has finished; the first call only starts.
    pub fn step(&self, all: usize) {
        match self.0.length() {
            Some(_) => self.0.inc(1),
            None => self.0.set_length(all as u64),
        }
    }

    /// Reports that `number` more items are done.
    pub fn add(&self, number: u64) {
        self.0.inc(number);
    }

    /// Passes over a trace: shows the time left if the number of passes and the length of the trace are known,
    /// otherwise requests and their rate. The returned watch updates the line.
    pub fn of_passes(what: &'static str, passes: Option<u64>) -> (Self, Watch) {
        let progress = Self::show(ProgressBar::no_length().with_message(what), SPINNER);
        let bar = progress.0.clone();
        let (pass, requests) = (Arc::new(AtomicU64::new(0)), AtomicU64::new(0));
        let watch = Watch::new(move |passed: Passed| {
            let begun =
                pass.fetch_add(passed.begins.into(), Ordering::Relaxed) + u64::from(passed.begins);
            let served = requests.fetch_add(passed.requests, Ordering::Relaxed) + passed.requests;
            if passed.begins {
                bar.set_message(match passes {
                    Some(1) => what.to_owned(),
                    Some(passes) => format!("{what}, pass {begun} of {passes}"),
                    None => format!("{what}, pass {begun}"),
                });
            }
            match (passed.at, passes) {
                (Some((at, whole)), Some(passes)) if whole > 0 => {
                    if bar.length().is_none() {
                        bar.set_style(style(BAR));
                        bar.set_length(passes * PARTS);
                    }
                    let part = (u128::from(at) * u128::from(PARTS) / u128::from(whole)) as u64;
                    bar.set_position(begun.saturating_sub(1) * PARTS + part);
                }
                _ => bar.set_position(served),
            }
        });
        (progress, watch)
    }

    fn show(bar: ProgressBar, template: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = bar.with_style(style(template));
        bar.enable_steady_tick(Duration::from_millis(200));
        *SHOWN.lock().unwrap_or_else(|e| e.into_inner()) = Some(bar.clone());
        Self(bar)
    }
}

/// For a known length.
const BAR: &str = "{msg} {wide_bar} {percent} %, {eta} left";
const RUNS: &str = "{wide_bar} {pos} of {len} runs, {elapsed}, {eta} left";
/// For an unknown length.
const SPINNER: &str = "{spinner} {msg}: {human_pos} requests, {per_sec}, {elapsed}";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a valid template")
}
