//! A paper as a study: its runs, its table and its page.

use super::checked::Paper;
use super::page::pages;
use super::run::reproduce;
use super::summary::{Line, sentence, summary};
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

    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        let results = reproduce(self, settings, progress)?;
        let lines = summary(self, &results);
        let row = |line: &Line| {
            let says = line.claim.says.get_ref().clone();
            let verdict = line.verdict().to_owned();
            vec![
                line.figure.number(),
                says,
                line.paper(),
                line.ours(),
                verdict,
            ]
        };
        Ok(Report {
            files: pages(self, &results)?,
            header: &["figure", "the paper says", "paper", "ours", "verdict"],
            words: 2,
            rows: lines.iter().map(row).collect(),
            sentence: sentence(&lines),
        })
    }
}
