use super::*;

use ssdlab_ftl::fast::Fast;

use BufferAware::{Merge, MergeAndVictim, Off};

/// Pages 1, 6 and 7 are updated in L0, page 0 in SW; page 9 reclaims L0. In the paper, page 0 is in L0 too.
const FIGURE_1: [u32; 6] = [1, 6, 7, 6, 0, 9];

fn figure_1(buffer_aware: BufferAware) -> Device<Fast> {
    let held = all([2, 4], As::Cold).chain(all([3, 12, 13, 14, 15], As::Clean));
    Device::<Fast>::new(4, 4, params(2, buffer_aware)).holding(held)
}

#[test]
fn figure_1_of_the_paper() {
    let mut device = figure_1(Off);
    device.write(&FIGURE_1);
    assert_eq!(device.moves(), [8, 0, 0, 4]);
    assert_eq!(device.flash(2), Some(0));

    let mut device = figure_1(Merge);
    device.write(&FIGURE_1);
    assert_eq!(device.moves(), [5, 0, 3, 4]);
    assert_eq!(device.memory.cleaned, [2, 4]);
    let flash = [1, 2, 3, 4, 5, 7].map(|lpn| device.flash(lpn));
    assert_eq!(
        flash,
        [1, 1002, 1003, 1004, 0, 3].map(Some),
        "the newest versions from all places"
    );

    let mut device = figure_1(Merge).with_copy_back();
    device.write(&FIGURE_1);
    assert_eq!(device.moves(), [0, 6, 2, 4], "page 3 is copied back");
}

/// L0 has pages of block 0 and L1 of block 1, N = 8; a page of block 2 reclaims one of them.
const FIGURE_5: [u32; 17] = [2, 3, 4, 5, 6, 7, 2, 3, 10, 11, 12, 13, 14, 15, 10, 11, 17];

fn figure_5(params: Params, first: As, second: As) -> Device<Fast> {
    let held = all([0, 1], first).chain(all([8, 9], second));
    Device::<Fast>::new(8, 3, params).holding(held)
}

#[test]
fn figure_5_of_the_paper() {
    for copy_back in [true, false] {
        let made = |aware, first, second| {
            let device = figure_5(params(3, aware), first, second);
            let mut device = if copy_back {
                device.with_copy_back()
            } else {
                device
            };
            device.write(&FIGURE_5);
            let moved = if copy_back {
                [0, 6, 2, 2]
            } else {
                [6, 0, 2, 2]
            };
            assert_eq!(device.moves(), moved);
            device
        };
        // block 1 and L1, the third block that was free
        let device = made(MergeAndVictim, As::Hot, As::Cold);
        assert_eq!(device.memory.cleaned, [8, 9]);
        assert_eq!(device.erased(), [1, 4]);
        let device = made(MergeAndVictim, As::Cold, As::Hot);
        assert_eq!(device.memory.cleaned, [0, 1]);
        // equal costs: the one filled first
        let device = made(MergeAndVictim, As::Cold, As::Cold);
        assert_eq!(device.memory.cleaned, [0, 1]);
        let device = made(Merge, As::Hot, As::Cold);
        assert_eq!(device.memory.cleaned, [0, 1]);
    }
}

#[test]
fn no_more_candidates_than_asked_for() {
    for (candidates, cleaned) in [(1, [0, 1]), (2, [8, 9])] {
        let mut params = params(3, MergeAndVictim);
        params.aware.candidates = candidates;
        let mut device = figure_5(params, As::Hot, As::Cold);
        device.write(&FIGURE_5);
        assert_eq!(device.memory.cleaned, cleaned);
    }
}

/// Two hot pages: with copy-back, programming them from the buffer costs 2 * (300 - 225) more than moving the versions
/// in flash.
#[test]
fn what_costs_less_unaware_is_not_asked() {
    let mut device = figure_5(params(3, MergeAndVictim), As::Hot, As::Hot).with_copy_back();
    device.write(&FIGURE_5);
    assert_eq!(device.moves(), [0, 8, 0, 2]);
    assert_eq!(device.memory.cleaned, []);
}

/// Page 1 was discarded, so its version in the buffer is in no estimate.
#[test]
fn pages_without_a_flash_copy() {
    let filled = [2, 3, 2, 3];
    let made = |aware, how| {
        let mut device = Device::<Fast>::new(4, 3, params(2, aware)).holding([(1, how)]);
        device.discard(&[1]);
        device.write(&filled);
        device.write(&[6]);
        device
    };
    let mut device = made(Merge, As::Hot);
    assert_eq!(device.moves(), [3, 0, 1, 2]);
    assert_eq!(device.flash(1), Some(1001));
    assert_eq!(device.memory.cleaned, [1]);
    for (aware, how) in [
        (Merge, As::Clean),
        (MergeAndVictim, As::Cold),
        (Off, As::Cold),
    ] {
        let mut device = made(aware, how);
        assert_eq!(device.moves(), [3, 0, 0, 2]);
        assert_eq!(device.flash(1), None);
    }
}

/// SW holds 0 and 1; page 4 causes its merge.
#[test]
fn a_partial_merge_takes_what_it_fills() {
    for aware in [Merge, MergeAndVictim] {
        let mut device = Device::<Fast>::new(5, 3, params(2, aware))
            .holding(all([0, 2], As::Cold).chain(all([3], As::Hot)));
        device.discard(&[2]);
        device.write(&[0, 1, 5]);
        // page 4 comes from the data block
        assert_eq!(device.moves(), [1, 0, 2, 1]);
        assert_eq!(device.env.counts().partial_merges, 1);
        assert_eq!(device.memory.cleaned, [2, 3]);
        assert_eq!(device.flash(0), Some(1));
        assert_eq!(device.flash(2), Some(1002));
        assert_eq!(device.flash(3), Some(1003));
    }
}

#[test]
fn a_switch_takes_nothing() {
    let mut device = Device::<Fast>::new(4, 3, params(2, Merge)).holding(all(0..4, As::Cold));
    device.write(&[0, 1, 2, 3]);
    assert_eq!(device.moves(), [0, 0, 0, 1]);
    assert_eq!(device.env.counts().switch_merges, 1);
    assert_eq!(device.memory.cleaned, []);
}

/// SW without a valid page: the free block takes the page that only the buffer has.
#[test]
fn a_full_merge_of_nothing_valid() {
    let mut device = Device::<Fast>::new(3, 3, params(2, Merge)).holding([(2, As::Hot)]);
    device.write(&[0]);
    device.discard(&[0, 1, 2]);
    device.write(&[3]);
    assert_eq!(device.env.counts().full_merges, 1);
    assert_eq!(device.moves(), [0, 0, 1, 2]);
    assert_eq!(
        [0, 1, 2].map(|lpn| device.flash(lpn)),
        [None, None, Some(1002)]
    );
}

/// Three random log blocks with pages of blocks 0, 1 and 2, then one of block 3 in place of the second: L0, L2, L3.
fn reclaimed_in_the_middle() -> Device<Fast> {
    let mut device =
        Device::<Fast>::new(3, 5, params(4, MergeAndVictim)).holding(all([3, 4], As::Cold));
    for block in 0..4 {
        device.write(&[block * 3 + 1, block * 3 + 2, block * 3 + 1]);
    }
    assert_eq!(device.erased(), [1, 6], "block 1 and L1");
    device
}

#[test]
fn a_log_block_in_the_middle_leaves_the_others_in_order() {
    // no other page is held dirty: the one filled first
    for (reclaims, erased) in [(1, vec![0, 1, 5, 6]), (2, vec![0, 1, 2, 5, 6, 7])] {
        for mounts in [false, true] {
            let mut device = reclaimed_in_the_middle();
            if mounts {
                let params = params(4, Merge);
                device = device.mounted(params);
            }
            device.write(&[13]);
            device.write(&[14, 13, 14][..3 * (reclaims - 1)]);
            assert_eq!(device.erased(), erased, "mounts: {mounts}");
        }
    }
}

/// The log block filled last is the cheapest to reclaim, because it has no valid page.
#[test]
fn the_newest_log_block_is_reclaimed() {
    let mut device = Device::<Fast>::new(3, 4, params(3, MergeAndVictim));
    device.write(&[1, 2, 1, 4, 5, 4]);
    device.discard(&[4, 5]);
    device.write(&[7]);
    assert_eq!(device.env.counts().full_merges, 0);
    assert_eq!(device.moves(), [0, 0, 0, 1]);
    device.write(&[8, 7, 8]);
    assert_eq!(device.env.counts().full_merges, 1);
}
