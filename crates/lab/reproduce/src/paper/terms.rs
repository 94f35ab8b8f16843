//! The terms of descriptions: metrics, sizes and kinds of requests.

use serde::Deserialize;
use ssdlab_sim::{FIGURES, Figure, Figures, Row, Unit};
use ssdlab_words::{NOTHING, capital, thousands};
use toml::Spanned;

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
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Spanned<String>")]
pub struct Metric {
    name: Spanned<String>,
    /// The figure of this name, once it is [resolved](Metric::resolve).
    pub figure: Figure,
}

impl From<Spanned<String>> for Metric {
    fn from(name: Spanned<String>) -> Self {
        let figure = Figure::default();
        Self { name, figure }
    }
}

impl From<Figure> for Metric {
    fn from(figure: Figure) -> Self {
        let name = Spanned::new(0..0, figure.key.to_owned());
        Self { name, figure }
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.figure == other.figure
    }
}

impl Metric {
    /// Finds the figure of its name.
    ///
    /// # Errors
    /// There is none: the name, and the reason.
    pub fn resolve(&mut self, figures: &Figures) -> Result<(), (&Spanned<String>, String)> {
        let name = self.name.get_ref();
        let Some(figure) = figures.named(&name.replace(' ', "_")) else {
            let all: Vec<&str> = figures.iter().map(|figure| figure.key).collect();
            let why = format!("{name:?} is no figure; must be one of {}", all.join(", "));
            return Err((&self.name, why));
        };
        self.figure = figure;
        Ok(())
    }

    /// The value of a row in the unit of pages: seconds, percent.
    pub fn value(&self, row: &Row) -> Option<f64> {
        row.figure(&self.figure)
            .map(|value| self.figure.unit.shown(value))
    }

    /// Whether it is a share in percent.
    pub fn is_percent(&self) -> bool {
        self.figure.unit == Unit::Percent
    }

    /// Its place among all figures.
    pub fn place(&self) -> usize {
        let place = FIGURES.iter().position(|figure| *figure == self.figure);
        place.unwrap_or(FIGURES.len())
    }

    /// The heading of its column: `MB/s`, `Time, s`.
    pub fn heading(&self) -> String {
        let (heading, unit) = (capital(self.figure.heading), self.figure.unit);
        if unit.is_needed() && heading != unit.symbol() {
            format!("{heading}, {}", unit.symbol())
        } else {
            heading
        }
    }

    /// A row's cell in its column.
    pub fn cell(&self, row: &Row) -> String {
        let decimals = match self.figure.unit {
            // small devices are slow
            Unit::MbPerS => 3,
            _ => self.figure.decimals,
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
