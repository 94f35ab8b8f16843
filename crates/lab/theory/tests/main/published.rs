//! The formulas against published figures and against each other.
//!
//! Planted bugs that these tests catch: the fraction of the logical pages taken for the spare factor; H_j summed from the
//! wrong end; the first j from below where several seem to fit; S_i^d left out of the sum; the classes' shares swapped;
//! discards that count twice, or leave no spare factor at all; spare factors at which rounding decides.

use std::time::Instant;

use ssdlab_theory::{Class, Spare, classes, d_choices, fifo, greedy, with_discards};

fn spare(share: f64) -> Spare {
    Spare::new(share).expect("between 0 and 1")
}

fn close(found: f64, known: f64, what: &str) {
    assert!(
        (found - known).abs() < 6e-5,
        "{what}: {found}, {known} published"
    );
}

#[test]
fn the_formulas_give_the_published_figures() {
    for (share, ring, blocks, choices) in [
        (0.05, 10.1724, [6.5904, 8.8501, 9.7979], [13.2662, 9.2842]),
        (0.10, 5.1787, [3.9814, 4.8213, 5.0832], [6.8516, 5.0002]),
        (0.15, 3.5187, [2.9679, 3.3536, 3.4759], [4.6475, 3.4636]),
        (0.20, 2.6927, [2.3610, 2.5993, 2.6684], [3.5330, 2.6754]),
        (0.30, 1.8762, [1.7217, 1.8333, 1.8652], [2.4132, 1.8796]),
    ] {
        let spare = spare(share);
        close(fifo(spare), ring, "fifo");
        for (pages, known) in [16, 64, 256].into_iter().zip(blocks) {
            close(greedy(spare, pages), known, "greedy");
        }
        for (d, known) in [2, 10].into_iter().zip(choices) {
            close(d_choices(spare, 64, d), known, "d-choices");
        }
    }
}

#[test]
fn two_classes_and_discards_give_the_published_figures() {
    let hot_and_cold = [(0.8, 0.2), (0.2, 0.8)].map(|(writes, data)| Class { writes, data });
    for (share, known) in [(0.10, 5.5378), (0.20, 3.0345), (0.30, 2.1974)] {
        close(classes(spare(share), &hot_and_cold), known, "80/20");
    }
    for (discards, known) in [(0.1, 2.5877), (0.2, 1.7194), (0.3, 1.2701)] {
        let left = with_discards(spare(0.11), discards).expect("below one half");
        close(fifo(left), known, "discards");
    }
    assert_eq!(with_discards(spare(0.11), 0.0), Some(spare(0.11)));
    assert_eq!(with_discards(spare(0.11), 0.5), None);
    for share in [0.3, 0.7, 0.9] {
        let left = with_discards(spare(share), 0.5_f64.next_down());
        assert!(left.is_some_and(|left| left.share() > 0.999));
    }
}

#[test]
fn one_choice_is_a_random_block() {
    for share in [0.02, 0.07, 0.28, 0.5] {
        close(d_choices(spare(share), 32, 1), 1.0 / share, "one choice");
    }
}

#[test]
fn greedy_with_large_blocks_is_the_ring() {
    for share in [0.07, 0.2, 0.4] {
        let (ring, large) = (fifo(spare(share)), greedy(spare(share), 65_536));
        assert!((large / ring - 1.0).abs() < 1e-3, "{large} {ring}");
    }
}

// planted bug: a j that must fit exactly; between two of them, neither did, and A was 1
#[test]
fn greedy_is_continuous_where_the_fewest_valid_pages_change() {
    for pages in [2, 3, 16, 64, 1000] {
        let all = f64::from(pages);
        let mut rest = 0.0;
        for j in (1..pages).rev() {
            rest += 1.0 / f64::from(j + 1);
            let kept = f64::from(j);
            let alpha = all * rest / (all - kept);
            for alpha in [alpha.next_down(), alpha, alpha.next_up()] {
                // all full blocks but those that are cleaned have more than j valid pages
                if let Some(spare) = Spare::new(1.0 - 1.0 / alpha) {
                    let found = greedy(spare, pages);
                    let known = all / (all - kept);
                    assert!((found / known - 1.0).abs() < 1e-9, "{pages}, {j}: {found}");
                }
            }
        }
    }
}

#[test]
fn nobody_does_better_than_greedy_or_worse_than_chance() {
    for share in (1..20).map(|i| spare(f64::from(i) / 20.0)) {
        let greedy = greedy(share, 64);
        let mut last = 1.0 / share.share() + 1e-9;
        for d in [1, 2, 4, 8, 16, 64] {
            let found = d_choices(share, 64, d);
            assert!(found <= last && found >= greedy - 1e-6, "d = {d}: {found}");
            last = found + 1e-9;
        }
        assert!(greedy >= 1.0 && fifo(share) >= greedy);
    }
}

// the figures: the same formulas with 40 digits
#[test]
fn the_least_spare_factor_is_enough_for_eight_digits() {
    let least = spare(Spare::LEAST);
    let hot_and_cold = [(0.8, 0.2), (0.2, 0.8)].map(|(writes, data)| Class { writes, data });
    for (what, found, known) in [
        ("fifo", fifo(least), 500_000.166_666_777_8),
        (
            "80/20",
            classes(least, &hot_and_cold),
            500_000.541_666_621_5,
        ),
        ("greedy, 16", greedy(least, 16), 15.999_759_999_76),
        (
            "greedy, 65536",
            greedy(least, 65_536),
            61_241.093_945_093_95,
        ),
        ("one choice", d_choices(least, 65_536, 1), 1e6),
        ("2 choices", d_choices(least, 64, 2), 500_015.998_496_205_9),
        ("10 choices", d_choices(least, 64, 10), 100_028.799_750_849),
        ("a line", d_choices(least, 4_194_304, 1), 1e6),
    ] {
        assert!((found / known - 1.0).abs() < 1e-8, "{what}: {found}");
    }
}

// planted bugs: steps from 1 down for each share of a block, or bisection, with which a line takes minutes; the values
// are those of bisection, which also has c = 1 / (ρA)
#[test]
fn lines_of_many_pages_are_computed_at_once() {
    let begun = Instant::now();
    for (share, pages, d, known) in [
        (0.07, 98_304, 10, 7.504_849_220_668_715),
        (0.28, 98_304, 2, 2.596_505_393_313_975),
        (0.07, 294_912, 10, 7.505_147_161_941_166),
    ] {
        let found = d_choices(spare(share), pages, d);
        assert!((found / known - 1.0).abs() < 1e-9, "{pages}, {d}: {found}");
    }
    let line = greedy(spare(0.07), 98_304);
    assert!((line / fifo(spare(0.07)) - 1.0).abs() < 1e-3, "{line}");
    assert!(d_choices(spare(0.07), 4_194_304, 10) > 7.0);
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
}

#[test]
fn a_spare_factor_lies_between_0_and_1() {
    for share in [0.0, 9e-7, 1e-17, 1.0, -0.1, f64::NAN, f64::INFINITY] {
        assert_eq!(Spare::new(share), None);
    }
    let seven = Spare::from_over_provisioning(0.25).expect("a fraction");
    assert_eq!((seven.share(), seven.alpha()), (0.2, 1.25));
    assert_eq!(Spare::from_over_provisioning(0.0), None);
    assert_eq!(Spare::from_over_provisioning(f64::INFINITY), None);
}
