//! Escapes text from outside in JSON; in HTML, `maud` does.

use serde_json::Value;
use ssdlab_words::{shown_lines, shown_text};

/// JSON for scripts that show its texts; safe inside a `<script>` element.
///
/// `<`, `>` and `&` occur in JSON only inside strings, where `\u003c` means the same.
pub fn script_json(value: &Value) -> String {
    texts_shown(value)
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// The value with texts that do nothing.
fn texts_shown(value: &Value) -> Value {
    match value {
        Value::String(text) => shown_lines(text).into(),
        Value::Array(items) => items.iter().map(texts_shown).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let shown = members.map(|(name, value)| (name.clone(), texts_shown(value)));
            Value::Object(shown.collect())
        }
        other => other.clone(),
    }
}

/// JSON for programs, in lines for people: characters that would act on a terminal are escaped.
pub fn json_lines(value: &Value) -> String {
    let mut out = String::new();
    for c in format!("{value:#}").chars() {
        // outside of strings there are none but the ends of lines
        if c != '\n' && shown_text(c.encode_utf8(&mut [0; 4])).len() != c.len_utf8() {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out += &format!("\\u{unit:04x}");
            }
        } else {
            out.push(c)
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: leaving `</script>` or `<!--` in the data, which ends the script early.
    #[test]
    fn script_json_holds_no_markup_and_means_the_same() {
        let value = serde_json::json!({ "name": "</script><!--&\"'" });
        let text = script_json(&value);
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
