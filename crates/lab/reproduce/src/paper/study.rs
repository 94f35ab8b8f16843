//! A paper as a study: its runs, its table and its page.

use std::path::PathBuf;

use super::checked::Paper;
use super::description::Main;
use super::judged::in_a_line;
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

    fn result(&self) -> Option<String> {
        self.description.main.as_ref().map(Main::sentence)
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
            rows: lines.iter().map(in_a_row).collect(),
            sentence: self.result().unwrap_or_else(|| sentence(&lines)),
        })
    }
}

/// The cells of a row of a terminal.
fn in_a_row(line: &Line) -> Vec<String> {
    let cells = line.cells();
    cells.iter().map(|cell| in_a_line(cell)).collect()
}
