//! Addresses that are moved to a smaller device.
//!
//! Planted bugs that these catch: the last group of a request is not touched; groups in another order; a discard that
//! touches its groups; groups of one volume packed for another; a request over the end that is not cut; a trace that
//! changes between its passes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use ssdlab_convert::{Convert, Fit, Select, Target};
use ssdlab_host::{Op, Request};
use ssdlab_trace::{ReadOptions, Watch};

use crate::common::{convert, converted_lines, file, lines, plain_text, read, refused, small};

fn fit(fit: Fit) -> Convert {
    Convert {
        fit: Some(fit),
        ..Convert::default()
    }
}

fn packed(size: u64, group: u64) -> Convert {
    fit(Fit::Packed { size, group })
}

#[test]
fn groups_are_packed_in_order() {
    let of = lines(&[
        "0,W,1000000,100",
        "1,R,2047,2",
        "2,F,0,0",
        "3,D,0,2000000",
        "4,W,3071,1",
    ]);
    // groups 1 and 2, and 976 of 1024 bytes
    let expected = [
        format!("0,W,{},100", 2048 + 1_000_000 % 1024),
        "1,R,1023,2".into(),
        "2,F,0,0".into(),
        "3,D,0,3072".into(),
        "4,W,2047,1".into(),
    ];
    assert_eq!(converted_lines(&of, &packed(3072, 1024)), expected);
    let why = refused(&of, &packed(3071, 1024), "plain");
    for part in ["touch 3 groups of 1 KiB", "need 3 KiB", "--wrap"] {
        assert!(why.contains(part), "{why}");
    }
    // what is not chosen needs no place
    let how = Convert {
        select: Select {
            range: Some((0, 4096)),
            ..Select::default()
        },
        ..packed(2048, 1024)
    };
    let lines = converted_lines(&of, &how);
    assert_eq!(lines[2], "3,D,0,2048");
}

#[test]
fn each_volume_is_packed_for_itself() {
    let of = "\
128166372003061629,usr,0,Read,1048576,512,1
128166372003061630,src,1,Write,4096,512,1
128166372003061631,usr,0,Write,0,512,1
";
    let (bytes, _) = convert(of, &packed(1024, 512), "mqsim");
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text, "0 0 1 1 1\n100 1 0 1 0\n200 0 0 1 0\n");
    let why = refused(of, &packed(512, 512), "mqsim");
    assert!(why.contains("of volume usr.0"), "{why}");
}

#[test]
fn wrapped() {
    let how = fit(Fit::Wrapped { size: 1000 });
    let of = lines(&["0,W,2900,200", "1,R,1000,1000", "2,F,0,0", "3,D,500,9000"]);
    let expected = [
        "0,W,900,100",
        "0,W,0,100",
        "1,R,0,1000",
        "2,F,0,0",
        "3,D,500,500",
        "3,D,0,500",
    ];
    assert_eq!(converted_lines(&of, &how), expected);
    let why = refused(&lines(&["0,R,0,1", "1,W,0,1001"]), &how, "plain");
    assert!(why.contains(", line 3: a request of 1001 bytes"), "{why}");
}

#[test]
fn a_trace_that_changes_between_its_passes() {
    let file = file(&lines(&["0,W,0,512"]));
    let path = file.path().to_owned();
    let passes = AtomicU64::new(0);
    let watch = Watch::new(move |passed| {
        if passed.begins && passes.fetch_add(1, Ordering::Relaxed) == 1 {
            std::fs::write(&path, lines(&["0,W,0,512", "1,W,0,512"])).unwrap();
        }
    });
    let read = ReadOptions {
        watch,
        ..ReadOptions::default()
    };
    let how = packed(1 << 20, 1 << 10);
    let converted = how.run(file.path(), &read, Target::PLAIN, Vec::new());
    let why = converted.map(drop).unwrap_err().to_string();
    assert!(why.contains("changed while it was in use"), "{why}");
}

/// Packed addresses by a model: the groups in a sorted set.
fn model(requests: &[Request], group: u64) -> Vec<(u64, Op, Vec<u64>)> {
    let data = |request: &&Request| matches!(request.op(), Op::Read | Op::Write);
    let touched = requests.iter().filter(data);
    let touched: BTreeSet<u64> = touched
        .flat_map(|request| (request.offset..request.end()).map(|byte| byte / group))
        .collect();
    let numbers: BTreeMap<u64, u64> = touched.into_iter().zip(0..).collect();
    let place = |byte: u64| Some(numbers.get(&(byte / group))? * group + byte % group);
    let moved = |request: &Request| {
        let bytes = (request.offset..request.end()).filter_map(place);
        (request.time_ns, request.op(), bytes.collect())
    };
    requests.iter().map(moved).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn every_byte_is_where_the_model_has_it(mut requests in small(1), group in 1..300_u64) {
        // the parts of a request are told apart by its time
        for (time, request) in requests.iter_mut().enumerate() {
            request.time_ns = time as u64;
        }
        let how = packed(1 << 20, group);
        let found = read(convert(&plain_text(&requests, false), &how, "plain").0);
        for (time, op, bytes) in model(&requests, group) {
            let parts = found.iter().filter(|part| part.time_ns == time);
            let parts: Vec<_> = parts.collect();
            prop_assert!(parts.iter().all(|part| part.op() == op));
            let found: Vec<u64> = parts.iter().flat_map(|part| part.offset..part.end()).collect();
            prop_assert_eq!(found, bytes);
            // only a discard is ever cut
            prop_assert!(op == Op::Discard || parts.len() == 1);
        }
    }
}
