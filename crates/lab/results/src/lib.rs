//! Tables of results: one row for each run, as flat typed columns.
//!
//! A [`Schema`] is the only list of the columns of a catalogue of systems: what the trace is, every key of the
//! configuration, every counter and figure, and where the row comes from. Each column has the function that makes its
//! cells of a [`Run`]. Sweeps, comparisons ([`Compared`]) and single runs write rows of it. A [`Table`] holds rows by
//! columns; it is written as Parquet and CSV, and read back from both. `docs/results.md` explains the columns.
//!
//! May depend on `words`, on `device` and `policy`, and on `config` and `sim`. It writes to what it is given and reads
//! files of tables; it runs nothing and prints nothing. Without the feature `files` it reads no files and has no Parquet.

mod cell;
mod compared;
mod csv_file;
#[cfg(feature = "files")]
mod csv_read;
#[cfg(feature = "files")]
mod differ;
mod error;
#[cfg(feature = "files")]
mod files;
#[cfg(feature = "files")]
mod parquet_file;
#[cfg(feature = "files")]
mod proof;
mod run;
mod schema;
mod table;
#[cfg(feature = "files")]
mod writer;

pub use cell::{Cell, Type};
pub use compared::{Compared, Competitors, competitors, competitors_of_json, is_compared};
#[cfg(feature = "files")]
pub use differ::differences;
pub use error::TableError;
#[cfg(feature = "files")]
pub use files::head;
#[cfg(feature = "files")]
pub use parquet_file::{about_part, prove, rows_in};
#[cfg(feature = "files")]
pub use proof::part_of;
pub use run::{Origin, Run};
pub use schema::{Column, Role, Schema, column_name};
pub use table::{Piece, Table};
#[cfg(feature = "files")]
pub use writer::TableWriter;
