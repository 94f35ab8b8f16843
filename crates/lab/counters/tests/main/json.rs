//! Planted bugs that these catch: a unit that is believed by its name; statistics that begin again at 2^32 sectors; Percent_Lifetime_Remain
//! as what remains; a reading that goes back.

use serde_json::{Value, json};

use crate::{codes, one, read, refused};

/// An ATA drive with attributes and the sectors of the device statistics.
fn ata(attributes: &[(u8, &str, u8, u64)], sectors: Option<u64>, known: bool) -> Value {
    let attribute = |&(id, name, value, raw): &(u8, &str, u8, u64)| json!({"id": id, "name": name, "value": value, "raw": {"value": raw}});
    let table: Vec<Value> = attributes.iter().map(attribute).collect();
    let mut log = json!({
        "device": {"name": "/dev/sda", "protocol": "ATA"},
        "model_name": "SOME SSD",
        "user_capacity": {"bytes": 960_197_124_096_u64},
        "logical_block_size": 512,
        "rotation_rate": 0,
        "in_smartctl_database": known,
        "power_on_time": {"hours": 1000},
        "ata_smart_attributes": {"table": table},
    });
    if let Some(sectors) = sectors {
        log["ata_device_statistics"] =
            json!({"pages": [{"number": 1, "table": [{"offset": 24, "value": sectors}]}]});
    }
    log
}

fn host(log: &Value) -> f64 {
    one(&log.to_string()).host().expect("host bytes").bytes
}

#[test]
fn the_unit_is_proven_by_a_second_counter() {
    for (name, raw, sectors, unit) in [
        ("Total_LBAs_Written", 215_581, 14_128_356_416, 32 << 20),
        ("Total_LBAs_Written", 2346, 4_919_918_601, 1 << 30),
        (
            "Lifetime_Wts_Frm_Hst_GB",
            500_000,
            1_048_576_000_000,
            1 << 30,
        ),
        ("Host_Writes_32MiB", 1000, 2_097_152_000, 1_u64 << 30),
        ("Total_Writes_GB", 7_000_000_000, 7_000_000_000, 512),
        ("Unknown_Attribute", 5000, 9_765_625_000, 1_000_000_000),
    ] {
        for known in [false, true] {
            let log = ata(&[(241, name, 99, raw)], Some(sectors), known);
            assert_eq!(host(&log), raw as f64 * unit as f64, "{name}");
        }
    }
    let log = ata(
        &[(241, "Total_LBAs_Written", 99, 215_581)],
        Some(14_128_356_416),
        false,
    );
    assert_eq!(codes(&one(&log.to_string())), ["unit-from-statistics"]);
}

#[test]
fn statistics_that_begin_again_prove_it_too() {
    let raw = 40_221_591_223_u64;
    let log = ata(
        &[(246, "Total_LBAs_Written", 100, raw)],
        Some(raw % (1 << 32)),
        true,
    );
    let reading = one(&log.to_string());
    assert_eq!(
        reading.host().expect("host bytes").bytes,
        raw as f64 * 512.0
    );
    assert_eq!(codes(&reading), ["statistics-wrapped"]);
    let other = ata(
        &[(246, "Total_LBAs_Written", 100, raw)],
        Some(raw % (1 << 32) + 9999),
        true,
    );
    assert!(
        one(&other.to_string())
            .unit_unknown
            .expect("a reason")
            .contains("no unit makes both agree")
    );
}

#[test]
fn a_name_without_a_unit_is_believed_of_known_drives_only() {
    let log = |known| ata(&[(241, "Total_LBAs_Written", 99, 50_711)], None, known);
    assert_eq!(host(&log(true)), 50_711.0 * 512.0);
    let unknown = one(&log(false).to_string());
    assert!(unknown.host().is_none());
    let why = unknown.unit_unknown.expect("a reason");
    assert!(why.contains("241") && why.contains("smartctl -x"), "{why}");
    // a unit in the name, or a name that only the database gives
    assert_eq!(
        host(&ata(&[(241, "Host_Writes_GiB", 99, 280)], None, false)),
        280.0 * 2_f64.powi(30)
    );
    assert_eq!(
        host(&ata(&[(246, "Total_LBAs_Written", 99, 280)], None, false)),
        280.0 * 512.0
    );
    // SK hynix: the name says GB, most count sectors
    assert!(
        one(&ata(&[(241, "Total_Writes_GB", 99, 280)], None, true).to_string())
            .host()
            .is_none()
    );
    // without an attribute, the statistics
    assert_eq!(
        host(&ata(
            &[(5, "Reallocated_Sector_Ct", 100, 0)],
            Some(4_140_625_000),
            false
        )),
        2.12e12
    );
}

#[test]
fn media_bytes_must_be_possible() {
    let media = |attributes: &[(u8, &str, u8, u64)]| {
        let mut all = vec![(241, "Host_Writes_GiB", 99, 1000)];
        all.extend(attributes);
        let reading = one(&ata(&all, None, true).to_string());
        let codes = codes(&reading)
            .iter()
            .map(|code| (*code).to_owned())
            .collect::<Vec<_>>();
        (
            reading
                .media
                .map(|media| media.bytes / (1000.0 * 2_f64.powi(30))),
            codes,
        )
    };
    assert_eq!(
        media(&[(249, "NAND_Writes_1GiB", 100, 1500)]),
        (Some(1.5), vec![])
    );
    assert_eq!(
        media(&[(233, "Lifetime_Wts_To_Flsh_GB", 100, 520)]),
        (Some(0.52), vec!["media-unit".into()])
    );
    assert_eq!(
        media(&[(249, "Total_NAND_Prog_Ct_GiB", 100, 49_006_970)]),
        (None, vec!["media-unit".into()])
    );
    // TLC blocks alone
    assert_eq!(
        media(&[(245, "TLC_Writes_32MiB", 100, 64_000)]),
        (None, vec![])
    );
    // 16 KiB a page; 28 KiB is none
    let pages = |own| {
        [
            (247, "Host_Program_Page_Count", 100, own),
            (248, "FTL_Program_Page_Count", 100, 65_536_000),
        ]
    };
    assert_eq!(media(&pages(65_536_000)), (Some(2.0), vec![]));
    assert_eq!(
        media(&pages(37_449_142)),
        (None, vec!["pages-incomparable".into()])
    );
}

#[test]
fn the_pages_of_an_mx500_are_not_comparable_even_if_they_look_so() {
    let attributes = [
        (246, "Total_LBAs_Written", 100, 16 << 21),
        (247, "Host_Program_Page_Count", 100, 1 << 20),
        (248, "FTL_Program_Page_Count", 100, 1 << 20),
    ];
    let mut log = ata(&attributes, None, true);
    assert!(one(&log.to_string()).media.is_some());
    log["model_name"] = "CT1000MX500SSD1".into();
    assert_eq!(codes(&one(&log.to_string())), ["pages-incomparable"]);
}

#[test]
fn wear_is_what_the_maker_means() {
    let used = |id, name, value, raw| {
        one(&ata(&[(id, name, value, raw)], None, true).to_string())
            .used
            .map(|used| used.0)
    };
    assert_eq!(used(202, "Percent_Lifetime_Remain", 81, 19), Some(19));
    assert_eq!(used(177, "Wear_Leveling_Count", 93, 120), Some(7));
    assert_eq!(used(233, "Media_Wearout_Indicator", 99, 0), Some(1));
    assert_eq!(
        used(230, "Media_Wearout_Indicator", 1, 0x0151_0014_0151),
        Some(1)
    );
    assert_eq!(used(231, "SSD_Life_Left", 74, 100), Some(26));
    // it stops at 64 %
    assert_eq!(used(226, "Workld_Media_Wear_Indic", 100, 65535), None);
    let erases = |name, raw| one(&ata(&[(173, name, 99, raw)], None, true).to_string()).erases;
    assert_eq!(erases("MaxAvgErase_Ct", 1_114_162), Some(17));
    assert_eq!(erases("Ave_Block-Erase_Count", 294), Some(294));
}

fn nvme(units: u64, hours: u64, used: u64) -> String {
    let health = json!({"data_units_written": units, "power_on_hours": hours, "percentage_used": used, "available_spare": 100});
    json!({"model_name": "A", "nvme_total_capacity": 1_000_204_886_016_u64, "nvme_smart_health_information_log": health}).to_string()
}

#[test]
fn two_readings_have_an_interval_whatever_their_order() {
    for logs in [
        [("1", nvme(1000, 100, 3)), ("2", nvme(3000, 148, 4))],
        [("2", nvme(3000, 148, 4)), ("1", nvme(1000, 100, 3))],
    ] {
        let found =
            read(&[(logs[0].0, &logs[0].1), (logs[1].0, &logs[1].1)]).expect("two readings");
        let interval = found[1]
            .since(&found[0])
            .expect("forward")
            .expect("an interval");
        assert_eq!(
            (interval.days, interval.host, interval.powered_on),
            (2.0, 2000.0 * 512_000.0, true)
        );
    }
    for (units, used, what) in [
        (900, 4, "data_units_written goes back"),
        (3000, 2, "percentage_used goes back"),
    ] {
        let found = read(&[("1", &nvme(1000, 100, 3)), ("2", &nvme(units, 148, used))])
            .expect("two readings");
        let error = found[1]
            .since(&found[0])
            .expect_err("a refusal")
            .to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn logs_without_a_time_belong_to_the_reading_before() {
    let ocp =
        |bytes: u64| json!({"Physical media units written": {"hi": 0, "lo": bytes}}).to_string();
    let found = read(&[
        ("1", &nvme(1000, 100, 3)),
        ("o1", &ocp(7)),
        ("2", &nvme(3000, 148, 4)),
        ("o2", &ocp(9)),
    ])
    .expect("two readings");
    assert_eq!(
        found
            .iter()
            .map(|reading| reading.media.as_ref().expect("media").bytes)
            .collect::<Vec<_>>(),
        [7.0, 9.0]
    );
    assert_eq!(
        found[1]
            .since(&found[0])
            .expect("forward")
            .expect("an interval")
            .media,
        Some(2.0)
    );
    // the finest counter of the host counts
    let fdp = json!({"hbmw": 512_100_000, "mbmw": 600_000_000}).to_string();
    let found = read(&[("f", &fdp), ("1", &nvme(1000, 100, 3))]).expect("a reading");
    assert_eq!(
        (found.len(), found[0].host().expect("host").name.as_str()),
        (1, "hbmw")
    );
}

#[test]
fn what_is_no_reading_is_refused_with_a_reason() {
    for (log, why) in [
        (
            "{\"rotation_rate\": 7200, \"model_name\": \"ST8000\", \"ata_smart_attributes\": {\"table\": [{\"id\": 1, \"raw\": {\"value\": 1}}]}}",
            "hard disk",
        ),
        (
            "{\"model_name\": \"A\", \"smart_support\": {\"enabled\": false}}",
            "SMART is off",
        ),
        ("{\"model_name\": \"A\"}", "no counters"),
        (
            "{\"smartctl\": {\"messages\": [{\"severity\": \"error\", \"string\": \"Permission denied\"}]}}",
            "Permission denied",
        ),
        ("{\"a\": 1}", "nothing that ssdlab knows"),
        ("{\"a\": ", "is no JSON"),
        ("", "is empty"),
        (
            "{\"percent_used\": -1}",
            "percent_used: is -1; must be a whole number",
        ),
        (
            "{\"Physical media units written\": {\"hi\": 0}}",
            "lo: is missing",
        ),
    ] {
        let said = refused(&[("x.json", log)]);
        assert!(said.starts_with("x.json: ") && said.contains(why), "{said}");
    }
    let other = nvme(1, 2, 3).replace("\"A\"", "\"B\"");
    let said = refused(&[("1", &nvme(1, 1, 3)), ("2", &other)]);
    assert!(
        said.contains("is of another drive than 1: the model is B here, and A there: two drives"),
        "{said}"
    );
    let bare = "{\"percent_used\": 3, \"data_units_written\": 5}";
    assert!(refused(&[("1", bare), ("2", bare)]).contains("which was first"));
}

#[test]
fn newer_versions_say_host_writes() {
    let writes = json!({"units": 1000, "bytes_per_unit": 512_000});
    let sas = json!({"device": {"protocol": "SCSI"}, "endurance_used": {"current_percent": 7}, "host_writes": writes});
    let reading = one(&sas.to_string());
    assert_eq!(reading.host().expect("host").bytes, 512e6);
    assert_eq!(reading.used.expect("used").0, 7);
    // of ATA drives they are the statistics, which an attribute goes beyond
    let mut ata = ata(
        &[(246, "Total_LBAs_Written", 100, (1 << 32) + 7)],
        None,
        true,
    );
    ata["host_writes"] = json!({"units": 7, "bytes_per_unit": 512});
    assert_eq!(codes(&one(&ata.to_string())), ["statistics-wrapped"]);
}

#[test]
fn hours_that_cannot_be_are_not_used() {
    let reading = one(&nvme(1000, 17 * 8766 + 1, 3));
    assert_eq!(
        (reading.hours, codes(&reading)),
        (None, vec!["hours-implausible"])
    );
}

#[test]
fn every_rule_has_its_evidence() {
    let rules = ssdlab_counters::rules();
    let says = format!(
        "[All {}](../crates/lab/counters/src/rules.csv)",
        rules.len()
    );
    assert!(
        include_str!("../../../../../docs/life.md").contains(&says),
        "{says}"
    );
    for rule in rules {
        assert!(
            !rule.evidence.is_empty() || !rule.trap.is_empty(),
            "{}",
            rule.name
        );
        assert_eq!(
            rule.counts.is_empty(),
            rule.attributes.is_empty(),
            "{}",
            rule.name
        );
    }
}
