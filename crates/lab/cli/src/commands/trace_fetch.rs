//! `ssdlab trace fetch`.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use ssdlab_catalogue::Set;
use ssdlab_fetch::{
    Bytes, Client, Event, FetchError, Fetched, Patience, Source, fetch, finish, provenance,
    shown_address,
};
use ssdlab_output::PartFile;
use ssdlab_words::{shown_path, thousands};

use super::trace_catalogue::CatalogueArgs;
use crate::failure::Failure;
use crate::message::complain;
use crate::output::{self, Files};
use crate::progress::Progress;
use crate::screen::Screen;
use ssdlab_arguments::values;

#[derive(clap::Args)]
pub struct Args {
    /// The volume of the set, as `ssdlab trace catalogue NAME` lists them; of an address, a member of that tar archive
    #[arg(long, value_name = "NAME")]
    volume: Option<String>,
    /// Write to this file [default: the name that it has there, in this folder]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Fetch only these bytes, such as 0..300MB or 1GiB..; the second number is that of the byte behind the last one
    #[arg(long, value_name = "FROM..TO", value_parser = bytes, conflicts_with = "limit")]
    bytes: Option<Bytes>,
    /// Fetch only the first bytes, such as 300MB
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    limit: Option<u64>,
    /// Accept the licence of the set
    #[arg(long)]
    accept_licence: bool,
    #[command(flatten)]
    catalogue: CatalogueArgs,
    /// A set of the catalogue, or an address: http://… or https://…
    #[arg(value_name = "NAME|ADDRESS")]
    source: String,
}

fn bytes(text: &str) -> Result<Bytes, String> {
    let (from, to) = values::range(text)?;
    Ok(Bytes { from, to })
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Output(error) => error.into(),
            error if error.is_bad_input() => Self::Input(error.to_string()),
            error => Self::Machine(error.to_string()),
        }
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let bytes = match args.limit {
        Some(limit) => Bytes {
            from: 0,
            to: Some(limit),
        },
        None => args.bytes.unwrap_or_default(),
    };
    let client = Client::new(Patience::default());
    let volume = args.volume.as_deref();
    if args.source.contains("://") {
        let source = searched(|looked| Source::at(&client, &args.source, volume, looked))?;
        return get(args, &client, None, &source, bytes);
    }
    let catalogue = args.catalogue.open()?;
    let set = catalogue.set(&args.source)?;
    if set.accept && !args.accept_licence {
        let address = set.licence_address.as_deref().unwrap_or(&set.address);
        return Err(Failure::Input(format!(
            "{}: its licence must be accepted, with --accept-licence: {} ({address})",
            set.name, set.licence
        )));
    }
    let source = searched(|looked| Source::of(&client, set, volume, looked))?;
    get(args, &client, Some(set), &source, bytes)
}

/// Shows how many members of archives were looked at.
fn searched<T>(search: impl FnOnce(&mut dyn FnMut(u64)) -> T) -> T {
    let mut progress = None;
    search(&mut |_| {
        let progress =
            progress.get_or_insert_with(|| Progress::of_members("members of the archive read"));
        progress.add(1);
    })
}

fn get(
    args: &Args,
    client: &Client,
    set: Option<&Set>,
    source: &Source,
    bytes: Bytes,
) -> Result<(), Failure> {
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| default_name(source, bytes));
    if path.as_os_str() == "-" {
        let why = "--output -: must be a file, so that an interrupted fetch can go on";
        return Err(Failure::Input(why.to_owned()));
    }
    let part = PartFile::open(&path)?;
    let shown = shown_path(&path);
    let mut progress: Option<Progress> = None;
    let (part, fetched) = fetch(client, source, bytes, part, |happened| {
        if let (Event::Arrived { bytes }, Some(progress)) = (&happened, &progress) {
            return progress.add(*bytes);
        }
        // messages take the place of the line of progress
        progress = None;
        match happened {
            Event::GoesOn { at } => {
                complain(
                    "note",
                    &format!("{shown}.part has {} bytes; it goes on there", thousands(at)),
                );
            }
            Event::Anew { why } => complain("warning", &format!("starts anew: {why}")),
            Event::Again { why } => complain("warning", &format!("{why}; trying again")),
            Event::Begins { at, all } => {
                let line = Progress::of_bytes(&source.name, all);
                line.add(at);
                progress = Some(line);
            }
            Event::Arrived { .. } => {}
        }
    })?;
    drop(progress);
    let beside = with_ending(&path, ".provenance.txt");
    let mut note = Files::default().create("--output", &beside)?;
    let text = provenance(set, source, bytes, &fetched);
    let written = note.write_all(text.as_bytes());
    written.map_err(|error| Failure::writing(&beside, &error))?;
    finish(part)?;
    note.finish()?;
    output::print(&report(set, source, &path, &beside, &fetched))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// The name of a file in this folder; that of a range tells the range.
fn default_name(source: &Source, bytes: Bytes) -> PathBuf {
    let Bytes { from, to } = bytes;
    match to {
        None if from == 0 => source.name.clone(),
        None => format!("{}.{from}-", source.name),
        Some(to) => format!("{}.{from}-{to}", source.name),
    }
    .into()
}

fn report(
    set: Option<&Set>,
    source: &Source,
    path: &Path,
    note: &Path,
    fetched: &Fetched,
) -> String {
    const LABEL: usize = 16;
    let size = thousands(fetched.bytes);
    let part = if fetched.is_whole {
        ""
    } else {
        ", a part of the file"
    };
    let compared = match fetched.compared {
        Some("SHA-256") => ", as in the catalogue".to_owned(),
        Some(other) => format!("; {other} as in the catalogue"),
        None => String::new(),
    };
    let mut facts = vec![
        ("file", format!("{}, {size} bytes{part}", shown_path(path))),
        ("from", shown_address(&source.address)),
        ("SHA-256", format!("{}{compared}", fetched.sha256)),
    ];
    if let Some(set) = set {
        facts.push(("licence", set.licence.clone()));
        facts.push(("redistribution", set.redistribution.clone()));
        facts.push(("format", set.format.clone()));
    }
    facts.push(("written beside", shown_path(note)));
    Screen::stdout().facts(LABEL, &facts)
}
