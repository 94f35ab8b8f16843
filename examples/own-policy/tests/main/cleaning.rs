//! Most invalid, against greedy.
//!
//! Planted bugs that this test catches: the block with the most valid pages is cleaned; an erased block is picked again.

use crate::{page_mapping, write};

#[test]
fn most_invalid_does_what_greedy_does_apart_from_ties() {
    let mut random = fastrand::Rng::with_seed(1);
    let requests: Vec<_> = (0..20_000).map(|_| write(random.u64(0..2048))).collect();
    let [own, greedy] = ["most-invalid", "greedy"]
        .map(|name| page_mapping(&format!("ftl.cleaning={name}"), requests.iter().copied()));
    assert!(greedy.erases > 1000, "{} erases", greedy.erases);
    let apart = own.erases.abs_diff(greedy.erases);
    assert!(
        100 * apart < greedy.erases,
        "{} and {}",
        own.erases,
        greedy.erases
    );
}
