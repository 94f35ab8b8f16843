//! Distributions of ln E, where E is the bytes that the host can write until the drive says 100 %.

use serde::Serialize;

/// What 10, 50 and 90 % of drives have at most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// One drive in ten has less.
    pub p10: f64,
    /// The median.
    pub p50: f64,
    /// One drive in ten has more.
    pub p90: f64,
}

impl Range {
    /// Each value changed.
    pub fn map(self, of: impl Fn(f64) -> f64) -> Self {
        let Range { p10, p50, p90 } = self;
        Self {
            p10: of(p10),
            p50: of(p50),
            p90: of(p90),
        }
    }
}

/// The normal scores of 10, 25, 50, 75 and 90 %.
const SCORES: [f64; 5] = [
    -1.281_551_565_544_600_4,
    -0.674_489_750_196_081_7,
    0.0,
    0.674_489_750_196_081_7,
    1.281_551_565_544_600_4,
];
/// Spread of a reading: percentage used is no exact count.
const SIGMA_READ: f64 = 0.12;
/// How much a byte wears in future, against now: logarithm of the median, and spread.
const FUTURE: (f64, f64) = (-0.05, 0.30);
/// Drives of one name in another place differ by this at least.
const SPREAD: f64 = 0.7;
/// The share of drives that are like those measured.
const ALIKE: f64 = 0.95;

/// Five quantiles of E in bytes: 10, 25, 50, 75 and 90 %.
pub(crate) type Quantiles = [f64; 5];

/// Quantiles of drives of one name, as wide as another operator's are.
pub(crate) fn widened(quantiles: Quantiles) -> Quantiles {
    let mut logs = quantiles.map(f64::ln);
    let median = logs[2];
    for (log, score) in logs.iter_mut().zip(SCORES) {
        let far = median + SPREAD * score;
        *log = if score < 0.0 {
            log.min(far)
        } else {
            log.max(far)
        };
    }
    logs.map(f64::exp)
}

/// Quantiles of a drive that nothing is known of but what it says itself: as wide as all drives together.
pub(crate) fn vague(median: f64) -> Quantiles {
    const SIGMA: f64 = 2.0;
    SCORES.map(|score| median * (SIGMA * score).exp())
}

/// Quartiles between quantiles that are known: ln E is linear in the normal score.
pub(crate) fn with_quartiles([p10, p50, p90]: [f64; 3]) -> Quantiles {
    let at = SCORES[3] / SCORES[4];
    let between = |end: f64| (p50.ln() + (end / p50).ln() * at).exp();
    [p10, between(p10), p50, between(p90), p90]
}

/// Values of ln E with weights.
pub(crate) struct Weighted(Vec<(f64, f64)>);

/// The interval of scores that a value lies in, the ends extended.
fn interval(value: f64, bounds: [f64; 5]) -> usize {
    match value {
        _ if value <= bounds[1] => 0,
        _ if value >= bounds[3] => 3,
        _ if value <= bounds[2] => 1,
        _ => 2,
    }
}

impl Weighted {
    /// Drives as they are, without a reading.
    pub fn prior(quantiles: Quantiles) -> Self {
        let logs = quantiles.map(f64::ln);
        let points = (0..=600).map(|i| {
            let z = -3.0 + 6.0 * f64::from(i) / 600.0;
            let i = interval(z, SCORES);
            let log =
                logs[i] + (logs[i + 1] - logs[i]) * (z - SCORES[i]) / (SCORES[i + 1] - SCORES[i]);
            (log, (-z * z / 2.0).exp())
        });
        Self(points.collect())
    }

    /// Drives that said `used` percent after `host` bytes.
    pub fn of_reading(quantiles: Quantiles, host: f64, used: f64) -> Self {
        let logs = quantiles.map(f64::ln);
        let low = (100.0 * host / (used + 1.0)).ln();
        let high = (used > 0.0).then(|| (100.0 * host / used).ln());
        let from = (logs[0] - 2.5).min(low - 1.0);
        let to = (logs[4] + 2.5).max(high.unwrap_or(low) + 1.0);
        let below = |score: f64| 0.5 * libm::erfc(-score / std::f64::consts::SQRT_2);
        let points = (0..=1600).map(|i| {
            let log = from + (to - from) * f64::from(i) / 1600.0;
            let i = interval(log, logs);
            let slope = (SCORES[i + 1] - SCORES[i]) / (logs[i + 1] - logs[i]).max(1e-9);
            let z = SCORES[i] + (log - logs[i]) * slope;
            let alike = slope * (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            let density = ALIKE * alike + (1.0 - ALIKE) / (to - from);
            let upper = high.map_or(1.0, |high| below((high - log) / SIGMA_READ));
            let likelihood = upper - below((low - log) / SIGMA_READ);
            (log, density * likelihood.max(0.0))
        });
        Self(points.collect())
    }

    /// The same if what a byte wears changes as it does.
    pub fn in_future(&self) -> Self {
        let (median, sigma) = FUTURE;
        let steps = (0..41).map(|i| -3.5 + 7.0 * f64::from(i) / 40.0);
        let points = steps.flat_map(|z| {
            let weight = (-z * z / 2.0).exp();
            self.0
                .iter()
                .map(move |(log, own)| (log + median + sigma * z, own * weight))
        });
        Self(points.collect())
    }

    /// Its quantiles in bytes.
    pub fn range(&self) -> Range {
        let mut points = self.0.clone();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = points.iter().map(|point| point.1).sum();
        let mut sum = 0.0;
        let mut shares = [0.1, 0.5, 0.9].into_iter().peekable();
        let mut found = Vec::new();
        for (log, weight) in &points {
            sum += weight / total;
            while shares.next_if(|share| sum >= *share).is_some() {
                found.push(log.exp());
            }
        }
        let last = points.last().map_or(0.0, |point| point.0.exp());
        found.resize(3, last);
        let [p10, p50, p90] = [found[0], found[1], found[2]];
        Range { p10, p50, p90 }
    }
}
