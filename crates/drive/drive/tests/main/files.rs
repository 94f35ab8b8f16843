//! Drives in files.

use std::path::PathBuf;

use ssdlab_drive::{Drive, DriveError, ImageError, OpenOptions};
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
