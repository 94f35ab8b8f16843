//! Runs of a comparison inside of something.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ssdlab_sim::{CompareOptions, Lab, compare};

use crate::{DEVICE, compared, resolver, scattered, writes};

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

// planted bugs: a run outside, a run of the advice too; progress told inside; rows that differ
#[test]
fn each_run_is_inside_on_its_own_thread() {
    let trace = writes(scattered(3000, 200));
    let mut options = CompareOptions::new(&Lab::new(), resolver(DEVICE, &[]));
    options.buffers = ["lru", "bplru"].map(String::from).to_vec();
    options.sizes = vec![4096];
    options.advice = true;
    let plain = compared(&options, &trace);
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    options.within = Some(Arc::new(move |config, run| {
        assert_eq!(config.flash.capacity, 128 << 10);
        count.fetch_add(1, Ordering::Relaxed);
        INSIDE.set(true);
        run();
        INSIDE.set(false);
    }));
    let told = AtomicUsize::new(0);
    let inside = compare(&trace, &options, |_| {
        told.fetch_add(1, Ordering::Relaxed);
        assert!(!INSIDE.get());
    });
    let inside = inside.expect("a valid comparison");
    assert_eq!(inside.sentence, plain.sentence);
    assert!(inside.would_help.is_some());
    // progress is told once before the first run
    assert_eq!(runs.load(Ordering::Relaxed) + 1, told.into_inner());
}
