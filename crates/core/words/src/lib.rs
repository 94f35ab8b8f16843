//! Numbers, sizes, names, lists and tables as people read and write them: in messages, sentences and pages.
//!
//! Depends on no other crate. There is no input or output.

mod caught;
mod date;
mod field;
mod list;
mod markdown;
mod numbers;
mod shell;
mod shown;
mod size;

pub use caught::caught;
pub use date::days_since_1970;
pub use field::{field, field_text};
pub use list::{capital, either, listed, some_of};
pub use markdown::markdown_table;
pub use numbers::{
    NOTHING, amount, bytes, decimal, decimal_bytes, decimals, difference, duration, fixed,
    hexadecimal, known, percent, rough, signed, size_range, size_value, thousands,
};
pub use shell::{shell_line, shell_word};
pub use shown::{line_at, shown_lines, shown_path, shown_text};
pub use size::{Size, parse_bytes, parse_count, parse_duration, parse_size};

/// Where everything is that the first build from a clone leaves out, for its messages.
pub const FULL_PROGRAM: &str =
    "./install installs the full program, and `cargo run --release --features full -- …` runs it";
