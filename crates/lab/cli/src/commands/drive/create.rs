//! `ssdlab drive create`.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ssdlab_config::Config;
use ssdlab_drive::{Drive, DriveError, DriveSystems, ImageError};
use ssdlab_sim::Lab;
use ssdlab_words::{bytes, shown_path, thousands};

use crate::commands::config_args::ConfigArgs;
use crate::failure::Failure;
use crate::message;

#[derive(clap::Args)]
pub struct Args {
    /// The file to create; it must not exist yet
    #[arg(value_name = "IMAGE")]
    path: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
}

pub fn create(args: &Args, lab: &Lab, drives: &DriveSystems) -> Result<(), Failure> {
    args.config.files()?;
    let config = args.config.resolver(lab)?.resolve()?;
    message::warn(&config.warnings);
    let design = drives
        .design(&config)
        .map_err(|error| refused(&config, &error))?;
    Drive::create(&args.path, &design).map_err(|error| not_made(&args.path, &error))?;
    let mut facts = vec![("image", shown_path(&args.path))];
    facts.extend(device(&config));
    facts.push(("file", size(&args.path)));
    super::print_facts(&facts)
}

/// What an image is made of: label and value.
pub fn device(config: &Config) -> Vec<(&'static str, String)> {
    let flash = &config.flash;
    let buffer = match config.buffer_pages() {
        0 => config.policy.to_owned(),
        _ => format!("{}, {}", config.policy, bytes(config.buffer.size)),
    };
    let chips = match flash.separate_chips() {
        1 => String::new(),
        chips => format!(" on {chips} chips"),
    };
    let (logical, physical) = (config.logical_blocks(), config.physical_blocks());
    let map = match map_blocks(config) {
        0 => String::new(),
        blocks => format!("; {} more for the map", thousands(blocks)),
    };
    vec![
        ("capacity", bytes(flash.capacity)),
        (
            "flash",
            format!(
                "{} erase blocks{chips}, {} of them spare; {} pages of {} each{map}",
                thousands(physical.into()),
                thousands(physical.saturating_sub(logical).into()),
                thousands(flash.pages_per_block.into()),
                bytes(flash.page_size.into())
            ),
        ),
        ("FTL", config.ftl.to_owned()),
        ("buffer", buffer),
    ]
}

/// The erase blocks of a map in flash, on all chips.
pub fn map_blocks(config: &Config) -> u64 {
    let of_chip = config.needs.map.map_or(0, |map| map.blocks);
    u64::from(of_chip) * u64::from(config.flash.separate_chips())
}

/// The length of a file, and what it takes on the disk.
pub fn size(path: &Path) -> String {
    match std::fs::metadata(path) {
        Ok(file) => format!(
            "{} bytes, of which {} on the disk",
            thousands(file.len()),
            bytes(file.blocks() * 512)
        ),
        Err(error) => error.to_string(),
    }
}

/// A configuration that cannot be that of a drive.
fn refused(config: &Config, error: &DriveError) -> Failure {
    match error {
        DriveError::Impossible { key, why } => match config.refusal(key, why.clone()) {
            Some(error) => error.into(),
            None => Failure::Input(error.to_string()),
        },
        error => Failure::Input(error.to_string()),
    }
}

fn not_made(path: &Path, error: &DriveError) -> Failure {
    let shown = shown_path(path);
    match error {
        DriveError::Image(ImageError::Io(error)) => match error.kind() {
            io::ErrorKind::AlreadyExists => {
                let why = "exists already; choose another name, or remove it first";
                Failure::Input(format!("{shown}: {why}"))
            }
            io::ErrorKind::NotFound => Failure::Input(format!("{shown}: cannot be made: {error}")),
            _ => Failure::Machine(format!("{shown}: cannot be made: {error}")),
        },
        error => super::failed(path, error),
    }
}
