//! Greedy cleaning of blocks of finite size, by mean-field theory (Desnoyers 2012).

use crate::spare::Spare;

/// Greedy with b ≥ 1 pages in a block: all full blocks have at least j valid pages, and cleaning takes blocks with exactly j.
///
/// j is the integer for which 0 ≤ jm/x ≤ 1, where x = (bρ − j)/(b − j − j(H_b − H_j)) and m = 1 − (H_b − H_j)·x. Then
/// A = x/ρ. H are the harmonic numbers. jm/x reaches 1 at α = b(H_b − H_(j−1))/(b − j + 1), where the next j begins.
pub fn greedy(spare: Spare, pages_per_block: u32) -> f64 {
    let utilisation = spare.utilisation();
    let all = f64::from(pages_per_block);
    // H_b - H_j, as j falls from b on
    let mut rest = 0.0;
    for j in (1..pages_per_block).rev() {
        let lowest = f64::from(j);
        rest += 1.0 / (lowest + 1.0);
        if spare.alpha() * (all - lowest + 1.0) <= all * (rest + 1.0 / lowest) {
            let x = (all * utilisation - lowest) / (all - lowest - lowest * rest);
            return x / utilisation;
        }
    }
    // cleaning finds blocks without a valid page: nothing is copied
    1.0
}
