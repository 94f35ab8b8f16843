//! The times of requests are those of the simulator under timed replay.
//!
//! Planted bugs that these catch: a clock that does not hear of reads, merges or pages of the buffer; one that counts
//! what a mount does as part of a request; a time stamp that the device was not given.

use std::thread::sleep;
use std::time::Duration;

use fastrand::Rng;
use ssdlab_config::Resolver;
use ssdlab_disks::{Host, SECTOR};
use ssdlab_drive::{Design, Drive, DriveError, MemoryDisk};
use ssdlab_host::{Op, Request as Sent};
use ssdlab_simulators::{SimDevice, Systems};

use crate::setup::{at, design, image};

/// The simulator with the drive's device under timed replay.
fn simulator(design: &Design) -> SimDevice {
    let mut resolver = Resolver::new();
    let text = design.config().to_toml();
    resolver.file("configuration", text.as_bytes()).unwrap();
    resolver.set("replay=timed").unwrap();
    Systems::with(&())
        .device(&resolver.resolve().unwrap())
        .unwrap()
}

/// Requests of a host take as long on the drive with these settings as on the simulated device.
fn follows(settings: &str) {
    let design = design(settings);
    let timed = Design::new(design.config().clone()).unwrap().timed();
    let disk = MemoryDisk(image(&design));
    let mut drive = Drive::open_made_with(disk, timed.unwrap().into()).unwrap();
    let SimDevice::Parallel(mut simulated, _) = simulator(&design) else {
        panic!("the serial model");
    };
    let mut host = Host::new(&design);
    let mut into = vec![0; 3 * SECTOR];
    let mut random = Rng::with_seed(5);
    let mut busy = 0;
    for request in host.requests(&mut Rng::with_seed(3), 150) {
        let read = random.u64(..host.sectors() - 3) * SECTOR as u64;
        drive.read(read, &mut into).unwrap();
        let sent = Sent::new(drive.time_ns(), Op::Read, read, into.len() as u64).unwrap();
        simulated.submit(&sent, &mut ssdlab_device::NoData).unwrap();
        let completion = simulated.completion().unwrap();
        let latency = completion.completed_ns - completion.issued_ns;
        assert_eq!(drive.latency_ns(), Some(latency), "{settings}");

        host.begin(request);
        host.send(&mut drive, request).unwrap();
        let sent = at(request, drive.time_ns());
        simulated.submit(&sent, &mut ssdlab_device::NoData).unwrap();
        let completion = simulated.completion().unwrap();
        let latency = completion.completed_ns - completion.issued_ns;
        assert_eq!(drive.latency_ns(), Some(latency), "{settings}: {request:?}");
        busy += u64::from(latency > 1_000_000);
        if busy % 8 == 7 {
            sleep(Duration::from_millis(1));
        }
    }
    assert!(busy > 20, "{settings}: the device was never busy");
    assert_eq!(drive.counters(), simulated.counters(), "{settings}");
}

#[test]
fn are_those_of_the_simulator() {
    let in_gaps = "page ftl.pace=paced ftl.idle_cleaning_us=100 replay=timed";
    for ftl in ["page", in_gaps, "bast", "fast"] {
        for buffer in ["none", "lru", "bplru"] {
            follows(&format!(
                "ftl.kind={ftl} buffer.policy={buffer} timing.model=parallel flash.chips_per_channel=2 \
                 flash.interleave=page precondition=full"
            ));
        }
    }
}

/// A drive of today, all of whose clocks have values of their own.
const TODAY: &str = "timing.model=drive timing.program_pages=2 timing.sense_pages=2 timing.reads_at_once=2 \
                     timing.program_us=3000 timing.read_us=70 timing.suspend_us=40 timing.suspend_window_us=300 \
                     timing.command_us=10 timing.dispatch_us=20 timing.read_host_us=5 timing.write_host_us=9 \
                     timing.spare_slots=9 ftl.kind=page ftl.pace=paced buffer.policy=lru flash.chips_per_channel=2 \
                     flash.interleave=line precondition=full";

// planted bug: a drive that is opened with clocks of one chip, or with those of the parallel model
#[test]
fn of_drives_of_today_too() {
    follows(TODAY);
    follows(&TODAY.replace("=lru", "=bplru buffer.padding=mapped"));
}

// planted bugs: a key that the image does not keep; the clocks of the preset that it was made from
#[test]
fn an_image_keeps_the_clocks_that_it_was_made_with() {
    let small = "preset=nvme-tlc flash.channels=1 flash.chips_per_channel=2 flash.capacity=64KiB ftl.spare_blocks=8 \
                 timing.read_us=71";
    for settings in [TODAY.to_owned(), format!("{TODAY} {small}")] {
        let design = design(&settings);
        let drive = Drive::open_disk(MemoryDisk(image(&design))).unwrap();
        assert_eq!(drive.config().timing, design.config().timing);
        // as it was asked for
        let mut resolver = Resolver::new();
        for setting in settings.split_whitespace() {
            resolver.set(setting).unwrap();
        }
        resolver.set("flash.page_size=1KiB").unwrap();
        resolver.set("flash.pages_per_block=4").unwrap();
        let asked = resolver.set("flash.capacity=64KiB").unwrap().resolve();
        assert_eq!(drive.config().timing, asked.unwrap().timing);
    }
}

#[test]
fn serial_timing_has_none() {
    let design = design("ftl.kind=page");
    let config = design.config().clone();
    let timed = Design::new(config).unwrap().timed();
    assert!(matches!(
        timed.err(),
        Some(DriveError::Impossible {
            key: "timing.model",
            ..
        })
    ));
}
