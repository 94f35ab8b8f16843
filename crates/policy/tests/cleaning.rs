//! Cleaning policies against their rules in the plainest words, on random lives of blocks.
//!
//! Planted bugs that these tests catch: of equals, the block that was moved last, or has the lower number, instead of the
//! one filled first; pages invalidated before a block is full that count twice; a victim that stays a candidate after its
//! erase; the ninety-ninth victim by age.

use proptest::prelude::*;
use ssdlab_flash::{Geometry, Pbn};
use ssdlab_policy::cleaning::{Cleaning, Kind};

const BLOCKS: u32 = 20;
const PAGES: u32 = 8;

/// The full blocks with their valid pages, the one filled first at the head.
type Full = Vec<(Pbn, u32)>;

fn greedy(full: &Full) -> Pbn {
    let fewest = full.iter().map(|&(_, valid)| valid).min();
    let mut best = full.iter().filter(|&&(_, valid)| Some(valid) == fewest);
    best.next().expect("a block is full").0
}

fn victim(kind: Kind, number: u64, full: &Full) -> Pbn {
    match kind {
        Kind::Greedy => greedy(full),
        Kind::Fifo => full[0].0,
        Kind::Jffs2 if number.is_multiple_of(100) => full[0].0,
        Kind::Jffs2 => greedy(full),
    }
}

fn fill(policy: &mut dyn Cleaning, full: &mut Full, block: Pbn, valid: u32) {
    policy.filled(block, valid, 0);
    full.push((block, valid));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn victims_are_those_of_the_rule(
        kind in prop::sample::select(vec![Kind::Greedy, Kind::Fifo, Kind::Jffs2]),
        steps in prop::collection::vec((0u8..8, 0u32..BLOCKS, 0u32..=PAGES), 1..1500),
    ) {
        let mut policy = kind.build(&Geometry::new(512, PAGES, BLOCKS, BLOCKS, 1));
        let mut full = Full::new();
        let mut victims = 0;
        for (what, block, valid) in steps {
            let block = Pbn(block);
            let at = full.iter().position(|&(other, _)| other == block);
            match (what, at) {
                (0..=2, None) => fill(&mut *policy, &mut full, block, valid),
                // in a block that is not full it has no meaning
                (3..=5, at) if at.is_none_or(|at| full[at].1 > 0) => {
                    policy.invalidated(block, 0);
                    at.into_iter().for_each(|at| full[at].1 -= 1);
                }
                (6..=7, _) if !full.is_empty() => {
                    victims += 1;
                    let picked = policy.pick(0);
                    prop_assert_eq!(picked, victim(kind, victims, &full));
                    policy.erased(picked);
                    full.retain(|&(block, _)| block != picked);
                }
                _ => {}
            }
            prop_assert_eq!(policy.check(&full), Ok(()));
        }
    }
}

/// A check that finds nothing wrong whatever it is given would make the tests above blind.
#[test]
fn checks_see_what_is_wrong() {
    for kind in [Kind::Greedy, Kind::Fifo, Kind::Jffs2] {
        let mut policy = kind.build(&Geometry::new(512, PAGES, BLOCKS, BLOCKS, 1));
        let (mut full, mut other) = (Full::new(), Full::new());
        fill(&mut *policy, &mut full, Pbn(3), 5);
        fill(&mut *policy, &mut full, Pbn(1), 4);
        assert_eq!(policy.check(&full), Ok(()));
        other.extend([full[1], full[0]]);
        assert!(policy.check(&other).is_err(), "{kind:?}: another order");
        assert!(policy.check(&full[..1]).is_err(), "{kind:?}: a block less");
        other.splice(.., [full[0], (Pbn(1), 3)]);
        assert_eq!(
            policy.check(&other).is_err(),
            kind != Kind::Fifo,
            "{kind:?}: a page less"
        );
    }
}
