//! Fields of CSV that a spreadsheet takes for what they are.

use std::borrow::Cow;

/// A text as a field of CSV. What a spreadsheet would take for a formula, and a number is none, gets an apostrophe before it;
/// so does what begins with apostrophes and then a formula, so that [`field_text`] gives each text back.
pub fn field(text: &str) -> Cow<'_, str> {
    match is_formula(text.trim_start_matches('\'')) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// The text of a field.
pub fn field_text(field: &str) -> &str {
    match field.strip_prefix('\'') {
        Some(text) if is_formula(text.trim_start_matches('\'')) => text,
        _ => field,
    }
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a formula that stays one; a number that becomes a text; a text that does not come back
    #[test]
    fn formulas_are_texts() {
        for (text, as_field) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+1+1", "'+1+1"),
            ("-a", "'-a"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("-5", "-5"),
            ("-", "'-"),
            ("+1e3", "+1e3"),
            ("'a'", "'a'"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(field(text), as_field);
            assert_eq!(field_text(as_field), text);
        }
    }
}
