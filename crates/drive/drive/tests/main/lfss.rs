//! The data blocks of LFSS over a drive: the four calls, and what a crash leaves.
//!
//! Planted bugs that these tests catch: an update that creates; an erased data block that is still there; a data block
//! that only the EBR has and that does not count as there; erases that begin anew with each opening.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use ssdlab_disks::{Crash, LoggedDisk};
use ssdlab_drive::{Design, DriveError, Home, Lfss, LfssError, OpenOptions, ReadOnly};

use crate::setup::{design, image, open};

/// 64 data blocks of 1 KiB in segments of four; an EBR of four.
const DEB: &str =
    "ftl.kind=page ftl.placement=deb ftl.ram=4KiB ftl.spare_blocks=10 buffer.policy=none";

/// Opens a store.
fn store(content: Vec<u8>, design: &Arc<Design>) -> (Lfss, LoggedDisk) {
    let (drive, disk) = open(content, design);
    (Lfss::over(drive).unwrap(), disk)
}

/// A new, empty store.
fn empty(settings: &str) -> (Lfss, LoggedDisk, Arc<Design>) {
    let design = design(&format!("{settings} precondition=empty"));
    let (lfss, disk) = store(image(&design), &design);
    (lfss, disk, design)
}

/// The message of a call that is refused.
#[track_caller]
fn refused<T>(call: Result<T, LfssError>) -> String {
    call.err().expect("refused").to_string()
}

#[test]
fn calls_keep_their_promises() {
    let (mut lfss, ..) = empty(DEB);
    let (old, new) = (vec![1; 1024], vec![2; 1024]);
    assert_eq!((lfss.block_size(), lfss.blocks()), (1024, 64));
    let missing = "data block 3 does not exist; write it first";
    assert_eq!(refused(lfss.update(3, &new)), missing);
    assert_eq!(refused(lfss.read(3)), missing);
    assert_eq!(refused(lfss.erase(3)), missing);
    assert_eq!(
        refused(lfss.write(3, &old[1..])),
        "data block 3 takes 1024 bytes, not 1023"
    );
    lfss.write(3, &old).unwrap();
    assert_eq!(
        refused(lfss.write(3, &new)),
        "data block 3 exists already; update it, or erase it first"
    );
    assert_eq!(lfss.read(3).unwrap(), old);
    assert_eq!(
        refused(lfss.update(3, &[])),
        "data block 3 takes 1024 bytes, not 0"
    );
    lfss.update(3, &new).unwrap();
    assert_eq!(lfss.read(3).unwrap(), new);
    lfss.erase(3).unwrap();
    assert_eq!(refused(lfss.read(3)), missing);
    lfss.write(3, &old).unwrap();
    for block in [64, u64::MAX] {
        let beyond = format!("there is no data block {block}; this drive has 0 to 63");
        assert_eq!(refused(lfss.read(block)), beyond);
        assert_eq!(refused(lfss.write(block, &old)), beyond);
        assert_eq!(refused(lfss.update(block, &old)), beyond);
        assert_eq!(refused(lfss.erase(block)), beyond);
        assert_eq!(refused(lfss.home(block)), beyond);
    }
    assert_eq!(lfss.existing().collect::<Vec<_>>(), [3]);
}

#[test]
fn new_data_blocks_enter_the_ebr_and_the_oldest_leave() {
    let (mut lfss, ..) = empty(DEB);
    let homes = |lfss: &Lfss, blocks: [u64; 5]| blocks.map(|block| lfss.home(block).unwrap());
    for block in 0..4 {
        lfss.write(block, &[block as u8; 1024]).unwrap();
    }
    lfss.update(0, &[9; 1024]).unwrap();
    let ebr = Some(Home::Ebr);
    assert_eq!(homes(&lfss, [0, 1, 2, 3, 4]), [ebr, ebr, ebr, ebr, None]);
    // the fifth overflows the EBR: three leave, and the one that was updated is not the oldest
    lfss.write(4, &[4; 1024]).unwrap();
    let flash = Some(Home::Flash);
    assert_eq!(
        homes(&lfss, [0, 1, 2, 3, 4]),
        [ebr, flash, flash, flash, ebr]
    );
    assert_eq!(lfss.in_ebr(), [0, 4]);
    assert_eq!(lfss.drive().counters().flash_programs, 3);
}

#[test]
fn all_data_blocks_of_a_full_drive_exist() {
    let design = design(DEB);
    let (mut lfss, _) = store(image(&design), &design);
    assert_eq!(lfss.existing().count(), 64);
    assert_eq!(lfss.read(63).unwrap(), [0; 1024]);
    assert!(refused(lfss.write(5, &[1; 1024])).contains("exists already"));
    lfss.erase(5).unwrap();
    assert_eq!(lfss.existing().count(), 63);
}

#[test]
fn a_drive_that_does_not_know_its_pages_is_refused() {
    for (settings, why) in [
        (
            "ftl.kind=bast ftl.log_blocks=2",
            "LFSS needs a drive with ftl.kind = \"page\", and this one has \"bast\"",
        ),
        (
            "ftl.kind=page buffer.policy=lru",
            "LFSS needs a drive with buffer.policy = \"none\", and this one has \"lru\"",
        ),
    ] {
        let design = design(settings);
        let (drive, _) = open(image(&design), &design);
        assert_eq!(refused(Lfss::over(drive)), why);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.img");
    let opened = Lfss::open(&path, OpenOptions::default());
    assert!(matches!(
        opened,
        Err(LfssError::Drive(DriveError::Image(_)))
    ));
}

/// The data blocks that exist, each with the byte that fills it.
type State = BTreeMap<u64, u8>;

/// Writes, updates or erases a random data block, mostly one of a few.
fn call(lfss: &mut Lfss, random: &mut Rng, state: &mut State) {
    let hot = random.u8(..4) > 0;
    let block = random.u64(..if hot { 8 } else { lfss.blocks() });
    let byte = random.u8(1..);
    let data = vec![byte; lfss.block_size()];
    if !state.contains_key(&block) {
        lfss.write(block, &data).unwrap();
    } else if random.u8(..6) == 0 {
        lfss.erase(block).unwrap();
        state.remove(&block);
        return;
    } else {
        lfss.update(block, &data).unwrap();
    }
    state.insert(block, byte);
}

/// What a store holds; each data block must hold one byte over and over.
fn state(lfss: &mut Lfss) -> State {
    let blocks: Vec<u64> = lfss.existing().collect();
    let state = blocks.into_iter().map(|block| {
        let data = lfss.read(block).unwrap();
        assert!(
            data.iter().all(|byte| *byte == data[0]),
            "{block}: {data:?}"
        );
        (block, data[0])
    });
    state.collect()
}

#[test]
fn every_byte_is_there_after_each_opening() {
    let mut random = Rng::with_seed(1);
    let (mut lfss, mut disk, design) = empty(DEB);
    let mut expected = State::new();
    for round in 0..6 {
        for _ in 0..300 {
            call(&mut lfss, &mut random, &mut expected);
        }
        assert_eq!(state(&mut lfss), expected, "round {round}");
        let erases = lfss.erases();
        match round % 3 {
            // a process that ends loses nothing: the image mirrors the EBR
            0 => drop(lfss),
            1 => lfss.close().unwrap(),
            _ => _ = lfss.into_drive().lose_power().unwrap(),
        }
        (lfss, disk) = store(disk.killed(), &design);
        assert_eq!(state(&mut lfss), expected, "round {round}, opened again");
        assert!(lfss.erases() >= erases && erases > 0, "round {round}");
    }
}

/// Crashes after each call: the system stops, and any writes since the last sync have arrived. Each data block is as it
/// was at the last flush, or as a call since then has left it.
#[test]
fn a_crash_between_calls_loses_nothing_that_was_flushed() {
    let mut random = Rng::with_seed(2);
    let (mut lfss, disk, design) = empty(DEB);
    let mut now = State::new();
    // the states since the last flush, of which the first one is durable
    let mut since = vec![now.clone()];
    for number in 0..250 {
        if random.u8(..10) == 0 {
            lfss.flush().unwrap();
            since.clear();
        } else {
            call(&mut lfss, &mut random, &mut now);
        }
        since.push(now.clone());
        for crash in [Crash::NothingArrived, Crash::SomeArrived(number)] {
            let (mut after, _) = store(disk.crashed(crash), &design);
            let found = state(&mut after);
            for block in 0..after.blocks() {
                let allowed = since
                    .iter()
                    .any(|state| state.get(&block) == found.get(&block));
                let found = found.get(&block);
                assert!(
                    allowed,
                    "call {number}, {crash:?}: data block {block} has {found:?}"
                );
            }
        }
        let (mut after, _) = store(disk.crashed(Crash::Killed), &design);
        assert_eq!(state(&mut after), now, "call {number}, killed");
    }
}

#[test]
fn a_drive_that_only_reads_says_so() {
    let design = design(&format!(
        "{DEB} precondition=empty drive.erase_limit=1 drive.spare_blocks=0"
    ));
    let (mut lfss, _) = store(image(&design), &design);
    let mut random = Rng::with_seed(3);
    let mut expected = State::new();
    let failed = loop {
        let block = random.u64(..64);
        let byte = random.u8(1..);
        let data = vec![byte; 1024];
        let called = match expected.contains_key(&block) {
            true => lfss.update(block, &data),
            false => lfss.write(block, &data),
        };
        match called {
            Ok(()) => _ = expected.insert(block, byte),
            Err(LfssError::Block {
                block: named,
                error,
            }) => {
                assert_eq!(named, block);
                break error;
            }
            Err(error) => panic!("{error}"),
        }
    };
    let worn_out = |error: &DriveError| matches!(error, DriveError::ReadOnly(ReadOnly::WornOut));
    assert!(worn_out(&failed), "{failed}");
    // neither missing nor there already: nothing can be written
    for block in 0..64 {
        let calls = [lfss.write(block, &[0; 1024]), lfss.erase(block)];
        for call in calls {
            assert!(matches!(call, Err(LfssError::Block { error, .. }) if worn_out(&error)));
        }
        let read = lfss.read(block).ok().map(|data| data[0]);
        if expected.contains_key(&block) {
            assert!(read.is_some(), "{block}");
        }
    }
}

/// The updates of `count` data blocks of a full store, nine of ten among a tenth of them: the segments that they erase.
fn erases_of_updates(settings: &str) -> u64 {
    let shape = "flash.pages_per_block=32 flash.capacity=864KiB clock=writes ftl.kind=page ftl.spare_blocks=10 \
                 buffer.policy=none";
    let design = design(&format!("{shape} {settings}"));
    let (mut lfss, _) = store(image(&design), &design);
    let mut random = Rng::with_seed(4);
    for number in 0..6000_u32 {
        let range = match number % 10 {
            0 => lfss.blocks(),
            _ => lfss.blocks() / 10,
        };
        let data = vec![number as u8; lfss.block_size()];
        lfss.update(random.u64(..range), &data).unwrap();
    }
    lfss.erases()
}

#[test]
fn the_extra_buffer_region_saves_erases() {
    let deb = erases_of_updates(
        "ftl.placement=deb ftl.ram=128KiB ftl.cleaning=cat ftl.stable_s=[500,1000,1500,2000]",
    );
    let jffs2 = erases_of_updates("ftl.gc_frontier=shared ftl.cleaning=jffs2");
    assert!(2 * deb < jffs2, "{deb} and {jffs2}");
}
