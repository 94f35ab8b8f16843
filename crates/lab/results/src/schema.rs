//! The columns of results: the only list of their names.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use ssdlab_config::{Kind, keys};
use ssdlab_device::results::Results;
use ssdlab_device::{Catalogue, Counters};

use crate::cell::{Cell, Type};
use crate::compared::BESIDE;
use crate::run::{Facts, ORIGIN, WORKLOAD};
use crate::table::Table;

/// What a column tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What ran: the trace, and how it was replayed.
    Workload,
    /// A key of the configuration; null where the run does not read it.
    Key,
    /// An exact count.
    Counter,
    /// A figure, in the unit that it is kept in.
    Figure,
    /// Where the row comes from, and what to know about it.
    Origin,
}

/// A column of results.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name, such as `buffer_policy` or `waf`.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// What it tells.
    pub role: Role,
    /// The key, counter or figure, if it is one: `buffer.policy`.
    pub of: &'static str,
    source: Source,
}

/// What makes the cells of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// A fact of the run.
    Fact(fn(&Facts) -> Cell),
    /// A fact that is JSON in a text.
    Json(fn(&Facts) -> Cell),
    /// A key.
    Key { path: &'static str, is_list: bool },
    /// The counter with this place among all.
    Counter(usize),
    /// A figure.
    Figure(fn(&Results) -> Option<f64>),
}

impl Column {
    pub(crate) fn cell(&self, facts: &Facts) -> Cell {
        match self.source {
            Source::Fact(of) | Source::Json(of) => of(facts),
            Source::Key { path, .. } => facts.key(path, self.kind),
            Source::Counter(place) => facts.counters[place].1.into(),
            Source::Figure(value) => value(&facts.results)
                .filter(|value| value.is_finite())
                .into(),
        }
    }

    /// A cell as JSON: the objects and lists of texts are such there.
    fn json(&self, cell: &Cell) -> Json {
        let is_json = matches!(
            self.source,
            Source::Json(_) | Source::Key { is_list: true, .. }
        );
        let nested = cell.text().filter(|_| is_json);
        let nested = nested.and_then(|text| serde_json::from_str(text).ok());
        nested.unwrap_or_else(|| cell.to_json())
    }
}

/// The columns of the results of these systems, always in the same order.
#[derive(Clone, Debug)]
pub struct Schema {
    columns: Vec<Column>,
}

/// The name of the column of a key: `buffer.policy` becomes `buffer_policy`.
pub fn column_name(path: &str) -> String {
    path.replace(['.', '-'], "_")
}

impl Schema {
    /// The columns of the results of these systems.
    pub fn of(catalogue: &Arc<Catalogue>) -> Schema {
        let mut schema = Schema {
            columns: Vec::new(),
        };
        for (name, kind, source) in WORKLOAD {
            schema.add(name, kind, Role::Workload, "", source);
        }
        for key in keys(catalogue) {
            let kind = match key.kind {
                Kind::Bool => Type::Bool,
                // an "auto" has become a number
                Kind::Size {
                    word: Some("all"), ..
                } => Type::Text,
                Kind::Int { .. } | Kind::Size { .. } => Type::Int,
                Kind::Float { .. } | Kind::Share => Type::Float,
                Kind::Choice(_) | Kind::Pattern { .. } | Kind::List { .. } => Type::Text,
            };
            let source = Source::Key {
                path: key.path,
                is_list: matches!(key.kind, Kind::List { .. }),
            };
            schema.add(key.path, kind, Role::Key, key.path, source);
        }
        let counters = Counters::default().entries();
        for (place, (name, _)) in counters.into_iter().enumerate() {
            schema.add(name, Type::Int, Role::Counter, name, Source::Counter(place));
        }
        let is_count = |name: &str| counters.iter().any(|(counter, _)| *counter == name);
        let figures = catalogue.figures().iter();
        for figure in figures.filter(|figure| !is_count(figure.key)) {
            let source = Source::Figure(figure.value);
            schema.add(figure.key, Type::Float, Role::Figure, figure.key, source);
        }
        for (name, kind, source) in ORIGIN {
            schema.add(name, kind, Role::Origin, "", source);
        }
        schema
    }

    /// Adds a column. A name that is taken gets underscores, as systems of other crates may need.
    fn add(&mut self, name: &str, kind: Type, role: Role, of: &'static str, source: Source) {
        let mut name = column_name(name);
        // what no system names keeps its name
        let is_own = |name: &str| {
            let origin = ORIGIN.iter().map(|(own, ..)| *own);
            !of.is_empty()
                && origin
                    .chain(BESIDE.iter().map(|one| one.name))
                    .any(|own| own == name)
        };
        while is_own(&name) || self.columns.iter().any(|column| column.name == name) {
            name.push('_');
        }
        self.columns.push(Column {
            name,
            kind,
            role,
            of,
            source,
        });
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of this name, or of the key or figure with this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        let named = |column: &&Column| column.name == name;
        let of = |column: &&Column| column.of == name;
        let mut columns = self.columns.iter();
        columns.clone().find(named).or_else(|| columns.find(of))
    }

    /// A table with these columns.
    pub fn table(&self) -> Table {
        let columns = self.columns.iter();
        Table::new(columns.map(|column| (column.name.as_str(), Some(column.kind))))
    }

    /// The cells of a row as members of an object.
    pub(crate) fn json(&self, cells: &[Cell]) -> Map<String, Json> {
        let columns = self.columns.iter().zip(cells);
        let members = columns.map(|(column, cell)| (column.name.clone(), column.json(cell)));
        members.collect()
    }
}
