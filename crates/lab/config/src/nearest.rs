//! Suggestions for misspelled names ("did you mean").

/// The candidate with the fewest edits to `given`, at most one edit for each three letters; the first one among equals.
/// All names are in lower case, and capital letters in `given` count as no edit.
pub(crate) fn nearest<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let given = &given.to_lowercase();
    let limit = given.chars().count() / 3;
    candidates
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|&(edits, _)| edits <= limit)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}
