//! `ssdlab trace catalogue`.

use std::path::{Path, PathBuf};

use ssdlab_catalogue::{Catalogue, CatalogueError, Known, Set, got, page};
use ssdlab_words::{shown_path, thousands};

use crate::failure::Failure;
use crate::output;
use crate::screen::{Screen, Table};

#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the whole catalogue as a page in Markdown
    #[arg(long, conflicts_with_all = ["json", "name"])]
    markdown: bool,
    #[command(flatten)]
    catalogue: CatalogueArgs,
    /// The set of which to tell all [default: a line for each]
    name: Option<String>,
}

/// Which catalogue to use.
#[derive(clap::Args)]
pub struct CatalogueArgs {
    /// Use this catalogue instead of the one of ssdlab, such as that of a mirror
    #[arg(long, value_name = "FILE")]
    catalogue: Option<PathBuf>,
}

impl CatalogueArgs {
    /// Reads the catalogue.
    ///
    /// # Errors
    /// The file cannot be read, or is no catalogue.
    pub fn open(&self) -> Result<Catalogue, Failure> {
        let Some(path) = &self.catalogue else {
            return Ok(Catalogue::built_in()?);
        };
        let about = |path: &Path, why: &str| format!("--catalogue {}: {why}", shown_path(path));
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| Failure::Input(about(path, &error.to_string())))?;
        Catalogue::parse(&text).map_err(|error| Failure::Input(about(path, &error.to_string())))
    }
}

impl From<CatalogueError> for Failure {
    fn from(error: CatalogueError) -> Self {
        Self::Input(error.to_string())
    }
}

pub fn catalogue(args: &Args) -> Result<(), Failure> {
    let catalogue = args.catalogue.open()?;
    if args.markdown {
        return output::print(&page(&catalogue));
    }
    match &args.name {
        None if args.json => output::print_json(&catalogue),
        None => output::print(&overview(&catalogue)),
        Some(name) => {
            let set = catalogue.set(name)?;
            if args.json {
                return output::print_json(set);
            }
            output::print(&all_about(set))
        }
    }
}

fn overview(catalogue: &Catalogue) -> String {
    let header = [
        "set",
        "format",
        "fetched by",
        "recorded",
        "what it is",
        "volumes",
    ];
    let mut table = Table::new(&header, 5).dispensable(&["recorded", "volumes"]);
    for set in catalogue.sets() {
        let volumes = set.volumes.map_or("-".to_owned(), thousands);
        let cells = [&set.name, &set.format, set.way(), &set.years, &set.title];
        table.add(cells.map(str::to_owned).into_iter().chain([volumes]));
    }
    format!(
        "{}\n\n`ssdlab trace catalogue NAME` tells size, terms, citation and traps; `ssdlab trace fetch NAME` gets a \
         volume.\n",
        table.fit(&Screen::stdout())
    )
}

fn all_about(set: &Set) -> String {
    const LABEL: usize = 16;
    let mut facts = vec![
        ("set", format!("{}: {}", set.name, set.title)),
        ("page", set.address.clone()),
        ("format", set.format.clone()),
        ("size", set.size.clone()),
        (
            "volumes",
            set.volumes.map_or("not checked".to_owned(), thousands),
        ),
        ("recorded", set.years.clone()),
        ("licence", set.licence.clone()),
    ];
    let terms = set.licence_address.clone();
    facts.extend(terms.map(|address| ("licence at", address)));
    facts.push(("redistribution", set.redistribution.clone()));
    facts.push(("fetched", got(set)));
    if set.accept {
        let how = "`ssdlab trace fetch` needs --accept-licence";
        facts.push(("terms", how.to_owned()));
    }
    facts.extend(set.known.iter().map(|known| ("known", shown(known))));
    facts.extend(set.traps.iter().map(|trap| ("trap", trap.clone())));
    facts.extend(set.sources.iter().map(|source| ("read in", source.clone())));
    let text = Screen::stdout().facts(LABEL, &facts);
    format!("{text}\n{}\n", set.citation.trim())
}

fn shown(known: &Known) -> String {
    let hash =
        |name: &str, hash: &Option<String>| hash.as_ref().map(|hash| format!("{name} {hash}"));
    let parts = [
        known.volume.clone(),
        known
            .bytes
            .map(|bytes| format!("{} bytes", thousands(bytes))),
        hash("SHA-256", &known.sha256),
        hash("MD5", &known.md5),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
