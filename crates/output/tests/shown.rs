//! File names in messages and tables.

use ssdlab_output::{shown_path, shown_text};

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
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    let path = Path::new(OsStr::from_bytes(b"a\xFF/\xC3\xA4\xFE\r"));
    assert_eq!(shown_path(path), r"a\xff/ä\xfe\r");
}
