//! Lists in words.

/// `a`, `a and b`, `a, b and c`.
pub fn listed<S: AsRef<str>>(items: &[S]) -> String {
    joined(items, "and")
}

/// `a`, `a or b`, `a, b or c`.
pub fn either<S: AsRef<str>>(items: &[S]) -> String {
    joined(items, "or")
}

fn joined<S: AsRef<str>>(items: &[S], word: &str) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, others)) => format!("{} {word} {last}", others.join(", ")),
    }
}

/// The first three labels and the number of the others.
pub fn some_of(labels: &[String]) -> String {
    const NAMED: usize = 3;
    let named = labels.get(..NAMED).unwrap_or(labels).join(", ");
    match labels.len().saturating_sub(NAMED) {
        0 => listed(labels),
        1 => named + " and 1 other",
        others => format!("{named} and {others} others"),
    }
}

/// The same text with a capital at its start.
pub fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
