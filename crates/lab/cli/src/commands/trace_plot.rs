//! The picture of a trace: addresses over time.

use std::io::Write;
use std::path::{Path, PathBuf};

use ssdlab_host::{Op, Request};
use ssdlab_report::chart::{Axis, Boxes, Legend, boxes};
use ssdlab_trace::{Mark, Raster};

use crate::failure::Failure;
use crate::output::{Files, WholeFile};

/// A picture that is collected while the trace is read.
pub struct Plot {
    path: PathBuf,
    file: WholeFile,
    raster: Raster,
}

impl Plot {
    /// Begins the file of `--plot`.
    ///
    /// # Errors
    /// It is an input, or cannot be written.
    pub fn begin(files: &mut Files, path: &Path) -> Result<Self, Failure> {
        Ok(Self {
            path: path.to_owned(),
            file: files.create("--plot", path)?,
            raster: Raster::default(),
        })
    }

    /// Adds a request.
    pub fn add(&mut self, request: &Request) {
        self.raster.add(request);
    }

    /// Draws the trace of this name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self, name: &str) -> Result<(), Failure> {
        let drawn = drawing(name, &self.raster).map_err(Failure::Machine)?;
        let written = self.file.write_all(drawn.as_bytes());
        written.map_err(|error| Failure::writing(&self.path, &error))?;
        self.file.finish()?;
        Ok(())
    }
}

/// A unit of an axis: its name, and how many of the smallest unit it has.
type Unit = (&'static str, f64);

const TIMES: [Unit; 3] = [("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
const SIZES: [Unit; 4] = [
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

/// The largest unit of which there are at least so many; or the smallest.
fn unit(units: &[Unit], most: f64, at_least: f64) -> Unit {
    let large = units.iter().rev().find(|unit| most >= at_least * unit.1);
    *large.unwrap_or(&units[0])
}

fn drawing(name: &str, raster: &Raster) -> Result<String, String> {
    let start = raster.times().map_or(0, |times| times.0);
    let kinds = [
        ("reads", Op::Read),
        ("writes", Op::Write),
        ("discards", Op::Discard),
    ];
    let kinds = kinds.map(|(label, op)| (label, raster.marks(op)));
    let all = || kinds.iter().flat_map(|(_, marks)| marks);
    let since = |ns: u64| ns.saturating_sub(start) as f64;
    let most_ns = all().map(|mark| since(mark.to_ns)).fold(1.0, f64::max);
    let most_bytes = all().map(|mark| mark.end as f64).fold(1.0, f64::max);
    let (time, time_unit) = unit(&TIMES, most_ns, 1.0);
    let (size, size_unit) = unit(&SIZES, most_bytes, 4.0);
    let corners = |mark: &Mark| {
        let corner = |ns, byte: u64| (since(ns) / time_unit, byte as f64 / size_unit);
        [
            corner(mark.from_ns, mark.first),
            corner(mark.to_ns, mark.end),
        ]
    };
    let present = kinds
        .iter()
        .enumerate()
        .filter(|(_, kind)| !kind.1.is_empty());
    let drawn: Vec<Boxes> = present
        .map(|(place, (label, marks))| Boxes {
            legend: Legend {
                label: (*label).to_owned(),
                slot: ssdlab_report::slot(place),
            },
            corners: marks.iter().map(corners).collect(),
        })
        .collect();
    let axis = |title: String, most| Axis { title, most };
    boxes(
        &format!("{name}: addresses over time"),
        &axis(
            format!("Time since the first request, {time}"),
            most_ns / time_unit,
        ),
        &axis(format!("Address, {size}"), most_bytes / size_unit),
        &drawn,
    )
}
