//! Drives in files.

use std::path::PathBuf;

use ssdlab_drive::{
    Drive, DriveError, DriveSystems, ImageError, OpenOptions, PageTotals, ReadOnly, SlotUse,
};
use tempfile::TempDir;

use crate::setup::design;

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.img");
    Drive::create(&path, &design("ftl.kind=bast ftl.log_blocks=2")).unwrap();
    (folder, path)
}

#[test]
fn keep_what_was_written() {
    let (_folder, path) = file();
    let mut drive = Drive::open(&path, OpenOptions::default()).unwrap();
    assert!(drive.opened().new && drive.opened().closed);
    drive.write(513, b"some bytes").unwrap();
    drive.close().unwrap();
    let mut drive = Drive::open(&path, OpenOptions { sync: false }).unwrap();
    assert!(!drive.opened().new && drive.opened().closed);
    let mut found = [1; 12];
    drive.read(512, &mut found).unwrap();
    assert_eq!(&found, b"\0some bytes\0");
    drop(drive);
    let drive = Drive::open(&path, OpenOptions::default()).unwrap();
    assert!(!drive.opened().closed);
    assert_eq!(drive.config().ftl, "bast");
}

/// The image does not keep a key that has no effect, here planes without copies within a chip.
///
/// Planted bug: a new drive has the shape of the configuration, not of what its image keeps.
#[test]
fn open_with_keys_that_have_no_effect() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.img");
    Drive::create(&path, &design("ftl.kind=page flash.planes=2")).unwrap();
    let drive = Drive::open(&path, OpenOptions::default()).unwrap();
    assert_eq!(drive.config().flash.planes, 1);
}

#[test]
fn are_never_overwritten() {
    let (_folder, path) = file();
    let error = Drive::create(&path, &design("ftl.kind=page")).unwrap_err();
    assert!(error.to_string().contains("exists"), "{error}");
    Drive::open(&path, OpenOptions::default()).unwrap();
}

#[test]
fn are_open_once() {
    let (_folder, path) = file();
    let _first = Drive::open(&path, OpenOptions::default()).unwrap();
    let in_use = |opened: Result<Drive, DriveError>| {
        matches!(opened, Err(DriveError::Image(ImageError::InUse)))
    };
    assert!(in_use(Drive::open(&path, OpenOptions::default())));
    assert!(in_use(Drive::look_at(&path)));
}

#[test]
fn are_looked_at_without_a_change() {
    let (_folder, path) = file();
    let mut drive = Drive::open(&path, OpenOptions::default()).unwrap();
    drive.write(0, &[7; 5000]).unwrap();
    drive.flush().unwrap();
    drive.write(0, &[8; 5000]).unwrap();
    drop(drive);
    let before = std::fs::read(&path).unwrap();
    let mut drive = Drive::look_at(&path).unwrap();
    drive.write(4096, &[9; 5000]).unwrap();
    drive.flush().unwrap();
    let mut found = [0];
    drive.read(4096, &mut found).unwrap();
    assert_eq!(found, [9]);
    drive.check().unwrap();
    drop(drive);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

// planted bug: a file that may not be written is written, or its drive seems to take what is lost
#[test]
fn that_may_not_be_written_are_read() {
    let (_folder, path) = file();
    let mut drive = Drive::open(&path, OpenOptions::default()).unwrap();
    drive.write(0, &[7; 5000]).unwrap();
    drive.flush().unwrap();
    drive.write(0, &[8; 5000]).unwrap();
    // not closed: opening it has something to repair
    drop(drive);
    let before = std::fs::read(&path).unwrap();
    let code = 30;
    let systems = DriveSystems::default();
    let mut drive = systems.open_protected(&path, code, false).unwrap();
    assert_eq!(drive.read_only(), Some(ReadOnly::Protected(code)));
    let mut found = [0];
    drive.read(0, &mut found).unwrap();
    assert_eq!(found, [7]);
    for failed in [drive.write(0, &[9; 4096]), drive.trim(0, 4096)] {
        assert!(matches!(
            failed,
            Err(DriveError::ReadOnly(ReadOnly::Protected(30)))
        ));
    }
    drive.close().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn take_no_space_before_they_are_used() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.img");
    let settings =
        "flash.page_size=4KiB flash.pages_per_block=64 flash.capacity=1GiB buffer.size=1MiB";
    Drive::create(&path, &design(&format!("{settings} precondition=full"))).unwrap();
    let mut drive = Drive::open(&path, OpenOptions::default()).unwrap();
    let mut found = [1; 4096];
    drive.read((1 << 30) - 4096, &mut found).unwrap();
    assert_eq!(found, [0; 4096]);
    let file = std::fs::metadata(&path).unwrap();
    assert!(
        file.len() > 1 << 30 && file.blocks() * 512 < 1 << 20,
        "{file:?}"
    );
}

/// The overview of a new image comes from its header and its holes, that of another one from its blocks.
///
/// Planted bugs: erased pages that count as programmed; spare blocks of a new image left out; a drive that was only opened
/// counts as new.
#[test]
fn have_an_overview_that_agrees_with_their_blocks() {
    let kinds = [
        "ftl.kind=page precondition=full",
        "ftl.kind=page precondition=empty",
        "ftl.kind=page drive.spare_blocks=3 drive.bad_blocks=2",
        "ftl.kind=bast ftl.log_blocks=2 buffer.protected=true",
        "ftl.kind=page flash.channels=2 flash.interleave=page",
    ];
    for kind in kinds {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drive.img");
        Drive::create(&path, &design(kind)).unwrap();
        let agrees = |is_new: bool| {
            let overview = DriveSystems::default().overview(&path).unwrap();
            let drive = Drive::look_at(&path).unwrap();
            assert_eq!(overview.opened, drive.opened(), "{kind}");
            assert_eq!(overview.opened.new, is_new, "{kind}");
            assert_eq!(overview.design.config(), drive.config(), "{kind}");
            assert_eq!(overview.read_only.is_some(), drive.read_only().is_some());
            let slots = |slots: &[SlotUse]| -> Vec<_> {
                let chips = slots.iter();
                chips
                    .map(|chip| (chip.spare.clone(), chip.bad.clone()))
                    .collect()
            };
            assert_eq!(slots(&overview.slots), slots(&drive.slots()), "{kind}");
            assert_eq!(
                overview.erases.max,
                drive.erase_counts().into_iter().max().unwrap()
            );
            let mut all = [0; 4];
            for block in drive.blocks() {
                let pages = PageTotals::of(&block.unwrap());
                let counts = [pages.erased, pages.torn, pages.programmed, pages.valid];
                all.iter_mut()
                    .zip(counts)
                    .for_each(|(all, count)| *all += count);
            }
            let pages = overview.pages;
            let found = [pages.erased, pages.torn, pages.programmed, pages.valid];
            assert_eq!(found, all, "{kind}");
        };
        agrees(true);
        Drive::open(&path, OpenOptions { sync: false })
            .unwrap()
            .close()
            .unwrap();
        agrees(false);
        let mut drive = Drive::open(&path, OpenOptions { sync: false }).unwrap();
        for _ in 0..20 {
            drive.write(3000, &[7; 20_000]).unwrap();
        }
        drive.close().unwrap();
        agrees(false);
    }
}
