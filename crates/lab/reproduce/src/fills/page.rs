//! The page as Markdown, its numbers, and a picture.

use ssdlab_report::picture::{Axis, Format, Legend, Mark, Names, Panel, Picture, Point, Spoken};
use ssdlab_words::{capital, fixed, listed, markdown_table, signed, thousands};

use super::description::Within;
use super::known::{Figures, Number};
use super::{Fills, Found};
use crate::study::Report;

/// The headings of the table of a terminal.
const HEADER: [&str; 5] = ["drive", "figure", "measured", "sheet", "completed"];
/// The width of the picture in mm.
const WIDTH: f64 = 160.0;

/// A kind of figure.
struct Kind {
    name: &'static str,
    short: &'static str,
    unit: &'static str,
    of: fn(&Figures) -> Option<f64>,
    within: fn(&Within) -> f64,
    /// The number that it is, if a review can complete a sheet with it.
    number: Option<Number>,
}

const KINDS: [Kind; 6] = [
    Kind {
        name: "size of the cache",
        short: "cache",
        unit: "GB",
        of: |figures| figures.cache,
        within: |within| within.size_percent,
        number: Some(Number::Cache),
    },
    Kind {
        name: "speed within it",
        short: "in it",
        unit: "MB/s",
        of: |figures| figures.fast,
        within: |within| within.speed_percent,
        number: Some(Number::Fast),
    },
    Kind {
        name: "speed behind it",
        short: "behind it",
        unit: "MB/s",
        of: |figures| figures.behind,
        within: |within| within.speed_percent,
        number: Some(Number::Behind),
    },
    Kind {
        name: "where a second step begins, or that there is none",
        short: "second step from",
        unit: "GB",
        of: |figures| figures.step,
        within: |within| within.size_percent,
        number: None,
    },
    Kind {
        name: "speed of that step",
        short: "in it",
        unit: "MB/s",
        of: |figures| figures.last,
        within: |within| within.speed_percent,
        number: Some(Number::Last),
    },
    Kind {
        name: "mean speed of the fill",
        short: "all",
        unit: "MB/s",
        of: |figures| figures.mean,
        within: |within| within.mean_percent,
        number: None,
    },
];

/// A figure that was measured.
struct Figure<'a> {
    kind: &'a Kind,
    measured: f64,
    /// From the sheet, and completed.
    found: [Option<f64>; 2],
    /// Whether each is within the tolerance; `None`: it is not judged.
    agrees: [Option<bool>; 2],
}

fn figures<'a>(found: &Found, within: &Within) -> Vec<Figure<'a>> {
    let of = |kind: &'a Kind| {
        let measured = (kind.of)(&found.measured)?;
        let taken = kind
            .number
            .is_some_and(|number| found.taken.contains(&number));
        let both = [&found.sheet, &found.completed].map(kind.of);
        let agrees = both
            .map(|value| Some((value? / measured - 1.0).abs() <= (kind.within)(within) / 100.0));
        Some(Figure {
            kind,
            measured,
            found: both,
            agrees: [agrees[0], agrees[1].filter(|_| !taken)],
        })
    };
    KINDS.iter().filter_map(of).collect()
}

fn number(value: f64) -> String {
    match value < 9.5 {
        true => fixed(value, 1),
        false => thousands(value.round() as u64),
    }
}

/// Of how many figures so many agree.
fn count<'a, 'b: 'a>(all: impl Iterator<Item = &'a Figure<'b>>, at: usize) -> [usize; 2] {
    let judged: Vec<bool> = all.filter_map(|figure| figure.agrees[at]).collect();
    [
        judged.iter().filter(|&&agrees| agrees).count(),
        judged.len(),
    ]
}

/// The page with its picture, the figures as CSV, and the table for a terminal.
pub fn report(study: &Fills, found: &[Found]) -> Report {
    let within = &study.description.within;
    let all: Vec<Vec<Figure>> = found.iter().map(|found| figures(found, within)).collect();
    let sentence = sentence(&all);
    let mut csv = "drive,figure,unit,measured,sheet,completed\n".to_owned();
    let mut rows = Vec::new();
    for (found, figures) in found.iter().zip(&all) {
        for Figure {
            kind,
            measured,
            found: both,
            ..
        } in figures
        {
            let value =
                |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
            csv += &format!(
                "{},{},{},{measured:.3},{},{}\n",
                found.drive.id,
                kind.name.replace(',', ""),
                kind.unit,
                value(both[0]),
                value(both[1]),
            );
            let words = |value: Option<f64>| {
                value.map_or("–".into(), |value| {
                    format!("{} {}", number(value), kind.unit)
                })
            };
            rows.push(vec![
                found.drive.drive.clone(),
                kind.name.into(),
                words(Some(*measured)),
                words(both[0]),
                words(both[1]),
            ]);
        }
    }
    let files = vec![
        ("README.md".to_owned(), page(study, found, &all, &sentence)),
        ("figures.csv".to_owned(), csv),
        ("fills.svg".to_owned(), picture(&all)),
    ];
    Report {
        files,
        header: &HEADER,
        words: 2,
        rows,
        sentence,
    }
}

/// The relative errors of the means, completed, the least first.
fn errors(all: &[Vec<Figure>]) -> Vec<f64> {
    let means = all
        .iter()
        .flatten()
        .filter(|figure| figure.kind.number.is_none() && figure.kind.unit == "MB/s");
    let mut errors: Vec<f64> = means
        .filter_map(|mean| Some((mean.found[1]? / mean.measured - 1.0).abs()))
        .collect();
    errors.sort_by(f64::total_cmp);
    errors
}

fn sentence(all: &[Vec<Figure>]) -> String {
    let judged = |at| count(all.iter().flatten(), at);
    let means = errors(all);
    let [sheet, of_sheet] = judged(0);
    let [some, of_all] = judged(1);
    format!(
        "Within the tolerances stated before the run: {sheet} of {of_sheet} figures from sheets alone, and {some} of {of_all} with what a sheet \
         lacks taken from the review; the median error of {} mean speeds is {} %.",
        means.len(),
        fixed(
            100.0 * means.get(means.len() / 2).copied().unwrap_or(0.0),
            0
        )
    )
}

fn page(study: &Fills, found: &[Found], all: &[Vec<Figure>], sentence: &str) -> String {
    let (name, description) = (&study.name, &study.description);
    let within = &description.within;
    let mut text = format!(
        "<!-- written by `ssdlab reproduce {name}`; change {} instead -->\n\n# {}\n\n{} `ssdlab reproduce {name}` writes this page.\n\n\
         **{sentence}**\n\nSource: {}.\n\nTolerances, stated before the run: sizes and places within {} %, speeds of phases within {} %, mean \
         speeds within {} %. A phase shorter than {} % of the drive counts as none. *Sheet*: what follows from the sheet alone. *Completed*: \
         with the size of the cache and the speed behind it from the review, where the sheet has none (column *taken*; such a figure is not \
         judged). Bold is out of the tolerance. [`figures.csv`](figures.csv) has all figures.\n\n",
        Fills::DESCRIPTION,
        description.title,
        description.about.trim(),
        description.source,
        within.size_percent,
        within.speed_percent,
        within.mean_percent,
        100.0 * description.seen,
    );
    let counted = |kind: &Kind, at| {
        let of_kind = all
            .iter()
            .flatten()
            .filter(|figure| figure.kind.name == kind.name);
        let [some, of_all] = count(of_kind, at);
        format!("{some} of {of_all}")
    };
    let rows = KINDS
        .iter()
        .map(|kind| vec![capital(kind.name), counted(kind, 0), counted(kind, 1)]);
    text += &markdown_table("lr", "Within tolerance | sheet | completed", rows);
    text += "\n![Measured and predicted](fills.svg)\n\n## Each drive\n\nMeasured / sheet / completed; sizes in GB, speeds in MB/s.\n\n";
    let rows = found.iter().zip(all).map(|(found, figures)| {
        let mut cells = vec![found.drive.drive.clone()];
        for kind in &KINDS {
            let figure = figures.iter().find(|figure| figure.kind.name == kind.name);
            cells.push(figure.map_or(String::new(), |figure| {
                let value = |at: usize| match (figure.found[at], figure.agrees[at]) {
                    (None, _) => "–".into(),
                    (Some(value), Some(false)) => format!("**{}**", number(value)),
                    (Some(value), _) => number(value),
                };
                format!("{} / {} / {}", number(figure.measured), value(0), value(1))
            }));
        }
        let taken: Vec<&str> = found.taken.iter().map(|number| number.name()).collect();
        cells.extend([listed(&taken), found.drive.note.clone()]);
        cells
    });
    let header: Vec<&str> = KINDS.iter().map(|kind| kind.short).collect();
    text += &markdown_table(
        "lrrrrrrll",
        &format!("Drive | {} | taken | note", header.join(" | ")),
        rows,
    );
    text += &means(found);
    text += &last_steps(study, found);
    text += "\n## What does not fit, and what is open\n\n";
    for note in &description.notes {
        text += &format!("- {}\n", note.trim());
    }
    text + &sources(study)
}

/// The means, and which number mends those that are out of the tolerance.
fn means(found: &[Found]) -> String {
    let off = |found: &Found, mean: Option<f64>| {
        let (Some(mean), Some(measured)) = (mean, found.measured.mean) else {
            return "–".into();
        };
        format!(
            "{} ({} %)",
            number(mean),
            signed(100.0 * (mean / measured - 1.0), 0)
        )
    };
    let measured = found.iter().filter(|found| found.measured.mean.is_some());
    let rows = measured.map(|found| {
        vec![
            found.drive.drive.clone(),
            found.measured.mean.map_or(String::new(), number),
            off(found, found.measured.mean_of_phases(found.drive)),
            off(found, found.sheet.mean),
            off(found, found.completed.mean),
            found.mended.map_or(String::new(), |(which, mean)| {
                format!("{}: {}", which.name(), off(found, Some(mean)))
            }),
        ]
    });
    let table = markdown_table(
        "lrrrrl",
        "Drive | mean, MB/s | of the review's own phases | sheet | completed | one number more",
        rows,
    );
    format!(
        "\n## The mean of the whole fill, and the number that mends it\n\nWhere the completed mean is out of the tolerance, the last column has \
         the one measured number that brings it nearest. The phases of a review are read from a graph, so their own mean is not that which the \
         review states; no form can be nearer than that.\n\n{table}"
    )
}

/// What no sheet tells.
fn last_steps(study: &Fills, found: &[Found]) -> String {
    let steps = found.iter().filter_map(|found| {
        let (behind, last) = (found.measured.behind?, found.measured.last?);
        let gained = f64::from(found.drive.cell as u8) - 1.0;
        Some(vec![
            found.drive.drive.clone(),
            number(behind),
            number(last),
            fixed(last / behind, 2),
            fixed(gained / (gained + 1.0), 2),
            fixed((behind / last - 1.0) * gained, 1),
        ])
    });
    let table = markdown_table(
        "lr",
        "Drive | behind the cache, MB/s | last step, MB/s | share | form | a folded page costs",
        steps,
    );
    let beside = study
        .tables
        .drives
        .iter()
        .filter(|drive| study.description.beside.contains(&drive.id));
    let beside: Vec<&str> = beside.map(|drive| drive.drive.as_str()).collect();
    format!(
        "\n## What no sheet tells\n\n**The last step.** Once the flash is full of cells with one bit, each block of the cache is folded before its \
         cells take more. The form takes the time of one native program for a folded page. The last column has the programs that it takes by \
         the measured speeds: `timing.fold_program_us` over `timing.program_us`. `ssdlab calibrate` takes it from these numbers.\n\n{table}\n\
         **Emptying beside writes.** {} are fast again in turns while they are written to (`ftl.slc_full = \"beside\"`). No sheet says how much \
         they fold beside each write, so their phases stand here as if they wrote past the full cache.\n",
        listed(&beside)
    )
}

fn sources(study: &Fills) -> String {
    let tables = &study.tables;
    let shown = |id: &str| tables.drives.iter().any(|drive| drive.id == id);
    let phases = tables
        .phases
        .iter()
        .filter(|phase| shown(&phase.id))
        .map(|phase| &phase.source);
    let sheets = tables.drives.iter().map(|drive| &drive.sheet_source);
    let cited = phases
        .chain(tables.means.iter().map(|mean| &mean.source))
        .chain(sheets);
    let cited: Vec<&str> = cited.flat_map(|source| source.split([',', ' '])).collect();
    let used = tables
        .sources
        .iter()
        .filter(|source| cited.contains(&source.key.as_str()));
    let lines: String = used
        .map(|source| format!("- {}\n", source.source))
        .collect();
    format!("\n## Sources\n\n{lines}")
}

/// Completed over measured, for sizes and for speeds.
fn picture(all: &[Vec<Figure>]) -> String {
    let panel = |unit: &str, title: &str| {
        let of_unit = all
            .iter()
            .flatten()
            .filter(|figure| figure.kind.unit == unit);
        let judged =
            of_unit.filter_map(|figure| Some((figure, figure.found[1]?, figure.agrees[1]?)));
        let values: Vec<(&Figure, f64, bool)> = judged.collect();
        let ends = || {
            values
                .iter()
                .flat_map(|(figure, found, _)| [figure.measured, *found])
        };
        let point = |x: f64, y: f64, tip: String| Point {
            x,
            y,
            quartiles: (y, y),
            runs: 1,
            tip,
        };
        let [least, most] = [
            ends().fold(f64::INFINITY, f64::min),
            ends().fold(0.0, f64::max),
        ];
        let mut marks = vec![Mark::Curve {
            series: 2,
            faint: true,
            points: [least, most]
                .map(|end| point(end, end, String::new()))
                .into(),
        }];
        marks.extend(values.iter().map(|(figure, found, agrees)| Mark::Dot {
            series: usize::from(!agrees),
            faint: false,
            point: point(
                figure.measured,
                *found,
                format!(
                    "{}: {} measured, {} predicted",
                    figure.kind.name,
                    number(figure.measured),
                    number(*found)
                ),
            ),
            label: String::new(),
        }));
        Panel {
            title: title.into(),
            x: Axis::of(format!("measured, {unit}"), ends(), true, false),
            y: Axis::of(format!("predicted, {unit}"), ends(), true, false),
            marks,
        }
    };
    let legend = ["within the tolerance", "out of it", "equal"]
        .into_iter()
        .enumerate();
    let picture = Picture {
        legend: legend
            .map(|(place, label)| Legend {
                label: label.into(),
                slot: ssdlab_report::slot(place),
            })
            .collect(),
        panels: vec![panel("GB", "Sizes and places"), panel("MB/s", "Speeds")],
        names: Names {
            panel: "panel".into(),
            series: "verdict".into(),
            x: "measured".into(),
            y: "predicted".into(),
        },
        spoken: Spoken {
            title: "Measured and predicted fills".into(),
            text: sentence(all),
        },
    };
    let svg = picture
        .file(Format::Svg, WIDTH)
        .expect("SVG has no encoder");
    String::from_utf8(svg).expect("SVG is text")
}
