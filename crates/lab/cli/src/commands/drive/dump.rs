//! `ssdlab drive dump`.

use std::io::{self, BufWriter, Write};
use std::ops::RangeInclusive;

use serde::{Serialize, Serializer};
use ssdlab_drive::{BlockState, DriveError, DriveSystems, PageState, PageTotals};

use super::ImageArgs;
use crate::failure::Failure;
use crate::output;
use crate::screen::{Screen, Table};

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON array, with every page
    #[arg(long)]
    json: bool,
    /// Only these erase blocks of each chip: one number, or the first and the last one
    #[arg(long, value_name = "FIRST-LAST", value_parser = range)]
    blocks: Option<RangeInclusive<u32>>,
    #[command(flatten)]
    pub(super) image: ImageArgs,
}

fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse::<u32>(), last.parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
        _ => Err("must be a number such as 7, or a range such as 0-15".to_owned()),
    }
}

/// A block in JSON.
#[derive(Serialize)]
struct Block {
    chip: u32,
    block: u32,
    slot: u32,
    erases: u32,
    pages: Vec<Page>,
}

/// A page in JSON: an object, or its state if it holds nothing.
struct Page(PageState);

#[derive(Serialize)]
struct Programmed {
    lpn: u32,
    role: u8,
    sequence: u64,
    valid: bool,
}

impl Serialize for Page {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            PageState::Erased => to.serialize_str("erased"),
            PageState::Torn => to.serialize_str("torn"),
            PageState::Programmed {
                lpn,
                role,
                sequence,
                newest,
            } => Programmed {
                lpn: lpn.0,
                role: role.0,
                sequence,
                valid: newest,
            }
            .serialize(to),
        }
    }
}

pub fn dump(args: &Args, drives: &DriveSystems) -> Result<(), Failure> {
    let failed = |error: DriveError| args.image.failed(&error);
    let drive = drives.look_at(&args.image.path).map_err(failed)?;
    let is_chosen = |block: &Result<BlockState, DriveError>| match (block, &args.blocks) {
        (Ok(block), Some(numbers)) => numbers.contains(&block.block.0),
        _ => true,
    };
    let mut blocks = drive.blocks().filter(is_chosen).peekable();
    if let (None, Some(numbers)) = (blocks.peek(), &args.blocks) {
        let (first, last) = (numbers.start(), numbers.end());
        let why = format!("--blocks {first}-{last}: the image has no such erase block");
        return Err(Failure::Input(why));
    }
    if args.json {
        let mut error = None;
        let good = blocks.map_while(|block| block.map_err(|wrong| error = Some(wrong)).ok());
        let printed = output::stdout().and_then(|out| json(BufWriter::new(out), good));
        printed.map_err(|error| Failure::printing(&error))?;
        return error.map_or(Ok(()), |error| Err(failed(error)));
    }
    let header = [
        "chip",
        "block",
        "slot",
        "erases",
        "programmed",
        "valid",
        "erased",
        "torn",
    ];
    let mut table = Table::new(&header, 0);
    for block in blocks {
        let block = block.map_err(failed)?;
        let pages = PageTotals::of(&block);
        let counts = [pages.programmed, pages.valid, pages.erased, pages.torn];
        let place = [block.chip, block.block.0, block.slot, block.erases].map(u64::from);
        let numbers = place.into_iter().chain(counts);
        table.add(numbers.map(|number| number.to_string()));
    }
    output::print(&format!("{}\n", table.fit(&Screen::stdout())))
}

/// Prints the blocks one by one, so that memory does not grow with the image.
fn json(mut out: impl Write, blocks: impl Iterator<Item = BlockState>) -> io::Result<()> {
    let mut between = "[\n  ";
    for block in blocks {
        out.write_all(between.as_bytes())?;
        let block = Block {
            chip: block.chip,
            block: block.block.0,
            slot: block.slot,
            erases: block.erases,
            pages: block.pages.into_iter().map(Page).collect(),
        };
        serde_json::to_writer(&mut out, &block)?;
        between = ",\n  ";
    }
    out.write_all(b"\n]\n")?;
    out.flush()
}
