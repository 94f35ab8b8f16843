//! `ssdlab lfss`: the data blocks of LFSS in the image of a virtual SSD.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use serde::Serialize;
use ssdlab_drive::{DriveSystems, Home, Lfss, LfssError, OpenOptions};
use ssdlab_words::{bytes, shown_path, thousands};

use super::drive::{ImageArgs, print_facts};
use crate::failure::Failure;
use crate::{examples, output};

#[derive(clap::Subcommand)]
pub enum Command {
    /// Print a data block to standard output, byte by byte; changes nothing
    #[command(after_long_help = examples::LFSS_READ)]
    Read(BlockArgs),
    /// Create a data block, which must not exist yet
    #[command(after_long_help = examples::LFSS_WRITE)]
    Write(DataArgs),
    /// Replace a data block, which must exist
    #[command(after_long_help = examples::LFSS_UPDATE)]
    Update(DataArgs),
    /// Delete a data block, which must exist
    #[command(after_long_help = examples::LFSS_ERASE)]
    Erase(BlockArgs),
    /// Print the size and the number of data blocks, how many are in the buffer region, and the erases; changes nothing
    #[command(after_long_help = examples::LFSS_INFO)]
    Info(InfoArgs),
}

/// A data block in an image.
#[derive(clap::Args)]
pub struct BlockArgs {
    #[command(flatten)]
    image: ImageArgs,
    /// The number of the data block, from 0
    #[arg(value_name = "BLOCK")]
    block: u64,
}

/// A data block and its new content.
#[derive(clap::Args)]
pub struct DataArgs {
    /// The file with the new content, exactly as long as a data block; by default standard input
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    #[command(flatten)]
    at: BlockArgs,
}

#[derive(clap::Args)]
pub struct InfoArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    image: ImageArgs,
    /// Where this data block is, too
    #[arg(value_name = "BLOCK")]
    block: Option<u64>,
}

#[derive(Serialize)]
struct Info {
    image: String,
    /// In bytes.
    block_size: usize,
    blocks: u64,
    /// The data blocks that exist.
    existing: usize,
    /// Of these, the ones in the extra buffer region.
    in_ebr: usize,
    /// Segments erased over the life of the drive.
    erases: u64,
    /// Where the data block is that was asked for: `ebr`, `flash` or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_in: Option<&'static str>,
}

pub fn lfss(command: Command, drives: &DriveSystems) -> Result<(), Failure> {
    match command {
        Command::Read(args) => read(&args, drives),
        Command::Write(args) => put(&args, drives, Lfss::write),
        Command::Update(args) => put(&args, drives, Lfss::update),
        Command::Erase(args) => change(&args, drives, Lfss::erase),
        Command::Info(args) => info(&args, drives),
    }
}

fn read(args: &BlockArgs, drives: &DriveSystems) -> Result<(), Failure> {
    let mut lfss = look(&args.image, drives)?;
    let data = lfss.read(args.block);
    let data = data.map_err(|error| failed(&args.image, &error))?;
    output::print_bytes(&data)
}

/// Gives a data block new content.
fn put(
    args: &DataArgs,
    drives: &DriveSystems,
    call: impl Fn(&mut Lfss, u64, &[u8]) -> Result<(), LfssError>,
) -> Result<(), Failure> {
    let image = &args.at.image;
    // before the drive is opened: it stays free while the data arrive
    let design = drives.design_of(image.path());
    let design = design.map_err(|error| image.failed(&error))?;
    Lfss::suits(design.config()).map_err(|error| failed(image, &error))?;
    let data = content(args, design.page_size())?;
    change(&args.at, drives, |lfss, block| call(lfss, block, &data))
}

/// The new content of a data block of this many bytes; at most that.
fn content(args: &DataArgs, size: u64) -> Result<Vec<u8>, Failure> {
    let (name, read): (_, Box<dyn Read>) = match &args.data {
        None => ("standard input".to_owned(), Box::new(io::stdin())),
        Some(path) => {
            let name = format!("--data {}", shown_path(path));
            let file = File::open(path);
            let file = file.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
            (name, Box::new(file))
        }
    };
    let mut data = Vec::new();
    let all = read.take(size + 1).read_to_end(&mut data);
    all.map_err(|error| Failure::Machine(format!("{name}: {error}")))?;
    let found = match data.len() as u64 {
        found if found == size => return Ok(data),
        found if found > size => format!("more than {size} bytes"),
        found => format!("{found} bytes"),
    };
    let image = shown_path(args.at.image.path());
    let what = format!("{name} has {found}; a data block of {image} has {size}");
    Err(Failure::Input(what))
}

/// Changes a data block, and closes the drive: what a command did survives.
fn change(
    args: &BlockArgs,
    drives: &DriveSystems,
    call: impl FnOnce(&mut Lfss, u64) -> Result<(), LfssError>,
) -> Result<(), Failure> {
    let changed = drives
        .open(args.image.path(), OpenOptions::default())
        .map_err(LfssError::from)
        .and_then(Lfss::over)
        .and_then(|mut lfss| {
            // a call that was refused has changed nothing, but the opening may have repaired the image
            let called = call(&mut lfss, args.block);
            called.and(lfss.close())
        });
    changed.map_err(|error| failed(&args.image, &error))
}

fn info(args: &InfoArgs, drives: &DriveSystems) -> Result<(), Failure> {
    let lfss = look(&args.image, drives)?;
    let home = args.block.map(|block| lfss.home(block)).transpose();
    let home = home.map_err(|error| failed(&args.image, &error))?;
    let info = Info {
        image: shown_path(args.image.path()),
        block_size: lfss.block_size(),
        blocks: lfss.blocks(),
        existing: lfss.existing().count(),
        in_ebr: lfss.in_ebr().len(),
        erases: lfss.erases(),
        block_in: home.map(|home| match home {
            Some(Home::Ebr) => "ebr",
            Some(Home::Flash) => "flash",
            None => "none",
        }),
    };
    if args.json {
        return output::print_json(&info);
    }
    let place = home.map(|home| match home {
        Some(Home::Ebr) => "in the extra buffer region",
        Some(Home::Flash) => "in flash",
        None => "does not exist",
    });
    let mut facts = vec![
        ("image", info.image),
        (
            "data blocks",
            format!(
                "{} of {}; {} exist, {} of them in the extra buffer region",
                thousands(info.blocks),
                bytes(info.block_size as u64),
                thousands(info.existing as u64),
                thousands(info.in_ebr as u64)
            ),
        ),
        ("erases", format!("{} segments", thousands(info.erases))),
    ];
    if let (Some(block), Some(place)) = (args.block, place) {
        facts.push(("data block", format!("{block}: {place}")));
    }
    print_facts(&facts)
}

/// The store in an image that stays as it is.
fn look(image: &ImageArgs, drives: &DriveSystems) -> Result<Lfss, Failure> {
    image.check()?;
    let drive = drives.look_at(image.path());
    let lfss = drive.map_err(LfssError::from).and_then(Lfss::over);
    lfss.map_err(|error| failed(image, &error))
}

/// The failure of a call. A wrong call is the user's; a drive that fails is the machine's.
fn failed(image: &ImageArgs, error: &LfssError) -> Failure {
    let message = format!("{}: {error}", shown_path(image.path()));
    match error {
        LfssError::Drive(error) => image.failed(error),
        LfssError::Block { .. } => Failure::Machine(message),
        _ => Failure::Input(message),
    }
}
