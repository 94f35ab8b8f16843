//! Contests in words.

use ssdlab_analysis::{Analysis, AnalysisError, Contest, Field, Levels, Ruling, TESTED, contest};
use ssdlab_device::results::Figure;
use ssdlab_words::{fixed, listed, percent, thousands};

use super::plot::{PlotOptions, Roles, figure, values};

/// All contests of a figure, with what they are about.
pub(super) struct Contests {
    pub figure: Figure,
    pub roles: Roles,
    pub contestants: Levels,
    pub places: Levels,
    pub all: Vec<Contest>,
    /// What distinguishes the samples: traces and seeds.
    pub samples: Vec<Field>,
    /// Settings that vary within a sample, over which its values are medians.
    pub within: Vec<Field>,
}

impl Contests {
    /// Those of the curves, at each value of x.
    pub fn of(analysis: &Analysis, asked: &PlotOptions) -> Result<Self, AnalysisError> {
        let (figure, field) = figure(analysis, asked, 0)?;
        let mut roles = Roles::of(analysis, asked)?;
        // traces are samples here, unless panels are asked for
        if asked.facet.is_empty() {
            roles.facet.clear();
        }
        let mut places: Vec<Field> = roles.facet.clone();
        places.extend(roles.x.clone());
        let shown: Vec<&str> = places
            .iter()
            .chain(&roles.curves)
            .map(|field| field.name.as_str())
            .collect();
        let is_free = |field: &Field| !shown.contains(&field.name.as_str());
        let samples: Vec<Field> = analysis.samples().into_iter().filter(is_free).collect();
        let within: Vec<Field> = analysis.settings().into_iter().filter(is_free).collect();
        let contestants = analysis.joined(&roles.curves);
        let places = analysis.joined(&places);
        let all = contest(
            &figure,
            &values(analysis, &field),
            &contestants,
            &places,
            &analysis.joined(&samples),
        );
        Ok(Self {
            figure,
            roles,
            contestants,
            places,
            all,
            samples,
            within,
        })
    }

    /// The name of a contestant.
    pub fn name(&self, number: u32) -> &str {
        &self.contestants.labels[number as usize]
    }

    /// What a sample is, as a sentence.
    pub fn about_samples(&self) -> String {
        let paths = |fields: &[Field]| -> Vec<String> {
            fields.iter().map(|field| field.path.clone()).collect()
        };
        let mut about = match paths(&self.samples).as_slice() {
            [] => "There is one sample, so no spread is known.".to_owned(),
            over => format!(
                "Samples differ in {}. Boxes span the quartiles, with the median; lines span all samples, which are dots.",
                listed(over)
            ),
        };
        if !self.within.is_empty() {
            about += &format!(
                " The value of a sample is the median over {}.",
                listed(&paths(&self.within))
            );
        }
        about
    }

    /// The outcome of a contest as a sentence.
    pub fn sentence(&self, contest: &Contest) -> String {
        let place = match self.places.labels[contest.place as usize].as_str() {
            "" => String::new(),
            place => format!("{place}: "),
        };
        let [first, second, ..] = contest.standings.as_slice() else {
            return format!("{place}nothing to compare.");
        };
        let (name, rival) = (self.name(first.contestant), self.name(second.contestant));
        let words = self.figure.words;
        let samples = match contest.samples {
            1 => "1 sample".to_owned(),
            many => format!("{} samples", thousands(many as u64)),
        };
        match contest.ruling {
            Ruling::None => format!("{place}nothing to compare."),
            Ruling::Wins => {
                let least = contest.standings[1..]
                    .iter()
                    .map(|one| one.lead)
                    .fold(f64::INFINITY, f64::min);
                let which = if contest.samples < TESTED {
                    "in all of"
                } else {
                    "in three quarters of"
                };
                format!(
                    "{place}{name} wins by {words}: at least {} better than each other one, {which} {samples}.",
                    lead(&self.figure, least)
                )
            }
            Ruling::TooFew => format!(
                "{place}{name} leads by {words} before {rival}, in {samples}: too few to name a winner."
            ),
            Ruling::WithinSpread => {
                // the rival that comes nearest to the first one
                let nearest = contest.standings[1..]
                    .iter()
                    .max_by_key(|one| one.against_first[1] + one.against_first[2]);
                let nearest = nearest.unwrap_or(second);
                let [wins, level, losses] = nearest.against_first;
                format!(
                    "{place}no winner by {words}: {name} is better than {} in {wins} of {samples}, level in {level} and worse in {losses}.",
                    self.name(nearest.contestant)
                )
            }
        }
    }
}

/// By how much a contestant is better.
fn lead(figure: &Figure, lead: f64) -> String {
    match figure.unit_of_difference() {
        "pp" => fixed(100.0 * lead, 1) + " points",
        _ => percent(lead),
    }
}
