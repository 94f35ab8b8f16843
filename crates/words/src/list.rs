//! Lists in words.

/// `a`, `a and b`, `a, b and c`.
pub fn listed<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
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
