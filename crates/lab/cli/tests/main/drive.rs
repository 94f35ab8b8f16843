//! `ssdlab drive`: images of virtual SSDs, made and looked at.
//!
//! Planted bugs that these catch: an image that a look changes; a damaged page that is not named, or for which the exit
//! code is 0; counts that are not those of the blocks; a reader that does not see the lock of a writer.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;
use ssdlab_drive::{Drive, OpenOptions};

use crate::common::{Ended, Lab, keys, until, words};

/// 64 KiB in pages of 1 KiB, four in a block, with enough spare blocks that nothing is cleaned.
const SMALL: &str = r#"
flash = { capacity = "64KiB", page_size = 1024, pages_per_block = 4 }
ftl = { kind = "page", spare_blocks = 12 }
buffer = { policy = "none" }
"#;

/// A folder with a new image.
fn lab() -> Lab {
    lab_of(SMALL)
}

fn lab_of(config: &str) -> Lab {
    let lab = Lab::new();
    lab.write("small.toml", config);
    lab.ok("drive create d.img --config small.toml");
    lab
}

/// Waits until no process has the image open: a process that another test is starting holds the lock of this one until it
/// runs its program.
fn unlocked(lab: &Lab) {
    until("still in use", || {
        let ended = lab.run("drive info d.img");
        !ended.stderr.contains("another process")
    });
}

fn state(lab: &Lab) -> Value {
    unlocked(lab);
    lab.json("drive info d.img --json")
}

fn open(lab: &Lab) -> Drive {
    unlocked(lab);
    Drive::open(&lab.path("d.img"), OpenOptions { sync: false }).expect("a drive")
}

/// The content of page `number`.
fn content(number: u8) -> Vec<u8> {
    [number, 0xa5].repeat(512)
}

/// Writes pages twice, and closes the drive or not.
fn used(lab: &Lab, closed: bool) {
    let mut drive = open(lab);
    for number in 0..20 {
        let page = content(number);
        drive.write(u64::from(number % 10) * 1024, &page).unwrap();
    }
    drive.flush().unwrap();
    if closed {
        drive.close().unwrap()
    } else {
        drive.write(30 * 1024, &content(30)).unwrap()
    }
}

/// Looks for what is wrong in another version of the image, which must have damage: what is printed, and the error.
#[track_caller]
fn checked(lab: &Lab, image: &[u8]) -> Ended {
    lab.write("d.img", image);
    let ended = lab.run("drive check d.img");
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    ended
}

/// The place of a page's content.
fn place(image: &[u8], number: u8) -> usize {
    let mut windows = image.windows(1024);
    windows
        .position(|bytes| bytes == content(number))
        .expect("the page")
}

fn bytes(lab: &Lab) -> Vec<u8> {
    fs::read(lab.path("d.img")).expect("the image")
}

/// The pages of an image in these states.
fn pages(info: &Value, states: &str) -> u64 {
    let pages = words(states).into_iter();
    let pages = pages.map(|state| info["pages"][state].as_u64());
    pages.map(|pages| pages.expect("a number")).sum()
}

#[test]
fn a_new_image() {
    let lab = Lab::new();
    lab.write("small.toml", SMALL);
    let text = lab.ok("drive create d.img --config small.toml");
    for line in [
        "image       d.img\n",
        "capacity    64 KiB\n",
        "flash       28 erase blocks, 12 of them spare; 4 pages of 1 KiB each\n",
        "FTL         page\n",
        "buffer      none\n",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    let length = bytes(&lab).len() as u64;
    let info = state(&lab);
    let names = "image capacity file_bytes disk_bytes left undone torn_programs torn_erase interrupted_record \
                 lost_records damaged_copies commits operations meta read_only blocks spare_blocks bad_blocks pages \
                 erases config";
    assert_eq!(keys(&info), words(names));
    assert_eq!(info["left"], "new");
    assert_eq!(info["file_bytes"], length);
    assert_eq!(
        (info["blocks"].as_u64(), info["undone"].as_u64()),
        (Some(28), Some(0))
    );
    // the factory state: 16 blocks of zeros
    assert_eq!(pages(&info, "programmed"), 64);
    assert_eq!(pages(&info, "valid"), 64);
    assert_eq!(pages(&info, "programmed erased torn"), 112);
    assert_eq!(info["config"]["ftl"]["spare_blocks"], 12);
    let text = lab.ok("drive info d.img");
    assert!(text.contains("left        new\n"), "{text}");
    let text = lab.ok("drive check d.img");
    assert!(text.starts_with("Nothing is wrong"), "{text}");
}

#[test]
fn a_drive_that_was_closed() {
    let lab = lab();
    used(&lab, true);
    let before = bytes(&lab);
    let info = state(&lab);
    assert_eq!(info["left"], "closed");
    assert!(info["commits"].as_u64() >= Some(3), "{info}");
    // twenty programs on 64 pages of zeros
    assert!(info["operations"].as_u64() >= Some(84), "{info}");
    assert_eq!(pages(&info, "valid"), 64);

    let dump = lab.json("drive dump d.img --json");
    let blocks = dump.as_array().expect("an array");
    assert_eq!(blocks.len(), 28);
    check_blocks(blocks, &info);
    let text = lab.ok("drive dump d.img");
    let mut rows = text.lines().map(words);
    let header = "chip block slot erases programmed valid erased torn";
    assert_eq!(rows.next(), Some(words(header)));
    let column = |at: usize| -> u64 {
        rows.clone()
            .map(|row| row[at].parse::<u64>().unwrap())
            .sum()
    };
    let sums = ["programmed", "valid", "erased"].map(|state| pages(&info, state));
    assert_eq!([4, 5, 6].map(column), sums);
    let some = lab.json("drive dump d.img --json --blocks 3-4");
    assert_eq!(some.as_array().unwrap(), &blocks[3..5]);
    assert_eq!(bytes(&lab), before, "looking changes nothing");
}

/// Checks the counts of `info`, and that the newest version of each page is valid.
fn check_blocks(blocks: &[Value], info: &Value) {
    let mut newest = vec![0; 64];
    let (mut programmed, mut erased, mut erases) = (0, 0, 0);
    for block in blocks {
        assert_eq!(keys(block), ["chip", "block", "slot", "erases", "pages"]);
        erases += block["erases"].as_u64().unwrap();
        for page in block["pages"].as_array().expect("pages") {
            if page == "erased" {
                erased += 1;
                continue;
            }
            assert_eq!(keys(page), ["lpn", "role", "sequence", "valid"]);
            programmed += 1;
            let lpn = page["lpn"].as_u64().unwrap() as usize;
            newest[lpn] = page["sequence"].as_u64().max(Some(newest[lpn])).unwrap();
        }
    }
    assert_eq!(pages(info, "programmed"), programmed);
    assert_eq!(pages(info, "erased"), erased);
    assert_eq!(info["erases"]["total"], erases);
    let all = blocks
        .iter()
        .flat_map(|block| block["pages"].as_array().unwrap());
    for page in all.filter(|page| page.is_object()) {
        let lpn = page["lpn"].as_u64().unwrap() as usize;
        assert_eq!(page["valid"], page["sequence"] == newest[lpn], "{page}");
    }
}

#[test]
fn bad_flash() {
    let lab = lab();
    let create = "drive create bad.img --set drive.spare_blocks=5 --set drive.bad_blocks=";
    let why = "--set drive.bad_blocks = 6: must be at most drive.spare_blocks, which is 5";
    lab.refused(&format!("{create}6"), &[why]);
    lab.ok(&format!("{create}3"));
    let info = lab.json("drive info bad.img --json");
    let left = info["spare_blocks"].as_u64().expect("a number");
    assert_eq!(info["bad_blocks"], 3);
    assert!((2..=5).contains(&left), "{left}");
    assert!(info["read_only"].is_null());
    let text = lab.ok("drive info bad.img");
    let line = format!("{left} left; 3 bad\n");
    assert!(text.contains(&line), "{text}");
    let text = lab.ok("drive check bad.img");
    assert!(text.starts_with("Nothing is wrong"), "{text}");
}

/// Each page is written again and again, until nothing can be written.
#[test]
fn a_worn_out_drive() {
    let lab = lab_of(&(SMALL.to_owned() + "drive = { erase_limit = 3 }"));
    let mut drive = open(&lab);
    let all = drive.capacity() / 1024;
    let mut pages = (0..100_000).map(|n| n % all);
    let error = pages.find_map(|page| drive.write(page * 1024, &[1; 1024]).err());
    let why = "the drive is read-only: an erase block failed, and no spare one is left";
    assert_eq!(error.expect("it wears out").to_string(), why);
    drop(drive);
    let info = state(&lab);
    assert_eq!(
        info["read_only"],
        "an erase block failed, and no spare one is left"
    );
    let text = lab.ok("drive info d.img");
    assert!(text.contains("read-only"), "{text}");
}

#[test]
fn discarded_pages_are_not_valid() {
    let lab = lab();
    used(&lab, true);
    let valid = || pages(&state(&lab), "valid");
    assert_eq!(valid(), 64);
    let mut drive = open(&lab);
    // pages 4 and 41, and parts of their neighbours
    drive.trim(3 * 1024 + 512, 1024 + 600).unwrap();
    drive.trim(41 * 1024, 1024 + 1).unwrap();
    drive.close().unwrap();
    assert_eq!(valid(), 62);
    let mut drive = open(&lab);
    drive.write(41 * 1024, &content(41)).unwrap();
    drive.close().unwrap();
    assert_eq!(valid(), 63);
}

#[test]
fn a_drive_after_a_crash() {
    let lab = lab();
    used(&lab, false);
    // pages wait in memory for the next commit, erases do not
    let left = (1..40u8).find_map(|writes| {
        let mut drive = open(&lab);
        // so no commit begins behind an erase, which may be done before the crash
        drive.watch_power();
        for page in 0..writes {
            drive.write(1024 * u64::from(page), &content(page)).unwrap();
        }
        drop(drive);
        let info = state(&lab);
        (info["undone"] != 0).then_some(info)
    });
    let info = left.expect("a crash behind an erase");
    let before = bytes(&lab);
    assert_eq!(info["left"], "open");
    assert_eq!(info["undone"], 1, "{info}");
    assert_eq!(pages(&info, "valid"), 64);
    for command in ["info", "check"] {
        let text = lab.ok(&["drive", command, "d.img"]);
        let repair = "the next opening repairs it: undoes";
        assert!(text.contains(repair), "{text}");
    }
    assert_eq!(bytes(&lab), before, "looking changes nothing");
    // an opening repairs it and leaves it open again, unless it is closed
    drop(open(&lab));
    let info = state(&lab);
    assert_eq!(info["left"], "open");
    open(&lab).close().unwrap();
    let info = state(&lab);
    assert_eq!(info["left"], "closed");
}

#[test]
fn damage_is_named() {
    let lab = lab();
    used(&lab, true);
    let mut image = bytes(&lab);
    // page 5 was written as 5 and then as 15; page 8, as 8 and then as 18, shares a block with pages that are newest
    let (newest, old) = (place(&image, 15), place(&image, 8));
    image[newest + 700] ^= 1;
    let Ended { stdout, stderr, .. } = checked(&lab, &image);
    let found = "the data of logical page 5 do not have their checksum (the newest version)";
    assert!(stdout.contains(found), "{stdout}");
    assert_eq!(stderr, "error: d.img: the data of 1 page are damaged\n");
    let (chip_block_page, _) = stdout.split_once(": ").expect("a place");
    let numbers = chip_block_page.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<usize> = numbers.filter_map(|n| n.parse().ok()).collect();
    let blocks = lab.json("drive dump d.img --json");
    assert_eq!(
        blocks[numbers[1]]["pages"][numbers[2]]["lpn"], 5,
        "{stdout}"
    );

    image[old + 1] ^= 0x80;
    let Ended { stdout, stderr, .. } = checked(&lab, &image);
    let found = "(an old version, which nothing reads)";
    assert!(stdout.contains(found), "{stdout}");
    assert!(
        stderr.contains("the data of 2 pages are damaged"),
        "{stderr}"
    );
}

#[test]
fn a_spare_area_that_is_damaged_is_named() {
    let lab = lab();
    used(&lab, true);
    let mut image = bytes(&lab);
    // as in docs/image-format.md
    let config = u32::from_le_bytes(image[60..64].try_into().unwrap()) as usize;
    let blocks = (16384 + config).next_multiple_of(4096);
    let spares = (blocks + 28 * 64).next_multiple_of(4096);
    // a page that was written: the second one of block 18
    let at = spares + (18 * 4 + 1) * 32;
    assert_eq!(image[at + 21], 1);
    image[at + 9] ^= 1;
    let ended = checked(&lab, &image);
    let broken =
        "chip 0, erase block 18 of the file, page 1: the spare area does not have its checksum\n";
    assert_eq!(ended.stdout, broken);
    let why = "error: d.img: this image is damaged: ";
    assert!(ended.stderr.starts_with(why), "{}", ended.stderr);
}

/// Damage that another copy makes good, and damage to RAM after the last flush: the drive opens, and says so.
///
/// Planted bug: `check` finds nothing wrong in them.
#[test]
fn damage_that_does_not_keep_a_drive_from_opening_is_reported() {
    let lab = lab_of(&SMALL.replace("\"none\"", "\"lru\", size = \"8KiB\", protected = true"));
    used(&lab, false);
    let whole = bytes(&lab);
    let wrong = |image: &[u8], json: &str, what: &str| {
        let ended = checked(&lab, image);
        assert!(ended.stderr.contains(what), "{}", ended.stderr);
        let text = lab.ok("drive info d.img");
        assert!(text.contains("damage      "), "{text}");
        assert_eq!(state(&lab)[json], 1, "{what}");
    };
    let mut image = whole.clone();
    image[4096..4608].fill(0);
    wrong(
        &image,
        "damaged_copies",
        "1 of the 8 copies of its header and its marks are damaged",
    );
    // the last request, which was not flushed
    let mut image = whole.clone();
    let at = image.windows(1024).rposition(|bytes| bytes == content(30));
    image[at.expect("the page in the mirror") + 7] ^= 1;
    wrong(
        &image,
        "lost_records",
        "1 of the requests in its RAM since the last flush are damaged or have not arrived",
    );
    lab.write("d.img", &whole);
    lab.ok("drive check d.img");
}

#[test]
fn damage_before_the_data() {
    let lab = lab();
    used(&lab, true);
    let whole = bytes(&lab);
    let mut refused = 0;
    // everything before the data, in steps
    for at in (0..place(&whole, 0)).step_by(509) {
        let mut image = whole.clone();
        image[at] ^= 4;
        lab.write("d.img", &image);
        let ended = lab.run("drive check d.img");
        if ended.code == Some(0) {
            continue;
        }
        refused += 1;
        assert!(matches!(ended.code, Some(1 | 2)), "{at}: {:?}", ended.code);
        let is_named = ended.stderr.starts_with("error: d.img: ");
        assert!(
            is_named && !ended.stderr.contains("panicked"),
            "{at}: {}",
            ended.stderr
        );
    }
    assert!(refused > 3, "only {refused} flipped bytes were noticed");
}

#[test]
fn images_that_are_refused() {
    let lab = lab();
    let image = bytes(&lab);
    lab.refused("drive create no/d.img", &["no/d.img: cannot be made"]);
    lab.write("text", "0,W,0,512\n");
    lab.write("empty", "");
    for command in ["info", "check", "dump"] {
        let refused = |name, why: &str| lab.refused(&["drive", command, name], &[name, why]);
        refused("nosuch.img", "No such file");
        refused("text", "this is no flash image");
        refused("empty", "this is no flash image");
        refused("/dev/zero", "this is no flash image");
        refused(".", "this is no flash image");
    }
    // opening it would wait for a writer
    let status = Command::new("mkfifo").arg(lab.path("pipe")).status();
    assert!(status.expect("mkfifo").success());
    lab.refused("drive info pipe", &["pipe: this is no flash image"]);
    lab.refused("drive dump d.img --blocks 28", &["no such erase block"]);
    lab.refused(
        "drive dump d.img --blocks 4-3",
        &["must be a number such as 7"],
    );
    for length in [8192, 12288, image.len() / 2, image.len() - 1] {
        lab.write("cut.img", &image[..length]);
        let ended = lab.run("drive check cut.img");
        assert_eq!(ended.code, Some(1), "{length}: {}", ended.stderr);
        let why = format!(
            "error: cut.img: the file has {length} bytes; an image of this geometry has {}",
            image.len()
        );
        assert!(ended.stderr.starts_with(&why), "{}", ended.stderr);
    }
}

#[test]
fn an_image_that_does_not_fit_in_memory() {
    let lab = Lab::new();
    lab.ok("drive create large.img --set flash.capacity=2TiB --set flash.page_size=16KiB");
    let ended = lab.shell("ulimit -v 600000; exec \"$0\" drive check large.img");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    let why = "error: large.img: no memory for a flash of this size; it takes about ";
    assert!(ended.stderr.starts_with(why), "{}", ended.stderr);
}

// planted bugs: memory for each page of an image that was never used; its holes read as data, which takes minutes
#[test]
fn what_a_large_new_image_holds_is_known_at_once() {
    let lab = Lab::new();
    lab.ok("drive create large.img --preset nvme-tlc");
    let begun = Instant::now();
    let ended = lab.shell("ulimit -v 300000; exec \"$0\" drive info large.img --json");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    let info: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let capacity = info["capacity"].as_u64().expect("bytes");
    assert!(capacity > 900_000_000_000, "{capacity}");
    assert_eq!(info["pages"]["valid"], capacity / 4096);
    assert_eq!(
        (&info["left"], &info["erases"]["max"]),
        (&"new".into(), &0.into())
    );
}

#[test]
fn an_image_in_use() {
    let lab = lab();
    let image = lab.path("d.img");
    let holder = File::open(&image).unwrap();
    flock(&holder, FlockOperation::NonBlockingLockExclusive).unwrap();
    for command in ["info", "check", "dump"] {
        lab.refused(
            &["drive", command, "d.img"],
            &["d.img: another process has this image open"],
        );
    }
    // readers do not exclude each other
    flock(&holder, FlockOperation::NonBlockingLockShared).unwrap();
    lab.ok("drive check d.img");
}

#[test]
fn an_image_that_must_not_be_written() {
    let lab = lab();
    used(&lab, false);
    let before = bytes(&lab);
    fs::set_permissions(lab.path("d.img"), Permissions::from_mode(0o444)).unwrap();
    for command in ["info", "check", "dump"] {
        lab.ok(&["drive", command, "d.img"]);
    }
    assert_eq!(bytes(&lab), before);
}

#[test]
fn configurations_that_are_no_drives() {
    let lab = Lab::new();
    let cases = [
        (
            "ftl.kind=ideal",
            "ftl.kind = \"ideal\": must be an FTL with flash",
        ),
        (
            "buffer.policy=unbounded",
            "buffer.policy = \"unbounded\": must be none or a buffer with a size",
        ),
        (
            "flash.capacity=auto",
            "flash.capacity = \"auto\": must be a size, such as \"1GiB\"",
        ),
        (
            "precondition=random:2",
            "precondition = \"random:2\": must be full or empty for a drive with an image",
        ),
        (
            "ftl.buffer_aware=skip",
            "ftl.buffer_aware = \"skip\": must be off, watch, merge or merge+victim for a drive with an image: skip \
             drops flushed data",
        ),
        ("ftl.kind=nosuch", "ftl.kind = \"nosuch\""),
        ("flash.page_size=100", "flash.page_size = 100"),
    ];
    for (setting, why) in cases {
        let why = format!("error: --set {why}");
        lab.refused(&["drive", "create", "d.img", "--set", setting], &[&why]);
    }
    let protected = "--preset bplru-2008 --set buffer.protected=true --set buffer.size=8M";
    let why = "default drive.hold_ms = 1000: must be at least 3482: the 4096 pages of protected RAM take 3.48 s";
    lab.refused(&format!("drive create d.img {protected}"), &[why]);
    lab.write("ideal.toml", "drain = true\n[ftl]\nkind = \"ideal\"\n");
    let config = "drive create d.img --config ideal.toml";
    lab.refused(config, &["ideal.toml:3: ftl.kind = \"ideal\": must be"]);
    lab.refused("drive create d.img --preset nosuch", &["bplru-2008"]);
}

#[test]
fn every_preset_makes_a_drive() {
    let lab = Lab::new();
    let presets = "bplru-2008 lfs-2010 bagc-2012 deb plru-br-2q sata-tlc dramless-tlc emmc-page";
    for preset in words(presets) {
        let text = lab.ok(&["drive", "create", preset, "--preset", preset]);
        assert!(text.contains("capacity"), "{text}");
        // sparse: a factory state of zeros takes no space
        let file = fs::metadata(lab.path(preset)).unwrap();
        assert!(file.blocks() * 512 < 1 << 20, "{text}");
    }
}
