//! Every statement in one line.

use super::checked::Paper;
use super::description::Figure;
use super::judged::{Judged, change};
use super::run::{Results, StatementResults};
use super::score::Score;
use super::statement::{Number, Statement};

/// A statement and its results.
pub struct Line<'a> {
    /// The figure.
    pub figure: &'a Figure,
    /// The statement.
    pub statement: &'a Statement,
    /// Its place in the figure, from 0.
    pub place: usize,
    /// What came of it.
    pub results: &'a StatementResults,
}

impl Line<'_> {
    /// The headings of [`Line::cells`].
    pub const HEADER: [&'static str; 6] = [
        "figure",
        "the paper says",
        "paper",
        "ours",
        "points",
        "verdict",
    ];

    /// Its cells in a table.
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.figure.number(),
            self.statement.says.get_ref().clone(),
            self.paper(),
            self.ours(),
            self.points(),
            self.verdict(),
        ]
    }

    /// The paper's numbers, or nothing.
    fn paper(&self) -> String {
        let said = |Number { least, most }: Number| {
            let [least_said, most_said] = [least, most].map(|number| change(number / 100.0, "%"));
            if least == most {
                least_said
            } else {
                format!("{least_said} to {most_said}")
            }
        };
        let of_paper = self.statement.said();
        let tests = self.statement.test.iter();
        let bounds: Vec<String> = tests
            .flat_map(|test| {
                test.values
                    .iter()
                    .map(|value| format!("at most {value} {}", test.metric.figure.unit.symbol()))
            })
            .collect();
        let numbers: Vec<String> = of_paper.numbers.into_iter().map(said).collect();
        let numbers = (!numbers.is_empty()).then(|| numbers.join(", "));
        let mean = of_paper.mean.map(|mean| format!("mean {}", said(mean)));
        let both: Vec<String> = numbers.into_iter().chain(mean).chain(bounds).collect();
        both.join("; ")
    }

    /// Our numbers, or nothing.
    fn ours(&self) -> String {
        let judged = self.results.judged.as_ref();
        judged.map_or_else(String::new, Judged::ours)
    }

    /// How many points agree, and where, or nothing.
    fn points(&self) -> String {
        let judged = self.results.judged.as_ref();
        judged.map_or_else(String::new, Judged::counts)
    }

    /// In words.
    pub fn verdict(&self) -> String {
        match (&self.results.judged, &self.statement.missing) {
            (Some(judged), _) => judged.verdict(),
            (None, Some(_)) => "cannot be tested".into(),
            (None, None) => "no stand-in".into(),
        }
    }

    /// Its cells among the statements that make the paper; `None` if it is not one of them.
    pub fn brief(&self) -> Option<[String; 4]> {
        let quantity = self.statement.brief.clone()?;
        let [ours, verdict] = match &self.results.judged {
            Some(judged) => judged.in_brief(),
            None => [String::new(), self.verdict()],
        };
        Some([quantity, self.paper(), ours, verdict])
    }

    /// Whether our result differs from the paper.
    pub fn differs(&self) -> bool {
        let judged = self.results.judged.as_ref();
        let score = judged.and_then(Judged::score);
        score.is_some_and(Score::differs)
    }

    /// Whether our result differs and no run has shown why.
    pub fn is_open(&self) -> bool {
        self.differs() && !self.statement.is_explained()
    }
}

/// All statements, in the order of the figures.
pub fn lines<'a>(paper: &'a Paper, results: &'a Results) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for (figure, results) in paper.description.figure.iter().zip(&results.figures) {
        let statements = figure.statement.iter().zip(&results.statements);
        lines.extend(
            statements
                .enumerate()
                .map(|(place, (statement, results))| Line {
                    figure,
                    statement,
                    place,
                    results,
                }),
        );
    }
    lines
}

/// How many statements agree.
pub fn sentence(lines: &[Line]) -> String {
    let judged = lines.iter().filter_map(|line| line.results.judged.as_ref());
    let scores = judged.clone().filter_map(Judged::score);
    let count = |wanted: Score| scores.clone().filter(|score| *score == wanted).count();
    let agree = scores.clone().filter(|score| score.agrees()).count();
    let (all, missing) = (judged.clone().count(), lines.len() - judged.clone().count());
    let differ = lines.iter().filter(|line| line.differs()).count();
    let open = lines.iter().filter(|line| line.is_open()).count();
    let mut words = vec![format!(
        "{agree} of {all} statements agree with our runs ({} in the paper's range, {} as it says without a number, {} within \
         a factor of two, {} in its direction)",
        count(Score::InRange),
        count(Score::AsSaid),
        count(Score::FactorOfTwo),
        count(Score::SameDirection)
    )];
    let proven = differ - open;
    words.push(format!(
        "{differ} differ ({proven} with a proven cause, {open} without)"
    ));
    let limit = count(Score::AtTheLimit);
    if limit > 0 {
        words.push(format!("{limit} at the limit between both"));
    }
    let idle = all - scores.count();
    if idle > 0 {
        let were = if idle == 1 { "was" } else { "were" };
        words.push(format!("{idle} {were} not exercised"));
    }
    if missing > 0 {
        words.push(format!("{missing} more cannot be tested here"));
    }
    words.join(", ") + "."
}
