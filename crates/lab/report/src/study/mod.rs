//! Many runs together: pictures and tables by command, and one page of all of them.

mod asked;
mod contests;
mod curves;
mod heat;
mod page;
mod pareto;
mod rows;
mod spread;
mod tables;

pub use asked::{Asked, Kind, Made, plot};
pub use page::{StudyAbout, study_html};
pub use tables::{Best, Table, TableFormat, table};
