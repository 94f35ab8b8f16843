//! A system in a folder. Planted bugs that these catch: sectors of 4096 bytes; a partition taken for a drive; the name of a program
//! with spaces and parentheses.

use std::fs;
use std::path::Path;

use ssdlab_counters::Kind;
use ssdlab_counters::host::look;

fn system() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let line = |minor: u8, name: &str, sectors: u64| {
        format!("179 {minor} {name} 1 2 3 4 5 6 {sectors} 8 0 9 9\n")
    };
    write(
        "proc/diskstats",
        &[
            line(0, "mmcblk0", 100_000_000),
            line(1, "mmcblk0p1", 5),
            line(2, "sda", 7),
            line(3, "loop0", 7),
        ]
        .concat(),
    );
    write("sys/block/mmcblk0/size", "31116288\n");
    write("sys/block/mmcblk0/device/name", "SD16G\n");
    write("sys/block/mmcblk0/device/life_time", "0x01 0x0b\n");
    write("sys/block/mmcblk0/queue/rotational", "0\n");
    write("sys/block/sda/queue/rotational", "1\n");
    write("sys/block/loop0/size", "8\n");
    write("proc/uptime", "604800.25 1.0\n");
    write(
        "proc/7/io",
        "rchar: 1\nwrite_bytes: 5000\ncancelled_write_bytes: 1000\n",
    );
    let fields = vec!["1"; 18].join(" ");
    write("proc/7/stat", &format!("7 (a ) b) S {fields} 51840025 0\n"));
    root
}

#[test]
fn the_only_flash_is_found_without_its_name() {
    let root = system();
    for device in [None, Some("mmcblk0"), Some("/dev/mmcblk0")] {
        let look = look(root.path(), Some(device), Some(7)).expect("a look");
        let disk = look.disk.clone().expect("a drive");
        assert_eq!(
            (disk.device.as_str(), disk.written, disk.kind),
            ("mmcblk0", 51_200_000_000, Some(Kind::Mmc))
        );
        assert_eq!(
            (disk.capacity, disk.used, disk.model.as_deref()),
            (31_116_288 * 512, Some(100), Some("SD16G"))
        );
        assert_eq!(look.process, Some((7, 4000)));
        assert!(
            (look.days - 7.0).abs() < 1e-3 && (look.process_days - 1.0).abs() < 1e-3,
            "{look:?}"
        );
    }
}

#[test]
fn what_is_not_there_is_named() {
    let root = system();
    for (device, pid, why) in [
        (
            Some(Some("mmcblk0p1")),
            None,
            "there is no drive \"mmcblk0p1\"; there are mmcblk0 and sda",
        ),
        (None, Some(8), "there is no such process"),
    ] {
        let said = look(root.path(), device, pid)
            .expect_err("a refusal")
            .to_string();
        assert!(said.contains(why), "{said}");
    }
    fs::remove_file(root.path().join("proc/diskstats")).expect("it is there");
    assert!(
        look(root.path(), Some(None), None)
            .expect_err("a refusal")
            .to_string()
            .contains("--here needs Linux")
    );
}
