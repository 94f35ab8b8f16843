//! Replays a trace against something that stores data: a real block device, an NBD server, or the image of a drive.
//!
//! Requests are sent in the order of the trace, with up to so many outstanding, or at their times; a flush ends the replay.
//! Every sector that is written has a stamp, so that reads can be verified. Times are those of the wall clock.
//!
//! May depend on `trace`, `drive` and `timing` (for summaries of latencies); simulates nothing.

mod data;
mod error;
mod file;
mod image;
mod nbd;
mod replay;
mod report;
mod target;

pub use error::ReplayError;
pub use replay::{Options, Pace, replay};
pub use report::{Completed, Counts, Late, Replayed, Verified};
pub use target::{Permission, Target, open};
