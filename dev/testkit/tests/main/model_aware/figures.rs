//! The examples of the BAGC paper.
//!
//! Planted bugs that these tests catch: clean pages taken from the buffer though they can be copied back; a page that
//! is programmed from the buffer but stays dirty; probabilities of updates that are the same in all regions; a benefit
//! that is added; an erase that is not counted.

use ssdlab_device::Reads;
use ssdlab_ftl::BufferAware;
use ssdlab_host::{Op, Request};
use ssdlab_testkit::model::{Choice, Event, Merge, ModelFtl, ModelPolicy, ModelResult, run};

use super::{bast, config, fast, flushed, moves, timing};
use crate::by_hand::{reads, writes};

/// Figure 1, except that page 0 is in SW: L0, the random log block filled first, is reclaimed for page 6 while the
/// buffer holds 2 and 4 dirty and 3 clean. Then reads of other pages push these out.
fn figure_1(aware: BufferAware, copy_back: bool, later: &[u64]) -> ModelResult {
    let mut config = config(fast(3, 2), aware, ModelPolicy::Lru, 4);
    config.flash.capacity = 2 * 4;
    config.flash.copy_back = copy_back;
    config.buffer.reads = Reads::Cache;
    let requests = [
        flushed(&[1, 6, 2, 3, 0, 7, 5, 7, 5]),
        writes(&[6]),
        reads(&[3]),
        writes(&[2, 4]),
        reads(&[1]),
        reads(later),
    ];
    run(&config, &requests.concat())
}

#[test]
fn figure_1_useless_migrations() {
    for (aware, copy_back, expected) in [
        (BufferAware::Off, false, [0, 8, 0]),
        (BufferAware::Merge, false, [3, 5, 0]),
        (BufferAware::Off, true, [0, 0, 8]),
        (BufferAware::Merge, true, [2, 0, 6]),
    ] {
        let result = figure_1(aware, copy_back, &[]);
        assert_eq!(moves(&result), expected, "{aware:?}");
        assert_eq!(result.counters.full_merges, 2);
        assert_eq!(result.counters.erases, 4);
    }
}

/// Merges that only look, and those that BAVBS would not let use the buffer, move 2 and 4 in vain.
#[test]
fn figure_1_counts_useless_migrations() {
    for (aware, moved, useless, merges) in [
        (BufferAware::Off, [0, 8, 0], 0, [0, 0]),
        (BufferAware::Watch, [0, 8, 0], 2, [0, 1]),
        (BufferAware::Merge, [3, 5, 0], 0, [1, 0]),
        (BufferAware::Skip, [0, 6, 0], 0, [1, 0]),
    ] {
        let result = figure_1(aware, false, &[]);
        let counters = &result.counters;
        assert_eq!(moves(&result), moved, "{aware:?}");
        assert_eq!(counters.useless_migrations, useless, "{aware:?}");
        let counted = [counters.aware_merges, counters.unaware_merges];
        assert_eq!(counted, merges, "{aware:?}");
    }
}

/// Pages 2 and 4 are cleaned, 3 was clean before. 2 is then evicted, 4 updated: the promise holds for one of them.
#[test]
fn figure_1_what_becomes_of_cleaned_pages() {
    let result = figure_1(BufferAware::Merge, false, &[5, 6]);
    let c = &result.counters;
    let cleaned = [
        c.cleaned_pages,
        c.cleaned_then_evicted,
        c.cleaned_then_updated,
    ];
    assert_eq!(cleaned, [2, 1, 0]);
}

/// Pages 2 and 4 have become clean.
#[test]
fn figure_1_later_evictions() {
    for (aware, dirty) in [(BufferAware::Off, 12), (BufferAware::Merge, 10)] {
        let result = figure_1(aware, false, &[5, 6, 7]);
        assert_eq!(result.counters.evicted_dirty_pages, dirty, "{aware:?}");
    }
}

/// Figure 4, with blocks of 5 pages, and p1, p2, p6 and p7 in place of its p0, p1, p4 and p5, as offset 0 would go to SW. The
/// log block holds 1 twice, 2, 3 and 4, and the data block only 0; four pages are dirty. The write of 12 evicts 11, for which
/// the log block is reclaimed; 11 takes one place of the new log block, so that four are free, as in the figure. Then the four
/// dirty pages are evicted, and after them the pages 12 and so on.
fn figure_4(aware: BufferAware, later: &[u64]) -> ModelResult {
    let mut config = config(fast(2, 4), aware, ModelPolicy::Lru, 5);
    config.flash.pages_per_block = 5;
    config.flash.capacity = 6 * 5;
    let requests = [
        flushed(&[1, 1, 2, 3, 4]),
        writes(&[11, 1, 2, 6, 7]),
        writes(&[12]),
        writes(later),
    ];
    run(&config, &requests.concat())
}

/// The evictions of p1 and p2 are saved (the eviction-cost benefit): merges that are not aware move old versions instead.
#[test]
fn figure_4_reduces_the_cost_of_evictions() {
    let evict_all = [13, 14, 16, 17];
    for (aware, moved, cleaned, logged) in [
        (BufferAware::Watch, [0, 5, 0], [0, 0], 10),
        (BufferAware::Merge, [2, 3, 0], [2, 2], 8),
    ] {
        let result = figure_4(aware, &evict_all);
        let c = &result.counters;
        assert_eq!(moves(&result), moved, "{aware:?}");
        assert_eq!(c.full_merges, 1, "{aware:?}");
        let counted = [c.cleaned_pages, c.cleaned_then_evicted];
        assert_eq!(counted, cleaned, "{aware:?}");
        assert_eq!(c.random_log_programs, logged, "{aware:?}");
    }
}

/// Two pages are still free in the log block, so the next merge comes two evictions later (the merge-cost benefit).
#[test]
fn figure_4_delays_the_next_merge() {
    let later = [13, 14, 16, 17, 18, 19, 21];
    let merges = |aware, evictions: usize| {
        let result = figure_4(aware, &later[..4 + evictions]);
        result.counters.full_merges
    };
    assert_eq!([0, 1].map(|n| merges(BufferAware::Off, n)), [1, 4]);
    assert_eq!([0, 1, 2].map(|n| merges(BufferAware::Merge, n)), [1, 1, 1]);
    assert_eq!(merges(BufferAware::Merge, 3), 3);
}

fn at(seconds: u64, op: Op, page: u64, pages: u64) -> Request {
    Request::new(seconds * 1_000_000_000, op, page, pages).unwrap()
}

/// Figure 5: L0 is the first log block, of block 0, and L1 that of block 1. The buffer holds 0 and 1 in TBU, and 8 and
/// 9 in TBE if page 24 pushes them out of Init (`pushed`). Then page 17 has been dirty for 10 s and needs a third log
/// block.
fn figure_5(ftl: ModelFtl, copy_back: bool, logged: &[u64], pushed: bool) -> ModelResult {
    let us = |us: u64| us * 1000;
    let mut config = config(
        ftl,
        BufferAware::MergeAndVictim,
        ModelPolicy::THREE_REGION,
        6,
    );
    config.flash.pages_per_block = 8;
    config.flash.capacity = 4 * 8;
    config.flash.copy_back = copy_back;
    config.buffer.flush_age_ns = 10_000_000_000;
    config.timing = timing([us(25), us(200), us(1500), us(100)]);
    let mut requests = flushed(logged);
    requests.push(at(0, Op::Write, 17, 1));
    requests.extend([0, 0, 8].map(|page| at(5, Op::Write, page, 2)));
    if pushed {
        requests.push(at(5, Op::Write, 24, 1));
    }
    requests.push(at(10, Op::Read, 31, 1));
    run(&config, &requests)
}

/// GC_BA and GC_BU of both log blocks, in microseconds.
fn costs(choice: &Choice) -> [[i128; 2]; 2] {
    let us = |cost: i128| cost / choice.divisor / 1000;
    let costs = |at: usize| [choice.candidates[at].aware, choice.candidates[at].unaware];
    [costs(0).map(us), costs(1).map(us)]
}

/// Once with a log block for each logical block, and once with shared log blocks, which must be full.
fn figure_5_systems() -> [(ModelFtl, Vec<u64>); 2] {
    let eight = [vec![3; 8], vec![11; 8]];
    [(bast(2), vec![3, 11]), (fast(3, 2), eight.concat())]
}

#[test]
fn figure_5_with_copy_back() {
    for (ftl, logged) in figure_5_systems() {
        let result = figure_5(ftl, true, &logged, true);
        let [choice] = &result.choices[..] else {
            panic!("{:?}", result.choices);
        };
        assert_eq!(costs(choice), [[4950, 4800], [4350, 4800]]);
        assert_eq!((choice.chosen, choice.aware), (1, true));
        assert_eq!(moves(&result), [2, 0, 6]);
        let end = &result.events[result.events.len() - 2..];
        let decided = Event::Decided {
            aware: true,
            benefit_ns: Some(600_000),
            copied: 6,
            from_buffer: 2,
        };
        assert_eq!(end, [Event::Merged(Merge::Full, 1), decided]);
    }
}

/// Without erases and the benefit of 600, both merges cost 3150.
#[test]
fn figure_5_without_copy_back() {
    for (ftl, logged) in figure_5_systems() {
        let result = figure_5(ftl, false, &logged, true);
        let erases = 3000;
        let expected = [
            [3150 + erases, 3400 + erases],
            [3150 + erases - 600, 3400 + erases],
        ];
        assert_eq!(costs(&result.choices[0]), expected);
        assert_eq!(result.choices[0].chosen, 1);
        assert_eq!(moves(&result), [2, 6, 0]);
    }
}

/// In Init two of six pages are expected to be updated, so a third of the benefit is lost.
#[test]
fn figure_5_with_pages_in_the_initial_region() {
    let (ftl, logged) = &figure_5_systems()[0];
    let result = figure_5(ftl.clone(), true, logged, false);
    assert_eq!(
        costs(&result.choices[0]),
        [[4950, 4800], [4950 - 400, 4800]]
    );
}
