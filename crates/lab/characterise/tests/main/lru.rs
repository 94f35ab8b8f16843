//! The hits of LRU buffers of all sizes against buffers that are simulated one by one.

use std::collections::VecDeque;

use proptest::prelude::*;
use ssdlab_characterise::{LruCurve, LruHits, TooManyUnits};
use ssdlab_host::{Op, Request};

use crate::common::request;

/// A buffer as its definition has it: units, the most recent first.
struct Naive {
    size: usize,
    held: VecDeque<u64>,
    protected: bool,
    /// Write hits, writes, read hits, reads.
    counts: [u64; 4],
}

impl Naive {
    fn serve(&mut self, request: &Request, unit: u64) {
        let (start, end) = (request.offset, request.end());
        let touched = || start / unit..=(end - 1) / unit;
        match request.op() {
            Op::Write => touched().for_each(|unit| {
                let place = self.held.iter().position(|&held| held == unit);
                self.counts[0] += u64::from(place.is_some());
                self.counts[1] += 1;
                match place {
                    Some(place) => drop(self.held.remove(place)),
                    None if self.held.len() == self.size => drop(self.held.pop_back()),
                    None => {}
                }
                self.held.push_front(unit);
            }),
            Op::Read => touched().for_each(|unit| {
                self.counts[2] += u64::from(self.held.contains(&unit));
                self.counts[3] += 1;
            }),
            Op::Discard => {
                let inside = |held: &u64| held * unit >= start && (held + 1) * unit <= end;
                self.held.retain(|held| !inside(held));
            }
            Op::Flush if !self.protected => self.held.clear(),
            Op::Flush => {}
        }
    }
}

fn naive(requests: &[Request], unit: u64, size: usize, protected: bool) -> [u64; 4] {
    let mut buffer = Naive {
        size,
        held: VecDeque::new(),
        protected,
        counts: [0; 4],
    };
    for request in requests {
        buffer.serve(request, unit);
    }
    buffer.counts
}

fn curve(requests: &[Request], unit: u64, protected: bool) -> LruHits {
    let mut curve = LruCurve::new(unit);
    for request in requests {
        curve.add(request).expect("few units");
    }
    curve.hits(protected)
}

fn counts(hits: &LruHits, size: usize) -> [u64; 4] {
    let size = size as u64;
    let (writes, reads) = (hits.write_hits(size), hits.read_hits(size));
    [writes, hits.writes, reads, hits.reads]
}

/// Writes of single units of 4 bytes, discards (`-n`: unit n) and flushes (`None`).
fn units(accesses: &[Option<i64>]) -> Vec<Request> {
    let one = |access: &Option<i64>| match access {
        None => request(0, Op::Flush, 0, 0),
        Some(unit) if *unit < 0 => request(0, Op::Discard, 4 * unit.unsigned_abs(), 4),
        Some(unit) => request(0, Op::Write, 4 * *unit as u64, 4),
    };
    accesses.iter().map(one).collect()
}

fn hits(accesses: &[Option<i64>], most: u64) -> Vec<u64> {
    let hits = curve(&units(accesses), 4, false);
    (0..=most).map(|size| hits.write_hits(size)).collect()
}

// planted bugs: a distance one too small or too large; units in between counted as often as they are written
#[test]
fn places_by_hand() {
    // 1 2 3 1: two others in between, so 3 units are needed; then 1 at once, and 3 behind 1
    let trace = [1, 2, 3, 1, 1, 3].map(Some);
    assert_eq!(hits(&trace, 4), [0, 1, 2, 3, 3]);
    // 2 is written three times in between, and counts once
    let trace = [1, 2, 2, 2, 1].map(Some);
    assert_eq!(hits(&trace, 3), [0, 2, 3, 3]);
    let empty = curve(&[], 4, false);
    assert_eq!((empty.enough(), empty.write_hits(9)), (0, 0));
    assert_eq!(empty.points().len(), 1);
}

// planted bugs: a discard that leaves its unit in the buffers, or whose room is lost, or is given to smaller buffers too
#[test]
fn discards_by_hand() {
    // without the discard of 2, buffers of 1, 2 and 3 units hold [3], [3 2], [3 2 1]; with it [3], [3], [3 1]
    let trace = [1, 2, 3, -2].map(Some);
    let and = |more: &[i64]| {
        [
            &trace[..],
            &more.iter().copied().map(Some).collect::<Vec<_>>(),
        ]
        .concat()
    };
    assert_eq!(hits(&and(&[2]), 4), [0; 5]);
    // 4 takes the free room of the larger two, so that 3 stays in a buffer of 2, and 1 in one of 3
    assert_eq!(hits(&and(&[4, 3]), 4), [0, 0, 1, 1, 1]);
    assert_eq!(hits(&and(&[4, 1]), 4), [0, 0, 0, 1, 1]);
    // a buffer of 3 hits 1 and still has room: 4 evicts nothing there; one of 2 had 3, took 1 in, and evicts 3
    assert_eq!(hits(&and(&[1, 4, 3]), 4), [0, 0, 0, 2, 2]);
}

// planted bug: a flush that leaves units, or one that a protected buffer obeys
#[test]
fn flushes_by_hand() {
    let trace = [Some(1), Some(1), None, Some(1), Some(2), Some(1)];
    assert_eq!(hits(&trace, 3), [0, 1, 2, 2]);
    let protected = curve(&units(&trace), 4, true);
    let hits: Vec<u64> = (0..4).map(|size| protected.write_hits(size)).collect();
    assert_eq!(hits, [0, 2, 3, 3]);
}

/// Planted bug: a read that is a use, or that counts as a write.
#[test]
fn reads_by_hand() {
    let at = |op, unit: u64| request(0, op, 4 * unit, 4);
    let trace = [
        at(Op::Write, 1),
        at(Op::Write, 2),
        at(Op::Read, 1),
        at(Op::Read, 9),
        at(Op::Write, 3),
        at(Op::Write, 1),
    ];
    let hits = curve(&trace, 4, false);
    assert_eq!((hits.writes, hits.reads), (4, 2));
    let each: Vec<_> = (1..5).map(|size| counts(&hits, size)).collect();
    assert_eq!(
        each,
        [[0, 4, 0, 2], [0, 4, 1, 2], [1, 4, 1, 2], [1, 4, 1, 2]]
    );
}

// planted bugs: a size that is left out or there twice; a last size at which more hits are still missing
#[test]
fn points_grow_to_the_last_hit() {
    let once_more: Vec<_> = (0..100).chain(0..100).map(Some).collect();
    let hits = curve(&units(&once_more), 4, false);
    let points = hits.points();
    let sizes: Vec<u64> = points.iter().map(|point| point.units).collect();
    let first = [1, 2, 3, 4, 5, 6, 8, 9, 11, 13, 16, 19];
    assert_eq!(sizes[..12], first);
    assert_eq!((points[points.len() - 1].units, hits.enough()), (100, 100));
    let last = points[points.len() - 1];
    assert_eq!(
        (last.bytes, last.write_hits, hits.write_hits(99)),
        (400, 100, 0)
    );
}

// planted bugs: memory or time that follows the size of a request; a limit that is one off
#[test]
fn too_many_units_are_refused() {
    let mut curve = LruCurve::with_most(4096, 3);
    let write = |page: u64, pages: u64| request(0, Op::Write, page << 12, pages << 12);
    curve.add(&write(5, 3)).expect("three");
    curve.add(&write(6, 2)).expect("the same");
    let error = curve.add(&write(0, 1)).expect_err("a fourth");
    assert_eq!(
        error,
        TooManyUnits {
            unit: 4096,
            most: 3
        }
    );
    let mut curve = LruCurve::new(512);
    let large = |op| Request::new(0, op, 0, Request::MAX_SIZE).expect("a request");
    curve.add(&write(1, 1)).expect("one");
    curve.add(&large(Op::Read)).expect("reads take no room");
    assert_eq!(curve.hits(false).read_hits(8), 8);
    curve.add(&large(Op::Discard)).expect("nor do discards");
    curve.add(&large(Op::Write)).expect_err("too many");
}

fn any_request(units: u64) -> impl Strategy<Value = Request> {
    let op = prop_oneof![
        12 => Just(Op::Write),
        3 => Just(Op::Read),
        3 => Just(Op::Discard),
        1 => Just(Op::Flush),
    ];
    (op, 0..4 * units, 1..14_u64).prop_map(|(op, offset, size)| match op {
        Op::Flush => request(0, op, 0, 0),
        _ => request(0, op, offset, size),
    })
}

proptest! {
    // planted bugs: those above, where they meet; slots that lose their order when they move together
    #[test]
    fn all_sizes_are_as_simulated(
        requests in prop::collection::vec(any_request(12), 0..200),
        unit in 1..9_u64,
    ) {
        for protected in [false, true] {
            let hits = curve(&requests, unit, protected);
            for size in 1..60 {
                prop_assert_eq!(counts(&hits, size), naive(&requests, unit, size, protected), "{}", size);
            }
        }
    }
}

/// Planted bug: slots that lose their order, holes or flushes when they move together.
#[test]
fn many_requests_are_as_simulated() {
    let mut random = 7_u64;
    let mut next = |below: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % below
    };
    // 30,000 writes of units: the slots of 300 units are used up seven times
    let requests: Vec<_> = (0..30_000)
        .map(|_| match next(100) {
            0..6 => request(0, Op::Discard, 4 * next(300), 4 * (1 + next(4))),
            6..8 => request(0, Op::Read, 4 * next(300), 8),
            8 if next(20) == 0 => request(0, Op::Flush, 0, 0),
            _ => {
                let below = 1 + next(300);
                request(0, Op::Write, 4 * next(below), 4)
            }
        })
        .collect();
    for protected in [false, true] {
        let hits = curve(&requests, 4, protected);
        for size in [1, 2, 3, 7, 50, 100, 200, 299, 400] {
            let simulated = naive(&requests, 4, size, protected);
            assert_eq!(counts(&hits, size), simulated, "{size}");
            assert!(simulated[0] > 0);
        }
    }
}
