//! Sweeps: plans, shards, parts.

mod plans;
mod prices;
mod shards;
mod verify;
mod visits;
mod work;

use std::fs;
use std::path::Path;

use ssdlab_sim::Lab;
use ssdlab_sweep::{Planned, Sweep, SweepError};
use tempfile::TempDir;

/// A folder with three small traces and a plan.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().unwrap());
        for (name, step) in [("a", 1_u64), ("b", 7), ("c", 13)] {
            let lines =
                (0..400_u64).map(|at| format!("{},W,{},4096\n", at * 1000, at * step % 97 * 4096));
            let text =
                "time_ns,op,offset_bytes,size_bytes\n".to_owned() + &lines.collect::<String>();
            fs::write(place.path().join(format!("{name}.csv")), text).unwrap();
        }
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn planned(&self, plan: &str) -> Result<Planned, SweepError> {
        Planned::of(
            "sweep.toml",
            plan.to_owned(),
            self.path(),
            &Lab::new(),
            "1.2.3",
        )
    }

    fn sweep(&self, plan: &str) -> Sweep {
        self.planned(plan).unwrap().sweep(None, 2, || ()).unwrap()
    }
}

const PLAN: &str = r#"
traces = ["*.csv", { generate = "uniform --requests 300 --capacity 1MiB", seeds = [1, 2] }]
[device]
flash.page_size = 4096
flash.capacity = "8MiB"
[axes]
buffer.policy = ["lru", "fab", "none"]
buffer.size = ["64KiB", "128KiB"]
"#;
