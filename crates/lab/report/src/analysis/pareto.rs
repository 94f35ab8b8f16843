//! Two figures against each other, and the configurations that no other one dominates.

use std::collections::BTreeMap;

use ssdlab_analysis::{Analysis, AnalysisError, Field, Levels, front, paired, pivot};
use ssdlab_device::results::{Better, Figure};

use super::plot::{
    Plot, PlotOptions, Roles, figure, heading, legend, names, options, panels, shown_values,
};
use ssdlab_words::thousands;

use crate::figures::text;
use crate::picture::{Axis, Mark, Names, Panel, Picture, Point, Spoken};

/// Two values are this far apart before an axis is logarithmic.
const LOG: f64 = 20.0;
/// The most points of a panel beside the front.
const BEHIND: usize = 400;

/// The key of a configuration, and its values of both figures.
type At<'a> = (&'a [u32], f64, f64);

pub(super) fn pareto(analysis: &Analysis, asked: &PlotOptions) -> Result<Plot, AnalysisError> {
    let both = [figure(analysis, asked, 0)?, figure(analysis, asked, 1)?];
    for (figure, _) in &both {
        if figure.better == Better::Neither {
            let what = format!(
                "{}: no value of it is better than another, so it has no front",
                figure.key
            );
            return Err(AnalysisError::InvalidRequest(what));
        }
    }
    let roles = Roles::of(
        analysis,
        &PlotOptions {
            x: None,
            ..asked.clone()
        },
    )?;
    let settings = analysis.settings();
    let of_points = analysis.joined(&settings);
    let curve = analysis.joined(&roles.curves);
    let facet = analysis.joined(&roles.facet);
    panels(&facet, &roles.facet)?;
    let legend = legend(&curve, &roles.curves)?;
    let labels = labels(analysis, &settings, &roles.curves, &of_points);
    let samples = samples(analysis, &roles.facet);
    let (values, left_out) = compared(analysis, &both, &facet, &of_points, &samples);
    let found = [&values[0], &values[1]].map(|values| pivot(values, &[&facet, &curve, &of_points]));
    let names_of = Names {
        panel: names(&roles.facet),
        series: names(&roles.curves),
        x: both[0].0.title_with_unit(),
        y: both[1].0.title_with_unit(),
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
    notes.extend(lacking(left_out));
    if hidden > 0 {
        notes.push(format!("{hidden} points behind the front are not drawn."));
    }
    let most = found[0].values().map(|one| one.count).max().unwrap_or(0);
    if most > 1 {
        notes.push(format!(
            "Each point is the median of up to {most} runs of one configuration."
        ));
    }
    Ok(Plot {
        picture: Picture {
            legend,
            panels: all
                .into_iter()
                .filter(|panel| !panel.marks.is_empty())
                .collect(),
            names: names_of,
            spoken: Spoken::default(),
        },
        notes,
        options: options(asked, "pareto", &roles, None),
    })
}

/// The samples of a configuration: traces and seeds, as far as panels do not tell them apart.
fn samples(analysis: &Analysis, facet: &[Field]) -> Levels {
    let samples = analysis.samples().into_iter();
    let is_free = |field: &Field| facet.iter().all(|one| one.name != field.name);
    analysis.joined(&samples.filter(is_free).collect::<Vec<_>>())
}

/// The values of figures in the rows that can be compared, in the units of pages; and how many configurations lack samples.
fn compared(
    analysis: &Analysis,
    figures: &[(Figure, Field)],
    places: &Levels,
    configurations: &Levels,
    samples: &Levels,
) -> (Vec<Vec<Option<f64>>>, usize) {
    let each = figures.iter();
    let mut all: Vec<_> = each
        .map(|(figure, field)| shown_values(analysis, figure, field))
        .collect();
    let known: Vec<bool> = (0..analysis.rows())
        .map(|row| all.iter().all(|values| values[row].is_some()))
        .collect();
    let paired = paired(&known, places, configurations, samples);
    for values in &mut all {
        let rows = values.iter_mut().zip(&paired.rows);
        rows.filter(|(_, is_compared)| !**is_compared)
            .for_each(|(value, _)| *value = None);
    }
    (all, paired.left_out)
}

/// What a reader must know of configurations that lack samples.
pub(super) fn lacking(left_out: usize) -> Option<String> {
    let runs = "runs on some traces or seeds, so their medians are not comparable";
    match left_out {
        0 => None,
        1 => Some(format!("1 configuration is left out: it lacks {runs}.").replace("their", "its")),
        many => Some(format!(
            "{} configurations are left out: they lack {runs}.",
            thousands(many as u64)
        )),
    }
}

/// What tells the points of one curve apart.
fn labels(
    analysis: &Analysis,
    settings: &[Field],
    curves: &[Field],
    points: &Levels,
) -> Vec<String> {
    let rest: Vec<Field> = (settings.iter())
        .filter(|field| !curves.iter().any(|curve| curve.name == field.name))
        .cloned()
        .collect();
    let mut labels = vec![String::new(); points.count()];
    if rest.is_empty() {
        return labels;
    }
    let levels = analysis.joined(&rest);
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
    let on_front = points.iter().zip(&is_front).filter(|(_, front)| **front);
    let stairs = in_order(on_front.map(|((_, x, y), _)| (*x, *y)).collect(), better[0]);
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

/// The points of a front, the best of the first figure first: a step is level up to the next point.
fn in_order(mut front: Vec<(f64, f64)>, better: Better) -> Vec<(f64, f64)> {
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    if better == Better::More {
        front.reverse();
    }
    front.dedup();
    front
}

/// A configuration that no other one dominates in all of some figures.
pub(super) struct Undominated {
    /// Its settings, by their headings.
    pub settings: Vec<String>,
    /// Its medians over the samples.
    pub values: Vec<f64>,
}

/// The configurations that no other one dominates, of those with the same samples.
pub(super) struct Best {
    /// The headings of their settings.
    pub headings: Vec<String>,
    /// They themselves.
    pub all: Vec<Undominated>,
    /// The number of configurations that are compared.
    pub of: usize,
    /// The number of those that lack samples.
    pub left_out: usize,
}

/// Those of all these figures, by the medians over their samples.
pub(super) fn undominated(analysis: &Analysis, figures: &[(Figure, Field)]) -> Best {
    let settings = analysis.settings();
    let each: Vec<Levels> = settings
        .iter()
        .map(|field| analysis.levels(field))
        .collect();
    let joined = analysis.joined(&settings);
    let mut row_of = vec![0; joined.count()];
    joined
        .codes
        .iter()
        .enumerate()
        .for_each(|(row, code)| row_of[*code as usize] = row);
    let (one, samples) = (Levels::single(analysis.rows()), samples(analysis, &[]));
    let (values, left_out) = compared(analysis, figures, &one, &joined, &samples);
    let found: Vec<_> = values
        .iter()
        .map(|values| pivot(values, &[&joined]))
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
    Best {
        headings: settings.iter().map(heading).collect(),
        all: best.collect(),
        of: complete.len(),
        left_out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::corners;

    // planted bug: the staircase of all figures as if less were better
    #[test]
    fn each_corner_of_the_staircase_is_reached() {
        for better in [Better::Less, Better::More] {
            for other in [Better::Less, Better::More] {
                // values that get better in one figure as they get worse in the other
                let sign = if better == other { -1.0 } else { 1.0 };
                let front = [1.0, 2.0, 3.0].map(|x| (x, sign * x));
                let is_reached = |corner: &(f64, f64)| {
                    let no_better = |better, one: f64, other: f64| match better {
                        Better::More => one <= other,
                        _ => one >= other,
                    };
                    front.iter().any(|point| {
                        no_better(better, corner.0, point.0) && no_better(other, corner.1, point.1)
                    })
                };
                let corners = corners(&in_order(front.to_vec(), better));
                assert_eq!(corners.len(), 5);
                assert!(
                    corners.iter().all(is_reached),
                    "{better:?} {other:?} {corners:?}"
                );
            }
        }
    }
}
