//! The configuration of a calibrated drive: each key has a source, and the simulator has the fitted write amplification.
//!
//! Planted bugs that these catch: lines that stay free and are not added to the spare ones; a figure of the sheet that is
//! left to the preset; a source that is lost.

use ssdlab_calibrate::TEMPLATE;
use ssdlab_config::{Config, Resolver, Value};
use ssdlab_sim::{Lab, Steady};

use crate::common::{good, near};

const SHEET: &str = r#"
name = "d"
like = "sata-tlc"
[sheet]
source = "sheet 7"
capacity = "960GB"
spare = { value = 0.2, source = "page 3" }
erase_unit = "512MiB"
channels = 4
dies = 16
rated_tbw = 1700
sequential_read_mb_s = 3000
sequential_write_mb_s = 1000
read_latency_us = 90
write_latency_us = 15
random_read_iops = 500000
queue_depth = 64
power_loss_protection = true
[[measurement]]
name = "s"
workload = "sequential"
waf = 1.05
"#;

fn resolved(text: &str, settings: &[&str]) -> Config {
    let mut resolver = Resolver::new();
    resolver
        .file("drive.toml", text.as_bytes())
        .expect("valid keys");
    for setting in settings {
        resolver.set(setting).expect("a valid key");
    }
    resolver.resolve().expect("a valid device")
}

#[test]
fn the_figures_of_the_sheet_are_in_it_with_their_sources() {
    let found = good(SHEET).configuration;
    for line in [
        "# 960 GB, rounded down to whole lines of 513MiB: sheet 7",
        "channels = 4 # sheet 7",
        "chips_per_channel = 4 # 16 dies: sheet 7",
        "pages_per_block = 8208 # erase unit of 512MiB on 16 dies, rounded to whole programs of 48 pages: sheet 7",
        "rated_tbw = 1700 # sheet 7",
        "bus_mb_s = 3000 # reads in order: sheet 7",
        "program_us = 3145.7 # 1000 MB/s of writes in order on 16 dies, with what is written beside data",
        "read_us = 71.2 # 0.88 of a read of 90 µs, less 8",
        "write_host_us = 9 # a write of 15 µs, at most 9: sheet 7",
        "command_us = 2.000 # 500000 reads a second",
        "queue_depth = 64 # sheet 7",
        "protected = true # sheet 7",
        "erase_us = 2504 # assumption: 10 ms for a block of 683 programs, in proportion",
        "program_pages = 48 # ",
        "sense_pages = 16 # ",
        "# page 3, and 3.5 lines that stay free or are half written",
        "multiply its write amplification by that",
    ] {
        assert!(found.contains(line), "{line}\n{found}");
    }
    let sourced = |line: &&str| line.contains(" = ") && !line.contains(" # ");
    assert_eq!(found.lines().find(sourced), None);
}

#[test]
fn the_simulator_has_the_fitted_write_amplification() {
    let drive = SHEET
        .replace("spare = { value = 0.2, source = \"page 3\" }", "")
        .replace("960GB", "1TB")
        .replace("512MiB", "4GiB")
        + "[[measurement]]\nname = \"u\"\nworkload = \"uniform\"\nwaf = 2.94\n";
    let found = good(&drive);
    // lines of 3 MiB instead of 4 GiB: the same number of them
    let lines = (1e12 / (4_u64 << 30) as f64).floor();
    let small = resolved(
        &found.configuration,
        &[
            "flash.pages_per_block=48",
            &format!("flash.capacity={}", lines as u64 * (3 << 20)),
            "buffer.policy=none",
            "timing.model=serial",
        ],
    );
    let pages = small.value("flash.capacity").and_then(|value| {
        if let Value::Int(bytes) = value {
            Some(*bytes as u64 / 4096)
        } else {
            None
        }
    });
    let pages = pages.expect("a capacity");
    let words = format!(
        "uniform --capacity {} --requests {}",
        pages * 4096,
        8 * pages
    );
    let mut device = Steady::new(
        &Lab::new(),
        &small,
        ssdlab_workload::requests(&words).expect("words"),
    )
    .expect("a device");
    device.serve(6 * pages).expect("writes");
    let waf = device
        .serve(2 * pages)
        .expect("writes")
        .waf_pages()
        .expect("writes");
    near(waf, 2.8, 0.015);
}

#[test]
fn the_template_is_valid_and_names_every_figure() {
    assert!(good(TEMPLATE).basis.starts_with("assumption"));
    // what is commented out, and has no space before its key
    let mut lines: Vec<String> = TEMPLATE.lines().map(str::to_owned).collect();
    let sheet = lines
        .iter()
        .position(|line| line.starts_with("[sheet]"))
        .expect("a sheet");
    for line in &mut lines[sheet..] {
        if line.starts_with("# [[") {
            break;
        }
        if !line.starts_with("# flash") {
            *line = line.trim_start_matches("# ").to_owned();
        }
    }
    let found = good(&lines.join("\n"));
    assert!(
        found
            .configuration
            .contains("queue_depth = 128 # data sheet, revision A"),
        "{}",
        found.configuration
    );
    near(found.spare, 0.28, 1e-9);
}

// planted bugs: a burst is taken for the rate of the cells; the sustained rate is ignored; capacitors and their memory that no
// sheet states
#[test]
fn a_burst_is_not_the_rate_of_the_cells() {
    let drive = |lines: &str| {
        let head = "name = \"d\"\nlike = \"nvme-qlc-16k\"\n[sheet]\nsource = \"s\"\ncapacity = \"2TB\"\nmapping_unit = \"16KiB\"\n";
        good(&format!("{head}{lines}")).configuration
    };
    let burst = drive("sequential_write_mb_s = 3000\n");
    let says = "program_us = 8738.1 # as nvme-qlc-16k has it: 3000 MB/s are more than such dies write, so a burst";
    assert!(burst.contains(says), "{burst}");
    assert!(
        !burst.contains("protected = true") && burst.contains("size = \"16MiB\""),
        "{burst}"
    );
    let sustained = drive("sequential_write_mb_s = 3000\nsustained_write_mb_s = 250\n");
    assert!(
        sustained.contains("# 250 MB/s of writes in order"),
        "{sustained}"
    );
    let capacitors = drive("sequential_write_mb_s = 3000\npower_loss_protection = true\n");
    assert!(
        capacitors.contains("# 3000 MB/s of writes in order"),
        "{capacitors}"
    );
    assert!(capacitors.contains("size = \"32MiB\""), "{capacitors}");
}
