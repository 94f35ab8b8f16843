//! One comparison of a figure: under its own settings, or with something changed.

use ssdlab_sim::{Axis, Cell, CompareOptions, System, cells};
use toml::Spanned;

use super::checked::Paper;
use super::description::{Figure, Variant};
use super::judge::judge;
use super::judged::Judged;
use super::panel::Panel;
use super::statement::{Cause, Pair, Said, Statement, Sweep, Test};
use super::terms::{Requests, Size};
use super::traces::{Source, Traces};
use crate::error::ReproduceError;
use crate::study::Settings;

/// A figure with what is changed, and the tests that need its rows.
pub struct Job<'a> {
    figure: &'a Figure,
    tests: Vec<Option<(Test, Said)>>,
    /// Whether rows that no test needs run too.
    all_rows: bool,
    set: &'a [Spanned<String>],
    /// One more key with its value.
    key: Option<(&'a str, &'a Spanned<String>)>,
    keep: &'a [Requests],
    traces: &'a [Spanned<String>],
    /// In place of traces: a workload, and the value that completes it.
    made: Option<(&'a Spanned<String>, &'a Spanned<String>)>,
    sizes: Option<Vec<u64>>,
}

/// What came of a [`Job`].
pub struct Ran {
    /// One for each trace.
    pub panels: Vec<Panel>,
    /// One for each test.
    pub judged: Vec<Option<Judged>>,
}

/// A comparison of a job: all runs on one of its traces.
pub struct Compared<'a> {
    pub source: Source<'a>,
    /// Ascending.
    pub sizes: Vec<u64>,
    pub cells: Vec<Cell>,
}

impl<'a> Job<'a> {
    /// The figure as the paper describes it.
    pub fn of_figure(figure: &'a Figure) -> Self {
        let tests = figure.statement.iter().map(|statement| {
            let test = statement.test.clone()?;
            Some((test, statement.said()))
        });
        Self {
            figure,
            tests: tests.collect(),
            all_rows: true,
            set: &[],
            key: None,
            keep: &[],
            traces: &figure.traces,
            made: None,
            sizes: None,
        }
    }

    /// All statements under a variant, whose own trace takes the place of any other.
    pub fn of_variant(figure: &'a Figure, variant: &'a Variant) -> Self {
        let mut job = Self {
            all_rows: false,
            set: &variant.set,
            keep: &variant.keep,
            ..Self::of_figure(figure)
        };
        if let Some(trace) = &variant.trace {
            job.traces = std::slice::from_ref(trace);
            for (test, _) in job.tests.iter_mut().flatten() {
                test.traces.clear();
            }
        }
        job
    }

    /// A statement with a cause switched off; `None` without a test.
    pub fn of_cause(
        figure: &'a Figure,
        statement: &'a Statement,
        cause: &'a Cause,
    ) -> Option<Self> {
        let mut job = Self {
            set: &cause.set,
            keep: &cause.keep,
            ..Self::of_statement(figure, statement)?
        };
        job.change(&cause.traces, &[]);
        Some(job)
    }

    /// A statement at a value of the parameter that the paper leaves open; `None` without a test.
    pub fn of_value(
        figure: &'a Figure,
        statement: &'a Statement,
        sweep: &'a Sweep,
        value: &'a Spanned<String>,
    ) -> Option<Self> {
        let mut job = Self {
            set: &sweep.set,
            ..Self::of_statement(figure, statement)?
        };
        job.change(&sweep.traces, &sweep.sizes);
        let key = sweep.key.as_ref().map(|key| key.get_ref().as_str());
        match (key, &sweep.generate) {
            (Some(key), _) if key == figure.size_key() => {
                let size = Size::try_from(value.get_ref().clone()).ok()?;
                job.change(&[], &[size]);
            }
            (Some(key), _) => job.key = Some((key, value)),
            (None, Some(words)) => {
                job.made = Some((words, value));
                job.tests
                    .iter_mut()
                    .flatten()
                    .for_each(|(test, _)| test.traces.clear());
            }
            (None, None) => {}
        }
        Some(job)
    }

    fn of_statement(figure: &'a Figure, statement: &'a Statement) -> Option<Self> {
        let test = statement.test.as_ref()?;
        let traces = match &test.traces[..] {
            // a lead over the other traces needs them too
            traces if !traces.is_empty() && !test.over.needs_all_traces() => traces,
            _ => &figure.traces,
        };
        let mut job = Self {
            tests: vec![Some((test.clone(), statement.said()))],
            all_rows: false,
            traces,
            ..Self::of_figure(figure)
        };
        let sizes = test.sizes.iter().map(|size| size.get_ref());
        let sizes: Vec<u64> = sizes
            .chain(test.against_size.as_ref().map(|size| size.get_ref()))
            .map(|size| size.0)
            .collect();
        if !test.sizes.is_empty() {
            job.sizes = Some(sizes);
        }
        Some(job)
    }

    /// Whether it runs the figure as the paper describes it.
    pub fn is_own(&self) -> bool {
        self.all_rows
    }

    /// An error in its figure.
    pub fn refuse(&self, paper: &Paper, why: &str) -> ReproduceError {
        paper.refuse(&self.figure.id, why)
    }

    /// Takes other traces and sizes where some are given.
    fn change(&mut self, traces: &'a [Spanned<String>], sizes: &[Size]) {
        for (test, _) in self.tests.iter_mut().flatten() {
            if !traces.is_empty() {
                self.traces = traces;
                test.traces.clear();
            }
            if !sizes.is_empty() {
                self.sizes = Some(sizes.iter().map(|size| size.0).collect());
                test.sizes = Vec::new();
            }
        }
    }

    /// The traces to run on.
    pub fn sources(&self) -> Vec<Source<'a>> {
        match self.made {
            Some((words, value)) => vec![Source::Generated { words, value }],
            None => self.traces.iter().map(Source::Named).collect(),
        }
    }

    /// The requests that are left out.
    pub fn left_out(&self, paper: &Paper) -> Vec<Requests> {
        let mut requests = left_out(paper, self.figure);
        requests.retain(|kind| !self.keep.contains(kind));
        requests
    }

    /// Loads its traces.
    pub fn load(
        &self,
        paper: &Paper,
        settings: &Settings,
        traces: &mut Traces,
    ) -> Result<(), ReproduceError> {
        let left_out = self.left_out(paper);
        let mut sources = self.sources().into_iter();
        sources.try_for_each(|source| traces.load(paper, settings, &source, &left_out))
    }

    /// Tests its rows.
    pub fn judged(&self, panels: Vec<Panel>) -> Ran {
        let tests = self.tests.iter().map(|test| {
            let (test, said) = test.as_ref()?;
            judge(test, said, &panels)
        });
        Ran {
            judged: tests.collect(),
            panels,
        }
    }

    /// Its comparisons: all runs on each of its traces, which must be loaded. Refuses a test on a row that is not there.
    pub fn comparisons(
        &self,
        paper: &Paper,
        settings: &Settings,
        traces: &Traces,
    ) -> Result<Vec<Compared<'a>>, ReproduceError> {
        let mut options = self.options(paper)?;
        options.stop = Some(settings.stop.clone());
        let left_out = self.left_out(paper);
        let on = |source: Source<'a>| {
            let (cells, sizes) = cells(&options, traces.get(&source, &left_out))
                .map_err(|error| self.refuse(paper, &error.to_string()))?;
            Ok(Compared {
                source,
                sizes,
                cells,
            })
        };
        let sources = self.sources().into_iter();
        let all = sources
            .map(on)
            .collect::<Result<Vec<_>, ReproduceError>>()?;
        self.check_rows(paper, &all)?;
        Ok(all)
    }

    /// The options of its comparisons.
    fn options(&self, paper: &Paper) -> Result<CompareOptions, ReproduceError> {
        let (header, figure) = (&paper.description.paper, self.figure);
        let names = |names: &[Spanned<String>]| -> Vec<String> {
            names.iter().map(|name| name.get_ref().clone()).collect()
        };
        let mut resolver = paper.resolver(&[&figure.set, self.set].concat())?;
        if let Some((key, value)) = self.key {
            let setting = format!("{key}={}", value.get_ref());
            resolver = paper.file.accepts(&resolver, value, Some(&setting))?;
        }
        let mut options = CompareOptions::new(&paper.lab, resolver);
        options.buffers = names(figure.buffers(header));
        let system = |system: &super::description::System| System {
            name: system.name.get_ref().clone(),
            set: names(&system.set),
        };
        options.systems = figure.system.iter().map(system).collect();
        options.sizes = match &self.sizes {
            Some(sizes) => sizes.clone(),
            None => figure.sizes(header).iter().map(|size| size.0).collect(),
        };
        options.size_key = figure.size_key().to_owned();
        options.bounds = false;
        if !self.all_rows {
            options.buffers.retain(|policy| self.needs(policy));
            options.systems.retain(|system| self.needs(&system.name));
        }
        let axis = |(key, values): (&String, &Vec<_>)| Axis {
            key: key.clone(),
            values: names(values),
        };
        options.vary = figure.vary.iter().map(axis).collect();
        Ok(options)
    }

    /// Whether a test needs the rows of a policy or a system.
    fn needs(&self, name: &str) -> bool {
        let is_of = |row: &Spanned<String>| {
            let rest = row.get_ref().strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let mut tests = self.tests.iter().flatten();
        tests.any(|(test, _)| {
            let of_pair = |pair: &Pair| {
                let best_of_all = pair.against.is_none() && test.compares_best();
                best_of_all || is_of(&pair.row) || pair.against.as_ref().is_some_and(is_of)
            };
            test.pairs.iter().chain(&test.base).any(of_pair)
        })
    }

    fn check_rows(&self, paper: &Paper, all: &[Compared]) -> Result<(), ReproduceError> {
        let Some(first) = all.first() else {
            return Ok(());
        };
        let mut labels: Vec<&str> = first.cells.iter().map(Cell::label).collect();
        labels.dedup();
        for (test, _) in self.tests.iter().flatten() {
            let pairs = test.pairs.iter().chain(&test.base);
            for row in pairs
                .flat_map(|pair| [Some(&pair.row), pair.against.as_ref()])
                .flatten()
            {
                if !labels.contains(&row.get_ref().as_str()) {
                    let why = format!("no such row; one of: {}", labels.join("; "));
                    return Err(paper.refuse(row, why));
                }
            }
        }
        self.check_served(paper, &labels)
    }

    /// Refuses a row that was not served.
    fn check_served(&self, paper: &Paper, rows: &[&str]) -> Result<(), ReproduceError> {
        let (Some(file), true) = (&self.figure.served, self.is_own()) else {
            return Ok(());
        };
        for trace in self.traces {
            for &row in rows {
                let trace = trace.get_ref();
                if !(self.figure.seconds).contains_key(&(trace.clone(), row.to_owned())) {
                    return Err(paper.refuse(file, format!("has no seconds of {row} on {trace}")));
                }
            }
        }
        Ok(())
    }
}

/// The requests that a figure leaves out.
pub fn left_out(paper: &Paper, figure: &Figure) -> Vec<Requests> {
    let header = &paper.description.paper;
    figure
        .leave_out
        .as_ref()
        .unwrap_or(&header.leave_out)
        .clone()
}
