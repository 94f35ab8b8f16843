//! Block traces in other formats: converted, cut to a part, packed into a smaller device, split by volume, sampled.
//!
//! [`TraceWriter`] writes requests in any format of [`Target`]; each has one file in `formats`. [`Convert`] reads a trace,
//! chooses requests ([`Select`]), moves their addresses ([`Fit`]) and writes them, in constant memory but for the groups
//! of addresses that a trace touches. [`Sample`] is the spatial sample of a trace for a device that is smaller by the
//! same share.
//!
//! May depend on `words`, `host` and `trace`; knows no device. Reads traces, and writes to what the caller opened; a
//! split of volumes has one temporary file. Prints nothing, and reads no environment variable.

mod convert;
mod error;
mod fit;
mod formats;
mod groups;
mod notes;
mod sample;
mod select;
mod split;
mod target;
mod writer;

pub use convert::{Convert, Converted};
pub use error::{ConvertError, WriteError};
pub use fit::Fit;
pub use notes::Notes;
pub use sample::{Kept, Rate, Sample, Sampled};
pub use select::Select;
pub use split::{GATHERED, Split};
pub use target::{Coding, Target, To, file_name};
pub use writer::{About, Head, TraceWriter, Volume};
