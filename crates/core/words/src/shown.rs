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
    let show = |shown: String, c: char| {
        if acts(c) {
            shown + &c.escape_default().to_string()
        } else {
            shown + c.encode_utf8(&mut [0; 4])
        }
    };
    text.chars().fold(String::new(), show)
}

/// The same for lines of text, which stay lines.
pub fn shown_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(shown_text).collect();
    lines.join("\n")
}

/// Whether a character has an effect on the text or the terminal instead of a shape.
pub(crate) fn acts(c: char) -> bool {
    let is_space = c.is_whitespace() && !matches!(c, '\u{2028}' | '\u{2029}');
    c.is_control() || !c.is_ascii() && !is_space && !is_printed(c)
}

/// Whether Rust prints a character behind another one as it is: no format characters, none without a meaning.
fn is_printed(c: char) -> bool {
    let text = String::from_iter([' ', c]);
    text.escape_debug().eq(text.chars())
}

/// The number of the line with this byte, from 1 on, and its text without the blanks around it.
pub fn line_at(text: &str, byte: usize) -> (usize, &str) {
    let line = text[..byte].matches('\n').count();
    let text = text.lines().nth(line).unwrap_or_default();
    (line + 1, text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: an escape sequence that reaches the terminal, an escaped name in another script
    #[test]
    fn names_do_nothing() {
        assert_eq!(
            shown_text("größe 'a\\b' e\u{301} 日本.csv"),
            "größe 'a\\b' e\u{301} 日本.csv"
        );
        assert_eq!(
            shown_text("a\u{1b}[2J\n\u{9b}\u{202e}"),
            r"a\u{1b}[2J\n\u{9b}\u{202e}"
        );
        // marks of direction, joiners, soft hyphens, invisible tags, the ends of lines and paragraphs, private characters
        let acts = "\u{61c}\u{200b}\u{200d}\u{2069}\u{ad}\u{feff}\u{fff9}\u{e0041}\u{2028}\u{2029}\u{e000}\u{7f}\u{85}";
        for c in acts.chars() {
            assert_eq!(shown_text(&c.to_string()), c.escape_default().to_string());
        }
        let stays = "a\u{a0}b\u{202f}c 🦀\u{fe0f} שלום";
        assert_eq!(shown_text(stays), stays);
    }

    #[test]
    #[cfg(unix)]
    fn bytes_of_no_character_are_told_apart() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let path = Path::new(OsStr::from_bytes(b"a\xFF/\xC3\xA4\xFE\r"));
        assert_eq!(shown_path(path), r"a\xff/ä\xfe\r");
    }
}
