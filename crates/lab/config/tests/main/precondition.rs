//! `precondition`, as text and as a number.

use ssdlab_config::Resolver;
use ssdlab_device::{Ageing, Precondition};

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
}
