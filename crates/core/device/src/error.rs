//! What can go wrong: a device cannot be built, or a request fails.

use ssdlab_flash::Fault;
use ssdlab_ftl::{FtlError, Impossible};
use ssdlab_timing::{BACKLOG, Overload};

/// Why a device cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A parameter cannot work.
    #[error("{} {}", .0.key, .0.why)]
    Impossible(Impossible),
    /// The flash failed while it was preconditioned.
    #[error(transparent)]
    Flash(#[from] Fault),
    /// The FTL failed while it was aged.
    #[error("precondition cannot be reached: {0}")]
    Ageing(FtlError),
}

impl From<Impossible> for BuildError {
    fn from(why: Impossible) -> Self {
        BuildError::Impossible(why)
    }
}

/// Why a request was refused or failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// A read, write or discard of 0 bytes.
    #[error("the request has size 0")]
    Empty,
    /// The request is larger than the device, so it would wrap onto itself.
    #[error("a request of {size} bytes cannot wrap around the device's {capacity} bytes")]
    TooLarge {
        /// The size of the request in bytes.
        size: u64,
        /// The size of the device in bytes.
        capacity: u64,
    },
    /// The request ends after the end of the device.
    #[error("the request ends at byte {end}, past the device's {capacity} bytes")]
    PastCapacity {
        /// The first byte after the request.
        end: u64,
        /// The size of the device in bytes.
        capacity: u64,
    },
    /// A counter exceeds 64 bits, so sizes or times cannot be real.
    #[error("{counter} exceeds 2^64 - 1, the largest value of a counter; {hint}")]
    Uncountable {
        /// The name of the counter.
        counter: &'static str,
        /// Advice for the user.
        hint: &'static str,
    },
    /// Under timed replay, the device has fallen too far behind the times of the trace.
    #[error(
        "speedup = {speedup}: the device has fallen too far behind the times of the trace, with more than {BACKLOG} \
         pages waiting; set a lower speedup, or replay = \"closed\""
    )]
    Overload {
        /// The times of the trace are divided by this.
        speedup: f64,
    },
    /// The counts of the regions of a placement do not add up to a counter. This is a defect of the program.
    #[error(
        "the {what} of all regions are {sum}, but {counted} were counted: a defect of the program"
    )]
    Uneven {
        /// What was counted.
        what: &'static str,
        /// The sum over the regions.
        sum: u64,
        /// The counter.
        counted: u64,
    },
    /// The counts of a map in flash do not add up. This is a defect of the program.
    #[error("the {what} are {sum}, but {counted} were counted: a defect of the program")]
    Unequal {
        /// What was counted.
        what: &'static str,
        /// The sum of its parts.
        sum: u64,
        /// The counter.
        counted: u64,
    },
    /// The FTL or the flash failed. The device must be mounted again.
    #[error(transparent)]
    Ftl(#[from] FtlError),
}

impl From<Fault> for DeviceError {
    fn from(fault: Fault) -> Self {
        DeviceError::Ftl(fault.into())
    }
}

impl From<Overload> for DeviceError {
    fn from(Overload { speedup }: Overload) -> Self {
        DeviceError::Overload { speedup }
    }
}
