//! Damaged images: an error, or the data that the host allows. A page that cannot be read is an error as well.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use ssdlab_disks::{Call, Crash, Host, LoggedDisk, Request};
use ssdlab_drive::{
    Behind, DamagedPage, Design, Disk, Drive, DriveError, ImageError, MemoryDisk, Overlay,
};
use tempfile::NamedTempFile;

use crate::setup::{design, image, open, serve};

/// The smallest drive that uses every part of an image.
fn small() -> Arc<Design> {
    of_capacity("16KiB")
}

fn of_capacity(capacity: &str) -> Arc<Design> {
    design(&format!(
        "flash.page_size=512 flash.pages_per_block=4 flash.capacity={capacity} ftl.kind=page \
         ftl.spare_blocks=6 buffer.policy=lru buffer.size=1KiB buffer.protected=true"
    ))
}

/// A used image, closed or left by a process that died, and what it may hold.
fn used(design: &Arc<Design>, closed: bool, count: usize) -> (Vec<u8>, Host) {
    let (mut drive, disk) = open(image(design), design);
    let mut host = Host::new(design);
    let all = host.requests(&mut Rng::with_seed(7), count);
    serve(&mut drive, &disk, &mut host, all);
    if closed {
        drive.close().unwrap();
    } else {
        drop(drive);
        // what was not flushed may be lost when its record is damaged
        host.leave(Crash::NothingArrived);
    }
    (disk.killed(), host)
}

/// An image that is cut off, or has one wrong bit, to read only.
struct Wrong {
    content: Arc<Vec<u8>>,
    length: usize,
    flipped: Option<usize>,
}

impl Disk for Wrong {
    fn length(&self) -> io::Result<u64> {
        Ok(self.length as u64)
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let at = at as usize;
        into.copy_from_slice(&self.content[..self.length][at..at + into.len()]);
        if let Some(flipped) = self.flipped
            && let Some(place) = flipped.checked_sub(at)
            && let Some(byte) = into.get_mut(place)
        {
            *byte ^= 1 << (flipped % 8);
        }
        Ok(())
    }

    fn write(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        unreachable!("below an overlay")
    }

    fn sync(&mut self) -> io::Result<()> {
        unreachable!("below an overlay")
    }
}

/// Flips a bit of each byte in use, one at a time, and of some others.
fn flips(closed: bool) {
    let design = of_capacity("8KiB");
    let (content, host) = used(&design, closed, 12);
    let content = Arc::new(content);
    let (mut refused, mut harmless) = (0, 0);
    for at in 0..content.len() {
        if content[at] == 0 && !(at / 64).is_multiple_of(64) {
            continue;
        }
        let wrong = Wrong {
            content: content.clone(),
            length: content.len(),
            flipped: Some(at),
        };
        let opened = Drive::open_made_with(Overlay::new(wrong), design.clone());
        match opened.and_then(|mut drive| host.holds(&mut drive)) {
            Ok(()) => harmless += 1,
            Err(DriveError::Wrong(what)) => panic!("byte {at}: {what}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 500 && harmless > 500, "{refused} and {harmless}");
}

#[test]
fn every_byte_of_a_closed_image() {
    flips(true);
}

#[test]
fn every_byte_of_an_image_after_a_crash() {
    flips(false);
}

/// Zeroes, fills or overwrites some pieces of an image.
pub fn damage(content: &mut [u8], random: &mut Rng, pieces: usize) {
    for _ in 0..pieces {
        let length = [1, 8, 32, 64, 512, 4096][random.usize(..6)];
        let mut place = || random.usize(..(content.len() - length) / 32) * 32;
        let (at, from) = (place(), place());
        match random.u8(..4) {
            0 => content[at..at + length].fill(0),
            1 => content[at..at + length].fill(0xff),
            2 => random.fill(&mut content[at..at + length]),
            _ => content.copy_within(from..from + length, at),
        }
    }
}

/// A drive whose process died after writes to protected RAM, some of them flushed, and what must be there.
fn killed(design: &Arc<Design>) -> (Vec<u8>, Host) {
    let (mut drive, disk) = open(image(design), design);
    let mut host = Host::new(design);
    let write = |sector| Request::write(sector, 1);
    let flushed = (0..10).map(write).chain([Request::Flush]);
    let all = flushed.chain((3..19).map(write));
    serve(&mut drive, &disk, &mut host, all.collect());
    drop(drive);
    (disk.killed(), host)
}

/// Zeros over any part of the file: the data are there, or the opening says that something is lost.
///
/// Planted bugs: a mark has one place; the mirror ends at the first damaged record, and nobody is told.
#[test]
fn damage_is_not_taken_for_what_never_arrived() {
    let design = small();
    let (content, host) = killed(&design);
    let (mut refused, mut reported, mut lost_pages) = (0, 0, 0);
    for (length, step) in [(8, 24), (64, 64), (512, 256), (8192, 256)] {
        for at in (0..content.len() - length).step_by(step) {
            let mut wrong = content.clone();
            wrong[at..at + length].fill(0);
            if wrong == content {
                continue;
            }
            let Ok(mut drive) = Drive::open_made_with(MemoryDisk(wrong), design.clone()) else {
                refused += 1;
                continue;
            };
            let opened = drive.opened();
            match host.holds(&mut drive) {
                Ok(()) => {}
                Err(DriveError::Lost(_)) => lost_pages += 1,
                Err(error) => {
                    let is_told = opened.lost_records > 0 || opened.interrupted_record;
                    assert!(is_told, "{length} zeros at {at}: {error}");
                    reported += 1;
                }
            }
        }
    }
    assert!(
        refused > 30 && reported > 20,
        "{refused} refused, {reported} reported, {lost_pages} lost pages"
    );
}

/// A damaged record of the mirror loses its own page and no other, and is reported once.
///
/// Planted bug: what follows a damaged record is not looked for.
#[test]
fn a_damaged_record_loses_one_page() {
    let design = small();
    let (content, host) = killed(&design);
    let mut found = Vec::new();
    for at in (0..content.len()).step_by(16) {
        let mut wrong = content.clone();
        wrong[at] ^= 4;
        let disk = LoggedDisk::new(wrong);
        let Ok(mut drive) = Drive::open_made_with(disk.clone(), design.clone()) else {
            continue;
        };
        let opened = drive.opened();
        if opened.lost_records == 0 {
            continue;
        }
        assert_eq!(opened.lost_records, 1, "byte {at}");
        assert!(opened.damage()[0].contains("1 of the requests in its RAM"));
        // only its data tell which one
        let lost = host.lost(&mut drive);
        assert_eq!(lost.len(), 1, "byte {at}: {lost:?} are lost");
        drop(drive);
        let again = disk.killed();
        let mut drive = Drive::open_made_with(MemoryDisk(again), design.clone()).unwrap();
        assert_eq!(drive.opened().lost_records, 0, "byte {at}");
        assert_eq!(host.lost(&mut drive), lost, "byte {at}");
        found.extend(lost);
    }
    let checked = found.len();
    found.dedup();
    // all except the one whose damage looks like an interruption
    assert!(found.len() >= 15 && checked > 300, "{found:?}, {checked}");
}

/// Records whose first one the system lost do not come back when a later opening's record in its place is damaged.
///
/// Planted bug: records of any opening continue the mirror.
#[test]
fn records_of_an_earlier_opening_do_not_come_back() {
    let design = small();
    let write = |sector| Request::write(sector, 1);
    let (mut drive, disk) = open(image(&design), &design);
    let before = disk.calls();
    let all = (0..4).map(write).collect();
    serve(&mut drive, &disk, &mut Host::new(&design), all);
    drop(drive);
    let log = disk.take();
    let mut content = log.after(before, Crash::Killed);
    let Call::Write(first, record) = &log.calls[before] else {
        panic!("the first record");
    };
    for call in &log.calls[before + 1..] {
        if let Call::Write(at, bytes) = call {
            content[*at..][..bytes.len()].copy_from_slice(bytes);
        }
    }
    let (mut drive, disk) = open(content.clone(), &design);
    Host::new(&design).holds(&mut drive).unwrap();
    drive.write(9 * 512, &[9; 512]).unwrap();
    drop(drive);
    let now = disk.killed();
    let opens = |content: Vec<u8>, written: u8| {
        let mut drive = Drive::open_made_with(MemoryDisk(content), design.clone()).unwrap();
        let opened = drive.opened();
        assert!(opened.interrupted_record, "{opened:?}");
        assert_eq!(opened.lost_records, 0);
        let mut found = vec![1; 16 * 512];
        drive.read(0, &mut found).unwrap();
        let expected = (0..16).flat_map(|page| [if page == 9 { written } else { 0 }; 512]);
        assert!(expected.eq(found));
    };
    let record = *first..first + record.len();
    let mut damaged = now.clone();
    damaged[record.clone()].fill(0);
    opens(damaged, 0);
    // the end after the later record did not arrive, and an earlier record is in its place
    let mut torn = now;
    let end = record.end - 64..record.end;
    torn[end.clone()].copy_from_slice(&content[end]);
    opens(torn, 9);
}

/// Parts of another image of the same design, which fit by their places and checksums.
///
/// Planted bug: images have no number of their own.
#[test]
fn parts_of_another_image_are_noticed() {
    let design = small();
    let (content, _) = killed(&design);
    let new = image(&design);
    let (drive, disk) = open(new.clone(), &design);
    drop(drive);
    let opened = disk.killed();
    let length = content.len();
    for other in [new, opened] {
        for part in [
            0..4096,
            0..16384,
            length - 4096..length,
            length - 16384..length,
        ] {
            let mut wrong = content.clone();
            wrong[part.clone()].copy_from_slice(&other[part.clone()]);
            let opened = Drive::open_made_with(MemoryDisk(wrong), design.clone());
            let error = opened.err().unwrap_or_else(|| panic!("{part:?} is taken"));
            let what = "this image is damaged: its two headers are those of two images";
            assert_eq!(error.to_string(), what);
        }
        let mut wrong = content.clone();
        for part in [0..4096, length - 4096..length] {
            wrong[part.clone()].copy_from_slice(&other[part]);
        }
        let opened = Drive::open_made_with(MemoryDisk(wrong), design.clone());
        let what = "this image is damaged: it has no mark that is whole";
        assert_eq!(opened.err().unwrap().to_string(), what);
    }
}

/// An erase block has two entries, each with a place of its own, so that one written over the other is noticed.
///
/// Planted bug: an entry also counts in the other place.
#[test]
fn an_entry_in_the_place_of_the_other_is_damage() {
    let (content, _) = used(&small(), true, 200);
    let config_bytes = u32::from_le_bytes(content[60..64].try_into().unwrap());
    let entries = 16384 + (config_bytes as usize).next_multiple_of(4096);
    let mut copied = 0;
    for (block, both) in content[entries..entries + 10 * 64].chunks(64).enumerate() {
        let (first, second) = both.split_at(32);
        if first.iter().all(|byte| *byte == 0) || second.iter().all(|byte| *byte == 0) {
            continue;
        }
        for (from, to) in [(first, 32), (second, 0)] {
            let mut wrong = content.clone();
            let at = entries + block * 64 + to;
            wrong[at..at + 32].copy_from_slice(from);
            let mut file = NamedTempFile::new().unwrap();
            file.write_all(&wrong).unwrap();
            let found = Drive::broken_entries(file.path(), 9).unwrap();
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!((found[0].slot, found[0].page), (block as u32, None));
            copied += 1;
        }
    }
    assert!(copied > 4);
}

/// Each copy of the header and of the last mark is enough, and damage to one is reported.
#[test]
fn copies_stand_in_for_each_other() {
    let design = small();
    let (content, host) = killed(&design);
    let length = content.len();
    let ends = [0..16384, length - 16384..length];
    for part in ends {
        for at in part.clone().step_by(4096) {
            let mut wrong = content.clone();
            wrong[at..at + 4096].fill(0);
            let (mut drive, disk) = open(wrong, &design);
            assert_eq!(drive.opened().damaged_copies, 1, "{at}");
            host.holds(&mut drive).unwrap();
            drive.flush().unwrap();
            drive.write(0, &[0; 512]).unwrap();
            drive.flush().unwrap();
            drop(drive);
            let mended = disk.killed();
            let (drive, _) = open(mended, &design);
            assert_eq!(drive.opened().damaged_copies, 0, "{at}");
        }
        let mut wrong = content.clone();
        wrong[part].fill(0);
        let mut drive = Drive::open_made_with(MemoryDisk(wrong), design.clone()).unwrap();
        assert_eq!(drive.opened().damaged_copies, 4);
        host.holds(&mut drive).unwrap();
    }
}

/// A mark says that the one before it was durable, even if its copies and what confirms it were lost in a crash.
///
/// Planted bug: only a confirmed mark keeps an older one from being used.
#[test]
fn a_later_mark_confirms_the_one_before() {
    let design = design("ftl.kind=page ftl.spare_blocks=6 buffer.policy=none");
    let (mut drive, disk) = open(image(&design), &design);
    let mut calls = Vec::new();
    for page in 0..3 {
        drive.write(page * 1024, &[1; 1024]).unwrap();
        drive.flush().unwrap();
        calls.push(disk.calls());
    }
    drop(drive);
    let log = disk.take();
    let [once, last] = [calls[0], calls[2]].map(|calls| log.after(calls, Crash::Killed));
    // two later marks, without anything they count
    let mut damaged = once.clone();
    damaged[4096..12288].copy_from_slice(&last[4096..12288]);
    let opened = Drive::open_made_with(MemoryDisk(damaged), design.clone());
    let error = opened.err().expect("the second flush is lost").to_string();
    assert!(error.starts_with("this image is damaged: "), "{error}");
    // one later mark may not have arrived
    let mut damaged = once;
    let second = log.after(calls[1], Crash::Killed);
    damaged[4096..12288].copy_from_slice(&second[4096..12288]);
    Drive::open_made_with(MemoryDisk(damaged), design).unwrap();
}

/// An end of the file reads as zeros: what was flushed is there, or is an error.
///
/// Planted bug: what confirms a mark is at one end of the file only.
#[test]
fn zeros_up_to_an_end() {
    let design = small();
    // one more commit each time, so that even and odd marks are the newest
    for count in 20..24 {
        for closed in [true, false] {
            let (content, host) = used(&design, closed, count);
            let (mut refused, mut right) = (0, 0);
            for at in (0..content.len()).step_by(2048) {
                for zeros in [0..at, at..content.len()] {
                    let mut wrong = content.clone();
                    wrong[zeros.clone()].fill(0);
                    let opened = Drive::open_made_with(MemoryDisk(wrong), design.clone());
                    match opened.and_then(|mut drive| host.holds(&mut drive)) {
                        Ok(()) => right += 1,
                        Err(DriveError::Wrong(what)) => panic!("zeros in {zeros:?}: {what}"),
                        Err(_) => refused += 1,
                    }
                }
            }
            assert!(refused > 100 && right > 1, "{refused} and {right}");
        }
    }
}

/// A disk whose writes take a while.
#[derive(Clone)]
struct Slow(LoggedDisk);

impl Disk for Slow {
    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.0.read(at, into)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        thread::sleep(Duration::from_millis(1));
        self.0.write(at, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}

/// Planted bugs: the last flush is undone where its page and one end of the file read as zeros; what confirms its mark still
/// waits in memory when the process is killed.
#[test]
fn a_flush_is_not_undone_by_a_tail_of_zeros() {
    let design = design("ftl.kind=page ftl.spare_blocks=6 buffer.policy=none");
    let (drive, disk) = open(image(&design), &design);
    flushes_stay(drive, &disk, &design);
    let disk = LoggedDisk::new(image(&design));
    let behind = Behind::new(Slow(disk.clone()));
    let drive = Drive::open_made_with(behind, design.clone()).unwrap();
    flushes_stay(drive, &disk, &design);
}

fn flushes_stay(mut drive: Drive, disk: &LoggedDisk, design: &Arc<Design>) {
    for version in 1..=12 {
        let data = [version; 1024];
        drive.write(0, &data).unwrap();
        drive.flush().unwrap();
        let mut wrong = disk.killed();
        let at = wrong.windows(1024).position(|bytes| bytes == data);
        wrong[at.expect("it is on flash")..].fill(0);
        let mut page = [0; 1024];
        let opened = Drive::open_made_with(MemoryDisk(wrong), design.clone());
        let read = opened.and_then(|mut drive| drive.read(0, &mut page));
        assert!(
            read.is_err() || page == data,
            "version {} instead of {version}",
            page[0]
        );
    }
}

#[test]
fn random_damage() {
    let design = small();
    for closed in [true, false] {
        let (content, host) = used(&design, closed, 24);
        let mut random = Rng::with_seed(2);
        let (mut refused, mut harmless) = (0, 0);
        for _ in 0..1500 {
            let mut wrong = content.clone();
            let pieces = random.usize(1..4);
            damage(&mut wrong, &mut random, pieces);
            let opened = Drive::open_made_with(MemoryDisk(wrong), design.clone());
            match opened.and_then(|mut drive| host.holds(&mut drive)) {
                Ok(()) => harmless += 1,
                Err(DriveError::Wrong(what)) => panic!("{what}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 100 && harmless > 100, "{refused} and {harmless}");
    }
}

#[test]
fn every_truncation_is_an_error() {
    let (content, _) = used(&of_capacity("8KiB"), true, 12);
    let content = Arc::new(content);
    for length in 0..content.len() {
        let wrong = Wrong {
            content: content.clone(),
            length,
            flipped: None,
        };
        let opened = Drive::open_disk(Overlay::new(wrong));
        let error = opened
            .err()
            .unwrap_or_else(|| panic!("{length} bytes are enough"));
        assert!(
            matches!(
                error,
                DriveError::Image(ImageError::Length { .. } | ImageError::NotAnImage)
            ),
            "{length} bytes: {error}"
        );
    }
}

/// Headers with right checksums and wrong numbers.
#[test]
fn impossible_headers_are_errors() {
    let design = small();
    let (content, _) = used(&design, true, 24);
    let mut random = Rng::with_seed(1);
    for _ in 0..3000 {
        let mut wrong = content.clone();
        let field = 8 + 4 * random.usize(..15);
        let number = match random.u8(..4) {
            0 => 0,
            1 => u32::MAX,
            2 => 1 << random.u8(..32),
            _ => random.u32(..600),
        };
        for header in [0, content.len() - 4096] {
            let old = wrong[header + field..header + field + 4].to_vec();
            wrong[header + field..header + field + 4].copy_from_slice(&number.to_le_bytes());
            if old == number.to_le_bytes() {
                continue;
            }
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(&0u64.to_le_bytes());
            hasher.update(&wrong[header..header + 76]);
            let sum = hasher.finalize().to_le_bytes();
            wrong[header + 76..header + 80].copy_from_slice(&sum);
        }
        let is_same = wrong == content;
        let opened = Drive::open_disk(MemoryDisk(wrong));
        assert!(opened.is_err() || is_same, "field at {field} = {number}");
    }
}

/// A drive whose page 5 is damaged in the file, after cleaning moved that page: where the damage is, and whether the
/// flash knows of it.
fn moved_damage(content: Vec<u8>, design: &Arc<Design>, synced: bool) -> Vec<DamagedPage> {
    let open = |content: Vec<u8>| {
        if synced {
            Drive::open_made_with(LoggedDisk::new(content), design.clone())
        } else {
            Drive::open_made_with(MemoryDisk(content), design.clone())
        }
    };
    let mut drive = open(content).unwrap();
    let mut random = Rng::with_seed(3);
    let mut newest = [0; 32];
    for round in 1..400u32 {
        let page = random.usize(..32);
        if page != 5 {
            newest[page] = round;
            let bytes = round.to_le_bytes().repeat(512 / 4);
            drive.write(512 * page as u64, &bytes).unwrap();
        }
    }
    assert!(drive.counters().flash_copies > 100);
    let mut read = [0; 512];
    for (page, round) in newest.iter().enumerate() {
        let found = drive.read(512 * page as u64, &mut read);
        match page {
            5 => assert!(matches!(found, Err(DriveError::Lost(2560))), "{found:?}"),
            _ if *round > 0 => assert_eq!(read[..], round.to_le_bytes().repeat(512 / 4)),
            _ => {}
        }
    }
    let damaged: Result<Vec<_>, _> = drive.damaged().collect();
    damaged
        .unwrap()
        .into_iter()
        .flatten()
        .filter(|page| page.newest)
        .collect()
}

/// Cleaning moves a damaged page. Where there are syncs, it sees the damage, and the flash has lost the data. In memory
/// it copies them unread, with their checksum. The host gets an error both times.
///
/// Planted bug: a disk with syncs copies pages unread.
#[test]
fn damage_moves_with_its_page() {
    let design = design(
        "flash.page_size=512 flash.pages_per_block=4 flash.capacity=16KiB ftl.kind=page ftl.spare_blocks=6 \
         buffer.policy=none",
    );
    let (mut drive, disk) = open(image(&design), &design);
    let data = [0xa5; 512];
    drive.write(512 * 5, &data).unwrap();
    drive.close().unwrap();
    let mut content = disk.killed();
    let at = content.windows(512).position(|bytes| bytes == data);
    content[at.unwrap() + 100] ^= 1;
    for synced in [true, false] {
        let damaged = moved_damage(content.clone(), &design, synced);
        let found: Vec<_> = damaged.iter().map(|page| (page.lpn.0, page.lost)).collect();
        assert_eq!(found, [(5, synced)]);
    }
}
