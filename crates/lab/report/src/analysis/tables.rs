//! Tables of figures for papers: LaTeX, Markdown, CSV.

use std::collections::BTreeSet;

use ssdlab_analysis::{Analysis, AnalysisError, Field, Levels, common, pivot, samples_of};
use ssdlab_device::results::{Better, Figure};
use ssdlab_words::{NOTHING, decimals, field, listed, thousands};

use super::plot::{headings, key, values};
use crate::figures::text;
use crate::picture::pgf::latex;

/// The most cells of a table.
const CELLS: usize = 100_000;

/// What a table shows. Names are those of columns, keys and figures.
#[derive(Clone, Debug)]
pub struct Table {
    /// One or several figures.
    pub figures: Vec<String>,
    /// What distinguishes the rows.
    pub rows: Vec<String>,
    /// What distinguishes the columns; empty: the figures alone.
    pub columns: Vec<String>,
    /// Among which cells the best ones are bold.
    pub best: Best,
}

/// Among which cells of a figure the best ones are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Best {
    /// Those of a column.
    OfColumn,
    /// Those of a row.
    OfRow,
    /// None is marked.
    None,
}

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// LaTeX with the package booktabs.
    Tex,
    /// Markdown.
    Md,
    /// Numbers, in the units of pages.
    Csv,
}

/// The samples of the runs of each cell, by row, column and figure.
type Samples = Vec<Vec<Vec<BTreeSet<u32>>>>;

/// A table with all its cells.
struct Cells {
    rows_title: String,
    rows: Levels,
    columns: Levels,
    figures: Vec<Figure>,
    /// By row, column and figure, in the base of its unit.
    values: Vec<Vec<Vec<Option<f64>>>>,
    bold: Vec<Vec<Vec<bool>>>,
}

/// Makes a table: its text, and what its numbers are, in sentences.
///
/// # Errors
/// A name is unknown, or there are too many cells.
pub fn table(
    analysis: &Analysis,
    asked: &Table,
    format: TableFormat,
) -> Result<(String, Vec<String>), AnalysisError> {
    let named = |option, names: &[String]| -> Result<Vec<Field>, AnalysisError> {
        let names = names.iter();
        names.map(|name| key(analysis, option, name)).collect()
    };
    let row_fields = named("--rows", &asked.rows)?;
    let column_fields = named("--columns", &asked.columns)?;
    if row_fields.is_empty() || asked.figures.is_empty() {
        return Err(AnalysisError::InvalidRequest(
            "a table needs figures and rows: --table waf --rows buffer.policy".into(),
        ));
    }
    let (rows, columns) = (
        analysis.joined(&row_fields),
        analysis.joined(&column_fields),
    );
    let count = rows.count() * columns.count() * asked.figures.len();
    if count > CELLS {
        let what = format!(
            "{} cells, at most {} fit into a table: keep some rows with --where",
            thousands(count as u64),
            thousands(CELLS as u64)
        );
        return Err(AnalysisError::InvalidRequest(what));
    }
    let mut figures = Vec::new();
    let mut values_of = vec![vec![vec![None; asked.figures.len()]; columns.count()]; rows.count()];
    let mut sets: Samples =
        vec![vec![vec![BTreeSet::new(); asked.figures.len()]; columns.count()]; rows.count()];
    let is_shown = |field: &Field| {
        let mut shown = row_fields.iter().chain(&column_fields);
        shown.any(|one| one.name == field.name)
    };
    let samples: Vec<Field> = analysis.samples();
    let samples = analysis.joined(
        &samples
            .into_iter()
            .filter(|field| !is_shown(field))
            .collect::<Vec<_>>(),
    );
    let mut most = 0;
    for (number, name) in asked.figures.iter().enumerate() {
        let (figure, field) = analysis.figure(name)?;
        let values = values(analysis, &field);
        let found = pivot(&values, &[&rows, &columns]);
        let known: Vec<bool> = values.iter().map(Option::is_some).collect();
        for (key, set) in samples_of(&known, &[&rows, &columns], &samples) {
            sets[key[0] as usize][key[1] as usize][number] = set;
        }
        let least = found
            .values()
            .map(|one| figure.unit.shown(one.median))
            .filter(|value| *value > 0.0)
            .fold(f64::INFINITY, f64::min);
        let shown = match figure.decimals {
            0 => figure,
            usual if least.is_finite() => {
                figure.with_decimals(decimals(least, figure.unit.digits(), usual))
            }
            _ => figure,
        };
        figures.push(shown);
        for (key, one) in found {
            most = most.max(one.count);
            values_of[key[0] as usize][key[1] as usize][number] = Some(one.median);
        }
    }
    let (bold, left_out) = bold(&values_of, &sets, &figures, asked.best);
    let cells = Cells {
        rows_title: headings(&row_fields),
        rows,
        columns,
        figures,
        values: values_of,
        bold,
    };
    let made = match format {
        TableFormat::Tex => cells.tex(),
        TableFormat::Md => cells.md(),
        TableFormat::Csv => cells.csv(&headings(&column_fields))?,
    };
    let others = analysis.axes().into_iter().filter(|field| !is_shown(field));
    let others: Vec<String> = others.map(|field| field.path).collect();
    let mut notes = Vec::new();
    notes.extend((most > 1).then(|| {
        let runs = thousands(most as u64);
        match others.as_slice() {
            [] => format!("each cell is the median of up to {runs} runs"),
            others => format!(
                "each cell is the median of up to {runs} runs, which differ in {}",
                listed(others)
            ),
        }
    }));
    if left_out > 0 {
        notes.push(format!(
            "{} of the cells cannot be the best: they have other traces or seeds than those beside them",
            thousands(left_out as u64)
        ));
    }
    Ok((made, notes))
}

/// The best cells and those that are level with them, of those with the same samples; and the number of the others.
fn bold(
    values: &[Vec<Vec<Option<f64>>>],
    samples: &Samples,
    figures: &[Figure],
    best: Best,
) -> (Vec<Vec<Vec<bool>>>, usize) {
    let mut left_out = 0;
    let mut bold: Vec<Vec<Vec<bool>>> = values
        .iter()
        .map(|row| row.iter().map(|cells| vec![false; cells.len()]).collect())
        .collect();
    let (rows, columns) = (values.len(), values.first().map_or(0, Vec::len));
    let lines: Vec<Vec<(usize, usize)>> = match best {
        Best::OfColumn => (0..columns)
            .map(|column| (0..rows).map(|row| (row, column)).collect())
            .collect(),
        Best::OfRow => (0..rows)
            .map(|row| (0..columns).map(|column| (row, column)).collect())
            .collect(),
        Best::None => Vec::new(),
    };
    for (number, figure) in figures
        .iter()
        .enumerate()
        .filter(|(_, figure)| figure.better != Better::Neither)
    {
        for line in &lines {
            let set = |at: &(usize, usize)| &samples[at.0][at.1][number];
            let mut known: Vec<((usize, usize), f64)> = line
                .iter()
                .filter_map(|at| Some((*at, values[at.0][at.1][number]?)))
                .collect();
            let (all, compared) = (known.len(), common(known.iter().map(|(at, _)| set(at))));
            known.retain(|(at, _)| *set(at) == compared);
            left_out += all - known.len();
            let better = |a: f64, b: f64| {
                if figure.better == Better::More {
                    a.max(b)
                } else {
                    a.min(b)
                }
            };
            let Some(best) = known
                .iter()
                .map(|one| one.1)
                .reduce(better)
                .filter(|_| known.len() > 1)
            else {
                continue;
            };
            for ((row, column), value) in known {
                bold[row][column][number] =
                    value == best || figure.is_level(figure.difference(value, best));
            }
        }
    }
    (bold, left_out)
}

impl Cells {
    /// The headings of the columns, each with the figures under it.
    fn headings(&self) -> Vec<(String, usize)> {
        let columns = 0..self.columns.count();
        columns
            .flat_map(|column| (0..self.figures.len()).map(move |figure| (column, figure)))
            .map(|(column, figure)| {
                let label = &self.columns.labels[column];
                let title = self.figures[figure].title_with_unit();
                let text = match (label.as_str(), self.figures.len()) {
                    ("", _) => title,
                    (label, 1) => label.to_owned(),
                    (label, _) => format!("{label}: {title}"),
                };
                (text, figure)
            })
            .collect()
    }

    fn row(&self, row: usize, write: impl Fn(&str, bool) -> String) -> Vec<String> {
        let cells = self.values[row].iter().zip(&self.bold[row]);
        cells
            .flat_map(|(values, bold)| values.iter().zip(bold).zip(&self.figures))
            .map(|((value, bold), figure)| match value {
                Some(value) => write(&text(figure, figure.unit.shown(*value)), *bold),
                None => write(NOTHING, false),
            })
            .collect()
    }

    fn caption(&self) -> Option<String> {
        match self.figures.as_slice() {
            [one] if self.columns.count() > 1 => Some(one.title_with_unit()),
            _ => None,
        }
    }

    fn tex(&self) -> String {
        let numbers = self.columns.count() * self.figures.len();
        let mut out = String::from("% \\usepackage{booktabs}\n");
        if let Some(caption) = self.caption() {
            out += &format!("% {}\n", latex(&caption));
        }
        out += &format!(
            "\\begin{{tabular}}{{l{}}}\n\\toprule\n",
            "r".repeat(numbers)
        );
        if self.figures.len() > 1 && self.columns.count() > 1 {
            let groups: Vec<String> = self
                .columns
                .labels
                .iter()
                .map(|label| {
                    format!(
                        "\\multicolumn{{{}}}{{c}}{{{}}}",
                        self.figures.len(),
                        latex(label)
                    )
                })
                .collect();
            out += &format!(" & {} \\\\\n", groups.join(" & "));
            for group in 0..self.columns.count() {
                let first = 2 + group * self.figures.len();
                out += &format!(
                    "\\cmidrule(lr){{{first}-{}}}",
                    first + self.figures.len() - 1
                );
            }
            let titles: Vec<String> = (0..numbers)
                .map(|n| latex(&self.figures[n % self.figures.len()].title_with_unit()))
                .collect();
            out += &format!(
                "\n{} & {} \\\\\n",
                latex(&self.rows_title),
                titles.join(" & ")
            );
        } else {
            let titles: Vec<String> = self.headings().iter().map(|one| latex(&one.0)).collect();
            out += &format!(
                "{} & {} \\\\\n",
                latex(&self.rows_title),
                titles.join(" & ")
            );
        }
        out += "\\midrule\n";
        for (row, label) in self.rows.labels.iter().enumerate() {
            let cells = self.row(row, |text, bold| {
                if bold {
                    format!("\\textbf{{{}}}", latex(text))
                } else {
                    latex(text)
                }
            });
            out += &format!("{} & {} \\\\\n", latex(label), cells.join(" & "));
        }
        out + "\\bottomrule\n\\end{tabular}\n"
    }

    fn md(&self) -> String {
        let cell = |text: &str| ssdlab_words::shown_text(text).replace('|', "\\|");
        let mut out = String::new();
        if let Some(caption) = self.caption() {
            out += &format!("{caption}:\n\n");
        }
        let titles: Vec<String> = self.headings().iter().map(|one| cell(&one.0)).collect();
        out += &format!(
            "| {} | {} |\n| --- |{}\n",
            cell(&self.rows_title),
            titles.join(" | "),
            " ---: |".repeat(titles.len())
        );
        for (row, label) in self.rows.labels.iter().enumerate() {
            let cells = self.row(row, |text, bold| {
                if bold {
                    format!("**{}**", cell(text))
                } else {
                    cell(text)
                }
            });
            out += &format!("| {} | {} |\n", cell(label), cells.join(" | "));
        }
        out
    }

    /// A line for each row and column.
    fn csv(&self, columns_title: &str) -> Result<String, AnalysisError> {
        let failed = |error: csv::Error| AnalysisError::InvalidRequest(error.to_string());
        let mut writer = csv::Writer::from_writer(Vec::new());
        let titles: Vec<String> = (self.figures.iter()).map(Figure::title_with_unit).collect();
        let mut header = vec![self.rows_title.as_str()];
        let has_columns = !columns_title.is_empty();
        if has_columns {
            header.push(columns_title);
        }
        header.extend(titles.iter().map(String::as_str));
        writer.write_record(&header).map_err(failed)?;
        for (row, label) in self.rows.labels.iter().enumerate() {
            for (column, values) in self.values[row].iter().enumerate() {
                let mut record = vec![field(label).into_owned()];
                if has_columns {
                    record.push(field(&self.columns.labels[column]).into_owned());
                }
                let shown = |(figure, value): (&Figure, &Option<f64>)| {
                    value.map_or(String::new(), |value| figure.unit.shown(value).to_string())
                };
                record.extend(self.figures.iter().zip(values).map(shown));
                writer.write_record(&record).map_err(failed)?;
            }
        }
        let bytes = writer
            .into_inner()
            .map_err(|error| AnalysisError::InvalidRequest(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| AnalysisError::InvalidRequest(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ssdlab_device::results::{THROUGHPUT, WAF, WRITE_HIT_RATIO};

    // planted bugs: the least of a figure of which more is better; a cell that is level is not bold; a single cell is
    #[test]
    fn the_best_and_what_is_level_with_it_are_bold() {
        let figures = [WAF, THROUGHPUT];
        let cell = |waf: f64, throughput: f64| vec![Some(waf), Some(throughput)];
        let values = vec![
            vec![cell(2.0, 5.0), vec![None, None]],
            vec![cell(2.01, 7.0), cell(1.0, 1.0)],
            vec![cell(3.0, 7.0), vec![None, None]],
        ];
        let alike = vec![vec![vec![BTreeSet::from([0]); 2]; 2]; 3];
        let bold = |best| bold(&values, &alike, &figures, best).0;
        let of_column = bold(Best::OfColumn);
        let first: Vec<&[bool]> = of_column.iter().map(|row| &row[0][..]).collect();
        assert_eq!(first, [[true, false], [true, true], [false, true]]);
        assert_eq!(of_column[1][1], [false, false]);
        let of_row = bold(Best::OfRow);
        assert_eq!(
            (&of_row[1][0][..], &of_row[1][1][..]),
            (&[false, true][..], &[true, false][..])
        );
    }

    // planted bug: percentages in the unit of pages, which are level within a hundredth of a point
    #[test]
    fn percentages_are_level_within_a_point() {
        let values: Vec<_> = [0.5, 0.495, 0.48]
            .map(|value| vec![vec![Some(value)]])
            .into();
        let alike = vec![vec![vec![BTreeSet::from([0])]]; 3];
        let (bold, _) = bold(&values, &alike, &[WRITE_HIT_RATIO], Best::OfColumn);
        let bold: Vec<bool> = bold.iter().map(|row| row[0][0]).collect();
        assert_eq!(bold, [true, true, false]);
    }

    // planted bug: a median over the easy traces is bold
    #[test]
    fn medians_over_other_samples_are_not_the_best() {
        let values: Vec<_> = [3.0, 2.0, 1.0].map(|value| vec![vec![Some(value)]]).into();
        let sets = [&[0, 1][..], &[0, 1], &[0]];
        let sets: Samples = (sets.iter())
            .map(|set| vec![vec![set.iter().copied().collect()]])
            .collect();
        let (bold, left_out) = bold(&values, &sets, &[WAF], Best::OfColumn);
        let bold: Vec<bool> = bold.iter().map(|row| row[0][0]).collect();
        assert_eq!((bold, left_out), (vec![false, true, false], 1));
    }
}
