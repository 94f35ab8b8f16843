//! `ssdlab lfss`: the data blocks of LFSS in an image.
//!
//! Planted bugs that these catch: a command that a crash can undo after it has ended; a read that changes the image; data
//! that are cut or filled up to the size of a data block; an exit code 0 for a call that was refused.

use std::fs;

use crate::common::{Lab, keys, words};

/// 64 data blocks of 1 KiB in segments of four, none of which exists; an EBR of four.
const DEB: &str = r#"
precondition = "empty"
flash = { capacity = "64KiB", page_size = 1024, pages_per_block = 4 }
ftl = { kind = "page", placement = "deb", ram = "4KiB", spare_blocks = 12 }
buffer = { policy = "none" }
"#;

/// A folder with an empty store, and data for two blocks.
fn lab() -> Lab {
    let lab = lab_of(DEB);
    lab.write("one.bin", [1; 1024]);
    lab.write("two.bin", [2; 1024]);
    lab
}

fn lab_of(config: &str) -> Lab {
    let lab = Lab::new();
    lab.write("deb.toml", config);
    lab.ok("drive create d.img --config deb.toml");
    lab
}

/// The fact of `info` with this label.
fn fact(text: &str, label: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix(label));
    line.expect("the fact").trim().to_owned()
}

#[test]
fn the_four_calls() {
    let lab = lab();
    assert_eq!(lab.ok("lfss write --data one.bin d.img 7"), "");
    assert_eq!(lab.ok("lfss read d.img 7"), "\u{1}".repeat(1024));
    assert_eq!(lab.ok("lfss update --data two.bin d.img 7"), "");
    assert_eq!(lab.ok("lfss read d.img 7"), "\u{2}".repeat(1024));
    assert_eq!(lab.ok("lfss erase d.img 7"), "");
    lab.refused("lfss read d.img 7", &["d.img: data block 7 does not exist"]);
    // from standard input, and any bytes
    let data: Vec<u8> = (0..1024).map(|at| (at % 128) as u8).collect();
    assert_eq!(lab.piped("lfss write d.img 63", data.clone()).success(), "");
    assert_eq!(lab.ok("lfss read d.img 63").into_bytes(), data);
}

#[test]
fn info_says_where_data_blocks_are() {
    let lab = lab();
    let text = lab.ok("lfss info d.img 4");
    assert_eq!(fact(&text, "image "), "d.img");
    let empty = "64 of 1 KiB; 0 exist, 0 of them in the extra buffer region";
    assert_eq!(fact(&text, "data blocks "), empty);
    assert_eq!(fact(&text, "data block "), "4: does not exist");
    assert_eq!(fact(&text, "erases "), "0 segments");
    // the fifth overflows the EBR
    for block in 0..5 {
        lab.ok(&format!("lfss write --data one.bin d.img {block}"));
    }
    let info = lab.json("lfss info --json d.img");
    assert_eq!(
        keys(&info),
        words("image block_size blocks existing in_ebr erases")
    );
    assert_eq!([&info["block_size"], &info["blocks"]], [1024, 64]);
    assert_eq!([&info["existing"], &info["in_ebr"]], [5, 2]);
    let place = |block: u64| {
        let info = lab.json(&format!("lfss info --json d.img {block}"));
        info["block_in"].as_str().expect("a word").to_owned()
    };
    assert_eq!([0, 4, 5].map(place), ["flash", "ebr", "none"]);
    assert_eq!(
        fact(&lab.ok("lfss info d.img 0"), "data block "),
        "0: in flash"
    );
    assert_eq!(
        fact(&lab.ok("lfss info d.img 4"), "data block "),
        "4: in the extra buffer region"
    );
}

#[test]
fn looking_changes_nothing() {
    let lab = lab();
    lab.ok("lfss write --data one.bin d.img 7");
    let before = fs::read(lab.path("d.img")).unwrap();
    lab.ok("lfss read d.img 7");
    lab.ok("lfss info d.img 7");
    lab.refused("lfss read d.img 8", &["data block 8"]);
    assert!(fs::read(lab.path("d.img")).unwrap() == before);
}

#[test]
fn wrong_calls_are_refused() {
    let lab = lab();
    lab.ok("lfss write --data one.bin d.img 7");
    lab.write("short.bin", [3; 1023]);
    lab.write("long.bin", [3; 1025]);
    for (args, fragment) in [
        (
            "lfss write --data two.bin d.img 7",
            "d.img: data block 7 exists already; update it, or erase it first",
        ),
        (
            "lfss update --data two.bin d.img 8",
            "d.img: data block 8 does not exist; write it first",
        ),
        ("lfss erase d.img 8", "d.img: data block 8 does not exist"),
        ("lfss read d.img 8", "d.img: data block 8 does not exist"),
        (
            "lfss write --data short.bin d.img 8",
            "--data short.bin has 1023 bytes; a data block of d.img has 1024",
        ),
        (
            "lfss update --data long.bin d.img 7",
            "--data long.bin has more than 1024 bytes; a data block of d.img has 1024",
        ),
        (
            "lfss write --data two.bin d.img 64",
            "d.img: there is no data block 64; this drive has 0 to 63",
        ),
        ("lfss info d.img 64", "there is no data block 64"),
        ("lfss write --data none.bin d.img 8", "--data none.bin: "),
        ("lfss read none.img 8", "none.img: "),
        ("lfss write --data one.bin none.img 8", "none.img: "),
        ("lfss erase one.bin 8", "one.bin: "),
    ] {
        lab.refused_in_a_line(args, &[fragment]);
    }
    let ended = lab.piped("lfss update d.img 7", "short");
    assert_eq!((ended.code, &*ended.stdout), (Some(2), ""));
    let why = "error: standard input has 5 bytes; a data block of d.img has 1024\n";
    assert_eq!(ended.stderr, why);
    assert_eq!(lab.run("lfss read d.img seven").code, Some(2));
    // nothing has changed
    assert_eq!(lab.ok("lfss read d.img 7"), "\u{1}".repeat(1024));
    assert_eq!(lab.json("lfss info --json d.img")["existing"], 1);
}

#[test]
fn a_drive_that_is_no_log_is_refused() {
    for (from, to, fragment) in [
        (
            r#"kind = "page", placement = "deb", ram = "4KiB""#,
            r#"kind = "bast""#,
            r#"d.img: LFSS needs a drive with ftl.kind = "page", and this one has "bast""#,
        ),
        (
            r#", placement = "deb", ram = "4KiB""#,
            "",
            r#"LFSS needs a drive with buffer.policy = "none", and this one has "lru""#,
        ),
    ] {
        let policy = if to.is_empty() { "lru" } else { "none" };
        let config = DEB
            .replace(from, to)
            .replace("\"none\"", &format!("{policy:?}"));
        let lab = lab_of(&config);
        for args in [
            "lfss read d.img 0",
            "lfss write --data deb.toml d.img 0",
            "lfss erase d.img 0",
            "lfss info d.img",
        ] {
            lab.refused_in_a_line(args, &[fragment]);
        }
    }
}

/// The image is that of a process that was killed: it is never closed.
#[test]
fn what_a_command_did_survives() {
    let lab = lab();
    lab.ok("lfss write --data one.bin d.img 7");
    let info = lab.json("drive info d.img --json");
    assert_eq!(
        (&info["left"], &info["undone"]),
        (&"closed".into(), &0.into())
    );
    // even where nothing closed it: the mark of the close is not needed
    let drive = ssdlab_drive::Drive::open(&lab.path("d.img"), Default::default()).unwrap();
    let mut lfss = ssdlab_drive::Lfss::over(drive).unwrap();
    lfss.update(7, &[2; 1024]).unwrap();
    lfss.write(8, &[2; 1024]).unwrap();
    drop(lfss);
    assert_eq!(lab.ok("lfss read d.img 7"), "\u{2}".repeat(1024));
    lab.ok("lfss erase d.img 8");
    lab.refused("lfss read d.img 8", &["data block 8 does not exist"]);
}

#[test]
fn a_damaged_data_block_is_the_machines_and_others_can_be_read() {
    // all in flash
    let lab = lab_of(&DEB.replace(r#"placement = "deb", ram = "4KiB", "#, ""));
    lab.write("one.bin", [1; 1024]);
    lab.write("two.bin", [2; 1024]);
    lab.write("other.bin", [0xa5; 1024]);
    lab.ok("lfss write --data other.bin d.img 0");
    lab.ok("lfss write --data one.bin d.img 1");
    let mut image = fs::read(lab.path("d.img")).unwrap();
    let places = (0..image.len() - 1024).filter(|&at| image[at..at + 1024] == [0xa5; 1024]);
    let places: Vec<usize> = places.collect();
    assert!(!places.is_empty());
    for at in places {
        image[at + 512] ^= 1;
    }
    lab.write("d.img", image);
    let ended = lab.run("lfss read d.img 0");
    let why = "error: d.img: data block 0: the data of the page at byte 0 are lost\n";
    assert_eq!((ended.code, &*ended.stderr), (Some(1), why));
    assert_eq!(ended.stdout, "");
    assert_eq!(lab.ok("lfss read d.img 1"), "\u{1}".repeat(1024));
    // a new content makes it whole
    lab.ok("lfss update --data two.bin d.img 0");
    assert_eq!(lab.ok("lfss read d.img 0"), "\u{2}".repeat(1024));
}
