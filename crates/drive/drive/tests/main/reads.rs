//! Reads whose bytes come while the drive serves others.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use ssdlab_disks::LoggedDisk;
use ssdlab_drive::{Behind, Disk, Drive, DriveError};

use crate::setup::{design, image, open};

const PAGE: usize = 1 << 10;

/// A page of which every byte is that of its version.
fn page(version: u8) -> [u8; PAGE] {
    [version; PAGE]
}

/// One thread writes all over a small flash; others read, and are slow to fetch the bytes. Each read has the bytes of the
/// moment when it took effect.
///
/// Planted bugs: an erase does not wait for the reads in flight; a page that waits to be written is looked for in the file.
fn reads_have_the_bytes_of_their_moment(disk: impl Disk + 'static, settings: &str) {
    let design = design(settings);
    let drive = Drive::open_made_with(disk, design.clone()).unwrap();
    let pages = (drive.capacity() as usize / PAGE).min(48);
    // the drive, and the version of each page
    let shared = Mutex::new((drive, vec![0_u8; pages]));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Rng::with_seed(1);
            for version in (1..=250).cycle().take(4000) {
                let at = random.usize(..pages);
                let (drive, versions) = &mut *shared.lock().unwrap();
                drive.write((at * PAGE) as u64, &page(version)).unwrap();
                versions[at] = version;
            }
            done.store(true, Ordering::Relaxed);
        });
        for seed in 0..2 {
            let (shared, done) = (&shared, &done);
            scope.spawn(move || {
                let mut random = Rng::with_seed(seed);
                let mut into = vec![0; 7 * PAGE];
                let mut reads = 0;
                while !done.load(Ordering::Relaxed) || reads < 50 {
                    let first = random.usize(..pages - 7);
                    // parts of pages, too
                    let cut = random.usize(..3) * 512;
                    let into = &mut into[..6 * PAGE - cut];
                    let offset = (first * PAGE + cut) as u64;
                    let (begun, versions) = {
                        let (drive, versions) = &mut *shared.lock().unwrap();
                        (drive.begin_read(offset, into).unwrap(), versions.clone())
                    };
                    thread::sleep(Duration::from_micros(random.u64(..400)));
                    let fetched = begun.fetch(into);
                    let whole = fetched.is_whole();
                    let read = shared.lock().unwrap().0.end_read(fetched, into);
                    read.unwrap();
                    assert!(whole, "a page does not have its checksum");
                    for (byte, at) in into.iter().zip(first * PAGE + cut..) {
                        assert_eq!(*byte, versions[at / PAGE], "byte {at}");
                    }
                    reads += 1;
                }
            });
        }
    });
    let (mut drive, _) = shared.into_inner().unwrap();
    drive.check().unwrap();
    drive.close().unwrap();
}

#[test]
fn reads_beside_writes() {
    for settings in [
        "ftl.kind=page ftl.spare_blocks=6 buffer.policy=none",
        "ftl.kind=page ftl.spare_blocks=6 buffer.policy=lru",
        "ftl.kind=fast ftl.log_blocks=3 buffer.policy=blru",
        "ftl.kind=superblock buffer.policy=none precondition=empty",
    ] {
        let disk = || LoggedDisk::new(image(&design(settings)));
        reads_have_the_bytes_of_their_moment(disk(), settings);
        reads_have_the_bytes_of_their_moment(Behind::new(disk()), settings);
    }
}

/// Damage that a read beside the drive finds is that which the drive finds: the page is lost until it is written, and all other
/// bytes are there.
///
/// Planted bug: bytes that are read beside the drive are not checked.
#[test]
fn damaged_pages_are_lost() {
    let settings = "ftl.kind=page ftl.spare_blocks=6 buffer.policy=none precondition=empty";
    let design = design(settings);
    let (mut drive, mut disk) = open(image(&design), &design);
    let bytes: Vec<u8> = (0..8).flat_map(|version| page(version + 1)).collect();
    drive.write(0, &bytes).unwrap();
    drive.flush().unwrap();
    let content = disk.killed();
    let found = content.windows(PAGE).position(|some| some == page(4));
    disk.write(found.unwrap() as u64 + 9, &[0]).unwrap();
    let mut into = vec![0; bytes.len()];
    for _ in 0..2 {
        let lost = drive.read(0, &mut into).unwrap_err();
        assert!(matches!(lost, DriveError::Lost(at) if at == 3 * PAGE as u64));
        let (before, after) = (0..3 * PAGE, 4 * PAGE..8 * PAGE);
        assert_eq!(into[before.clone()], bytes[before]);
        assert_eq!(into[after.clone()], bytes[after]);
    }
    drive.write(3 * PAGE as u64, &page(4)).unwrap();
    drive.read(0, &mut into).unwrap();
    assert_eq!(into, bytes);
}

/// Cleaning moves a damaged page as a lost one. A copy that looked whole would not fit its mark after a crash.
///
/// Planted bug: what is read ahead of cleaning is not compared with its checksum.
#[test]
fn a_damaged_page_moves_as_a_lost_one() {
    let settings = "ftl.kind=page ftl.spare_blocks=6 buffer.policy=none precondition=empty";
    let design = design(settings);
    let (mut drive, mut disk) = open(image(&design), &design);
    for version in 0..60 {
        let at = u64::from(version) * PAGE as u64;
        drive.write(at, &page(version + 1)).unwrap();
    }
    drive.flush().unwrap();
    let content = disk.killed();
    let found = content.windows(PAGE).position(|some| some == page(4));
    disk.write(found.unwrap() as u64 + 9, &[0]).unwrap();
    let mut random = Rng::with_seed(1);
    for _ in 0..600 {
        let other = (4 + random.u8(..59)) % 60;
        let at = u64::from(other) * PAGE as u64;
        drive.write(at, &page(other + 1)).unwrap();
    }
    drive.flush().unwrap();
    let content = disk.killed();
    assert_ne!(content[found.unwrap() + 9], 0, "it did not move");
    let (mut drive, _) = open(content, &design);
    for version in 0..60 {
        let mut into = page(0);
        let read = drive.read(u64::from(version) * PAGE as u64, &mut into);
        match read {
            Err(DriveError::Lost(at)) => assert_eq!((version, at), (3, 3 * PAGE as u64)),
            read => assert_eq!(
                (read.is_ok(), version == 3, into),
                (true, false, page(version + 1))
            ),
        }
    }
    let damaged = drive.damaged().flat_map(Result::unwrap);
    let current: Vec<_> = damaged.filter(|page| page.newest).collect();
    assert!(matches!(current[..], [page] if page.lpn.0 == 3 && page.lost));
}
