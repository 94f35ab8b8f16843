use super::*;

use ssdlab_ftl::bast::Bast;

use BufferAware::{Merge, MergeAndVictim, Off};

/// Pages 2 and 1 are updated out of order; a page of another block causes the merge.
#[test]
fn a_full_merge_takes_all_that_is_dirty() {
    let made = |aware| {
        let held = all([0, 1, 3], As::Cold).chain(all([2, 4], As::Clean));
        let mut device = Device::<Bast>::new(6, 2, params(1, aware)).holding(held);
        device.discard(&[3, 4]);
        device.write(&[2, 1, 6]);
        device
    };
    let mut device = made(Merge);
    // page 5 is copied; 2 is held clean; 4 is not mapped
    assert_eq!(device.moves(), [1, 0, 4, 2]);
    assert_eq!(device.memory.cleaned, [0, 1, 3]);
    let flash = [0, 1, 2, 3, 4].map(|lpn| device.flash(lpn));
    assert_eq!(
        flash,
        [Some(1000), Some(1001), Some(1002), Some(1003), None]
    );
    assert_eq!(made(Off).moves(), [4, 0, 0, 2]);
}

/// The log block holds 0 and 1.
#[test]
fn a_partial_merge_takes_what_it_fills() {
    for aware in [Merge, MergeAndVictim] {
        let held = all([0, 2, 3], As::Cold);
        let mut device = Device::<Bast>::new(5, 2, params(1, aware)).holding(held);
        device.discard(&[2]);
        device.write(&[0, 1, 5]);
        assert_eq!(device.env.counts().partial_merges, 1);
        // page 4 comes from the data block
        assert_eq!(device.moves(), [1, 0, 2, 1]);
        assert_eq!(device.memory.cleaned, [2, 3]);
        assert_eq!(device.flash(0), Some(1));
    }
}

#[test]
fn a_switch_takes_nothing() {
    let mut device = Device::<Bast>::new(4, 2, params(1, Merge)).holding(all(0..4, As::Cold));
    device.write(&[0, 1, 2, 3]);
    assert_eq!(device.moves(), [0, 0, 0, 1]);
    assert_eq!(device.memory.cleaned, []);
}

/// Blocks 0 and 1 have a log block each; a page of block 2 causes the merge of one of them.
#[test]
fn the_cheapest_log_block_is_merged() {
    let made = |candidates, first, second| {
        let mut params = params(2, MergeAndVictim);
        params.aware.candidates = candidates;
        let held = all([0], first).chain(all([4], second));
        let mut device = Device::<Bast>::new(4, 3, params).holding(held);
        device.write(&[2, 1, 6, 5, 9]);
        device.memory.cleaned
    };
    assert_eq!(made(0, As::Hot, As::Cold), [4]);
    assert_eq!(made(0, As::Cold, As::Hot), [0]);
    assert_eq!(
        made(0, As::Cold, As::Cold),
        [0],
        "the least recently written one"
    );
    assert_eq!(made(1, As::Hot, As::Cold), [0], "the only candidate");
}

/// The log block of block 1 has no valid page, or can be completed: fewer blocks are erased, or fewer pages moved.
#[test]
fn what_is_moved_and_erased_counts() {
    let mut device = Device::<Bast>::new(4, 3, params(2, MergeAndVictim));
    device.write(&[2, 1, 6]);
    device.discard(&[6]);
    device.write(&[9]);
    assert_eq!(device.moves(), [0, 0, 0, 1]);
    assert_eq!(device.env.counts().full_merges, 0);
    let mut device = Device::<Bast>::new(4, 3, params(2, MergeAndVictim));
    device.write(&[2, 1, 4, 5, 9]);
    assert_eq!(device.env.counts().partial_merges, 1);
    assert_eq!(device.moves(), [2, 0, 0, 1]);
}

/// The buffer saves nothing here, because page 3 is in no estimate. But only a merge of a chosen victim can ignore the
/// buffer; the merge of a full log block, for its own logical block, always uses it.
#[test]
fn a_full_log_block_asks_always() {
    let made = |last| {
        let mut device =
            Device::<Bast>::new(4, 2, params(1, MergeAndVictim)).holding([(3, As::Cold)]);
        device.discard(&[3]);
        device.write(&[2, 1, 2, 1]);
        device.write(&[last]);
        assert_eq!(device.env.counts().full_merges, 1);
        device.memory.cleaned
    };
    assert_eq!(made(2), [3]);
    assert_eq!(made(4), []);
}
