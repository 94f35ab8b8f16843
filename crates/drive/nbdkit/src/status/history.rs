//! What a drive has done since it was opened, in few points.

use std::time::Duration;

use serde_json::{Value, json};
use ssdlab_drive::Status;

/// The most points. When there are more, every second one is kept, and the time between two doubles.
const MOST: usize = 240;

/// Points at even distances, from the opening of the drive on.
#[derive(Clone, Debug)]
pub struct History {
    /// The time between two points, seconds.
    pub every_s: u64,
    /// The points in their order.
    pub points: Vec<Point>,
}

/// What a drive has done until then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Since the drive was opened, seconds.
    pub open_s: f64,
    /// Simulated time.
    pub elapsed_ns: u64,
    /// Bytes that the host wrote.
    pub host: u64,
    /// Bytes programmed.
    pub flash: u64,
}

impl Default for History {
    fn default() -> Self {
        Self {
            every_s: 1,
            points: Vec::with_capacity(MOST),
        }
    }
}

impl History {
    /// Adds a point, and returns the time until the next one.
    pub fn add(&mut self, status: &Status) -> Duration {
        if self.points.len() == MOST {
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every_s *= 2;
        }
        self.points.push(Point {
            open_s: status.open_s,
            elapsed_ns: status.counters.elapsed_ns,
            host: status.counters.host_write_bytes,
            flash: status.bytes_to_flash.total(),
        });
        Duration::from_secs(self.every_s)
    }

    /// As `/status.json` has it.
    pub fn to_json(&self) -> Value {
        let point = |point: &Point| {
            json!({
                "open_s": point.open_s,
                "elapsed_ns": point.elapsed_ns,
                "host": point.host,
                "flash": point.flash,
            })
        };
        let points: Vec<Value> = self.points.iter().map(point).collect();
        json!({ "every_s": self.every_s, "points": points })
    }
}
