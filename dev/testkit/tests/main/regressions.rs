//! Single cases that once failed, replayed in checked mode and against the reference model.
//!
//! None of them is an open fault of the simulator. Most were found by random cases under a planted bug, which each case
//! names. Here they are caught independently of the random cases.

use ssdlab_testkit::against_model::compare;
use ssdlab_testkit::cases::Case;
use ssdlab_testkit::checked::Checked;
use ssdlab_testkit::model::{Event, Merge, ModelResult};

/// Blocks of 3 pages, all switches off; later settings override these.
const PLAIN: &str = "flash.page_size=512 flash.pages_per_block=3 flash.capacity=9216 flash.planes=1 \
    flash.copy_back=false ftl.kind=bast ftl.log_blocks=2 ftl.spare_blocks=1 ftl.partial_merge=false \
    buffer.policy=none buffer.size=512 buffer.flush_age_s=0e-9 buffer.protected=false buffer.reads=bypass \
    buffer.count_headers=false buffer.padding=false buffer.compensation=false buffer.window=0.0 buffer.hot=0.0 \
    partial_writes=whole precondition=full drain=false timing.read_us=0.001 timing.program_us=0.010 \
    timing.erase_us=0.100 timing.transfer_us=1.000 timing.buffer_us=10.000";

/// Replays requests on a plain device with these settings, in checked mode and against the model.
pub fn replay(settings: &str, requests: &str) -> ModelResult {
    let settings = format!("{PLAIN} {settings}");
    replay_case(&Case::replay(&settings, false, requests))
}

fn replay_case(case: &Case) -> ModelResult {
    let counters = Checked::run(case).unwrap_or_else(|what| panic!("{case:?}: {what}"));
    let model = compare(case).unwrap_or_else(|what| panic!("{case:?}: {what}"));
    assert_eq!(counters, model.counters);
    model
}

/// The fault was in the test: a discarded page has no data, but the buffer may hold a blank page that a read brought
/// in, without knowing that it was discarded.
#[test]
fn a_discarded_page_reads_as_blank_from_the_buffer() {
    let result = replay(
        "buffer.policy=lru buffer.size=2048 buffer.reads=cache",
        "0 W 0 512, 0 D 0 512, 0 R 0 512, 0 R 0 512",
    );
    assert_eq!(result.counters.unmapped_reads, 1);
    assert_eq!(result.counters.buffer_read_hits, 1);
}

/// Planted: a rewrite inside a log block did not lower its valid pages, so an empty one was merged.
#[test]
fn a_log_block_emptied_by_a_discard_is_no_merge() {
    let result = replay(
        "flash.capacity=4608",
        "0 W 0 512, 0 W 0 512, 0 D 0 512, 0 W 1536 512, 0 W 3072 512",
    );
    assert_eq!(result.events, []);
    assert_eq!(result.counters.erases, 1);
}

/// Planted: a block written in order was not switched if one of its pages had been discarded in between.
#[test]
fn a_hole_does_not_prevent_a_switch() {
    let result = replay("", "0 W 3072 1024, 0 D 3072 512, 0 W 4096 512");
    assert_eq!(result.events, [Event::Merged(Merge::Switch, 2)]);
}

/// Planted: an erased block went to the head of the free list.
#[test]
fn an_erased_block_is_the_last_to_be_taken() {
    let result = replay(
        "flash.pages_per_block=1 flash.capacity=1024 ftl.log_blocks=1",
        "0 W 0 512, 0 W 0 512",
    );
    assert_eq!(result.counters.switch_merges, 2);
}

/// Planted: the run of a block outlived its header, so that the block went to the least-recent end too early.
#[test]
fn a_header_takes_its_run_along() {
    let result = replay(
        "ftl.kind=ideal flash.pages_per_block=4 flash.capacity=22528 \
         buffer.policy=bplru buffer.size=3584 buffer.compensation=true",
        "0 W 300 1749, 0 W 0 512, 0 W 4096 1536, 0 W 2560 1536, 0 W 200 313",
    );
    assert!(result.counters.evictions > 0);
}

/// Planted: the header for a new page was not counted.
#[test]
fn a_new_header_needs_room_as_well() {
    let result = replay(
        "ftl.kind=ideal flash.pages_per_block=4 flash.capacity=16384 \
         buffer.policy=fab buffer.size=2048 buffer.count_headers=all",
        "0 W 0 4096, 0 W 2048 2048, 0 W 4096 512",
    );
    assert!(result.counters.evictions > 0);
}

/// Planted: the part of a request behind the end of the device counted as another request, and updated the block of
/// both parts.
#[test]
fn a_request_that_wraps_around_is_one() {
    let settings = "ftl.kind=ideal buffer.policy=three-region buffer.size=9216";
    let case = Case::replay(
        &format!("{PLAIN} {settings}"),
        true,
        "0 W 8192 9216, 0 F 0 0",
    );
    let result = replay_case(&case);
    let mut events = result.events.iter();
    let victim = events.find(|event| matches!(event, Event::Evicted(_)));
    assert_eq!(victim, Some(&Event::Evicted(vec![15, 16, 17])));
}
