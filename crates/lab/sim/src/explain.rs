//! Explains why one run took less simulated time than another: the difference of each cause of time, without a
//! remainder. Under the parallel model chips work at the same time, so it is the time that the cells of all chips worked, and
//! is told in shares of that time.
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
    /// The cause, where the counter does not name it: `cleaning`, which copies pages and erases blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
    /// The counter's name.
    pub counter: &'static str,
    /// Its value in the explained run.
    pub value: u64,
    /// Its value in the run compared with it.
    pub against: u64,
    /// Nanoseconds of the cause in the explained run: simulated time, or under the parallel model time of the chips.
    pub ns: u64,
    /// The same in the run compared with it.
    pub against_ns: u64,
    /// The nanoseconds saved; negative if the explained run took longer.
    pub saved_ns: f64,
}

/// The time of the chips of two runs under the parallel model; `None` if either is serial.
pub fn chip_times(row: &Row, against: &Row) -> Option<[u64; 2]> {
    let both = [row, against];
    let clocked = both.iter().all(|row| row.outcome.latency_ns.is_some());
    clocked.then(|| both.map(|row| row.costs.total()))
}

/// The causes of the difference between the times of two runs of one trace, the largest share first: of their simulated
/// times, or under the parallel model of the times of their chips. None if one is serial and the other is not.
pub fn explain(row: &Row, against: &Row) -> Vec<Reason> {
    let [a, b] = [row, against].map(|row| row.outcome.latency_ns.is_some());
    if a != b {
        return Vec::new();
    }
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
            cause: match cause {
                Share::Cleaning => Some("cleaning"),
                Share::Released => Some("blocks without valid pages"),
                _ => None,
            },
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
        Share::Cleaning if a.flash_copies != b.flash_copies => both!(flash_copies),
        Share::Cleaning if a.copy_backs != b.copy_backs => both!(copy_backs),
        Share::Cleaning | Share::Released => both!(erases),
        Share::Tables if a.table_reads == b.table_reads => both!(table_programs),
        Share::Tables => both!(table_reads),
        Share::Buffer if a.buffer_write_misses == b.buffer_write_misses => {
            both!(buffer_read_misses)
        }
        Share::Buffer => both!(buffer_write_misses),
    }
}

impl Reason {
    /// The counter, with the cause where that has another name: `cleaning: flash copies`.
    pub fn name(&self) -> String {
        let counter = self.counter.replace('_', " ");
        match self.cause {
            Some(cause) => format!("{cause}: {counter}"),
            None => counter,
        }
    }

    /// `full merges (0 instead of 13,098: saves 1,632.0 s)`; of a whole `saves 12.3 %`.
    fn in_words(&self, write_hits: Option<[f64; 2]>, whole_ns: Option<u64>) -> String {
        let sense = if self.saved_ns > 0.0 {
            "saves"
        } else {
            "costs"
        };
        let (name, counts) = match write_hits.filter(|_| self.counter == WRITE_HITS) {
            Some(hits) => ("write hits".into(), instead(hits.map(percent))),
            None => {
                let counts = instead([self.value, self.against].map(thousands));
                let counter = self.counter.replace('_', " ");
                match self.cause {
                    Some(cause) => (cause.into(), format!("{counter} {counts}")),
                    None => (counter, counts),
                }
            }
        };
        let much = match whole_ns {
            Some(whole) => percent(self.saved_ns.abs() / whole.max(1) as f64),
            None => duration(self.saved_ns.abs()),
        };
        format!("{name} ({counts}: {sense} {much})")
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
    let whole = chip_times(row, against).map(|[_, theirs]| theirs);
    main_causes(&explain(row, against), write_hits(row, against), whole)
}

/// The two largest of sorted reasons.
pub(crate) fn main_of(reasons: &[Reason]) -> &[Reason] {
    &reasons[..reasons.len().min(2)]
}

/// The two largest causes in words, savings before costs; and the write hit ratios of the buffers, if they differ. With a
/// whole, the time of each is a share of it.
pub(crate) fn main_causes(
    reasons: &[Reason],
    write_hits: Option<[f64; 2]>,
    whole_ns: Option<u64>,
) -> Option<String> {
    let mut main: Vec<&Reason> = main_of(reasons).iter().collect();
    main.sort_by(|a, b| b.saved_ns.total_cmp(&a.saved_ns));
    let named = main.iter().any(|reason| reason.counter == WRITE_HITS);
    let main: Vec<String> = main
        .into_iter()
        .map(|reason| reason.in_words(write_hits, whole_ns))
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
                (Share::Released, 0),
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
            main_causes(&reasons, Some([0.5, 0.0]), None).as_deref(),
            Some(
                "full merges (0 instead of 13,098: saves 1,632.0 s) and padding reads (40 instead of 0: costs 4.0 s), \
                 with write hits of 50.0 % instead of 0.0 %"
            )
        );
    }

    // planted bugs: copies of cleaning told as erases; chip time in seconds, which do not add up to the simulated time; the
    // erase of an empty log block told as cleaning
    #[test]
    fn copies_belong_to_cleaning_and_chip_time_is_told_in_shares() {
        let mut costs = Costs::default();
        costs.0[0] = (Share::Cleaning, 3_000);
        costs.0[1] = (Share::Released, 40);
        let counters = |flash_copies, erases| Counters {
            flash_copies,
            erases,
            ..Counters::default()
        };
        let mut theirs = costs.clone();
        theirs.0[0].1 = 5_000;
        theirs.0[1].1 = 1_000;
        let reasons = reasons((&costs, &counters(7, 1)), (&theirs, &counters(70, 2)));
        let words = main_causes(&reasons, None, Some(10_000));
        let expected = "cleaning (flash copies 7 instead of 70: saves 20.0 %) and blocks without valid pages (erases 1 \
                        instead of 2: saves 9.6 %)";
        assert_eq!(words.as_deref(), Some(expected));
        assert_eq!(reasons[0].name(), "cleaning: flash copies");
    }
}
