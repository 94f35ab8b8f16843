//! Clocks for chips, channels and the bus: when each operation of a device happens and each request completes.
//!
//! Operations get their times in the order in which the FTLs do them (*list scheduling*), so no decision ever waits for
//! a time, and a [`Schedule`] is given them afterwards. It knows neither policies nor FTLs: the device reports to it
//! what happens to pages of the buffer, and hands it the [`Note`](ssdlab_flash::Note)s of the FTLs.

mod ahead;
mod chips;
mod completion;
mod drive;
mod filled;
mod issue;
mod lane;
mod latency;
mod over_time;
mod pages;
mod recorder;
mod schedule;
mod setup;
mod slots;
mod spread;

pub use completion::Completion;
pub use drive::Today;
pub use issue::Issue;
pub use latency::{Histogram, Histograms, Latencies, Latency, LatencyByOp};
pub use over_time::OverTime;
pub use recorder::{Activity, Interval, Recording, Resource, Slowest, Span, recording_bytes};
pub use schedule::{Busy, Overload, Schedule};
pub use setup::{BACKLOG, Layout, Setup, SlcTimes, Times};
pub use spread::{Deviation, Spread};
