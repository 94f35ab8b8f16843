//! Many runs together: pictures and tables by command, and one page of all of them.

mod contests;
mod curves;
mod heat;
mod page;
mod pareto;
mod plot;
mod rows;
mod spread;
mod tables;

pub use page::{AnalysisAbout, analysis_html};
pub use plot::{Kind, Plot, PlotOptions, plot};
pub use tables::{Best, Table, TableFormat, table};
