//! Blocks that are written because of their age, padded or not; in checked mode and against the reference model.
//!
//! Planted bugs that these catch: a policy that pads victims but not what ages, or the other way round; a complete block
//! of which only the dirty pages are written; a writing by age that teaches nothing.

use crate::regressions::replay;

/// Blocks of 4 pages, all of them mapped; pages age in 10 ns.
const AGES: &str = "flash.pages_per_block=4 flash.capacity=24576 buffer.size=16384 buffer.flush_age_s=10e-9 buffer.hot=0.5 \
                    buffer.age=three-quarters buffer.complete=learned buffer.small_request=2";

/// The pages read to pad, all that is programmed, and the dirty pages among it.
fn aged(settings: &str, requests: &str) -> [u64; 3] {
    let counters = replay(&format!("{AGES} {settings}"), requests).counters;
    [
        counters.padding_reads,
        counters.flash_programs,
        counters.aged_pages,
    ]
}

const PADS: [&str; 2] = [
    "buffer.policy=bplru buffer.padding=true",
    "buffer.policy=cbb buffer.padding=true buffer.feedback=false",
];
const PADS_NOTHING: [&str; 10] = [
    "buffer.policy=bplru buffer.padding=false",
    "buffer.policy=cbb buffer.padding=false buffer.feedback=false",
    "buffer.policy=cbb buffer.padding=false buffer.feedback=true",
    "buffer.policy=fab",
    "buffer.policy=blru",
    "buffer.policy=plru-br",
    "buffer.policy=plru-br-2q",
    "buffer.policy=three-region",
    "buffer.policy=lb-clock",
    "buffer.policy=req-block",
];
const LEARNS: &str = "buffer.policy=cbb buffer.padding=true buffer.feedback=true";

#[test]
fn what_ages_is_padded_as_a_victim_would_be() {
    // one page of a block; the read comes when it is old
    let one = "0 W 0 512, 20 R 4096 512";
    for policy in PADS {
        assert_eq!(aged(policy, one), [3, 4, 1], "{policy}");
    }
    // nothing is known of merges yet
    for policy in PADS_NOTHING.into_iter().chain([LEARNS]) {
        assert_eq!(aged(policy, one), [0, 1, 1], "{policy}");
    }
}

#[test]
fn a_complete_block_is_written_whole_when_it_ages() {
    // the last page of the block is clean
    let complete = "0 R 1536 512, 0 W 0 1536, 20 R 4096 512";
    let reads = " buffer.reads=cache";
    for policy in PADS.into_iter().chain([LEARNS]) {
        let found = aged(&(policy.to_owned() + reads), complete);
        assert_eq!(found, [0, 4, 3], "{policy}");
    }
    for policy in PADS_NOTHING {
        let found = aged(&(policy.to_owned() + reads), complete);
        assert_eq!(found, [0, 3, 3], "{policy}");
    }
}

// Each block is written by its age with one page, and merged when the second log block after it is needed: four copies.
// After nine writes and seven merges, 3 pages missing cost less than 28 / 9 copies.
#[test]
fn what_ages_teaches_cbb_when_to_pad() {
    let blocks = |number: u64| {
        let write = |block: u64| format!("{} W {} 512, ", 20 * block, 2048 * block);
        let writes: String = (0..number).map(write).collect();
        writes + &format!("{} R 0 512", 20 * number)
    };
    assert_eq!(aged(LEARNS, &blocks(9)), [0, 9, 9]);
    assert_eq!(aged(LEARNS, &blocks(10)), [3, 13, 10]);
}
