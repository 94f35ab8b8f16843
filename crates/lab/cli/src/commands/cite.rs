//! `ssdlab cite`.

use std::io::Write;
use std::path::PathBuf;

use ssdlab_analysis::Analysis;
use ssdlab_publish::Citations;
use ssdlab_sim::Lab;

use crate::failure::Failure;
use crate::message;
use crate::output::{self, Files};

#[derive(clap::Args)]
pub struct Args {
    /// Results: folders of parts, tables of sweep merge (Parquet, CSV), and files of compare --csv and --json and of run --json
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Write BibTeX to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn cite(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let mut files = Files::default();
    for path in &args.paths {
        files.input("the results", path)?;
    }
    let file = args.output.as_ref();
    let file = file
        .map(|path| files.create("--output", path))
        .transpose()?;
    let catalogue = lab.systems().catalogue();
    let analysis = Analysis::read(&args.paths, &catalogue)?;
    let citations = Citations::of(&analysis, &catalogue, env!("SSDLAB_VERSION"));
    let text = citations.to_string();
    match file {
        Some(mut file) => {
            let written = file.write_all(text.as_bytes());
            written.map_err(|error| Failure::writing(file.path(), &error))?;
            file.finish()?;
        }
        None => output::print(&text)?,
    }
    uncited(&citations.unknown);
    Ok(())
}

/// Tells what has no citation, in one line.
pub fn uncited(unknown: &[String]) {
    if !unknown.is_empty() {
        let what = format!("no citation is known for {}", unknown.join("; "));
        message::complain("note", &what);
    }
}
