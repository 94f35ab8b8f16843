//! Every claim in one line.

use super::checked::Paper;
use super::claim::{Judged, judge, percent};
use super::description::{Claim, Figure};
use super::run::Results;

/// A claim and its result.
pub struct Line<'a> {
    /// The figure.
    pub figure: &'a Figure,
    /// The claim.
    pub claim: &'a Claim,
    /// The verdict; `None` for a figure that cannot be run.
    pub judged: Option<Judged>,
    /// The same under each variant.
    pub variants: Vec<Option<&'a Judged>>,
}

impl Line<'_> {
    /// The paper's number, or nothing.
    pub fn paper(&self) -> String {
        let number = self.claim.paper;
        number.map_or_else(String::new, |p| percent(p / 100.0))
    }

    /// Our numbers, or nothing.
    pub fn ours(&self) -> String {
        self.judged.as_ref().map_or_else(String::new, Judged::ours)
    }

    /// In words.
    pub fn verdict(&self) -> &'static str {
        let judged = self.judged.as_ref();
        judged.map_or("no stand-in", |judged| judged.verdict(self.claim.paper))
    }
}

/// All claims, in the order of the figures.
pub fn summary<'a>(paper: &'a Paper, results: &'a Results) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    let figures = paper.description.figure.iter().zip(&results.figures);
    for (f, (figure, panels)) in figures.enumerate() {
        for (c, claim) in figure.claim.iter().enumerate() {
            let variants = results.variants.iter();
            lines.push(Line {
                figure,
                claim,
                judged: judge(claim, panels),
                variants: variants.map(|variant| variant[f][c].as_ref()).collect(),
            });
        }
    }
    lines
}

/// How many claims hold.
pub fn sentence(lines: &[Line]) -> String {
    let tested = lines.iter().filter_map(|line| line.judged.as_ref());
    let (all, same) = (tested.clone().count(), tested.filter(|j| j.holds).count());
    let weaker = lines
        .iter()
        .filter(|line| line.verdict().ends_with("weaker"))
        .count();
    let missing = lines.len() - all;
    format!(
        "{same} of {all} claims have the same shape on our traces ({weaker} of them less than half as strong as in the \
         paper), {} differ, and {missing} more cannot be tested here.",
        all - same
    )
}
