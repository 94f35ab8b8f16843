//! Fits the flash of a drive to what was measured, and predicts the rest.

use std::thread;

use ssdlab_sim::SimError;
use ssdlab_words::decimal_bytes;

use crate::drive::{Drive, Overhead};
use crate::error::CalibrateError;
use crate::measurement::Measurement;

/// Closed forms, small drives and large ones agree within this share.
const ACCURACY: f64 = 0.005;
/// Other ways with errors so much larger than that of the best are as likely as the best.
pub(crate) const AS_LIKELY: f64 = 0.005;
/// A search ends when write amplification is met within this share.
const MET: f64 = 5e-4;
const STEPS: usize = 12;
/// The least cost of cleaning that says something about spare flash: copies for each page of the host.
const LEAST_COPIES: f64 = 0.01;

/// One way to explain the measurements: a cleaning policy and an overhead, with the flash that fits best.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub cleaning: String,
    pub overhead: Overhead,
    /// Bytes that hold data or wait to be cleaned, and the least and the most that they may be.
    pub flash: f64,
    pub range: [f64; 2],
    /// One for each measurement.
    pub rows: Vec<Row>,
    /// The root of the mean squared difference of predictions from measurements, fitted ones and others.
    pub error: f64,
    /// The largest of them.
    pub worst: f64,
}

/// A measurement beside its prediction.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Whether the flash was fitted to it.
    pub fitted: bool,
    /// The write amplification of writes in order; 1 if nothing is known.
    pub overhead: f64,
    pub predicted: f64,
    pub parts: Vec<f64>,
    /// The bytes of flash that this measurement alone tells.
    pub alone: Option<f64>,
}

/// What one measurement tells.
struct Alone {
    flash: f64,
    range: [f64; 2],
    /// The relative change of write amplification with that of the flash.
    slope: f64,
}

/// The flash that several measurements tell together: least squares, with straight lines through what each tells alone; and
/// the range of what they tell alone and of what the sharpest one allows.
fn together<'a>(alone: impl Iterator<Item = &'a Alone> + Clone) -> (f64, [f64; 2]) {
    let weight = |one: &Alone| one.slope * one.slope;
    let weights: f64 = alone.clone().map(weight).sum();
    let logs: f64 = alone.clone().map(|one| weight(one) * one.flash.ln()).sum();
    let flash = (logs / weights).exp();
    let sharpest = alone.clone().max_by(|a, b| weight(a).total_cmp(&weight(b)));
    let ends = alone
        .map(|one| one.flash)
        .chain(sharpest.into_iter().flat_map(|one| one.range));
    let range = ends.fold([flash; 2], |[least, most], end| {
        [least.min(end), most.max(end)]
    });
    (flash, range)
}

impl Overhead {
    /// The cost of cleaning in a write amplification.
    fn without(self, waf: f64, overhead: f64) -> f64 {
        match self {
            Overhead::Factor => waf / overhead,
            Overhead::Added => waf - (overhead - 1.0),
        }
    }

    fn with(self, waf: f64, overhead: f64) -> f64 {
        match self {
            Overhead::Factor => waf * overhead,
            Overhead::Added => waf + (overhead - 1.0),
        }
    }
}

impl Measurement {
    pub fn is_overhead(&self) -> bool {
        self.load.workload.is_sequential()
    }
}

impl Drive {
    /// All ways, the best first; none without a measurement to fit to.
    pub fn fit(&self) -> Result<Vec<Fit>, CalibrateError> {
        let any = self.measurements.iter().any(|m| m.fit == Some(true));
        let is_fitted = |m: &Measurement| !m.is_overhead() && m.fit.unwrap_or(!any);
        let fitted: Vec<bool> = self.measurements.iter().map(is_fitted).collect();
        if !fitted.contains(&true) {
            return Ok(Vec::new());
        }
        let knows = self.measurements.iter().any(Measurement::is_overhead);
        let overheads = match self.overhead {
            Some(overhead) => vec![overhead],
            None if knows => vec![Overhead::Factor, Overhead::Added],
            None => vec![Overhead::Factor],
        };
        let mut ways = Vec::new();
        for cleaning in &self.cleaning {
            ways.extend(overheads.iter().map(|&overhead| (cleaning, overhead)));
        }
        let fit =
            |&(cleaning, overhead): &(&String, Overhead)| self.fit_one(&fitted, cleaning, overhead);
        let mut fits = thread::scope(|scope| {
            let threads = ways.iter().map(|way| scope.spawn(move || fit(way)));
            let threads: Vec<_> = threads.collect();
            let fits = threads
                .into_iter()
                .map(|thread| thread.join().expect("a fit does not panic"));
            fits.collect::<Result<Vec<Fit>, CalibrateError>>()
        })?;
        // a difference of a thousandth says nothing
        fits.sort_by_key(|fit| (1000.0 * fit.error).round() as u64);
        Ok(fits)
    }

    fn fit_one(
        &self,
        fitted: &[bool],
        cleaning: &str,
        overhead: Overhead,
    ) -> Result<Fit, CalibrateError> {
        let of_each = self.measurements.iter().zip(fitted);
        let alone = of_each.map(|(measurement, fitted)| {
            fitted
                .then(|| self.alone(measurement, cleaning, overhead))
                .transpose()
        });
        let alone: Vec<Option<Alone>> = alone.collect::<Result<_, _>>()?;
        let (flash, range) = together(alone.iter().flatten());
        self.holds_the_capacity(flash, fitted, cleaning)?;
        let mut rows = Vec::new();
        for (measurement, alone) in self.measurements.iter().zip(&alone) {
            let own = self.overhead_of(measurement);
            let parts = measurement.found.parts.len();
            let found = measurement
                .load
                .amplification(&self.lab, flash, cleaning, parts);
            let found = found.map_err(|error| failed(measurement, error))?;
            let with = |waf: &f64| match measurement.is_overhead() {
                true => own,
                false => overhead.with(*waf, own),
            };
            rows.push(Row {
                fitted: alone.is_some(),
                overhead: own,
                predicted: with(&found.waf),
                parts: found.parts.iter().map(with).collect(),
                alone: alone.as_ref().map(|one| one.flash),
            });
        }
        let others = self
            .measurements
            .iter()
            .zip(&rows)
            .filter(|(m, _)| !m.is_overhead());
        let errors: Vec<f64> = others
            .map(|(m, row)| row.predicted / m.found.waf - 1.0)
            .collect();
        let squares: f64 = errors.iter().map(|error| error * error).sum();
        let largest = errors
            .iter()
            .copied()
            .max_by(|a, b| a.abs().total_cmp(&b.abs()));
        Ok(Fit {
            cleaning: cleaning.to_owned(),
            overhead,
            flash,
            range,
            rows,
            error: (squares / errors.len() as f64).sqrt(),
            worst: largest.unwrap_or_default(),
        })
    }

    /// Refuses flash that does not hold the capacity.
    fn holds_the_capacity(
        &self,
        flash: f64,
        fitted: &[bool],
        cleaning: &str,
    ) -> Result<(), CalibrateError> {
        let capacity = self.sheet.capacity();
        if flash >= 1.001 * capacity as f64 {
            return Ok(());
        }
        let mut names = self
            .measurements
            .iter()
            .zip(fitted)
            .filter(|(_, fitted)| **fitted);
        Err(CalibrateError::Measurement {
            name: names
                .next()
                .map(|(first, _)| first.name.clone())
                .unwrap_or_default(),
            why: format!(
                "the flash would be {} with {cleaning} cleaning, less than the capacity, {}: was the rest of the drive unmapped \
                 (trimmed), and the workload the one that ran?",
                decimal_bytes(flash as u64),
                decimal_bytes(capacity)
            ),
        })
    }

    /// The write amplification of the writes in order whose space is nearest.
    fn overhead_of(&self, measurement: &Measurement) -> f64 {
        if measurement.is_overhead() {
            return measurement.found.waf;
        }
        let distance = |other: &&Measurement| {
            (other.load.used as f64 / measurement.load.used as f64)
                .ln()
                .abs()
        };
        let in_order = self.measurements.iter().filter(|m| m.is_overhead());
        let nearest = in_order.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map_or(1.0, |nearest| nearest.found.waf)
    }

    /// The flash with which a load has the write amplification that was measured.
    fn alone(
        &self,
        measurement: &Measurement,
        cleaning: &str,
        overhead: Overhead,
    ) -> Result<Alone, CalibrateError> {
        let own = self.overhead_of(measurement);
        let without = |waf: f64| overhead.without(waf, own);
        let target = without(measurement.found.waf);
        let coarse = measurement.load.coarse();
        if target < coarse + LEAST_COPIES {
            return Err(CalibrateError::Measurement {
                name: measurement.name.clone(),
                why: format!(
                    "cleaning copied nothing that tells of spare flash: write amplification {:.4}, and {:.4} of \
                     writes in order; fit a workload of random writes that covers more of the drive",
                    measurement.found.waf, own
                ),
            });
        }
        let used = measurement.load.used as f64;
        let log_waf = |log_spare: f64| {
            let found = measurement.load.amplification(
                &self.lab,
                used * (1.0 + log_spare.exp()),
                cleaning,
                0,
            );
            found
                .map(|found| found.waf.ln())
                .map_err(|error| failed(measurement, error))
        };
        // that of uniform writes, about
        let mut x = (0.5 / (target / coarse - 0.5)).min(8.0).ln();
        let mut y = log_waf(x)?;
        let (mut slope, goal) = (-0.6, target.ln());
        for _ in 0..STEPS {
            if (y - goal).abs() < MET {
                break;
            }
            let step = ((goal - y) / slope).clamp(-0.7, 0.7);
            let next = (x + step).clamp(MOST_SPARE.recip().ln(), MOST_SPARE.ln());
            if next == x {
                break;
            }
            let found = log_waf(next)?;
            if (next - x).abs() > 0.01 {
                slope = ((found - y) / (next - x)).clamp(-3.0, -0.01);
            }
            (x, y) = (next, found);
        }
        if (y - goal).abs() > ACCURACY {
            return Err(CalibrateError::Measurement {
                name: measurement.name.clone(),
                why: format!(
                    "no spare flash from {} to {} of the used space gives its write amplification, {target:.4} without \
                     overhead; with {:.3} it would be {:.4}: is the workload the one that ran?",
                    MOST_SPARE.recip(),
                    MOST_SPARE,
                    x.exp(),
                    y.exp()
                ),
            });
        }
        let near = log_waf(x + NEAR)?;
        let slope = ((near - y) / NEAR).min(-0.01);
        let flash = |x: f64| used * (1.0 + x.exp());
        let end = |waf: f64, share: f64| {
            flash(x + ((without(waf) * share).max(coarse + 1e-3).ln() - goal) / slope)
        };
        let [least, most] = measurement.found.range;
        // more write amplification is less flash
        let mut range = [end(most, 1.0 + ACCURACY), end(least, 1.0 - ACCURACY)];
        if !measurement.found.parts.is_empty() {
            // the mean of a pass tells one figure, its parts another one
            let of_mean = flash(x);
            let parts: Vec<f64> = measurement
                .found
                .parts
                .iter()
                .map(|&waf| without(waf))
                .collect();
            x = self.least_squares(measurement, cleaning, &parts, x)?;
            range = [flash(x).min(of_mean), flash(x).max(of_mean)];
        }
        let spare = x.exp();
        Ok(Alone {
            flash: flash(x),
            range,
            slope: slope * (1.0 + spare) / spare,
        })
    }

    /// The logarithm of the spare share with which the parts of a pass fit best, from that of its mean on.
    fn least_squares(
        &self,
        measurement: &Measurement,
        cleaning: &str,
        parts: &[f64],
        from: f64,
    ) -> Result<f64, CalibrateError> {
        let simulated = |x: f64| {
            let flash = measurement.load.used as f64 * (1.0 + x.exp());
            let found = measurement
                .load
                .amplification(&self.lab, flash, cleaning, parts.len());
            found
                .map(|found| found.parts)
                .map_err(|error| failed(measurement, error))
        };
        let mut x = from;
        // two steps of Gauss and Newton
        for _ in 0..2 {
            let (here, near) = (simulated(x)?, simulated(x + NEAR)?);
            let slopes = here
                .iter()
                .zip(&near)
                .map(|(here, near)| (near - here) / NEAR);
            let sums = parts
                .iter()
                .zip(&here)
                .zip(slopes)
                .map(|((part, here), slope)| ((part - here) * slope, slope * slope));
            let (along, all) = sums.fold((0.0, 0.0), |(along, all), (a, b)| (along + a, all + b));
            x += (along / all).clamp(-0.3, 0.3);
        }
        Ok(x)
    }
}

/// The step, in the logarithm of the spare share, over which slopes are taken.
const NEAR: f64 = 0.1;

/// The most spare flash, as a share of the used space; the least is its inverse.
const MOST_SPARE: f64 = 50.0;

fn failed(measurement: &Measurement, error: SimError) -> CalibrateError {
    CalibrateError::Simulation {
        name: measurement.name.clone(),
        error: Box::new(error),
    }
}
