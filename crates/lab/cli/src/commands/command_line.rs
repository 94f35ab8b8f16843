//! The command line that made an output.

use std::ffi::OsStr;
use std::path::Path;

use ssdlab_words::{shell_word, shown_path};

/// The command line of this program, as a shell takes it.
pub fn command_line() -> String {
    let arguments = &crate::start::kept().arguments;
    let arguments = arguments.iter().map(|argument| quoted(argument));
    arguments.collect::<Vec<_>>().join(" ")
}

/// An argument quoted for a shell; the path of the program is reduced to its name.
pub fn quoted(argument: &OsStr) -> String {
    let shown = shown_path(Path::new(argument));
    if argument.to_str() != Some(&shown) {
        // a shell understands the same escapes
        let bytes = argument.as_encoded_bytes().escape_ascii();
        return format!("$'{bytes}'");
    }
    shell_word(shown.strip_suffix("/ssdlab").map_or(&*shown, |_| "ssdlab"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a path that is not UTF-8; an argument that a shell would split, or that has an effect on the page
    #[test]
    #[cfg(unix)]
    fn arguments_as_a_shell_takes_them() {
        use std::os::unix::ffi::OsStrExt;
        let quoted = |argument: &[u8]| quoted(OsStr::from_bytes(argument));
        assert_eq!(quoted(b"/usr/bin/ssdlab"), "ssdlab");
        assert_eq!(quoted(b"--size=1MiB,2MiB"), "--size=1MiB,2MiB");
        assert_eq!(quoted("größe 1".as_bytes()), "'größe 1'");
        assert_eq!(quoted(b""), "''");
        assert_eq!(quoted(b"it's"), r"'it'\''s'");
        assert_eq!(quoted(b"a\xFF'\n\x1b.csv"), r"$'a\xff\'\n\x1b.csv'");
    }
}
