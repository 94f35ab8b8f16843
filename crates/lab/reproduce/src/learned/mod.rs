//! The size of a learned map in flash, beside what is published of it.

mod description;
mod page;

use std::path::PathBuf;

use ssdlab_ftl::LearnedMap;
use ssdlab_sim::{Cell, CompareOptions, Counters, Lab, System, cells, key};
use toml::Spanned;

use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::File;
use crate::paper::{Requests, description::Origin, load};
use crate::runs::OnTrace;
use crate::study::{Progress, Report, Settings, Study};
use description::{Description, Figure, Over, Statement, Trace};

/// Bytes of an entry of a plain table, and of a place.
const ENTRY: u64 = 8;
const PLACE: u64 = 4;

/// A checked description.
#[derive(Debug)]
pub struct Learned {
    name: String,
    description: Description,
    file: File,
    lab: Lab,
}

/// What was learned on a trace with a bound.
struct Found<'a> {
    trace: &'a Trace,
    gamma: u32,
    map: LearnedMap,
    counters: Counters,
}

/// A statement with the value of each trace that did what it is about.
struct Judged<'a> {
    statement: &'a Statement,
    values: Vec<(&'a str, f64)>,
}

impl Found<'_> {
    fn plain(&self) -> u64 {
        ENTRY * self.map.pages
    }

    /// A map page whose entries say by two bits whether they begin a run, with a place for each run and for its end.
    fn runs(&self) -> u64 {
        let map = &self.map;
        PLACE * (map.runs + map.ends) + map.map_pages * (map.entries / 4 + PLACE)
    }

    fn reads(&self) -> u64 {
        self.counters.map_read_hits + self.counters.map_read_misses
    }

    /// A figure, beside the same trace with the first bound; `None` if there are too few reads.
    fn of(&self, figure: Figure, first: &Found, least_reads: u64) -> Option<f64> {
        let (map, bytes) = (&self.map, self.map.bytes as f64);
        let value = match figure {
            Figure::Plain => self.plain() as f64 / bytes,
            Figure::Runs => self.runs() as f64 / bytes,
            Figure::Beside => bytes / first.map.bytes as f64,
            Figure::Pages => map.pages as f64 / map.segments as f64,
            Figure::Approximate => map.approximate as f64 / map.segments as f64,
            Figure::Wrong if self.reads() < least_reads => return None,
            Figure::Wrong => self.counters.map_mispredictions as f64 / self.reads() as f64,
        };
        value.is_finite().then_some(value)
    }
}

impl Judged<'_> {
    fn is_within(&self, value: f64) -> bool {
        let [least, most] = self.statement.between;
        (least..=most).contains(&value)
    }

    fn mean(&self) -> f64 {
        self.values.iter().map(|(_, value)| value).sum::<f64>() / self.values.len() as f64
    }

    /// The traces that do not agree.
    fn apart(&self) -> Vec<&str> {
        let apart = self
            .values
            .iter()
            .filter(|(_, value)| !self.is_within(*value));
        apart.map(|(trace, _)| *trace).collect()
    }

    fn agrees(&self) -> bool {
        match self.statement.over {
            Over::Mean => self.is_within(self.mean()),
            Over::Traces => {
                let all = self.values.len();
                all > 0 && 3 * (all - self.apart().len()) >= 2 * all
            }
        }
    }
}

impl Learned {
    /// The name of every description.
    pub const DESCRIPTION: &str = "learned.toml";

    /// Reads a description, and checks everything that needs no trace.
    ///
    /// # Errors
    /// The first error in it.
    pub fn read(
        descriptions: &Descriptions,
        name: &str,
        lab: &Lab,
    ) -> Result<Self, ReproduceError> {
        let file = descriptions.file(name, Self::DESCRIPTION)?;
        let study = Self {
            name: name.into(),
            description: file.parse()?,
            file,
            lab: lab.clone(),
        };
        let all = &study.description;
        let names = all.trace.iter().map(|one| (one.name.get_ref(), &one.name));
        study.file.distinct(names)?;
        for trace in &all.trace {
            study.origin(trace)?;
        }
        for Statement { gamma, .. } in &all.statement {
            if !all.gammas.contains(gamma.get_ref()) {
                return Err(study.file.refuse(gamma, "is none of `gammas`"));
            }
        }
        study.options()?;
        Ok(study)
    }

    /// Where a trace is from.
    fn origin(&self, trace: &Trace) -> Result<Origin, ReproduceError> {
        match (&trace.file, &trace.generate) {
            (Some(file), None) => {
                let (file, limit) = (file.clone(), None);
                Ok(Origin::File { file, limit })
            }
            (None, Some(words)) => Ok(Origin::Generated(words.clone())),
            _ => Err(self
                .file
                .refuse(&trace.name, "needs one of file and generate")),
        }
    }

    /// The runs with all bounds, on a drive without a capacity.
    fn options(&self) -> Result<CompareOptions, ReproduceError> {
        let all = &self.description;
        let resolver = all
            .set
            .iter()
            .try_fold(self.lab.resolver(), |resolver, setting| {
                self.file
                    .accepts(&resolver, setting, Some(setting.get_ref()))
            })?;
        let mut options = CompareOptions::new(&self.lab, resolver);
        options.buffers.clear();
        options.sizes.clear();
        options.bounds = false;
        let system = |gamma: &u32| System {
            name: gamma.to_string(),
            set: vec![
                format!("{}=page", key::FTL),
                format!("{}=leaftl", key::MAP),
                format!("{}={gamma}", key::MAP_GAMMA),
            ],
        };
        options.systems = all.gammas.iter().map(system).collect();
        Ok(options)
    }

    fn cells(
        &self,
        of: &Trace,
        trace: &ssdlab_sim::Trace,
        settings: &Settings,
    ) -> Result<Vec<Cell>, ReproduceError> {
        let mut options = self.options()?;
        let capacity = format!("{}={}", key::CAPACITY, of.capacity.0);
        options.resolver = self
            .file
            .accepts(&options.resolver, &of.name, Some(&capacity))?;
        options.stop = Some(settings.stop.clone());
        Ok(cells(&options, trace)?.0)
    }

    fn judged<'a>(&'a self, found: &[Found<'a>]) -> Vec<Judged<'a>> {
        let all = &self.description;
        let of_trace = |trace: &Trace, gamma: u32| {
            let mut here = found.iter();
            here.find(|one| one.trace.name == trace.name && one.gamma == gamma)
        };
        let judged = |statement: &'a Statement| {
            let value = |trace: &'a Trace| {
                let found = of_trace(trace, *statement.gamma.get_ref())?;
                let first = of_trace(trace, all.gammas[0])?;
                let value = found.of(statement.figure, first, all.least_reads)?;
                Some((trace.name.get_ref().as_str(), value))
            };
            let values = all.trace.iter().filter_map(value).collect();
            Judged { statement, values }
        };
        all.statement.iter().map(judged).collect()
    }
}

impl Study for Learned {
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
        let files = self
            .description
            .trace
            .iter()
            .filter_map(|trace| trace.file.as_ref());
        let files = files.map(|file: &Spanned<String>| settings.traces.join(file.get_ref()));
        [self.file.path.clone()].into_iter().chain(files).collect()
    }

    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        let mut loaded = Vec::new();
        for trace in &self.description.trace {
            let origin = self.origin(trace)?;
            let left_out = [Requests::Flushes];
            let name = trace.name.get_ref();
            loaded.push((trace, load(&self.file, settings, name, &origin, &left_out)?));
        }
        let mut all = Vec::new();
        for (trace, requests) in &loaded {
            let cells = self.cells(trace, requests, settings)?;
            let gammas = self.description.gammas.iter();
            all.extend(
                cells
                    .into_iter()
                    .zip(gammas)
                    .map(|(cell, gamma)| (cell, *trace, requests, *gamma)),
            );
        }
        let runs: Vec<OnTrace> = all
            .iter()
            .map(|(cell, _, trace, _)| OnTrace { cell, trace })
            .collect();
        let measured = settings.values(&self.lab, &runs, progress)?;
        let found = all.iter().zip(measured);
        let found = found.map(|((_, trace, _, gamma), mut measured)| Found {
            trace,
            gamma: *gamma,
            map: measured.learned().unwrap_or_default(),
            counters: measured.replays.pop().unwrap_or_default(),
        });
        let found: Vec<Found> = found.collect();
        Ok(page::report(self, &found, &self.judged(&found)))
    }
}
