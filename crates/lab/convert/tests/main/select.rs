//! The requests that are chosen.
//!
//! Planted bugs that these catch: a time that is the first one behind the end; times that do not begin at 0 again; a
//! request that is left out because it reaches beyond the range; a flush without a place that is left out.

use ssdlab_convert::{Convert, Select};
use ssdlab_host::Op;

use crate::common::{convert, converted_lines, lines};

fn how(select: Select) -> Convert {
    Convert {
        select,
        ..Convert::default()
    }
}

#[test]
fn kinds() {
    let of = lines(&["0,W,0,512", "1,R,0,512", "2,F,0,0", "3,D,0,512"]);
    let how = how(Select {
        only: Some(vec![Op::Write, Op::Discard]),
        ..Select::default()
    });
    assert_eq!(converted_lines(&of, &how), ["0,W,0,512", "3,D,0,512"]);
    let (_, converted) = convert(&of, &how, "plain");
    assert_eq!((converted.trace.requests, converted.requests), (4, 2));
    assert_eq!(converted.notes.left_out["other operations (--only)"], 2);
}

#[test]
fn times() {
    let of = lines(&["0,W,0,512", "10,R,0,512", "19,F,0,0", "20,D,0,512"]);
    let how = how(Select {
        from_ns: 10,
        until_ns: Some(20),
        ..Select::default()
    });
    assert_eq!(converted_lines(&of, &how), ["0,R,0,512", "9,F,0,0"]);
    let left_out = convert(&of, &how, "plain").1.notes.left_out;
    assert_eq!(left_out["other times (--from, --until)"], 2);
}

/// Those of plain text may begin anywhere.
#[test]
fn times_begin_at_the_first_request() {
    let of = lines(&["9,W,0,512", "12,R,0,512", "5,F,0,0"]);
    let expected = ["0,W,0,512", "3,R,0,512", "0,F,0,0"];
    assert_eq!(converted_lines(&of, &Convert::default()), expected);
}

#[test]
fn addresses() {
    let of = lines(&[
        "0,W,0,1000",
        "1,W,999,2",
        "2,R,0,5000",
        "3,F,0,0",
        "4,D,2000,10",
        "5,W,1500,100",
    ]);
    let how = how(Select {
        range: Some((1000, 2000)),
        ..Select::default()
    });
    let expected = ["1,W,1000,1", "2,R,1000,1000", "3,F,0,0", "5,W,1500,100"];
    assert_eq!(converted_lines(&of, &how), expected);
    let notes = convert(&of, &how, "plain").1.notes;
    assert_eq!(notes.left_out["other addresses (--range)"], 2);
    assert_eq!(notes.changed["cut at the ends of --range"], 2);
}

#[test]
fn a_trace_without_changes_has_no_notes() {
    let of = lines(&["0,W,0,512", "9,W,0,512", "5,R,0,512"]);
    let (bytes, converted) = convert(&of, &Convert::default(), "plain");
    assert_eq!(String::from_utf8(bytes).unwrap(), of);
    assert_eq!(converted.notes, Default::default());
}
