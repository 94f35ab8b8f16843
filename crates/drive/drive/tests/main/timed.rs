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

#[test]
fn are_those_of_the_simulator() {
    let in_gaps = "page ftl.pace=paced ftl.idle_cleaning_us=100 replay=timed";
    for ftl in ["page", in_gaps, "bast", "fast"] {
        for buffer in ["none", "lru", "bplru"] {
            let settings = format!(
                "ftl.kind={ftl} buffer.policy={buffer} timing.model=parallel flash.chips_per_channel=2 \
                 flash.interleave=page precondition=full"
            );
            let design = design(&settings);
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
