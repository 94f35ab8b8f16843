//! The logs of tools: the fields and units of each, and counters that cannot be used.
//!
//! Planted bugs that these catch: data units of 512 bytes; the high half of a counter that is left out; page counts taken
//! for bytes; a counter of the log before taken for that after; growth that wraps around.

use crate::common::{near, of, uniform};

const SMART: &str = r#"{"nvme_smart_health_information_log": {"data_units_written": UNITS}}"#;

/// The drive of a measurement between logs, and these logs.
fn measured(before: &[String], after: &[String]) -> Result<(f64, [f64; 2]), String> {
    let mut files = Vec::new();
    let mut names = [Vec::new(), Vec::new()];
    for (when, logs) in [before, after].into_iter().enumerate() {
        for (number, text) in logs.iter().enumerate() {
            let name = format!("{}-{number}.json", ["before", "after"][when]);
            names[when].push(name.clone());
            files.push((name, text.clone()));
        }
    }
    let [before, after] = names;
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (&name[..], &text[..]))
        .collect();
    let drive = uniform(&format!("before = {before:?}\nafter = {after:?}\n"));
    of(&drive, &files).map(|found| (found.measurements[0].measured, found.measurements[0].range))
}

fn smart(units: u64) -> String {
    SMART.replace("UNITS", &units.to_string())
}

#[test]
fn each_log_has_its_fields_and_units() {
    // the host wrote 512 GB, the drive 1024 GB
    let host = |scale: u64| smart(5 + scale * 1_000_000);
    let nvme = |scale: u64| format!(r#"{{"data_units_written": "{}"}}"#, 5 + scale * 1_000_000);
    let ocp_1 = |scale: u64| {
        format!(
            r#"{{"Physical media units written": {{"hi": 0, "lo": {}}}}}"#,
            7 + scale * 1_024_000_000_000
        )
    };
    let ocp_2 = |scale: u64| {
        // the first reading is below 2^64, the second one above
        let bytes =
            u128::from(u64::MAX) - 1_500_000_000_000 + u128::from(scale) * 1_024_000_000_000;
        format!(
            r#"{{"physical_media_units_written": {{"hi": {}, "lo": {}}}}}"#,
            bytes >> 64,
            bytes as u64
        )
    };
    let fdp = |scale: u64| {
        format!(
            r#"{{"hbmw": {}, "mbmw": {}, "mbe": 3}}"#,
            scale * 512_000_000_000,
            scale * 1_024_000_000_000
        )
    };
    let solidigm = |scale: u64| {
        format!(
            r#"{{"Solidigm SMART log": "nvme0", "Device stats": {{"nand_bytes_written": {{"normalized": 100, "raw": {}}},
               "host_bytes_written": {{"normalized": 100, "raw": {}}}}}}}"#,
            scale * 30_518,
            scale * 15_259
        )
    };
    let attributes = |list: &[(&str, u64)]| {
        let attribute = |(name, value): &(&str, u64)| {
            format!(
                r#"{{"id": 1, "name": "{name}", "raw": {{"value": {value}, "string": "{value}"}}}}"#
            )
        };
        let list: Vec<String> = list.iter().map(attribute).collect();
        format!(
            r#"{{"ata_smart_attributes": {{"table": [{}]}}}}"#,
            list.join(",")
        )
    };
    let sata = |scale: u64| {
        attributes(&[
            ("Total_LBAs_Written", scale * 1_000_000_000),
            ("NAND_Writes_1GiB", scale * 954),
            ("Power_On_Hours", 3),
        ])
    };
    let pages = |scale: u64| {
        attributes(&[
            ("Total_LBAs_Written", scale * 1_000_000_000),
            ("Host_Program_Page_Count", scale * 40_000),
            ("FTL_Program_Page_Count", scale * 40_000),
        ])
    };
    type Log<'a> = &'a dyn Fn(u64) -> String;
    let cases: [(&str, &[Log]); 7] = [
        ("smartctl and ocp 1", &[&host, &ocp_1]),
        ("smartctl and ocp 2", &[&host, &ocp_2]),
        ("nvme-cli and ocp 2", &[&nvme, &ocp_2]),
        ("fdp", &[&fdp]),
        ("solidigm", &[&solidigm]),
        ("sata", &[&sata]),
        ("sata by pages", &[&pages]),
    ];
    for (name, logs) in cases {
        let at = |scale: u64| -> Vec<String> { logs.iter().map(|log| log(scale)).collect() };
        let (waf, _) = measured(&at(1), &at(2)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!((waf - 2.0).abs() < 2e-3, "{name}: {waf}");
    }
}

// planted bug: steps that are left out of the range
#[test]
fn the_range_is_that_of_the_steps() {
    let ocp = |lo: u64| format!(r#"{{"physical_media_units_written": {{"hi": 0, "lo": {lo}}}}}"#);
    let (waf, [least, most]) =
        measured(&[smart(0), ocp(0)], &[smart(100), ocp(102_400_000)]).expect("valid");
    near(waf, 2.0, 1e-9);
    near(least, 2.0 / 1.01, 1e-6);
    near(most, 2.0 / 0.99, 1e-6);
    let nand = |raw: u64| {
        let name = "Solidigm SMART log";
        format!(
            r#"{{"{name}": "nvme0", "Device stats": {{"nand_bytes_written": {{"raw": {raw}}}}}}}"#
        )
    };
    let (waf, [least, most]) =
        measured(&[smart(0), nand(0)], &[smart(1_000_000), nand(30_000)]).expect("valid");
    near(least, waf * (1.0 - 1.0 / 30_000.0), 2e-6);
    near(most, waf * (1.0 + 1.0 / 30_000.0), 2e-6);
}

#[test]
fn logs_that_tell_nothing_are_refused() {
    let ocp = |lo: &str| format!(r#"{{"physical_media_units_written": {{"hi": 0, "lo": {lo}}}}}"#);
    let both = |units: u64, lo: u64| [smart(units), ocp(&lo.to_string())];
    let good = both(1000, 1_024_000_000);
    let one = |text: &str| [text.to_owned()];
    let cases: &[(&[String], &[String], &[&str])] = &[
        (
            &both(1001, 0),
            &good,
            &[
                "after-0.json: nvme_smart_health_information_log.data_units_written: goes back from 1001 to 1000",
                "before-0.json",
                "swapped",
            ],
        ),
        (
            &both(1000, 0),
            &good,
            &["data_units_written: stays at 1000"],
        ),
        (
            &both(0, 2_000_000_000),
            &good,
            &["after-1.json: physical_media_units_written: goes back"],
        ),
        (
            &one(&smart(1)),
            &one(&smart(1000)),
            &[
                "before-0.json: has no counter of bytes written to flash",
                "nvme ocp smart-add-log",
            ],
        ),
        (
            &both(0, 0),
            &one(&smart(1000)),
            &["after-0.json: has no counter of bytes written to flash"],
        ),
        (
            &one(&ocp("1")),
            &one(&ocp("9")),
            &["has no counter of bytes written by the host"],
        ),
        (
            &one("{\"a\": 1}"),
            &good,
            &["before-0.json: has no counter of written bytes that ssdlab knows"],
        ),
        (
            &one("SMART overall-health"),
            &good,
            &["before-0.json: is no JSON"],
        ),
        (
            &[smart(1), ocp("\"many\"")],
            &good,
            &[
                "before-1.json: physical_media_units_written.lo: is \"many\"; must be a whole number",
            ],
        ),
        (
            &[
                smart(1),
                "{\"physical_media_units_written\": {\"hi\": 0}}".into(),
            ],
            &good,
            &["before-1.json: physical_media_units_written.lo: is missing"],
        ),
        (
            &both(995, 0),
            &good,
            &[
                "measurement \"u\": the host wrote 2.56 MB between the logs",
                "steps of",
            ],
        ),
        (
            &both(0, 1_000_000_000),
            &good,
            &["the drive wrote 24.0 MB to flash for 512 MB from the host"],
        ),
    ];
    for (before, after, fragments) in cases {
        let error = measured(before, after).expect_err("wrong logs");
        for fragment in *fragments {
            assert!(error.contains(fragment), "{error}\n{fragment}");
        }
    }
    let missing =
        of(&uniform("before = \"a.json\"\nafter = \"b.json\"\n"), &[]).expect_err("no files");
    assert!(missing.starts_with("a.json: cannot be read"), "{missing}");
}
