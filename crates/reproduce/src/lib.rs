//! Repeats published results. A study is a paper or theory. A paper runs its figures on the traces of this repository
//! and compares each claim with the measured result; theory compares each figure with the simulator.
//!
//! A folder `NAME` with a `paper.toml` or a `theory.toml` describes a study. The program contains those in `studies` as
//! text; no code is specific to a study. The page of a study is equal to the byte on every machine.

mod cause;
mod chart;
mod claim;
pub mod description;
mod descriptions;
mod error;
mod file;
mod page;
mod paper;
mod run;
mod study;
mod summary;
mod theory;

pub use claim::{Judged, Point, judge};
pub use description::Claim;
pub use descriptions::Descriptions;
pub use error::ReproduceError;
pub use paper::Paper;
pub use run::Panel;
pub use study::{Progress, Report, Settings, Study};
pub use theory::Theory;
