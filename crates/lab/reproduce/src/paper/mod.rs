//! Papers: what a paper says, compared with the rows of its figures on the traces of this repository.

mod chart;
mod checked;
mod counters;
pub mod description;
mod example;
mod job;
mod judge;
mod judged;
mod page;
mod panel;
mod picture;
mod run;
mod score;
mod section;
mod served;
mod standin;
pub mod statement;
mod study;
mod summary;
mod sweep;
mod terms;
mod traces;

pub use checked::Paper;
pub use judge::judge;
pub use judged::{Judged, Opponent, Point};
pub use panel::Panel;
pub use score::Score;
pub use served::{Served, ServedRun};
pub(crate) use terms::{Requests, Size};
pub(crate) use traces::load;
