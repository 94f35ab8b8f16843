//! Median and quartiles over traces and seeds.

use ssdlab_analysis::{Analysis, AnalysisError, Ruling};

use super::contests::Contests;
use super::plot::{PANELS, Plot, PlotOptions, legend, names, options};
use crate::figures::text;
use crate::picture::{Axis, Mark, Names, Panel, Picture, Scale, Spoken};

/// Two values are this far apart before the axis is logarithmic.
const LOG: f64 = 20.0;

pub(super) fn spread(analysis: &Analysis, asked: &PlotOptions) -> Result<Plot, AnalysisError> {
    let contests = Contests::of(analysis, asked)?;
    let figure = &contests.figure;
    let legend = legend(&contests.contestants, &contests.roles.curves)?;
    if contests.all.len() > PANELS {
        let what = format!(
            "{} panels of {}, at most {PANELS} fit: keep some with --where",
            contests.all.len(),
            contests
                .roles
                .x
                .as_ref()
                .map_or("values", |x| x.path.as_str())
        );
        return Err(AnalysisError::InvalidRequest(what));
    }
    let all = || {
        contests
            .all
            .iter()
            .flat_map(|one| &one.standings)
            .flat_map(|one| &one.values)
            .map(|value| figure.unit.shown(*value))
    };
    let (least, most) = (
        all().fold(f64::INFINITY, f64::min),
        all().fold(0.0, f64::max),
    );
    let mut x = Axis::of(
        figure.title_with_unit(),
        all(),
        asked.log || least > 0.0 && most / least > LOG,
        true,
    );
    // room for who wins
    if x.scale == Scale::Linear {
        x.range.1 += 0.12 * (x.range.1 - x.range.0);
    }
    let panels = contests.all.iter().map(|contest| {
        let mut standings: Vec<_> = contest.standings.iter().enumerate().collect();
        standings.sort_by_key(|(_, one)| one.contestant);
        let words = standings
            .iter()
            .map(|(_, one)| contests.name(one.contestant).to_owned());
        let y = Axis::of_words("", words.collect());
        let marks = standings.iter().enumerate().map(|(row, (rank, one))| {
            let quartiles = [one.summary.low, one.summary.median, one.summary.high]
                .map(|value| figure.unit.shown(value));
            let [low, median, high] = quartiles.map(|value| text(figure, value));
            Mark::Spread {
                series: one.contestant as usize,
                row,
                values: (one.values.iter())
                    .map(|value| figure.unit.shown(*value))
                    .collect(),
                quartiles,
                wins: *rank == 0 && contest.ruling == Ruling::Wins,
                tip: format!(
                    "{}: median {median}, quartiles {low} to {high}, {} samples",
                    contests.name(one.contestant),
                    one.values.len()
                ),
            }
        });
        Panel {
            title: contests.places.labels[contest.place as usize].clone(),
            x: x.clone(),
            marks: marks.collect(),
            y,
        }
    });
    let panels: Vec<Panel> = panels
        .filter(|panel: &Panel| !panel.marks.is_empty())
        .collect();
    let mut notes = vec![contests.about_samples()];
    notes.extend(contests.all.iter().map(|one| contests.sentence(one)));
    Ok(Plot {
        picture: Picture {
            panels,
            legend,
            names: Names {
                panel: contests.roles.x.iter().map(|x| x.path.clone()).collect(),
                series: names(&contests.roles.curves),
                x: "row".into(),
                y: figure.title_with_unit(),
            },
            spoken: Spoken::default(),
        },
        notes,
        options: options(asked, "spread", &contests.roles, None),
    })
}
