//! Progress on standard error.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

/// On standard error, if that is a terminal; without a length yet.
pub fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {elapsed}");
    ProgressBar::no_length().with_style(style.expect("a valid template"))
}

/// One of `all` is done; the first time, none is.
pub fn step(bar: &ProgressBar, all: usize) {
    match bar.length() {
        Some(_) => bar.inc(1),
        None => bar.set_length(all as u64),
    }
}
