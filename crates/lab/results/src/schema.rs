//! The columns of results.

use std::sync::Arc;

use ssdlab_config::{Kind, keys};
use ssdlab_device::{Catalogue, Counters};

use crate::cell::Type;
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
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, such as `buffer_policy` or `waf`.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// What it tells.
    pub role: Role,
    /// The key, counter or figure, if it is one: `buffer.policy`.
    pub of: &'static str,
}

/// The columns of the results of these systems, always in the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    columns: Vec<Column>,
}

/// The workload: names, types.
pub(crate) const WORKLOAD: [(&str, Type); 12] = [
    ("trace", Type::Text),
    ("trace_sha256", Type::Text),
    ("trace_format", Type::Text),
    ("trace_set", Type::Text),
    ("trace_licence", Type::Text),
    ("trace_requests", Type::Int),
    ("seed", Type::Int),
    ("system", Type::Text),
    ("wrap", Type::Bool),
    ("compact", Type::Bool),
    ("loops", Type::Int),
    ("steady", Type::Bool),
];

/// The origin: names, types.
pub(crate) const ORIGIN: [(&str, Type); 7] = [
    ("placed", Type::Text),
    ("doubt", Type::Text),
    ("warnings", Type::Text),
    ("config", Type::Text),
    ("version", Type::Text),
    ("command", Type::Text),
    ("run_id", Type::Text),
];

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
        for (name, kind) in WORKLOAD {
            schema.add(name, kind, Role::Workload, "");
        }
        for key in keys(catalogue) {
            let kind = match key.kind {
                Kind::Bool => Type::Bool,
                Kind::Int { .. } | Kind::Size { .. } => Type::Int,
                Kind::Float { .. } | Kind::Share => Type::Float,
                Kind::Choice(_) | Kind::Pattern { .. } | Kind::List { .. } => Type::Text,
            };
            schema.add(key.path, kind, Role::Key, key.path);
        }
        let counters = Counters::default().entries();
        for (name, _) in counters {
            schema.add(name, Type::Int, Role::Counter, name);
        }
        let is_count = |name: &str| counters.iter().any(|(counter, _)| *counter == name);
        for figure in catalogue
            .figures()
            .iter()
            .filter(|figure| !is_count(figure.key))
        {
            schema.add(figure.key, Type::Float, Role::Figure, figure.key);
        }
        for (name, kind) in ORIGIN {
            schema.add(name, kind, Role::Origin, "");
        }
        schema
    }

    /// Adds a column. A name that is taken gets underscores, as systems of other crates may need.
    fn add(&mut self, name: &str, kind: Type, role: Role, of: &'static str) {
        let mut name = column_name(name);
        while self.columns.iter().any(|column| column.name == name) {
            name.push('_');
        }
        self.columns.push(Column {
            name,
            kind,
            role,
            of,
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
}
