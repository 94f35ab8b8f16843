//! A drive counts as the simulator does.

use std::sync::LazyLock;

use ssdlab_host::{Op, Request};
use ssdlab_simulators::Systems;

use super::{Done, Life};
use crate::settings;

impl Life<'_> {
    /// Notes a request that the simulator will serve as well.
    pub fn count(&mut self, op: Op, offset: usize, length: usize) {
        if let (Some(counted), Some(_)) = (&mut self.counted, &self.drive) {
            let request = Request::new(0, op, offset as u64, length as u64);
            counted.extend(request);
            // the mirror takes no more than that at once
            if length > 90_000 && ssdlab_disks::keeps_ram(&self.design) {
                self.counted = None;
            }
        }
    }

    /// Compares the counters of a drive that was never closed with those of the simulator.
    pub fn compare_counters(&mut self) -> Done {
        static SYSTEMS: LazyLock<Systems> = LazyLock::new(|| Systems::with(&()));
        let (Some(drive), Some(counted)) = (&mut self.drive, self.counted.take()) else {
            return Ok(());
        };
        let simulated = SYSTEMS.device(self.design.config());
        let mut simulated = simulated.expect("a device of a drive");
        // the last one is the flush of the close, which has not come yet
        let requests = &counted[..counted.len().saturating_sub(1)];
        if let Err((_, error)) = simulated.submit_all(requests) {
            return self.broken(
                "the simulator serves what the drive serves",
                error.to_string(),
            );
        }
        let (found, mut expected) = (drive.counters(), simulated.counters());
        if settings::is_timed(self.design.config()) {
            // its requests come when they come
            expected.elapsed_ns = found.elapsed_ns;
        }
        self.saw("drives that count as the simulator");
        if found == expected {
            return Ok(());
        }
        let pairs = found.entries().into_iter().zip(expected.entries());
        let differ = pairs.filter(|(found, expected)| found != expected);
        let differ: Vec<_> = differ
            .map(|((name, found), (_, expected))| format!("{name} = {found}, not {expected}"))
            .collect();
        self.broken("a drive counts as the simulator", differ.join(", "))
    }
}
