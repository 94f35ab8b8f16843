//! Artificial comparisons; the numbers depend only on the policy and the size.

use serde_json::{Value, json};
use ssdlab_device::Counters;
use ssdlab_report::{About, csv, json as json_of};
use ssdlab_results::{Compared, Origin, Schema};
use ssdlab_sim::{
    Cause, Comparison, Derived, Endurance, FlashBytes, Lab, Margin, Outcome, Row, RowKind,
    THROUGHPUT, TimeParts, TraceSummary, Verdict, WRITE_HIT_RATIO,
};

const MIB: u64 = 1 << 20;
const SECOND: u64 = 1_000_000_000;
const HOST_BYTES: u64 = 850_000_000;

/// The parameters of an artificial policy.
struct Policy {
    label: &'static str,
    /// Seconds with the smallest buffer.
    seconds: u64,
    /// The percentage of the time that remains with each doubling of the buffer.
    keeps: u64,
    /// The percentage of its merges that are switch merges.
    switches: u64,
}

const fn policy(label: &'static str, seconds: u64, keeps: u64, switches: u64) -> Policy {
    Policy {
        label,
        seconds,
        keeps,
        switches,
    }
}

const SIZED: [Policy; 6] = [
    policy("fifo", 801, 95, 4),
    policy("lru", 777, 93, 6),
    policy("cflru", 779, 92, 6),
    policy("fab", 410, 80, 31),
    policy("bplru", 433, 72, 92),
    policy("three-region", 390, 78, 40),
];

/// Six policies with 1 to 16 MiB, `none` and both bounds, on a trace with this name.
pub fn comparison(trace: &str) -> Comparison {
    let sizes: Vec<u64> = (0..5).map(|step| MIB << step).collect();
    let without_size = |made: Policy, kind| row(trace, &made, kind, None, 0);
    let none = policy("none", 912, 100, 3);
    let mut rows = vec![without_size(none, RowKind::Policy)];
    for made in &SIZED {
        for (step, &size) in sizes.iter().enumerate() {
            rows.push(row(trace, made, RowKind::Policy, Some(size), step));
        }
    }
    let unbounded = policy("unbounded buffer", 96, 100, 99);
    rows.push(without_size(unbounded, RowKind::Bound));
    let ideal_ftl = policy("ideal FTL", 351, 100, 0);
    rows.push(ideal(without_size(ideal_ftl, RowKind::Bound)));
    mark_best(&mut rows, &sizes);
    let verdict = Verdict {
        winner: Some("bplru".into()),
        size: Some(16 * MIB),
        over_baseline: Some(Margin {
            label: "lru".into(),
            size: Some(16 * MIB),
            value: None,
            figure: Some(1.5),
            throughput: Some(1.5),
            erases: Some(-0.5),
        }),
        against: Some("lru".into()),
        against_size: Some(16 * MIB),
        ..Verdict::default()
    };
    let sentence = "bplru serves this trace best from 8 MiB on: 7.30 MB/s at 16 MiB, 59 % more than fab, with 36 % fewer erases.".into();
    Comparison {
        trace: rows[0].outcome.trace.clone(),
        sizes,
        rows,
        verdict,
        sentence,
        baseline: "lru".into(),
        ..Comparison::default()
    }
}

/// One policy with each of these values of a key, each a tenth faster than the previous one; the first is the baseline.
pub fn one_policy(key: &str, values: &[&str]) -> Comparison {
    let mut rows = Vec::new();
    for (step, &value) in values.iter().enumerate() {
        let none = policy("none", 400, 90, 0);
        let mut row = row("w1.csv", &none, RowKind::Policy, None, step);
        row.label = format!("none ({value})");
        row.variant = [(key.to_owned(), value.to_owned())].into();
        let path = key.split_once('.').expect("a key of a table");
        let config = &mut row.outcome.config;
        config[path.0][path.1] = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
        row.outcome.changed = vec![("ftl.kind", "\"page\"".into())];
        row.best = false;
        rows.push(row);
    }
    let (first, last) = (rows[0].label.clone(), rows[values.len() - 1].label.clone());
    Comparison {
        trace: rows[0].outcome.trace.clone(),
        sizes: vec![MIB, 2 * MIB],
        rows,
        baseline: first.clone(),
        verdict: Verdict {
            winner: Some(last),
            over_baseline: Some(Margin {
                label: first.clone(),
                size: None,
                value: None,
                figure: Some(0.21),
                throughput: Some(0.21),
                erases: None,
            }),
            against: Some(first),
            ..Verdict::default()
        },
        ..Comparison::default()
    }
}

/// The CSV and the JSON of a comparison, whose trace is named in its rows, too.
pub fn files(made: &Comparison) -> [String; 2] {
    let origin = Origin {
        trace: made.trace.name.clone(),
        ..Origin::default()
    };
    let compared = Compared {
        comparison: made,
        origin: &origin,
        schema: &Schema::of(&Lab::new().systems().catalogue()),
    };
    [csv, json_of].map(|of| of(&compared).unwrap())
}

/// The origin of an artificial report.
pub fn about() -> About {
    About {
        command: "ssdlab compare --sizes 1MiB..16MiB w1-ntfs-office-install.csv.zst".into(),
        version: "0.1.0".into(),
        config_toml: "preset = \"bplru-2008\"\n\n[ftl]\nkind = \"bast\"\nlog_blocks = 7\n".into(),
        trace_lines: [
            ("Requests", "48,211"),
            ("Written", "812 MB, 396,484 pages"),
            ("Footprint", "301 MiB"),
            ("Sequential writes", "61 %"),
        ]
        .map(|(label, value)| (label.into(), value.into()))
        .into(),
        columns: Vec::new(),
    }
}

fn row(trace: &str, made: &Policy, kind: RowKind, size: Option<u64>, step: usize) -> Row {
    let seconds = (0..step).fold(made.seconds * SECOND, |time, _| time * made.keeps / 100);
    let counters = counters(made, seconds, size);
    Row {
        label: made.label.into(),
        name: made.label.into(),
        kind,
        policy: made.label.into(),
        ftl: "bast",
        size,
        // of throughput alone
        bounds: (kind == RowKind::Bound).then(|| [(THROUGHPUT, true)].into_iter().collect()),
        // each row except the baseline's is 25 % faster and has 3 percentage points fewer hits
        relative: [(THROUGHPUT, Some(0.25)), (WRITE_HIT_RATIO, Some(-0.03))]
            .into_iter()
            .collect(),
        erase_histogram: histogram(counters.erases),
        outcome: outcome(trace, made, counters),
        ..Row::default()
    }
}

fn counters(made: &Policy, elapsed_ns: u64, size: Option<u64>) -> Counters {
    let merges = elapsed_ns / 61_111_111;
    let switch_merges = merges * made.switches / 100;
    let partial_merges = (merges - switch_merges) / 7;
    let hits = size.map_or(0, |bytes| 90_000 + bytes / 512);
    Counters {
        host_reads: 4_100,
        host_writes: 44_111,
        host_write_pages: 396_484,
        host_write_bytes: HOST_BYTES,
        buffer_write_hits: hits,
        buffer_write_misses: size.map_or(0, |_| 396_484 - hits),
        padding_reads: if made.label == "bplru" {
            elapsed_ns / 2_900_003
        } else {
            0
        },
        flash_programs: elapsed_ns / 1_000_003,
        switch_merges,
        partial_merges,
        full_merges: merges - switch_merges - partial_merges,
        erases: 2 * merges - switch_merges,
        elapsed_ns,
        ..Counters::default()
    }
}

fn outcome(trace: &str, made: &Policy, counters: Counters) -> Outcome {
    let bytes = |pages: u64| 2048 * pages;
    let padding = bytes(counters.padding_reads);
    Outcome {
        derived: derived(made, &counters),
        endurance: Endurance {
            flash_bytes: FlashBytes::of([
                (Cause::Host, bytes(counters.flash_programs) - padding),
                (Cause::Padding, padding),
            ]),
            ..Endurance::default()
        },
        counters,
        config: json!({
            "precondition": "full",
            "flash": { "capacity": 1u64 << 30, "page_size": 2048, "pages_per_block": 128, "channels": 1, "chips_per_channel": 1 },
            "timing": { "model": "serial", "read_us": 50.0, "program_us": 800.0, "erase_us": 1500.0 },
            "ftl": { "kind": "bast", "log_blocks": 7 },
        }),
        trace: TraceSummary {
            name: trace.into(),
            format: "plain",
            format_reason: "--format plain".into(),
            requests: 48_211,
            sha256: Some("0c5f7a2e".repeat(8)),
            end: 1 << 30,
            ..TraceSummary::default()
        },
        ..Outcome::default()
    }
}

fn derived(made: &Policy, counters: &Counters) -> Derived {
    let asked = counters.buffer_write_hits + counters.buffer_write_misses;
    let elapsed = counters.elapsed_ns;
    let padding = if made.label == "bplru" {
        elapsed / 5
    } else {
        0
    };
    let merge = (elapsed - padding) * (100 - made.switches) / 130;
    let buffer = elapsed / 50;
    Derived {
        waf: Some(1.25 * counters.flash_programs as f64 / counters.host_write_pages as f64),
        waf_pages: Some(counters.flash_programs as f64 / counters.host_write_pages as f64),
        throughput_mb_s: Some(HOST_BYTES as f64 * 1e3 / elapsed as f64),
        write_hit_ratio: (asked > 0).then(|| counters.buffer_write_hits as f64 / asked as f64),
        time_ns: TimeParts::of([
            (Cause::Host, elapsed - padding - merge - buffer),
            (Cause::Padding, padding),
            (Cause::Merge, merge),
            (Cause::Buffer, buffer),
        ]),
        ..Derived::default()
    }
}

/// Most blocks have few erases, some have many.
fn histogram(erases: u64) -> Vec<(u32, u32)> {
    let mean = (erases / 500) as u32;
    (0..40)
        .map(|bin| (bin * mean.max(1) / 8, 3_000 / (bin + 1).pow(2) + 2))
        .collect()
}

/// The ideal FTL has neither merges nor blocks.
fn ideal(mut row: Row) -> Row {
    row.erase_histogram.clear();
    let counters = &mut row.outcome.counters;
    counters.switch_merges = 0;
    counters.partial_merges = 0;
    counters.full_merges = 0;
    counters.erases = counters.flash_programs / 128;
    row
}

fn mark_best(rows: &mut [Row], sizes: &[u64]) {
    for &size in sizes {
        let best = rows
            .iter_mut()
            .filter(|row| row.kind == RowKind::Policy && row.size.is_none_or(|own| own == size))
            .min_by_key(|row| row.outcome.counters.elapsed_ns);
        best.expect("each size has a row").best = true;
    }
}

/// What stands between two marks, of which the first must be there.
pub fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = page.split_once(start).expect(start);
    rest.split_once(end).expect(end).0
}

/// The JSON object that the charts read.
pub fn data(page: &str) -> Value {
    let start = "<script id=\"data\" type=\"application/json\">";
    serde_json::from_str(between(page, start, "</script>")).expect("valid JSON")
}
