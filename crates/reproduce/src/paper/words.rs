//! Numbers and words of a page.

/// A share in percent with its sign, with one decimal if it is small; `–` if it is undefined.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let text = match percent.abs() {
        _ if !percent.is_finite() => return "–".into(),
        small if small < 9.95 => format!("{small:.1} %"),
        large => format!("{large:.0} %"),
    };
    match percent {
        percent if percent.abs() < 0.05 => text,
        percent if percent < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}

/// The same text with a capital at its start.
pub fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    text.get_mut(..1)
        .into_iter()
        .for_each(str::make_ascii_uppercase);
    text
}
