//! The clairvoyant buffer of pages against the best choice of victims, and the writes to come.
//!
//! Planted bugs that these tests catch: the page that is written first leaves; a discard that is no reason to keep a page;
//! a page kept over a flush; a distance that is off by one; a future that does not begin anew.

use ssdlab_flash::{Geometry, Lpn};
use ssdlab_policy::buffer::clairvoyant::{Clairvoyant, ClairvoyantConfig};
use ssdlab_policy::buffer::lru::Lru;
use ssdlab_policy::buffer::three_region::Granularity;
use ssdlab_policy::buffer::{
    Access, BufferKind, BufferPolicy, Foresight, Future, Shape, Unit, Victim,
};

/// What the host does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Write(u32),
    Discard(u32),
    Flush,
}
use Step::{Discard, Flush, Write};

const PAGES_PER_BLOCK: u32 = 4;

fn shape(pages: u64, future: Option<Future>) -> Shape {
    Shape {
        geometry: Geometry::new(512, PAGES_PER_BLOCK, 16, 16, 1),
        pages,
        future,
    }
}

fn foresight(steps: &[Step], unit: Unit) -> Foresight {
    let mut foresight = Foresight::new(64, unit, usize::MAX);
    see(&mut foresight, steps);
    foresight
}

fn see(foresight: &mut Foresight, steps: &[Step]) {
    for step in steps {
        match *step {
            Write(page) => foresight.write(Lpn(page), 1).expect("a short trace"),
            Discard(page) => foresight.discard(Lpn(page), 1),
            Flush => foresight.flush(),
        }
    }
}

fn clairvoyant(steps: &[Step], pages: u64) -> Clairvoyant {
    let future = foresight(steps, Unit::Page).finish();
    let config = ClairvoyantConfig {
        granularity: Granularity::Page,
        padding: false,
    };
    Clairvoyant::new(&shape(pages, Some(future)), &config)
}

/// The pages that leave such a buffer other than by a discard.
fn programs(mut policy: impl BufferPolicy, pages: usize, steps: &[Step]) -> u32 {
    let geometry = shape(1, None).geometry;
    let mut held: Vec<u32> = Vec::new();
    let mut programs = 0;
    let mut evict = |policy: &mut dyn FnMut() -> Lpn, held: &mut Vec<u32>| {
        let Lpn(page) = policy();
        let place = held.iter().position(|&other| other == page);
        held.swap_remove(place.expect("a victim that is held"));
        programs += 1;
    };
    let named = |victim: Victim| match victim {
        Victim::Page(lpn) => lpn,
        Victim::Block(_) => panic!("a policy of pages names a block"),
    };
    for step in steps.iter().chain([&Flush]) {
        match *step {
            Write(page) if held.contains(&page) => {
                policy.hit(geometry.page(Lpn(page)), Access::Write);
            }
            Write(page) => {
                if held.len() == pages {
                    let mut victim = || {
                        let lpn = named(policy.victim_for_room());
                        policy.left(geometry.page(lpn));
                        lpn
                    };
                    evict(&mut victim, &mut held);
                }
                policy.enter(geometry.page(Lpn(page)), Access::Write);
                held.push(page);
            }
            Discard(page) => {
                if let Some(place) = held.iter().position(|&other| other == page) {
                    held.swap_remove(place);
                    policy.left(geometry.page(Lpn(page)));
                }
            }
            Flush => {
                while !held.is_empty() {
                    let mut victim = || {
                        let lpn = named(policy.victim());
                        policy.left(geometry.page(lpn));
                        lpn
                    };
                    evict(&mut victim, &mut held);
                }
            }
        }
    }
    programs
}

/// The fewest programs of any choice of victims, with these pages held (a bit each).
fn fewest(held: u32, pages: u32, steps: &[Step]) -> u32 {
    let Some((step, rest)) = steps.split_first() else {
        return held.count_ones();
    };
    match *step {
        Flush => held.count_ones() + fewest(0, pages, rest),
        Discard(page) => fewest(held & !(1 << page), pages, rest),
        Write(page) if held & 1 << page != 0 || held.count_ones() < pages => {
            fewest(held | 1 << page, pages, rest)
        }
        Write(page) => {
            let victims = (0..32).filter(|victim| held & 1 << victim != 0);
            let without = victims.map(|victim| held & !(1 << victim) | 1 << page);
            let costs = without.map(|held| 1 + fewest(held, pages, rest));
            costs.min().expect("a full buffer")
        }
    }
}

/// Runs a check on all traces of this length.
fn each_trace(alphabet: &[Step], length: u32, mut check: impl FnMut(&[Step])) {
    let mut steps = vec![alphabet[0]; length as usize];
    for number in 0..alphabet.len().pow(length) {
        let mut rest = number;
        for step in &mut steps {
            *step = alphabet[rest % alphabet.len()];
            rest /= alphabet.len();
        }
        check(&steps);
    }
}

#[test]
fn no_eviction_of_pages_beats_it_on_all_short_traces() {
    let writes = [0, 1, 2, 3].map(Write);
    let others = [Write(0), Write(1), Write(2), Discard(0), Discard(2), Flush];
    for (alphabet, length) in [(&writes as &[Step], 8), (&others, 6)] {
        for pages in 1..=3 {
            each_trace(alphabet, length, |steps| {
                let policy = clairvoyant(steps, u64::from(pages));
                let found = programs(policy, pages as usize, steps);
                assert_eq!(
                    found,
                    fewest(0, pages, steps),
                    "{pages} pages under {steps:?}"
                );
            });
        }
    }
}

#[test]
fn it_never_writes_more_than_lru() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut saved = 0;
    for _ in 0..300 {
        let steps: Vec<Step> = (0..400)
            .map(|_| match random.u32(..40) {
                0 => Flush,
                1..4 => Discard(random.u32(..40)),
                // some pages are written more often
                _ => {
                    let most = random.u32(..40);
                    Write(random.u32(..=most))
                }
            })
            .collect();
        let pages = random.u64(1..20);
        let lru = programs(Lru::new(&shape(pages, None), &()), pages as usize, &steps);
        let found = programs(clairvoyant(&steps, pages), pages as usize, &steps);
        assert!(found <= lru, "{found} for {lru} of lru: {steps:?}");
        saved += lru - found;
    }
    assert!(saved > 300, "only {saved} pages");
}

#[test]
fn distances_are_counted_in_writes() {
    let steps = [
        Write(0),
        Write(5),
        Write(1),
        Discard(5),
        Write(0),
        Flush,
        Write(1),
        Write(0),
    ];
    const NEVER: u32 = Future::NEVER;
    let distances =
        |future: &Future| -> Vec<u32> { (0..future.writes()).map(|at| future.after(at)).collect() };
    let pages = foresight(&steps, Unit::Page).finish();
    assert_eq!(distances(&pages), [3, 2, NEVER, NEVER, NEVER, NEVER]);
    // blocks of 4 pages have no discards
    let blocks = foresight(&steps, Unit::Block(4)).finish();
    assert_eq!(distances(&blocks), [2, NEVER, 1, NEVER, 1, NEVER]);
    // the same writes begin again: up to the flush
    let mut again = foresight(&steps, Unit::Page);
    again.again();
    see(&mut again, &steps);
    assert_eq!(distances(&again.finish()), [3, 2, NEVER, NEVER, 4, 1]);
}

#[test]
fn a_long_future_is_refused() {
    let mut foresight = Foresight::new(64, Unit::Page, 10);
    assert!(foresight.write(Lpn(0), 10).is_ok());
    let refused = foresight.write(Lpn(0), 1).expect_err("eleven writes");
    assert_eq!(refused.most, 10);
}

#[test]
fn the_future_begins_anew() {
    let steps = [Write(0), Write(1), Write(2), Write(0)];
    // 1 and 2 are never written again, so one of them leaves for the third page, each time
    let mut policy = clairvoyant(&steps, 2);
    let geometry = shape(1, None).geometry;
    for _ in 0..3 {
        for page in [0, 1] {
            policy.enter(geometry.page(Lpn(page)), Access::Write);
        }
        assert_eq!(policy.victim_for_room(), Victim::Page(Lpn(1)));
        policy.left(geometry.page(Lpn(1)));
        policy.enter(geometry.page(Lpn(2)), Access::Write);
        policy.hit(geometry.page(Lpn(0)), Access::Write);
        for page in [0, 2] {
            assert_eq!(policy.victim(), Victim::Page(Lpn(page)));
            policy.left(geometry.page(Lpn(page)));
        }
    }
}
