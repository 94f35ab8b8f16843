//! Rows that differ only in the buffer size; a table shows them as one row.

use crate::comparison::Comparison;
use crate::row::{Relative, Row};
use ssdlab_device::Figure;
use ssdlab_words::size_range;

/// Rows with one label, adjacent sizes and equal counters.
#[derive(Clone, Debug)]
pub struct Folded<'a> {
    /// At least one row, sizes ascending.
    pub rows: Vec<&'a Row>,
}

impl Comparison {
    /// All rows in order; rows with one label, adjacent sizes and equal counters are folded into one, unless a figure that
    /// is shown depends on the size alone ([`Figure::of_size`]).
    pub fn folded(&self, shown: &[Figure]) -> Vec<Folded<'_>> {
        let of_size = |figure: &&Figure| figure.of_size;
        let of_size: Vec<&Figure> = shown.iter().filter(of_size).collect();
        let same = |a: &Row, b: &Row| {
            let named = |row: &Row| (row.kind, row.label.clone());
            named(a) == named(b)
                && a.outcome.counters == b.outcome.counters
                && of_size
                    .iter()
                    .all(|figure| a.figure(figure) == b.figure(figure))
        };
        let groups = self.rows.chunk_by(same);
        let folded = groups.map(|rows| Folded {
            rows: rows.iter().collect(),
        });
        folded.collect()
    }
}

impl<'a> Folded<'a> {
    /// The row with the smallest buffer; all rows have its counters.
    pub fn row(&self) -> &'a Row {
        self.rows[0]
    }

    /// `4 MiB`, `1–8 MiB` or `512 KiB–8 MiB`; `None` without a size.
    pub fn size(&self) -> Option<String> {
        let first = self.rows[0].size?;
        let last = self.rows.last().and_then(|row| row.size)?;
        Some(size_range(first, last))
    }

    /// The figures relative to the baselines of the sizes; `None` where they differ from size to size.
    pub fn relative(&self) -> Relative {
        let (first, others) = self.rows.split_first().expect("at least one row");
        let all = others.iter().map(|row| &row.relative);
        all.fold(first.relative.clone(), |one, other| one.common(other))
    }

    /// Whether a row is the best of its size.
    pub fn is_best(&self) -> bool {
        self.rows.iter().any(|row| row.best)
    }

    /// Whether a row is level with the best of its size.
    pub fn is_level(&self) -> bool {
        self.rows.iter().any(|row| row.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::RowKind;
    use ssdlab_device::FIGURES;
    use ssdlab_device::results::{ERASES, THROUGHPUT};

    fn row(label: &str, mib: u64, erases: u64, faster: f64) -> Row {
        let mut row = Row {
            label: label.into(),
            size: (mib > 0).then_some(mib << 20),
            relative: [(THROUGHPUT, Some(faster)), (ERASES, Some(0.5))]
                .into_iter()
                .collect(),
            ..Row::default()
        };
        row.outcome.counters.erases = erases;
        row
    }

    // planted bugs: rows with different counters folded; labels folded into one; a difference shown for all rows
    // although only the first has it
    #[test]
    fn what_counts_the_same_at_adjacent_sizes_is_one() {
        let mut comparison = Comparison {
            rows: vec![
                row("none", 0, 7, 0.0),
                row("lru", 1, 7, 0.1),
                row("lru", 2, 7, 0.2),
                row("lru", 8, 7, 0.1),
                row("lru", 16, 6, 0.1),
                row("fab", 16, 6, 0.1),
            ],
            ..Comparison::default()
        };
        let mut bound = row("fab", 16, 6, 0.1);
        bound.kind = RowKind::Bound;
        comparison.rows.push(bound);
        let folded = comparison.folded(&[]);
        let shown = folded
            .iter()
            .map(|one| (one.row().label.as_str(), one.size()));
        let expected = [
            ("none", None),
            ("lru", Some("1–8 MiB")),
            ("lru", Some("16 MiB")),
            ("fab", Some("16 MiB")),
            ("fab", Some("16 MiB")),
        ];
        let expected = expected.map(|(label, size)| (label, size.map(String::from)));
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        let relative = folded[1].relative();
        let of = |figure| relative.get(&figure).flatten();
        assert_eq!((of(THROUGHPUT), of(ERASES)), (None, Some(0.5)));
        assert_eq!(size_range(512 << 10, 8 << 20), "512 KiB–8 MiB");
    }

    // planted bug: the RAM of one size shown for all
    #[test]
    fn a_figure_of_the_size_alone_unfolds_the_sizes() {
        let mut comparison = Comparison {
            rows: vec![row("lru", 1, 7, 0.1), row("lru", 2, 7, 0.1)],
            ..Comparison::default()
        };
        comparison.rows[1].outcome.controller.dump_ns = Some(1);
        let dump = FIGURES.iter().find(|figure| figure.key == "dump");
        let rows = |shown: &[Figure]| comparison.folded(shown).len();
        assert_eq!([rows(&[ERASES]), rows(&[*dump.unwrap()])], [1, 2]);
    }
}
