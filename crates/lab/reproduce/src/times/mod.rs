//! Published latencies and rates of drives, beside those of small drives that behave like them.

mod cell;
mod description;
mod page;

use std::path::PathBuf;

use ssdlab_sim::Lab;
use toml::Spanned;

use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::{File, may_name_a_file};
use crate::study::{Progress, Report, Settings, Study};
use cell::{Cell, Times};
use description::{Description, Drive, Load, MEASURED, Published, published};

/// Requests that a probe makes in a second.
const PROBE: f64 = 10_000.0;
/// The share of a load's requests that are reads.
const READS: f64 = 0.01;

/// A checked description, and its runs.
#[derive(Debug)]
pub struct DriveTimes {
    name: String,
    description: Description,
    measured: PathBuf,
    /// The published rows of each drive, with a run by the sheet and one with what is fitted.
    rows: Vec<Vec<Row>>,
    file: File,
    lab: Lab,
}

/// A published row, and its runs.
#[derive(Debug)]
struct Row {
    published: Published,
    cells: [Cell; 2],
}

/// What was found for a row.
struct Found<'a> {
    published: &'a Published,
    times: [Times; 2],
}

impl DriveTimes {
    /// The name of every description.
    pub const DESCRIPTION: &str = "times.toml";

    /// Reads a description with its published figures, and checks all of it.
    ///
    /// # Errors
    /// The first error in them.
    pub fn read(
        descriptions: &Descriptions,
        name: &str,
        lab: &Lab,
    ) -> Result<Self, ReproduceError> {
        let file = descriptions.file(name, Self::DESCRIPTION)?;
        let all = published(descriptions, name)?;
        let mut study = Self {
            name: name.into(),
            description: file.parse()?,
            measured: descriptions.path(name).join(MEASURED),
            rows: Vec::new(),
            file,
            lab: lab.clone(),
        };
        let drives = &study.description.drive;
        let ids = || drives.iter().map(|drive| &drive.id);
        study.file.distinct(ids().map(|id| (id.get_ref(), id)))?;
        if let Some(id) = ids().find(|id| !may_name_a_file(id.get_ref())) {
            let why = "must consist of letters, digits, - and ., without ..";
            return Err(study.file.refuse(id, why));
        }
        let rows = drives.iter().map(|drive| {
            let rows = drive.rows(&study.file, &all)?.iter();
            let row = |published: &Published| {
                Ok(Row {
                    cells: [study.cell(drive, published, &[])?, {
                        study.cell(drive, published, &drive.fitted)?
                    }],
                    published: published.clone(),
                })
            };
            rows.map(row).collect::<Result<Vec<_>, ReproduceError>>()
        });
        study.rows = rows.collect::<Result<_, _>>()?;
        Ok(study)
    }

    fn cell(
        &self,
        drive: &Drive,
        published: &Published,
        fitted: &[Spanned<String>],
    ) -> Result<Cell, ReproduceError> {
        let header = &self.description.times;
        let [requests, outstanding] = header.saturated;
        let issue = match published.load {
            Load::Open(_) => "replay=timed".to_owned(),
            Load::Saturated(_) => format!("queue_depth={outstanding}"),
        };
        let mut resolver = self.lab.resolver();
        let refused = |error: &_| self.file.refuse_setting(&drive.id, error);
        resolver.set(&issue).map_err(|error| refused(&error))?;
        for setting in header.set.iter().chain(&drive.set).chain(fitted) {
            let set = resolver.set(setting.get_ref()).map(drop);
            set.map_err(|error| self.file.refuse_setting(setting, &error))?;
        }
        let config = resolver.resolve().map_err(|error| refused(&error))?;
        let bytes = u64::from(config.logical_pages()) * u64::from(config.flash.page_size);
        let seconds = drive.seconds.unwrap_or(header.seconds);
        let (words, until_ns) = match published.load {
            Load::Saturated(reads) => (
                format!("uniform --reads {reads} --requests {requests}"),
                u64::MAX,
            ),
            Load::Open(writes) => {
                let rate = writes as f64 - PROBE * drive.probe_writes;
                let most = (2.0 * seconds * (rate + PROBE)).ceil();
                let words = format!(
                    "uniform --reads {READS} --rate {rate} --poisson --probe {PROBE}:{} --requests {most}",
                    drive.probe_writes
                );
                (words, (seconds * 1e9) as u64)
            }
        };
        let words = format!("{words} --capacity {bytes} --seed {}", header.seed);
        let made = ssdlab_workload::requests(&words).map(drop);
        made.map_err(|why| self.file.refuse(&drive.id, why))?;
        Ok(Cell {
            config,
            words,
            until_ns,
        })
    }
}

impl Study for DriveTimes {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.description.times.title
    }

    fn source(&self) -> &str {
        &self.description.times.source
    }

    fn inputs(&self, _: &Settings) -> Vec<PathBuf> {
        vec![self.file.path.clone(), self.measured.clone()]
    }

    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        let rows = self.rows.iter().flatten();
        let cells: Vec<Cell> = rows.flat_map(|row| row.cells.clone()).collect();
        let values = settings.values(&self.lab, &cells, progress)?;
        let mut values = values.into_iter();
        let mut take = || values.next().expect("a value for each run");
        let found = |rows: &'_ Vec<Row>| -> Vec<[Times; 2]> {
            rows.iter().map(|_| [take(), take()]).collect()
        };
        let times: Vec<Vec<[Times; 2]>> = self.rows.iter().map(found).collect();
        let found = self.rows.iter().zip(times).map(|(rows, times)| {
            let pairs = rows.iter().zip(times);
            let found = pairs.map(|(row, times)| Found {
                published: &row.published,
                times,
            });
            found.collect()
        });
        Ok(page::report(self, &found.collect::<Vec<Vec<Found>>>()))
    }
}
