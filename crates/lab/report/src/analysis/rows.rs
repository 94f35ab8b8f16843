//! The table of all rows: markup for the first ones, and the numbers of all that fit for the script that sorts and filters.

use std::collections::HashMap;

use maud::{Markup, html};
use serde_json::{Value, json};
use ssdlab_analysis::{Analysis, Field};
use ssdlab_device::results::{Better, Figure};
use ssdlab_words::NOTHING;

use super::plot::heading;
use crate::figures::text;

/// Rows without the script.
pub(super) const PLAIN: usize = 200;
/// Rows with the script.
pub(super) const MOST: usize = 20_000;

/// The columns of the table.
pub(super) struct Rows<'a> {
    analysis: &'a Analysis,
    axes: Vec<Field>,
    figures: Vec<(Figure, Field)>,
    doubt: Option<Field>,
    command: Option<Field>,
}

impl<'a> Rows<'a> {
    /// Those of an analysis with these figures.
    pub fn of(analysis: &'a Analysis, figures: &[(Figure, Field)]) -> Self {
        Self {
            analysis,
            axes: analysis.axes(),
            figures: figures.to_vec(),
            doubt: analysis.field("doubt").ok(),
            command: analysis.field("command").ok(),
        }
    }

    fn headings(&self) -> Vec<String> {
        let axes = self.axes.iter().map(heading);
        let figures = self
            .figures
            .iter()
            .map(|(figure, _)| figure.title_with_unit());
        let doubt = self.doubt.iter().map(|_| "Doubt".to_owned());
        axes.chain(figures).chain(doubt).collect()
    }

    /// The texts of a row without its command.
    fn texts(&self, row: usize) -> Vec<String> {
        let of = |field: &Field| {
            self.analysis
                .text(field, row)
                .unwrap_or_else(|| NOTHING.into())
        };
        let figures = self
            .figures
            .iter()
            .map(|(figure, field)| match self.number(field, row) {
                Some(number) => text(figure, figure.unit.shown(number)),
                None => NOTHING.into(),
            });
        let doubt = self
            .doubt
            .iter()
            .map(|field| self.analysis.text(field, row).unwrap_or_default());
        self.axes
            .iter()
            .map(of)
            .chain(figures)
            .chain(doubt)
            .collect()
    }

    fn number(&self, field: &Field, row: usize) -> Option<f64> {
        self.analysis.number(field, row)
    }

    fn command(&self, row: usize) -> String {
        self.command
            .as_ref()
            .and_then(|field| self.analysis.text(field, row))
            .unwrap_or_default()
    }

    /// The table with the first rows.
    pub fn markup(&self) -> Markup {
        let (words, numbers) = (self.axes.len(), self.axes.len() + self.figures.len());
        let class = |n: usize| (n < words || n >= numbers).then_some("word");
        html! {
            table #rows.all {
                thead {
                    tr { @for (n, title) in self.headings().iter().enumerate() { th class=[class(n)] { button type="button" { (title) small {} } } } th.word { "Command" } }
                }
                tbody {
                    @for row in 0..self.analysis.rows().min(PLAIN) {
                        tr {
                            @for (n, text) in self.texts(row).iter().enumerate() { td class=[class(n)] { (text) } }
                            td.command { @let command = self.command(row); @if !command.is_empty() { details { summary { "show" } code { (command) } } } }
                        }
                        "\n"
                    }
                }
            }
        }
    }

    /// The cells for the script: of each column its texts and which of them each row has, or its numbers. Commands are
    /// lists of words, since most of their words recur.
    pub fn data(&self) -> Value {
        let rows = self.analysis.rows().min(MOST);
        let mut columns: Vec<Value> = Vec::new();
        for (n, field) in self.axes.iter().enumerate() {
            let levels = self.analysis.levels(field);
            let texts: Vec<String> = (0..levels.count())
                .map(|level| levels.labels[level].clone())
                .collect();
            columns.push(json!({ "title": self.headings()[n], "words": texts, "codes": &levels.codes[..rows], "ordered": true }));
        }
        for (figure, field) in &self.figures {
            let shown = |row| {
                self.number(field, row)
                    .map(|number| rounded(figure.unit.shown(number)))
            };
            columns.push(json!({
                "title": figure.title_with_unit(),
                "numbers": (0..rows).map(shown).collect::<Vec<_>>(),
                "decimals": figure.decimals,
                "more": figure.better == Better::More,
            }));
        }
        if let Some(field) = &self.doubt {
            let mut words = Dictionary::default();
            let codes: Vec<usize> = (0..rows)
                .map(|row| words.code(&self.analysis.text(field, row).unwrap_or_default()))
                .collect();
            columns.push(json!({ "title": "Doubt", "words": words.words, "codes": codes }));
        }
        let mut words = Dictionary::default();
        let commands: Vec<Vec<usize>> = (0..rows)
            .map(|row| {
                self.command(row)
                    .split(' ')
                    .map(|word| words.code(word))
                    .collect()
            })
            .collect();
        json!({ "rows": rows, "columns": columns, "words": words.words, "commands": commands })
    }
}

/// Six digits are as many as a table shows.
fn rounded(value: f64) -> Value {
    let short: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if short.fract() == 0.0 && short.abs() < 1e15 {
        json!(short as i64)
    } else {
        json!(short)
    }
}

#[derive(Default)]
struct Dictionary {
    words: Vec<String>,
    index: HashMap<String, usize>,
}

impl Dictionary {
    fn code(&mut self, word: &str) -> usize {
        if let Some(code) = self.index.get(word) {
            return *code;
        }
        self.words.push(word.to_owned());
        self.index.insert(word.to_owned(), self.words.len() - 1);
        self.words.len() - 1
    }
}
