//! The picture of a write cliff: speed over what is written, the cache over the fill level, and what pauses give back.

use maud::{Markup, PreEscaped, html};
use ssdlab_sim::{Cliff, Comparison, Phase};
use ssdlab_words::{decimal_bytes, fixed};

use crate::parts::Parts;
use crate::picture::{Axis, Legend, Mark, Names, Panel, Picture, Point, Spoken};
use crate::varied::policies;

/// The most drives of a report whose cliffs are drawn.
const MOST: usize = 4;
/// Where the axis of what is written begins, in GB.
const FIRST: f64 = 1.0;
/// Other drives stand beside one whose capacity differs by no more than this factor.
const ALIKE: f64 = 1.1;

/// A phase of a fill that a review measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Reviewed {
    /// The name of the drive.
    pub drive: String,
    /// Its capacity in bytes.
    pub capacity: u64,
    /// Bits of a cell.
    pub cell_bits: u32,
    /// Where the phase begins and ends, in bytes.
    pub bytes: [u64; 2],
    /// Its speed, 10^6 bytes a second.
    pub mb_s: f64,
}

/// Whether any drive has an SLC cache.
pub fn is_known(comparison: &Comparison) -> bool {
    policies(comparison).any(|row| row.outcome.cliff.is_some())
}

/// A picture for each drive with an SLC cache; runs of equal drives have one.
pub fn section(comparison: &Comparison, parts: &Parts) -> Markup {
    let mut shown: Vec<(&Cliff, String)> = Vec::new();
    for row in policies(comparison) {
        if let Some(cliff) = &row.outcome.cliff
            && shown.len() < MOST
            && !shown.iter().any(|(other, _)| *other == cliff)
        {
            shown.push((cliff, parts.varied.series(row)));
        }
    }
    let several = shown.len() > 1;
    html! {
        @for (cliff, label) in &shown {
            figure.card.wide {
                figcaption {
                    h3 { "A sequential fill of the empty drive" @if several { ": " (label) } }
                    p { (cliff.sentence()) ". In closed form; ssdlab cliff runs it, too." }
                }
                (PreEscaped(picture(cliff, &[]).inline()))
            }
        }
    }
}

fn gb(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

fn point(x: f64, y: f64, tip: String) -> Point {
    Point {
        x,
        y,
        quartiles: (y, y),
        runs: 1,
        tip,
    }
}

fn curve(series: usize, values: &[(f64, f64)]) -> Mark {
    let points = values.iter().map(|&(x, y)| point(x, y, String::new()));
    Mark::Curve {
        series,
        faint: false,
        points: points.collect(),
    }
}

/// Both ends of each phase.
fn steps(phases: &[Phase]) -> Vec<(f64, f64)> {
    let mut at = 0;
    let mut values = Vec::new();
    for phase in phases {
        values.push((gb(at).max(FIRST), phase.mb_s));
        at += phase.bytes;
        values.push((gb(at).max(FIRST), phase.mb_s));
    }
    values
}

/// A picture of a fill, beside the phases of drives of the same cells and about the same capacity.
pub fn picture(cliff: &Cliff, reviewed: &[Reviewed]) -> Picture {
    let capacity = cliff.capacity as f64;
    let alike = |one: &&Reviewed| {
        let factor = one.capacity as f64 / capacity;
        one.cell_bits == cliff.cell_bits && (ALIKE.recip()..=ALIKE).contains(&factor)
    };
    let reviewed: Vec<&Reviewed> = reviewed
        .iter()
        .filter(alike)
        .filter(|_| cliff.filled == 0.0)
        .collect();
    let mut legend = vec!["closed form"];
    let mut panels = vec![fill(cliff, &reviewed, &mut legend)];
    let levels = cliff
        .levels
        .iter()
        .map(|level| (100.0 * level.filled, gb(level.cache)));
    panels.push(simple(
        "GB of cache by fill level",
        "% full",
        &levels.collect::<Vec<_>>(),
    ));
    let pauses: Vec<(f64, f64)> = cliff
        .pauses
        .iter()
        .map(|&(s, bytes)| (s, gb(bytes)))
        .collect();
    if !pauses.is_empty() {
        panels.push(simple("GB back after a pause", "s of idle time", &pauses));
    }
    let legend = legend.into_iter().enumerate().map(|(place, label)| Legend {
        label: label.into(),
        slot: crate::slot(place),
    });
    Picture {
        legend: legend.collect(),
        panels,
        names: Names {
            panel: "panel".into(),
            series: "series".into(),
            x: "x".into(),
            y: "y".into(),
        },
        spoken: Spoken {
            title: "The write cliff".into(),
            text: cliff.sentence(),
        },
    }
}

/// Speed over what is written, with the phases behind it.
fn fill(cliff: &Cliff, reviewed: &[&Reviewed], legend: &mut Vec<&str>) -> Panel {
    let form = steps(&cliff.phases);
    let mut marks = Vec::new();
    let mut at = 0;
    for (place, phase) in cliff.phases.iter().enumerate() {
        let from = gb(at).max(FIRST);
        at += phase.bytes;
        marks.push(Mark::Band {
            from,
            to: gb(at).max(FIRST),
            shaded: place % 2 == 0,
            label: phase.name.into(),
        });
    }
    let mut values = form.clone();
    if let Some(measured) = &cliff.measured {
        let run = steps(&measured.phases);
        marks.push(curve(legend.len(), &run));
        legend.push("run");
        values.extend(run);
    }
    // in front of what it is compared with
    marks.push(curve(0, &form));
    if !reviewed.is_empty() {
        let series = legend.len();
        legend.push("end of a phase of such drives in reviews");
        for one in reviewed {
            let (x, y) = (gb(one.bytes[1]).max(FIRST), one.mb_s);
            let tip = format!(
                "{}: {} to {} at {} MB/s",
                one.drive,
                decimal_bytes(one.bytes[0]),
                decimal_bytes(one.bytes[1]),
                fixed(y, 0)
            );
            values.push((x, y));
            marks.push(Mark::Dot {
                series,
                faint: true,
                point: point(x, y, tip),
                label: String::new(),
            });
        }
    }
    Panel {
        title: "Speed of a sequential fill".into(),
        x: Axis::of("GB written", values.iter().map(|at| at.0), true, false),
        y: Axis::from_zero(
            "MB/s",
            1.2 * values.iter().map(|at| at.1).fold(0.0, f64::max),
        ),
        marks,
    }
}

/// One curve of the cache.
fn simple(title: &str, x: &str, values: &[(f64, f64)]) -> Panel {
    Panel {
        title: title.into(),
        x: Axis::of(x, values.iter().map(|at| at.0), false, true),
        y: Axis::of(
            "GB of cache",
            values.iter().map(|at| at.1).chain([0.0]),
            false,
            true,
        ),
        marks: vec![curve(0, values)],
    }
}
