//! The errors of runs and comparisons.

use ssdlab_config::ConfigError;
use ssdlab_device::DeviceError;
use ssdlab_simulators::Refused;
use ssdlab_trace::TraceError;
use ssdlab_words::bytes;

/// A way out of a device that is too small.
const COMPACT: &str = ", keep only the blocks that the trace touches with --compact";

/// The reason that a run or comparison failed. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An input that can be read only once does not fit in memory.
    #[error(
        "{name}: the requests need more than the {memory} bytes of --trace-memory; allow more, or save the trace in a \
         file, which can be streamed"
    )]
    TraceMemory {
        /// The trace as the user named it.
        name: String,
        /// The allowed memory in bytes.
        memory: u64,
    },
    /// Two settings of a comparison exclude each other.
    #[error("{combination}: {error}")]
    Combination {
        /// Policy, variant and size.
        combination: String,
        /// The reason that the combination is invalid.
        error: Box<ConfigError>,
    },
    /// The tables of a run leave no room for its buffer.
    #[error(
        "--ram-total {}: {label} needs at least {needed} bytes, {tables} of them for the tables of its FTL, so nothing is \
         left for a buffer; allow more RAM, or choose an FTL with smaller tables",
        bytes(*total)
    )]
    LittleRam {
        /// The label of the run.
        label: String,
        /// The RAM in bytes.
        total: u64,
        /// What the tables take, in bytes.
        tables: u64,
        /// What all parts take with the smallest buffer, in bytes.
        needed: u64,
    },
    /// Nobody knows what the tables of a run take.
    #[error(
        "--ram-total: {label} cannot be compared: its FTL does not say what its tables take (FtlKind::needs, tables), or \
         its buffer has no size"
    )]
    UnknownRam {
        /// The label of the run.
        label: String,
    },
    /// More combinations than any machine runs.
    #[error("--vary: {0}")]
    TooMany(String),
    /// A setting needs a trace that can be read twice.
    #[error("{0}")]
    NeedsFile(&'static str),
    /// A device failed in a sequential fill.
    #[error("fill: {0}")]
    Fill(String),
    /// The device refuses everything that was to be tried.
    #[error("nothing to choose from: {0}")]
    NothingToTry(String),
    /// The baseline is not compared.
    #[error("--baseline {name}: is not compared; one of: {compared}")]
    NoBaseline {
        /// The baseline that the user named.
        name: String,
        /// The labels that are compared.
        compared: String,
    },
    /// A ranking by what only the clocks of the parallel model measure.
    #[error(
        "--by {figure}: needs the clocks of the parallel model, which {label} lacks under timing.model = \"serial\"; set \
         timing.model=parallel, or rank by throughput, waf, erases or life"
    )]
    NoClocks {
        /// The figure that ranks the runs.
        figure: &'static str,
        /// The label of a run under the serial model.
        label: String,
    },
    /// A device of a comparison takes more memory than all of them may.
    #[error(
        "--memory {}: the device of {label} alone takes up to {} MiB; allow as much, or make the device \
         smaller{way_out}",
        bytes(*allowed), needed.div_ceil(1 << 20)
    )]
    Memory {
        /// The label and the size of the run.
        label: String,
        /// The most bytes that its device takes.
        needed: u64,
        /// The bytes that are allowed.
        allowed: u64,
        /// Another way, at the end of the message.
        way_out: &'static str,
    },
    /// A ranking by what the trace sets under timed replay.
    #[error(
        "--by {figure}: under replay = \"timed\" ({label}) the trace sets the {words}, so no run is better; rank by p99, \
         p99_9, mean, waf, erases or life"
    )]
    NoMerit {
        /// The figure that ranks the runs.
        figure: &'static str,
        /// Its name in a sentence.
        words: &'static str,
        /// The label of a run under timed replay.
        label: String,
    },
    /// Timed replay of requests without times.
    #[error(
        "replay = \"timed\": all {requests} requests of {name} have the same time stamp; use replay = \"closed\", or a \
         trace with times"
    )]
    Timeless {
        /// The trace as the user named it.
        name: String,
        /// Its requests.
        requests: u64,
    },
    /// A request ends after the end of the device.
    #[error(
        "{place}: the request ends at byte {end}, past flash.capacity = {capacity}; the trace needs {needed} bytes{}: set \
         flash.capacity = {needed} or \"auto\"{}, or wrap around with --wrap",
        if *compact { " even with --compact" } else { "" },
        if *compact { "" } else { COMPACT }
    )]
    PastCapacity {
        /// The trace and the line of the request.
        place: String,
        /// The first byte after the request.
        end: u64,
        /// The configured capacity in bytes.
        capacity: u64,
        /// The bytes that the whole trace needs, in whole blocks.
        needed: u64,
        /// Whether only the blocks that the trace touches are kept.
        compact: bool,
    },
    /// A request ends after the end of the largest possible device.
    #[error(
        "{place}: the request ends at byte {end}, further than any device reaches (2^32 - 2 pages); check the unit of \
         offset and size{}, or wrap around with --wrap",
        if *compact { "" } else { COMPACT }
    )]
    Beyond {
        /// The trace and the line of the request.
        place: String,
        /// The first byte after the request.
        end: u64,
        /// Whether only the blocks that the trace touches are kept.
        compact: bool,
    },
    /// The device failed in the middle of a run.
    #[error("{place}: {error}")]
    Device {
        /// The trace and the line of the current request.
        place: String,
        /// The error of the device.
        error: DeviceError,
    },
    /// The user interrupted the run.
    #[error("interrupted")]
    Stopped,
    /// A limit of the simulator.
    #[error("{0}")]
    Limit(String),
}

impl From<Refused> for SimError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Config(error) => error.into(),
            Refused::Device(why) => SimError::Limit(why),
        }
    }
}

impl SimError {
    /// A failure after the last request, while the buffer was drained.
    pub(crate) fn at_the_end(trace: &str, error: DeviceError) -> Self {
        SimError::Device {
            place: format!("{trace}: end of the trace"),
            error,
        }
    }

    /// Whether the user's input is wrong (exit code 2), not the machine or the device (1).
    pub fn is_bad_input(&self) -> bool {
        match self {
            SimError::Trace(error) => !error.is_io(),
            SimError::Config(_)
            | SimError::TraceMemory { .. }
            | SimError::Combination { .. }
            | SimError::LittleRam { .. }
            | SimError::UnknownRam { .. }
            | SimError::TooMany(_)
            | SimError::NeedsFile(_)
            | SimError::NothingToTry(_)
            | SimError::NoBaseline { .. }
            | SimError::NoClocks { .. }
            | SimError::Memory { .. }
            | SimError::NoMerit { .. }
            | SimError::Timeless { .. }
            | SimError::PastCapacity { .. }
            | SimError::Beyond { .. } => true,
            SimError::Device { error, .. } => !matches!(error, DeviceError::Ftl(_)),
            SimError::Stopped | SimError::Limit(_) | SimError::Fill(_) => false,
        }
    }
}
