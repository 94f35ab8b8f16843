//! `ssdlab drive check`.

use ssdlab_drive::{BrokenEntry, DamagedPage, Drive, DriveError, DriveSystems, ImageError};
use ssdlab_words::{shown_path, thousands};

use super::ImageArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;

/// Damaged pages that are named; more are counted.
const NAMED: u64 = 100;

pub fn check(args: &ImageArgs, drives: &DriveSystems) -> Result<(), Failure> {
    let checked = drives.look_at(&args.path).and_then(inspect);
    let Checked {
        blocks,
        repair,
        mut wrong,
        damaged,
        count,
    } = match checked {
        Ok(checked) => checked,
        Err(error) => {
            if let DriveError::Image(ImageError::Damaged(_)) = error {
                name_broken(args)?;
            }
            return Err(args.failed(&error));
        }
    };
    let mut text = String::new();
    if let Some(repair) = repair {
        text += &format!("It was not closed, as after a crash; {repair}.\n");
    }
    if wrong.is_empty() && count == 0 {
        let blocks = thousands(blocks);
        text += &format!(
            "Nothing is wrong: all tables, spare areas and data of {blocks} erase blocks.\n"
        );
        return output::print(&text);
    }
    for page in &damaged {
        text += &format!("{}\n", words(page));
    }
    if count > NAMED {
        text += &format!("… and {} more\n", thousands(count - NAMED));
    }
    output::print(&text)?;
    let pages = match count {
        0 => None,
        1 => Some("the data of 1 page are damaged".to_owned()),
        more => Some(format!("the data of {} pages are damaged", thousands(more))),
    };
    wrong.extend(pages);
    let (image, wrong) = (shown_path(&args.path), wrong.join("; "));
    Err(Failure::Machine(format!("{image}: {wrong}")))
}

/// Prints what is broken in an image that does not open. The error that follows says that it does not open, so an error
/// here adds nothing.
fn name_broken(args: &ImageArgs) -> Result<(), Failure> {
    let broken = Drive::broken_entries(&args.path, NAMED as usize).unwrap_or_default();
    let words = |BrokenEntry { chip, slot, page }: &BrokenEntry| match page {
        Some(page) => format!(
            "chip {chip}, erase block {slot} of the file, page {page}: the spare area does not have its checksum\n"
        ),
        None => format!(
            "chip {chip}, erase block {slot} of the file: an entry does not have its checksum\n"
        ),
    };
    output::print(&broken.iter().map(words).collect::<String>())
}

/// What a check has found.
struct Checked {
    blocks: u64,
    /// The repair that the next opening makes.
    repair: Option<String>,
    /// What is wrong in the tables, or missing.
    wrong: Vec<String>,
    /// The first of the damaged pages.
    damaged: Vec<DamagedPage>,
    /// All of them.
    count: u64,
}

fn inspect(mut drive: Drive) -> Result<Checked, DriveError> {
    let mut wrong = drive.opened().damage();
    match drive.check() {
        Ok(()) => {}
        Err(DriveError::Wrong(what)) => wrong.push(format!("the tables are wrong: {what}")),
        Err(error) => return Err(error),
    }
    let mut checked = Checked {
        blocks: drive.block_count(),
        repair: super::how_left(&drive.opened()).1,
        wrong,
        damaged: Vec::new(),
        count: 0,
    };
    let progress = Progress::of("checking", checked.blocks);
    for block in drive.damaged() {
        for page in block? {
            if checked.count < NAMED {
                checked.damaged.push(page);
            }
            checked.count += 1;
        }
        progress.add(1);
    }
    Ok(checked)
}

fn words(page: &DamagedPage) -> String {
    let version = if page.newest {
        "the newest version"
    } else {
        "an old version, which nothing reads"
    };
    let what = if page.lost {
        "had too many wrong bits and are lost"
    } else {
        "do not have their checksum"
    };
    format!(
        "chip {}, block {}, page {}: the data of logical page {} {what} ({version})",
        page.chip, page.block.0, page.position, page.lpn.0
    )
}
