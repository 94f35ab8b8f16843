//! The figures of a run in the table, the tiles and the charts.

use ssdlab_sim::{Bounds, Comparison, RankBy, Relative, Row};

use crate::format;
use crate::varied::policies;

/// Whether large or small values of a figure are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Large values.
    More,
    /// Small values.
    Less,
}

use Better::{Less, More};

/// A figure of a run.
#[derive(Clone, Copy)]
pub struct Figure {
    /// Its name in the data of the charts.
    pub key: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The number of decimals.
    pub decimals: usize,
    /// Whether large or small values are better.
    pub better: Better,
    /// The number; `None` where it has no meaning.
    pub value: fn(&Row) -> Option<f64>,
    /// The figure relative to the baseline: a fraction, or for percentages a difference.
    pub relative: fn(&Relative) -> Option<f64>,
    /// Whether a bound is valid for the figure.
    pub bounded: fn(&Bounds) -> bool,
    /// Whether there is a chart of it.
    pub charted: bool,
    /// Whether the table shows it if it is 0 in all runs.
    told: bool,
    /// Whether it is shown only if it ranks the runs.
    ranking: bool,
}

/// A count without a chart; the table omits it if it is 0 in all runs.
const fn count(
    key: &'static str,
    title: &'static str,
    unit: &'static str,
    better: Better,
    value: fn(&Row) -> Option<f64>,
) -> Figure {
    Figure {
        key,
        title,
        unit,
        decimals: 0,
        better,
        value,
        relative: |_| None,
        bounded: |_| false,
        charted: false,
        told: false,
        ranking: false,
    }
}

impl Figure {
    const fn told(self) -> Self {
        Self { told: true, ..self }
    }

    const fn only_if_ranking(self) -> Self {
        Self {
            ranking: true,
            ..self
        }
    }

    const fn charted(self, bounded: fn(&Bounds) -> bool) -> Self {
        Self {
            charted: true,
            bounded,
            ..self
        }
    }

    const fn decimals(self, decimals: usize) -> Self {
        Self { decimals, ..self }
    }

    const fn against(self, relative: fn(&Relative) -> Option<f64>) -> Self {
        Self { relative, ..self }
    }

    /// The number as text.
    pub fn text(&self, value: f64) -> String {
        format::decimal(value, self.decimals)
    }

    /// The numbers of the policies' runs that have one.
    fn values(&self, comparison: &Comparison) -> impl Iterator<Item = f64> {
        policies(comparison).filter_map(self.value)
    }
}

/// All figures, in the order of the table.
const FIGURES: [Figure; 13] = [
    count("throughput", "Throughput", "MB/s", More, |row| {
        row.outcome.derived.throughput_mb_s
    })
    .told()
    .charted(|bounds| bounds.throughput)
    .decimals(2)
    .against(|relative| relative.throughput),
    count("waf", "Write amplification", "×", Less, |row| {
        row.outcome.derived.waf
    })
    .told()
    .charted(|bounds| bounds.waf)
    .decimals(2)
    .against(|relative| relative.waf),
    count("erases", "Erases", "blocks", Less, |row| {
        Some(row.outcome.counters.erases as f64)
    })
    .told()
    .charted(|bounds| bounds.erases)
    .against(|relative| relative.erases),
    count("p99", "p99 of writes", "ms", Less, |row| {
        RankBy::P99.value(row).map(|ns| ns / 1e6)
    })
    .charted(|bounds| bounds.p99)
    .decimals(2)
    .against(|relative| relative.p99),
    // the table of endurance shows the life of every run
    count("life", "Life", "TB", More, |row| RankBy::Life.value(row))
        .only_if_ranking()
        .charted(|bounds| bounds.life)
        .decimals(1)
        .against(|relative| relative.life),
    count("write_hits", "Write hits", "%", More, |row| {
        row.outcome.derived.write_hit_ratio.map(|hits| 100.0 * hits)
    })
    .charted(|bounds| bounds.write_hit_ratio)
    .decimals(1)
    .against(|relative| relative.write_hit_ratio),
    count("switch_merges", "Switch merges", "count", More, |row| {
        Some(row.outcome.counters.switch_merges as f64)
    })
    .against(|relative| relative.switch_merges),
    count("partial_merges", "Partial merges", "count", Less, |row| {
        Some(row.outcome.counters.partial_merges as f64)
    })
    .against(|relative| relative.partial_merges),
    count("full_merges", "Full merges", "count", Less, |row| {
        Some(row.outcome.counters.full_merges as f64)
    })
    .against(|relative| relative.full_merges),
    count("gc_victims", "Cleaned", "blocks", Less, |row| {
        Some(row.outcome.counters.gc_victims as f64)
    }),
    count("copied", "Copied", "pages", Less, |row| {
        let counters = &row.outcome.counters;
        Some(counters.flash_copies as f64 + counters.copy_backs as f64)
    }),
    count("padding_reads", "Padding reads", "pages", Less, |row| {
        Some(row.outcome.counters.padding_reads as f64)
    }),
    count("elapsed", "Elapsed", "s", Less, |row| {
        Some(format::seconds(row.outcome.counters.elapsed_ns))
    })
    .told()
    .decimals(1),
];

/// The figures that are not empty for these runs, with as many decimals as the smallest numbers need; the one that ranks
/// the runs is always among them.
pub fn of(comparison: &Comparison) -> Vec<Figure> {
    let said = |figure: &&Figure| {
        let ranks = figure.key == comparison.verdict.by.name();
        let has_values = || figure.values(comparison).any(|value| value != 0.0);
        ranks || !figure.ranking && (figure.told || has_values())
    };
    let with_decimals = |figure: &Figure| {
        let positive = figure.values(comparison).filter(|&value| value > 0.0);
        let least = positive.fold(f64::INFINITY, f64::min);
        match figure.decimals {
            0 => *figure,
            usual if figure.unit != "%" => figure.decimals(format::decimals(least, usual)),
            _ => *figure,
        }
    };
    FIGURES.iter().filter(said).map(with_decimals).collect()
}
