//! Theory as a study: the runs of all cells, and their page.

use std::path::PathBuf;

use ssdlab_sim::Threads;

use super::cell::{Cell, Compared};
use super::checked::Theory;
use super::page;
use crate::error::ReproduceError;
use crate::study::{Progress, Report, Settings, Study};

impl Study for Theory {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.description.theory.title
    }

    fn source(&self) -> &str {
        &self.description.theory.source
    }

    fn inputs(&self, _: &Settings) -> Vec<PathBuf> {
        vec![self.file.path.clone()]
    }

    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        let threads = Threads::start(settings.jobs, self.cells.len(), None)?;
        let found = threads.each(
            &self.cells,
            |cell: &Cell| self.lab.systems().memory(&cell.config),
            |cell: &Cell| cell.simulate(&self.lab),
            progress,
        )?;
        let cells = self.cells.iter().zip(found);
        let results = cells.map(|(cell, found)| Compared { cell, found });
        Ok(page::report(self, &results.collect::<Vec<_>>()))
    }
}
