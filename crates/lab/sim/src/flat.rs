//! A row of a comparison without nesting.

use serde_json::Value;

/// The values of a row of a comparison with their names, those of nested ones joined by dots. What most rows have at their
/// top needs no prefix: counters, derived figures, the steady state and varied keys. Lists are values.
pub fn flatten(row: &Value) -> Vec<(String, &Value)> {
    let mut flat = Vec::new();
    add("", row, &mut flat);
    flat
}

fn add<'a>(prefix: &str, value: &'a Value, into: &mut Vec<(String, &'a Value)>) {
    let Value::Object(fields) = value else {
        into.push((prefix.to_owned(), value));
        return;
    };
    for (name, value) in fields {
        let path = match prefix {
            "" | "counters" | "derived" | "steady_state" | "variant" => name.clone(),
            _ => format!("{prefix}.{name}"),
        };
        add(&path, value, into);
    }
}
