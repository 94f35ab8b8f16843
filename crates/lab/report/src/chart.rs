//! Charts as SVG, for pages without scripts: curves over a few places, bars, and the addresses of a trace over time.

use std::collections::BTreeSet;

use ssdlab_characterise::Raster;
use ssdlab_host::Op;

pub use crate::picture::Legend;
use crate::picture::{Axis, Mark, Names, Panel, Picture, Point, Spoken};

/// The axis of bars is longer than its longest bar by this factor: room for a number.
const ROOM: f64 = 1.2;

/// One plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The title of the plot.
    pub title: String,
    /// The labels of the axis from left to right, one for each tick; empty for a tick without one.
    pub ticks: Vec<String>,
    /// The curves, in the order of drawing.
    pub curves: Vec<Curve>,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The slot of its place in the legend, as [`slot`](crate::slot) gives it.
    pub slot: String,
    /// Whether it is drawn in the background.
    pub faint: bool,
    /// Tick and value of each point.
    pub points: Vec<(usize, f64)>,
}

/// Draws plots side by side, with their legend above.
pub fn curves(legend: &[Legend], plots: &[Plot]) -> String {
    let panel = |plot: &Plot| {
        let points = plot.curves.iter().flat_map(|curve| &curve.points);
        let values = points.map(|point| point.1);
        Panel {
            title: titled(&plot.title, legend),
            x: Axis::of_words("", plot.ticks.clone()),
            y: Axis::of("", values.chain([0.0]), false, true),
            marks: plot.curves.iter().map(|one| curve(legend, one)).collect(),
        }
    };
    picture(legend.to_vec(), plots.iter().map(panel).collect()).page_svg()
}

fn curve(legend: &[Legend], curve: &Curve) -> Mark {
    let known = legend.iter().position(|entry| entry.slot == curve.slot);
    let points = curve.points.iter().filter(|(_, value)| value.is_finite());
    let point = |&(tick, y): &(usize, f64)| Point {
        x: tick as f64,
        y,
        quartiles: (y, y),
        runs: 1,
        tip: String::new(),
    };
    Mark::Curve {
        series: known.unwrap_or(legend.len()),
        faint: curve.faint,
        points: points.map(point).collect(),
    }
}

/// One column of bars.
#[derive(Clone, Debug)]
pub struct Bars {
    /// The title of the column.
    pub title: String,
    /// One value for each label.
    pub values: Vec<f64>,
}

/// Draws plots of bars one below the other, each with a bar for each label.
pub fn bars(labels: &[&str], columns: &[Bars]) -> String {
    let words: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
    let panel = |column: &Bars| {
        let most = column.values.iter().copied().fold(0.0, f64::max);
        let bar = |(row, &value): (usize, &f64)| Mark::Bar {
            row,
            parts: vec![(0, value)],
            below: None,
            most: f64::MAX,
            label: short(value, most),
            tip: String::new(),
        };
        Panel {
            title: column.title.clone(),
            x: Axis::from_zero("", ROOM * most),
            y: Axis::of_words("", words.clone()),
            marks: column.values.iter().enumerate().map(bar).collect(),
        }
    };
    picture(Vec::new(), columns.iter().map(panel).collect()).page_svg()
}

/// A number beside a bar, of which the longest is `most`.
fn short(value: f64, most: f64) -> String {
    match most {
        _ if value == 0.0 => "0".into(),
        most if most >= 1e6 => format!("{:.1}M", value / 1e6),
        most if most >= 1e4 => format!("{:.0}k", value / 1e3),
        most if most >= 10.0 => format!("{value:.0}"),
        most if most >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
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
pub fn addresses(name: &str, raster: &Raster, streams: &[String]) -> String {
    over_time(name, raster, streams).page_svg()
}

pub(crate) fn over_time(name: &str, raster: &Raster, streams: &[String]) -> Picture {
    let start = raster.times().map_or(0, |times| times.0);
    let since = |ns: u64| ns.saturating_sub(start) as f64;
    let kinds: Vec<(Op, u16)> = raster.kinds().collect();
    let marks: Vec<_> = kinds
        .iter()
        .map(|kind| raster.marks(kind.0, kind.1))
        .collect();
    let all = || marks.iter().flatten();
    let most_ns = all().map(|mark| since(mark.to_ns)).fold(1.0, f64::max);
    let most_bytes = all().map(|mark| mark.end as f64).fold(1.0, f64::max);
    let (time, time_unit) = unit(&TIMES, most_ns, 1.0);
    let (size, size_unit) = unit(&SIZES, most_bytes, 4.0);
    let numbers: BTreeSet<u16> = kinds.iter().map(|kind| kind.1).collect();
    let apart = numbers.iter().any(|&stream| stream != 0);
    let entry = |&(op, stream): &(Op, u16)| {
        let of_op = NAMES.iter().position(|(known, _)| *known == op);
        let before = numbers.range(..stream).count() * NAMES.len();
        Legend {
            label: kind_of_marks(op, stream, apart, streams),
            slot: crate::slot(before + of_op.unwrap_or(0)),
        }
    };
    let legend: Vec<Legend> = kinds.iter().map(entry).collect();
    let boxes = marks.iter().enumerate().map(|(series, marks)| {
        let corner = |ns, byte: u64| (since(ns) / time_unit, byte as f64 / size_unit);
        let corners = marks.iter().map(|mark| {
            [
                corner(mark.from_ns, mark.first),
                corner(mark.to_ns, mark.end),
            ]
        });
        Mark::Boxes {
            series,
            corners: corners.collect(),
        }
    });
    let panel = Panel {
        title: titled(&format!("{name}: addresses over time"), &legend),
        x: Axis::from_zero(
            format!("Time since the first request, {time}"),
            most_ns / time_unit,
        ),
        y: Axis::from_zero(format!("Address, {size}"), most_bytes / size_unit),
        marks: boxes.collect(),
    };
    picture(legend, vec![panel])
}

/// A legend of one entry is a part of the titles.
fn titled(title: &str, legend: &[Legend]) -> String {
    match legend {
        [only] => format!("{title}: {}", only.label),
        _ => title.to_owned(),
    }
}

fn picture(legend: Vec<Legend>, panels: Vec<Panel>) -> Picture {
    let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
    Picture {
        legend,
        names: Names::default(),
        spoken: Spoken {
            title: titles.join("; "),
            text: String::new(),
        },
        panels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legend(labels: &[&str]) -> Vec<Legend> {
        let entry = |(place, label): (usize, &&str)| Legend {
            label: (*label).to_owned(),
            slot: crate::slot(place),
        };
        labels.iter().enumerate().map(entry).collect()
    }

    fn shows(drawn: &str, text: &str) -> bool {
        drawn.contains(&format!(">{text}</text>"))
    }

    /// The numbers of an attribute of the first line with these words.
    fn numbers(drawn: &str, words: &str, from: &str) -> Vec<f64> {
        let line = drawn
            .lines()
            .find(|line| line.contains(words))
            .expect(words);
        let (_, rest) = line.split_once(from).expect(from);
        let (text, _) = rest.split_once('"').expect("its end");
        let parts =
            text.split(|letter: char| letter != '.' && letter != '-' && !letter.is_ascii_digit());
        parts.filter_map(|part| part.parse().ok()).collect()
    }

    // planted bugs: an axis that ends at zero; a curve in the background in front; a label of a tick that has none
    #[test]
    fn curves_have_their_legend_and_their_axis() {
        let plot = |values: [f64; 2]| Plot {
            title: "t".into(),
            ticks: vec!["1".into(), "".into()],
            curves: vec![Curve {
                slot: crate::slot(1),
                faint: true,
                points: vec![(0, values[0]), (1, values[1]), (2, f64::NAN)],
            }],
        };
        let drawn = |values| curves(&legend(&["a", "b"]), &[plot(values)]);
        let (down, up) = (drawn([-40.0, 10.0]), drawn([40.0, 10.0]));
        for text in ["t", "a", "b", "1", "−40", "0"] {
            assert!(shows(&down, text), "{text}: {down}");
        }
        assert!(
            shows(&up, "40") && !up.contains(">−") && !up.contains("NaN"),
            "{up}"
        );
        let one = curves(&legend(&["a"]), &[plot([1.0, 2.0])]);
        assert!(shows(&one, "t: a"), "{one}");
        assert!(up.contains("[fill=\"#D55E00\"]{fill:#f0803c}"), "{up}");
    }

    // planted bugs: bars of one length; the label of another row; two plots with one scale
    #[test]
    fn bars_are_as_long_as_their_values() {
        let column = |title: &str, values: [f64; 2]| Bars {
            title: title.into(),
            values: values.into(),
        };
        let columns = [column("MB/s", [50.0, 100.0]), column("s", [4e6, 1e6])];
        let drawn = bars(&["lru", "bplru"], &columns);
        for text in ["MB/s", "s", "lru", "bplru", "50", "100", "4.0M", "1.0M"] {
            assert!(shows(&drawn, text), "{text}: {drawn}");
        }
        let is_bar = |line: &&str| line.contains("<path") && line.contains("#0072B2");
        let bars = drawn.lines().filter(is_bar);
        let long = bars.map(|line| {
            let at = numbers(line, "<path", "d=\"");
            at[2] - at[0]
        });
        let [half, full, most, least] = long.collect::<Vec<_>>()[..] else {
            panic!("{drawn}");
        };
        let near = |one: f64, other: f64| assert!((one - other).abs() < 0.1, "{one} {other}");
        near(2.0 * half, full);
        near(4.0 * least, most);
        near(full, most);
    }
}
