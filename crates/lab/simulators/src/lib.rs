//! The systems of the simulator, ready to be run: every write buffer and FTL over flash without contents, under both
//! models of time.
//!
//! All of them are compiled for the simulator's media here, once. A crate above builds its devices with [`Systems`] and
//! compiles none of them again, which takes most of the time of a build.
//!
//! May depend on the crates of a device (`host` to `device`) and on `config`. Reads and writes no file, and asks for
//! memory before it builds a device.

mod device;
mod media;
mod systems;

pub use device::{Clocks, Completions, Listeners, Observed, Observer, SimDevice};
pub use media::{ClockedMedia, SimMedia};
pub use systems::{Poll, Refused, Systems, no_device_begins};
