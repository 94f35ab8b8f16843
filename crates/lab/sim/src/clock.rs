//! The clock of measurements.

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this thread in nanoseconds, without the time of other programs.
pub fn cpu_time_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
