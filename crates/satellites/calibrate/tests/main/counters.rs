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
    let sata = |scale: u64| {
        table(
            "",
            &[
                (241, "Total_LBAs_Written", scale * 1_000_000_000),
                (249, "NAND_Writes_1GiB", scale * 954),
                (9, "Power_On_Hours", 3),
            ],
        )
    };
    let pages = |scale: u64| {
        table(
            "",
            &[
                (246, "Total_LBAs_Written", scale * 1_000_000_000),
                (247, "Host_Program_Page_Count", scale * 31_250_000),
                (248, "FTL_Program_Page_Count", scale * 31_250_000),
            ],
        )
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
                "after-0.json: data_units_written: goes back from 1001 to 1000",
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
            &["before-0.json: is nothing that ssdlab knows"],
        ),
        (
            &one("SMART overall-health"),
            &good,
            &["before-0.json: is nothing that ssdlab knows"],
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
            &[
                "the drive wrote 24.0 MB to flash for 512 MB from the host",
                "data_units_written",
            ],
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

/// The JSON of smartctl for a SATA drive with these facts and attributes.
fn table(facts: &str, attributes: &[(u8, &str, u64)]) -> String {
    let attribute = |(id, name, value): &(u8, &str, u64)| {
        format!(r#"{{"id": {id}, "name": "{name}", "raw": {{"value": {value}}}}}"#)
    };
    let list: Vec<String> = attributes.iter().map(attribute).collect();
    format!(
        r#"{{{facts} "ata_smart_attributes": {{"table": [{}]}}}}"#,
        list.join(",")
    )
}

/// Planted bugs: a fact that is not compared; a second log that is not; the sheet that is not.
#[test]
fn logs_of_two_drives_are_refused() {
    let log = |facts: &str, scale: u64| {
        let counters = [
            (241, "Host_Writes_GiB", 1000 * scale),
            (249, "NAND_Writes_1GiB", 3000 * scale),
        ];
        vec![table(facts, &counters)]
    };
    let same = r#""serial_number": "S1", "model_name": "M", "user_capacity": {"bytes": 8589934592}, "logical_block_size": 512,"#;
    let (waf, _) = measured(&log(same, 1), &log(same, 2)).unwrap();
    near(waf, 3.0, 1e-3);
    let id = |serial: &str| format!(r#"{{"sn": "{serial}  ", "mn": "M"}}"#);
    let (waf, _) = measured(&log(same, 1), &[&log(same, 2)[..], &[id("S1")]].concat()).unwrap();
    near(waf, 3.0, 1e-3);
    let why = measured(&log(same, 1), &[&log(same, 2)[..], &[id("S2")]].concat()).unwrap_err();
    assert!(
        why.starts_with("after-1.json: is of another drive than before-0.json: "),
        "{why}"
    );
    for (from, to, words) in [
        ("S1", "S2", "the serial number is S2 here, and S1 there"),
        ("\"M\"", "\"N\"", "the model is N here, and M there"),
        (
            "8589934592",
            "4294967296",
            "the capacity is 4,294,967,296 bytes here",
        ),
        (
            "512",
            "4096",
            "the logical block size is 4096 here, and 512 there",
        ),
    ] {
        let why = measured(&log(same, 1), &log(&same.replace(from, to), 2)).unwrap_err();
        let of = "after-0.json: is of another drive than before-0.json: ";
        assert!(why.starts_with(of) && why.contains(words), "{why}");
    }
    let small = same.replace("8589934592", "8000000000");
    let why = measured(&log(&small, 1), &log(&small, 2)).unwrap_err();
    let of = "before-0.json: is of a drive with 8.00 GB, and the capacity in the sheet is 8.59 GB";
    assert!(why.starts_with(of), "{why}");
}

/// Planted bugs: the unit of a name that smartctl gives every drive; a log of one tool that is not that of another; cells of one kind
/// alone; floats; counters that disagree by a factor.
#[test]
fn units_are_those_of_the_drive() {
    let attributes = |all: &[(u8, &str, u64)], scale: u64| {
        let all: Vec<_> = all
            .iter()
            .map(|one| (one.0, one.1, one.2 * scale))
            .collect();
        vec![table("", &all)]
    };
    let n = 100_000;
    let cases: &[&[(u8, &str, u64)]] = &[
        &[(241, "Total_LBAs_Written", n), (251, "NAND_Writes", 2 * n)],
        &[
            (246, "Total_Host_Sector_Write", n),
            (251, "NAND_Writes", 2 * n),
        ],
        &[
            (241, "Host_Writes_32MiB", n),
            (245, "TLC_Writes_32MiB", n / 2),
            (246, "SLC_Writes_32MiB", n * 3 / 2),
        ],
        &[
            (233, "NAND_GB_Written_TLC", n / 2),
            (234, "NAND_GB_Written_SLC", n * 3 / 2),
            (241, "Host_Writes_GiB", n),
        ],
        &[
            (241, "Total_Writes_GiB", n),
            (243, "Total_Media_Writes", 2 * n),
        ],
        &[
            (233, "Lifetime_Wts_To_Flsh_GB", 2 * n),
            (241, "Lifetime_Wts_Frm_Hst_GB", n),
        ],
        // the number of a name with a unit under a name that every drive has
        &[
            (241, "Total_LBAs_Written", n),
            (225, "Host_Writes_32MiB", n),
            (243, "NAND_Writes_32MiB", 2 * n),
        ],
        // 100 erases of 8 GiB
        &[
            (241, "Host_Writes_GiB", 400),
            (177, "Wear_Leveling_Count", 100),
        ],
    ];
    for case in cases {
        let found = measured(&attributes(case, 50), &attributes(case, 100));
        let (waf, _) = found.unwrap_or_else(|why| panic!("{case:?}: {why}"));
        near(waf, 2.0, 1e-3);
    }
    let refused = |all: &[(u8, &str, u64)], fragments: &[&str]| {
        let why = measured(&attributes(all, 50), &attributes(all, 100)).unwrap_err();
        for fragment in fragments {
            assert!(why.contains(fragment), "{why}\n{fragment}");
        }
    };
    let nand = (243, "NAND_Writes_32MiB", 2 * n);
    let lbas = (241, "Total_LBAs_Written", 32 * n);
    let two = [(225, "Host_Writes_32MiB", n), lbas, nand];
    refused(
        &two,
        &[
            "225 Host_Writes_32MiB",
            "241 Total_LBAs_Written",
            "another unit",
        ],
    );
    refused(
        &[lbas, (177, "Wear_Leveling_Count", 1)],
        &["its unit is unknown", "smartctl -x"],
    );
    refused(
        &[
            (225, "Host_Writes_32MiB", n),
            (245, "TLC_Writes_32MiB", 2 * n),
        ],
        &["has no counter of bytes written to flash"],
    );
    // units of 10^9 bytes
    let group = |host: u64, media: u64| {
        vec![format!(
            r#"{{"percent_used": 3, "data_units_written": {host}, "media_units_written": {media}}}"#
        )]
    };
    let (waf, _) = measured(&group(0, 0), &group(2000, 5000)).unwrap();
    near(waf, 2.5, 1e-3);
    // the health log of two tools, and the bytes written to flash in every shape
    let plain = r#"{"data_units_written": 10000000}"#.to_owned();
    for [from, to] in [
        [
            r#"{"physical_media_units_written": 0}"#,
            r#"{"physical_media_units_written": 10.24e12}"#,
        ],
        [
            r#"{"physical_media_units_written": {"hi": 0, "lo": 0}}"#,
            r#"{"SMART Cloud Health Log": [{"Physical Media Units Written": "0x95033ba0000"}]}"#,
        ],
        [
            "Smart extended\n  Physical media units written              0 0",
            r#"{"A": [{"attribute_name": "Physical Media Units Written", "attribute_value": "10,240,000,000,000"}]}"#,
        ],
        [
            r#"{"NAND Writes TLC (Bytes)": 0, "NAND Writes SLC (Bytes)": 0}"#,
            r#"{"NAND Writes TLC (Bytes)": 10000000000000, "NAND Writes SLC (Bytes)": 240000000000}"#,
        ],
        [
            r#"{"NAND Bytes Written Hi": 0, "NAND Bytes Written Lo": 0}"#,
            r#"{"NAND Bytes Written Hi": 0, "NAND Bytes Written Lo": 10240000000000}"#,
        ],
    ] {
        let after = [plain.clone(), to.to_owned()];
        let found = measured(&[smart(0), from.to_owned()], &after);
        near(
            found.unwrap_or_else(|why| panic!("{to}: {why}")).0,
            2.0,
            1e-2,
        );
    }
    let gib = [(241, "Host_Writes_GiB", n), (249, "NAND_Writes_GiB", n)];
    let why = measured(&attributes(&gib, 1), &[smart(9)]).unwrap_err();
    assert!(why.contains("must have one counter in common"), "{why}");
}

/// Planted bugs: bytes of UTF-16 taken for UTF-8; a mark that stays.
#[test]
fn logs_of_any_unicode_are_read() {
    let log = |units: u64| {
        format!(
            r#"{{"data_units_written": {units}, "mbmw": {}}}"#,
            units * 1_024_000
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let drive = folder.path().join("d.toml");
    std::fs::write(&drive, uniform("before = \"a\"\nafter = \"b\"\n")).unwrap();
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| {
        let text = format!("\u{feff}{text}");
        text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>()
    };
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a", &wide(&log(1_000_000), u16::to_le_bytes));
    for after in [
        wide(&log(11_000_000), u16::to_be_bytes),
        format!("\u{feff}{}", log(11_000_000)).into(),
    ] {
        write("b", &after);
        let found = ssdlab_calibrate::calibrate(&drive, &ssdlab_sim::Lab::new()).unwrap();
        near(found.measurements[0].measured, 2.0, 1e-9);
        assert_eq!(
            found.measurements[0].counters.as_ref().unwrap()[..],
            ["data_units_written", "mbmw"]
        );
    }
}
