//! Lives with fixed numbers.

use ssdlab_lives::Search;

#[test]
fn some_lives() {
    let search = Search {
        seed: 0,
        lives: 400,
        until: None,
        threads: 2,
        all: false,
    };
    let summary = search.run();
    if let Some((failure, _)) = summary.broken.values().next() {
        panic!("{}", failure.shrunk());
    }
}
