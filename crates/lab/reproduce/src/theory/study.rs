//! Theory as a study: the runs of all cells, and their page.

use std::path::PathBuf;

use ssdlab_sim::Counters;

use super::cell::Compared;
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
        let found = settings.values(&self.lab, &self.cells, progress)?;
        let compared = |(cell, counters): (_, Counters)| Compared {
            cell,
            // in pages, as in theory
            found: counters.waf_pages().unwrap_or(f64::NAN),
        };
        let results = self.cells.iter().zip(found).map(compared);
        Ok(page::report(self, &results.collect::<Vec<_>>()))
    }
}
