//! All rows of an analysis, and what their columns mean.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ssdlab_config::{Kind, keys};
use ssdlab_device::results::Figure;
use ssdlab_device::{Catalogue, Figures};
use ssdlab_results::{Role, Schema};
use ssdlab_words::{bytes, either, parse_bytes};

use crate::error::AnalysisError;
use crate::frame::{Frame, written};
use crate::groups::Levels;

/// The union of tables of results.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub(crate) frame: Frame,
    pub(crate) schema: Schema,
    /// The keys whose values are sizes.
    sizes: Vec<&'static str>,
    /// The figures as they are registered.
    registered: Figures,
    /// The figures as they are for these rows.
    figures: Figures,
    /// The axes, once they are known.
    pub(crate) axes: OnceLock<Vec<Field>>,
    /// What was read, in order.
    pub sources: Vec<Source>,
    /// Rows that were left out, since an earlier row is of the same run.
    pub repeated: usize,
    /// Bounds of comparisons, which do not compete and were left out.
    pub bounds: usize,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path.
    pub path: PathBuf,
    /// Its rows.
    pub rows: usize,
}

/// What a column is.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name of the column: `buffer_size`.
    pub name: String,
    /// The key, counter or figure, or the name of the column: `buffer.size`.
    pub path: String,
    /// What it tells; `None` of a column that results of this program do not have.
    pub role: Option<Role>,
    /// What its values are.
    pub measure: Measure,
    pub(crate) place: usize,
}

/// What the values of a column are.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are a few fields, not a million"
)]
pub enum Measure {
    /// Sizes in bytes.
    Size,
    /// A figure.
    Figure(Figure),
    /// Other numbers.
    Number,
    /// Texts.
    Word,
}

/// Rows that are kept: those with one of these values in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The name of the column, key or figure.
    pub name: String,
    /// The values as text.
    pub values: Vec<String>,
}

/// Names that options of other commands give to keys.
const SHORT: [(&str, &str); 4] = [
    ("policy", "buffer.policy"),
    ("buffer", "buffer.policy"),
    ("size", "buffer.size"),
    ("ftl", "ftl.kind"),
];

impl Analysis {
    pub(crate) fn new(catalogue: &Arc<Catalogue>) -> Self {
        let keys = keys(catalogue).into_iter();
        let is_size = |kind: Kind| matches!(kind, Kind::Size { .. });
        Self {
            frame: Frame::default(),
            schema: Schema::of(catalogue),
            sizes: keys
                .filter(|key| is_size(key.kind))
                .map(|key| key.path)
                .collect(),
            registered: catalogue.figures().clone(),
            figures: catalogue.figures().clone(),
            axes: OnceLock::new(),
            sources: Vec::new(),
            repeated: 0,
            bounds: 0,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.frame.rows()
    }

    /// Gives figures the meaning that they have for these rows, as a comparison does: what the trace sets under timed replay
    /// ranks nothing, and where all devices erase lines, figures speak of these.
    pub(crate) fn adapt_figures(&mut self) {
        let has = |row: usize, column: &str, value: &str| {
            let place = self.frame.place(column);
            place.is_some_and(|place| self.frame.word(place, row).as_deref() == Some(value))
        };
        let mut figures = self.registered.clone();
        if (0..self.rows()).any(|row| has(row, "replay", "timed")) {
            figures = figures.map(Figure::under_timed_replay);
        }
        if self.rows() > 0 && (0..self.rows()).all(|row| has(row, "flash_interleave", "line")) {
            figures = figures.map(Figure::of_lines);
        }
        self.figures = figures;
    }

    /// All figures of these systems.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// The column of this name, or of the key or figure of this name.
    ///
    /// # Errors
    /// There is none, or no row has a value; the message names those that come near.
    pub fn field(&self, name: &str) -> Result<Field, AnalysisError> {
        let short = SHORT.iter().find(|(short, _)| *short == name);
        let named = [Some(name), short.map(|(_, path)| *path)];
        let known = named.into_iter().flatten().find_map(|name| {
            let column = self.column_of(name)?;
            Some((self.frame.place(&column)?, column))
        });
        let Some((place, column)) = known else {
            return Err(self.unknown(name));
        };
        if self.frame.is_empty(place) {
            return Err(AnalysisError::InvalidRequest(format!(
                "{name}: no row has a value of it"
            )));
        }
        Ok(self.field_at(place, column))
    }

    /// The figure of this name, with its column.
    ///
    /// # Errors
    /// As [`Analysis::field`]; or it is no figure.
    pub fn figure(&self, name: &str) -> Result<(Figure, Field), AnalysisError> {
        let field = self.field(name)?;
        match field.measure {
            Measure::Figure(figure) => Ok((figure, field)),
            _ => {
                let figures = ["waf", "throughput", "erases", "p99", "life"];
                let what = format!(
                    "{name}: is no figure; must be one, such as {}",
                    either(&figures)
                );
                Err(AnalysisError::InvalidRequest(what))
            }
        }
    }

    /// The figure of this column, if rows have values of it.
    pub fn known_figure(&self, figure: &Figure) -> Option<Field> {
        self.field(figure.key).ok()
    }

    pub(crate) fn field_at(&self, place: usize, name: String) -> Field {
        let column = self
            .schema
            .columns()
            .iter()
            .find(|column| column.name == name);
        let path = match column {
            Some(column) if !column.of.is_empty() => column.of.to_owned(),
            _ => name.clone(),
        };
        let measure = match column.map(|column| column.role) {
            Some(Role::Counter | Role::Figure) if self.figures.named(&path).is_some() => {
                Measure::Figure(self.figures.named(&path).expect("just asked"))
            }
            _ if !self.frame.is_of_numbers(place) => Measure::Word,
            Some(Role::Key) if self.sizes.contains(&path.as_str()) => Measure::Size,
            _ => Measure::Number,
        };
        Field {
            role: column.map(|column| column.role),
            name,
            path,
            measure,
            place,
        }
    }

    /// The name of the column of a key, figure or column.
    fn column_of(&self, name: &str) -> Option<String> {
        let figure = self.figures.named(name).map(|figure| figure.key);
        let column = self
            .schema
            .column(name)
            .or_else(|| self.schema.column(figure?));
        match column {
            Some(column) => Some(column.name.clone()),
            None => self.frame.place(name).map(|_| name.to_owned()),
        }
    }

    fn unknown(&self, name: &str) -> AnalysisError {
        let mut near: Vec<(usize, String)> = Vec::new();
        let figures = self.figures.iter().map(|figure| figure.key.to_owned());
        let paths = self.frame.names().enumerate();
        let paths = paths.map(|(place, column)| self.field_at(place, column.to_owned()).path);
        for known in paths.chain(figures) {
            let distance = strsim::damerau_levenshtein(name, &known);
            if distance <= 2 + name.len() / 4 && !near.iter().any(|(_, other)| *other == known) {
                near.push((distance, known));
            }
        }
        near.sort();
        near.truncate(3);
        let near: Vec<String> = near.into_iter().map(|(_, name)| name).collect();
        AnalysisError::Unknown {
            name: name.to_owned(),
            near: match near.as_slice() {
                [] => String::new(),
                near => format!("; near are {}", either(near)),
            },
        }
    }

    /// The values of a column, one for each row.
    pub fn numbers(&self, field: &Field) -> Vec<Option<f64>> {
        let rows = 0..self.rows();
        rows.map(|row| self.frame.number(field.place, row))
            .collect()
    }

    /// The number in a cell.
    pub fn number(&self, field: &Field, row: usize) -> Option<f64> {
        self.frame.number(field.place, row)
    }

    /// The text of a cell as tables show it.
    pub fn text(&self, field: &Field, row: usize) -> Option<String> {
        match self.frame.number(field.place, row) {
            Some(number) => Some(field.text(number)),
            None => Some(self.frame.word(field.place, row)?.into_owned()),
        }
    }

    /// The distinct values of a column, in order.
    pub fn levels(&self, field: &Field) -> Levels {
        let codes = self.frame.codes(field.place);
        let mut values = Vec::new();
        for (row, code) in codes.iter().enumerate() {
            if *code as usize == values.len() {
                values.push((self.frame.number(field.place, row), self.text(field, row)));
            }
        }
        let mut levels = Levels::of(&codes, values);
        if field.name == "trace" {
            shorten(&mut levels.labels);
        }
        levels
    }

    /// The distinct values of several columns together.
    pub fn joined(&self, fields: &[Field]) -> Levels {
        if fields.is_empty() {
            return Levels::single(self.rows());
        }
        let each: Vec<Levels> = fields.iter().map(|field| self.levels(field)).collect();
        Levels::joined(self.rows(), &each)
    }

    /// Keeps the rows that pass all filters.
    ///
    /// # Errors
    /// A name or a value is unknown, or no row is left.
    pub fn keep(&mut self, filters: &[Filter]) -> Result<(), AnalysisError> {
        let mut keep = vec![true; self.rows()];
        for filter in filters {
            let field = self.field(&filter.name)?;
            let levels = self.levels(&field);
            let mut wanted = vec![false; levels.count()];
            for value in &filter.values {
                let found = self.is_value(&field, &levels, value);
                if !found.contains(&true) {
                    let shown = &levels.labels[..levels.count().min(8)];
                    let more = if levels.count() > shown.len() {
                        " and others"
                    } else {
                        ""
                    };
                    let what = format!(
                        "{}={value}: no row has this value; there are {}{more}",
                        filter.name,
                        shown.join(", ")
                    );
                    return Err(AnalysisError::InvalidRequest(what));
                }
                wanted
                    .iter_mut()
                    .zip(found)
                    .for_each(|(wanted, found)| *wanted |= found);
            }
            for (keep, code) in keep.iter_mut().zip(&levels.codes) {
                *keep &= wanted[*code as usize];
            }
        }
        if !keep.contains(&true) && !keep.is_empty() {
            return Err(AnalysisError::InvalidRequest(
                "no row has all of these values".into(),
            ));
        }
        self.frame.retain(&keep);
        self.axes = OnceLock::new();
        self.adapt_figures();
        Ok(())
    }

    /// Which levels a text means.
    fn is_value(&self, field: &Field, levels: &Levels, value: &str) -> Vec<bool> {
        let number = match field.measure {
            Measure::Word => None,
            Measure::Size => parse_bytes(value).map(|size| size as f64),
            _ => value.parse::<f64>().ok(),
        };
        let mut whole = vec![None; levels.count()];
        for (row, code) in levels.codes.iter().enumerate() {
            let whole = &mut whole[*code as usize];
            if whole.is_none() {
                *whole = self
                    .frame
                    .word(field.place, row)
                    .map(|word| word.into_owned());
            }
        }
        (0..levels.count())
            .map(|level| match (&levels.numbers, number) {
                (Some(numbers), Some(number)) => numbers[level] == number,
                _ => levels.labels[level] == value || whole[level].as_deref() == Some(value),
            })
            .collect()
    }
}

impl Field {
    /// A number of the column with its unit, as a value of an axis.
    pub fn text(&self, number: f64) -> String {
        match &self.measure {
            Measure::Size if number >= 0.0 => bytes(number as u64),
            Measure::Figure(figure) => figure.unit.text(number),
            _ => written(number),
        }
    }
}

/// Leaves folders and endings of traces out, if they are not needed to tell traces apart.
fn shorten(names: &mut Vec<String>) {
    let short = |name: &String| {
        let last = name.rsplit('/').next().unwrap_or(name);
        let stem = [".zst", ".gz", ".xz", ".bz2"]
            .iter()
            .find_map(|end| last.strip_suffix(end));
        let stem = stem.unwrap_or(last);
        let stem = [".csv", ".txt", ".trace", ".parquet"]
            .iter()
            .find_map(|end| stem.strip_suffix(end))
            .unwrap_or(stem);
        if stem.is_empty() {
            name.clone()
        } else {
            stem.to_owned()
        }
    };
    let shorter: Vec<String> = names.iter().map(short).collect();
    let mut all = shorter.clone();
    all.sort();
    all.dedup();
    if all.len() == names.len() {
        *names = shorter;
    }
}
