//! The options of reading a trace, as arguments: of a command line, or of a file that has the same names.
//!
//! May depend on `words`, `host`, `workload` and `trace`. Reads and writes nothing.

mod read;
pub mod values;

pub use read::{ReadArgs, actions};
