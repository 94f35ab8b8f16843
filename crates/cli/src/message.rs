//! Messages on standard error.

use std::io::{self, Write};

use ssdlab_trace::shown_text;

/// Prints warnings to standard error.
pub fn warn(warnings: &[String]) {
    for warning in warnings {
        complain("warning", warning);
    }
}

/// Prints a line to standard error. `eprintln!` would panic if the reader has closed it.
pub fn complain(kind: &str, message: &str) {
    let lines: Vec<String> = message.lines().map(shown_text).collect();
    let _ = writeln!(io::stderr(), "{kind}: {}", lines.join("\n"));
}
