//! The SSD: a write buffer and an FTL above the flash.
//!
//! ```text
//! host request → Device → write buffer (Stage) → FTL → Media
//! ```
//!
//! [`Device`] joins a write buffer and an FTL, counts what the host and the buffer do, and computes the simulated time
//! from these counts. The registry names all policies and FTLs.
//!
//! May depend on `words`, `host`, `flash`, `policy`, `ftl` and `timing`; not on configurations, on traces or on the simulator. Parameters
//! are typed values, simulated time is the only time, and there is no input or output and no environment.

mod buffer;
mod cause;
mod check;
mod clocks;
mod configure;
mod controller;
mod core;
mod counters;
mod device;
mod error;
mod flash_bytes;
mod geometry;
mod host_data;
pub mod keys;
mod memory;
mod outlook;
mod parameters;
mod precondition;
pub mod registry;
pub mod results;
mod span;
mod stack;
mod time;

pub use cause::{Bytes, Cause, Divided, FlashBytes, PerCause, Time, TimeParts};
pub use check::{
    CLEANS_IN_NO_GAPS, FOLDS_IN_NO_GAPS, NO_MAP_IN_DRIVES, NO_SLC_IN_DRIVES, NO_SPREAD_IN_DRIVES,
    units_lack,
};
pub use controller::{Controller, Natures, Ram};
pub use counters::{Counters, OF_FEW};
pub use device::{Device, NotAged};
pub use error::{BuildError, DeviceError};
pub use flash_bytes::flash_bytes;
pub use host_data::{HostData, NoData, Part, RequestBytes};
pub use memory::memory;
pub use outlook::{Outlook, Pass};
pub use parameters::{
    Buffer, Energy, Flash, Interleave, MAX_PAGES, Parallel, Parameters, PartialWrites, Reads,
    TimeModel, Timing,
};
pub use precondition::{Ageing, Precondition, Resampling, WORKLOAD};
pub use registry::{Catalogue, Family, Plugins, Registry, Selection};
// the media of the registry that `Plugins` is handed
pub use results::{
    Better, Bound, Compared, Derived, Endurance, EraseCount, Explained, FIGURES, Figure, Figures,
    Joules, PerFigure, Results, SlcWearing, Utilisation, Wear, Wearing,
};
pub use ssdlab_flash::Media;
pub use ssdlab_flash::Stripes;
pub use ssdlab_policy::buffer::{Foresight, Future, TooLong};
pub use ssdlab_timing::{
    Activity, Busy, Completion, Histogram, Histograms, Interval, Issue, Latency, LatencyByOp,
    OverTime, Recording, Resource, Slowest, Span, Spread, Today, recording_bytes,
};
pub use stack::{BufferMaker, FtlMaker, Stack};
pub use time::{MergeTime, Spent};
