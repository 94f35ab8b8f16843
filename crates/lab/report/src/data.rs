//! The data of a comparison for other programs: CSV and JSON.

use ssdlab_results::Compared;

use crate::escape::json_lines;

/// One line for each run, after a header: the columns of results, and what a comparison has beside them
/// ([`Compared::table`]).
///
/// # Errors
/// The error of the encoder.
pub fn csv(compared: &Compared) -> Result<String, String> {
    let mut bytes = Vec::new();
    let written = compared.table().write_csv(&mut bytes);
    written.map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// The whole comparison as one JSON object.
///
/// # Errors
/// The error of the encoder.
pub fn json(compared: &Compared) -> Result<String, String> {
    let value = serde_json::to_value(compared.comparison);
    let mut value = value.map_err(|error| error.to_string())?;
    value["rows"] = compared.json().into();
    Ok(json_lines(&value) + "\n")
}
