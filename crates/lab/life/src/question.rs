//! What is asked of a drive.

use ssdlab_counters::host::{Disk, Look};
use ssdlab_counters::{Kind, Reading};

use crate::drive::Use;

/// What is known of a drive.
#[derive(Default)]
pub struct Question {
    /// Readings of one drive, in the order of time.
    pub readings: Vec<Reading>,
    /// A name that the user typed.
    pub drive: Option<String>,
    /// Bytes.
    pub capacity: Option<u64>,
    /// How it is attached.
    pub kind: Option<Kind>,
    /// Bytes that the host wrote.
    pub written: Option<f64>,
    /// Percentage used.
    pub used: Option<u64>,
    /// Bytes a day.
    pub rate: Option<f64>,
    /// The day since which it is used, in days since 1970-01-01.
    pub since: Option<i64>,
    /// The time, in seconds since 1970.
    pub now: i64,
    /// Where it works.
    pub used_at: Option<Use>,
    /// What the running system counted.
    pub here: Option<Here>,
    /// A trace that was simulated.
    pub simulated: Option<Simulated>,
    /// Named drives of the user: the name of a file with the columns of `drives.csv`, and its text.
    pub drives: Option<(String, String)>,
}

/// What the running system counted.
pub struct Here {
    /// The drive; none if only a process was asked.
    pub disk: Option<Disk>,
    /// Bytes written to the drive.
    pub written: f64,
    /// The days of these bytes.
    pub days: f64,
    /// Whether they are those since the start of the system.
    pub since_boot: bool,
    /// A process: its number, the bytes it wrote, and in how many days.
    pub process: Option<(u32, f64, f64)>,
}

impl Here {
    /// What a system counted since it started, or from one look to a later one, `days` after it.
    pub fn of(first: &Look, later: Option<(&Look, f64)>) -> Self {
        let written = |look: &Look| look.disk.as_ref().map_or(0.0, |disk| disk.written as f64);
        let (now, sample) = later.map_or((first, None), |(look, days)| (look, Some(days)));
        let since =
            |value: &dyn Fn(&Look) -> f64| value(now) - sample.map_or(0.0, |_| value(first));
        let of_process = |look: &Look| look.process.map_or(0.0, |(_, bytes)| bytes as f64);
        Self {
            disk: now.disk.clone(),
            written: since(&written),
            days: sample.unwrap_or(now.days),
            since_boot: sample.is_none(),
            process: now
                .process
                .map(|(pid, _)| (pid, since(&of_process), sample.unwrap_or(now.process_days))),
        }
    }
}

/// A trace that was simulated.
pub struct Simulated {
    /// The trace.
    pub trace: String,
    /// The preset.
    pub preset: String,
    /// Bytes programmed for each byte that the host wrote, on a drive that the trace fills.
    pub full: f64,
    /// And on one of which 40 % are unused.
    pub with_room: Option<f64>,
}
