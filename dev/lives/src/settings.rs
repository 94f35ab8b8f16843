//! Random drives.

use std::sync::Arc;

use fastrand::Rng;
use ssdlab_config::{Config, Resolver};
use ssdlab_device::Family;
use ssdlab_device::registry::built_in;
use ssdlab_drive::Design;

use crate::theme::Theme;

/// A drive of these settings; `None` if they do not go together.
pub fn design(settings: &[String]) -> Option<Arc<Design>> {
    let mut resolver = Resolver::new();
    for setting in settings {
        resolver.set(setting).ok()?;
    }
    let config = resolver.resolve().ok()?;
    let mut design = Design::new(config).ok()?;
    if is_timed(design.config()) {
        design = design.timed().ok()?;
    }
    Some(Arc::new(design))
}

/// Some drives of the parallel model give each request its time.
pub fn is_timed(config: &Config) -> bool {
    config.has_clocks() && config.drive().fault_seed.is_multiple_of(2)
}

/// Some drives are opened with the configuration that their image keeps, not with the one that made it.
pub fn opens_by_image(config: &Config) -> bool {
    config.drive().fault_seed % 4 == 1
}

/// Whether pages of this drive may be lost.
pub fn is_lossy(design: &Design) -> bool {
    let drive = design.config().drive();
    // Poisson: beyond 7.5 standard deviations is a page in 10^12; at six, hours of lives find one
    drive.bit_errors + 7.5 * drive.bit_errors.sqrt() > f64::from(drive.ecc_bits)
}

/// Whether this drive wears out some day.
pub fn wears_out(design: &Design) -> bool {
    let drive = design.config().drive();
    drive.erase_limit > 0 || drive.erase_failures > 0.0 || drive.program_failures > 0.0
}

/// One of these.
fn choose<'a>(random: &mut Rng, of: &[&'a str]) -> &'a str {
    of[random.usize(..of.len())]
}

/// A setting of this key, to one of these values.
fn chosen(random: &mut Rng, key: &str, values: &[&str]) -> String {
    format!("{key}={}", choose(random, values))
}

/// The settings of a possible drive.
pub fn some(random: &mut Rng, theme: Theme) -> Vec<String> {
    loop {
        let settings = draw(random, theme);
        if design(&settings).is_some() {
            return settings;
        }
    }
}

fn draw(random: &mut Rng, theme: Theme) -> Vec<String> {
    let ftl = match random.u8(..3) {
        0 => "page",
        _ => name(random, Family::Ftl),
    };
    let page = match theme {
        // few records fill the mirror
        Theme::Ram => 4096,
        _ if random.u8(..8) == 0 => 1536,
        _ => 512 << random.u8(..4),
    };
    let per_block = match random.u8(..4) {
        0 => random.u32(2..20),
        _ => 2 << random.u8(..4),
    };
    let mut all = shape(random, page, per_block);
    all.push(format!("ftl.kind={ftl}"));
    all.extend(of_ftl(random, ftl));
    let is_region = all.iter().any(|setting| setting.starts_with("ftl.ram="));
    if is_region {
        all.push("buffer.policy=none".into());
    } else {
        all.extend(buffer(random, theme));
    }
    if random.u8(..6) == 0 {
        all.push(chosen(
            random,
            "read_buffer.policy",
            &["lru", "fifo", "zone"],
        ));
        all.push("read_buffer.size=8KiB".into());
        all.push(chosen(random, "read_buffer.writes", &["bypass", "cache"]));
    }
    all.extend(rare(random).map(str::to_owned));
    all.extend(faults(random, theme, page * per_block));
    all
}

/// Keys that few drives set, and one of their values, which need not go with the others.
const RARE: [&str; 10] = [
    "flash.planes=2",
    "flash.planes=3 flash.copy_back=true",
    "ftl.gc_low=3 ftl.pace=paced",
    "ftl.regions=2 ftl.pace=paced",
    "buffer.count_headers=all",
    "buffer.padding=mapped",
    "buffer.padding=off",
    "buffer.compensation=false",
    "buffer.flush_age_s=0.0005",
    "queue_depth=4",
];

fn rare(random: &mut Rng) -> impl Iterator<Item = &'static str> {
    let one = match random.u8(..4) {
        0 => choose(random, &RARE),
        _ => "",
    };
    one.split_whitespace()
}

fn name(random: &mut Rng, family: Family) -> &'static str {
    let all = built_in(family);
    all[random.usize(..all.len())].name
}

fn shape(random: &mut Rng, page: u32, per_block: u32) -> Vec<String> {
    let block = page * per_block;
    let capacity = [32, 64, 64, 128, 192][random.usize(..5)] << 10;
    let mut all = vec![
        format!("flash.page_size={page}"),
        format!("flash.pages_per_block={per_block}"),
        format!("flash.capacity={}", (capacity / block * block).max(block)),
        chosen(random, "precondition", &["full", "empty"]),
        chosen(random, "partial_writes", &["whole", "rmw"]),
    ];
    if random.u8(..3) == 0 {
        all.push(chosen(random, "flash.channels", &["1", "2"]));
        all.push(chosen(random, "flash.chips_per_channel", &["1", "2"]));
        all.push(chosen(
            random,
            "flash.interleave",
            &["page", "line", "superpage"],
        ));
    }
    if random.u8(..6) == 0 {
        all.push("timing.model=parallel".into());
    }
    all
}

fn of_ftl(random: &mut Rng, ftl: &str) -> Vec<String> {
    let mut all = Vec::new();
    match ftl {
        "page" => {
            // regions in RAM have the most to lose
            let placement = match random.bool() {
                true => choose(random, &["single", "dac", "dac+", "deb"]),
                false => name(random, Family::Placement),
            };
            all.push(format!("ftl.placement={placement}"));
            all.push(format!("ftl.cleaning={}", name(random, Family::Cleaning)));
            all.push(chosen(random, "ftl.spare_blocks", &["6", "10", "16"]));
            all.extend(of_placement(random, placement));
            if ["dac+", "deb"].contains(&placement) {
                all.push(chosen(random, "ftl.ram", &["2KiB", "8KiB", "20KiB"]));
            } else if random.u8(..3) == 0 {
                all.extend(map(random));
            }
        }
        "bast" | "fast" => {
            all.push(chosen(random, "ftl.log_blocks", &["2", "3", "5"]));
        }
        "superblock" => {
            all.push(chosen(
                random,
                "ftl.blocks_per_superblock",
                &["2", "4", "8"],
            ));
        }
        _ => {}
    }
    if ["bast", "fast", "superblock", "page"].contains(&ftl) {
        let aware = choose(random, &["off", "merge", "merge+victim"]);
        all.push(format!("ftl.buffer_aware={aware}"));
    }
    all
}

/// A map in flash.
fn map(random: &mut Rng) -> [String; 4] {
    [
        chosen(random, "ftl.map", &["dftl", "tpftl", "pages", "leaftl"]),
        chosen(random, "ftl.map_cache", &["80", "8KiB", "40KiB"]),
        chosen(random, "ftl.map_entry", &["4", "64"]),
        chosen(random, "ftl.map_sync", &["0", "30"]),
    ]
}

fn of_placement(random: &mut Rng, placement: &str) -> Vec<String> {
    match placement {
        "dac" | "dac+" | "deb" => vec!["ftl.stable_s=[20, 40, 60, 80]".into()],
        "fdp" => vec![
            chosen(random, "ftl.handles", &["1", "2", "3"]),
            chosen(random, "ftl.handle_types", &["ii", "pi"]),
        ],
        "dac-updates" => vec![chosen(random, "ftl.regions", &["2", "4"])],
        "tt" | "2a" => vec!["ftl.heads=2".into()],
        _ => Vec::new(),
    }
}

fn buffer(random: &mut Rng, theme: Theme) -> Vec<String> {
    let policy = match random.u8(..5) {
        0 if theme != Theme::Ram => "none",
        _ => name(random, Family::Buffer),
    };
    let size = choose(random, &["4KiB", "6KiB", "8KiB", "20KiB", "40KiB"]);
    vec![
        format!("buffer.policy={policy}"),
        format!("buffer.size={size}"),
        format!(
            "buffer.protected={}",
            [Theme::Ram, Theme::Damage].contains(&theme) || random.bool()
        ),
        chosen(random, "buffer.reads", &["bypass", "cache"]),
    ]
}

/// How bad the flash is; its blocks have `block` bytes.
fn faults(random: &mut Rng, theme: Theme, block: u32) -> Vec<String> {
    // enough for a long life, in an image that is short enough to be copied often
    let many = ((2 << 20) / block).min(400).to_string();
    let mut all = vec![format!("drive.fault_seed={}", random.u32(..1000))];
    let kind = match theme {
        Theme::Calm => random.u8(3..8),
        Theme::Wear => random.u8(..4),
        Theme::Ram | Theme::Disk | Theme::Damage => random.u8(2..16),
        Theme::Crashes | Theme::Any => random.u8(..8),
    };
    match kind {
        // soon worn out
        0..3 => {
            let (limit, spare) = (random.u8(2..9), random.u8(..4));
            all.push(format!("drive.erase_limit={limit}"));
            all.push(format!("drive.spare_blocks={spare}"));
            if spare > 0 && random.bool() {
                all.push(format!("drive.bad_blocks={}", random.u8(..=spare)));
            }
        }
        // failing now and then, with spare blocks for long or for a while
        3 => {
            all.push(chosen(random, "drive.spare_blocks", &["6", "20", &many]));
            all.push(chosen(random, "drive.program_failures", &["0.01", "0.05"]));
            all.push(chosen(random, "drive.erase_failures", &["0.05", "0.2"]));
            all.push(chosen(random, "drive.bad_blocks", &["0", "3"]));
        }
        // wrong bits, which move pages before they are lost
        4 => {
            all.push(chosen(random, "drive.spare_blocks", &["4", &many]));
            all.push("drive.bit_errors=175".into());
            all.push("drive.ecc_bits=280".into());
        }
        // wrong bits that lose pages
        5 => {
            all.push(chosen(random, "drive.spare_blocks", &["4", "60", &many]));
            all.push("drive.bit_errors=10".into());
            all.push(chosen(random, "drive.ecc_bits", &["16", "20"]));
        }
        _ => {}
    }
    all
}
