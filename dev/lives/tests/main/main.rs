//! Lives with fixed numbers.

use ssdlab_lives::{Plan, Search, Seen, lived};

/// What must happen in these lives, and how often at least: some three tenths of what does.
const SEEN: [(&str, u64); 24] = [
    ("kills", 1000),
    ("crashes", 200),
    ("powers lost", 150),
    ("ends of a process in a call", 350),
    ("ends of a process while it opens", 130),
    ("openings with data in RAM", 250),
    ("openings without some of the data in RAM", 10),
    ("wear-outs", 15),
    ("openings of worn-out drives with data in RAM", 6),
    ("mirrors of RAM that begin anew", 100),
    ("full disks", 70),
    ("full disks while the mirror of RAM begins anew", 1),
    ("disks that failed", 12),
    ("openings that failed with the disk", 1),
    ("openings that cannot write", 30),
    ("reads that end all writes", 5),
    ("reads that failed with the disk", 6),
    ("damage that no opening accepts", 90),
    ("damage that does no harm", 130),
    ("damage that stays", 50),
    ("damage to RAM that is told", 1),
    ("lost pages", 900),
    ("looks", 150),
    ("drives that count as the simulator", 14),
];

/// Planted bugs: a drive that cannot write any more forgets what was in RAM; a failure of the flash while RAM is
/// restored is an error of the opening; what an erase leaves counts again after a crash.
#[test]
fn some_lives() {
    let search = Search {
        seed: 0,
        lives: 500,
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

/// A drive on a full disk, opened again and again: each time the mirror of RAM begins anew, the commit after it fails,
/// and the next opening finds the mirror longer. It must not write over the records that count.
///
/// Planted bug: the mirror begins anew, whether there is room or not.
#[test]
fn a_full_disk_again_and_again() {
    let plan = Plan::of(5_139_622);
    let full = |event: &_| format!("{event:?}").starts_with("Full");
    assert!(
        plan.events.iter().any(full),
        "another generator of lives: choose another life"
    );
    if let Err(broken) = lived(&plan, &mut Seen::new()) {
        panic!("{}: {}", broken.promise, broken.what);
    }
}

/// Power is lost, and the system stops while RAM is dumped: the mark after the dump arrives, a record of the dump does
/// not. The opening takes the mark before it, steps over that record, and is interrupted in turn. The next one must not
/// take the step for the record.
///
/// Planted bug: a step over damaged records is one of the opening that lost them.
#[test]
fn a_dump_that_did_not_arrive_and_an_opening_that_did_not_end() {
    let plan = Plan::of(30_016_987);
    let loses_power = |event: &_| format!("{event:?}") == "LosePower";
    assert!(
        plan.events.iter().any(loses_power),
        "another generator of lives: choose another life"
    );
    if let Err(broken) = lived(&plan, &mut Seen::new()) {
        panic!("{}: {}", broken.promise, broken.what);
    }
}
