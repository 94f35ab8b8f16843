//! The simulations of a paper on the traces of this repository: each figure, its claims and ours side by side.
//!
//! A folder `NAME` with a `paper.toml` describes a paper; nothing of it is built in. The page that comes of it is the
//! same to the byte wherever it is made.

mod cause;
mod chart;
mod claim;
pub mod description;
mod error;
mod library;
mod page;
mod run;
mod summary;

pub use claim::{Judged, Point, judge};
pub use description::Claim;
pub use error::ReproduceError;
pub use library::{Paper, papers};
pub use page::pages;
pub use run::{Panel, Results, Settings, reproduce};
pub use summary::{Line, sentence, summary};
