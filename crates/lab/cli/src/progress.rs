//! Progress on standard error, if that is a terminal.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
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

/// Steps of a second of estimated work.
const SWEEP: f64 = 1e6;

impl Progress {
    /// A number of items, with the time left.
    pub fn of(what: &str, length: u64) -> Self {
        Self::show(ProgressBar::new(length).with_message(what.to_owned()), BAR)
    }

    /// A number of runs; the first call of [`step`](Self::step) gives the total.
    pub fn of_runs() -> Self {
        Self::show(ProgressBar::no_length(), RUNS)
    }

    /// The runs of a comparison, which serve at most `each` requests each: a run that takes long moves the bar before it
    /// has finished. The returned watch counts requests, and [`Runs::step`] runs.
    pub fn of_comparison(each: u64) -> (Runs, Watch) {
        let bar = ProgressBar::no_length().with_message("planning the runs");
        let runs = Runs {
            progress: Self::show(bar, SERVED),
            count: Arc::new(Count {
                each: each.max(1),
                ..Count::default()
            }),
        };
        let (bar, count) = (runs.progress.0.clone(), Arc::clone(&runs.count));
        let watch = Watch::new(move |passed: Passed| {
            // earlier passes plan the runs
            if count.all.load(Ordering::Relaxed) > 0 {
                count.served.fetch_add(passed.requests, Ordering::Relaxed);
                count.show(&bar);
            }
        });
        (runs, watch)
    }

    /// Reports that one of `all` runs has finished; the first call only starts.
    pub fn step(&self, all: usize) {
        match self.0.length() {
            Some(_) => self.0.inc(1),
            None => self.0.set_length(all as u64),
        }
    }

    /// Levels of a search, each with some runs.
    pub fn of_levels() -> Self {
        let bar = ProgressBar::no_length().with_message("planning the runs");
        Self::show(bar, BAR)
    }

    /// Reports that one of the runs of a level has finished; the first call of a level only starts.
    pub fn level(&self, level: usize, runs: usize) {
        let message = format!("level {level}");
        if self.0.message() == message {
            self.0.inc(1);
        } else {
            self.0.set_message(message);
            self.0.set_length(runs as u64);
            self.0.set_position(0);
        }
    }

    /// The runs of a sweep that takes about so many seconds of one core.
    pub fn of_sweep(seconds: f64) -> Self {
        let parts = (seconds * SWEEP).ceil() as u64;
        Self::show(ProgressBar::new(parts.max(1)).with_message("running"), BAR)
    }

    /// Reports a run that was to take so many seconds.
    pub fn ran(&self, seconds: f64) {
        self.0.inc((seconds * SWEEP) as u64);
    }

    /// Reports that `number` more items are done.
    pub fn add(&self, number: u64) {
        self.0.inc(number);
    }

    /// A number of bytes, with rate and time left if it is known.
    pub fn of_bytes(what: &str, length: Option<u64>) -> Self {
        let bar = ProgressBar::no_length().with_message(what.to_owned());
        match length {
            Some(length) => {
                bar.set_length(length);
                Self::show(bar, BYTES)
            }
            None => Self::show(bar, BYTES_SO_FAR),
        }
    }

    /// Items whose number is not known.
    pub fn of_members(what: &str) -> Self {
        let bar = ProgressBar::no_length().with_message(what.to_owned());
        Self::show(bar, SO_FAR)
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

/// The progress of a comparison.
pub struct Runs {
    progress: Progress,
    count: Arc<Count>,
}

/// Runs, and what those that have not finished have served.
#[derive(Default)]
struct Count {
    /// The most requests of a run.
    each: u64,
    all: AtomicU64,
    finished: AtomicU64,
    served: AtomicU64,
}

impl Runs {
    /// Reports that one of `all` runs has finished; the first call only starts. Their number may change.
    pub fn step(&self, all: usize) {
        let count = &self.count;
        let before = count.all.swap(all as u64, Ordering::Relaxed);
        if before != all as u64 {
            self.progress
                .0
                .set_length(count.each.saturating_mul(all as u64));
        }
        if before > 0 {
            count.finished.fetch_add(1, Ordering::Relaxed);
            let others = |served: u64| Some(served.saturating_sub(count.each));
            let order = Ordering::Relaxed;
            // it is among the finished runs now
            let _ = count.served.fetch_update(order, order, others);
        }
        count.show(&self.progress.0);
    }
}

impl Count {
    fn show(&self, bar: &ProgressBar) {
        let [all, finished, served] =
            [&self.all, &self.finished, &self.served].map(|count| count.load(Ordering::Relaxed));
        let first = if finished == 0 && served == 0 {
            ", making the first devices"
        } else {
            ""
        };
        bar.set_message(format!("{finished} of {all} runs{first}"));
        bar.set_position(finished.saturating_mul(self.each).saturating_add(served));
    }
}

/// For a known length.
const BAR: &str = "{msg} {wide_bar} {percent} %, {left}";
const SERVED: &str = "{wide_bar} {percent} %, {msg}, {elapsed}, {left}";
const BYTES: &str =
    "{msg} {wide_bar} {decimal_bytes} of {decimal_total_bytes}, {decimal_bytes_per_sec}, {left}";
const RUNS: &str = "{wide_bar} {pos} of {len} runs, {elapsed}, {left}";
/// For an unknown length.
const BYTES_SO_FAR: &str = "{spinner} {msg}: {decimal_bytes}, {decimal_bytes_per_sec}, {elapsed}";
const SO_FAR: &str = "{spinner} {human_pos} {msg}, {elapsed}";
const SPINNER: &str = "{spinner} {msg}: {human_pos} requests, {per_sec}, {elapsed}";

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("a valid template");
    style.with_key("left", |state: &ProgressState, to: &mut dyn Write| {
        let _ = to.write_str(&left(state.pos(), state.len(), state.eta()));
    })
}

/// The time left; before the first step there is no rate to tell it from.
fn left(done: u64, all: Option<u64>, time: Duration) -> String {
    let is_over = all.is_some_and(|all| done >= all);
    match time {
        Duration::ZERO if !is_over => "time left not known yet".into(),
        time if time.as_secs() == 0 && !is_over => "under 1s left".into(),
        time => format!("{:#} left", HumanDuration(time)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bug: no time is left as long as nothing has been served
    #[test]
    fn no_time_is_named_before_there_is_a_rate() {
        let unknown = "time left not known yet";
        assert_eq!(left(0, Some(100), Duration::ZERO), unknown);
        assert_eq!(left(0, None, Duration::ZERO), unknown);
        assert_eq!(left(7, Some(100), Duration::from_secs(30)), "30s left");
        assert_eq!(
            left(7, Some(100), Duration::from_millis(400)),
            "under 1s left"
        );
        assert_eq!(left(100, Some(100), Duration::ZERO), "0s left");
    }
}
