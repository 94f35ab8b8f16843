//! Cleaning policies against simple versions of their rules, on random histories of blocks.
//!
//! Planted bugs that these tests catch: among equals, the victim is the block that was moved last or has the lower
//! number instead of the one filled first; pages invalidated before a block is full count twice; a victim stays a
//! candidate after its erase; the ninety-ninth victim is chosen by age; an age of 0, or below 0 where the clock runs
//! backwards; among blocks too young to differ in age, the one that changed first instead of the one filled first; a
//! block without valid pages that waits until it is old; erases before a mount are forgotten, or the erase that emptied
//! the block; a block keeps its class when a page becomes invalid; random draws that skip a block, draw once too often
//! or too seldom, draw without replacement or ignore the seed; random cleaning that never ends.

use proptest::prelude::*;
use ssdlab_flash::{Geometry, Pbn};
use ssdlab_policy::cleaning::d_choices::{DChoices, DChoicesConfig};
use ssdlab_policy::cleaning::{Chosen, Cleaning, cat, cost_benefit, fifo, greedy, jffs2};

const BLOCKS: u32 = 20;
const PAGES: u32 = 8;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Greedy,
    CostBenefit,
    Cat,
    Fifo,
    Jffs2,
    DChoices,
}

/// The policies whose victims are not random.
const EXACT: [Kind; 5] = [
    Kind::Greedy,
    Kind::CostBenefit,
    Kind::Cat,
    Kind::Fifo,
    Kind::Jffs2,
];

fn build(kind: Kind, config: DChoicesConfig) -> Box<dyn Cleaning> {
    let chosen = match kind {
        Kind::Greedy => Chosen::of::<greedy::Greedy>(()),
        Kind::CostBenefit => Chosen::of::<cost_benefit::CostBenefit>(()),
        Kind::Cat => Chosen::of::<cat::Cat>(()),
        Kind::Fifo => Chosen::of::<fifo::Fifo>(()),
        Kind::Jffs2 => Chosen::of::<jffs2::Jffs2>(()),
        Kind::DChoices => Chosen::of::<DChoices>(config),
    };
    chosen.build(&Geometry::new(512, PAGES, BLOCKS, BLOCKS, 1))
}

fn exact(kind: Kind) -> Box<dyn Cleaning> {
    build(kind, DChoicesConfig { d: 1, seed: 1 })
}

/// A full block.
#[derive(Clone, Copy, Debug)]
struct Full {
    block: Pbn,
    valid: u32,
    changed: u64,
    erases: u32,
}

impl Full {
    fn invalid(&self) -> u128 {
        u128::from(PAGES - self.valid)
    }

    fn age(&self, now: u64) -> u128 {
        u128::from(now.saturating_sub(self.changed).max(1))
    }
}

fn first_best<'a>(
    full: impl IntoIterator<Item = &'a Full>,
    is_better: impl Fn(&Full, &Full) -> bool,
) -> Pbn {
    let better = |best, next| if is_better(next, best) { next } else { best };
    full.into_iter()
        .reduce(better)
        .expect("a block is full")
        .block
}

fn greedy(full: &[Full]) -> Pbn {
    first_best(full, |a, b| a.valid < b.valid)
}

/// The block with the greatest age · (1 − u) / 2u; with u = 0 the denominator is 0.
fn cost_benefit(full: &[Full], now: u64) -> Pbn {
    let worth = |b: &Full| (b.age(now) * b.invalid(), 2 * u128::from(b.valid));
    first_best(full, |a, b| {
        let ((a, a_over), (b, b_over)) = (worth(a), worth(b));
        a * b_over > b * a_over
    })
}

/// The block with the smallest u / (1 − u) / age · (n + 1), where that is defined.
fn cat(full: &[Full], now: u64) -> Pbn {
    let cost = |b: &Full| {
        let wear = u128::from(b.erases) + 1;
        (u128::from(b.valid) * wear, b.invalid() * b.age(now))
    };
    first_best(full.iter().filter(|b| b.valid < PAGES), |a, b| {
        let ((a, a_over), (b, b_over)) = (cost(a), cost(b));
        a * b_over < b * a_over
    })
}

/// The expected victim with this number; the block filled first is `full[0]`.
fn victim(kind: Kind, number: u64, full: &[Full], now: u64) -> Pbn {
    match kind {
        Kind::Greedy => greedy(full),
        Kind::CostBenefit => cost_benefit(full, now),
        Kind::Cat => cat(full, now),
        Kind::Fifo => full[0].block,
        Kind::Jffs2 if number.is_multiple_of(100) => full[0].block,
        Kind::Jffs2 => greedy(full),
        Kind::DChoices => unreachable!("its victims are random"),
    }
}

fn check(policy: &dyn Cleaning, full: &[Full]) -> Result<(), String> {
    let counts: Vec<_> = full.iter().map(|b| (b.block, b.valid)).collect();
    policy.check(&counts)
}

/// Times far apart, close together, or the same.
fn times() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0u64..4, 4 => 0u64..1000, 1 => any::<u64>()]
}

/// Erase counts of blocks that a mount finds.
fn wear() -> impl Strategy<Value = Vec<u32>> {
    let erases = prop_oneof![4 => 0u32..3, 1 => 0u32..u32::MAX - 1000];
    prop::collection::vec(erases, BLOCKS as usize)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn victims_are_those_of_the_rule(
        kind in prop::sample::select(EXACT.to_vec()),
        mut erases in wear(),
        ascending in any::<bool>(),
        steps in prop::collection::vec((0u8..8, 0u32..BLOCKS, 0u32..=PAGES, times()), 1..1000),
    ) {
        let mut policy = exact(kind);
        (0..).zip(&erases).for_each(|(block, &erases)| policy.worn(Pbn(block), erases));
        let mut full: Vec<Full> = Vec::new();
        let mut victims = 0;
        let mut now = 0;
        for (what, block, valid, time) in steps {
            let block = Pbn(block);
            now = if ascending { now + time % 3 } else { time };
            let at = full.iter().position(|other| other.block == block);
            match (what, at) {
                (0..=2, None) => {
                    let erases = erases[block.index()];
                    policy.filled(block, valid, now);
                    full.push(Full { block, valid, changed: now, erases });
                }
                // an invalid page of a block that is not full has no effect
                (3..=5, at) if at.is_none_or(|at| full[at].valid > 0) => {
                    policy.invalidated(block, now);
                    if let Some(block) = at.map(|at| &mut full[at]) {
                        block.valid -= 1;
                        block.changed = now;
                    }
                }
                (6..=7, _) if full.iter().any(|b| b.valid < PAGES) => {
                    victims += 1;
                    let picked = policy.pick(now);
                    prop_assert_eq!(picked, victim(kind, victims, &full, now));
                    policy.erased(picked);
                    full.retain(|b| b.block != picked);
                    let erases = &mut erases[picked.index()];
                    *erases = erases.saturating_add(1);
                }
                _ => {}
            }
            prop_assert_eq!(check(&*policy, &full), Ok(()));
            prop_assert_eq!(policy.check_worn(block, erases[block.index()]), Ok(()));
        }
    }
}

/// The tests above would prove nothing if `check` accepted everything.
#[test]
fn checks_see_what_is_wrong() {
    for kind in EXACT.into_iter().chain([Kind::DChoices]) {
        let mut policy = exact(kind);
        policy.filled(Pbn(3), 5, 0);
        policy.filled(Pbn(1), 4, 0);
        let full = [(Pbn(3), 5), (Pbn(1), 4)];
        assert_eq!(policy.check(&full), Ok(()));
        let sees = |what: &str, other: &[(Pbn, u32)], is_kept: bool| {
            assert_eq!(policy.check(other).is_err(), is_kept, "{kind:?}: {what}");
        };
        let keeps_order = kind != Kind::DChoices;
        sees("order", &[full[1], full[0]], keeps_order);
        sees("missing block", &full[..1], true);
        sees("missing page", &[full[0], (Pbn(1), 3)], kind != Kind::Fifo);
    }
}

/// The number of times that each block is the victim, where block b holds b valid pages.
fn victims_of_chance(config: DChoicesConfig, count: u32) -> Vec<u32> {
    let mut policy = build(Kind::DChoices, config);
    let mut victims = vec![0; PAGES as usize];
    (0..PAGES).for_each(|b| policy.filled(Pbn(b), b, 0));
    for _ in 0..count {
        let block = policy.pick(0);
        victims[block.index()] += 1;
        policy.erased(block);
        policy.filled(block, block.0, 0);
    }
    victims
}

/// The best of d draws is block b or a better one, unless all d draws are worse.
#[test]
fn d_blocks_are_drawn_with_replacement() {
    const COUNT: u32 = 100_000;
    for d in [1, 2, 3, 10] {
        let found = victims_of_chance(DChoicesConfig { d, seed: 7 }, COUNT);
        let worse = |b: u32| (f64::from(PAGES - b) / f64::from(PAGES)).powi(d as i32);
        for (b, &found) in (0..PAGES).zip(&found) {
            let expected = worse(b) - worse(b + 1);
            let found = f64::from(found) / f64::from(COUNT);
            assert!(
                (found - expected).abs() < 0.006,
                "d {d}, block {b}: {found} instead of {expected}"
            );
        }
    }
}

#[test]
fn a_seed_settles_all_draws() {
    let of = |seed| victims_of_chance(DChoicesConfig { d: 2, seed }, 1000);
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

/// Only one block has an invalid page, and finding it takes at most as many victims as there are blocks.
#[test]
fn cleaning_by_chance_ends() {
    const FULL: u32 = BLOCKS - 1;
    for seed in 0..200 {
        let mut policy = build(Kind::DChoices, DChoicesConfig { d: 1, seed });
        let worn = Pbn(seed as u32 % FULL);
        (0..FULL).for_each(|b| policy.filled(Pbn(b), PAGES, 0));
        policy.invalidated(worn, 0);
        let mut free = Pbn(FULL);
        let mut victims = std::iter::repeat_with(|| {
            let victim = policy.pick(0);
            policy.erased(victim);
            // all its pages were copied to a free block
            policy.filled(std::mem::replace(&mut free, victim), PAGES, 0);
            victim
        });
        let found = victims.by_ref().take(1000).position(|v| v == worn);
        assert!(
            found.is_some_and(|in_vain| in_vain <= FULL as usize),
            "seed {seed}: {found:?}"
        );
    }
}

// planted bug: the high bits of the valid pages of a large line are lost
#[test]
fn lines_have_millions_of_pages() {
    let pages = 1 << 23;
    let geometry = Geometry::new(512, pages, 2, 3, 1);
    for mut policy in [
        Chosen::of::<greedy::Greedy>(()).build(&geometry),
        Chosen::of::<cost_benefit::CostBenefit>(()).build(&geometry),
    ] {
        policy.filled(Pbn(0), (1 << 20) + 1, 0);
        policy.filled(Pbn(1), pages, 0);
        policy.filled(Pbn(2), 7, 0);
        policy.invalidated(Pbn(1), 1);
        assert_eq!(policy.pick(2), Pbn(2));
        policy.erased(Pbn(2));
        assert_eq!(policy.pick(2), Pbn(0));
    }
}
