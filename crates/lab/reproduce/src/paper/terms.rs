//! The terms of descriptions: metrics, sizes and kinds of requests.

use serde::Deserialize;
use ssdlab_sim::{FIGURES, Figure, Row, Unit};
use ssdlab_words::{NOTHING, capital, thousands};

/// A kind of requests.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Requests {
    /// Reads.
    Reads,
    /// Flush commands.
    Flushes,
}

/// The metric of a statement, a chart or a column: a figure of a run, named with blanks or underscores.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub struct Metric(pub Figure);

impl TryFrom<String> for Metric {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let key = name.replace(' ', "_");
        let found = FIGURES.iter().find(|figure| figure.is_named(&key));
        let known = || FIGURES.iter().map(|figure| figure.key);
        found.copied().map(Self).ok_or_else(|| {
            let known: Vec<&str> = known().collect();
            format!("{name:?} is no figure; must be one of {}", known.join(", "))
        })
    }
}

impl Metric {
    /// The value of a row in the unit of pages: seconds, percent.
    pub fn value(self, row: &Row) -> Option<f64> {
        row.figure(&self.0).map(|value| self.0.unit.shown(value))
    }

    /// Whether it is a share in percent.
    pub fn is_percent(self) -> bool {
        self.0.unit == Unit::Percent
    }

    /// Its place among all figures.
    pub fn place(self) -> usize {
        let place = FIGURES.iter().position(|figure| *figure == self.0);
        place.unwrap_or(FIGURES.len())
    }

    /// The heading of its column: `MB/s`, `Time, s`.
    pub fn heading(self) -> String {
        let (heading, unit) = (capital(self.0.heading), self.0.unit);
        if unit.is_needed() && heading != unit.symbol() {
            format!("{heading}, {}", unit.symbol())
        } else {
            heading
        }
    }

    /// A row's cell in its column.
    pub fn cell(self, row: &Row) -> String {
        let decimals = match self.0.unit {
            // small devices are slow
            Unit::MbPerS => 3,
            _ => self.0.decimals,
        };
        match self.value(row) {
            None => NOTHING.into(),
            Some(count) if decimals == 0 => thousands(count as u64),
            Some(value) => format!("{value:.decimals$}"),
        }
    }
}

/// Bytes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub struct Size(pub u64);

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        ssdlab_words::parse_bytes(&text)
            .filter(|&size| size > 0)
            .map(Self)
            .ok_or_else(|| format!("{text:?} is not a size; must be like 512KiB or 16MiB"))
    }
}
