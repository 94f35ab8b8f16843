//! The summary of one run for a terminal.

use std::fmt::Write;

use ssdlab_config::Config;
use ssdlab_device::results::{LIFE, WAF};
use ssdlab_device::{Figure, Issue, Latency, LatencyByOp};
use ssdlab_trace::Format;

use crate::advice::{Advice, Tried};
use crate::comparison::Comparison;
use crate::outcome::{LoopReport, Outcome, left_out};
use crate::row::{RowKind, sized_label};
use crate::sentence::{in_words, is_rough};
use crate::spare::SpareCurve;
use crate::steadiness::all_in_words;
use ssdlab_device::{Derived, Divided, PerCause, Utilisation, Wear};
use ssdlab_words::{
    amount, bytes, decimal_bytes, duration, fixed, known, listed, percent, rough, thousands,
};

/// The column in which the values of a summary start.
pub const LABEL_WIDTH: usize = 20;

/// Labels with their values.
pub type Lines = Vec<(&'static str, String)>;

/// A readable summary: the host requests, the flash operations, the cost; then all counters.
pub fn summary(outcome: &Outcome) -> String {
    let parts = [
        trace_and_device(outcome),
        speed(outcome),
        cost(outcome),
        endurance(outcome),
        wall_clock(outcome),
    ];
    let mut text = String::new();
    for (label, value) in parts.concat() {
        let _ = writeln!(text, "{label:<LABEL_WIDTH$}{value}");
    }
    text.push('\n');
    for (name, value) in outcome.counters.shown() {
        let _ = writeln!(text, "{name:<LABEL_WIDTH$}{value:>20}");
    }
    text
}

/// What was served, and by what.
fn trace_and_device(outcome: &Outcome) -> Lines {
    let trace = &outcome.trace;
    let served = format!("{}, {} requests", trace.name, trace.requests);
    let buffer = outcome.config.pointer("/buffer/policy");
    let buffer = buffer.and_then(|name| name.as_str()).unwrap_or("?");
    let device = format!("{}, buffer {buffer}", outcome.device);
    let mut lines = vec![("device", device), ("trace", served)];
    lines.extend(left_out(trace).map(|left_out| ("left out", left_out)));
    lines.extend(how_read(outcome));
    lines.extend(loops(outcome).map(|loops| ("loops", loops)));
    lines.push(("steady state", outcome.steady_state.in_words()));
    lines
}

/// Throughput, time and latencies of the device.
fn speed(outcome: &Outcome) -> Lines {
    let throughput = number(outcome.derived.throughput_mb_s, 2);
    let seconds = outcome.counters.elapsed_ns as f64 / 1e9;
    let mut lines = vec![
        ("throughput", format!("{throughput} MB/s")),
        ("simulated time", format!("{seconds:.3} s")),
    ];
    if outcome.latency_ns.is_some() {
        lines.push(("requests", issued(outcome)));
    }
    lines.extend(outcome.latency_ns.iter().flat_map(latency_lines));
    let utilisation = outcome.utilisation.as_ref();
    lines.extend(utilisation.map(|shares| ("utilisation", utilised(shares))));
    lines
}

/// When the clocks of an outcome have seen the requests come.
fn issued(outcome: &Outcome) -> String {
    let key = |name: &str| outcome.config.get(name);
    if key("replay").and_then(|how| how.as_str()) != Some("timed") {
        let depth = key("queue_depth").and_then(|depth| depth.as_u64());
        return in_flight(depth.unwrap_or(1));
    }
    let behind = outcome.falls_behind();
    let behind = behind.map_or(String::new(), |ns| {
        format!("; the device falls {} behind", duration(ns as f64))
    });
    format!("{AT_THEIR_TIMES}{behind}")
}

/// When the clocks of a device see requests come.
pub fn how_issued(config: &Config) -> String {
    match config.timing.parallel.issue {
        Issue::Timed { .. } => AT_THEIR_TIMES.into(),
        Issue::Closed { depth } => in_flight(depth.into()),
    }
}

const AT_THEIR_TIMES: &str = "at their times in the trace";

fn in_flight(depth: u64) -> String {
    format!("{} in flight, as fast as it goes", thousands(depth))
}

/// What the requests cost the flash.
fn cost(outcome: &Outcome) -> Lines {
    let (c, d) = (&outcome.counters, &outcome.derived);
    let blocks = &d.erase_count;
    let spread = blocks.max.map_or(String::new(), |max| {
        let [mean, deviation] = [blocks.mean, blocks.stddev].map(|erases| number(erases, 2));
        let erased = outcome.erased();
        format!(" (per {erased}: mean {mean}, most {max}, deviation {deviation})")
    });
    let erases = if outcome.erases_lines {
        "erases of lines"
    } else {
        "erases"
    };
    let [switch, partial, full] = [c.switch_merges, c.partial_merges, c.full_merges];
    let [writes, reads] = [d.write_hit_ratio, d.read_hit_ratio].map(|hits| known(hits, percent));
    let time = Some(shares(d.by_cause())).filter(|shares| !shares.is_empty());
    vec![
        ("write amplification", write_amplification(d)),
        (erases, format!("{}{spread}", c.erases)),
        (
            "merges",
            format!("{switch} switch, {partial} partial, {full} full"),
        ),
        ("buffer hits", format!("writes {writes}, reads {reads}")),
        (
            match outcome.utilisation {
                None => "time by cause",
                Some(_) => "chip time by cause",
            },
            time.unwrap_or("-".into()),
        ),
    ]
}

/// What the simulation itself took, if it was measured.
fn wall_clock(outcome: &Outcome) -> Lines {
    let Some(timing) = &outcome.timing else {
        return Vec::new();
    };
    let ms = |ns: u64| format!("{:.3} ms", ns as f64 / 1e6);
    let (best, median) = (timing.simulate_ns_best, timing.simulate_ns_median);
    let pages = outcome.counters.host_write_pages;
    let per_page = number((pages > 0).then(|| best as f64 / pages as f64), 1);
    let simulation = format!(
        "{} at best, {} median: {per_page} ns per page written by the host",
        ms(best),
        ms(median)
    );
    vec![
        ("decoding took", ms(timing.decode_ns)),
        ("simulation took", simulation),
    ]
}

/// What was written to flash, and how long the flash lasts, of which blocks or lines are erased: label and value.
fn endurance(outcome: &Outcome) -> Lines {
    let (e, erased) = (&outcome.endurance, outcome.erased());
    let large = if outcome.endurance.scaled_by.is_some() {
        "; all of the large drive"
    } else {
        ""
    };
    let all = e.flash_bytes.total();
    let mut lines = Vec::new();
    if all > 0 {
        let shares = shares(&e.flash_bytes);
        lines.push((
            "bytes to flash",
            format!("{}: {shares}", decimal_bytes(all)),
        ));
    }
    let both = |wear: &Wear, unit: &str| {
        let (mean, worst) = (amount(wear.mean?), amount(wear.worst?));
        Some(format!("{mean} {unit} (worst {erased} {worst})"))
    };
    let cycles = format!("of {} P/E cycles used", thousands(e.pe_cycles));
    lines.extend(both(&e.cycles_used, &cycles).map(|used| ("wear", used)));
    let usual = outcome.usual_pe_cycles;
    let lives = |wear: &Wear, unit: &str| {
        let Some(cycles) = usual else {
            return both(wear, unit);
        };
        let range = |life: f64| {
            let ends = cycles.map(|cycles| rough(life * cycles as f64 / e.pe_cycles as f64));
            ends.join(" to ")
        };
        let (mean, worst) = (range(wear.mean?), range(wear.worst?));
        Some(format!("{mean} {unit} (worst {erased} {worst})"))
    };
    let life = [
        lives(&e.tb_until_worn, "TB"),
        lives(&e.years, "years at the rate of the trace"),
        lives(&e.drive_writes_per_day, "drive writes a day for 5 years"),
    ];
    let life: Vec<String> = life.into_iter().flatten().collect();
    if !life.is_empty() {
        let doubt = outcome.steady_state.doubt();
        let of = doubt.map_or(String::new(), |doubt| format!("; {}", doubt.of()));
        let of_cycles = usual.map_or(String::new(), |cycles| {
            format!("; {}", usual_cycles(cycles))
        });
        lines.push(("until worn out", life.join("; ") + &of_cycles + &of + large));
    }
    if let (Some(rated), Some(used)) = (e.rated_tbw, e.rated_used) {
        let years = e.rated_years;
        let years = years.map_or(String::new(), |years| {
            format!(
                "; reached in {} years at the rate of the trace",
                amount(years)
            )
        });
        let share = format!("{} % used", amount(100.0 * used));
        lines.push((
            "rated",
            format!("{} TB, {share}{years}{large}", amount(rated)),
        ));
    }
    let unknown = match e.tb_until_worn.mean {
        None => "life unknown",
        Some(_) => "years unknown",
    };
    lines.extend(e.missing_because.as_ref().map(|why| (unknown, why.clone())));
    lines
}

/// What a range of lives assumes.
fn usual_cycles([least, most]: [u64; 2]) -> String {
    let [least, most] = [least, most].map(thousands);
    format!("for {least} to {most} P/E cycles, as makers publish none")
}

/// What the lives of a comparison assume, if the P/E cycles of its device are an assumption.
fn assumed_life(comparison: &Comparison) -> Option<String> {
    let outcome = &comparison.rows.first()?.outcome;
    let (cycles, usual) = (outcome.endurance.pe_cycles, outcome.usual_pe_cycles?);
    let times = usual.map(|usual| rough(usual as f64 / cycles as f64));
    let (of, [least, most]) = (thousands(cycles), times);
    Some(format!(
        "of {of} P/E cycles; {}, it is {least} to {most} times as long",
        usual_cycles(usual)
    ))
}

/// Life over spare space, one line for each curve; of many curves only their number.
fn spare(comparison: &Comparison) -> Vec<String> {
    const MANY: usize = 8;
    let curves = &comparison.spare;
    match curves.len() {
        0..=MANY => curves.iter().map(SpareCurve::in_words).collect(),
        many => vec![format!(
            "{many} curves of life; the report and --json have them"
        )],
    }
}

/// How the trace of a comparison was replayed, and the steady state: label and value.
pub fn how_replayed(comparison: &Comparison) -> Lines {
    let Some(row) = comparison.rows.first() else {
        return Vec::new();
    };
    let mut lines = how_read(&row.outcome);
    lines.extend(left_out(&comparison.trace).map(|left_out| ("left out", left_out)));
    if let Some(capacity) = comparison.fitted_capacity {
        let why = "as much as the trace needs, at least 1 GiB: flash.capacity is not given";
        lines.push(("capacity", format!("{}, {why}", bytes(capacity))));
    }
    if comparison.verdict.by.is_latency() && row.clocked.is_some() {
        lines.push(("requests", issued(&row.outcome)));
    }
    if comparison.shares_ram {
        let how = "sizes are those of all RAM; each run gets as buffer what its tables leave";
        lines.push(("RAM", how.into()));
    }
    let state = &row.outcome.steady_state;
    if state.steady.is_none() && state.replays > 1 {
        lines.push(("loops", format!("{}, the last reported", state.replays)));
    }
    lines.extend(all_in_words(comparison).map(|words| ("steady state", words)));
    if comparison.further_buffers > 0 {
        let further = format!(
            "{} further ones are compared with --all",
            comparison.further_buffers
        );
        lines.push(("buffers", further));
    }
    lines
}

/// Why runs under serial timing lack some of these figures.
pub fn without_clocks(comparison: &Comparison, figures: &[Figure]) -> Option<String> {
    let mut runs = comparison.rows.iter();
    let is_serial = runs.any(|row| row.kind == RowKind::Policy && row.clocked.is_none());
    let of_clocks = figures.iter().filter(|figure| figure.of_clocks);
    let keys: Vec<&str> = of_clocks.map(|figure| figure.key).collect();
    let need = if keys.len() == 1 { "needs" } else { "need" };
    (is_serial && !keys.is_empty()).then(|| {
        let why = "under serial timing no request has a time of its own";
        format!("{} {need} timing.model = parallel; {why}", listed(&keys))
    })
}

/// What a comparison says of spare space, of the spread of its figures, of lives and of its verdict, before what would help and
/// the closing sentence: label and value.
pub fn how_long(comparison: &Comparison) -> Lines {
    let spare = spare(comparison).into_iter();
    let spare = spare.map(|words| ("spare space", words));
    spare
        .chain(how_sure(comparison))
        .chain(comparison.further.iter().cloned())
        .collect()
}

/// The spread of the figures of a comparison, and what its lives assume: label and value.
pub fn how_sure(comparison: &Comparison) -> Lines {
    let are_rough = is_rough(&comparison.rows);
    let spreads = comparison.spreads.iter().map(|spread| {
        let by = [WAF, LIFE, comparison.verdict.by];
        let named = by
            .iter()
            .enumerate()
            .filter(|(at, one)| !by[..*at].contains(one));
        let range = |figure: &Figure| {
            let [least, most] = spread.figures.get(figure).flatten()?;
            let [least, most] = [least, most].map(|value| in_words(figure, value, are_rough));
            let range = match least == most {
                true => least,
                false => format!("{least} to {most}"),
            };
            Some(format!("{} {range}", figure.words))
        };
        let ranges: Vec<String> = named.filter_map(|(_, figure)| range(figure)).collect();
        let label = sized_label(&spread.label, spread.size);
        let words = format!("{label}: {}", listed(&ranges));
        ("spread", words)
    });
    let assumed = assumed_life(comparison).map(|words| ("life", words));
    spreads.chain(assumed).collect()
}

/// What would lessen the writes to flash of the winner, as it was tried: label and value.
pub fn what_helps(comparison: &Comparison) -> Lines {
    let Some(advice) = comparison.would_help.as_ref() else {
        return Vec::new();
    };
    advised(advice, is_rough(&comparison.rows))
}

/// Advice in words: label and value. With `are_rough`, lives have two digits.
pub fn advised(advice: &Advice, are_rough: bool) -> Lines {
    let told = |tried: &Tried, by: &[Figure]| {
        let figures = tried.in_words(&advice.figures, by, are_rough);
        format!("{}: {figures}", tried.named())
    };
    let mut lines: Vec<_> = advice
        .helping()
        .map(|tried| ("would help", told(tried, &advice.judges)))
        .collect();
    let in_vain: Vec<String> = advice
        .in_vain()
        .map(|tried| told(tried, &advice.decided_by(tried)))
        .collect();
    if !in_vain.is_empty() {
        lines.push(("would not help", in_vain.join("; ")));
    }
    if !advice.set.is_empty() && !lines.is_empty() {
        let how = format!(
            "what would help was tried on drives that the trace has aged ({}), unlike those of the table",
            advice.set.join(" ")
        );
        lines.push(("aged", how));
    }
    if advice.missing_runs > 0 {
        let missing = format!("{} further changes: interrupted", advice.missing_runs);
        lines.push(("not tried", missing));
    }
    lines
}

/// The format, unless it is plain, with the reason for it, and the compaction: label and value.
fn how_read(outcome: &Outcome) -> Lines {
    let trace = &outcome.trace;
    let format = (trace.format != Format::PLAIN.name()).then(|| {
        (
            "format",
            format!("{}: {}", trace.format, trace.format_reason),
        )
    });
    let compacted = outcome.compact.as_ref().map(|compact| {
        let (touched, span) = (compact.touched_blocks, compact.span_blocks);
        let size = bytes(compact.block_bytes);
        (
            "compacted",
            format!("{touched} touched blocks of {size}, out of {span}"),
        )
    });
    [format, compacted].into_iter().flatten().collect()
}

/// The number of loops, and the write amplification of each loop or of the first and last ones.
fn loops(outcome: &Outcome) -> Option<String> {
    let loops = outcome.loops.as_ref()?;
    let waf = |l: &LoopReport| number(l.derived.waf, 3);
    let all: Vec<String> = loops.iter().map(waf).collect();
    let shown = match &all[..] {
        [first, .., second_last, last] if all.len() > 6 => {
            format!("{first}, … {second_last}, {last}")
        }
        all => all.join(", "),
    };
    Some(format!(
        "{}, the last reported; write amplification {shown}",
        loops.len()
    ))
}

/// The latencies of each kind of request that there was: label and value.
pub fn latency_lines(all: &LatencyByOp) -> Lines {
    let kinds = [
        ("latency of reads", &all.reads),
        ("latency of writes", &all.writes),
        ("latency of flushes", &all.flushes),
        ("latency of commits", &all.commits),
    ];
    let in_ms = |ns: f64| format!("{:.3} ms", ns / 1e6);
    let words = |latency: &Latency| {
        let [median, most, max] =
            [latency.p50, latency.p99, latency.max].map(|ns| Some(in_ms(ns? as f64)));
        let mean = in_ms(latency.mean?);
        Some(format!(
            "mean {mean}, median {}, 99 % {}, longest {}",
            median?, most?, max?
        ))
    };
    let kinds = kinds.into_iter();
    kinds
        .filter_map(|(label, latency)| Some((label, words(latency)?)))
        .collect()
}

/// The mean shares of chips and channels, and that of the bus.
fn utilised(utilisation: &Utilisation) -> String {
    let mean = |shares: &[Option<f64>]| {
        let sum: Option<f64> = shares.iter().copied().sum();
        known(sum.map(|sum| sum / shares.len() as f64), percent)
    };
    format!(
        "chips {}, channels {}, bus {}",
        mean(&utilisation.chips),
        mean(&utilisation.channels),
        known(utilisation.bus, percent)
    )
}

/// Write amplification in bytes, and in pages if that differs.
fn write_amplification(derived: &Derived) -> String {
    let [bytes, pages] = [derived.waf, derived.waf_pages].map(|waf| number(waf, 3));
    if bytes == pages {
        bytes
    } else {
        format!("{bytes} (pages programmed for each page written: {pages})")
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    known(value, |value| fixed(value, digits))
}

/// The shares of the causes, the largest first: `host 60.0 %, merges 40.0 %`.
pub fn shares<T: Divided>(parts: &PerCause<T>) -> String {
    let total = parts.total() as f64;
    let shares = parts.largest_first().into_iter();
    let shares =
        shares.map(|(cause, part)| format!("{} {}", cause.name(), percent(part as f64 / total)));
    shares.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use ssdlab_device::{Counters, OF_FEW};

    // planted bugs: a counter of few devices that all report, or that is missing in the list
    #[test]
    fn counters_of_few_devices() {
        let all = serde_json::to_value(Counters::default()).expect("plain values");
        for (name, _) in Counters::default().entries() {
            let is_left_out = all.get(name).is_none();
            assert_eq!(is_left_out, OF_FEW.contains(&name), "{name}");
        }
    }
}
