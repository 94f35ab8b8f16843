//! Papers: the claims of a paper, compared with the rows of its figures on the traces of this repository.

mod cause;
mod chart;
mod checked;
mod claim;
pub mod description;
mod mix;
mod page;
mod panel;
mod run;
mod study;
mod summary;

pub use checked::Paper;
pub use claim::{Judged, Point, judge};
pub use panel::Panel;
