//! The page as Markdown, its numbers, and a picture for each drive.

use ssdlab_report::chart::{Curve, Legend, Plot, curves};
use ssdlab_report::slot;
use ssdlab_words::{markdown_table, signed, thousands};

use super::description::{Drive, Load, Within};
use super::{DriveTimes, Found};
use crate::study::Report;

/// The headings of the table of a terminal.
const HEADER: [&str; 6] = ["drive", "load", "figure", "published", "sheet", "fitted"];
const PERCENTILES: [&str; 3] = ["p50", "p99", "p99.9"];
/// The slot of what was published.
const PUBLISHED: &str = "ink";

/// A figure with its runs: by the sheet, and with what was fitted.
struct Figure {
    load: Load,
    name: String,
    published: f64,
    found: [f64; 2],
    /// Whether each is within the tolerance; `None`: it is not judged.
    agrees: [Option<bool>; 2],
}

impl Figure {
    /// Published, by the sheet, and fitted; bold if not within the tolerance.
    fn words(&self) -> String {
        let number = |value: f64| thousands(value.round() as u64);
        let found = [0, 1].map(|at| match self.agrees[at] {
            Some(false) => format!("**{}**", number(self.found[at])),
            _ => number(self.found[at]),
        });
        format!("{} / {} / {}", number(self.published), found[0], found[1])
    }
}

fn figures(drive: &Drive, within: &Within, rows: &[Found]) -> Vec<Figure> {
    let mut all = Vec::new();
    for found in rows {
        let (published, load) = (found.published, found.published.load);
        if let Load::Saturated(_) = load {
            let spare_at = drive.spare_at.as_ref().map(|at| *at.get_ref());
            let fitted_here = spare_at.is_some_and(|reads| load == Load::Saturated(reads));
            let rates = [0, 1].map(|at| found.times[at].rate);
            all.push(Figure {
                load,
                name: "writes/s".into(),
                published: published.rate,
                found: rates,
                agrees: rates.map(|rate| {
                    let off = (rate / published.rate - 1.0).abs();
                    (!fitted_here).then_some(off <= within.rate_percent / 100.0)
                }),
            });
            continue;
        }
        let fitted_here = load == Load::Open(drive.fitted_at);
        let read_at = drive.read_at.as_ref().map(|at| *at.get_ref());
        let read_here = read_at.is_some_and(|writes| load == Load::Open(writes));
        for (of, published, most, get) in [
            ("reads", published.reads, within.reads, 0),
            ("writes", published.writes, within.writes, 1),
        ] {
            for (place, name) in PERCENTILES.iter().enumerate() {
                let found = [0, 1].map(|at| {
                    let times = &found.times[at];
                    [times.reads, times.writes][get][place] as f64 / 1e3
                });
                let near = |value: f64| {
                    let factor = (value / published[place]).max(published[place] / value);
                    factor <= most[place]
                };
                let read_time = read_here && (get, place) == (0, 0);
                let judged = [!read_time, !read_time && !fitted_here];
                all.push(Figure {
                    load,
                    name: format!("{of} {name}"),
                    published: published[place],
                    found,
                    agrees: [0, 1].map(|at| judged[at].then(|| near(found[at]))),
                });
            }
        }
    }
    all
}

fn load_words(load: Load) -> String {
    match load {
        Load::Open(writes) => thousands(writes),
        Load::Saturated(0.0) => "saturated".into(),
        Load::Saturated(reads) => format!("saturated, {:.0} % reads", 100.0 * reads),
    }
}

/// The page with its pictures, the figures as CSV, and the table for a terminal.
pub fn report(study: &DriveTimes, found: &[Vec<Found>]) -> Report {
    let description = &study.description;
    let drives = || description.drive.iter().zip(found);
    let all: Vec<Vec<Figure>> = drives()
        .map(|(drive, rows)| figures(drive, &description.within, rows))
        .collect();
    let sentence = sentence(&description.drive, &all);
    let mut csv = "drive,load,reads,figure,published,sheet,fitted\n".to_owned();
    let mut rows = Vec::new();
    let mut page = head(study, &sentence, &all);
    let mut pictures = Vec::new();
    for (drive, figures) in description.drive.iter().zip(&all) {
        let id = drive.id.get_ref();
        for figure in figures {
            let [sheet, fitted] = figure.found;
            let (load, reads) = match figure.load {
                Load::Open(writes) => (writes.to_string(), String::new()),
                Load::Saturated(reads) => ("saturated".into(), reads.to_string()),
            };
            csv += &format!(
                "{id},{load},{reads},{},{},{sheet:.3},{fitted:.3}\n",
                figure.name, figure.published
            );
            let numbers = [figure.published, sheet, fitted].map(|value| format!("{value:.0}"));
            let words = [
                drive.name.clone(),
                load_words(figure.load),
                figure.name.clone(),
            ];
            rows.push(words.into_iter().chain(numbers).collect());
        }
        let picture = format!("{id}.svg");
        page += &section(drive, figures, &picture);
        pictures.push((picture, chart(drive, figures)));
    }
    page += "\n## What does not fit, and what is open\n\n";
    for note in &description.times.notes {
        page += &format!("- {}\n", note.trim());
    }
    let mut files = vec![
        ("README.md".to_owned(), page),
        ("cells.csv".to_owned(), csv),
    ];
    files.extend(pictures);
    Report {
        files,
        header: &HEADER,
        words: 3,
        rows,
        sentence,
    }
}

/// Of how many figures of this name so many agree, by the sheet or fitted.
fn count<'a>(all: impl Iterator<Item = &'a Figure>, of: usize) -> [usize; 2] {
    let judged: Vec<bool> = all.filter_map(|figure| figure.agrees[of]).collect();
    [
        judged.iter().filter(|&&agrees| agrees).count(),
        judged.len(),
    ]
}

fn sentence(drives: &[Drive], all: &[Vec<Figure>]) -> String {
    let numbers = || drives.iter().map(Drive::numbers);
    let numbers = match (numbers().min(), numbers().max()) {
        (least, most) if least == most => least.unwrap_or(0).to_string(),
        (least, most) => format!("{} to {}", least.unwrap_or(0), most.unwrap_or(0)),
    };
    let of = |kind: &'static str| {
        let figures = all.iter().flatten();
        let [some, of_all] = count(figures.filter(|figure| figure.name.starts_with(kind)), 1);
        format!("{some} of {of_all}")
    };
    format!(
        "Within the tolerances stated before the run, with {numbers} fitted numbers a drive: {} latencies of reads below saturation, {} \
         of writes, and {} rates at saturation that nothing was fitted to.",
        of("reads"),
        of("writes "),
        of("writes/s")
    )
}

fn head(study: &DriveTimes, sentence: &str, all: &[Vec<Figure>]) -> String {
    let (name, header, within) = (
        &study.name,
        &study.description.times,
        &study.description.within,
    );
    let factors = |[p50, p99, p99_9]: [f64; 3]| format!("a factor of {p50}, {p99} and {p99_9}");
    let mut text = format!(
        "<!-- written by `ssdlab reproduce {name}`; change {} instead -->\n\n# {}\n\n{} `ssdlab reproduce {name}` runs all loads \
         in the simulator, and writes this page.\n\n**{sentence}**\n\nSource: {}.\n\nTolerances, stated before the run: p50, p99 \
         and p99.9 of reads within {}, of writes within {}; rates within {} %. Each cell has the published figure, that of the \
         simulator by the sheet, and that with what is fitted; bold is out of the tolerance. Latencies are in µs, those of a probe \
         of 10,000 requests a second beside the load. What a number was fitted to is not judged with it: a \
         load in the column *fitted*, and in both the rate that gave the spare flash or the median that gave the time of a read. \
         [`cells.csv`](cells.csv) has all figures.\n\n",
        DriveTimes::DESCRIPTION,
        header.title,
        header.about.trim(),
        header.source,
        factors(within.reads),
        factors(within.writes),
        within.rate_percent,
    );
    let drives = study.description.drive.iter().zip(all);
    let rows = drives.map(|(drive, figures)| {
        let mut cells = vec![drive.name.clone()];
        for kind in [
            "reads p50",
            "reads p99",
            "reads p99.9",
            "writes p50",
            "writes p99",
            "writes p99.9",
            "writes/s",
        ] {
            let of = || figures.iter().filter(|figure| figure.name == kind);
            let [sheet, fitted] = [0, 1].map(|at| count(of(), at));
            cells.push(format!(
                "{}/{}, {}/{}",
                sheet[0], sheet[1], fitted[0], fitted[1]
            ));
        }
        cells
    });
    text += &markdown_table(
        "lr",
        "Within tolerance: sheet, fitted | reads p50 | p99 | p99.9 | writes p50 | p99 | p99.9 | rates",
        rows,
    );
    text
}

fn section(drive: &Drive, figures: &[Figure], picture: &str) -> String {
    let fitted: Vec<String> = drive
        .fitted
        .iter()
        .map(|setting| format!("`{}`", setting.get_ref()))
        .collect();
    let mut text = format!(
        "\n## {}\n\n{} Fitted to the load of {} writes/s: {}. {}\n\n![{}]({picture})\n\n",
        drive.name,
        drive.from.trim(),
        thousands(drive.fitted_at),
        ssdlab_words::listed(&fitted),
        drive.remark.trim(),
        drive.name,
    );
    let mut loads: Vec<Load> = figures.iter().map(|figure| figure.load).collect();
    loads.dedup();
    let is_open = |load: &&Load| matches!(load, Load::Open(_));
    let rows = loads.iter().filter(is_open).map(|load| {
        let of_load = figures.iter().filter(|figure| figure.load == *load);
        let mut cells = vec![load_words(*load)];
        cells.extend(of_load.map(Figure::words));
        cells
    });
    text += &markdown_table(
        "rr",
        "Writes/s | reads p50 | p99 | p99.9 | writes p50 | p99 | p99.9",
        rows,
    );
    text += "\n";
    let saturated = loads.iter().filter(|load| !is_open(load)).map(|load| {
        let mut of_load = figures.iter().filter(|figure| figure.load == *load);
        let figure = of_load.next().expect("its rate");
        let off = figure
            .found
            .map(|rate| signed(100.0 * (rate / figure.published - 1.0), 1));
        vec![
            load_words(*load),
            figure.words(),
            format!("{} % / {} %", off[0], off[1]),
        ]
    });
    text + &markdown_table("lr", "Load | writes/s | difference", saturated)
}

/// Percentiles of reads over the load: those published faint, ours in front.
fn chart(drive: &Drive, figures: &[Figure]) -> String {
    let entry = |label: &str, slot: String| Legend {
        label: label.into(),
        slot,
    };
    let slots = [PUBLISHED.to_owned(), slot(0), slot(1)];
    let legend = [
        entry("published", slots[0].clone()),
        entry("by the sheet", slots[1].clone()),
        entry("fitted", slots[2].clone()),
    ];
    let plots = PERCENTILES.map(|percentile| {
        let name = format!("reads {percentile}");
        let of: Vec<&Figure> = figures
            .iter()
            .filter(|figure| figure.name == name)
            .collect();
        let values: [fn(&Figure) -> f64; 3] =
            [|one| one.published, |one| one.found[0], |one| one.found[1]];
        let curves = slots.iter().zip(values).map(|(slot, value)| Curve {
            slot: slot.clone(),
            faint: *slot == PUBLISHED,
            points: of.iter().map(|one| value(one)).enumerate().collect(),
        });
        Plot {
            title: format!(
                "{}: {percentile} of reads, µs, by thousand writes/s",
                drive.name
            ),
            ticks: of
                .iter()
                .map(|one| match one.load {
                    Load::Open(writes) => (writes / 1000).to_string(),
                    Load::Saturated(_) => String::new(),
                })
                .collect(),
            curves: curves.collect(),
        }
    });
    curves(&legend, &plots)
}
