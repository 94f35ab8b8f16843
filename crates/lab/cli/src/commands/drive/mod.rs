//! `ssdlab drive`: images of virtual SSDs.

mod check;
mod create;
mod dump;
mod info;

use std::io;
use std::path::{Path, PathBuf};

use ssdlab_drive::{DriveError, DriveSystems, ImageError, Opened};
use ssdlab_sim::Lab;
use ssdlab_words::shown_path;

use crate::examples;
use crate::failure::Failure;
use crate::output::{self, Files};
use crate::screen::Screen;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Create the image of a virtual SSD: a sparse file of flash
    #[command(after_long_help = examples::DRIVE_CREATE)]
    Create(create::Args),
    /// Print the configuration and the state of an image, and what its flash holds
    #[command(after_long_help = examples::DRIVE_INFO)]
    Info(info::Args),
    /// Verify the checksums of all data and tables of an image; changes nothing
    #[command(after_long_help = examples::DRIVE_CHECK)]
    Check(ImageArgs),
    /// Print the state of each erase block
    #[command(after_long_help = examples::DRIVE_DUMP)]
    Dump(dump::Args),
}

/// The image of a command.
#[derive(clap::Args)]
pub struct ImageArgs {
    /// The image
    #[arg(value_name = "IMAGE")]
    path: PathBuf,
}

impl ImageArgs {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that standard output does not change the image.
    pub fn check(&self) -> Result<(), Failure> {
        Files::default().input("the image", &self.path)
    }

    /// The failure of an image.
    pub fn failed(&self, error: &DriveError) -> Failure {
        failed(&self.path, error)
    }
}

pub fn drive(command: Command, lab: &Lab, drives: &DriveSystems) -> Result<(), Failure> {
    match command {
        Command::Create(args) => create::create(&args, lab, drives),
        Command::Info(args) => args.image.check().and_then(|()| info::info(&args, drives)),
        Command::Check(args) => args.check().and_then(|()| check::check(&args, drives)),
        Command::Dump(args) => args.image.check().and_then(|()| dump::dump(&args, drives)),
    }
}

/// The failure of an image. A wrong file is the user's; an image that is damaged or cannot be read is the machine's.
pub fn failed(path: &Path, error: &DriveError) -> Failure {
    let message = format!("{}: {error}", shown_path(path));
    match error {
        DriveError::Image(ImageError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
            Failure::Input(message)
        }
        DriveError::Image(
            ImageError::InUse
            | ImageError::NotAnImage
            | ImageError::Version { .. }
            | ImageError::Shape(_),
        ) => Failure::Input(message),
        _ => Failure::Machine(message),
    }
}

/// How an image was left, in words; and the repair that the next opening makes, if any.
fn how_left(opened: &Opened) -> (&'static str, Option<String>) {
    match opened {
        Opened { new: true, .. } => ("new", None),
        Opened { closed: true, .. } => ("closed", None),
        Opened { undone, .. } => {
            let what = match undone {
                0 => "nothing to undo".to_owned(),
                1 => "undoes 1 page or erase after the last commit".to_owned(),
                more => format!("undoes {more} pages and erases after the last commit"),
            };
            let interrupted = interrupted(opened);
            let repair = format!("the next opening repairs it: {what}{interrupted}");
            ("open", Some(repair))
        }
    }
}

/// What a crash has interrupted, behind a semicolon.
fn interrupted(opened: &Opened) -> String {
    let programs = opened.torn_programs;
    let all = [
        (programs > 0).then(|| format!("programs of {programs} pages")),
        opened.torn_erase.then(|| "an erase".to_owned()),
        opened
            .interrupted_record
            .then(|| "a request to RAM".to_owned()),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    match all.len() {
        0 => String::new(),
        1 if programs == 0 => format!("; {} was interrupted", all[0]),
        _ => format!("; {} were interrupted", all.join(" and ")),
    }
}

/// Prints facts: label and value.
pub fn print_facts(facts: &[(&str, String)]) -> Result<(), Failure> {
    const LABEL: usize = 12;
    output::print(&Screen::stdout().facts(LABEL, facts))
}
