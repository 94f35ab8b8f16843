//! Rows by columns.

use crate::cell::{Cell, Type};
use crate::csv_file;
use crate::error::TableError;

/// What is read of a file.
#[derive(Debug)]
pub enum Piece<'a> {
    /// The next group has this many rows; its columns follow.
    Rows(usize),
    /// The cells of a column in the rows of the group.
    Column(&'a str, Vec<Cell>),
}

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<Named>,
    rows: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Named {
    name: String,
    /// `None`: no value so far.
    kind: Option<Type>,
    cells: Vec<Cell>,
}

impl Table {
    /// No rows, and columns of these names and types. A type is `None` until the first value gives it.
    pub fn new<N: Into<String>>(columns: impl IntoIterator<Item = (N, Option<Type>)>) -> Self {
        let columns = columns.into_iter().map(|(name, kind)| Named {
            name: name.into(),
            kind,
            cells: Vec::new(),
        });
        Self {
            columns: columns.collect(),
            rows: 0,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The names of the columns and their types; a column without values is of text.
    pub fn columns(&self) -> impl Iterator<Item = (&str, Type)> {
        self.columns
            .iter()
            .map(|column| (column.name.as_str(), column.kind.unwrap_or(Type::Text)))
    }

    /// The cells of a column.
    pub fn column(&self, name: &str) -> Option<&[Cell]> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        Some(&column.cells)
    }

    /// The cells of the column with this number.
    pub fn cells(&self, number: usize) -> &[Cell] {
        &self.columns[number].cells
    }

    /// A cell; `Null` if there is no such column.
    pub fn cell(&self, row: usize, name: &str) -> &Cell {
        self.column(name).map_or(&Cell::Null, |cells| &cells[row])
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If there are not as many cells as columns.
    pub fn add(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut columns = self.columns.iter_mut();
        for cell in cells {
            columns.next().expect("a column for each cell").push(cell);
        }
        assert!(columns.next().is_none(), "a cell for each column");
        self.rows += 1;
    }

    /// Columns with cells of their types, equally many.
    #[cfg(feature = "files")]
    pub(crate) fn of_columns(columns: Vec<(String, Type, Vec<Cell>)>) -> Self {
        let rows = columns.first().map_or(0, |(.., cells)| cells.len());
        let named = |(name, kind, cells): (String, Type, Vec<Cell>)| {
            assert_eq!(cells.len(), rows, "a cell for each row");
            let kind = Some(kind);
            Named { name, kind, cells }
        };
        Self {
            columns: columns.into_iter().map(named).collect(),
            rows,
        }
    }

    /// Adds the rows of another table, by the names of their columns. Where one of them lacks a column, its cells are null.
    pub fn append(&mut self, other: &Table) {
        let alike = self.columns.len() == other.columns.len();
        let mut pairs = self.columns.iter().zip(&other.columns);
        if alike && pairs.all(|(own, column)| own.name == column.name) {
            for (own, column) in self.columns.iter_mut().zip(&other.columns) {
                column.cells.iter().for_each(|cell| own.push(cell.clone()));
            }
            self.rows += other.rows;
            return;
        }
        for column in &other.columns {
            if self.column(&column.name).is_none() {
                let (name, kind) = (column.name.clone(), column.kind);
                let cells = vec![Cell::Null; self.rows];
                self.columns.push(Named { name, kind, cells });
            }
        }
        for own in &mut self.columns {
            match other.columns.iter().find(|column| column.name == own.name) {
                Some(column) => column.cells.iter().for_each(|cell| own.push(cell.clone())),
                None => own.cells.resize(self.rows + other.rows, Cell::Null),
            }
        }
        self.rows += other.rows;
    }

    /// Takes all rows out.
    pub fn clear(&mut self) {
        self.columns
            .iter_mut()
            .for_each(|column| column.cells.clear());
        self.rows = 0;
    }

    /// The cells of these columns in these rows.
    #[must_use]
    pub fn part(&self, columns: impl Fn(&str) -> bool, rows: impl Fn(usize) -> bool) -> Table {
        let kept = self.columns.iter().filter(|column| columns(&column.name));
        let kept: Vec<&Named> = kept.collect();
        let names = kept.iter().map(|column| (&*column.name, column.kind));
        let mut part = Table::new(names);
        for row in (0..self.rows).filter(|row| rows(*row)) {
            part.add(kept.iter().map(|column| column.cells[row].clone()));
        }
        part
    }

    /// Adds a column, or replaces the one of this name.
    ///
    /// # Panics
    /// If there is not a cell for each row.
    pub fn set_column(&mut self, name: &str, cells: Vec<Cell>) {
        assert_eq!(cells.len(), self.rows, "a cell for each row");
        let mut column = Named {
            name: name.to_owned(),
            kind: None,
            cells: Vec::with_capacity(cells.len()),
        };
        cells.into_iter().for_each(|cell| column.push(cell));
        match self.columns.iter_mut().find(|known| known.name == name) {
            Some(known) => *known = column,
            None => self.columns.push(column),
        }
    }

    /// Gives its columns away.
    pub fn into_pieces(self, keep: &dyn Fn(&str) -> bool, take: &mut dyn FnMut(Piece)) {
        take(Piece::Rows(self.rows));
        for column in self.columns {
            if keep(&column.name) {
                take(Piece::Column(&column.name, column.cells));
            }
        }
    }

    /// Writes CSV with a header.
    ///
    /// # Errors
    /// The error of the output.
    pub fn write_csv(&self, out: impl std::io::Write) -> Result<(), TableError> {
        csv_file::write(self, out)
    }
}

impl Named {
    /// Adds a cell. Where types differ, numbers become floats, and anything else becomes text.
    fn push(&mut self, cell: Cell) {
        if let Some(kind) = cell.kind() {
            let common = match (self.kind, kind) {
                (None, kind) => kind,
                (Some(own), kind) if own == kind => kind,
                (Some(Type::Int | Type::Float), Type::Int | Type::Float) => Type::Float,
                _ => Type::Text,
            };
            if self.kind != Some(common) {
                self.cells.iter_mut().for_each(|cell| convert(cell, common));
                self.kind = Some(common);
            }
            let mut cell = cell;
            convert(&mut cell, common);
            self.cells.push(cell);
        } else {
            self.cells.push(cell);
        }
    }
}

fn convert(cell: &mut Cell, kind: Type) {
    match (&*cell, kind) {
        (Cell::Null, _) => {}
        (Cell::Int(number), Type::Float) => *cell = Cell::Float(*number as f64),
        (other, Type::Text) if other.text().is_none() => *cell = Cell::Text(other.to_string()),
        _ => {}
    }
}
