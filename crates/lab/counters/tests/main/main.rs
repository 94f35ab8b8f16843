//! What logs say, in units that are proven.

mod json;
mod running;
mod text;

use ssdlab_counters::{CounterError, Log, Reading, readings};

/// The readings of logs, each with its name.
fn read(logs: &[(&str, &str)]) -> Result<Vec<Reading>, CounterError> {
    let mut all = Vec::new();
    for (name, text) in logs {
        all.extend(Log::parse(name, text.as_bytes())?);
    }
    readings(all)
}

/// The only reading of a log.
fn one(text: &str) -> Reading {
    let mut found = read(&[("log", text)]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn refused(logs: &[(&str, &str)]) -> String {
    match read(logs) {
        Err(error) => error.to_string(),
        Ok(found) => panic!("{found:?}"),
    }
}

fn codes(reading: &Reading) -> Vec<&str> {
    reading
        .warnings
        .iter()
        .map(|warning| warning.code)
        .collect()
}
