//! A folder with a plan, its results, and all that it takes to get them again.

mod layout;
mod provenance;
mod texts;
mod traces;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use ssdlab_analysis::Analysis;
use ssdlab_device::Catalogue;
use ssdlab_output::NewFolder;
use ssdlab_report::analysis::{AnalysisAbout, analysis_html};
use ssdlab_results::Table;
use ssdlab_sweep::{Sweep, status};
use ssdlab_words::{hexadecimal, some_of, thousands};

use crate::citations::Citations;
use crate::error::PublishError;
use layout::Layout;
pub use traces::Traces;
use traces::{Copied, Copy};

const RESULTS: &str = "results.parquet";
const REPORT: &str = "report.html";
const CITATIONS: &str = "citations.bib";
const PROVENANCE: &str = "provenance.json";
const RUN: &str = "run.sh";
const README: &str = "README.md";
const SUMS: &str = "SHA256SUMS";

const NOT_HERE: &str = "not in the folder";
/// Why a file is not copied, although that is allowed.
const ABSOLUTE: &str = "the plan names it by an absolute path";

/// An artifact that is to be made.
pub struct Artifact<'a> {
    /// The sweep, as it was planned.
    pub sweep: &'a Sweep,
    /// The path of its plan.
    pub plan: &'a Path,
    /// The folder of its parts.
    pub parts: &'a Path,
    /// The systems.
    pub catalogue: &'a Arc<Catalogue>,
    /// The traces that are copied.
    pub traces: Traces,
    /// The seconds of one core that the runs took, if somebody kept them.
    pub core_seconds: Option<f64>,
    /// The command that goes on with an unfinished sweep.
    pub go_on: String,
}

/// What was made.
#[derive(Debug, Default)]
pub struct ArtifactSummary {
    /// The runs of the results.
    pub runs: usize,
    /// The files of the folder.
    pub files: usize,
    /// Traces that are not in it, with the reasons, a line each.
    pub left_out: Vec<String>,
    /// What has a source of which no citation is known, a line each.
    pub unknown: Vec<String>,
}

/// What the files of the folder tell.
struct Facts<'a> {
    of: &'a Artifact<'a>,
    layout: Layout,
    copied: Vec<Copied>,
    rows: usize,
    configurations: usize,
    estimated: f64,
    results_sha256: String,
    unknown: Vec<String>,
}

impl Artifact<'_> {
    /// Makes the folder: complete, or not at all. The same sweep and results give the same bytes.
    ///
    /// # Errors
    /// The sweep is not finished, a trace has changed, the folder is there already or cannot be written.
    pub fn make(&self, folder: &Path) -> Result<ArtifactSummary, PublishError> {
        if folder.symlink_metadata().is_ok() {
            let what = "is there already; remove it, or name another folder";
            return Err(PublishError::refused(folder, what));
        }
        self.check_finished()?;
        let table = self.sweep.table(self.parts, false)?;
        let explained = self.sweep.explain()?;
        let new = NewFolder::create(folder)?;
        let results = table.write_parquet(&self.sweep.about_table(), Vec::new())?;
        new.write(Path::new(RESULTS), &results)?;
        let analysis = self.analysis(&new)?;
        self.write_page(&new, &analysis)?;
        let citations = Citations::of(&analysis, self.catalogue, self.sweep.version());
        new.write(Path::new(CITATIONS), citations.to_string().as_bytes())?;
        let layout = Layout::of(self.sweep, self.plan);
        new.write(&layout.plan, self.sweep.text().as_bytes())?;
        if let (Some(from), Some(to)) = (self.sweep.config_file(), &layout.config) {
            let from = self.sweep.folder_of_plan().join(from);
            let bytes = fs::read(&from).map_err(|error| PublishError::unreadable(&from, error))?;
            new.write(to, &bytes)?;
        }
        let copied = Copy {
            sweep: self.sweep,
            which: self.traces,
            layout: &layout,
        };
        let facts = Facts {
            copied: copied.all(&new)?,
            of: self,
            layout,
            rows: table.rows(),
            configurations: explained.configurations,
            estimated: explained.seconds,
            results_sha256: sha256(&results),
            unknown: citations.unknown,
        };
        new.write(Path::new(PROVENANCE), facts.provenance().as_bytes())?;
        new.write(Path::new(RUN), facts.script().as_bytes())?;
        new.make_executable(Path::new(RUN))?;
        new.write(Path::new(README), facts.readme().as_bytes())?;
        let files = write_sums(&new)?;
        new.finish()?;
        Ok(facts.made(&table, files))
    }

    /// An artifact has all results that its plan asks for.
    fn check_finished(&self) -> Result<(), PublishError> {
        let status = status(self.sweep, self.parts)?;
        if status.done == status.shards {
            return Ok(());
        }
        let missing: Vec<String> = status.missing.iter().map(usize::to_string).collect();
        let what = format!(
            "the sweep is not finished: {} of {} parts are missing, those of shards {}; go on with: {}",
            thousands((status.shards - status.done) as u64),
            thousands(status.shards as u64),
            some_of(&missing),
            self.go_on
        );
        Err(PublishError::refused(self.parts, what))
    }

    /// The results, under the name that they have in the folder.
    fn analysis(&self, new: &NewFolder) -> Result<Analysis, PublishError> {
        let path: PathBuf = new.temporary().join(RESULTS);
        let mut analysis = Analysis::read(&[path], self.catalogue)?;
        for source in &mut analysis.sources {
            source.path = RESULTS.into();
        }
        Ok(analysis)
    }

    fn write_page(&self, new: &NewFolder, analysis: &Analysis) -> Result<(), PublishError> {
        let about = AnalysisAbout {
            figures: Vec::new(),
            command: format!("ssdlab report {RESULTS}"),
            version: self.sweep.version().to_owned(),
        };
        let page = analysis_html(analysis, &about)?;
        Ok(new.write(Path::new(REPORT), page.as_bytes())?)
    }
}

impl Facts<'_> {
    fn made(self, table: &Table, files: usize) -> ArtifactSummary {
        let device = self.device_elsewhere();
        let device = device.map(|path| format!("{}: {NOT_HERE}: {ABSOLUTE}", path.display()));
        let traces = self.copied.iter().filter_map(Copied::left_out);
        ArtifactSummary {
            runs: table.rows(),
            files,
            left_out: device.into_iter().chain(traces).collect(),
            unknown: self.unknown,
        }
    }

    /// The file of the device, if the plan names it by an absolute path.
    fn device_elsewhere(&self) -> Option<&Path> {
        let file = self.of.sweep.config_file();
        file.filter(|_| self.layout.config.is_none())
    }
}

/// `sha256sum` of all files. Returns their number, with its own.
fn write_sums(new: &NewFolder) -> Result<usize, PublishError> {
    let mut files = Vec::new();
    below(new.temporary(), Path::new(""), &mut files)?;
    files.sort();
    let mut text = String::new();
    for file in &files {
        let path = new.temporary().join(file);
        let hash = traces::hash(&path).map_err(|error| PublishError::unreadable(&path, error))?;
        text += &format!("{hash}  {}\n", file.display());
    }
    new.write(Path::new(SUMS), text.as_bytes())?;
    Ok(files.len() + 1)
}

fn below(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), PublishError> {
    let at = root.join(folder);
    let unreadable = |error| PublishError::unreadable(&at, error);
    for entry in fs::read_dir(&at).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = folder.join(entry.file_name());
        match entry.file_type().map_err(unreadable)?.is_dir() {
            true => below(root, &name, files)?,
            false => files.push(name),
        }
    }
    Ok(())
}

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
