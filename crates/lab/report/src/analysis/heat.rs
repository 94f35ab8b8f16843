//! Maps of a figure over two axes.

use ssdlab_analysis::{Analysis, AnalysisError, Summary, pivot};
use ssdlab_device::results::Better;

use super::plot::{
    Plot, PlotOptions, Roles, figure, heading, key, medians, names, options, panels, shown_values,
};
use crate::figures::text;
use crate::picture::{Axis, Mark, Names, Panel, Picture, Point, Spoken};

/// The most fields along an axis.
const FIELDS: usize = 60;

pub(super) fn heat(analysis: &Analysis, asked: &PlotOptions) -> Result<Plot, AnalysisError> {
    let (figure, field) = figure(analysis, asked, 0)?;
    let mut roles = Roles::of(analysis, asked)?;
    let rows = match &asked.y {
        Some(name) => vec![key(analysis, "--y", name)?],
        None => roles.curves.clone(),
    };
    roles.curves.clone_from(&rows);
    let (Some(x), [_, ..]) = (&roles.x, rows.as_slice()) else {
        let what = "a map needs two axes: name them with --x and --y";
        return Err(AnalysisError::InvalidRequest(what.into()));
    };
    let (along, down, facet) = (
        analysis.levels(x),
        analysis.joined(&rows),
        analysis.joined(&roles.facet),
    );
    panels(&facet, &roles.facet)?;
    for (levels, name) in [(&along, &x.path), (&down, &names(&rows))] {
        if levels.count() > FIELDS {
            let what = format!(
                "{name}: {} values, at most {FIELDS} fit into a map: keep some with --where",
                levels.count()
            );
            return Err(AnalysisError::InvalidRequest(what));
        }
    }
    let found = pivot(
        &shown_values(analysis, &figure, &field),
        &[&facet, &down, &along],
    );
    let most = found.values().map(|one| one.count).max().unwrap_or(0);
    let panel = |place: u32| {
        let of_panel = || {
            found
                .iter()
                .filter(move |(key, _)| key[0] == place)
                .map(|(_, one)| one)
        };
        let shares = Shares::of(of_panel(), figure.better);
        let mut marks = Vec::new();
        for row in 0..down.count() as u32 {
            for column in 0..along.count() as u32 {
                let one = found.get(&vec![place, row, column]);
                let value = one.map(|one| one.median);
                let shown = value.map_or(String::new(), |value| text(&figure, value));
                let tip = format!(
                    "{}, {}: {shown}",
                    down.labels[row as usize], along.labels[column as usize]
                );
                marks.push(Mark::Cell {
                    point: Point {
                        x: column.into(),
                        y: row.into(),
                        quartiles: one.map_or((0.0, 0.0), |one| (one.low, one.high)),
                        runs: one.map_or(0, |one| one.count),
                        tip: if value.is_some() { tip } else { String::new() },
                    },
                    share: value.map_or(0.0, |value| shares.share(value)),
                    value,
                    text: shown,
                });
            }
        }
        Panel {
            title: facet.labels[place as usize].clone(),
            x: Axis::of_words(heading(x), along.labels.clone()),
            y: Axis::of_words(
                rows.iter().map(heading).collect::<Vec<_>>().join(", "),
                down.labels.clone(),
            ),
            marks,
        }
    };
    let better = match figure.better {
        Better::More => "Light is high, and better",
        Better::Less => "Light is low, and better",
        Better::Neither => "Light is low",
    };
    let mut notes = vec![format!("{better}; each panel has its own range.")];
    let y = asked.y.as_ref().map(|_| &rows[0]);
    notes.extend(
        medians(most, &roles.others(analysis))
            .iter()
            .map(|note| note.replace("; bars span the quartiles", "")),
    );
    let mut options = options(asked, "heat", &roles, y);
    if y.is_none() {
        options.extend(["--curves".to_owned(), names(&rows)]);
    }
    Ok(Plot {
        picture: Picture {
            legend: Vec::new(),
            panels: (0..facet.count() as u32).map(panel).collect(),
            names: Names {
                panel: names(&roles.facet),
                series: names(&rows),
                x: x.path.clone(),
                y: figure.title_with_unit(),
            },
            spoken: Spoken::default(),
        },
        notes,
        options,
    })
}

/// How far values are from the best of a panel; by their logarithms if they are far apart.
struct Shares {
    least: f64,
    most: f64,
    is_log: bool,
    better: Better,
}

impl Shares {
    fn of<'a>(all: impl Iterator<Item = &'a Summary>, better: Better) -> Self {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for one in all {
            (least, most) = (least.min(one.median), most.max(one.median));
        }
        let is_log = least > 0.0 && most / least > 20.0;
        Self {
            least,
            most,
            is_log,
            better,
        }
    }

    fn share(&self, value: f64) -> f64 {
        if self.most <= self.least {
            return 0.0;
        }
        let share = match self.is_log {
            true => (value / self.least).ln() / (self.most / self.least).ln(),
            false => (value - self.least) / (self.most - self.least),
        };
        if self.better == Better::More {
            1.0 - share
        } else {
            share
        }
    }
}
