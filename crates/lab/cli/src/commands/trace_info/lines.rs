//! The lines of `ssdlab trace info`: label and value.

use ssdlab_characterise::{
    FlushReport, HotShare, InfoReport, LruHits, LruReport, PageReport, RewriteReport, RunReport,
    SizeReport, SpreadReport, UnitReport, WindowReport,
};
use ssdlab_words::{bytes, decimal, decimal_bytes, duration, fixed, known, percent, thousands};

/// Label and value.
pub type Line = (String, String);

/// The most sizes of buffers in a line.
const SIZES: usize = 8;

fn line(label: &str, value: String) -> Line {
    (label.to_owned(), value)
}

/// What a mapping unit does to the writes: label and value.
pub fn mapping_unit(units: &UnitReport) -> Line {
    let times = |value| known(value, |value| fixed(value, 2));
    let label = format!("mapping unit {}", bytes(units.unit));
    let value = format!(
        "{} of the writes unaligned; bytes touched / written {}, of which in units written in part {}",
        known(units.unaligned_write_share, percent),
        times(units.touched_over_written),
        times(units.in_part_over_written)
    );
    (label, value)
}

/// Counts, footprint and sizes.
pub fn counts(info: &InfoReport) -> Vec<Line> {
    let page = bytes(info.page_size);
    let ratio = known(info.rewrite_ratio, |ratio| fixed(ratio, 3));
    let counts = [
        info.requests,
        info.reads,
        info.writes,
        info.flushes,
        info.discards,
    ];
    let [requests, reads, writes, flushes, discards] = counts.map(thousands);
    let mut facts = vec![
        line(
            "requests",
            format!(
                "{requests} ({reads} reads, {writes} writes, {flushes} flushes, {discards} discards)"
            ),
        ),
        line("bytes written", megabytes(info.bytes_written)),
        line(
            "bytes rewritten",
            format!(
                "{}, {} of those written",
                megabytes(info.bytes_rewritten),
                share(info.bytes_rewritten, info.bytes_written)
            ),
        ),
        line("bytes read", megabytes(info.bytes_read)),
        line("bytes discarded", megabytes(info.bytes_discarded)),
        line(
            "footprint written",
            format!("{} pages of {page}", thousands(info.pages_written)),
        ),
        line(
            "footprint touched",
            format!("{} pages of {page}", thousands(info.pages_touched)),
        ),
        line(
            "read, never written",
            format!("{} pages", thousands(info.pages_read_never_written)),
        ),
        line(
            "page writes",
            format!(
                "{}, {ratio} per page written; hottest page {}",
                thousands(info.page_writes),
                thousands(info.hottest_page_writes)
            ),
        ),
        line(
            "sequential writes",
            known(info.sequential_write_share, percent),
        ),
        line("sequential runs", runs(info.write_runs.as_ref())),
        line(
            "unaligned writes",
            format!("{} not on {page} bounds", thousands(info.unaligned_writes)),
        ),
        line("write sizes", sizes(info.write_sizes.as_ref())),
        line("read sizes", sizes(info.read_sizes.as_ref())),
        line("span", format!("{:.2} s", info.span_s)),
        line("end", format!("{} bytes", thousands(info.end))),
    ];
    if info.write_streams > 1 {
        facts.push(line("streams of writes", thousands(info.write_streams)));
    }
    facts
}

fn megabytes(bytes: u64) -> String {
    decimal((bytes as f64 / 1e5).round() / 10.0, 1) + " MB"
}

fn sizes(report: Option<&SizeReport>) -> String {
    report.map_or("-".into(), |s| {
        let sizes = [s.mean.round() as u64, s.p50, s.p90, s.min, s.max];
        let [mean, median, p90, min, max] = sizes.map(thousands);
        format!("mean {mean}, median {median}, 90 % up to {p90}, from {min} to {max} bytes")
    })
}

fn share(part: u64, whole: u64) -> String {
    known((whole > 0).then(|| part as f64 / whole as f64), percent)
}

fn runs(report: Option<&RunReport>) -> String {
    report.map_or("-".into(), |runs| {
        format!(
            "mean {} writes, {} bytes; half of the bytes in runs of {} bytes or more",
            decimal(runs.mean_writes, 1),
            thousands(runs.bytes.mean.round() as u64),
            thousands(runs.half_of_bytes_from)
        )
    })
}

/// What is known of single pages.
pub fn of_pages(report: &PageReport, info: &InfoReport) -> Vec<Line> {
    let mut lines = vec![
        line("hot set", hot(&report.hot)),
        line("working set", working_set(&report.working_set)),
    ];
    lines.extend(rewrites(&report.rewrites, info.page_writes));
    lines
}

/// `50 / 80 % of the page writes go to 1.0 / 5.2 % of the pages written`.
fn hot(shares: &[HotShare]) -> String {
    if shares.is_empty() {
        return "-".into();
    }
    let joined = |each: fn(&HotShare) -> String| {
        let each: Vec<String> = shares.iter().map(each).collect();
        each.join(" / ")
    };
    format!(
        "{} % of the page writes go to {} % of the pages written",
        joined(|hot| hot.percent_of_writes.to_string()),
        joined(|hot| fixed(100.0 * hot.share_of_footprint, 1))
    )
}

fn working_set(set: &WindowReport) -> String {
    let (count, sum) = (set.pages.len() as u64, set.pages.iter().sum::<u64>());
    let most = set.pages.iter().max().copied().unwrap_or(0);
    format!(
        "{} pages written in {} in the mean, {} at most",
        thousands(sum.checked_div(count).unwrap_or(0)),
        duration(set.window_ns as f64),
        thousands(most)
    )
}

fn rewrites(report: &RewriteReport, page_writes: u64) -> Vec<Line> {
    let rewritten = line(
        "rewrites",
        format!(
            "{} page writes, {} of all",
            thousands(report.rewrites),
            share(report.rewrites, page_writes)
        ),
    );
    let spread = |label: &str, spread: Option<&SpreadReport>, shown: fn(u64) -> String| {
        spread.map(|spread| line(label, spread_words(spread, shown)))
    };
    let time: fn(u64) -> String = |ns| duration(ns as f64);
    let spreads = [
        spread("time between", report.ns.as_ref(), time),
        spread("written between", report.bytes.as_ref(), decimal_bytes),
    ];
    [Some(rewritten)]
        .into_iter()
        .chain(spreads)
        .flatten()
        .collect()
}

/// The quantiles of a spread, which are powers of two, as far as they are not above its maximum; and the maximum.
fn spread_words(spread: &SpreadReport, shown: impl Fn(u64) -> String) -> String {
    let quantiles = [("half", spread.p50_below), ("90 %", spread.p90_below)];
    let below = quantiles
        .into_iter()
        .filter(|(_, below)| *below <= spread.max);
    let below = below.map(|(share, below)| format!("{share} less than {}, ", shown(below)));
    format!("{}at most {}", below.collect::<String>(), shown(spread.max))
}

/// What lies between flushes; nothing without flushes.
pub fn flushes(report: &FlushReport) -> Option<Line> {
    let (requests, written, ns) = (
        report.requests.as_ref()?,
        report.bytes.as_ref()?,
        report.ns.as_ref()?,
    );
    let means = format!(
        "mean {} requests, {}, {}",
        decimal(requests.mean, 1),
        decimal_bytes(written.mean.round() as u64),
        duration(ns.mean)
    );
    // a quantile is a power of two, which may be above all there was
    let most = |spread: &SpreadReport| spread.p90_below.min(spread.max);
    let most = format!(
        "90 % at most {}, {}, {}",
        thousands(most(requests)),
        decimal_bytes(most(written)),
        duration(most(ns) as f64)
    );
    Some(line("between flushes", format!("{means}; {most}")))
}

/// The hits of LRU buffers of some sizes.
pub fn lru(label: &str, report: &LruReport) -> Vec<Line> {
    let mut lines = vec![line(label, hits(&report.hits))];
    if let Some(protected) = &report.protected_hits {
        lines.push(line("  flushes ignored", hits(protected)));
    }
    lines
}

fn hits(hits: &LruHits) -> String {
    if hits.writes == 0 {
        return "-".into();
    }
    let hit = |units| share(hits.write_hits(units), hits.writes);
    let enough = hits.enough();
    if enough == 0 {
        return "none at any size".into();
    }
    let sizes = (0..SIZES).map(|step| (256_u64 << 10) << (2 * step));
    let units = sizes.map(|size| (size, size / hits.unit));
    let shown = units.filter(|(_, units)| (1..enough).contains(units));
    let mut shown: Vec<String> = shown
        .map(|(size, units)| format!("{} {}", bytes(size), hit(units)))
        .collect();
    let all = bytes(enough.saturating_mul(hits.unit));
    shown.push(format!("{} from {all} on", hit(enough)));
    shown.join(", ")
}
