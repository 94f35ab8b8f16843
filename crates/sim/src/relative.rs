//! Compares rows with the baseline of the same buffer size.

use crate::rank::RankBy;
use crate::row::{Relative, Row};

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
        p99: float(RankBy::P99.value(row), RankBy::P99.value(base)),
        life: float(RankBy::Life.value(row), RankBy::Life.value(base)),
    }
}
