//! Results that ssdlab can run again.

use std::path::PathBuf;

use ssdlab_sim::StopFlag;

use crate::error::ReproduceError;

/// A result and the runs that it stands on: a paper, theory, or a contest.
pub trait Study {
    /// Its short name, which is that of its folder.
    fn name(&self) -> &str;

    /// Its title.
    fn title(&self) -> &str;

    /// Where it was published.
    fn source(&self) -> &str;

    /// Its main result, if its description says what became of it.
    fn result(&self) -> Option<String> {
        None
    }

    /// The files that it reads: the description, and traces.
    fn inputs(&self, settings: &Settings) -> Vec<PathBuf>;

    /// Runs all of it, on all cores. `progress` is called with the number of all runs, once before the first and once
    /// after each.
    ///
    /// # Errors
    /// Errors that only a run can show: a trace that cannot be read, a device that fails.
    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError>;
}

/// Called with the number of all runs.
pub type Progress<'a> = &'a (dyn Fn(usize) + Sync);

/// Where and how to run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The folder of the traces.
    pub traces: PathBuf,
    /// Threads; 0: one for each core.
    pub jobs: usize,
    /// The folder that keeps what each run measured: a run that it has is not run again.
    pub results: Option<PathBuf>,
    /// The version of ssdlab, and the commit if the build knows it. Results of other versions are not taken.
    pub version: String,
    /// Once set, no run begins, and those that run end with [`SimError::Stopped`](ssdlab_sim::SimError::Stopped).
    pub stop: StopFlag,
}

/// The result of a study.
pub struct Report {
    /// The files of its folder, names and contents, the page first.
    pub files: Vec<(String, String)>,
    /// The headings of a table of all that was tested.
    pub header: &'static [&'static str],
    /// The number of leading columns with text instead of numbers.
    pub words: usize,
    /// The lines of the table.
    pub rows: Vec<Vec<String>>,
    /// A sentence that sums up the table.
    pub sentence: String,
}
