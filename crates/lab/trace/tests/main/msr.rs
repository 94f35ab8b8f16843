//! The CSV of the MSR Cambridge traces.
//!
//! Planted bug this catches: a disk number that is not part of the volume.

use crate::common::{read, refuse, skipped, written};
use ssdlab_trace::ReadOptions;

const START: u64 = 128_166_372_003_061_629;

fn options() -> ReadOptions {
    ReadOptions::default()
}

fn volume(name: &str) -> ReadOptions {
    ReadOptions {
        volume: Some(name.into()),
        ..options()
    }
}

/// The published traces are not perfectly sorted.
#[test]
fn times_before_the_first_become_0() {
    let line = |ticks: i64| format!("{},usr,0,Read,0,1,0\n", START.strict_add_signed(ticks));
    let text: String = [5, 4, 6, 3].map(line).concat();
    let decoded = read(text, &options()).unwrap();
    assert_eq!(
        written(&decoded.requests),
        ["0 R 0 1", "0 R 0 1", "100 R 0 1", "0 R 0 1"]
    );
    assert_eq!(decoded.summary.backwards, 2);
}

#[test]
fn several_volumes() {
    let volumes = ["usr,0", "usr,1", "src1.x,0", "usr,0"];
    let line = |volume| format!("{START},{volume},Read,4096,1,0\n");
    let text: String = volumes.map(line).concat();
    let both = ["a second volume", "\"usr.1\"", "\"usr.0\"", "--volume"];
    refuse(text.as_str(), &options(), "t, line 2: ", &both);
    for (name, lines) in [("usr.0", &[1, 4][..]), ("usr.1", &[2]), ("src1.x.0", &[3])] {
        let decoded = read(text.as_str(), &volume(name)).unwrap();
        assert_eq!(decoded.lines, lines);
        assert_eq!(skipped(&decoded, "other volumes"), 4 - lines.len() as u64);
    }
    let none =
        "t: no request of volume \"hm.0\"; the trace has \"usr.0\", \"usr.1\", \"src1.x.0\";";
    refuse(text.as_str(), &volume("hm.0"), none, &[]);
    for name in ["usr", "8,0", ".0", "usr.", "usr.x"] {
        let place = format!("t: --volume {name}: ");
        refuse(text.as_str(), &volume(name), &place, &["usr.0"]);
    }
}
