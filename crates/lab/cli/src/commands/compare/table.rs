//! The table of `ssdlab compare`.

use ssdlab_report::{Cells, cells};
use ssdlab_sim::{Comparison, Figure, WAF};

use crate::screen::Table;

/// The table of a comparison. Without chosen figures, columns may be left out on a narrow terminal, but not the one that
/// ranks the rows; write amplification is the last of them.
pub fn table(comparison: &Comparison, chosen: &[Figure]) -> Table {
    let Cells { header, rows } = cells(comparison, chosen);
    let mut table = Table::new(&header, 1);
    if chosen.is_empty() {
        let ranks = comparison.verdict.by.heading;
        let figures = &header[2..header.len() - 1];
        let stays = |title: &&&str| **title != ranks && **title != WAF.heading;
        let mut last_first: Vec<&str> = figures.iter().rev().filter(stays).copied().collect();
        last_first.extend((ranks != WAF.heading).then_some(WAF.heading));
        table = table.dispensable(&last_first);
    }
    for row in rows {
        table.add_looks(row);
    }
    table
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

    // planted bug: write amplification goes before hits, erases or time
    #[test]
    fn write_amplification_is_the_last_column_to_go() {
        let mut row = Row {
            label: "three-region".into(),
            size: Some(16 << 20),
            ..Row::default()
        };
        row.outcome.derived.throughput_mb_s = Some(129.82);
        row.outcome.derived.waf = Some(3.97);
        row.outcome.derived.write_hit_ratio = Some(0.25);
        row.outcome.counters.erases = 1372;
        let by = FIGURES.iter().find(|figure| figure.heading == "MB/s");
        let comparison = Comparison {
            rows: vec![row],
            verdict: Verdict {
                by: *by.expect("a built-in figure"),
                ..Verdict::default()
            },
            ..Comparison::default()
        };
        let all = table(&comparison, &[]);
        let mut columns = Vec::new();
        for width in (30..=100).rev() {
            let text = all.fit(&Screen::terminal(80, width));
            let left_out = text.rsplit_once("Too narrow for: ");
            let left_out = left_out.map_or("", |(_, rest)| rest.split(". ").next().unwrap());
            columns.push(left_out.replace('\n', " "));
        }
        assert_eq!(columns[0], "");
        let with_waf: Vec<&String> = columns
            .iter()
            .filter(|one| one.contains("write amp."))
            .collect();
        let last = with_waf.first().expect("it goes at last");
        assert!(
            columns
                .iter()
                .all(|one| one.matches(',').count() <= last.matches(',').count()),
            "{columns:?}"
        );
        assert!(
            columns[100 - 80].is_empty() || !columns[100 - 80].contains("write amp."),
            "{columns:?}"
        );
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
