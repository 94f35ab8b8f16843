//! `calibrate`: tables, JSON and the file of a configuration that `run` takes; the template; refusals.
//!
//! Planted bugs that these catch: a configuration that `run` refuses; a figure of the table from another row; an output
//! that is written although the drive is refused.

use crate::common::{Lab, words, writes};

/// A drive with 2 GiB and 25 % more flash: uniform writes have write amplification 2.68.
const DRIVE: &str = r#"
name = "my drive"
[sheet]
source = "my sheet"
capacity = "2GiB"
erase_unit = "1MiB"
dies = 1
[[measurement]]
name = "random"
workload = "uniform"
before = ["smart-1.json", "ocp-1.json"]
after = ["smart-2.json", "ocp-2.json"]
[[measurement]]
name = "half"
workload = "uniform"
used = 0.5
waf = 1.2
fit = false
"#;

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("drive.toml", DRIVE);
    for (name, scale) in [("1", 1_u64), ("2", 2)] {
        let units = scale * 1_000_000;
        let bytes = scale * 1_372_160_000_000;
        lab.write(
            &format!("smart-{name}.json"),
            format!(
                r#"{{"nvme_smart_health_information_log": {{"data_units_written": {units}}}}}"#
            ),
        );
        lab.write(
            &format!("ocp-{name}.json"),
            format!(r#"{{"physical_media_units_written": {{"hi": 0, "lo": {bytes}}}}}"#),
        );
    }
    lab
}

#[test]
fn a_drive_becomes_a_configuration() {
    let lab = lab();
    let printed = lab.ok("calibrate drive.toml --output my-ssd.toml");
    assert!(
        printed.starts_with("my drive: 2.50 GiB of flash hold data or wait to be cleaned, 25.0 % more than the capacity"),
        "{printed}"
    );
    let row = |name: &str| {
        let line = printed
            .lines()
            .find(|line| line.trim_start().starts_with(name));
        words(line.unwrap_or_else(|| panic!("{name}\n{printed}"))).to_vec()
    };
    assert_eq!(row("random")[1..4], ["fitted", "closed", "form"]);
    assert!(row("random").contains(&"2.6800"), "{printed}");
    assert_eq!(row("half")[1], "predicted");
    let json = lab.json("calibrate drive.toml --json");
    assert_eq!(json["measurements"][0]["role"], "fitted");
    assert_eq!(json["measurements"][1]["role"], "predicted");
    let configuration = lab.ok("calibrate drive.toml --configuration");
    assert_eq!(configuration, lab.read("my-ssd.toml"));
    assert_eq!(
        configuration,
        json["configuration"].as_str().expect("a text")
    );
    lab.write("t.csv", writes(&[0, 1, 2]));
    let run = lab.json("run t.csv --config my-ssd.toml --json");
    assert_eq!(run["config"]["ftl"]["pace"], "paced");
    // 2,184 lines of five units of 48 pages
    assert_eq!(run["config"]["flash"]["capacity"], 2_146_959_360_u64);
}

#[test]
fn the_template_is_a_drive() {
    let lab = Lab::new();
    lab.write("drive.toml", lab.ok("calibrate --template"));
    assert!(
        lab.ok("calibrate drive.toml")
            .contains("no measurement confirms it")
    );
}

#[test]
fn what_is_wrong_is_refused() {
    let lab = lab();
    lab.refused("calibrate", &["DRIVE"]);
    lab.refused("calibrate none.toml", &["none.toml: cannot be read"]);
    lab.refused(
        "calibrate drive.toml --output drive.toml",
        &["--output drive.toml", "the drive drive.toml"],
    );
    lab.refused("calibrate drive.toml --template", &["--template"]);
    lab.write("drive.toml", DRIVE.replace("uniform", "unifrm"));
    lab.refused(
        "calibrate drive.toml --output my-ssd.toml",
        &["drive.toml, line 10: workload = \"unifrm\""],
    );
    lab.write("drive.toml", DRIVE.replace("[\"smart-1", "[\"smart-2"));
    lab.refused(
        "calibrate drive.toml --json",
        &["smart-2.json: data_units_written: stays at 2000000"],
    );
}
