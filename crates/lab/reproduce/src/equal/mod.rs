//! Write buffers, caches of a map in flash and log blocks at equal RAM, beside what another program counted.

mod description;
mod page;

use std::path::PathBuf;

use ssdlab_config::Resolver;
use ssdlab_sim::{Cell, CompareOptions, Counters, Lab, System, cells, key};
use ssdlab_words::listed;
use toml::Spanned;

use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::{File, rows};
use crate::paper::{description::Origin, load};
use crate::runs::OnTrace;
use crate::study::{Progress, Report, Settings, Study};
use description::{Description, Figure, History, Row, Select, Statement, Trace, What};

/// A checked description with its table.
#[derive(Debug)]
pub struct Equal {
    name: String,
    description: Description,
    rows: Vec<Row>,
    file: File,
    lab: Lab,
}

/// A row with what was counted here.
struct Ran<'a> {
    row: &'a Row,
    counters: Counters,
    /// Bytes of RAM that the controller needs.
    ram: u64,
    /// Those of the drive; `None` with a map in RAM.
    of: Option<u64>,
}

/// A point of a statement: a trace and the RAM in MiB, with the value.
struct Point<'a> {
    trace: &'a str,
    ram_mib: u64,
    value: f64,
}

/// A statement with its points.
struct Judged<'a> {
    statement: &'a Statement,
    points: Vec<Point<'a>>,
}

impl Select {
    fn takes(&self, row: &Row) -> bool {
        let any = |names: &[String], name: &String| names.is_empty() || names.contains(name);
        let share = row.share.is_some_and(|share| self.shares.contains(&share));
        (self.what.is_empty() || self.what.contains(&row.what))
            && any(&self.ftls, &row.ftl)
            && any(&self.buffers, &row.buffer)
            && (self.shares.is_empty() || share)
    }
}

impl Figure {
    fn of(self, counters: &Counters) -> f64 {
        match self {
            Figure::Waf => counters.waf_pages().unwrap_or(f64::NAN),
            Figure::MapReads => counters.table_reads as f64,
            Figure::CleaningShare => {
                counters.map_clean_programs as f64 / counters.table_programs as f64
            }
        }
    }
}

impl Ran<'_> {
    fn waf(&self) -> f64 {
        Figure::Waf.of(&self.counters)
    }

    /// Whether each count of the map is that of the other program.
    fn is_equal(&self) -> bool {
        let (row, found) = (self.row, &self.counters);
        let pairs = [
            (row.map_clean_programs, found.map_clean_programs),
            (row.map_dirty_evictions, found.map_dirty_evictions),
            (row.table_copies, found.table_copies),
            (row.table_reads, found.table_reads),
        ];
        pairs.iter().all(|(known, found)| *known == Some(*found))
    }

    /// Whether the run is the one of the table to the last page of its buffer.
    fn is_exact(&self) -> bool {
        self.row.table_reads.is_some()
    }
}

impl Judged<'_> {
    fn is_within(&self, point: &Point) -> bool {
        let [least, most] = self.statement.between;
        (least..=most).contains(&point.value)
    }

    fn agreeing(&self) -> usize {
        let within = self.points.iter().filter(|point| self.is_within(point));
        within.count()
    }

    /// The points that do not agree, in words.
    fn apart(&self) -> String {
        let apart = self.points.iter().filter(|point| !self.is_within(point));
        let named = apart.map(|point| format!("{} with {} MiB", point.trace, point.ram_mib));
        listed(&named.collect::<Vec<_>>())
    }

    fn agrees(&self) -> bool {
        self.agreeing() >= self.statement.points
    }
}

impl Equal {
    /// The name of every description.
    pub const DESCRIPTION: &str = "equal.toml";
    /// The name of every table.
    const TABLE: &str = "rows.csv";

    /// Reads a description with its table, and checks everything that needs no trace.
    ///
    /// # Errors
    /// The first error in them.
    pub fn read(
        descriptions: &Descriptions,
        name: &str,
        lab: &Lab,
    ) -> Result<Self, ReproduceError> {
        let file = descriptions.file(name, Self::DESCRIPTION)?;
        let description: Description = file.parse()?;
        let table = descriptions.file(name, Self::TABLE)?;
        let rows = rows(&table, |row: &Row| {
            let traces = description.trace.iter().map(|trace| trace.name.get_ref());
            let histories = description.history.iter().map(|one| one.name.get_ref());
            known("trace", &row.trace, traces)?;
            known("history", &row.history, histories)
        })?;
        let study = Self {
            name: name.into(),
            description,
            rows,
            file,
            lab: lab.clone(),
        };
        study.check()?;
        Ok(study)
    }

    fn check(&self) -> Result<(), ReproduceError> {
        let all = &self.description;
        for history in &all.history {
            self.resolver(history)?;
        }
        self.file
            .distinct(all.trace.iter().map(|one| (one.name.get_ref(), &one.name)))?;
        self.file.distinct(
            all.history
                .iter()
                .map(|one| (one.name.get_ref(), &one.name)),
        )?;
        for statement in &all.statement {
            let mut histories = all.history.iter().map(|one| one.name.get_ref());
            let name = &statement.history;
            if !histories.any(|one| one == name.get_ref()) {
                return Err(self.file.refuse(name, "is no history"));
            }
            let traces = || all.trace.iter().map(|one| one.name.get_ref());
            for trace in &statement.traces {
                known("trace", trace, traces()).map_err(|why| self.file.refuse(name, why))?;
            }
        }
        Ok(())
    }

    /// What all runs with a history share.
    fn resolver(&self, history: &History) -> Result<Resolver, ReproduceError> {
        let mut settings = self.description.set.iter().chain(&history.set);
        settings.try_fold(self.lab.resolver(), |resolver, setting| {
            self.file
                .accepts(&resolver, setting, Some(setting.get_ref()))
        })
    }

    /// The RAM of a row in bytes.
    fn ram(&self, row: &Row, trace: &Trace) -> Option<u64> {
        let whole = u128::from(self.description.stands_for.get_ref().0);
        let bytes = u128::from(row.ram_mib?) << 20;
        Some((bytes * u128::from(trace.capacity.0) / whole) as u64)
    }

    /// What a row sets, beside the size of its buffer.
    fn system(row: &Row) -> System {
        let mut set = Vec::new();
        if row.what == What::Logs {
            set.push(format!("{}={}", key::FTL, row.ftl));
        } else {
            set.push(format!("{}=page", key::FTL));
            set.push(format!("{}={}", key::MAP, row.ftl));
        }
        let buffer = match row.buffer_pages {
            Some(0) => "none",
            _ => &row.buffer,
        };
        set.push(format!("{}={buffer}", key::POLICY));
        let numbers = [
            (key::MAP_CACHE, row.cache),
            (key::MAP_LIST, row.list.filter(|_| row.cache.is_some())),
            (key::LOG_BLOCKS, row.log_blocks),
        ];
        let numbers = numbers.into_iter();
        set.extend(numbers.filter_map(|(key, value)| Some(format!("{key}={}", value?))));
        let name = "row".into();
        System { name, set }
    }

    /// The runs of some rows on a trace.
    fn cells(
        &self,
        trace: (&Trace, &ssdlab_sim::Trace),
        history: &History,
        rows: &[&Row],
        settings: &Settings,
    ) -> Result<Vec<Cell>, ReproduceError> {
        let (of, trace) = trace;
        let resolver = self.resolver(history)?;
        let capacity = format!("{}={}", key::CAPACITY, of.capacity.0);
        let resolver = self.file.accepts(&resolver, &of.name, Some(&capacity))?;
        let page = resolver.resolve().map(|config| config.flash.page_size);
        let page = u64::from(page.map_err(|error| self.file.refuse_setting(&of.name, &error))?);
        let mut all = Vec::new();
        for row in rows {
            let mut options = CompareOptions::new(&self.lab, resolver.clone());
            options.buffers.clear();
            options.bounds = false;
            options.stop = Some(settings.stop.clone());
            options.replay.loops = history.replays.get();
            options.sizes = match (row.buffer_pages, self.ram(row, of)) {
                (None, Some(ram)) => {
                    options.share_ram = true;
                    vec![ram]
                }
                (pages, _) => pages
                    .filter(|pages| *pages > 0)
                    .map(|pages| pages * page)
                    .into_iter()
                    .collect(),
            };
            options.systems = vec![Self::system(row)];
            let (cells, _) = cells(&options, trace)?;
            all.extend(cells);
        }
        Ok(all)
    }

    fn judged<'a>(&'a self, ran: &[Ran]) -> Vec<Judged<'a>> {
        let all = &self.description;
        let judged = |statement: &'a Statement| {
            let mut points = Vec::new();
            for trace in &all.trace {
                let name = trace.name.get_ref();
                if !statement.traces.is_empty() && !statement.traces.contains(name) {
                    continue;
                }
                for &ram_mib in &statement.ram_mib {
                    let best = |select: &Select| {
                        let here = ran.iter().filter(|ran| {
                            ran.row.trace == *name
                                && ran.row.ram_mib == Some(ram_mib)
                                && ran.row.history == *statement.history.get_ref()
                                && select.takes(ran.row)
                        });
                        let best = here.min_by(|a, b| a.waf().total_cmp(&b.waf()))?;
                        Some(statement.figure.of(&best.counters))
                    };
                    let divisor = match &statement.over {
                        Some(over) => best(over),
                        None => Some(1.0),
                    };
                    let value = best(&statement.of).zip(divisor);
                    points.extend(value.map(|(value, divisor)| Point {
                        trace: name,
                        ram_mib,
                        value: value / divisor,
                    }));
                }
            }
            Judged { statement, points }
        };
        all.statement.iter().map(judged).collect()
    }
}

fn known<'a>(
    what: &str,
    name: &str,
    mut all: impl Iterator<Item = &'a String>,
) -> Result<(), String> {
    if all.any(|one| one == name) {
        return Ok(());
    }
    Err(format!("{name:?}: no {what} of {}", Equal::DESCRIPTION))
}

impl Study for Equal {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.description.title
    }

    fn source(&self) -> &str {
        &self.description.source
    }

    fn inputs(&self, settings: &Settings) -> Vec<PathBuf> {
        let traces = self.description.trace.iter();
        let traces = traces.map(|trace| settings.traces.join(trace.file.get_ref()));
        let table = self.file.path.with_file_name(Self::TABLE);
        [self.file.path.clone(), table]
            .into_iter()
            .chain(traces)
            .collect()
    }

    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        let mut loaded = Vec::new();
        for trace in &self.description.trace {
            let (name, file): (&Spanned<String>, _) = (&trace.name, trace.file.clone());
            let origin = Origin::File { file, limit: None };
            let requests = load(&self.file, settings, name.get_ref(), &origin, &[])?;
            loaded.push((trace, requests));
        }
        let (mut rows, mut cells) = (Vec::new(), Vec::new());
        for (trace, requests) in &loaded {
            for history in &self.description.history {
                let here = self.rows.iter().filter(|row| {
                    row.trace == *trace.name.get_ref() && row.history == *history.name.get_ref()
                });
                let here: Vec<&Row> = here.collect();
                let of_rows = self.cells((trace, requests), history, &here, settings)?;
                cells.extend(of_rows.into_iter().map(|cell| (cell, requests)));
                rows.extend(here.into_iter().map(|row| (row, *trace)));
            }
        }
        let runs: Vec<OnTrace> = cells
            .iter()
            .map(|(cell, trace)| OnTrace { cell, trace })
            .collect();
        let measured = settings.values(&self.lab, &runs, progress)?;
        let ran = rows.iter().zip(&runs).zip(measured);
        let ran = ran.map(|((&(row, trace), run), mut measured)| Ran {
            row,
            counters: measured.replays.pop().unwrap_or_default(),
            ram: run
                .cell
                .config()
                .controller()
                .ram_bytes
                .total()
                .unwrap_or(0),
            of: self.ram(row, trace),
        });
        let ran: Vec<Ran> = ran.collect();
        Ok(page::report(self, &ran, &self.judged(&ran)))
    }
}
