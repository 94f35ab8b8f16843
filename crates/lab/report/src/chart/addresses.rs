//! The addresses of a trace over time.

use std::collections::BTreeSet;

use ssdlab_characterise::{Mark, Raster};
use ssdlab_host::Op;

use super::boxes::{Axis, Boxes, boxes};
use super::curves::Legend;

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

/// The operations with an address, in the order of their colours.
const NAMES: [(Op, &str); 3] = [
    (Op::Read, "reads"),
    (Op::Write, "writes"),
    (Op::Discard, "discards"),
];

/// The name of the requests of an operation and a stream: `reads`, or, if several streams are kept apart, `reads of
/// stream 1`, or with the name that `streams` has for it.
pub fn kind_of_marks(op: Op, stream: u16, apart: bool, streams: &[String]) -> String {
    let known = NAMES.iter().find(|(known, _)| *known == op);
    let operation = known.map_or("flushes", |(_, name)| name);
    match streams.get(usize::from(stream)) {
        Some(name) => format!("{operation} {name}"),
        None if apart => format!("{operation} of stream {stream}"),
        None => operation.to_owned(),
    }
}

/// Draws the addresses of a trace over time: reads, writes and discards, each in its colour, later ones of this list over
/// earlier ones. Several streams have colours of their own; `streams` has their names, from stream 0 on, where they have
/// one.
///
/// # Errors
/// The error of `plotters`.
pub fn addresses(name: &str, raster: &Raster, streams: &[String]) -> Result<String, String> {
    let start = raster.times().map_or(0, |times| times.0);
    let kinds: Vec<(Op, u16)> = raster.kinds().collect();
    let marks: Vec<Vec<Mark>> = raster
        .kinds()
        .map(|(op, stream)| raster.marks(op, stream))
        .collect();
    let since = |ns: u64| ns.saturating_sub(start) as f64;
    let all = || marks.iter().flatten();
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
    let numbers: BTreeSet<u16> = kinds.iter().map(|kind| kind.1).collect();
    let apart = numbers.iter().any(|&stream| stream != 0);
    let drawn = kinds.iter().zip(&marks).map(|(&(op, stream), marks)| {
        let of_op = NAMES.iter().position(|(known, _)| *known == op);
        let before = numbers.range(..stream).count() * NAMES.len();
        Boxes {
            legend: Legend {
                label: kind_of_marks(op, stream, apart, streams),
                slot: crate::slot(before + of_op.unwrap_or(0)),
            },
            corners: marks.iter().map(corners).collect(),
        }
    });
    let drawn: Vec<Boxes> = drawn.collect();
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
