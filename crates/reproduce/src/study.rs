//! What can be run again, and what comes of it.

use std::path::PathBuf;

use crate::error::ReproduceError;

/// Something that others say of the systems here, and the runs that it is held against: a paper, or theory.
pub trait Study {
    /// Its short name, which is that of its folder.
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
