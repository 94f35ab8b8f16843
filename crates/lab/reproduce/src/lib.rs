//! Studies: results that ssdlab repeats. A paper runs its figures on the traces of this repository and compares each
//! statement with the measured result; theory compares each figure with the simulator; published measurements, of write
//! amplification or of times, have their own figures beside those of the simulator; measured fills of drives those of a closed form, without
//! a run; a contest compares a write buffer with its rivals at many points; one study divides the same RAM among buffers, caches of a map and
//! log blocks, one has the sizes of a learned map beside published ones.
//!
//! A folder `NAME` with a `paper.toml`, `theory.toml`, `measured.toml`, `times.toml`, `fills.toml`, `equal.toml`, `learned.toml` or
//! `contest.toml` describes a
//! study. The program contains those in `studies` as text; no code is specific to a study. The page of a study is equal to the byte on
//! every machine.
//!
//! All kinds have one way from a description to a page: the description gives runs, [`Settings`] says how to run them, each
//! measures a value, and judges and pages see the values alone.
//!
//! May depend on `sim` and the crates below it, on `theory`, `report` and `output`; not on the command line. Reads
//! descriptions and traces. Writes no file but the results that a user wants to keep (a study returns its pages as text),
//! prints nothing, and reads no environment variable.

mod contest;
mod descriptions;
mod equal;
mod error;
mod file;
mod fills;
mod learned;
mod measured;
mod paper;
mod runs;
mod studies;
mod study;
mod theory;
mod times;

pub use descriptions::Descriptions;
pub use equal::Equal;
pub use error::ReproduceError;
pub use fills::Fills;
pub use learned::Learned;
pub use measured::Measured;
pub use paper::description;
pub use paper::statement;
pub use paper::{Judged, Opponent, Panel, Paper, Point, Score, Served, ServedRun, judge};
pub use study::{Progress, Report, Settings, Study};
pub use theory::Theory;
pub use times::DriveTimes;
