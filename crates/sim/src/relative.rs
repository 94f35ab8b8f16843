//! Compares rows with the baseline of the same buffer size.

use serde::Serialize;

use crate::Row;

/// The figures of a row relative to its baseline: 0.1 is a tenth more; `None` where the baseline is 0 or unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Relative {
    /// Throughput.
    pub throughput: Option<f64>,
    /// Block erases.
    pub erases: Option<f64>,
    /// Write amplification.
    pub waf: Option<f64>,
    /// Switch merges.
    pub switch_merges: Option<f64>,
    /// Partial merges.
    pub partial_merges: Option<f64>,
    /// Full merges.
    pub full_merges: Option<f64>,
    /// Write hit ratio: the difference; 0.1 is ten percentage points more.
    pub write_hit_ratio: Option<f64>,
}

impl Relative {
    /// The figures that are equal in both.
    pub(crate) fn common(&self, other: &Self) -> Self {
        let same = |a: Option<f64>, b: Option<f64>| a.filter(|_| a == b);
        Self {
            throughput: same(self.throughput, other.throughput),
            erases: same(self.erases, other.erases),
            waf: same(self.waf, other.waf),
            switch_merges: same(self.switch_merges, other.switch_merges),
            partial_merges: same(self.partial_merges, other.partial_merges),
            full_merges: same(self.full_merges, other.full_merges),
            write_hit_ratio: same(self.write_hit_ratio, other.write_hit_ratio),
        }
    }
}

/// Fills in the figures of each row relative to the baseline of its size. A row without a size has a baseline only if
/// one size is compared.
pub(crate) fn fill(rows: &mut [Row], baseline: &str, sizes: usize) {
    let of = |row: &Row| {
        let same_size = |base: &&Row| {
            base.size.is_none() || base.size == row.size || row.size.is_none() && sizes == 1
        };
        let mut bases = rows.iter().filter(|base| base.label == baseline);
        let base = bases.find(same_size);
        base.map_or_else(Relative::default, |base| relative(row, base))
    };
    let all: Vec<Relative> = rows.iter().map(of).collect();
    for (row, relative) in rows.iter_mut().zip(all) {
        row.relative = relative;
    }
}

fn relative(row: &Row, base: &Row) -> Relative {
    let (a, b) = (&row.outcome, &base.outcome);
    let float = |a: Option<f64>, b: Option<f64>| Some(a? / b.filter(|&b| b > 0.0)? - 1.0);
    let count = |a: u64, b: u64| float(Some(a as f64), Some(b as f64));
    let (x, y) = (&a.counters, &b.counters);
    Relative {
        throughput: float(a.derived.throughput_mb_s, b.derived.throughput_mb_s),
        erases: count(x.erases, y.erases),
        waf: float(a.derived.waf, b.derived.waf),
        switch_merges: count(x.switch_merges, y.switch_merges),
        partial_merges: count(x.partial_merges, y.partial_merges),
        full_merges: count(x.full_merges, y.full_merges),
        write_hit_ratio: a
            .derived
            .write_hit_ratio
            .zip(b.derived.write_hit_ratio)
            .map(|(a, b)| a - b),
    }
}
