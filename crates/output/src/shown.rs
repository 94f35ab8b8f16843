//! File names as messages, tables and reports show them.

use std::path::Path;

/// A path that is safe on a terminal and in a page: control characters, characters that change the direction of text,
/// and bytes that are not UTF-8 are escaped.
pub fn shown_path(path: &Path) -> String {
    let mut shown = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        shown += &shown_text(chunk.valid());
        shown += &chunk.invalid().escape_ascii().to_string();
    }
    shown
}

/// The same as [`shown_path`], for text.
pub fn shown_text(text: &str) -> String {
    let show = |shown: String, c: char| match acts(c) {
        true => shown + &c.escape_default().to_string(),
        false => shown + c.encode_utf8(&mut [0; 4]),
    };
    text.chars().fold(String::new(), show)
}

/// Whether a character has an effect on the text or the terminal instead of a shape.
fn acts(c: char) -> bool {
    let is_space = c.is_whitespace() && !matches!(c, '\u{2028}' | '\u{2029}');
    c.is_control() || !c.is_ascii() && !is_space && !is_printed(c)
}

/// Whether Rust prints a character behind another one as it is: no format characters, none without a meaning.
fn is_printed(c: char) -> bool {
    let text = String::from_iter([' ', c]);
    text.escape_debug().eq(text.chars())
}
