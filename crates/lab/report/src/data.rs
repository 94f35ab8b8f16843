//! The data of a comparison for other programs: CSV and JSON.

use serde_json::{Map, Value};
use ssdlab_sim::{Comparison, Doubt, Row, flatten};
use ssdlab_words::shown_text;

use crate::escape::json_lines;

/// One line for each run, after a header: label, policy, FTL, varied keys, size, then all counters and figures, nested
/// names joined by dots, the counts of handles or regions as JSON (`placed`), then why the figures are not those of a steady
/// state, warnings (`\n` between them), the trace, its SHA-256 (empty if only a part was read), its requests and the preset.
/// A field is empty where a figure has no meaning. Sizes are in bytes, times in nanoseconds, relative figures are fractions (0.1 is a tenth more than the baseline). An interrupted comparison has a last column
/// `missing_runs`.
///
/// # Errors
/// The error of the encoder.
pub fn csv(comparison: &Comparison) -> Result<String, String> {
    let rows: Vec<Vec<(String, String)>> = comparison
        .rows
        .iter()
        .map(|row| {
            let object = Value::Object(object(row)?);
            let fields = flatten(&object).into_iter();
            let mut fields: Vec<(String, String)> =
                fields.map(|(name, value)| (name, text(value))).collect();
            fields.extend(origin(row));
            if comparison.missing_runs > 0 {
                fields.push(("missing_runs".into(), comparison.missing_runs.to_string()));
            }
            Ok(fields)
        })
        .collect::<Result<_, String>>()?;
    // a run has only the varied keys that it reads
    let mut header: Vec<&str> = Vec::new();
    for row in &rows {
        let mut after = 0;
        for (name, _) in row {
            match header.iter().position(|known| known == name) {
                Some(at) => after = at + 1,
                None => {
                    header.insert(after, name);
                    after += 1;
                }
            }
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<&str>| writer.write_record(record).map_err(|e| e.to_string());
    write(header.clone())?;
    for row in &rows {
        let value = |name: &&str| {
            let mut fields = row.iter();
            let field = fields.find(|(known, _)| known == name);
            field.map_or("", |(_, value)| value.as_str())
        };
        write(header.iter().map(value).collect())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// The whole comparison as one JSON object.
///
/// # Errors
/// The error of the encoder.
pub fn json(comparison: &Comparison) -> Result<String, String> {
    let mut value = serde_json::to_value(comparison).map_err(|error| error.to_string())?;
    let rows = value["rows"].as_array_mut().into_iter().flatten();
    for (row, of) in rows.zip(&comparison.rows) {
        // equal in all rows
        row.as_object_mut().map(|row| row.shift_remove("trace"));
        row["doubt"] = doubt(of).into();
    }
    Ok(json_lines(&value) + "\n")
}

/// Where a row comes from, so that files of several comparisons can be put together.
fn origin(row: &Row) -> Vec<(String, String)> {
    let trace = &row.outcome.trace;
    let sum = trace.sha256.clone().unwrap_or_default();
    let placed = row.outcome.placed.as_ref();
    let placed = placed.and_then(|placed| serde_json::to_string(placed).ok());
    let mut origin = vec![
        ("placed".to_owned(), placed.unwrap_or_default()),
        (
            "doubt".to_owned(),
            doubt(row).unwrap_or_default().to_owned(),
        ),
        // a run is one line, so ends of lines are escaped
        (
            "warnings".into(),
            shown_text(&row.outcome.warnings.join("\n")),
        ),
        ("trace".into(), shown_text(&trace.name)),
        ("trace_sha256".into(), shown_text(&sum)),
        ("trace_requests".into(), trace.requests.to_string()),
    ];
    // a preset that varies is a column anyway
    if !row.variant.contains_key("preset") {
        let preset = row.outcome.config["preset"].as_str().unwrap_or_default();
        origin.push(("preset".into(), shown_text(preset)));
    }
    origin
}

/// Why the figures of a row are not those of a steady state.
fn doubt(row: &Row) -> Option<&'static str> {
    row.outcome.steady_state.doubt().map(Doubt::of)
}

/// The scalar figures of a row.
fn object(row: &Row) -> Result<Map<String, Value>, String> {
    let value = serde_json::to_value(row).map_err(|error| error.to_string())?;
    let Value::Object(mut fields) = value else {
        return Err("a row is not an object".into());
    };
    fields.retain(|name, _| {
        ![
            "config",
            "trace",
            "warnings",
            "loops",
            "compact",
            "erase_histogram",
            "latency_histogram",
            "over_time",
            "handles",
            "common",
            "regions",
        ]
        .contains(&name.as_str())
    });
    Ok(fields)
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => shown_text(text),
        other => other.to_string(),
    }
}
