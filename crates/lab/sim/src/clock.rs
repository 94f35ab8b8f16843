//! The clocks of measurements. WebAssembly has none: there, all durations are 0.

#[cfg(not(target_arch = "wasm32"))]
mod clocks {
    use std::time::Instant;

    /// CPU time of this thread in nanoseconds, without the time of other programs.
    #[cfg(unix)]
    pub fn cpu_time_ns() -> u64 {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    /// The time that passes: differences of it are the CPU time of this thread, and what other programs took.
    #[cfg(not(unix))]
    pub fn cpu_time_ns() -> u64 {
        use std::sync::OnceLock;
        static BEGUN: OnceLock<Stopwatch> = OnceLock::new();
        BEGUN.get_or_init(Stopwatch::start).elapsed_ns()
    }

    /// The time that passes.
    pub struct Stopwatch(Instant);

    impl Stopwatch {
        pub fn start() -> Self {
            Self(Instant::now())
        }

        /// Nanoseconds since its start.
        pub fn elapsed_ns(&self) -> u64 {
            u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod clocks {
    /// None.
    pub fn cpu_time_ns() -> u64 {
        0
    }

    /// The time that passes.
    pub struct Stopwatch;

    impl Stopwatch {
        pub fn start() -> Self {
            Self
        }

        /// None.
        pub fn elapsed_ns(&self) -> u64 {
            0
        }
    }
}

pub use clocks::{Stopwatch, cpu_time_ns};
