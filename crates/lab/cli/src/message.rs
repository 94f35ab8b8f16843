//! Messages on standard error.

use std::io::{self, Write};

use ssdlab_words::shown_lines;

/// Prints warnings to standard error.
pub fn warn(warnings: &[impl AsRef<str>]) {
    for warning in warnings {
        complain("warning", warning.as_ref());
    }
}

/// Prints a line to standard error. `eprintln!` would panic if the reader has closed it.
pub fn complain(kind: &str, message: &str) {
    let message = shown_lines(message.trim_end_matches('\n'));
    let _ = writeln!(io::stderr(), "{kind}: {message}");
}
