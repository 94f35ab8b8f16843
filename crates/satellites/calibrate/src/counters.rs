//! The counters of a drive before and after a workload.

use std::path::{Path, PathBuf};

use ssdlab_counters::{Growth, Log, Reading, Warning, one_drive};
use ssdlab_words::{decimal_bytes, shown_path};

use crate::error::CalibrateError;
use crate::file;
use crate::sheet::Sheet;

/// How much the capacity of a log may differ from that of the sheet, as a share.
const ROUNDED: f64 = 0.01;

/// The logs of one reading.
fn logs(paths: &[PathBuf]) -> Result<Vec<Log>, CalibrateError> {
    let mut all = Vec::new();
    for path in paths {
        let found = Log::parse(&shown_path(path).to_string(), &file::bytes(path)?)?;
        if found.len() > 1 {
            let why = format!(
                "lists {} drives; must be of the one that was measured",
                found.len()
            );
            return Err(wrong(path, why));
        }
        all.extend(found);
    }
    Ok(all)
}

fn wrong(path: &Path, why: String) -> CalibrateError {
    CalibrateError::Log {
        path: path.to_owned(),
        why,
    }
}

/// The growth from the logs before to those after, of the drive of a sheet, and what to know of the counters.
pub(crate) fn growth(
    before: &[PathBuf],
    after: &[PathBuf],
    sheet: &Sheet,
) -> Result<(Growth, Vec<Warning>), CalibrateError> {
    let [from, to] = [logs(before)?, logs(after)?];
    one_drive(&[&from[..], &to[..]].concat())?;
    let [from, to] = [Reading::of(from)?, Reading::of(to)?];
    let sold = sheet.capacity();
    for (reading, path) in [(&from, before), (&to, after)] {
        let other = reading
            .capacity
            .filter(|bytes| (*bytes as f64 / sold as f64 - 1.0).abs() > ROUNDED);
        if let (Some(bytes), Some(path)) = (other, path.first()) {
            let why = format!(
                "is of a drive with {}, and the capacity in the sheet is {}",
                decimal_bytes(bytes),
                decimal_bytes(sold)
            );
            return Err(wrong(path, why));
        }
    }
    let growth = to.growth_since(&from, flash(sheet))?;
    Ok((growth, to.warnings))
}

/// All flash: as the sheet says it, else the next power of two, as it is sold.
fn flash(sheet: &Sheet) -> u64 {
    let stated = sheet.value("flash").map(|bytes| bytes as u64);
    stated.unwrap_or_else(|| sheet.capacity().next_power_of_two())
}
