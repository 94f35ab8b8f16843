//! Words as a shell takes them.

/// A word of a command, in single quotes if it needs them.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
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
    }
}
