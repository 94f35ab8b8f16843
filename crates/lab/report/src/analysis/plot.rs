//! What a picture is asked to show, and what it takes where nothing is asked for.

use ssdlab_analysis::{Analysis, AnalysisError, Field, Levels, Measure};
use ssdlab_device::results::Figure;
use ssdlab_words::{listed, thousands};

use super::{curves, heat, pareto, spread};
use crate::palette::slot;
use crate::picture::{Axis, Legend, Picture};
use crate::varied::title;

/// The most curves that are told apart.
const CURVES: usize = 15;
/// The most panels of a picture.
pub(super) const PANELS: usize = 12;
/// Two values of an axis are this far apart before it is logarithmic.
const LOG: f64 = 8.0;

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A figure over a numeric axis.
    Curves,
    /// A figure over two axes.
    Heat,
    /// Two figures against each other, and which configurations no other one dominates.
    Pareto,
    /// Median and quartiles over traces and seeds.
    Spread,
}

/// A picture that is asked for. Names are those of columns, keys and figures.
#[derive(Clone, Debug)]
pub struct PlotOptions {
    /// Its kind.
    pub kind: Kind,
    /// The figures: one, or two of a front.
    pub figures: Vec<String>,
    /// From left to right; `None`: the size of the buffer, or the numeric axis with most values.
    pub x: Option<String>,
    /// From top to bottom, of a map.
    pub y: Option<String>,
    /// What distinguishes curves; empty: policies and systems that vary.
    pub curves: Vec<String>,
    /// What distinguishes panels; empty: the traces; `none`: one panel.
    pub facet: Vec<String>,
    /// A logarithmic axis of the figure.
    pub log: bool,
}

impl PlotOptions {
    /// A picture of some figures, all else by default.
    pub fn of(kind: Kind, figures: &[&str]) -> Self {
        Self {
            kind,
            figures: figures.iter().map(|name| (*name).to_owned()).collect(),
            x: None,
            y: None,
            curves: Vec::new(),
            facet: Vec::new(),
            log: false,
        }
    }
}

/// A picture with what a reader must know.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The picture.
    pub picture: Picture,
    /// What its numbers are, in sentences.
    pub notes: Vec<String>,
    /// The options that ask for it, from `--plot` on.
    pub options: Vec<String>,
}

/// Makes a picture.
///
/// # Errors
/// A name is unknown, or what is asked for has no meaning for these rows.
pub fn plot(analysis: &Analysis, asked: &PlotOptions) -> Result<Plot, AnalysisError> {
    match asked.kind {
        Kind::Curves => curves::curves(analysis, asked),
        Kind::Heat => heat::heat(analysis, asked),
        Kind::Pareto => pareto::pareto(analysis, asked),
        Kind::Spread => spread::spread(analysis, asked),
    }
}

/// The columns of a picture.
pub(super) struct Roles {
    pub x: Option<Field>,
    pub curves: Vec<Field>,
    pub facet: Vec<Field>,
}

impl Roles {
    /// What is asked for, and the defaults of the rest.
    pub fn of(analysis: &Analysis, asked: &PlotOptions) -> Result<Self, AnalysisError> {
        let named = |option, names: &[String]| -> Result<Vec<Field>, AnalysisError> {
            let names = names.iter().filter(|name| *name != "none");
            names.map(|name| key(analysis, option, name)).collect()
        };
        let one = |option, name: &Option<String>| {
            let name = name.as_deref();
            name.map(|name| key(analysis, option, name)).transpose()
        };
        let (x, y) = (one("--x", &asked.x)?, one("--y", &asked.y)?);
        let (curves, facet) = (
            named("--curves", &asked.curves)?,
            named("--facet", &asked.facet)?,
        );
        let taken: Vec<String> = x
            .iter()
            .chain(&y)
            .chain(&curves)
            .chain(&facet)
            .map(|field| field.name.clone())
            .collect();
        let free = |field: &Field| !taken.contains(&field.name);
        let x = match x {
            Some(x) => Some(x),
            None => numeric(analysis).into_iter().find(free),
        };
        let is_x = |field: &Field| x.as_ref().is_some_and(|x| x.name == field.name);
        let curves = match asked.curves.is_empty() {
            false => curves,
            true => by_words(analysis, &|field| free(field) && !is_x(field)),
        };
        let facet = match asked.facet.is_empty() {
            false => facet,
            true => {
                let axes = analysis.axes().into_iter();
                // more traces than panels are samples
                axes.filter(|field| {
                    field.name == "trace"
                        && free(field)
                        && !is_x(field)
                        && analysis.levels(field).count() <= PANELS
                })
                .collect()
            }
        };
        Ok(Self { x, curves, facet })
    }

    /// What varies in the rows of one point.
    pub fn others(&self, analysis: &Analysis) -> Vec<String> {
        let shown = self.x.iter().chain(&self.curves).chain(&self.facet);
        let shown: Vec<&str> = shown.map(|field| field.name.as_str()).collect();
        let axes = analysis.axes().into_iter();
        axes.filter(|field| !shown.contains(&field.name.as_str()))
            .map(|field| field.path)
            .collect()
    }
}

/// The column that an option names, which tells rows apart.
///
/// # Errors
/// There is none, or it is a figure.
pub(super) fn key(analysis: &Analysis, option: &str, name: &str) -> Result<Field, AnalysisError> {
    let field = analysis.field(name)?;
    if matches!(field.measure, Measure::Figure(_)) {
        let what = format!(
            "{option} {name}: is a figure; must be a key or another column, such as buffer.size or trace"
        );
        return Err(AnalysisError::InvalidRequest(what));
    }
    Ok(field)
}

/// The settings with numbers: the size of the buffer first, then those with most values.
fn numeric(analysis: &Analysis) -> Vec<Field> {
    let settings = analysis.settings().into_iter();
    let mut fields: Vec<(bool, usize, Field)> = settings
        .filter(|field| matches!(field.measure, Measure::Size | Measure::Number))
        .map(|field| {
            (
                field.path != "buffer.size",
                usize::MAX - analysis.levels(&field).count(),
                field,
            )
        })
        .collect();
    fields.sort_by_key(|one| (one.0, one.1));
    fields.into_iter().map(|one| one.2).collect()
}

/// The settings with words, as many as curves can show.
fn by_words(analysis: &Analysis, free: &dyn Fn(&Field) -> bool) -> Vec<Field> {
    let main = ["system", "buffer.policy", "ftl.kind"];
    let settings = analysis.settings().into_iter();
    let mut words: Vec<Field> = settings
        .filter(|field| matches!(field.measure, Measure::Word) && free(field))
        .collect();
    words.sort_by_key(|field| {
        main.iter()
            .position(|name| field.path == *name)
            .unwrap_or(main.len())
    });
    if words.is_empty() {
        let few = |field: &Field| free(field) && analysis.levels(field).count() <= 8;
        return numeric(analysis)
            .into_iter()
            .find(|field| few(field))
            .into_iter()
            .collect();
    }
    while words.len() > 1 && analysis.joined(&words).count() > CURVES {
        words.pop();
    }
    words
}

/// The figure that is asked for.
pub(super) fn figure(
    analysis: &Analysis,
    asked: &PlotOptions,
    place: usize,
) -> Result<(Figure, Field), AnalysisError> {
    let name = asked.figures.get(place).ok_or_else(|| {
        AnalysisError::InvalidRequest(
            "a Pareto front needs two figures, such as waf,device_ram".into(),
        )
    })?;
    analysis.figure(name)
}

/// The values of a figure, in the base of its unit.
pub(super) fn values(analysis: &Analysis, field: &Field) -> Vec<Option<f64>> {
    let numbers = analysis.numbers(field).into_iter();
    numbers
        .map(|number| number.filter(|number| number.is_finite()))
        .collect()
}

/// The values of a figure in the unit of pages.
pub(super) fn shown_values(
    analysis: &Analysis,
    figure: &Figure,
    field: &Field,
) -> Vec<Option<f64>> {
    let values = values(analysis, field).into_iter();
    values
        .map(|value| value.map(|value| figure.unit.shown(value)))
        .collect()
}

/// The legend of curves.
///
/// # Errors
/// There are more than can be told apart.
pub(super) fn legend(levels: &Levels, fields: &[Field]) -> Result<Vec<Legend>, AnalysisError> {
    if levels.count() > 2 * CURVES {
        let what = format!(
            "{} curves of {}, at most {} can be told apart: keep some with --where, or name other columns with --curves",
            thousands(levels.count() as u64),
            names(fields),
            2 * CURVES
        );
        return Err(AnalysisError::InvalidRequest(what));
    }
    let each = levels.labels.iter().enumerate();
    Ok(each
        .map(|(place, label)| Legend {
            label: label.clone(),
            slot: slot(place),
        })
        .collect())
}

/// Limits the panels to those that fit.
///
/// # Errors
/// There are more.
pub(super) fn panels(levels: &Levels, fields: &[Field]) -> Result<(), AnalysisError> {
    if levels.count() <= PANELS {
        return Ok(());
    }
    let what = format!(
        "{} panels of {}, at most {PANELS} fit: keep some with --where, or take --facet none",
        thousands(levels.count() as u64),
        names(fields)
    );
    Err(AnalysisError::InvalidRequest(what))
}

pub(super) fn names(fields: &[Field]) -> String {
    fields
        .iter()
        .map(|field| field.path.as_str())
        .collect::<Vec<_>>()
        .join(",")
}

/// The heading of a column.
pub(super) fn heading(field: &Field) -> String {
    title(&field.path)
}

pub(super) fn headings(fields: &[Field]) -> String {
    fields.iter().map(heading).collect::<Vec<_>>().join(", ")
}

/// The axis of a column with these values; logarithmic if they are far apart.
pub(super) fn axis_of(field: &Field, numbers: &[f64]) -> Axis {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_far = least > 0.0 && most / least >= LOG;
    Axis {
        at: numbers.to_vec(),
        is_size: matches!(field.measure, Measure::Size),
        ..Axis::of(heading(field), numbers.iter().copied(), is_far, false)
    }
}

/// The rows that have numbers on an axis, or a message about those that have none.
pub(super) fn of_numbers(analysis: &Analysis, field: &Field) -> Result<Levels, AnalysisError> {
    let levels = analysis.levels(field);
    if levels.numbers.is_none() {
        let what = format!(
            "{}: has words; must have numbers, or take --kind heat or spread",
            field.path
        );
        return Err(AnalysisError::InvalidRequest(what));
    }
    Ok(levels)
}

/// What a point stands for.
pub(super) fn medians(most: usize, others: &[String]) -> Vec<String> {
    if most < 2 {
        return Vec::new();
    }
    let differ = match others {
        [] => "are equal in all that varies".to_owned(),
        others => format!("differ in {}", listed(others)),
    };
    let runs = thousands(most as u64);
    vec![format!(
        "Each value is the median of up to {runs} runs that {differ}; bars span the quartiles."
    )]
}

/// The options of a picture.
pub(super) fn options(
    asked: &PlotOptions,
    kind: &str,
    roles: &Roles,
    y: Option<&Field>,
) -> Vec<String> {
    let mut options = vec!["--plot".to_owned(), asked.figures.join(",")];
    let mut add = |name: &str, value: String| options.extend([name.to_owned(), value]);
    if kind != "curves" {
        add("--kind", kind.into());
    }
    if let Some(x) = roles.x.as_ref().filter(|_| kind != "pareto") {
        add("--x", x.path.clone());
    }
    if let Some(y) = y {
        add("--y", y.path.clone());
    }
    if !roles.curves.is_empty() && kind != "heat" {
        add("--curves", names(&roles.curves));
    }
    match roles.facet.as_slice() {
        [] if kind == "spread" => {}
        [] => add("--facet", "none".into()),
        facet => add("--facet", names(facet)),
    }
    if asked.log {
        options.push("--log".to_owned());
    }
    options
}
