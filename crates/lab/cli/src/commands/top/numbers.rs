//! Numbers that fit their cells, whatever the server says.

use ssdlab_words::thousands;

/// A count with all of its digits, if these are at most `width` characters.
pub fn count(value: u64, width: usize) -> String {
    fitted(thousands(value), value as f64, width)
}

/// A number with so many digits behind the point, if that is at most `width` characters.
pub fn decimals(value: f64, digits: usize, width: usize) -> String {
    fitted(format!("{value:.digits$}"), value, width)
}

/// A text, or the order of magnitude in nine characters at most.
fn fitted(text: String, value: f64, width: usize) -> String {
    if text.len() <= width {
        text
    } else {
        format!("{value:.2e}")
    }
}
