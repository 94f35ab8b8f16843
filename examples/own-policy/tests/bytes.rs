//! Copy on write keeps every byte.
//!
//! Planted bugs that this test catches: a copy that leaves a page out; a page that is copied from a wrong offset.

use own_policy::Own;
use ssdlab_config::Config;
use ssdlab_host::Request;
use ssdlab_testkit::bytes;
use ssdlab_testkit::configs::config_with;
use ssdlab_testkit::workload::Workload;

/// A device of 6 blocks of 4 pages, new or full, and random requests.
fn small(precondition: &str, seed: u64) -> (Config, Vec<Request>) {
    let shape = "flash.page_size=512 flash.pages_per_block=4 flash.capacity=12KiB ftl.kind=copy-on-write \
                 ftl.spare_blocks=2 buffer.policy=none";
    let precondition = format!("precondition={precondition}");
    let config = config_with(&Own, shape.split_whitespace().chain([&*precondition]));
    let workload = Workload {
        requests: 100,
        page_size: 512,
        pages: 24,
        pages_per_block: 4,
        flushes: 8,
        discards: 10,
        reads: 0,
    };
    (config, workload.requests(seed))
}

#[test]
fn every_byte_reads_as_it_was_written() {
    for seed in 0..20 {
        let (config, requests) = small("empty", seed);
        let seen = bytes::serve(&Own, &config, false, &requests);
        let seen = seen.unwrap_or_else(|what| panic!("seed {seed}: {what}"));
        assert!(seen.parts_written > 20, "requests of whole pages");
    }
}
