//! Crashes at each call that changes the file: the process dies with all of its writes there, or the system with any of
//! the writes since the last sync.

use std::sync::Arc;

use fastrand::Rng;
use ssdlab_disks::{Call, Crash, Host, Log, LoggedDisk, Request, keeps_ram};
use ssdlab_drive::{Behind, Design, Disk, Drive};
use ssdlab_flash::{Media, Pbn, SpareState};

use crate::setup::{design, image, open, serve};

/// A drive that was used.
struct Used {
    log: Log,
    /// The requests, and the calls of the log at which each began and ended.
    requests: Vec<(Request, usize, usize)>,
}

/// A new drive after these requests and a clean close.
fn used(design: &Arc<Design>, all: Vec<Request>) -> Used {
    let disk = LoggedDisk::new(image(design));
    used_on(disk.clone(), disk, design, all)
}

/// Like [`used`], on a disk over one with a log.
fn used_on(
    over: impl Disk + 'static,
    disk: LoggedDisk,
    design: &Arc<Design>,
    all: Vec<Request>,
) -> Used {
    let mut drive = Drive::open_made_with(over, design.clone()).unwrap();
    let mut host = Host::new(design);
    let requests = serve(&mut drive, &disk, &mut host, all);
    host.verify_newest(&mut drive).unwrap();
    drive.close().unwrap();
    Used {
        log: disk.take(),
        requests,
    }
}

/// Crashes a drive with these settings at each call, in each of the ways in turn, and often once more soon after: more
/// than `least` crashes.
fn survives(settings: &str, count: usize, least: usize) {
    survives_some(settings, count, 1, least);
}

/// Like [`survives`], but crashes only at one in this many calls.
fn survives_some(settings: &str, count: usize, one_of: usize, least: usize) {
    let design = design(settings);
    let mut random = Rng::with_seed(0);
    let all = Host::new(&design).requests(&mut random, count);
    survives_these(&design, all, &mut random, one_of, least);
}

/// Like [`survives_some`], with these requests.
fn survives_these(
    design: &Arc<Design>,
    all: Vec<Request>,
    random: &mut Rng,
    one_of: usize,
    least: usize,
) {
    survives_use(design, &used(design, all), random, one_of, least);
}

/// Like [`survives_some`], of a drive that was used.
fn survives_use(design: &Arc<Design>, used: &Used, random: &mut Rng, one_of: usize, least: usize) {
    let (mut done, mut others) = (Host::new(design), &used.requests[..]);
    for calls in (0..=used.log.calls.len()).step_by(one_of) {
        let crash = match calls % 3 {
            0 => Crash::Killed,
            1 => Crash::NothingArrived,
            _ => Crash::SomeArrived(random.u64(..)),
        };
        others = done.finish(others, calls);
        let mut host = done.clone();
        host.follow(others, calls);
        let once = || -> Result<(), String> {
            let disk = LoggedDisk::new(used.log.after(calls, crash));
            let drive = Drive::open_made_with(disk.clone(), design.clone());
            let mut drive = drive.map_err(|error| error.to_string())?;
            drive.check().map_err(|error| error.to_string())?;
            host.verify_after_crash(&mut drive, crash)?;
            match calls % 5 {
                0 => crash_again(design, drive, &disk, host, random),
                _ => Ok(()),
            }
        };
        if let Err(what) = once() {
            let (ftl, buffer) = (design.config().ftl, design.config().policy);
            panic!("{what}\n  {ftl} + {buffer}, {crash:?} after {calls} calls");
        }
    }
    let crashes = used.log.calls.len() / one_of;
    assert!(crashes > least, "only {crashes} crashes");
}

/// Goes on after a crash, up to a second one: in the opening after the first one, or in a request.
fn crash_again(
    design: &Arc<Design>,
    mut drive: Drive,
    disk: &LoggedDisk,
    mut host: Host,
    random: &mut Rng,
) -> Result<(), String> {
    let more = host.requests(random, 6);
    let more = serve(&mut drive, disk, &mut host.clone(), more);
    drop(drive);
    let log = disk.take();
    let (calls, seed) = (random.usize(..=log.calls.len()), random.u64(..));
    let crash = match seed % 3 {
        0 => Crash::Killed,
        _ => Crash::SomeArrived(seed),
    };
    let twice = LoggedDisk::new(log.after(calls, crash));
    host.follow(&more, calls);
    Drive::open_made_with(twice, design.clone())
        .map_err(|error| error.to_string())
        .and_then(|mut drive| host.verify_after_crash(&mut drive, crash))
        .map_err(|what| format!("{what}; second crash {crash:?} after {calls} calls"))
}

fn every_buffer(ftl: &str) {
    let buffers = ["none", "blru", "bplru", "three-region"];
    for (buffer, precondition) in buffers.iter().zip(["full", "empty"].iter().cycle()) {
        let settings = format!("{ftl} buffer.policy={buffer} precondition={precondition}");
        survives(&settings, 130, 200);
    }
}

fn protected(ftl: &str) {
    let buffers = ["lru", "bplru", "three-region"];
    for (buffer, precondition) in buffers.iter().zip(["empty", "full"].iter().cycle()) {
        let settings = format!(
            "{ftl} buffer.policy={buffer} buffer.protected=true precondition={precondition}"
        );
        survives(&settings, 130, 100);
    }
}

fn aware(ftl: &str) {
    let settings = format!("{ftl} buffer.policy=three-region ftl.buffer_aware=merge+victim");
    survives(&settings, 150, 200);
}

#[test]
fn page() {
    every_buffer("ftl.kind=page ftl.spare_blocks=6");
    aware("ftl.kind=page ftl.spare_blocks=6");
}

#[test]
fn page_with_its_map_in_flash() {
    for (map, buffer) in [
        ("dftl ftl.map_cache=40 ftl.map_sync=20", "none"),
        ("tpftl ftl.map_cache=60", "lru"),
        ("pages ftl.map_cache=1KiB ftl.map_sync=40", "bplru"),
        ("leaftl ftl.map_cache=60 ftl.map_sync=15", "none"),
    ] {
        for precondition in ["full", "empty"] {
            let settings = format!(
                "ftl.kind=page ftl.spare_blocks=6 ftl.map={map} ftl.map_entry=64 buffer.policy={buffer} \
                 precondition={precondition}"
            );
            survives(&settings, 130, 200);
        }
    }
}

#[test]
fn bast() {
    every_buffer("ftl.kind=bast ftl.log_blocks=2");
    aware("ftl.kind=bast ftl.log_blocks=2");
}

#[test]
fn fast() {
    every_buffer("ftl.kind=fast ftl.log_blocks=3");
    aware("ftl.kind=fast ftl.log_blocks=3");
}

#[test]
fn superblock() {
    every_buffer("ftl.kind=superblock");
    aware("ftl.kind=superblock");
}

/// Blocks are replaced all the time.
#[test]
fn bad_flash() {
    let faults = "drive.spare_blocks=300 drive.bad_blocks=2 drive.program_failures=0.05 \
                  drive.erase_failures=0.2 drive.bit_errors=55 drive.ecc_bits=100";
    for (ftl, precondition) in [
        ("ftl.kind=page ftl.spare_blocks=6", "full"),
        ("ftl.kind=bast ftl.log_blocks=2", "empty"),
        ("ftl.kind=fast ftl.log_blocks=3", "full"),
        ("ftl.kind=superblock", "full"),
    ] {
        let settings = format!("{ftl} {faults} buffer.policy=lru precondition={precondition}");
        survives(&settings, 130, 200);
    }
}

#[test]
fn protected_buffers() {
    protected("ftl.kind=page ftl.spare_blocks=6");
    protected("ftl.kind=fast ftl.log_blocks=3");
}

/// Each crash once more at each call after it, with a few requests between them.
#[test]
fn pairs_of_crashes() {
    for (settings, count) in [
        ("ftl.kind=page ftl.spare_blocks=6 buffer.policy=lru", 32),
        (
            "ftl.kind=page ftl.spare_blocks=6 ftl.map=dftl ftl.map_cache=16 ftl.map_entry=64 ftl.map_sync=9 buffer.policy=none",
            24,
        ),
        (
            "ftl.kind=bast ftl.log_blocks=2 buffer.policy=bplru buffer.protected=true",
            12,
        ),
        (
            "ftl.kind=fast ftl.log_blocks=3 buffer.policy=none drive.spare_blocks=99 drive.program_failures=0.1",
            12,
        ),
    ] {
        let design = design(settings);
        let mut random = Rng::with_seed(4);
        let new = Host::new(&design);
        let used = used(&design, new.requests(&mut random, count));
        let mut pairs = 0;
        for first in 0..=used.log.calls.len() {
            let crash = [Crash::Killed, Crash::SomeArrived(first as u64)][first % 2];
            let mut once = new.clone();
            once.follow(&used.requests, first);
            let (mut drive, disk) = open(used.log.after(first, crash), &design);
            once.verify_after_crash(&mut drive, crash).unwrap();
            let more = new.requests(&mut random, 3);
            let more = serve(&mut drive, &disk, &mut once.clone(), more);
            drop(drive);
            let log = disk.take();
            for second in 0..=log.calls.len() {
                let crash = [Crash::Killed, Crash::SomeArrived(second as u64)][second % 2];
                let mut twice = once.clone();
                twice.follow(&more, second);
                let disk = LoggedDisk::new(log.after(second, crash));
                let drive = Drive::open_made_with(disk, design.clone());
                let verified = drive
                    .map_err(|error| error.to_string())
                    .and_then(|mut drive| twice.verify_after_crash(&mut drive, crash));
                verified.unwrap_or_else(|what| panic!("{settings}: {first}, {second}: {what}"));
                pairs += 1;
            }
        }

        assert!(pairs > 500, "{settings}: only {pairs} pairs");
    }
}

/// The last operation before the crash was an erase, right after a commit: its block is torn, and needs another erase.
#[test]
fn interrupted_erases() {
    for settings in [
        "ftl.kind=page ftl.spare_blocks=6 precondition=empty",
        "ftl.kind=superblock precondition=empty",
    ] {
        let design = design(&format!("{settings} buffer.policy=none"));
        let mut random = Rng::with_seed(3);
        let new = Host::new(&design);
        // whole blocks, so that nothing is copied before an erase
        let mut block = || random.u64(..new.sectors() / 8) * 8;
        let writes = (0..100).flat_map(|_| {
            let (sector, sectors) = (block(), 8);
            [Request::write(sector, sectors), Request::Flush]
        });
        let used = used(&design, writes.collect());
        let mut torn = 0;
        for calls in 0..=used.log.calls.len() {
            let content = used.log.after(calls, Crash::Killed);
            let disk = LoggedDisk::new(content.clone());
            // it reports that once, and the block stays torn until its next erase
            let (image, _) = ssdlab_image::open(disk.clone()).unwrap();
            if !image.opened().torn_erase {
                continue;
            }
            torn += 1;
            for _ in 0..2 {
                let (image, mut chips) = ssdlab_image::open(disk.clone()).unwrap();
                assert!(!image.opened().torn_erase);
                let flash = &mut chips[0];
                let blocks = (0..flash.geometry().physical_blocks()).map(Pbn);
                let is_torn = |block: &Pbn| {
                    let mut pages = flash.geometry().clone().pages_of(*block);
                    pages.all(|page| flash.read_spare(page) == Ok(SpareState::Torn))
                };
                assert_eq!(blocks.filter(is_torn).count(), 1, "{settings}");
            }
            let (mut drive, disk) = open(content, &design);
            let mut host = new.clone();
            host.follow(&used.requests, calls);
            let survived = host
                .verify_after_crash(&mut drive, Crash::Killed)
                .and_then(|()| crash_again(&design, drive, &disk, host, &mut random));
            survived.unwrap_or_else(|what| panic!("{settings}: after {calls} calls: {what}"));
        }
        assert!(torn > 50, "{settings}: {torn} torn blocks");
    }
}

/// Protected RAM is written to flash when the power fails.
#[test]
fn the_power_of_the_device_fails() {
    for settings in [
        "ftl.kind=fast ftl.log_blocks=3 buffer.policy=bplru buffer.protected=true",
        "ftl.kind=page ftl.placement=deb ftl.ram=4KiB ftl.spare_blocks=10 buffer.policy=none",
        "ftl.kind=page ftl.spare_blocks=6 buffer.policy=lru",
    ] {
        let design = design(settings);
        let mut host = Host::new(&design);
        let mut random = Rng::with_seed(8);
        let (mut content, mut dumped) = (image(&design), 0);
        for life in 0..20 {
            let (mut drive, disk) = open(content, &design);
            // RAM that survives has reached the flash
            let verified = host.verify_after_crash(&mut drive, Crash::Killed);
            verified.unwrap_or_else(|what| panic!("{settings}: life {life}: {what}"));
            let all = host.requests(&mut random, 30);
            serve(&mut drive, &disk, &mut host, all);
            let programs = drive.meta_counts().meta_programs;
            let pages = drive.lose_power().unwrap();
            dumped += pages;
            content = disk.crashed(Crash::NothingArrived);
            let (drive, _) = open(content.clone(), &design);
            assert!(!drive.opened().closed);
            assert!(drive.meta_counts().meta_programs >= programs + pages);
        }
        assert_eq!(
            dumped > 50,
            keeps_ram(&design),
            "{settings}: {dumped} pages"
        );
    }
}

/// The mirror of RAM wraps around, and its tail moves.
#[test]
fn long_runs_of_protected_buffers() {
    let settings = "ftl.kind=page ftl.spare_blocks=6 buffer.policy=lru buffer.protected=true";
    survives_some(settings, 1500, 41, 100);
}

/// Among records of equal length, one is lost and a later one is not; the next opening writes over the lost one.
#[test]
fn records_that_were_passed_over_do_not_come_back() {
    let design = design("ftl.kind=page ftl.spare_blocks=6 buffer.policy=lru buffer.protected=true");
    let write = |sector| Request::write(sector, 1);
    for seed in 0..200 {
        let (mut drive, disk) = open(image(&design), &design);
        let mut host = Host::new(&design);
        serve(&mut drive, &disk, &mut host, (0..4).map(write).collect());
        drop(drive);
        let crash = Crash::SomeArrived(seed);
        let (mut drive, disk) = open(disk.crashed(crash), &design);
        host.verify_after_crash(&mut drive, crash).unwrap();
        serve(&mut drive, &disk, &mut host, vec![write(9)]);
        drop(drive);
        let (mut drive, _) = open(disk.killed(), &design);
        let verified = host.verify_after_crash(&mut drive, Crash::Killed);
        verified.unwrap_or_else(|what| panic!("seed {seed}: {what}"));
    }
}

#[test]
fn placements() {
    for placement in [
        "dac",
        "dac+ ftl.ram=4KiB",
        "deb ftl.ram=4KiB",
        "fdp ftl.handles=2 ftl.handle_types=ii,pi",
        "dac-updates ftl.regions=3",
        "sepbit ftl.spare_blocks=14",
        "tt ftl.heads=2",
        "2a ftl.heads=2",
        "single ftl.copy_stripes=2 ftl.eager=0.4 ftl.eager_free=5",
    ] {
        let settings = format!(
            "ftl.kind=page ftl.spare_blocks=10 ftl.placement={placement} buffer.policy=none"
        );
        survives(&settings, 130, 100);
    }
}

/// Discards around a commit: an erase that follows from later ones must not happen without them.
#[test]
fn discards_before_erases() {
    let design = design(
        "flash.capacity=32KiB ftl.kind=page ftl.spare_blocks=6 buffer.policy=none precondition=full",
    );
    let mut random = Rng::with_seed(1);
    let host = Host::new(&design);
    let mut all = Vec::new();
    for _ in 0..150 {
        let trim = |random: &mut Rng, sectors| Request::trim(random.u64(..29) * 2, sectors);
        all.extend(host.requests(&mut random, 4));
        all.extend([trim(&mut random, 2), Request::Flush]);
        all.extend([trim(&mut random, 6), trim(&mut random, 6)]);
    }
    survives_these(&design, all, &mut random, 1, 200);
}

/// Between the begin and the end of a sync that runs beside requests, the drive is killed, or the system dies, at each call,
/// and often once more; also in the flush that waits for it.
#[test]
fn syncs_in_flight() {
    for ftl in [
        "page ftl.spare_blocks=9",
        "fast ftl.log_blocks=6",
        "bast ftl.log_blocks=5",
    ] {
        let design = design(&format!(
            "ftl.kind={ftl} buffer.policy=none precondition=empty"
        ));
        let mut random = Rng::with_seed(2);
        let all = Host::new(&design).requests(&mut random, 500);
        let calls = used(&design, all.clone()).log.calls;
        let mut begun = false;
        let in_flight = calls.iter().filter(|call| {
            match call {
                Call::SyncBegins => begun = true,
                Call::SyncEnds => begun = false,
                Call::Write(..) | Call::Sync => {}
            }
            begun && matches!(call, Call::Write(..))
        });
        let in_flight = in_flight.count();
        assert!(in_flight > 100, "{ftl}: {in_flight} writes beside a sync");
        survives_these(&design, all, &mut random, 1, 200);
    }
}

/// A thread writes behind the requests, which are answered before their writes have reached the disk. The disk is cut at each
/// call of that thread.
#[test]
fn writes_behind_requests() {
    for settings in [
        "ftl.kind=page ftl.spare_blocks=9 buffer.policy=none",
        "ftl.kind=fast ftl.log_blocks=3 buffer.policy=blru precondition=empty",
        "ftl.kind=page ftl.spare_blocks=6 buffer.policy=lru buffer.protected=true",
        "ftl.kind=superblock buffer.policy=lru drive.spare_blocks=99 drive.program_failures=0.1",
    ] {
        let design = design(settings);
        let mut random = Rng::with_seed(6);
        let all = Host::new(&design).requests(&mut random, 200);
        let disk = LoggedDisk::new(image(&design));
        let used = used_on(Behind::new(disk.clone()), disk, &design, all);
        survives_use(&design, &used, &mut random, 1, 200);
    }
}

/// Several chips: with an FTL of their own (`page`, `block`), or not.
#[test]
fn interleaves() {
    for interleave in ["page", "block", "line", "superpage"] {
        for ftl in [
            "ftl.kind=page ftl.spare_blocks=6",
            "ftl.kind=fast ftl.log_blocks=3",
        ] {
            let settings =
                format!("{ftl} flash.channels=2 flash.interleave={interleave} buffer.policy=lru");
            survives_some(&settings, 130, 2, 80);
        }
    }
}

#[test]
fn block() {
    every_buffer("ftl.kind=block");
}

#[test]
fn replacement() {
    every_buffer("ftl.kind=replacement");
}
