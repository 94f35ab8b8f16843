//! Which drive a log is of: readings of two drives tell nothing.

use ssdlab_words::{shown_text, thousands};

use crate::error::CounterError;
use crate::log::Log;

/// How much the capacity may differ between tools, some of which round it, as a share.
const ROUNDED: f64 = 0.01;

/// Checks that all logs, as far as they say it, are of one drive.
///
/// # Errors
/// They differ in the serial number, the model, the capacity or the logical block size.
pub fn one_drive(logs: &[Log]) -> Result<(), CounterError> {
    type Fact = fn(&Log) -> Option<String>;
    let texts: [(&str, Fact); 3] = [
        ("the model", |log| log.model.clone()),
        ("the serial number", |log| log.serial.clone()),
        ("the logical block size", |log| {
            log.sector.map(|bytes| bytes.to_string())
        }),
    ];
    for (what, fact) in texts {
        let equal = |a: &String, b: &String| a.eq_ignore_ascii_case(b);
        compare(logs, what, fact, equal, |text| shown_text(text).to_string())?;
    }
    let capacity = |log: &Log| log.capacity.filter(|bytes| *bytes > 0);
    let near = |a: &u64, b: &u64| (*a as f64 / *b as f64 - 1.0).abs() <= ROUNDED;
    let shown = |bytes: &u64| format!("{} bytes", thousands(*bytes));
    compare(logs, "the capacity", capacity, near, shown)
}

/// Compares a fact of all logs with that of the first one that has it.
fn compare<T>(
    logs: &[Log],
    what: &str,
    fact: impl Fn(&Log) -> Option<T>,
    equal: impl Fn(&T, &T) -> bool,
    shown: impl Fn(&T) -> String,
) -> Result<(), CounterError> {
    let mut said = logs.iter().filter_map(|log| Some((log, fact(log)?)));
    let Some((first, own)) = said.next() else {
        return Ok(());
    };
    let Some((log, other)) = said.find(|(_, other)| !equal(other, &own)) else {
        return Ok(());
    };
    let place = match log.name == first.name {
        true => "the drive before it".to_owned(),
        false => first.name.clone(),
    };
    let why = format!(
        "is of another drive than {place}: {what} is {} here, and {} there: two drives; give the logs of one",
        shown(&other),
        shown(&own)
    );
    Err(CounterError::new(&log.name, why))
}
