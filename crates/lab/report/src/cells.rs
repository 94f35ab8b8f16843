//! The table of a comparison as texts, for terminals and notebooks.

use ssdlab_device::results::{DEVICE_RAM, RAM_DATA};
use ssdlab_sim::{Better, Comparison, Figure, Folded, Row, RowKind};
use ssdlab_words::fixed;

/// The figures that only a log-block FTL has.
const MERGES: [&str; 3] = ["switch_merges", "partial_merges", "full_merges"];

/// The look of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Plain.
    #[default]
    Plain,
    /// The winner.
    Winner,
    /// Worse than the baseline.
    Loss,
}

/// A table of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    /// The titles of the columns: the policy, the size, figures, and marks without a title.
    pub header: Vec<&'static str>,
    /// One line for each row of the comparison; rows that differ only in size are folded.
    pub rows: Vec<Vec<(String, Look)>>,
}

/// The table of a comparison. `chosen` are the figures of the columns; without any, the table has the usual ones and the one
/// that ranks the rows.
pub fn cells(comparison: &Comparison, chosen: &[Figure]) -> Cells {
    let shown = match chosen {
        [] => usual(comparison),
        chosen => chosen.to_vec(),
    };
    let sized = if comparison.shares_ram {
        "RAM"
    } else {
        "buffer"
    };
    let titles = shown.iter().map(|figure| figure.heading);
    let header = ["policy", sized].into_iter().chain(titles).chain([""]);
    let folded = comparison.folded(&shown).into_iter();
    let known = folded.filter(|folded| !folded.row().bounds_nothing());
    Cells {
        header: header.collect(),
        rows: known
            .map(|folded| line(&folded, &comparison.baseline, &shown))
            .collect(),
    }
}

/// The figure that ranks the rows, the usual ones, those that the verdict's sentence names, and the RAM if it is shared.
fn usual(comparison: &Comparison) -> Vec<Figure> {
    let by = comparison.verdict.by;
    let usual = comparison
        .figures
        .iter()
        .filter(|figure| figure.shown.table && (!of_merges(figure) || is_merging(comparison)));
    let in_sentence = comparison.figures.iter().filter(|figure| {
        let mut reasons = comparison.verdict.main().iter();
        let is_ram = comparison.shares_ram && [RAM_DATA.key, DEVICE_RAM.key].contains(&figure.key);
        !figure.shown.table && (is_ram || reasons.any(|reason| reason.counter == figure.key))
    });
    let first = (!by.shown.table).then_some(by);
    first
        .into_iter()
        .chain(usual.chain(in_sentence).copied())
        .collect()
}

/// Whether a figure counts merges.
fn of_merges(figure: &Figure) -> bool {
    MERGES.contains(&figure.key)
}

/// Whether any competitor merges blocks.
fn is_merging(comparison: &Comparison) -> bool {
    let competes = |row: &&Row| row.kind == RowKind::Policy;
    let counts = |row: &Row| {
        let figures = comparison.figures.iter().filter(|one| of_merges(one));
        figures
            .filter_map(|one| row.figure(one))
            .any(|merges| merges > 0.0)
    };
    comparison.rows.iter().filter(competes).any(counts)
}

/// The figures, each with its difference from the baseline of the same size.
fn line(folded: &Folded, baseline: &str, shown: &[Figure]) -> Vec<(String, Look)> {
    let row = folded.row();
    let competes = row.kind == RowKind::Policy;
    let is_baseline = row.label == baseline && competes;
    let best = folded.is_best();
    let marks = [
        (!competes, "bound"),
        (best, "best"),
        (!best && folded.is_level(), "level"),
        (is_baseline, "baseline"),
    ];
    let marks = marks.into_iter().filter(|(holds, _)| *holds);
    let marks: Vec<&str> = marks.map(|(_, mark)| mark).collect();
    let name = if best { Look::Winner } else { Look::Plain };
    let mut cells = vec![
        (row.label.clone(), name),
        (folded.size().unwrap_or("-".into()), Look::Plain),
    ];
    let figures = shown.iter();
    cells.extend(figures.map(|shown| figure(folded, is_baseline, shown)));
    cells.push((marks.join(", "), name));
    cells
}

/// One figure of a row.
fn figure(folded: &Folded, is_baseline: bool, figure: &Figure) -> (String, Look) {
    let row = folded.row();
    let value = row.figure(figure).filter(|_| row.shows(figure));
    let Some(value) = value else {
        return ("-".to_owned(), Look::Plain);
    };
    let text = figure.unit.cell(value);
    let relative = folded.relative().get(figure).flatten();
    let Some(share) = relative.filter(|_| !is_baseline) else {
        return (text, Look::Plain);
    };
    if figure.is_level(share) {
        return (text + " =", Look::Plain);
    }
    let is_worse = match figure.better {
        Better::More => share < 0.0,
        Better::Less => share > 0.0,
        Better::Neither => false,
    };
    let look = if is_worse && row.kind == RowKind::Policy {
        Look::Loss
    } else {
        Look::Plain
    };
    let sign = if share > 0.0 { "+" } else { "" };
    let unit = figure.unit_of_difference();
    (
        format!("{text} {sign}{}{unit}", fixed(share * 100.0, 0)),
        look,
    )
}
