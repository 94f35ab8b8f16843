//! The table of `ssdlab compare`.

use ssdlab_device::results::{DEVICE_RAM, RAM_DATA};
use ssdlab_sim::{Better, Comparison, Figure, Folded, RowKind};
use ssdlab_words::fixed;

use crate::screen::{Look, Table};

/// One line for each row of the comparison; rows that differ only in size are folded. `chosen` are the figures of the
/// columns; without any, the table has the usual ones and the one that ranks the rows, which stays on any terminal.
pub fn table(comparison: &Comparison, chosen: &[Figure]) -> Table {
    let shown = match chosen {
        [] => usual(comparison),
        chosen => chosen.to_vec(),
    };
    let titles = shown.iter().map(|figure| figure.heading);
    let sized = if comparison.shares_ram {
        "RAM"
    } else {
        "buffer"
    };
    let header: Vec<&str> = ["policy", sized]
        .into_iter()
        .chain(titles.clone())
        .chain([""])
        .collect();
    let mut table = Table::new(&header, 1);
    if chosen.is_empty() {
        let ranks = comparison.verdict.by.heading;
        let last_first: Vec<&str> = titles.rev().filter(|title| *title != ranks).collect();
        table = table.dispensable(&last_first);
    }
    for folded in comparison.folded(&shown) {
        if !folded.row().bounds_nothing() {
            table.add_looks(cells(&folded, &comparison.baseline, &shown));
        }
    }
    table
}

/// The figure that ranks the rows, the usual ones, those that the verdict's sentence names, and the RAM if it is shared.
fn usual(comparison: &Comparison) -> Vec<Figure> {
    let by = comparison.verdict.by;
    let usual = comparison
        .figures
        .iter()
        .filter(|figure| figure.shown.table);
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

/// The figures, each with its difference from the baseline of the same size.
fn cells(folded: &Folded, baseline: &str, shown: &[Figure]) -> Vec<(String, Look)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::Screen;
    use ssdlab_sim::{FIGURES, Row, Verdict, Wear};

    // planted bug: the column that stays is the first one, whatever ranks the rows
    #[test]
    fn the_figure_that_ranks_stays_on_a_narrow_terminal() {
        let by = FIGURES.iter().find(|figure| figure.key == "erases");
        let comparison = Comparison {
            rows: vec![Row::default()],
            verdict: Verdict {
                by: *by.expect("a built-in figure"),
                ..Verdict::default()
            },
            ..Comparison::default()
        };
        let narrow = Screen::terminal(50, 30);
        let text = table(&comparison, &[]).fit(&narrow);
        let (shown, left_out) = text.rsplit_once('┘').expect("a frame");
        assert!(shown.contains("erases"), "{text}");
        assert!(left_out.contains("MB/s"), "{text}");
    }

    // planted bugs: a figure, or a difference, with 309 digits
    #[test]
    fn no_number_overflows_its_cell() {
        for number in [1e308, -1e308, f64::INFINITY, 5e-324] {
            let mut row = Row {
                relative: FIGURES
                    .iter()
                    .map(|figure| (*figure, Some(number)))
                    .collect(),
                ..Row::default()
            };
            row.outcome.derived.throughput_mb_s = Some(number);
            row.outcome.derived.waf = Some(number);
            row.outcome.derived.write_hit_ratio = Some(number);
            row.outcome.counters.erases = u64::MAX;
            row.outcome.counters.elapsed_ns = u64::MAX;
            let wear = Wear {
                mean: Some(number),
                worst: Some(number),
            };
            row.outcome.endurance.tb_until_worn = wear;
            row.outcome.endurance.years = wear;
            let comparison = Comparison {
                rows: vec![row],
                ..Comparison::default()
            };
            let text = table(&comparison, FIGURES).fit(&Screen::stdout());
            for word in text.split_whitespace() {
                assert!(word.chars().count() <= 20, "{number:e}: {word}");
            }
        }
    }
}
