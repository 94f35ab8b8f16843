//! Energy by cause, on the small device by hand.
//!
//! Planted bugs that these catch: microjoules taken for joules; a copy without its read; the erase of a line counted for
//! one chip; a superpage that takes the energy of one page; the energy of all loops instead of that of the last.

use crate::common::{Lab, trace};
use serde_json::{Value, json};

const SET: &str = "--set buffer.policy=none --set energy.read_uj=10 --set energy.program_uj=20 --set energy.erase_uj=300";

fn energy(lab: &Lab, more: &str) -> Value {
    let report = lab.json(&format!(
        "run --json --config small.toml {SET} {more} w.csv"
    ));
    report["derived"]["energy_j"].clone()
}

#[track_caller]
fn microjoules(found: &Value, expected: &[(&str, f64)]) {
    for (cause, uj) in expected {
        let joules = found[cause].as_f64().unwrap();
        assert!(
            (joules - uj / 1e6).abs() < 1e-15,
            "{cause}: {joules}, not {uj} µJ"
        );
    }
}

// Four writes fill the log block of page 0; the fifth merges it: four copies and two erases. A read follows.
#[test]
fn a_full_merge_by_hand() {
    let lab = Lab::small();
    let write = "0,W,0,512";
    lab.write(
        "w.csv",
        trace(&[write, write, write, write, write, "0,R,0,512"]),
    );
    let found = energy(&lab, "");
    let merge = 4.0 * 30.0 + 2.0 * 300.0;
    let expected = [
        ("host", 110.0),
        ("padding", 0.0),
        ("merge", merge),
        ("total", 110.0 + merge),
    ];
    microjoules(&found, &expected);
    // times have no effect on it
    assert_eq!(
        energy(
            &lab,
            "--set timing.model=parallel --set timing.program_us=1"
        ),
        found
    );
    // a log block is left over from the first of two loops
    let twice = energy(&lab, "--loops 2");
    microjoules(&twice, &[("host", 110.0)]);
    let figures = lab.ok(&format!(
        "compare w.csv --config small.toml {SET} --buffer none --columns energy,energy_merge --no-html --no-bounds --no-advice"
    ));
    assert!(
        figures.contains("0.000830 J") || figures.contains("0.000830"),
        "{figures}"
    );
}

#[test]
fn all_chips_take_energy() {
    let lab = Lab::small();
    let write = "0,W,0,512";
    lab.write("w.csv", trace(&[write; 5]));
    let chips = "--set flash.chips_per_channel=2 --set flash.capacity=20KiB --set flash.interleave";
    // pages of two chips
    let merge = 2.0 * (4.0 * 30.0 + 2.0 * 300.0);
    let of_superpages = energy(&lab, &format!("{chips}=superpage"));
    microjoules(&of_superpages, &[("host", 200.0), ("merge", merge)]);
    // lines of eight pages, so no merge yet
    microjoules(
        &energy(&lab, &format!("{chips}=line")),
        &[("host", 100.0), ("merge", 0.0)],
    );
    lab.write("w.csv", trace(&[write; 9]));
    let merge = 8.0 * 30.0 + 2.0 * 2.0 * 300.0;
    microjoules(
        &energy(&lab, &format!("{chips}=line")),
        &[("host", 180.0), ("merge", merge)],
    );
}

#[test]
fn energy_needs_all_three() {
    let lab = Lab::small();
    lab.write("w.csv", trace(&["0,W,0,512"]));
    let without = lab.json("run --json --config small.toml w.csv");
    assert_eq!(without["derived"].get("energy_j"), None);
    assert_eq!(without["config"].get("energy"), None);
    let fragments = [
        "--set energy.program_uj = 5",
        "needs energy.read_uj and energy.erase_uj too",
    ];
    lab.refused(
        "run --config small.toml --set energy.program_uj=5 w.csv",
        &fragments,
    );
    let with = energy(&lab, "--set drain=false");
    let expected = json!({ "host": 20e-6, "padding": 0.0, "merge": 0.0, "cleaning": 0.0, "ageing": 0.0, "total": 20e-6 });
    assert_eq!(with, expected);
}
