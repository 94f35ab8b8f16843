//! Words as a shell takes them.

use crate::shown::acts;

/// A word of a command, in single quotes if it needs them. Characters that act on a terminal are escaped as bash, zsh and
/// ksh read them (`$'…'`).
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.contains(acts) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut quoted = "$'".to_owned();
    for c in word.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if acts(c) => {
                let mut bytes = [0; 4];
                // three octal digits, so that what follows is none of them
                c.encode_utf8(&mut bytes)
                    .bytes()
                    .for_each(|byte| quoted += &format!("\\{byte:03o}"));
            }
            c => quoted.push(c),
        }
    }
    quoted + "'"
}

/// A command as one line.
pub fn shell_line<W: AsRef<str>>(words: &[W]) -> String {
    let words: Vec<String> = words.iter().map(|word| shell_word(word.as_ref())).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bug: a word that the shell splits
    #[test]
    fn words_stay_whole() {
        assert_eq!(
            shell_line(&["a b", "", "it's", "--c=1,2"]),
            r"'a b' '' 'it'\''s' --c=1,2"
        );
        assert_eq!(
            shell_word("it's\n1\u{1b}[2J\u{202e}"),
            r"$'it\'s\0121\033[2J\342\200\256'"
        );
    }
}
