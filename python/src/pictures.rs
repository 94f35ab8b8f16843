//! Pictures and tables of an analysis.

use pyo3::prelude::*;
use ssdlab_analysis::Analysis;
use ssdlab_report::analysis::{
    Best, Kind, PlotOptions, Table, TableFormat, plot, table as made_table,
};
use ssdlab_report::picture::Format;
use ssdlab_words::either;

use crate::errors::{Raise, Said};

const KINDS: [(&str, Kind); 4] = [
    ("curves", Kind::Curves),
    ("heat", Kind::Heat),
    ("pareto", Kind::Pareto),
    ("spread", Kind::Spread),
];
const TABLES: [(&str, TableFormat); 3] = [
    ("tex", TableFormat::Tex),
    ("md", TableFormat::Md),
    ("csv", TableFormat::Csv),
];
const BEST: [(&str, Best); 3] = [
    ("column", Best::OfColumn),
    ("row", Best::OfRow),
    ("none", Best::None),
];

pub fn chosen<T: Copy>(what: &str, name: &str, known: &[(&str, T)]) -> Result<T, Said> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Said::of(
            "ResultsError",
            format!("{what} = {name:?}: must be {}", either(&names)),
        )
    })
}

/// A picture, as Python asks for it.
#[derive(FromPyObject)]
pub struct Wanted {
    figures: Vec<String>,
    kind: String,
    x: Option<String>,
    y: Option<String>,
    curves: Vec<String>,
    facet: Vec<String>,
    log: bool,
}

/// A picture: its bytes, and what to know of it.
pub fn picture(
    analysis: &Analysis,
    wanted: Wanted,
    format: &str,
    width: f64,
) -> Result<(Vec<u8>, Vec<String>), Said> {
    let asked = PlotOptions {
        kind: chosen("kind", &wanted.kind, &KINDS)?,
        figures: wanted.figures,
        x: wanted.x,
        y: wanted.y,
        curves: wanted.curves,
        facet: wanted.facet,
        log: wanted.log,
    };
    let format = chosen("format", format, &Format::ALL)?;
    let made = plot(analysis, &asked).map_err(Raise::said)?;
    if made.picture.panels.is_empty() {
        let what = format!("{}: no row has values to draw", asked.figures.join(", "));
        return Err(Said::of("ResultsError", what));
    }
    let bytes = made.picture.file(format, width);
    let bytes = bytes.map_err(|error| Said::of("ResultsError", error))?;
    Ok((bytes, made.notes))
}

/// A table of figures, and what to know of it.
pub fn table(
    analysis: &Analysis,
    figures: Vec<String>,
    rows: Vec<String>,
    columns: Vec<String>,
    best: &str,
    format: &str,
) -> Result<(String, Vec<String>), Said> {
    let asked = Table {
        figures,
        rows,
        columns,
        best: chosen("best", best, &BEST)?,
    };
    made_table(analysis, &asked, chosen("format", format, &TABLES)?).map_err(Raise::said)
}
