//! Two figures against each other, and the configurations that no other one dominates.

use std::collections::BTreeMap;

use ssdlab_device::results::{Better, Figure};
use ssdlab_study::{Field, Levels, Study, StudyError, front, pivot};

use super::asked::{Asked, Made, Roles, figure, heading, legend, names, options, panels, shown_values};
use crate::figures::text;
use crate::picture::{Axis, Mark, Names, Panel, Picture, Point};

/// Two values are this far apart before an axis is logarithmic.
const LOG: f64 = 20.0;
/// The most points of a panel beside the front.
const BEHIND: usize = 400;

/// The key of a configuration, and its values of both figures.
type At<'a> = (&'a [u32], f64, f64);

pub(super) fn pareto(study: &Study, asked: &Asked) -> Result<Made, StudyError> {
    let both = [figure(study, asked, 0)?, figure(study, asked, 1)?];
    for (figure, _) in &both {
        if figure.better == Better::Neither {
            let what = format!(
                "{}: no value of it is better than another, so it has no front",
                figure.key
            );
            return Err(StudyError::Asked(what));
        }
    }
    let roles = Roles::of(
        study,
        &Asked {
            x: None,
            ..asked.clone()
        },
    )?;
    let settings = study.settings();
    let of_points = study.joined(&settings);
    let curve = study.joined(&roles.curves);
    let facet = study.joined(&roles.facet);
    panels(&facet, &roles.facet)?;
    let legend = legend(&curve, &roles.curves)?;
    let labels = labels(study, &settings, &roles.curves, &of_points);
    let found = both
        .each_ref()
        .map(|(figure, field)| pivot(&shown_values(study, figure, field), &[&facet, &curve, &of_points]));
    let names_of = Names {
        panel: names(&roles.facet),
        series: names(&roles.curves),
        x: both[0].0.key.into(),
        y: both[1].0.key.into(),
    };
    let figures = [both[0].0, both[1].0];
    let mut hidden = 0;
    let all: Vec<Panel> = (0..facet.count() as u32)
        .map(|place| {
            let of_panel = found.each_ref().map(|found| {
                found
                    .iter()
                    .filter(|(key, _)| key[0] == place)
                    .map(|(key, one)| (key, one.median))
                    .collect::<BTreeMap<_, _>>()
            });
            let points: Vec<At> = (of_panel[0].iter())
                .filter_map(|(key, x)| Some((key.as_slice(), *x, *of_panel[1].get(*key)?)))
                .collect();
            let (panel, left_out) = panel(
                &facet.labels[place as usize],
                &figures,
                &points,
                &labels,
                &curve,
                asked.log,
            );
            hidden += left_out;
            panel
        })
        .collect();
    let words = |figure: &Figure| {
        format!(
            "{} {}",
            if figure.better == Better::More {
                "more"
            } else {
                "less"
            },
            figure.words
        )
    };
    let mut notes = vec![format!(
        "The front (dashed) has the configurations that no other one dominates with {} and {}; the others are faint.",
        words(&figures[0]),
        words(&figures[1])
    )];
    if hidden > 0 {
        notes.push(format!("{hidden} points behind the front are not drawn."));
    }
    let most = found[0].values().map(|one| one.count).max().unwrap_or(0);
    if most > 1 {
        notes.push(format!(
            "Each point is the median of up to {most} runs of one configuration."
        ));
    }
    Ok(Made {
        picture: Picture {
            legend,
            panels: all
                .into_iter()
                .filter(|panel| !panel.marks.is_empty())
                .collect(),
            names: names_of,
        },
        notes,
        options: options(asked, "pareto", &roles, None),
    })
}

/// What tells the points of one curve apart.
fn labels(study: &Study, settings: &[Field], curves: &[Field], points: &Levels) -> Vec<String> {
    let rest: Vec<Field> = (settings.iter())
        .filter(|field| !curves.iter().any(|curve| curve.name == field.name))
        .cloned()
        .collect();
    let mut labels = vec![String::new(); points.count()];
    if rest.is_empty() {
        return labels;
    }
    let levels = study.joined(&rest);
    for (point, level) in points.codes.iter().zip(&levels.codes) {
        if labels[*point as usize].is_empty() {
            labels[*point as usize].clone_from(&levels.labels[*level as usize]);
        }
    }
    labels
}

/// A panel, and the number of points that are not drawn.
fn panel(
    title: &str,
    figures: &[Figure; 2],
    points: &[At],
    labels: &[String],
    curve: &Levels,
    log: bool,
) -> (Panel, usize) {
    let better = figures.map(|figure| figure.better);
    let pairs: Vec<Vec<f64>> = points.iter().map(|(_, x, y)| vec![*x, *y]).collect();
    let is_front = front(&pairs, &better);
    let mut stairs: Vec<(f64, f64)> = (points.iter().zip(&is_front))
        .filter(|(_, front)| **front)
        .map(|((_, x, y), _)| (*x, *y))
        .collect();
    stairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    stairs.dedup();
    let mut marks = vec![Mark::Front(stairs)];
    let behind = is_front.iter().filter(|front| !**front).count();
    let every = behind.div_ceil(BEHIND).max(1);
    let mut drawn = 0;
    // the front is drawn over the others
    for on_front in [false, true] {
        let some = points
            .iter()
            .zip(&is_front)
            .filter(|(_, front)| **front == on_front);
        for (number, ((key, x, y), _)) in some.enumerate() {
            if !on_front && number % every != 0 {
                continue;
            }
            drawn += usize::from(!on_front);
            let (series, label) = (key[1] as usize, &labels[key[2] as usize]);
            let name = [curve.labels[series].as_str(), label]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(", ");
            let [one, two] = [(0, *x), (1, *y)].map(|(n, value)| {
                format!(
                    "{} {}",
                    figures[n].title_with_unit(),
                    text(&figures[n], value)
                )
            });
            marks.push(Mark::Dot {
                series,
                faint: !on_front,
                point: Point {
                    x: *x,
                    y: *y,
                    quartiles: (*y, *y),
                    runs: 1,
                    tip: format!("{name}: {one}; {two}"),
                },
                label: if on_front {
                    label.clone()
                } else {
                    String::new()
                },
            });
        }
    }
    let axis = |n: usize, values: &dyn Fn(&At) -> f64| {
        let each = || points.iter().map(values);
        let (least, most) = (
            each().fold(f64::INFINITY, f64::min),
            each().fold(0.0, f64::max),
        );
        Axis::of(
            figures[n].title_with_unit(),
            each(),
            log || least > 0.0 && most / least > LOG,
            true,
        )
    };
    let panel = Panel {
        title: title.to_owned(),
        x: axis(0, &|point| point.1),
        y: axis(1, &|point| point.2),
        marks: if points.is_empty() { Vec::new() } else { marks },
    };
    (panel, behind - drawn)
}

/// A configuration that no other one dominates in all of some figures.
pub(super) struct Undominated {
    /// Its settings, by their headings.
    pub settings: Vec<String>,
    /// Its medians over the samples.
    pub values: Vec<f64>,
}

/// The configurations that no other one dominates in all these figures, by the medians over all their samples; the
/// headings of their settings; and the number of configurations.
pub(super) fn undominated(
    study: &Study,
    figures: &[(Figure, Field)],
) -> (Vec<String>, Vec<Undominated>, usize) {
    let settings = study.settings();
    let each: Vec<Levels> = settings.iter().map(|field| study.levels(field)).collect();
    let joined = study.joined(&settings);
    let mut row_of = vec![0; joined.count()];
    joined
        .codes
        .iter()
        .enumerate()
        .for_each(|(row, code)| row_of[*code as usize] = row);
    let found: Vec<_> = figures
        .iter()
        .map(|(figure, field)| pivot(&shown_values(study, figure, field), &[&joined]))
        .collect();
    let complete: Vec<u32> = (0..joined.count() as u32)
        .filter(|code| found.iter().all(|found| found.contains_key(&vec![*code])))
        .collect();
    let points: Vec<Vec<f64>> = complete
        .iter()
        .map(|code| {
            found
                .iter()
                .map(|found| found[&vec![*code]].median)
                .collect()
        })
        .collect();
    let better: Vec<Better> = figures.iter().map(|(figure, _)| figure.better).collect();
    let kept = front(&points, &better);
    let best = complete
        .iter()
        .zip(&points)
        .zip(kept)
        .filter(|(_, kept)| *kept);
    let best = best.map(|((code, values), _)| Undominated {
        settings: each
            .iter()
            .map(|levels| levels.labels[levels.codes[row_of[*code as usize]] as usize].clone())
            .collect(),
        values: values.clone(),
    });
    (
        settings.iter().map(heading).collect(),
        best.collect(),
        complete.len(),
    )
}
