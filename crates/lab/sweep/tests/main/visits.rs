use std::fs;

use ssdlab_sweep::Visits;

use super::Place;

/// The visits of a trace of writes of 4 KiB to these groups of 256 KiB.
fn visits(groups: impl IntoIterator<Item = u64>) -> Visits {
    let place = Place::new();
    let lines = groups.into_iter().enumerate();
    let lines = lines.map(|(at, group)| format!("{at},W,{},4096\n", group * (256 << 10)));
    let text = "time_ns,op,offset_bytes,size_bytes\n".to_owned() + &lines.collect::<String>();
    fs::write(place.path().join("t.csv"), text).unwrap();
    let sweep = place.sweep("traces = [\"t.csv\"]\n");
    sweep.facts[0].visits.clone()
}

// planted bugs: a row of writes to one group that counts twice; a distance that counts requests; a first visit that is near
#[test]
fn visits_by_hand() {
    // four groups in turn, each written twice
    let found = visits((0..40).flat_map(|at| [at % 4; 2]));
    assert_eq!(found.all(), 40);
    assert_eq!(found.first, 4);
    // 4 visits since the last one
    assert_eq!(found.by_distance[2], 36);
    assert_eq!(found.beyond(1.0), 40.0);
    assert_eq!(found.beyond(4.0), 40.0);
    assert_eq!(found.beyond(8.0), 4.0);
    assert_eq!(found.beyond(1e9), 4.0);
    let one = visits([7; 100]);
    assert_eq!((one.all(), one.first), (1, 1));
    assert_eq!(visits([]).all(), 0);
}
