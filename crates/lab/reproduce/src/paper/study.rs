//! A paper as a study: its runs, its table and its page.

use std::path::PathBuf;

use super::checked::Paper;
use super::page::pages;
use super::run::reproduce;
use super::summary::{Line, lines, sentence};
use crate::error::ReproduceError;
use crate::study::{Progress, Report, Settings, Study};

impl Study for Paper {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.description.paper.title
    }

    fn source(&self) -> &str {
        &self.description.paper.venue
    }

    fn inputs(&self, settings: &Settings) -> Vec<PathBuf> {
        let traces = self.description.trace.values();
        let files = traces.flat_map(|trace| trace.origin.files());
        let traces = files.map(|file| settings.traces.join(file.get_ref()));
        [self.file.path.clone()].into_iter().chain(traces).collect()
    }

    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        let results = reproduce(self, settings, progress)?;
        let lines = lines(self, &results);
        Ok(Report {
            files: pages(self, &results)?,
            header: &Line::HEADER,
            words: 2,
            rows: lines.iter().map(|line| in_a_line(line.cells())).collect(),
            sentence: sentence(&lines),
        })
    }
}

/// Cells without line breaks, for the terminal.
fn in_a_line(cells: Vec<String>) -> Vec<String> {
    let cells = cells.into_iter();
    cells.map(|cell| cell.replace('\n', "; ")).collect()
}
