//! Copy on write keeps every byte.
//!
//! Planted bugs that this test catches: a copy that leaves a page out; a page that is copied from a wrong offset.

use own_policy::Own;
use ssdlab_testkit::bytes;
use ssdlab_testkit::workload::Workload;

use super::copy_on_write;

#[test]
fn every_byte_reads_as_it_was_written() {
    let config = copy_on_write("empty");
    for seed in 0..20 {
        let requests = Workload::of(&config, 100).requests(seed);
        let seen = bytes::serve(&Own, &config, false, &requests);
        let seen = seen.unwrap_or_else(|what| panic!("seed {seed}: {what}"));
        assert!(seen.parts_written > 20, "requests of whole pages");
    }
}
