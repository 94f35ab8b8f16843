//! What a host can do for a drive whose SLC cache runs full: pause, or discard what it needs no more. Each habit makes another trace, on
//! which the same device runs.

use ssdlab_config::Config;
use ssdlab_device::{Issue, Precondition};
use ssdlab_host::{Op, Request};
use ssdlab_policy::BitSet;
use ssdlab_words::{decimal_bytes, duration};

use crate::cliff::Cliff;
use crate::input::Trace;
use crate::outcome::Outcome;

/// The most moments at which a host discards.
const MOMENTS: u64 = 64;
/// The share of the programs past the cache from which on it counts as full.
const PAST: f64 = 0.01;

/// A habit, and the trace with it.
pub(super) struct Habit {
    /// In words: `a pause of 30 s after each 6.00 GB written`.
    pub words: String,
    pub trace: Trace,
    /// It must bring more writes into the cache.
    pub fills: bool,
}

/// The habits to try on a device that served a trace so: none if no cache was full, or the trace is not in memory.
pub(super) fn habits(trace: &Trace, outcome: &Outcome, config: &Config, wraps: bool) -> Vec<Habit> {
    let filled = match config.precondition {
        Precondition::Empty => 0.0,
        Precondition::Full => 1.0,
        Precondition::Aged(ageing) => ageing.filled,
    };
    let c = &outcome.counters;
    let is_past = c.direct_programs as f64 > PAST * c.flash_programs as f64;
    let (Some(requests), Some(cliff), true) = (
        trace.in_memory(),
        Cliff::of(config, filled),
        is_past || c.folds_room > 0,
    ) else {
        return Vec::new();
    };
    let written = c.host_write_bytes;
    let mut habits = Vec::new();
    let each = cliff.cache;
    if let (true, Issue::Timed { speedup }, Some(pause_s)) = (
        config.is_timed() && (1..written).contains(&each),
        config.timing.parallel.issue,
        cliff.recovery.whole_s,
    ) {
        let pause_ns = (pause_s * speedup * 1e9).round() as u64;
        habits.push(Habit {
            words: format!(
                "a pause of {} after each {} written",
                duration(pause_s * 1e9),
                decimal_bytes(each)
            ),
            trace: as_before(trace, with_pauses(requests, each, pause_ns)),
            fills: true,
        });
    }
    let each = each.max(written.div_ceil(MOMENTS)).max(1);
    let page = u64::from(config.flash.page_size);
    if !wraps && let Some(trimmed) = with_trims(requests, each, page) {
        habits.push(Habit {
            words: format!(
                "TRIM, after each {} written, of what is overwritten before it is read again (a host knows of deleted files only)",
                decimal_bytes(each)
            ),
            trace: as_before(trace, trimmed),
            fills: false,
        });
    }
    habits
}

/// The trace with other requests.
fn as_before(trace: &Trace, requests: Vec<Request>) -> Trace {
    let mut summary = trace.summary.clone();
    summary.requests = requests.len() as u64;
    let latest = requests.iter().map(|request| request.time_ns).max();
    summary.latest = latest.unwrap_or(summary.latest);
    Trace::summed_up(summary, requests)
}

/// The number of the part of `each` bytes in which the writes so far end; it is called with each request.
fn parts(each: u64) -> impl FnMut(&Request) -> u64 {
    let mut written = 0_u64;
    move |request| {
        if request.op() == Op::Write {
            written = written.saturating_add(request.size());
        }
        written / each
    }
}

/// A pause behind the request that ends each part of the writes.
fn with_pauses(requests: &[Request], each: u64, pause_ns: u64) -> Vec<Request> {
    let (mut part_of, mut shift) = (parts(each), 0_u64);
    let mut last = 0;
    let later = |request: &Request| {
        let mut later = *request;
        later.time_ns = later.time_ns.saturating_add(shift);
        let part = part_of(request);
        if part > last {
            (shift, last) = (shift.saturating_add(pause_ns), part);
        }
        later
    };
    requests.iter().map(later).collect()
}

/// The pages that a request touches, and those wholly inside it.
fn pages_of(request: &Request, page: u64) -> [std::ops::Range<u64>; 2] {
    let end = request.end();
    let (first, whole) = (request.offset.div_ceil(page), end / page);
    [
        request.offset / page..end.div_ceil(page),
        first..whole.max(first),
    ]
}

/// Discards behind the request that ends each part of the writes: of all pages that the trace then overwrites as a whole before it
/// reads or changes them. `None` if there are none, or too many pages to count.
fn with_trims(requests: &[Request], each: u64, page: u64) -> Option<Vec<Request>> {
    let touches = |request: &&Request| request.op() != Op::Flush && request.size() > 0;
    let ends = requests.iter().filter(touches).map(Request::end);
    let all = u32::try_from(ends.max()?.div_ceil(page)).ok()?;
    // for each access of a page, in order: whether the next one overwrites it; before the first one, for each page
    let accesses: u64 = (requests.iter().filter(touches))
        .map(|request| {
            let [touched, _] = pages_of(request, page);
            touched.end - touched.start
        })
        .sum();
    let mut dies = BitSet::new(
        u32::try_from(accesses).ok().filter(|n| *n < u32::MAX)?,
        false,
    );
    let mut dead = BitSet::new(all, false);
    let mut last = vec![u32::MAX; all as usize];
    let mut number = 0;
    for request in requests.iter().filter(touches) {
        let [touched, whole] = pages_of(request, page);
        for at in touched {
            let before = std::mem::replace(&mut last[at as usize], number);
            if request.op() == Op::Write && whole.contains(&at) {
                match before {
                    u32::MAX => dead.insert(at as u32),
                    before => dies.insert(before),
                }
            }
            number += 1;
        }
    }
    let mut with = Vec::with_capacity(requests.len());
    let (mut part_of, mut done, mut number) = (parts(each), 0, 0);
    for request in requests {
        with.push(*request);
        if touches(&request) {
            let [touched, _] = pages_of(request, page);
            for at in touched {
                dead.set(at as u32, dies.contains(number));
                number += 1;
            }
        }
        let part = part_of(request);
        if part > done {
            done = part;
            let mut at = dead.member_in(0, all);
            while at < all {
                let end = dead.gap_in(at, all);
                let bytes = u64::from(end - at) * page;
                let discard =
                    Request::new(request.time_ns, Op::Discard, u64::from(at) * page, bytes);
                with.push(discard?);
                dead.remove_range(at, end);
                at = dead.member_in(end, all);
            }
        }
    }
    (with.len() > requests.len()).then_some(with)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(text: &str) -> Vec<Request> {
        let request = |(time, text): (u64, &str)| {
            let (op, pages) = text.split_at(1);
            let op = Op::ALL
                .into_iter()
                .find(|known| op.starts_with(known.letter()));
            let (first, last) = pages.split_once('-').unwrap_or((pages, pages));
            let [first, last] = [first, last].map(|page| page.parse::<u64>().expect("a page"));
            Request::new(time, op.expect("an op"), first * 8, (last + 1 - first) * 8)
                .expect("a request")
        };
        (10..).zip(text.split(' ')).map(request).collect()
    }

    fn told(requests: &[Request]) -> String {
        let one = |request: &Request| {
            let last = request.end() / 8 - 1;
            format!(
                "{}{}-{last}@{}",
                request.op().letter(),
                request.offset / 8,
                request.time_ns
            )
        };
        requests.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    // planted bugs: a page that is read before it is overwritten is discarded, or one whose last write it was, or one that was written in
    // part; the same page twice; a page never written that is not discarded before its first write; a discard before its moment
    #[test]
    fn what_is_overwritten_next_is_discarded_behind_each_part() {
        let found = |text: &str| with_trims(&requests(text), 16, 8).map(|all| told(&all));
        assert_eq!(
            found("W0 W1 W0 R1 W1 W0").as_deref(),
            Some("W0-0@10 W1-1@11 D0-0@11 W0-0@12 R1-1@13 W1-1@14 D0-0@14 W0-0@15")
        );
        assert_eq!(
            found("W0-1 W2-3").as_deref(),
            Some("W0-1@10 D2-3@10 W2-3@11")
        );
        assert_eq!(found("W0-1 R0-1 R2"), None);
        let partly = [
            requests("W0-1"),
            vec![Request::new(20, Op::Write, 4, 8).expect("a request")],
        ];
        assert_eq!(with_trims(&partly.concat(), 16, 8), None);
    }

    // planted bugs: a pause before the write that ends a part; pauses that do not add up; reads that end a part
    #[test]
    fn pauses_shift_all_that_follows() {
        let paused = with_pauses(&requests("W0-1 R0-9 W2 W3 W4-5"), 16, 100);
        assert_eq!(told(&paused), "W0-1@10 R0-9@111 W2-2@112 W3-3@113 W4-5@214");
    }
}
