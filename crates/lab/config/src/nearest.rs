//! Suggestions for misspelled names ("did you mean").

/// The candidate with the fewest edits to `word`, at most one edit for each three letters; the first one among equals.
/// All names are in lower case, and capital letters in `word` count as no edit.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = &word.to_lowercase();
    let limit = lower.chars().count() / 3;
    candidates
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(lower, name), name))
        .filter(|&(edits, _)| edits <= limit)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}
