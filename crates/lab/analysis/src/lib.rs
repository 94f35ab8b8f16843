//! What many runs say together: rows of results from any files, what varies in them, and how figures depend on it.
//!
//! A [`Analysis`] is the union of tables by the names of their columns: parts of a sweep, merged tables, and what `compare`
//! writes. Its [`axes`](Analysis::axes) are the columns of workload and configuration that vary. [`pivot`] gives medians and
//! quartiles over groups of rows, [`front`] the configurations that no other one dominates, and [`contest`] says who wins
//! beyond the spread. `docs/report.md` defines all of these.
//!
//! May depend on `words`, on `policy` and `device`, and on `config` and `results`. It reads files of results, and neither
//! writes nor prints.

mod analysis;
mod axes;
mod contest;
mod error;
mod frame;
mod groups;
mod input;
mod paired;
mod pareto;
mod pivot;
mod stats;
mod traces;

pub use analysis::{Analysis, Field, Filter, Measure, Source};
pub use contest::{Contest, Contestant, FEWEST, Ruling, TESTED, contest};
pub use error::AnalysisError;
pub use groups::Levels;
pub use input::read_table;
pub use paired::{Paired, common, paired, samples_of};
pub use pareto::front;
pub use pivot::pivot;
pub use stats::Summary;
