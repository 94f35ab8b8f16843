//! Turns the description into runs.

use ssdlab_config::Config;
use ssdlab_sim::Lab;
use toml::Spanned;

use super::cell::{Cell, Requests, limited};
use super::description::{Cause, Description, Point, Series, Table, Texts};
use super::logs::{Log, Logs};
use super::window::Window;
use crate::error::ReproduceError;
use crate::file::File;

/// The most capacities of a run.
const MOST: f64 = 1e6;

/// What all runs of a table have in common.
pub struct Plan<'a> {
    pub lab: &'a Lab,
    pub file: &'a File,
    pub description: &'a Description,
    pub logs: &'a Logs,
    pub table: &'a Table,
}

impl Plan<'_> {
    /// The runs of the table, series by series.
    ///
    /// # Errors
    /// The first error in the table.
    pub fn cells(&self) -> Result<Vec<Cell>, ReproduceError> {
        let mut cells = Vec::new();
        for (at, series) in self.table.series.iter().enumerate() {
            self.check(series)?;
            for point in 0..self.table.point.len() {
                cells.push(self.cell(at, point, None)?);
            }
        }
        Ok(cells)
    }

    /// The runs that show a cause.
    ///
    /// # Errors
    /// A system that the table does not have, or a change that is invalid.
    pub fn changed(&self, cause: &Cause) -> Result<Vec<Cell>, ReproduceError> {
        let mut cells = Vec::new();
        for name in &cause.series {
            let series = self.place(name)?;
            for point in 0..self.table.point.len() {
                let cell = self.cell(series, point, Some(cause))?;
                if cell.is_judged() {
                    cells.push(cell);
                }
            }
        }
        match cells.is_empty() {
            true => Err(self
                .file
                .refuse(&cause.says, "none of its runs has a published figure")),
            false => Ok(cells),
        }
    }

    /// The place of a series.
    ///
    /// # Errors
    /// The table has none of this name.
    pub fn place(&self, name: &Spanned<String>) -> Result<usize, ReproduceError> {
        let mut all = self.table.series.iter();
        let place = all.position(|series| series.name.get_ref() == name.get_ref());
        place.ok_or_else(|| {
            let names = self
                .table
                .series
                .iter()
                .map(|one| one.name.get_ref().as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            self.file
                .refuse(name, format!("no such series; one of: {names}"))
        })
    }

    fn check(&self, series: &Series) -> Result<(), ReproduceError> {
        let points = self.table.point.len();
        let lengths = [
            ("published", series.published.len()),
            ("log", series.log.len()),
            ("plus", series.plus.len()),
        ];
        for (key, length) in lengths {
            if length != 0 && length != points {
                let why =
                    format!("{key} has {length} values; must have one for each of {points} points");
                return Err(self.file.refuse(&series.name, why));
            }
        }
        if !series.published.is_empty() && !series.log.is_empty() {
            return Err(self
                .file
                .refuse(&series.name, "has published and log; leave out one of both"));
        }
        if !series.published.is_empty() && self.table.windows.len() != 1 {
            return Err(self
                .file
                .refuse(&series.name, "published needs a table with one window"));
        }
        Ok(())
    }

    fn cell(
        &self,
        series: usize,
        point: usize,
        cause: Option<&Cause>,
    ) -> Result<Cell, ReproduceError> {
        let (one, at) = (&self.table.series[series], &self.table.point[point]);
        let log = self.log(one, point)?;
        let texts = self.texts(one, at, &log);
        let (settings, config) = self.device(one, at, cause, &texts)?;
        let writes = Some(log.writes).filter(|&writes| writes > 0.0);
        let writes = writes.or(self.table.writes).unwrap_or(0.0);
        self.check_length(one, writes)?;
        let mut cell = Cell {
            series,
            point,
            settings,
            config,
            requests: Requests::Generated(String::new()),
            before: self.table.before,
            writes,
            windows: self.windows(one, point, &log),
            log,
            adjusted: [
                one.times.unwrap_or(1.0),
                one.plus.get(point).copied().unwrap_or(0.0),
            ],
        };
        cell.requests = self.requests(one, at, cause, &texts, &cell)?;
        Ok(cell)
    }

    /// What is written must be finite, and reach into every window.
    fn check_length(&self, series: &Series, writes: f64) -> Result<(), ReproduceError> {
        let fits = |capacities: f64| (0.0..=MOST).contains(&capacities);
        if !fits(writes) || !fits(self.table.before) {
            let why = format!("writes and before must be numbers from 0 to {MOST}");
            return Err(self.file.refuse(&series.name, why));
        }
        let ends = |window: &&Window| window.of(writes);
        let mut windows = self.table.windows.iter();
        let empty = windows.find(|window| writes > 0.0 && ends(window)[0] >= ends(window)[1]);
        match empty {
            None => Ok(()),
            Some(window) => {
                let why = format!(
                    "writes {writes} capacities; nothing is left {}",
                    window.name()
                );
                Err(self.file.refuse(&series.name, why))
            }
        }
    }

    fn log(&self, series: &Series, point: usize) -> Result<Log, ReproduceError> {
        match series.log.get(point) {
            Some(id) if !id.get_ref().is_empty() => {
                self.logs.get(id.get_ref()).cloned().ok_or_else(|| {
                    self.file
                        .refuse(id, "is in none of the study's tables of runs")
                })
            }
            _ => Ok(Log::default()),
        }
    }

    fn texts(&self, series: &Series, point: &Point, log: &Log) -> Texts {
        let mut texts = self.table.with.clone();
        texts.extend(point.with.clone());
        texts.extend(log.shares.clone());
        texts.extend(series.with.clone());
        texts.insert("at".into(), point.at.get_ref().clone());
        texts
    }

    fn windows(&self, series: &Series, point: usize, log: &Log) -> Vec<(Window, Option<f64>)> {
        let published = series.published.get(point).copied();
        let published = published.filter(|figure| figure.is_finite());
        let known = |window: &Window| {
            let of_log = window.column().and_then(|column| log.windows.get(column));
            (*window, of_log.copied().or(published))
        };
        self.table.windows.iter().map(known).collect()
    }

    fn device(
        &self,
        series: &Series,
        point: &Point,
        cause: Option<&Cause>,
        texts: &Texts,
    ) -> Result<(Vec<String>, Config), ReproduceError> {
        let header = &self.description.measured.set;
        let given = header.iter().chain(&self.table.set).chain(&point.set);
        let changed = cause.into_iter().flat_map(|cause| &cause.set);
        let given = given.chain(&series.set).chain(changed);
        let mut resolver = self.lab.resolver();
        let mut settings = Vec::new();
        for setting in given {
            let text = self.filled(setting, texts)?;
            let set = resolver.set(&text);
            set.map_err(|error| self.file.refuse_setting(setting, &error))?;
            settings.push(text);
        }
        let config = resolver.resolve();
        let at = cause.map_or(&series.name, |cause| &cause.says);
        let config = config.map_err(|error| self.file.refuse_setting(at, &error))?;
        Ok((settings, config))
    }

    fn requests(
        &self,
        series: &Series,
        point: &Point,
        cause: Option<&Cause>,
        texts: &Texts,
        cell: &Cell,
    ) -> Result<Requests, ReproduceError> {
        let changed = cause.and_then(|cause| cause.load.as_ref());
        let own = changed.or(series.load.as_ref()).or(point.load.as_ref());
        let name = own.or(self.table.load.as_ref()).ok_or_else(|| {
            self.file.refuse(
                &series.name,
                "needs load, here or in the table or its points",
            )
        })?;
        let load = self.description.load.get(name.get_ref()).ok_or_else(|| {
            let names = self.description.load.keys().map(String::as_str);
            let names = names.collect::<Vec<_>>().join(", ");
            self.file
                .refuse(name, format!("no such load; one of: {names}"))
        })?;
        let last_replay = self.table.windows == [Window::LastReplay];
        let words = match (&load.words, &load.trace) {
            (Some(words), None) if cell.writes > 0.0 && !last_replay => words,
            (Some(_), None) => {
                let why = "its load is generated: needs writes in the table or a log that has capacity_writes, and other \
                           windows than last-replay";
                return Err(self.file.refuse(&series.name, why));
            }
            (None, Some(trace)) if last_replay => {
                return Ok(Requests::Replayed(trace.clone(), self.table.replays.get()));
            }
            (None, Some(_)) => {
                let why = "its load is a trace: needs windows = [\"last-replay\"] in the table";
                return Err(self.file.refuse(&series.name, why));
            }
            _ => return Err(self.file.refuse(&load.about, "needs either words or trace")),
        };
        let bytes = u64::from(cell.config.logical_pages()) * u64::from(cell.config.flash.page_size);
        let seed = self.description.measured.seed;
        let filled = self.filled(words, texts)?;
        let all = format!("{filled} --capacity {bytes} --seed {seed}");
        match ssdlab_workload::requests(&limited(&all, cell.written() + 1)) {
            Ok(_) => Ok(Requests::Generated(all)),
            Err(error) => Err(self.file.refuse(words, error)),
        }
    }

    /// The text with all `{name}` replaced.
    fn filled(&self, given: &Spanned<String>, texts: &Texts) -> Result<String, ReproduceError> {
        let mut filled = String::new();
        let mut rest = given.get_ref().as_str();
        while let Some((before, after)) = rest.split_once('{') {
            filled += before;
            let Some((name, after)) = after.split_once('}') else {
                return Err(self.file.refuse(given, "has { without }"));
            };
            let text = texts.get(name).ok_or_else(|| {
                let names = texts.keys().map(String::as_str).collect::<Vec<_>>();
                let why = format!("{{{name}}} has no text; one of: {}", names.join(", "));
                self.file.refuse(given, why)
            })?;
            filled += text;
            rest = after;
        }
        Ok(filled + rest)
    }
}

impl Cell {
    /// Whether anything was published of it.
    pub fn is_judged(&self) -> bool {
        self.windows.iter().any(|window| window.1.is_some()) || !self.log.tenths.is_empty()
    }
}
