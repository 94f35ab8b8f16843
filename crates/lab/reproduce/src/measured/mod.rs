//! Published write amplification, of drives, emulators and other simulators, beside that of the same loads here.

mod cell;
mod chart;
mod description;
mod judged;
mod logs;
mod page;
mod plan;
mod window;

use std::collections::BTreeMap;
use std::path::PathBuf;

use ssdlab_sim::{Lab, Trace};
use toml::Spanned;

use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::{File, may_name_a_file};
use crate::paper::description::Origin;
use crate::paper::load;
use crate::study::{Progress, Report, Settings, Study};
use cell::{Cell, Mark, OnLoad};
use description::{Cause, Description, Table, Then};
use judged::{Judged, mean_deviation};
use logs::Logs;
use plan::Plan;

/// How much larger deviations are if they are worse.
const WORSE: f64 = 1.5;

/// A checked description, and its runs.
#[derive(Debug)]
pub struct Measured {
    name: String,
    description: Description,
    file: File,
    /// The tables of published figures.
    published: Vec<PathBuf>,
    /// The tables in their order.
    tables: Vec<Runs>,
    /// What the description may name.
    lab: Lab,
}

/// The runs of a table.
#[derive(Debug)]
struct Runs {
    cells: Vec<Cell>,
    /// Those of each cause.
    changed: Vec<Vec<Cell>>,
}

/// The results of a table.
struct Results<'a> {
    table: &'a Table,
    judged: Vec<Judged<'a>>,
    /// The mean size of the deviations of each cause, without the change and with it.
    causes: Vec<[f64; 2]>,
}

impl Measured {
    /// The name of every description.
    pub const DESCRIPTION: &str = "measured.toml";

    /// Reads a description, which may name the systems of the laboratory, with its tables of published figures, and checks
    /// all of it.
    ///
    /// # Errors
    /// The first error in them.
    pub fn read(
        descriptions: &Descriptions,
        name: &str,
        lab: &Lab,
    ) -> Result<Self, ReproduceError> {
        let file = descriptions.file(name, Self::DESCRIPTION)?;
        let logs = logs::read(descriptions, name)?;
        let mut measured = Self {
            name: name.into(),
            description: file.parse()?,
            published: logs::paths(descriptions, name),
            tables: Vec::new(),
            file,
            lab: lab.clone(),
        };
        let tables = measured.description.table.iter();
        let ids = || tables.clone().map(|table| &table.id);
        measured.file.distinct(ids().map(|id| (id.get_ref(), id)))?;
        if let Some(id) = ids().find(|id| !may_name_a_file(id.get_ref())) {
            let why = "must consist of letters, digits, - and ., without ..";
            return Err(measured.file.refuse(id, why));
        }
        let runs: Result<_, _> = tables.map(|table| measured.runs(table, &logs)).collect();
        measured.tables = runs?;
        Ok(measured)
    }

    fn runs(&self, table: &Table, logs: &Logs) -> Result<Runs, ReproduceError> {
        let names = table.series.iter().map(|one| &one.name);
        self.file
            .distinct(names.map(|name| (name.get_ref(), name)))?;
        let points = table.point.iter().map(|point| &point.at);
        self.file.distinct(points.map(|at| (at.get_ref(), at)))?;
        let plan = Plan {
            lab: &self.lab,
            file: &self.file,
            description: &self.description,
            logs,
            table,
        };
        for statement in &table.statement {
            for name in &statement.less {
                plan.place(name)?;
            }
            for at in &statement.points {
                if !table.point.iter().any(|point| point.at == *at) {
                    return Err(self.file.refuse(at, "no such point"));
                }
            }
        }
        let changed: Result<_, _> = table
            .cause
            .iter()
            .map(|cause| plan.changed(cause))
            .collect();
        Ok(Runs {
            cells: plan.cells()?,
            changed: changed?,
        })
    }

    /// The results of a table, from an iterator over the figures of all runs in their order.
    fn results<'a>(
        &self,
        table: &'a Table,
        runs: &'a Runs,
        found: &mut impl Iterator<Item = Vec<Mark>>,
    ) -> Result<Results<'a>, ReproduceError> {
        let mut judge = |cell: &'a Cell| {
            let marks = found.next().expect("as many values as runs");
            Judged::of(table, cell, cell.found(&marks))
        };
        let judged: Vec<Judged> = runs.cells.iter().map(&mut judge).collect();
        let mut causes = Vec::new();
        for (cause, cells) in table.cause.iter().zip(&runs.changed) {
            let changed: Vec<Judged> = cells.iter().map(&mut judge).collect();
            let same = |one: &&Judged| {
                let place = |other: &Judged| (other.cell.series, other.cell.point);
                changed.iter().any(|other| place(other) == place(one))
            };
            let deviations = [
                mean_deviation(judged.iter().filter(same)),
                mean_deviation(changed.iter()),
            ];
            self.check(cause, deviations)?;
            causes.push(deviations);
        }
        Ok(Results {
            table,
            judged,
            causes,
        })
    }

    /// All runs in their order.
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        let runs = self.tables.iter();
        runs.flat_map(|runs| runs.cells.iter().chain(runs.changed.iter().flatten()))
    }

    /// The traces by file, each with a place that names it.
    fn traces(&self) -> BTreeMap<String, &Spanned<String>> {
        let files = self.cells().filter_map(Cell::trace);
        files.map(|file| (file.get_ref().clone(), file)).collect()
    }

    fn load(&self, settings: &Settings, file: &Spanned<String>) -> Result<Trace, ReproduceError> {
        let origin = Origin::File {
            file: file.clone(),
            limit: None,
        };
        load(&self.file, settings, file.get_ref(), &origin, &[])
    }

    /// Refuses a cause that its runs do not show.
    fn check(&self, cause: &Cause, [without, with]: [f64; 2]) -> Result<(), ReproduceError> {
        let ratio = with / without;
        let then = match ratio {
            _ if ratio >= WORSE => Some(Then::Worse),
            _ if ratio > 1.0 / WORSE => Some(Then::Same),
            _ => None,
        };
        if then == Some(cause.then) {
            return Ok(());
        }
        let [without, with] = [without, with].map(|share| format!("{:.2} %", 100.0 * share));
        let why = format!("its runs do not show that: deviations of {with} instead of {without}");
        Err(self.file.refuse(&cause.says, why))
    }
}

impl Study for Measured {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.description.measured.title
    }

    fn source(&self) -> &str {
        &self.description.measured.source
    }

    fn inputs(&self, settings: &Settings) -> Vec<PathBuf> {
        let traces = self.traces().into_keys();
        let traces = traces.map(|trace| settings.traces.join(trace));
        let files = std::iter::once(self.file.path.clone()).chain(self.published.clone());
        files.chain(traces).collect()
    }

    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        let traces = self.traces().into_iter();
        let traces = traces.map(|(name, at)| Ok((name, self.load(settings, at)?)));
        let traces: BTreeMap<_, _> = traces.collect::<Result<_, ReproduceError>>()?;
        let traces = &traces;
        let all: Vec<OnLoad> = self.cells().map(|cell| OnLoad { cell, traces }).collect();
        let mut found = settings.values(&self.lab, &all, progress)?.into_iter();
        let tables = self.description.table.iter().zip(&self.tables);
        let results: Result<Vec<Results>, _> = tables
            .map(|(table, runs)| self.results(table, runs, &mut found))
            .collect();
        page::report(self, &results?)
    }
}
