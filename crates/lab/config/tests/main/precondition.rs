//! `precondition`, as text and as a number.

use ssdlab_config::Resolver;
use ssdlab_device::{Ageing, Precondition, Resampling};

fn precondition(settings: &[&str]) -> (Precondition, Vec<String>) {
    let mut resolver = Resolver::new();
    for setting in settings {
        resolver.set(setting).expect("a setting");
    }
    let config = resolver.resolve().expect("a device");
    (config.precondition, config.warnings)
}

// planted bugs: a share given as a number refused; a share of all pages that is not full; blanks refused; a size without
// overwrites that is no warning
#[test]
fn preconditions_are_read() {
    let aged = |filled, overwrites, size| {
        Precondition::Aged(Ageing {
            filled,
            overwrites,
            size,
            workload: None,
        })
    };
    let by_workload = |filled, [segment, seed]: [u64; 2], limit, unseen| {
        Precondition::Aged(Ageing {
            filled,
            overwrites: 0.0,
            size: 0,
            workload: Some(Resampling {
                segment,
                limit,
                seed,
                unseen,
            }),
        })
    };
    for (text, expected) in [
        ("full", Precondition::Full),
        ("empty", Precondition::Empty),
        ("1", Precondition::Full),
        ("0.6", aged(0.6, 0.0, 0)),
        ("random:2", aged(1.0, 2.0, 0)),
        ("full,random:2", aged(1.0, 2.0, 0)),
        ("0.25,random:0.5", aged(0.25, 0.5, 0)),
        ("0.25, random: 3", aged(0.25, 3.0, 0)),
        ("workload", by_workload(1.0, [0, 1], 20.0, None)),
        ("0.8, workload", by_workload(0.8, [0, 1], 20.0, None)),
    ] {
        let set = format!("precondition={text}");
        assert_eq!(precondition(&[&set]), (expected, Vec::new()), "{text}");
    }
    let size = "precondition_size=64K";
    let sized = precondition(&["precondition=random:2", size]);
    assert_eq!(sized, (aged(1.0, 2.0, 65536), Vec::new()));
    let (_, warnings) = precondition(&["precondition=0.6", size]);
    assert_eq!(
        warnings,
        ["precondition_size has no effect with precondition \"0.6\""]
    );
    let how = [
        "precondition_segment=99",
        "precondition_limit=5.5",
        "precondition_seed=7",
        "precondition_unseen=0.25",
    ];
    let all = [&["precondition=workload"], &how[..]].concat();
    assert_eq!(
        precondition(&all),
        (by_workload(1.0, [99, 7], 5.5, Some(0.25)), Vec::new())
    );
    let (_, warnings) = precondition(&how);
    assert_eq!(warnings.len(), 4, "{warnings:?}");
}
