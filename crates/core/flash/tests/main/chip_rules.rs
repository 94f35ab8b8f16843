//! The array enforces the rules of the chip.
//!
//! Planted bugs that these tests catch: a page that may be programmed twice; a position below the highest one accepted;
//! an erase that does not reset the next page; a division that is off by one at the ends of blocks; a run that checks
//! only its first page, or continues into the next block; a copy of an erased page; a check that ignores discards; a
//! result that no longer fits into a register.

use ssdlab_flash::{
    Array, Bytes, Check, Fault, Geometry, Lpn, Media, Pbn, Ppn, ProgramOrder, Role, Spare,
    SpareState,
};

const DATA: Role = Role::DATA;

/// Two planes, three pages in a block (not a power of two), two logical and four physical blocks.
fn geometry() -> Geometry {
    Geometry::new(512, 3, 2, 4, 2)
}

fn spare(lpn: u32) -> Spare {
    Spare {
        lpn: Lpn(lpn),
        role: DATA,
    }
}

#[test]
fn addresses_split_where_blocks_are_no_powers_of_two() {
    for n in [1, 3, 4, 7, 128] {
        let geometry = Geometry::new(512, n, 5, 6, 1);
        for lpn in 0..geometry.logical_pages() {
            let page = geometry.page(Lpn(lpn));
            assert_eq!((page.lbn.0, page.offset), (lpn / n, lpn % n));
            assert_eq!(geometry.page_at(page.lbn, page.offset), page);
            assert_eq!(geometry.place(Ppn(lpn)), (Pbn(lpn / n), lpn % n));
        }
    }
    for n in [
        1,
        2,
        3,
        641,
        65_535,
        65_536,
        1_000_003,
        u32::MAX / 2,
        u32::MAX - 1,
    ] {
        let blocks = (u32::MAX - 1) / n;
        let geometry = Geometry::new(512, n, blocks, blocks, 1);
        let last = blocks * n - 1;
        for page in [0, 1, n - 1, n, last / 2, last - 1, last].map(|page| page.min(last)) {
            assert_eq!(geometry.place(Ppn(page)), (Pbn(page / n), page % n));
        }
    }
    let geometry = geometry();
    assert!(geometry.same_plane(Ppn(0), Ppn(6)));
    assert!(!geometry.same_plane(Ppn(0), Ppn(3)));
}

/// The same rules hold for every payload.
fn ascending_rules<P: ssdlab_flash::Payload>() {
    let mut array = Array::<P>::new(geometry(), ProgramOrder::Ascending);
    let blank = P::blank(512);
    let program = |array: &mut Array<P>, at| array.program(Ppn(at), spare(0), &blank);
    assert_eq!(program(&mut array, 1), Ok(()), "gaps are allowed");
    assert_eq!(program(&mut array, 1), Err(Fault::Programmed(Ppn(1))));
    assert_eq!(program(&mut array, 2), Ok(()));
    assert_eq!(program(&mut array, 0), Err(Fault::OutOfOrder(Ppn(0))));
    assert_eq!(array.erase(Pbn(0)), Ok(()));
    assert_eq!(array.erase_count(Pbn(0)), 1);
    assert_eq!(
        program(&mut array, 0),
        Ok(()),
        "an erased block can be programmed again"
    );
    let mut page = P::blank(512);
    assert_eq!(
        array.read(Ppn(5), &mut page),
        Err(Fault::Unreadable(Ppn(5)))
    );
    assert_eq!(
        array.copy(Ppn(5), Ppn(6), spare(0)),
        Err(Fault::Unreadable(Ppn(5)))
    );
    assert_eq!(array.copy(Ppn(0), Ppn(6), spare(0)), Ok(()));
    assert_eq!(
        array.program_run(Ppn(6), 2, spare(0), &blank),
        Err(Fault::Programmed(Ppn(6)))
    );
    assert_eq!(array.program_run(Ppn(9), 2, spare(0), &blank), Ok(()));
    assert_eq!(program(&mut array, 10), Err(Fault::Programmed(Ppn(10))));
    assert_eq!(program(&mut array, 11), Ok(()));
    array.erase(Pbn(0)).expect("an erase never fails here");
    let copy_run =
        |array: &mut Array<P>, from, count| array.copy_run(Ppn(from), Ppn(0), count, spare(0));
    assert_eq!(
        copy_run(&mut array, 3, 2),
        Err(Fault::Unreadable(Ppn(3))),
        "not programmed"
    );
    assert_eq!(copy_run(&mut array, 9, 2), Ok(()));
    assert_eq!(copy_run(&mut array, 9, 2), Err(Fault::OutOfOrder(Ppn(0))));
    assert_eq!(program(&mut array, 1), Err(Fault::Programmed(Ppn(1))));
    assert_eq!(program(&mut array, 2), Ok(()));
}

/// A run must end at the end of its block.
fn runs_end_with_their_block<P: ssdlab_flash::Payload>() {
    let mut array = Array::<P>::new(geometry(), ProgramOrder::Ascending);
    let blank = P::blank(512);
    array
        .program(Ppn(3), spare(0), &blank)
        .expect("a free page");
    assert_eq!(
        array.program_run(Ppn(1), 3, spare(0), &blank),
        Err(Fault::Programmed(Ppn(3)))
    );
    array.erase(Pbn(0)).expect("an erase never fails here");
    assert_eq!(
        array.copy_run(Ppn(3), Ppn(0), 2, spare(0)),
        Err(Fault::Unreadable(Ppn(4)))
    );
}

/// Each page of the run is checked, the last one too, and each target page becomes programmed.
fn scattered_copies_keep_the_rules<P: ssdlab_flash::Payload>() {
    let mut array = Array::<P>::new(geometry(), ProgramOrder::Ascending);
    let blank = P::blank(512);
    array
        .program_run(Ppn(3), 2, spare(0), &blank)
        .expect("free pages");
    let copy = |array: &mut Array<P>, from: &[u32], to| {
        let pages: Vec<_> = from.iter().map(|&at| (Ppn(at), Lpn(at))).collect();
        array.copy_pages(&pages, Ppn(to), DATA)
    };
    assert_eq!(copy(&mut array, &[], 0), Ok(()));
    assert_eq!(copy(&mut array, &[4], 0), Ok(()));
    assert_eq!(copy(&mut array, &[3, 4], 1), Ok(()));
    let next = array.program(Ppn(2), spare(0), &blank);
    assert_eq!(
        next,
        Err(Fault::Programmed(Ppn(2))),
        "both copies are programmed"
    );
    let before = copy(&mut array, &[3, 4], 0);
    assert_eq!(before, Err(Fault::OutOfOrder(Ppn(0))));
    let behind = copy(&mut array, &[3, 5], 6);
    assert_eq!(behind, Err(Fault::Unreadable(Ppn(5))), "not programmed");
}

#[test]
fn pages_are_programmed_once_and_ascending() {
    ascending_rules::<()>();
    ascending_rules::<u64>();
    ascending_rules::<Bytes>();
    scattered_copies_keep_the_rules::<()>();
    scattered_copies_keep_the_rules::<u64>();
    runs_end_with_their_block::<()>();
    runs_end_with_their_block::<u64>();
}

#[test]
fn the_result_of_an_operation_fits_into_a_register() {
    assert_eq!(size_of::<Result<(), Fault>>(), 8);
}

#[test]
fn an_ftl_may_declare_any_order() {
    let mut array = Array::<()>::new(geometry(), ProgramOrder::Any);
    for at in [2, 0, 1] {
        assert_eq!(array.program(Ppn(at), spare(0), &()), Ok(()));
        assert_eq!(
            array.program(Ppn(at), spare(0), &()),
            Err(Fault::Programmed(Ppn(at)))
        );
    }
    array.erase(Pbn(0)).expect("an erase never fails here");
    assert_eq!(array.program(Ppn(1), spare(0), &()), Ok(()));
}

#[test]
fn spare_areas_and_sequence_numbers_survive_a_power_cycle() {
    let mut array = Array::<u64>::new(geometry(), ProgramOrder::Ascending);
    array.program(Ppn(0), spare(1), &7).expect("a free page");
    array.copy(Ppn(0), Ppn(3), spare(1)).expect("a free page");
    array.record_discard(Lpn(2)).expect("never fails here");
    let mut array = array.power_on();
    array.program(Ppn(4), spare(2), &8).expect("a free page");
    assert_eq!(array.read_spare(Ppn(3)), Ok(SpareState::Good(spare(1), 2)));
    assert_eq!(array.discarded_at(Lpn(2)), Ok(3));
    assert_eq!(array.read_spare(Ppn(4)), Ok(SpareState::Good(spare(2), 4)));
    let mut version = 0;
    array.read(Ppn(3), &mut version).expect("programmed");
    assert_eq!(version, 7);
}

#[test]
fn checked_media_keep_the_newest_version() {
    let mut array = Array::<u64>::new(geometry(), ProgramOrder::Ascending);
    array.precondition().expect("a new array");
    let mut check = Check::new(array).expect("readable spare areas");
    assert_eq!(check.erase(Pbn(1)), Err(Fault::EraseOfNewest(Lpn(3))));
    for (lpn, at) in [(3, 6), (4, 7)] {
        check.program(Ppn(at), spare(lpn), &1).expect("a free page");
    }
    assert_eq!(check.erase(Pbn(1)), Err(Fault::EraseOfNewest(Lpn(5))));
    check.record_discard(Lpn(5)).expect("never fails here");
    assert_eq!(check.erase(Pbn(1)), Ok(()));
    assert_eq!(check.consumed(), 2);
    assert_eq!(
        (check.newest(Lpn(4)), check.newest(Lpn(5))),
        (Some(Ppn(7)), None)
    );
}
