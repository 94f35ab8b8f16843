//! Disks that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;
use ssdlab_disks::{Crash, Host, IO_ERROR, LoggedDisk, NO_SPACE, Request, keeps_ram};
use ssdlab_drive::{Drive, DriveError, MemoryDisk, ReadOnly};

use crate::failing::{Access, FailingDisk, is_due};
use crate::setup::{design, image, open, serve, until_one_fails};

/// There is no space from this call on, or for syncs only.
fn full_after(mut calls: usize, syncs_only: bool) -> impl FnMut(Access) -> Option<i32> {
    move |access| {
        if access == Access::Read {
            return None;
        }
        let fails = calls == 0 && (access == Access::Sync || !syncs_only);
        calls = calls.saturating_sub(1);
        fails.then_some(NO_SPACE)
    }
}

/// After a disk fails, the drive only reads, and still has all that it answered; what was flushed is there after the next
/// opening, and with RAM that survives all that was answered.
fn fails(syncs: bool) {
    let systems = [
        "ftl.kind=fast ftl.log_blocks=3 buffer.policy=blru",
        "ftl.kind=fast ftl.log_blocks=3 buffer.policy=three-region ftl.buffer_aware=merge+victim",
        "ftl.kind=bast ftl.log_blocks=2 buffer.policy=bplru",
        "ftl.kind=page ftl.spare_blocks=6 buffer.policy=cflru flash.channels=2 flash.interleave=page",
        "ftl.kind=superblock buffer.policy=bplru buffer.protected=true",
        "ftl.kind=page ftl.spare_blocks=6 buffer.policy=lru buffer.protected=true",
        "ftl.kind=page ftl.placement=deb ftl.ram=4KiB ftl.spare_blocks=10 buffer.policy=none",
    ];
    for settings in systems {
        fails_with(settings, syncs);
    }
}

fn fails_with(settings: &str, syncs: bool) {
    let design = design(settings);
    let mut random = Rng::with_seed(5);
    for calls in (10..600).step_by(13) {
        let below = LoggedDisk::new(image(&design));
        let disk = FailingDisk::new(below.clone(), full_after(calls, syncs));
        let mut drive = Drive::open_made_with(disk, design.clone()).unwrap();
        let mut host = Host::new(&design);
        let all = host.requests(&mut random, 600);
        let failed = until_one_fails(&mut drive, &mut host, all).to_string();
        let why = "the drive is read-only: its image failed: No space left on device (os error 28)";
        assert_eq!(failed, why);
        let read_only = DriveError::ReadOnly(ReadOnly::Image(NO_SPACE)).to_string();
        assert_eq!(drive.write(0, &[1]).unwrap_err().to_string(), read_only);
        let verdict = host.holds(&mut drive);
        verdict.unwrap_or_else(|error| panic!("{settings}, {calls} calls: {error}"));
        assert!(drive.flush().is_err() && drive.trim(0, 4096).is_err());
        assert!(drive.close().is_err());
        let crash = if keeps_ram(&design) {
            Crash::Killed
        } else {
            Crash::SomeArrived(calls as u64)
        };
        let content = below.crashed(crash);
        let mut drive = Drive::open_made_with(MemoryDisk(content), design.clone()).unwrap();
        host.verify_after_crash(&mut drive, crash).unwrap();
        let more = host.requests(&mut random, 20);
        let disk = LoggedDisk::new(Vec::new());
        serve(&mut drive, &disk, &mut host, more);
        host.verify_newest(&mut drive).unwrap();
    }
}

/// A read that fails is an error of that read only; one that a write needs ends all writes.
#[test]
fn reads_fail() {
    let design = design("ftl.kind=page ftl.spare_blocks=6 buffer.policy=none");
    let fails = Arc::new(AtomicBool::new(false));
    let below = LoggedDisk::new(image(&design));
    let reads_fail = fails.clone();
    let disk = FailingDisk::new(below.clone(), move |access| {
        let fails = access == Access::Read && reads_fail.load(Ordering::Relaxed);
        fails.then_some(IO_ERROR)
    });
    let mut drive = Drive::open_made_with(disk, design.clone()).unwrap();
    let mut host = Host::new(&design);
    let all = host.requests(&mut Rng::with_seed(5), 200);
    serve(&mut drive, &below, &mut host, all);
    fails.store(true, Ordering::Relaxed);
    assert!(matches!(host.holds(&mut drive), Err(DriveError::Device(_))));
    fails.store(false, Ordering::Relaxed);
    host.verify_newest(&mut drive).unwrap();
    host.send(&mut drive, Request::Flush).unwrap();
    // cleaning reads the pages that it copies
    fails.store(true, Ordering::Relaxed);
    let more = host.requests(&mut Rng::with_seed(6), 200);
    let error = until_one_fails(&mut drive, &mut host, more);
    assert!(matches!(
        error,
        DriveError::ReadOnly(ReadOnly::Image(IO_ERROR))
    ));
    fails.store(false, Ordering::Relaxed);
    assert!(drive.close().is_err());
    let crash = Crash::NothingArrived;
    let (mut drive, _) = open(below.crashed(crash), &design);
    host.verify_after_crash(&mut drive, crash).unwrap();
}

/// A disk that is full while the mirror of RAM begins anew: each call of the renewal in turn.
///
/// Planted bug: what was in RAM is forgotten.
#[test]
fn the_mirror_cannot_begin_anew() {
    let settings = "flash.capacity=64KiB buffer.policy=lru buffer.size=32KiB buffer.protected=true";
    let design = design(&format!("ftl.kind=page ftl.spare_blocks=6 {settings}"));
    let mut failures = 0;
    for calls in 0..200_usize {
        let below = LoggedDisk::new(image(&design));
        let full = Arc::new(AtomicBool::new(false));
        let (is_full, mut left) = (full.clone(), calls);
        let disk = FailingDisk::new(below, move |access| {
            if access != Access::Write || !is_full.load(Ordering::Relaxed) {
                return None;
            }
            let fails = left == 0;
            left = left.saturating_sub(1);
            fails.then_some(NO_SPACE)
        });
        let mut drive = Drive::open_made_with(disk, design.clone()).unwrap();
        let mut live = Host::new(&design);
        let mut served = 0;
        for sector in (0..live.sectors()).cycle().step_by(2).take(3000) {
            let request = Request::write(sector, 2);
            live.begin(request);
            let sent = live.send(&mut drive, request);
            if sent.is_err() {
                failures += 1;
                break;
            }
            live.end(request);
            served += 1;
            // from some moment on, such as in the middle of the records that follow
            full.store(served > 150, Ordering::Relaxed);
        }
        live.holds(&mut drive).unwrap();
    }
    assert!(failures > 190, "{failures}");
}

/// A disk that fails at each call of an opening after a crash: the drive opens, only reads, and has what it should;
/// opened again with room, it writes again.
///
/// Planted bug: such a disk keeps the drive from opening.
#[test]
fn an_opening_that_cannot_write() {
    for settings in [
        "ftl.kind=page ftl.spare_blocks=6 buffer.policy=lru buffer.protected=true",
        "ftl.kind=block buffer.policy=none",
    ] {
        let design = design(settings);
        let (mut begun, mut frozen) = (0, 0);
        for seed in 0..20 {
            let (mut drive, below) = open(image(&design), &design);
            let mut host = Host::new(&design);
            let all = host.requests(&mut Rng::with_seed(seed), 60);
            let served = serve(&mut drive, &below, &mut host.clone(), all);
            drop(drive);
            let log = below.take();
            let calls = log.calls.len() - seed as usize % 7;
            let content = log.after(calls, Crash::Killed);
            host.follow(&served, calls);
            host.leave(Crash::Killed);
            for calls in 0..40 {
                let below = LoggedDisk::new(content.clone());
                let disk = FailingDisk::new(below, full_after(calls, false));
                let mut drive = Drive::open_made_with(disk, design.clone()).unwrap();
                host.holds(&mut drive).unwrap();
                begun += 1;
                match drive.read_only() {
                    None => break,
                    why => assert_eq!(why, Some(ReadOnly::Image(NO_SPACE))),
                }
                frozen += 1;
                assert!(drive.write(0, &[1]).is_err());
                drive.close().unwrap();
            }
            let mut drive = Drive::open_made_with(MemoryDisk(content), design.clone()).unwrap();
            host.verify_after_crash(&mut drive, Crash::Killed).unwrap();
        }
        assert!(frozen > 100 && begun > frozen, "{frozen} of {begun}");
    }
}

/// A full disk that for a moment cannot be read either, at each read after it was full: the drive reads everything as
/// soon as the disk can be read again.
///
/// Planted bug: after one failed read, the disk is given up.
#[test]
fn a_full_disk_that_cannot_be_read_for_a_moment() {
    let design = design("ftl.kind=fast ftl.log_blocks=3 buffer.policy=blru");
    for reads in 0..60 {
        let below = LoggedDisk::new(image(&design));
        let (mut writes, mut left) = (150, Some(reads));
        let disk = FailingDisk::new(below, move |access| match access {
            Access::Write if writes == 0 => Some(NO_SPACE),
            Access::Write => {
                writes -= 1;
                None
            }
            Access::Read if writes == 0 => is_due(&mut left).then_some(IO_ERROR),
            Access::Read | Access::Sync => None,
        });
        let mut drive = Drive::open_made_with(disk, design.clone()).unwrap();
        let mut live = Host::new(&design);
        let all = live.requests(&mut Rng::with_seed(8), 300);
        until_one_fails(&mut drive, &mut live, all);
        assert_eq!(
            drive.read_only(),
            Some(ReadOnly::Image(NO_SPACE)),
            "{reads} reads"
        );
        let mut failed = 0;
        while let Err(error) = live.holds(&mut drive) {
            failed += 1;
            assert!(failed < 2, "{reads} reads: {error}");
        }
    }
}

#[test]
fn writes_fail() {
    fails(false);
}

#[test]
fn syncs_fail() {
    fails(true);
}
