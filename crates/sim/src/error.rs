//! Why a run or a comparison failed.

use ssdlab_config::ConfigError;
use ssdlab_device::DeviceError;
use ssdlab_trace::TraceError;

/// Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What can be read only once does not fit in memory.
    #[error(
        "{name}: the requests need more than the {memory} bytes of --trace-memory; allow more, or save the trace in a \
         file, which can be streamed"
    )]
    TraceMemory {
        /// The trace as the user named it.
        name: String,
        /// Bytes.
        memory: u64,
    },
    /// Two settings of a comparison that do not fit together.
    #[error("{combination}: {error}")]
    Combination {
        /// Policy, variant and size.
        combination: String,
        /// Why it is refused.
        error: Box<ConfigError>,
    },
    /// The baseline is not among what is compared.
    #[error("--baseline {name}: is not compared; one of: {compared}")]
    NoBaseline {
        /// What was asked for.
        name: String,
        /// The labels that there are.
        compared: String,
    },
    /// A request ends past the device.
    #[error(
        "{place}: the request ends at byte {end}, past flash.capacity = {capacity}; the trace needs {needed} bytes: set \
         flash.capacity = {needed} or \"auto\", or wrap around with --wrap"
    )]
    PastCapacity {
        /// The trace and the line of the request.
        place: String,
        /// The first byte past the request.
        end: u64,
        /// What the configuration gives.
        capacity: u64,
        /// What the whole trace needs, in whole blocks.
        needed: u64,
    },
    /// A request ends past any device.
    #[error(
        "{place}: the request ends at byte {end}, further than any device reaches (2^32 - 2 pages); check the unit of \
         offset and size, or wrap around with --wrap"
    )]
    Beyond {
        /// The trace and the line of the request.
        place: String,
        /// The first byte past the request.
        end: u64,
    },
    /// The device failed in the middle of a run.
    #[error("{place}: {error}")]
    Device {
        /// The trace and the line of the request being served.
        place: String,
        /// What failed.
        error: DeviceError,
    },
    /// The user interrupted.
    #[error("interrupted")]
    Stopped,
    /// Something that the simulator cannot express.
    #[error("{0}")]
    Limit(String),
}

impl SimError {
    /// A failure after the last request, while the buffer was written back.
    pub(crate) fn at_the_end(trace: &str, error: DeviceError) -> Self {
        SimError::Device {
            place: format!("{trace}: end of the trace"),
            error,
        }
    }

    /// Is it the user's input that is wrong (exit code 2), rather than the machine or the device (1)?
    pub fn is_bad_input(&self) -> bool {
        match self {
            SimError::Trace(error) => !error.is_io(),
            SimError::Config(_)
            | SimError::TraceMemory { .. }
            | SimError::Combination { .. }
            | SimError::NoBaseline { .. }
            | SimError::PastCapacity { .. }
            | SimError::Beyond { .. } => true,
            SimError::Device { error, .. } => !matches!(error, DeviceError::Ftl(_)),
            SimError::Stopped | SimError::Limit(_) => false,
        }
    }
}
