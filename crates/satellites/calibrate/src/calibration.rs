//! The result of a calibration, as plain data.

use std::path::Path;

use serde::Serialize;
use ssdlab_counters::Warning;
use ssdlab_sim::Lab;
use ssdlab_theory::{Spare as Factor, greedy};

use crate::cliff::{FittedCliff, Measured};
use crate::configuration::{Lines, configuration};
use crate::drive::{Drive, Overhead};
use crate::error::CalibrateError;
use crate::fit::{AS_LIKELY, Fit, Row};
use crate::measurement::Measurement;
use crate::sheet::Sheet;
use crate::times::{Clocks, clocks};

/// What is known of a drive.
#[derive(Debug, Serialize)]
pub struct Calibration {
    /// Its name.
    pub name: String,
    /// Bytes for the host.
    pub capacity: u64,
    /// Where the flash is known from, in words.
    pub basis: String,
    /// Bytes of flash that hold data or wait to be cleaned.
    pub flash_bytes: u64,
    /// The least and the most that this may be; `None` if nothing tells.
    pub flash_range: Option<[u64; 2]>,
    /// The same beyond the capacity, as a share of the capacity.
    pub spare: f64,
    /// Its least and its most.
    pub spare_range: Option<[f64; 2]>,
    /// The ways to explain the measurements, the best first.
    pub explanations: Vec<Explanation>,
    /// The measurements beside what the best explanation predicts.
    pub measurements: Vec<Compared>,
    /// Write amplification of uniform writes over the whole capacity, without overhead.
    pub uniform: f64,
    /// The same by the rates of the sheet.
    pub uniform_by_rates: Option<f64>,
    /// What loads tell of the clocks; `None` without loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// What a fill tells of the SLC cache; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cliff: Option<FittedCliff>,
    /// The configuration file.
    pub configuration: String,
}

/// A cleaning policy and an overhead, with the flash that fits best.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// `ftl.cleaning`.
    pub cleaning: String,
    /// How the overhead adds; `None` if no writes in order were measured.
    pub overhead: Option<Overhead>,
    /// Flash beyond the capacity, as a share of the capacity.
    pub spare: f64,
    /// The root of the mean squared difference of predictions from measurements, as a share, without writes in order.
    pub error: f64,
    /// The largest difference.
    pub worst: f64,
}

/// A measurement beside its prediction.
#[derive(Debug, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The bytes that it covers.
    pub used: u64,
    /// Media bytes for each byte of the host.
    pub measured: f64,
    /// Its least and its most by the steps of the counters.
    pub range: [f64; 2],
    /// Write amplification of the writes in order whose space is nearest; 1 if none were measured.
    pub overhead: f64,
    /// What the explanation predicts, with its overhead.
    pub predicted: f64,
    /// `closed form` or `simulation`.
    pub by: &'static str,
    /// The spare share that this measurement alone tells.
    pub spare_alone: Option<f64>,
    /// Measured and predicted, for each part of a pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<[f64; 2]>,
    /// The counters of host and flash that it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<[String; 2]>,
    /// What to know of these counters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Where it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What a measurement is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The spare flash was fitted to it.
    Fitted,
    /// It was predicted.
    Predicted,
    /// Writes in order: what the drive writes beside data.
    Overhead,
}

impl Role {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Fitted => "fitted",
            Role::Predicted => "predicted",
            Role::Overhead => "overhead",
        }
    }
}

/// The flash of a drive, for its configuration.
pub(crate) struct Spare {
    pub flash: f64,
    pub range: Option<[f64; 2]>,
    pub basis: String,
    pub cleaning: String,
    pub cleaning_source: String,
    /// Write amplification of writes in order over the whole drive, and whether it is added.
    pub overhead: f64,
    pub added: bool,
    /// Write amplification of uniform writes over the whole drive, without overhead.
    pub uniform: f64,
}

/// Calibrates the drive that a file describes, which may name the systems of the laboratory.
///
/// # Errors
/// A file that is wrong, measurements that nothing explains, or a drive that the configuration cannot describe.
pub fn calibrate(path: &Path, lab: &Lab) -> Result<Calibration, CalibrateError> {
    let drive = Drive::read(path, lab)?;
    let fits = drive.fit()?;
    let mut spare = spare(&drive, &fits);
    let clocks = clocks(&drive, &mut spare)?;
    let written = match &drive.cliff {
        Some(fill) => of_cliff(&drive, &mut spare, fill),
        None => {
            let keys = clocks.as_ref().map_or(&[][..], |clocks| &clocks.fitted);
            configuration(&drive, &spare, keys).map(|text| (text, None))
        }
    };
    let (configuration, cliff) = written.map_err(|why| CalibrateError::Log {
        path: path.to_owned(),
        why,
    })?;
    let capacity = drive.sheet.capacity();
    let share = |flash: f64| flash / capacity as f64 - 1.0;
    let knows = drive.measurements.iter().any(Measurement::is_overhead);
    let explanation = |fit: &Fit| Explanation {
        cleaning: fit.cleaning.clone(),
        overhead: knows.then_some(fit.overhead),
        spare: share(fit.flash),
        error: fit.error,
        worst: fit.worst,
    };
    let rows = fits.first().map_or(&[][..], |best| &best.rows);
    let compared = drive
        .measurements
        .iter()
        .zip(rows)
        .map(|(measurement, row)| compared(measurement, row, &spare, capacity));
    Ok(Calibration {
        name: drive.name.clone(),
        capacity,
        basis: spare.basis.clone(),
        flash_bytes: spare.flash as u64,
        flash_range: spare.range.map(|range| range.map(|end| end as u64)),
        spare: share(spare.flash),
        spare_range: spare.range.map(|range| range.map(share)),
        explanations: fits.iter().map(explanation).collect(),
        measurements: compared.collect(),
        uniform: spare.uniform,
        uniform_by_rates: rates(&drive.sheet),
        clocks,
        cliff,
        configuration,
    })
}

/// The configuration of a drive whose fill was measured, and what it is from.
fn of_cliff(
    drive: &Drive,
    spare: &mut Spare,
    fill: &Measured,
) -> Result<(String, Option<FittedCliff>), String> {
    let mut lines = Lines::of(drive);
    let told = fill.configured(&mut lines, spare)?;
    spare.uniform = uniform(spare.flash / drive.sheet.capacity() as f64 - 1.0);
    let text = lines.headed();
    let config = lines.resolved(&text)?;
    let capacity = drive.sheet.capacity() as f64;
    Ok((text, fill.compared(told, &config, capacity)))
}

fn compared(measurement: &Measurement, row: &Row, spare: &Spare, capacity: u64) -> Compared {
    let role = match (measurement.is_overhead(), row.fitted) {
        (true, _) => Role::Overhead,
        (false, true) => Role::Fitted,
        (false, false) => Role::Predicted,
    };
    let found = &measurement.found;
    Compared {
        name: measurement.name.clone(),
        role,
        used: measurement.load.used,
        measured: found.waf,
        range: found.range,
        overhead: row.overhead,
        predicted: row.predicted,
        by: if measurement.load.has_closed_form(&spare.cleaning) {
            "closed form"
        } else {
            "simulation"
        },
        spare_alone: row.alone.map(|flash| flash / capacity as f64 - 1.0),
        parts: found
            .parts
            .iter()
            .zip(&row.parts)
            .map(|(&measured, &predicted)| [measured, predicted])
            .collect(),
        counters: found.counters.clone(),
        warnings: found.warnings.clone(),
        source: measurement.source.clone(),
    }
}

/// The flash: by the measurements, else by the sheet, else by its rates, else as usual.
fn spare(drive: &Drive, fits: &[Fit]) -> Spare {
    let (sheet, capacity) = (&drive.sheet, drive.sheet.capacity() as f64);
    let (flash, range, basis) = match fits.first() {
        Some(fit) => {
            let likely = fits
                .iter()
                .filter(|other| other.error <= fit.error + AS_LIKELY);
            let range = likely.fold(fit.range, |[least, most], other| {
                [least.min(other.range[0]), most.max(other.range[1])]
            });
            (fit.flash, Some(range), fitted(drive, fit))
        }
        None => stated(sheet, capacity),
    };
    let whole = drive
        .measurements
        .iter()
        .filter(|m| m.is_overhead())
        .max_by_key(|m| m.load.used);
    let cleaning = fits.first().map_or(&drive.cleaning[0], |fit| &fit.cleaning);
    let cleaning_source = match fits.len() {
        0 => "assumption: the block with the fewest valid pages",
        _ if drive.cleaning.len() > 1 => "the best of those tried against the measurements",
        _ => "assumption; the flash was fitted with it",
    };
    Spare {
        flash,
        range,
        basis,
        cleaning: cleaning.clone(),
        cleaning_source: cleaning_source.into(),
        overhead: whole.map_or(1.0, |m| m.found.waf),
        added: fits
            .first()
            .is_some_and(|fit| fit.overhead == Overhead::Added),
        uniform: uniform(flash / capacity - 1.0),
    }
}

/// The measurements that a figure was fitted to, in words.
fn fitted(drive: &Drive, fit: &Fit) -> String {
    let names = drive
        .measurements
        .iter()
        .zip(&fit.rows)
        .filter(|(_, row)| row.fitted);
    let names: Vec<&str> = names.map(|(m, _)| m.name.as_str()).collect();
    format!("fitted to {}", ssdlab_words::listed(&names))
}

fn stated(sheet: &Sheet, capacity: f64) -> (f64, Option<[f64; 2]>, String) {
    if let Some(flash) = sheet.get("flash") {
        let why = format!(
            "flash inside, all of which is taken to hold data or to wait to be cleaned: {}",
            flash.source
        );
        return (flash.value.max(capacity * 1.001), None, why);
    }
    if let Some(spare) = sheet.get("spare") {
        return (capacity * (1.0 + spare.value), None, spare.source.clone());
    }
    if let Some(share) = rates(sheet).and_then(spare_of) {
        let why =
            "rates of writes in order and at random, if nothing but cleaning slows the latter";
        return (capacity * (1.0 + share), None, why.into());
    }
    (
        capacity * 1.07,
        None,
        "assumption: 7 %, the gap between GiB and GB".into(),
    )
}

/// Write amplification of uniform writes, by the rates of the sheet.
fn rates(sheet: &Sheet) -> Option<f64> {
    let [sustained, stated, random] = [
        "sustained_write_mb_s",
        "sequential_write_mb_s",
        "random_write_iops",
    ]
    .map(|name| sheet.value(name));
    let in_order = sustained.or(stated);
    let waf = in_order? * 1e6 / (random? * 4096.0);
    Some(waf / (sheet.mapping_unit() as f64 / 4096.0).max(1.0)).filter(|waf| *waf >= 1.0)
}

/// Write amplification of uniform writes with this spare share.
fn uniform(spare: f64) -> f64 {
    Factor::from_over_provisioning(spare).map_or(1.0, |spare| greedy(spare, 512))
}

/// The spare share that has this write amplification under uniform writes; none if hardly any or all would do.
fn spare_of(waf: f64) -> Option<f64> {
    let (mut low, mut high) = (0.01, 10.0);
    if !(uniform(high)..=uniform(low)).contains(&waf) {
        return None;
    }
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if uniform(middle) > waf {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}
