//! Tables of results: one row for each run, as flat typed columns.
//!
//! A [`Schema`] lists the columns of a catalogue of systems: what the trace is, every key of the configuration, every
//! counter and figure, and where the row comes from. A [`Run`] gives the cells. A [`Table`] holds rows by columns; it is
//! written as Parquet and CSV, and read back from both. `docs/results.md` explains the columns.
//!
//! May depend on `words`, on `device` and `policy`, and on `config` and `sim`. It writes to what it is given and reads
//! files of tables; it runs nothing and prints nothing.

mod cell;
mod csv_file;
mod differ;
mod error;
mod parquet_file;
mod proof;
mod run;
mod schema;
mod table;
mod writer;

pub use cell::{Cell, Type};
pub use differ::differences;
pub use error::TableError;
pub use parquet_file::{about_part, prove, rows_in};
pub use proof::part_of;
pub use run::{Origin, Run};
pub use schema::{Column, Role, Schema, column_name};
pub use table::{Piece, Table, head};
pub use writer::TableWriter;
