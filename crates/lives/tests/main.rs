//! Lives with fixed numbers.

use ssdlab_lives::Search;

/// What must happen in these lives, and how often at least: some three in ten of what does.
const SEEN: [(&str, u64); 16] = [
    ("kills", 800),
    ("crashes", 200),
    ("powers lost", 200),
    ("ends of a process in a call", 300),
    ("ends of a process while it opens", 100),
    ("wear-outs", 20),
    ("openings of worn-out drives with data in RAM", 10),
    ("mirrors of RAM that begin anew", 90),
    ("full disks", 60),
    ("full disks while the mirror of RAM begins anew", 1),
    ("openings that cannot write", 25),
    ("reads that end all writes", 6),
    ("damage that no opening accepts", 60),
    ("damage that an opening reports", 1),
    ("lost pages", 1000),
    ("drives that count as the simulator", 15),
];

/// Planted bugs: a drive that cannot write any more forgets what was in RAM; a failure of the flash while RAM is restored is
/// an error of the opening; what an erase leaves counts again after a crash.
#[test]
fn some_lives() {
    let search = Search {
        seed: 0,
        lives: 800,
        until: None,
        threads: 2,
        all: false,
    };
    let summary = search.run();
    if let Some((failure, _)) = summary.broken.values().next() {
        panic!("{}", failure.shrunk());
    }
    for (what, least) in SEEN {
        let count = summary.seen.get(what).copied().unwrap_or_default();
        assert!(count >= least, "{what}: {count}, less than {least}");
    }
}
