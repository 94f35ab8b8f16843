//! Explains why one run took less simulated time than another: the difference of each cause of time, without a
//! remainder. Under the parallel model this is busy time: operations overlap, and the simulated time is less than their
//! sum.
//!
//! Each cause comes with a counter, so that a reader can check it: the table of the runs shows the counters, and their
//! time by cause shows the seconds.

use serde::Serialize;
use ssdlab_device::Counters;

use crate::costs::{Costs, Share};
use crate::row::Row;
use ssdlab_words::{duration, listed, percent, thousands};

/// A cause of time in two runs, and the counter that shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// The counter's name.
    pub counter: &'static str,
    /// Its value in the explained run.
    pub value: u64,
    /// Its value in the run compared with it.
    pub against: u64,
    /// Simulated nanoseconds of the cause in the explained run.
    pub ns: u64,
    /// Simulated nanoseconds of the cause in the run compared with it.
    pub against_ns: u64,
    /// The nanoseconds saved; negative if the explained run took longer.
    pub saved_ns: f64,
}

/// The causes of the difference between the simulated times of two runs of one trace, the largest share first.
pub fn explain(row: &Row, against: &Row) -> Vec<Reason> {
    reasons(
        (&row.costs, &row.outcome.counters),
        (&against.costs, &against.outcome.counters),
    )
}

fn reasons(run: (&Costs, &Counters), against: (&Costs, &Counters)) -> Vec<Reason> {
    let pairs = run.0.0.iter().zip(&against.0.0);
    let reason = |(&(cause, ns), &(_, against_ns)): (&(Share, u64), &(Share, u64))| {
        let (counter, value, others) = counter(cause, run.1, against.1);
        Reason {
            counter,
            value,
            against: others,
            ns,
            against_ns,
            saved_ns: against_ns as f64 - ns as f64,
        }
    };
    let mut reasons: Vec<Reason> = pairs.map(reason).collect();
    reasons.retain(|reason| reason.ns != reason.against_ns);
    reasons.sort_by(|a, b| b.saved_ns.abs().total_cmp(&a.saved_ns.abs()));
    reasons
}

/// The counter that shows a cause, in both runs.
fn counter(share: Share, a: &Counters, b: &Counters) -> (&'static str, u64, u64) {
    macro_rules! both {
        ($name:ident) => {
            (stringify!($name), a.$name, b.$name)
        };
    }
    match share {
        // the programs include those of padding
        Share::Programs if a.buffer_write_hits != b.buffer_write_hits => both!(buffer_write_hits),
        Share::Programs => both!(flash_programs),
        Share::Reads => both!(flash_reads),
        Share::Padding => both!(padding_reads),
        Share::Switch => both!(switch_merges),
        Share::Partial => both!(partial_merges),
        Share::Full => both!(full_merges),
        Share::Cleaning => both!(erases),
        Share::Tables if a.table_reads == b.table_reads => both!(table_programs),
        Share::Tables => both!(table_reads),
        Share::Buffer if a.buffer_write_misses == b.buffer_write_misses => {
            both!(buffer_read_misses)
        }
        Share::Buffer => both!(buffer_write_misses),
    }
}

impl Reason {
    /// `full merges (0 instead of 13,098: saves 1,632.0 s)`
    fn in_words(&self, write_hits: Option<[f64; 2]>) -> String {
        let sense = if self.saved_ns > 0.0 {
            "saves"
        } else {
            "costs"
        };
        let (name, counts) = match write_hits.filter(|_| self.counter == WRITE_HITS) {
            Some(hits) => ("write hits".into(), instead(hits.map(percent))),
            None => {
                let counts = instead([self.value, self.against].map(thousands));
                match self.counter {
                    // cleaning copies pages as well
                    "erases" => ("cleaning".into(), format!("erases {counts}")),
                    counter => (counter.replace('_', " "), counts),
                }
            }
        };
        let seconds = duration(self.saved_ns.abs());
        format!("{name} ({counts}: {sense} {seconds})")
    }
}

/// The counter that a table shows as a ratio.
const WRITE_HITS: &str = "buffer_write_hits";

pub(crate) fn instead([ours, theirs]: [String; 2]) -> String {
    if ours == theirs {
        format!("{ours} in both")
    } else {
        format!("{ours} instead of {theirs}")
    }
}

/// Both write hit ratios, if the table shows different values.
pub(crate) fn write_hits(row: &Row, against: &Row) -> Option<[f64; 2]> {
    let ratio = |row: &Row| row.outcome.derived.write_hit_ratio;
    let hits = [ratio(row).unwrap_or(0.0), ratio(against).unwrap_or(0.0)];
    (hits[0] - hits[1]).abs().ge(&0.001).then_some(hits)
}

/// The main causes of the difference between two runs of one trace, in words; `None` without a difference.
pub fn causes(row: &Row, against: &Row) -> Option<String> {
    main_causes(&explain(row, against), write_hits(row, against))
}

/// The two largest of sorted reasons.
pub(crate) fn main_of(reasons: &[Reason]) -> &[Reason] {
    &reasons[..reasons.len().min(2)]
}

/// The two largest causes in words, savings before costs; and the write hit ratios of the buffers, if they differ.
pub(crate) fn main_causes(reasons: &[Reason], write_hits: Option<[f64; 2]>) -> Option<String> {
    let mut main: Vec<&Reason> = main_of(reasons).iter().collect();
    main.sort_by(|a, b| b.saved_ns.total_cmp(&a.saved_ns));
    let named = main.iter().any(|reason| reason.counter == WRITE_HITS);
    let main: Vec<String> = main
        .into_iter()
        .map(|reason| reason.in_words(write_hits))
        .collect();
    let hits = write_hits.filter(|_| !named);
    let hits = hits.map(|hits| format!(", with write hits of {}", instead(hits.map(percent))));
    (!main.is_empty()).then(|| listed(&main) + &hits.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: costs credited as savings; a missing cause, so that the shares do not add up
    #[test]
    fn the_shares_add_up_and_the_largest_comes_first() {
        let costs = |programs, padding, full| {
            Costs([
                (Share::Programs, programs),
                (Share::Padding, padding),
                (Share::Full, full),
                (Share::Reads, 5),
                (Share::Switch, 0),
                (Share::Partial, 0),
                (Share::Cleaning, 0),
                (Share::Tables, 0),
                (Share::Buffer, 0),
            ])
        };
        let counters = |flash_programs, padding_reads, full_merges| Counters {
            flash_programs,
            padding_reads,
            full_merges,
            ..Counters::default()
        };
        let ours = (costs(1000, 4_000_000_000, 0), counters(10, 40, 0));
        let theirs = (costs(1100, 0, 1_632_000_000_000), counters(11, 0, 13_098));
        let reasons = reasons((&ours.0, &ours.1), (&theirs.0, &theirs.1));
        let names: Vec<_> = reasons.iter().map(|reason| reason.counter).collect();
        assert_eq!(names, ["full_merges", "padding_reads", "flash_programs"]);
        let sum: f64 = reasons.iter().map(|reason| reason.saved_ns).sum();
        assert_eq!(sum, 1_628_000_000_100.0);
        assert_eq!(
            main_causes(&reasons, Some([0.5, 0.0])).as_deref(),
            Some(
                "full merges (0 instead of 13,098: saves 1,632.0 s) and padding reads (40 instead of 0: costs 4.0 s), \
                 with write hits of 50.0 % instead of 0.0 %"
            )
        );
    }
}
