//! The data of the pictures of the parallel model: latencies, rates over time, the use of the parts, and what they did
//! while the slowest write was served.

use serde_json::{Map, Value, json};
use ssdlab_sim::{
    Activity, Clocked, Comparison, Histogram, Latency, OverTime, Row, Slowest, Span, Utilisation,
};
use ssdlab_words::bytes;

use crate::parts::Parts;
use crate::reasons::{named, winner};

/// Whether any run has latencies.
pub fn is_known(comparison: &Comparison) -> bool {
    comparison.rows.iter().any(|row| row.clocked.is_some())
}

/// The distributions of a run's latencies by operation, its values over time and the use of its parts; null under the
/// serial model.
pub fn run(row: &Row) -> Value {
    let outcome = &row.outcome;
    let all = (&row.clocked, &outcome.latency_ns, &outcome.utilisation);
    let (Some(clocked), Some(latencies), Some(used)) = all else {
        return Value::Null;
    };
    let Clocked {
        latency_histogram: counts,
        over_time,
        ..
    } = clocked;
    let ops = [
        ("W", &counts.writes, &latencies.writes),
        ("R", &counts.reads, &latencies.reads),
        ("F", &counts.flushes, &latencies.flushes),
        ("D", &counts.discards, &latencies.discards),
    ];
    let latencies = ops.into_iter().filter(|(_, counts, _)| !counts.is_empty());
    let latencies: Map<String, Value> = latencies
        .map(|(op, counts, latency)| (op.to_owned(), distribution(counts, latency)))
        .collect();
    json!({
        "latency": latencies,
        "time": over(over_time),
        "use": used_shares(used),
    })
}

/// Pairs (µs, percent of the requests that take at least about as long), and the named figures in µs.
fn distribution(counts: &Histogram, latency: &Latency) -> Value {
    let all: u64 = counts.iter().map(|&(_, count)| count).sum();
    let mut left = all;
    let at_least = |&(ns, count): &(u64, u64)| {
        let share = 100.0 * left as f64 / all as f64;
        left -= count;
        json!([micros(ns), rounded(share)])
    };
    let points: Vec<Value> = counts.iter().map(at_least).collect();
    let of = |ns: Option<u64>| ns.map(micros);
    json!({
        "points": points,
        "count": latency.count,
        "named": [
            latency.mean.map(|ns| rounded(ns / 1e3)),
            of(latency.p50), of(latency.p90), of(latency.p99), of(latency.p99_9), of(latency.p99_99), of(latency.max),
        ],
    })
}

/// Columns of values, one for each interval; latencies in µs, shares in percent.
fn over(time: &OverTime) -> Value {
    let plain = |values: &[f64]| -> Vec<f64> { values.iter().copied().map(rounded).collect() };
    let percent =
        |values: &[f64]| -> Vec<f64> { values.iter().map(|x| rounded(100.0 * x)).collect() };
    let mean = |values: &[Option<f64>]| -> Vec<Option<f64>> {
        let micros = |ns: &Option<f64>| ns.map(|ns| rounded(ns / 1e3));
        values.iter().map(micros).collect()
    };
    let longest = |values: &[Option<u64>]| -> Vec<Option<f64>> {
        values
            .iter()
            .map(|ns| ns.map(micros).map(rounded))
            .collect()
    };
    json!({
        "width": time.width_ns as f64 / 1e9,
        "write": plain(&time.write_mb_s),
        "read": plain(&time.read_mb_s),
        "write_mean": mean(&time.write_mean_ns),
        "write_max": longest(&time.write_max_ns),
        "read_mean": mean(&time.read_mean_ns),
        "read_max": longest(&time.read_max_ns),
        "chips": percent(&time.chips),
        "channels": percent(&time.channels),
        "bus": percent(&time.bus),
    })
}

/// Percent of the time in which the chips and channels work in the mean, and the bus; and the least and most busy chip.
fn used_shares(used: &Utilisation) -> Value {
    let percents = |shares: &[Option<f64>]| -> Vec<f64> {
        shares.iter().flatten().map(|share| 100.0 * share).collect()
    };
    let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    let (chips, channels) = (percents(&used.chips), percents(&used.channels));
    json!({
        "chips": mean(&chips),
        "channels": mean(&channels),
        "bus": used.bus.map_or(0.0, |share| 100.0 * share),
        "least": chips.iter().copied().fold(100.0, f64::min),
        "most": chips.iter().copied().fold(0.0, f64::max),
    })
}

/// What the parts did while the slowest write was served: for the winner and the run with which it is compared.
pub fn timelines(comparison: &Comparison, parts: &Parts) -> Vec<Value> {
    let verdict = &comparison.verdict;
    let against = verdict.against.as_ref();
    let against = against.and_then(|label| named(comparison, label, verdict.against_size));
    let first = winner(comparison).or_else(|| comparison.rows.first());
    let mut rows: Vec<&Row> = first.into_iter().chain(against).collect();
    rows.dedup_by_key(|row| row.sized_label());
    let of = |row: &Row| {
        let slowest = row.clocked.as_ref()?.slowest.as_ref()?;
        Some(timeline(row, slowest, parts))
    };
    rows.into_iter().filter_map(of).collect()
}

fn timeline(row: &Row, slowest: &Slowest, parts: &Parts) -> Value {
    let begin = slowest.request.issued_ns;
    let since = |ns: u64| ns as i64 - begin as i64;
    let span = |span: &Span| {
        let activity = Activity::ALL.iter().position(|one| *one == span.activity);
        let busy = span.busy_ns as f64 / (span.end_ns - span.start_ns) as f64;
        json!([
            activity,
            since(span.start_ns),
            since(span.end_ns),
            span.operations,
            rounded(100.0 * busy)
        ])
    };
    let part = |name: String, spans: &Vec<Span>| json!({ "name": name, "spans": spans.iter().map(span).collect::<Vec<_>>() });
    let each = |kind: &'static str, all: &[Vec<Span>]| -> Vec<Value> {
        let names = (0..).map(|at| format!("{kind} {at}"));
        names
            .zip(all)
            .map(|(name, spans)| part(name, spans))
            .collect()
    };
    let bus = part("bus".into(), &slowest.bus);
    let all = [
        vec![bus],
        each("channel", &slowest.channels),
        each("chip", &slowest.chips),
    ];
    let mut named = vec![parts.varied.series(row)];
    named.extend(row.size.map(bytes));
    json!({
        "label": named.join(", "),
        "op": slowest.request.op.letter().to_string(),
        "from": since(slowest.from_ns),
        "completed": since(slowest.request.completed_ns),
        "parts": all.concat(),
    })
}

/// The keys of all activities, in the order of the timelines.
pub fn activities() -> Vec<&'static str> {
    Activity::ALL.map(Activity::key).to_vec()
}

fn micros(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// Four digits, as many as a picture can show.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    // a power with a positive exponent is exact, so that the quotient is the nearest number
    match digits {
        0.. => (value * 10f64.powi(digits)).round() / 10f64.powi(digits),
        _ => (value / 10f64.powi(-digits)).round() * 10f64.powi(-digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: the share above a class instead of from it on; digits before the point lost
    #[test]
    fn a_distribution_starts_at_all_requests() {
        let counts = vec![(1000, 90), (2500, 9), (70_000, 1)];
        let found = distribution(&counts, &Latency::default());
        let expected = json!([[1.0, 100.0], [2.5, 10.0], [70.0, 1.0]]);
        assert_eq!(found["points"], expected);
        let values = [123_456.0, 12.3456, 0.001_234_56, 9.9999, 0.0];
        assert_eq!(
            values.map(rounded),
            [123_500.0, 12.35, 0.001_235, 10.0, 0.0]
        );
    }
}
