//! Escapes text from outside.

use serde_json::Value;

/// Text as HTML content or as a quoted attribute value.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// JSON that is safe inside a `<script>` element.
///
/// `<`, `>` and `&` occur in JSON only inside strings, where `\u003c` means the same.
pub fn script_json(value: &Value) -> String {
    value
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: escaping `&` after `<`, which turns `&lt;` into `&amp;lt;`.
    #[test]
    fn html_escapes_each_character_once() {
        assert_eq!(
            html(r#"<a href="x" id='y'>&amp;"#),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;"
        );
    }

    // Planted bug: leaving `</script>` or `<!--` in the data, which ends the script early.
    #[test]
    fn script_json_holds_no_markup_and_means_the_same() {
        let value = serde_json::json!({ "name": "</script><!--&\"'" });
        let text = script_json(&value);
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
