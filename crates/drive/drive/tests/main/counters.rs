//! The counters of a drive are those of the simulator.

use fastrand::Rng;
use ssdlab_disks::Host;
use ssdlab_drive::{Drive, MemoryDisk};
use ssdlab_host::{Op, Request as Sent};
use ssdlab_simulators::Systems;

use crate::setup::{at, design, image};

#[test]
fn are_those_of_the_simulator() {
    let maps = ["dftl", "tpftl", "pages", "leaftl"].map(|map| {
        format!("page ftl.map={map} ftl.map_cache=1KiB ftl.map_entry=64 ftl.map_sync=50 ftl.spare_blocks=6")
    });
    let ftls = ["page", "bast", "fast", "superblock", "block", "replacement"];
    for ftl in ftls.into_iter().chain(maps.iter().map(String::as_str)) {
        for buffer in ["none", "lru", "bplru", "three-region", "fab"] {
            for more in ["precondition=full", "precondition=empty partial_writes=rmw"] {
                let settings = format!("ftl.kind={ftl} buffer.policy={buffer} {more}");
                let design = design(&settings);
                let mut drive = Drive::open_disk(MemoryDisk(image(&design))).unwrap();
                let mut simulated = Systems::with(&()).device(design.config()).unwrap();
                let mut host = Host::new(&design);
                for request in host.requests(&mut Rng::with_seed(3), 400) {
                    host.begin(request);
                    host.send(&mut drive, request).unwrap();
                    simulated.submit(&at(request, 0)).unwrap();
                }
                drive.drain().unwrap();
                simulated.finish().unwrap();
                assert_eq!(drive.counters(), simulated.counters(), "{settings}");
                assert!(drive.counters().erases > 0 || ftl == "page", "{settings}");
                let has_map = drive.counters().table_programs > 0;
                assert_eq!(has_map, ftl.contains("map"), "{settings}");
                drive
                    .check()
                    .unwrap_or_else(|what| panic!("{what}, {settings}"));
            }
        }
    }
}

/// With RAM that survives, a long write is several requests, both for the drive and for a recorder of its parts.
///
/// Planted bug: the parts are those of another size.
#[test]
fn a_long_write_counts_as_its_parts() {
    let settings = "flash.capacity=4MiB ftl.kind=page buffer.policy=bplru buffer.protected=true";
    let design = design(settings);
    let mut drive = Drive::open_disk(MemoryDisk(image(&design))).unwrap();
    let mut simulated = Systems::with(&()).device(design.config()).unwrap();
    let bytes = vec![5; 1 << 20];
    let mut random = Rng::with_seed(1);
    let mut most = 0;
    for _ in 0..40 {
        let offset = random.u64(..3 << 20);
        let parts: Vec<_> = drive.parts(offset, &bytes).collect();
        most = most.max(parts.len());
        let all = parts.iter().flat_map(|(_, part)| part.iter());
        assert_eq!(all.count(), bytes.len());
        for (offset, part) in parts {
            let sent = Sent::new(0, Op::Write, offset, part.len() as u64).unwrap();
            simulated.submit(&sent).unwrap();
        }
        drive.write(offset, &bytes).unwrap();
    }
    assert!(most > 2, "{most}");
    let simulated = simulated.counters();
    assert_eq!(drive.counters(), simulated);
    assert!(simulated.host_writes >= 40 * most as u64 - 40);
}
