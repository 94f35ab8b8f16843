//! What a controller needs: its RAM by part, the times to start up and to save its buffers, and buffers that share the
//! RAM with tables; on the small device by hand.
//!
//! Planted bugs that these catch: log blocks without their own numbers; headers that take the room of pages and are
//! counted again; a start-up that reads whole pages, or one page of each block of page mapping; the RAM of one chip for
//! that of all; a buffer that takes all RAM; one page too few; a cache of a map whose index is forgotten, or whose share is of
//! all RAM.

use crate::common::{Lab, trace};
use serde_json::{Value, json};

fn controller(lab: &Lab, set: &str) -> Value {
    let set = set.replace(' ', " --set ");
    lab.json(&format!("run --json --config small.toml --set {set} w.csv"))["controller"].clone()
}

fn with_a_trace() -> Lab {
    let lab = Lab::small();
    lab.write("w.csv", trace(&["0,W,0,512", "0,W,5120,512"]));
    lab
}

// five logical blocks of four pages of 512 bytes; bast has nine blocks. A spare area takes 50 µs and a 32nd of 50 µs.
#[test]
fn tables_of_ftls_by_hand() {
    let lab = with_a_trace();
    let page = "buffer.policy=none ftl.kind=page ftl.spare_blocks=11";
    for (set, mapping, logs, cleaning, updates, spares) in [
        ("ftl.kind=bast", 20, 2 * (8 + 16), 0, 0, 9 + 6),
        ("ftl.kind=fast", 20, 2 * (8 + 16), 0, 0, 9 + 6),
        ("ftl.kind=block", 20, 8, 0, 0, 8 + 3),
        ("ftl.kind=replacement", 20, 16, 0, 0, 9 + 6),
        ("ftl.kind=superblock", 80, 0, 9 * 8, 0, 36),
        (page, 80, 0, 16 * 4, 0, 64),
        (
            &format!("{page} ftl.cleaning=cost-benefit"),
            80,
            0,
            16 * 8,
            0,
            64,
        ),
        (&format!("{page} ftl.cleaning=cat"), 80, 0, 16 * 12, 0, 64),
        (&format!("{page} ftl.placement=dac"), 80, 0, 16 * 4, 80, 64),
        // 33 bits for each of 20 pages
        (
            &format!("{page} ftl.placement=deb ftl.ram=2KiB"),
            80,
            0,
            16 * 4,
            83,
            64,
        ),
    ] {
        let found = controller(&lab, set);
        let ram = &found["ram_bytes"];
        let parts = ["mapping", "log_blocks", "cleaning", "updates"].map(|part| &ram[part]);
        assert_eq!(parts, [mapping, logs, cleaning, updates], "{set}");
        assert_eq!(found["mount_ns"], spares * 51_562, "{set}");
    }
    let bound = controller(&lab, "ftl.kind=ideal");
    assert_eq!(bound["ram_bytes"]["mapping"], 0);
    assert_eq!(bound["mount_ns"], Value::Null);
}

// eight pages in the buffer
#[test]
fn memory_of_buffers_by_hand() {
    let lab = with_a_trace();
    let headers = 5 * (16 + 16);
    for (set, index, pages) in [
        ("buffer.policy=none", 0, 0),
        ("buffer.policy=lru", 8 * 20, 8),
        ("buffer.policy=bplru", 8 * 16 + 5 * 4 + headers, 8),
        ("buffer.policy=plru-br", 8 * 16 + 5 * 4 + headers, 8),
        ("buffer.policy=three-region", 8 * 16 + 5 * 4 + headers, 8),
        (
            "buffer.policy=three-region buffer.granularity=page",
            8 * 20,
            8,
        ),
        (
            "buffer.policy=bplru buffer.count_headers=true",
            8 * 16 + 5 * 4,
            8,
        ),
        (
            "buffer.policy=lru read_buffer.policy=lru read_buffer.size=2KiB",
            12 * 20,
            12,
        ),
        ("timing.model=parallel timing.spare_slots=3", 8 * 20, 11),
    ] {
        let ram = &controller(&lab, set)["ram_bytes"];
        assert_eq!([&ram["index"], &ram["data"]], [index, pages * 512], "{set}");
        assert_eq!(ram["total"], 20 + 48 + index + pages * 512, "{set}");
    }
    let region = controller(
        &lab,
        "buffer.policy=none ftl.kind=page ftl.spare_blocks=11 ftl.placement=dac+ ftl.ram=2KiB",
    );
    let ram = &region["ram_bytes"];
    assert_eq!([&ram["index"], &ram["data"]], [4 * 20, 2048]);
    assert_eq!(region["dump_ns"], 4 * 850_000);
    let unbounded = controller(&lab, "buffer.policy=unbounded");
    assert_eq!(unbounded["ram_bytes"]["total"], Value::Null);
    assert_eq!(unbounded["dump_ns"], Value::Null);
    assert_eq!(
        controller(&lab, "buffer.policy=none")["dump_ns"],
        Value::Null
    );
}

// one block, two log blocks and two spare ones on each of five chips
#[test]
fn chips_work_together() {
    let lab = with_a_trace();
    let found = controller(&lab, "flash.channels=5 flash.interleave=page");
    let ram = &found["ram_bytes"];
    assert_eq!([&ram["mapping"], &ram["log_blocks"]], [20, 5 * 48]);
    assert_eq!(found["mount_ns"], 11 * 51_562);
    assert_eq!(found["dump_ns"], 2 * 850_000);
    // four chips on one channel: pages of 2 KiB, each with four moves of 50 µs
    let one = "flash.capacity=40KiB flash.chips_per_channel=4";
    assert_eq!(controller(&lab, one)["dump_ns"], 2 * 1_000_000);
}

#[test]
fn the_dump_of_the_bplru_paper() {
    let lab = with_a_trace();
    let eight = "run --json --preset bplru-2008 --set buffer.size=8MiB w.csv";
    assert_eq!(lab.json(eight)["controller"]["dump_ns"], 3_481_600_000_u64);
}

#[test]
fn tables_and_buffer_share_the_ram() {
    let lab = with_a_trace();
    let command = "compare w.csv --config small.toml --set ftl.spare_blocks=11 --buffer none,lru --ftl bast,page \
                   --no-html --json c.json --ram-total";
    let text = lab.ok(&format!("{command} 2200,1KiB"));
    assert!(
        text.contains("each run gets as buffer what its tables leave"),
        "{text}"
    );
    for column in ["RAM", "buffered pages"] {
        assert!(text.contains(column), "{text}");
    }
    let report: Value = serde_json::from_str(&lab.read("c.json")).unwrap();
    assert_eq!(report["shares_ram"], true);
    assert_eq!(report["sizes"], json!([1024, 2200]));
    let rows = report["rows"].as_array().unwrap();
    let found: Vec<_> = rows
        .iter()
        .filter(|row| row["kind"] == "policy" || row["ftl_kind"] == "ideal")
        .map(|row| {
            (
                row["label"].as_str().unwrap(),
                row["size"].as_u64(),
                row["ram_data"].as_f64().unwrap() as u64 / 512,
            )
        })
        .collect();
    // 532 bytes for each page, beside 68 bytes of tables with bast, 144 with page and none with ideal
    let (small, large) = (Some(1024), Some(2200));
    let expected = [
        ("none + bast", None, 0),
        ("none + page", None, 0),
        ("lru + bast", small, 1),
        ("lru + bast", large, 4),
        ("lru + page", small, 1),
        ("lru + page", large, 3),
        ("ideal FTL", small, 1),
        ("ideal FTL", large, 4),
    ];
    assert_eq!(found, expected);
    let ended = lab.run(&format!("{command} 599"));
    assert_eq!(ended.code, Some(2));
    let why = "--ram-total 599 B: lru + bast needs at least 600 bytes, 68 of them for the tables of its FTL, so \
               nothing is left for a buffer";
    assert!(ended.stderr.contains(why), "{}", ended.stderr);
}

// 20 pages in three map pages of eight entries: 12 bytes of places, 8 of which pages are valid, four entries of 20 on the list, and
// 64 for cleaning; leaftl has two entries of 20 more. Single entries have an index of 12, map pages one of 20.
#[test]
fn the_cache_of_a_map_takes_a_share_of_the_ram() {
    let lab = with_a_trace();
    let device =
        "--config small.toml --set ftl.kind=page --set ftl.spare_blocks=11 --set ftl.map_entry=64";
    for (map, share, bytes, pages) in [
        ("dftl", "25%", 200, 2),
        ("dftl", "50%", 400, 1),
        ("tpftl", "25%", 170, 2),
        ("pages", "75%", 1024, 1),
        ("leaftl", "25%", 439, 2),
    ] {
        let compare = format!(
            "compare w.csv {device} --set ftl.map={map} --vary ftl.map_cache={share} --buffer lru --ram-total 2200 --no-bounds --no-html \
             --json c.json"
        );
        lab.ok(&compare);
        let report: Value = serde_json::from_str(&lab.read("c.json")).unwrap();
        let row = &report["rows"][0];
        let found = ["ram_map", "ram_data"].map(|part| row[part].as_f64().unwrap() as u64);
        assert_eq!(found, [bytes, 512 * pages], "{map} {share}");
    }
    let map = "--set ftl.map=dftl --set ftl.map_cache=25%";
    let why = "ftl.map_cache = \"25%\": must be a size, such as \"1MiB\"; a share of all RAM is for compare --ram-total and recommend";
    lab.refused(&format!("run w.csv {device} {map}"), &[why]);
    lab.refused(&format!("compare w.csv {device} {map} --size 1KiB"), &[why]);
    lab.refused(
        &format!(
            "compare w.csv {device} --set ftl.map=dftl --vary ftl.map_cache=101% --ram-total 2200"
        ),
        &["--vary ftl.map_cache=101%", "must be a size from"],
    );
    // of each of several buffers
    lab.ok(&format!(
        "compare w.csv {device} {map} --buffer none,lru --ram-total 2200 --no-html"
    ));
}
