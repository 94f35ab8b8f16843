//! Why one run took less simulated time than another: the difference split up, nothing left over.
//!
//! A run's time is the pages that it wrote to flash for the host, times what each of them cost on average, plus reads
//! and accesses of the buffer. So the difference between two runs is that of the pages (what the buffer absorbed) at
//! the mean cost of both, plus for each cause of cost the difference of its mean cost at the mean number of pages. Where
//! these two pull a cause in opposite directions, the pages get the whole of it.

use serde::Serialize;
use ssdlab_device::Counters;

use crate::Row;
use crate::measured::Measured;
use crate::verdict::listed;

/// Where the time of a run went, by what explains it. Nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// Pages of the host that were programmed.
    pages: f64,
    /// What grows with these pages.
    written: [(Cause, f64); 6],
    /// What does not.
    other: [(Cause, f64); 2],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Cause {
    #[default]
    Absorbed,
    Programs,
    Padding,
    Switch,
    Partial,
    Full,
    Cleaning,
    Reads,
    Buffer,
}

impl Costs {
    pub(crate) fn of(measured: &Measured) -> Self {
        let (time, merges) = (&measured.time, &measured.merge_time);
        let (pages, programs) = measured.host_programs;
        let reads = (time.host + time.ageing).saturating_sub(programs);
        let of_no_kind = time.merge - merges.switch - merges.partial - merges.full;
        Self {
            pages: pages as f64,
            written: [
                (Cause::Programs, programs),
                (Cause::Padding, time.padding),
                (Cause::Switch, merges.switch),
                (Cause::Partial, merges.partial),
                (Cause::Full, merges.full),
                (Cause::Cleaning, time.cleaning + of_no_kind),
            ]
            .map(|(cause, ns)| (cause, ns as f64)),
            other: [(Cause::Reads, reads), (Cause::Buffer, time.buffer)]
                .map(|(cause, ns)| (cause, ns as f64)),
        }
    }

    /// What a page costs for each cause; for want of pages, what it costs another run.
    fn per_page(&self, other: &Self) -> [f64; 6] {
        let run = if self.pages > 0.0 { self } else { other };
        run.written
            .map(|(_, ns)| if run.pages > 0.0 { ns / run.pages } else { 0.0 })
    }
}

/// A counter that explains a difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// Its name.
    pub counter: &'static str,
    /// Its value in the run that is explained.
    pub value: u64,
    /// Its value in the run that it is held against.
    pub against: u64,
    /// Simulated nanoseconds that this saved; below 0 if it cost.
    pub saved_ns: f64,
}

/// What explains the difference between the simulated times of two runs of one trace, the largest share first.
pub fn explain(row: &Row, against: &Row) -> Vec<Reason> {
    reasons(
        (&row.costs, &row.outcome.counters),
        (&against.costs, &against.outcome.counters),
    )
}

/// The two counters that explain most, in words, what helped before what cost.
pub fn main_reasons(reasons: &[Reason]) -> Option<String> {
    let mut main: Vec<&Reason> = reasons.iter().take(2).collect();
    main.sort_by(|a, b| b.saved_ns.total_cmp(&a.saved_ns));
    let in_words = |reason: &&Reason| {
        let sense = if reason.saved_ns > 0.0 {
            "saves"
        } else {
            "costs"
        };
        format!(
            "{} ({} instead of {}: {sense} {})",
            reason.counter.replace('_', " "),
            thousands(reason.value),
            thousands(reason.against),
            duration(reason.saved_ns.abs()),
        )
    };
    let main: Vec<String> = main.iter().map(in_words).collect();
    (!main.is_empty()).then(|| listed(&main))
}

fn reasons(run: (&Costs, &Counters), against: (&Costs, &Counters)) -> Vec<Reason> {
    let ((a, counters), (b, others)) = (run, against);
    let (each_a, each_b) = (a.per_page(b), b.per_page(a));
    let (mean_pages, fewer_pages) = ((a.pages + b.pages) / 2.0, b.pages - a.pages);
    let mut absorbed = 0.0;
    let mut shares = Vec::new();
    for (i, &(cause, ns)) in a.written.iter().enumerate() {
        let by_pages = fewer_pages * (each_a[i] + each_b[i]) / 2.0;
        let by_cost = (each_b[i] - each_a[i]) * mean_pages;
        let saved = b.written[i].1 - ns;
        // fewer merges did not cost: they merely shrank less than the pages
        if by_cost * saved < 0.0 {
            absorbed += saved;
        } else {
            absorbed += by_pages;
            shares.push((cause, by_cost));
        }
    }
    let other = a.other.iter().zip(&b.other);
    let other = other.map(|(&(cause, ns), (_, others))| (cause, others - ns));
    let mut reasons: Vec<Reason> = std::iter::once((Cause::Absorbed, absorbed))
        .chain(shares)
        .chain(other)
        .map(|(cause, saved_ns)| {
            let (counter, value, against) = counter(cause, counters, others);
            Reason {
                counter,
                value,
                against,
                saved_ns,
            }
        })
        .collect();
    // half a nanosecond is rounding
    reasons.retain(|reason| reason.saved_ns.abs() >= 0.5 && reason.value != reason.against);
    reasons.sort_by(|x, y| y.saved_ns.abs().total_cmp(&x.saved_ns.abs()));
    reasons
}

/// The counter that shows a cause, in both runs.
fn counter(cause: Cause, a: &Counters, b: &Counters) -> (&'static str, u64, u64) {
    macro_rules! both {
        ($name:ident) => {
            (stringify!($name), a.$name, b.$name)
        };
    }
    match cause {
        Cause::Absorbed if a.buffer_write_hits != b.buffer_write_hits => both!(buffer_write_hits),
        Cause::Absorbed | Cause::Programs => both!(flash_programs),
        Cause::Padding => both!(padding_reads),
        Cause::Switch => both!(switch_merges),
        Cause::Partial => both!(partial_merges),
        Cause::Full => both!(full_merges),
        Cause::Cleaning if a.flash_copies != b.flash_copies => both!(flash_copies),
        Cause::Cleaning => both!(erases),
        Cause::Reads => both!(flash_reads),
        Cause::Buffer if a.buffer_read_hits != b.buffer_read_hits => both!(buffer_read_hits),
        Cause::Buffer => both!(buffer_write_misses),
    }
}

/// An integer with a comma before every third digit from the right.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
    let groups = groups.iter().map(|group| String::from_utf8_lossy(group));
    groups.collect::<Vec<_>>().join(",")
}

/// Nanoseconds in the largest unit that leaves at least 1.
fn duration(ns: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    match units.iter().find(|&&(size, _)| ns >= size) {
        Some((size, unit)) => format!("{:.1} {unit}", ns / size),
        None => format!("{ns:.0} ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(pages: f64, programs: f64, full: f64, reads: f64) -> Costs {
        let mut costs = Costs {
            pages,
            written: [
                Cause::Programs,
                Cause::Padding,
                Cause::Switch,
                Cause::Partial,
                Cause::Full,
                Cause::Cleaning,
            ]
            .map(|cause| (cause, 0.0)),
            other: [(Cause::Reads, reads), (Cause::Buffer, 0.0)],
        };
        costs.written[0].1 = programs;
        costs.written[4].1 = full;
        costs
    }

    // planted bug: all merges saved are put down to the merges, though fewer pages were written at all
    #[test]
    fn the_shares_add_up_and_hits_come_first_if_they_did_it() {
        let hits = |buffer_write_hits, full_merges, flash_programs, flash_reads| Counters {
            buffer_write_hits,
            full_merges,
            flash_programs,
            flash_reads,
            ..Counters::default()
        };
        let (few, many) = (
            costs(10.0, 100.0, 1000.0, 5.0),
            costs(100.0, 1000.0, 11000.0, 7.0),
        );
        let reasons = reasons((&few, &hits(90, 9, 10, 1)), (&many, &hits(0, 100, 100, 2)));
        let names: Vec<_> = reasons.iter().map(|reason| reason.counter).collect();
        assert_eq!(names, ["buffer_write_hits", "full_merges", "flash_reads"]);
        let sum: f64 = reasons.iter().map(|reason| reason.saved_ns).sum();
        assert!((sum - (12007.0 - 1105.0)).abs() < 1e-6, "{sum}");
    }
}
