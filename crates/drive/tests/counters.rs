//! The counters of a drive are those of the simulator.

use fastrand::Rng;
use ssdlab_drive::{Drive, MemoryDisk};
use ssdlab_host::{Op, Request as Sent};
use ssdlab_systems::Systems;

use crate::model::{Request, SECTOR, requests};
use crate::setup::{contract, design, image};

#[test]
fn are_those_of_the_simulator() {
    for ftl in ["page", "bast", "fast", "superblock", "block", "replacement"] {
        for buffer in ["none", "lru", "bplru", "three-region", "fab"] {
            for more in ["precondition=full", "precondition=empty partial_writes=rmw"] {
                let settings = format!("ftl.kind={ftl} buffer.policy={buffer} {more}");
                let design = design(&settings);
                let mut drive = Drive::open_disk(MemoryDisk(image(&design))).unwrap();
                let mut simulated = Systems::default().device(design.config()).unwrap();
                let mut contract = contract(&design);
                for request in requests(&mut Rng::with_seed(3), contract.sectors(), 400) {
                    contract.begin(request);
                    contract.send(&mut drive, request);
                    let (op, sector, sectors) = match request {
                        Request::Write { sector, sectors } => (Op::Write, sector, sectors),
                        Request::Trim { sector, sectors } => (Op::Discard, sector, sectors),
                        Request::Flush => (Op::Flush, 0, 0),
                    };
                    let sent = Sent::new(0, op, sector * SECTOR, sectors * SECTOR).unwrap();
                    simulated.submit(&sent).unwrap();
                }
                drive.drain().unwrap();
                simulated.finish().unwrap();
                assert_eq!(drive.counters(), simulated.counters(), "{settings}");
                assert!(drive.counters().erases > 0 || ftl == "page", "{settings}");
            }
        }
    }
}
