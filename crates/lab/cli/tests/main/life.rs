//! `life`: a pasted text from a pipe, two logs, JSON, the running system, refusals.
//!
//! Planted bugs that these catch: a refusal that prints an answer too; a rate that is left out; JSON without a figure that is absent.

use crate::common::{Lab, json};

const TEXT: &str = "\
Device Model:     CT1000MX500SSD1
User Capacity:    1,000,204,886,016 bytes [1.00 TB]
  9 Power_On_Hours          0x0032   100   100   000    Old_age   Always       -       3861
202 Percent_Lifetime_Remain 0x0030   081   081   001    Old_age   Offline      -       19
246 Total_LBAs_Written      0x0032   100   100   000    Old_age   Always       -       23996625190
";

#[test]
fn a_pasted_text_is_answered() {
    let lab = Lab::new();
    let ended = lab.piped("life - --rate 20GB/day", TEXT);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let sentence = "CT1000MX500SSD1: 19 % used after 12 TB; 49 TB left (32 to 74, 8 of 10), about 6.7 years (4.4 to 10) at 20 GB a day.\n";
    assert!(ended.stdout.starts_with(sentence), "{}", ended.stdout);
    let found = &json(&lab.piped("life - --json", TEXT).stdout)["life"];
    assert_eq!(found["reading"]["host_bytes"], 12_286_272_097_280.0);
    assert_eq!(found["rate"]["from"], "lifetime");
    assert_eq!(found["warnings"][0]["code"], "rate-of-lifetime");
    for absent in ["media_bytes", "erase_count", "spare_percent", "firmware"] {
        assert!(
            found["reading"]
                .get(absent)
                .is_some_and(serde_json::Value::is_null),
            "{absent}"
        );
    }
    assert!(
        found["attribution"]
            .as_str()
            .is_some_and(|text| text.contains("CC BY 4.0"))
    );
}

#[test]
fn two_logs_have_a_rate() {
    let lab = Lab::new();
    for (name, hours, sectors) in [
        ("1.txt", 3861, 23_996_625_190_u64),
        ("2.txt", 4029, 24_270_062_690),
    ] {
        let text = TEXT.replace("3861", &hours.to_string());
        lab.write(name, text.replace("23996625190", &sectors.to_string()));
    }
    let found = &lab.json("life 2.txt 1.txt --json")["life"];
    assert_eq!(found["rate"]["from"], "two readings");
    assert_eq!(found["rate"]["bytes_per_day"], 20e9);
    assert_eq!(found["rate"]["factor_p90"], 1.77);
    lab.write(
        "3.txt",
        TEXT.replace("3861", "4000").replace("23996625190", "1"),
    );
    lab.refused(
        "life 1.txt 3.txt",
        &["3.txt: 246 Total_LBAs_Written goes back"],
    );
}

#[test]
fn what_is_wrong_is_named() {
    let lab = Lab::new();
    lab.write("text", "nothing of a drive\n");
    lab.write("drives.csv", "maker,series,source\nA,B,\n");
    for (args, fragments) in [
        ("life", &["--drive", "--capacity"][..]),
        ("life text", &["text: is nothing that ssdlab knows"]),
        ("life none", &["none: cannot be read"]),
        ("life --drive MX500", &["250GB", "4TB"]),
        (
            "life --drive MX500 --capacity 0",
            &["--capacity", "above 0"],
        ),
        ("life --drive MX500 --used 256", &["--used", "255"]),
        ("life --drive MX500 --rate 20GB", &["--rate", "20GB/day"]),
        (
            "life --drive MX500 --since 2024-13-01",
            &["--since", "2024-05-01"],
        ),
        (
            "life --drive CT500MX500SSD1 --since 2024-12-01",
            &["--since: needs the bytes"],
        ),
        (
            "life --drive MX500 --drives drives.csv",
            &["drives.csv: line 2: source is empty"],
        ),
        ("life --here no-such-disk", &["no-such-disk"]),
        ("life --pid 4294967295", &["no such process"]),
        ("life --capacity 1TB --seconds 1", &["--here"]),
    ] {
        lab.refused(args, fragments);
    }
}

#[test]
fn a_trace_says_what_its_writes_cost() {
    let lab = Lab::new();
    lab.ok("trace generate uniform --capacity 128MiB --requests 30000 --seed 1 -o t.csv");
    let args = "life --drive MX500 --capacity 1TB --trace t.csv --preset sata-tlc";
    let found = &lab.json(&format!("{args} --json"))["life"];
    let full = found["write_amplification"]["simulated"]
        .as_f64()
        .expect("write amplification");
    assert!((3.0..20.0).contains(&full), "{full}");
    let text = lab.ok(args);
    assert!(
        text.contains(&format!(
            "t.csv on sata-tlc, full: {full:.2} bytes of flash"
        )),
        "{text}"
    );
    assert!(text.contains("this trace cost"), "{text}");
    lab.write("r.csv", "time_ns,op,offset_bytes,size_bytes\n0,R,0,4096\n");
    lab.refused(
        "life --drive MX500 --capacity 1TB --trace r.csv --preset sata-tlc",
        &["r.csv"],
    );
    lab.refused(
        "life --drive MX500 --capacity 1TB --trace t.csv --preset none",
        &["none"],
    );
    lab.refused("life --drive MX500 --trace t.csv", &["--preset"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_is_watched() {
    let lab = Lab::new();
    let pid = std::process::id();
    let found = lab.json(&format!(
        "life --pid {pid} --seconds 1 --capacity 1TB --kind nvme --json"
    ));
    assert_eq!(found["life"]["drive"]["known_from"], "capacity");
}
