//! The list of papers.

use ssdlab_policy::papers;

/// A paper that is not in the list is cited by no file.
#[test]
fn the_list_has_every_paper() {
    let source = include_str!("../../src/papers.rs");
    let keys = source.lines().filter_map(|line| {
        let key = line.strip_prefix("    key: \"")?;
        key.strip_suffix("\",")
    });
    let listed: Vec<&str> = papers::ALL.iter().map(|paper| paper.key).collect();
    assert_eq!(keys.collect::<Vec<_>>(), listed);
}
