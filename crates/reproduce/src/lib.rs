//! What others say of these systems, run again. A study is a paper: its figures on the traces of this repository, each
//! claim and ours side by side; or theory: each figure beside the simulator's.
//!
//! A folder `NAME` with a `paper.toml` or a `theory.toml` describes one. Those in `studies` are part of the program, as
//! text: the code knows none of them. The page that comes of a study is the same to the byte wherever it is made.

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
