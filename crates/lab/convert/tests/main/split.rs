//! All volumes of a trace in one pass.
//!
//! Planted bugs that these catch: chunks of a volume in another order; the requests in memory before those in the file; a
//! request that is cut in a chunk; a volume without requests that gets a file.

use ssdlab_convert::{Convert, ConvertError, Select, Target};
use ssdlab_host::Op;
use ssdlab_trace::ReadOptions;

use crate::common::{all_volumes, file, lines, read};

/// A trace of MSR with many volumes.
fn trace(requests: u64, volumes: u64) -> String {
    let line = |at: u64| {
        let (time, volume) = (128166372003061629 + at, at * at % volumes);
        let kind = if at.is_multiple_of(3) {
            "Read"
        } else {
            "Write"
        };
        format!("{time},v,{volume},{kind},{},{},0\n", at * 4096, 512 + at)
    };
    (0..requests).map(line).collect()
}

#[test]
fn each_volume_is_as_if_chosen() {
    let text = trace(3000, 101);
    let file = file(&text);
    let how = Convert::default();
    for most in [7, 1000, 1 << 20] {
        let spool = tempfile::tempfile().unwrap();
        let mut split = how
            .split(file.path(), &all_volumes(), Target::PLAIN, spool, most)
            .unwrap();
        let volumes = split.volumes();
        // 0 and the squares modulo 101
        assert_eq!(volumes.len(), 51);
        for (number, name) in &volumes {
            let read_one = ReadOptions {
                volume: Some(name.clone()),
                ..ReadOptions::default()
            };
            let (expected, _) = how
                .run(file.path(), &read_one, Target::PLAIN, Vec::new())
                .unwrap();
            let found = read(split.write(*number, Vec::new()).unwrap());
            let mut expected = read(expected);
            // times begin at the first request of the whole trace
            let first = found[0].time_ns;
            for request in &mut expected {
                request.time_ns += first;
            }
            assert_eq!(found, expected, "{name}, {most} in memory");
        }
        assert_eq!(split.converted().requests, 3000);
    }
}

/// The format counts sectors; the second volume has a request that ends inside one.
#[test]
fn what_a_format_cannot_say_is_found_before_a_volume_is_written() {
    let file = file(&trace(2, 2));
    let spool = tempfile::tempfile().unwrap();
    let target = Target::named("mqsim").unwrap();
    let how = Convert::default();
    let split = how.split(file.path(), &all_volumes(), target, spool, 10);
    let Err(ConvertError::Refused(why)) = split else {
        panic!("it is refused");
    };
    assert!(
        why.contains(", line 2: ") && why.contains("--whole-sectors"),
        "{why}"
    );
}

#[test]
fn volumes_without_requests_have_no_file() {
    let file = file(&trace(4, 2));
    let how = Convert {
        select: Select {
            only: Some(vec![Op::Read]),
            until_ns: Some(100),
            ..Select::default()
        },
        ..Convert::default()
    };
    let spool = tempfile::tempfile().unwrap();
    let split = how.split(file.path(), &all_volumes(), Target::PLAIN, spool, 10);
    assert_eq!(split.unwrap().volumes(), [(0, "v.0".to_owned())]);
}

#[test]
fn a_trace_without_volumes_is_refused() {
    let file = file(&lines(&["0,W,0,512"]));
    let spool = tempfile::tempfile().unwrap();
    let split = Convert::default().split(file.path(), &all_volumes(), Target::PLAIN, spool, 10);
    let Err(ConvertError::Refused(why)) = split else {
        panic!("it is split");
    };
    assert!(why.contains("the format plain has no volumes"), "{why}");
}
