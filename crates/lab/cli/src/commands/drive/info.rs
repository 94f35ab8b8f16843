//! `ssdlab drive info`.

use std::os::unix::fs::MetadataExt;

use serde::Serialize;
use ssdlab_drive::{DriveError, DriveSystems, EraseTotals, Overview, PageTotals};
use ssdlab_words::{shown_path, thousands};

use super::ImageArgs;
use super::create::{device, map_blocks, size};
use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) image: ImageArgs,
}

#[derive(Serialize)]
struct Info {
    image: String,
    /// In bytes.
    capacity: u64,
    /// Of the file.
    file_bytes: u64,
    /// What the file takes on its disk.
    disk_bytes: Option<u64>,
    /// `new`, `closed`, or `open`: after a crash.
    left: &'static str,
    /// Pages and erases after the last commit, which the next opening undoes.
    undone: usize,
    /// Of these, the programs that the crash interrupted.
    torn_programs: usize,
    /// Whether the crash interrupted an erase.
    torn_erase: bool,
    /// Whether the crash interrupted a request to RAM that survives.
    interrupted_record: bool,
    /// Requests to that RAM since the last flush that are damaged or have not arrived, although later ones have.
    lost_records: u64,
    /// Copies of the header and of marks that are damaged.
    damaged_copies: u32,
    commits: u64,
    operations: u64,
    /// Over the life of the drive, beside the operations of the FTL.
    meta: Meta,
    /// Why nothing can be written any more.
    read_only: Option<String>,
    /// Erase blocks, with those of a map.
    blocks: u64,
    /// Erase blocks that can stand in for bad ones.
    spare_blocks: usize,
    bad_blocks: usize,
    pages: PageTotals,
    erases: EraseTotals,
    config: serde_json::Value,
}

#[derive(Serialize)]
struct Meta {
    syncs: u64,
    meta_programs: u64,
    meta_erases: u64,
}

pub fn info(args: &Args, drives: &DriveSystems) -> Result<(), Failure> {
    let overview = drives.overview(&args.image.path);
    let gathered = overview.and_then(|overview| gather(args, &overview));
    let (config, info, repair, damage) = gathered.map_err(|error| args.image.failed(&error))?;
    if args.json {
        return output::print_json(&info);
    }
    let left = match repair {
        None => info.left.to_owned(),
        Some(repair) => format!("open, as a crash leaves it; {repair}"),
    };
    let mut facts = vec![("image", info.image.clone())];
    facts.extend(device(&config));
    facts.push(("file", size(&args.image.path)));
    facts.push(("left", left));
    facts.extend(damage.into_iter().map(|what| ("damage", what)));
    facts.push((
        "history",
        format!(
            "{} commits, {} syncs, {} operations of the flash",
            thousands(info.commits),
            thousands(info.meta.syncs),
            thousands(info.operations)
        ),
    ));
    if info.spare_blocks + info.bad_blocks > 0 {
        let (spare, bad) = (info.spare_blocks, info.bad_blocks);
        facts.push(("spare blocks", format!("{spare} left; {bad} bad")));
    }
    facts.extend(info.read_only.clone().map(|why| ("read-only", why)));
    facts.push((
        "pages",
        format!(
            "{} programmed ({} valid), {} erased, {} torn",
            thousands(info.pages.programmed),
            thousands(info.pages.valid),
            thousands(info.pages.erased),
            thousands(info.pages.torn)
        ),
    ));
    facts.push((
        "erases",
        format!(
            "{}; of each block {} to {}, mean {:.2}",
            thousands(info.erases.total),
            info.erases.min,
            info.erases.max,
            info.erases.mean
        ),
    ));
    let settings = config.changed().into_iter();
    let settings: Vec<String> = settings
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    facts.push(("settings", settings.join(", ")));
    super::print_facts(&facts)
}

/// What is known of an image: its configuration, the object, the repair that the next opening makes, and what is damaged.
type Known = (ssdlab_config::Config, Info, Option<String>, Vec<String>);

fn gather(args: &Args, overview: &Overview) -> Result<Known, DriveError> {
    let Overview {
        design,
        opened,
        meta,
        slots,
        pages,
        erases,
        ..
    } = overview;
    let config = design.config().clone();
    let (left, repair) = super::how_left(opened);
    let file_bytes = design.image_bytes()?;
    let read_only = overview.read_only.map(|why| why.to_string());
    let file = std::fs::metadata(&args.image.path).ok();
    let info = Info {
        image: shown_path(&args.image.path),
        capacity: config.flash.capacity,
        file_bytes,
        disk_bytes: file.map(|file| file.blocks() * 512),
        left,
        undone: opened.undone,
        torn_programs: opened.torn_programs,
        torn_erase: opened.torn_erase,
        interrupted_record: opened.interrupted_record,
        lost_records: opened.lost_records,
        damaged_copies: opened.damaged_copies,
        commits: opened.commits,
        operations: opened.operations,
        meta: Meta {
            syncs: meta.syncs,
            meta_programs: meta.meta_programs,
            meta_erases: meta.meta_erases,
        },
        read_only,
        blocks: u64::from(config.physical_blocks()) + map_blocks(&config),
        spare_blocks: slots.iter().map(|chip| chip.spare.len()).sum(),
        bad_blocks: slots.iter().map(|chip| chip.bad.len()).sum(),
        pages: *pages,
        erases: *erases,
        config: config.to_json(),
    };
    Ok((config, info, repair, opened.damage()))
}
