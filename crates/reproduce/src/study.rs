//! What can be run again, and what comes of it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::error::ReproduceError;
use crate::paper::Paper;
use crate::theory::Theory;

/// Something that others say of the systems here, and the runs that it is held against: a paper, or theory.
pub trait Study {
    /// The name of its folder.
    fn name(&self) -> &str;

    /// What it is about.
    fn title(&self) -> &str;

    /// Where it was published.
    fn source(&self) -> &str;

    /// Runs all of it, on all cores. `progress` is called with the number of all steps, once before the first and once
    /// after each.
    ///
    /// # Errors
    /// What was not found wrong before the runs: a trace that cannot be read, a device that fails.
    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError>;
}

/// Is told the number of all steps.
pub type Progress<'a> = &'a (dyn Fn(usize) + Sync);

/// Where and how to run.
pub struct Settings {
    /// The folder of the traces.
    pub traces: PathBuf,
    /// Threads; 0: one for each core.
    pub jobs: usize,
}

/// What came of a study.
pub struct Report {
    /// The files of its folder, names and contents, the page first.
    pub files: Vec<(String, String)>,
    /// The headings of a table of all that was tested.
    pub header: &'static [&'static str],
    /// So many of them, from the left, stand over words and not over numbers.
    pub words: usize,
    /// The lines of the table.
    pub rows: Vec<Vec<String>>,
    /// What is in the table, in a sentence.
    pub sentence: String,
}

/// Reads a study of one kind from its folder.
type Read = fn(&Path, &str) -> Result<Box<dyn Study>, ReproduceError>;

/// The name of a description, and who reads it.
const KINDS: [(&str, Read); 2] = [
    (Paper::DESCRIPTION, |folder, name| {
        Ok(Box::new(Paper::read(folder, name)?))
    }),
    (Theory::DESCRIPTION, |folder, name| {
        Ok(Box::new(Theory::read(folder, name)?))
    }),
];

/// The names of all studies of a folder, sorted; none if there is no such folder.
pub fn studies(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let described = entries.filter(|entry| !kinds(&entry.path()).is_empty());
    let mut names: Vec<String> = described
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Reads a description and checks all of it that can be checked without running anything.
///
/// # Errors
/// A path instead of a name, no such study, or the first thing wrong with it.
pub fn read(folder: &Path, name: &str) -> Result<Box<dyn Study>, ReproduceError> {
    let hint = || match &studies(folder)[..] {
        [] => format!("{} describes nothing", folder.display()),
        names => format!("one of: {}", names.join(", ")),
    };
    if !is_name(name) {
        let (name, hint) = (name.to_owned(), hint());
        return Err(ReproduceError::Path { name, hint });
    }
    let path = folder.join(name);
    match kinds(&path)[..] {
        [(_, read)] => read(folder, name),
        [] => Err(ReproduceError::Unknown {
            path,
            names: KINDS.map(|(name, _)| name).join(" or "),
            hint: hint(),
        }),
        _ => Err(ReproduceError::Ambiguous {
            path,
            names: KINDS.map(|(name, _)| name).join(" and "),
        }),
    }
}

/// Whether it names something in a folder, and nothing above or below.
fn is_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.next() == Some(Component::Normal(name.as_ref()))
}

/// What a folder describes; one kind is as it should be.
fn kinds(folder: &Path) -> Vec<&'static (&'static str, Read)> {
    let kinds = KINDS.iter();
    kinds
        .filter(|(name, _)| folder.join(name).is_file())
        .collect()
}
