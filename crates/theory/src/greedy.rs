//! Greedy cleaning of blocks of finite size, in the mean field (Desnoyers 2012).

use crate::Spare;

/// Greedy with b pages in a block, at least 1: all full blocks hold j valid pages or more, and those with j are cleaned.
///
/// j is the integer with x = (bρ − j)/(b − j − j(H_b − H_j)), m = 1 − (H_b − H_j)·x and 0 ≤ jm/x ≤ 1; A = x/ρ. H are the
/// harmonic numbers.
pub fn greedy(spare: Spare, pages_per_block: u32) -> f64 {
    let utilisation = spare.utilisation();
    let all = f64::from(pages_per_block);
    // H_b - H_j, as j falls from b on
    let mut rest = 0.0;
    for j in (1..pages_per_block).rev() {
        let lowest = f64::from(j);
        rest += 1.0 / (lowest + 1.0);
        let x = (all * utilisation - lowest) / (all - lowest - lowest * rest);
        let share = lowest * (1.0 - rest * x) / x;
        if (0.0..=1.0).contains(&share) {
            return x / utilisation;
        }
    }
    // even blocks with a single valid page are never cleaned: nothing is copied
    1.0
}
