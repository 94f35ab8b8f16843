//! Fills of drives with an SLC cache: what reviews measured, beside the closed form from the sheets.

mod description;
mod known;
mod page;

use std::path::PathBuf;

use ssdlab_report::Reviewed;
use ssdlab_sim::Lab;

use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::File;
use crate::study::{Progress, Report, Settings, Study};
use description::{Description, Drive, TABLES, Tables};
use known::{Figures, Known, Number};

/// A checked description with its tables.
#[derive(Debug)]
pub struct Fills {
    name: String,
    description: Description,
    tables: Tables,
    file: File,
    paths: Vec<PathBuf>,
}

/// A drive whose fill was measured, and its fills by the form.
struct Found<'a> {
    drive: &'a Drive,
    measured: Figures,
    /// From the sheet alone.
    sheet: Figures,
    /// With the numbers that the sheet lacks.
    completed: Figures,
    /// These numbers.
    taken: Vec<Number>,
    /// If the mean is out of the tolerance, the number that mends it most, and the mean with it.
    mended: Option<(Number, f64)>,
}

impl Fills {
    /// The name of every description.
    pub const DESCRIPTION: &str = "fills.toml";

    /// Reads a description with its tables, and checks all of it.
    ///
    /// # Errors
    /// The first error in them.
    pub fn read(descriptions: &Descriptions, name: &str, _: &Lab) -> Result<Self, ReproduceError> {
        let file = descriptions.file(name, Self::DESCRIPTION)?;
        let folder = descriptions.path(name);
        let tables = TABLES.iter().map(|table| folder.join(table));
        let mut study = Self {
            name: name.into(),
            description: file.parse()?,
            tables: Tables::read(descriptions, name)?,
            paths: [file.path.clone()].into_iter().chain(tables).collect(),
            file,
        };
        for id in &study.description.beside {
            if !study.tables.drives.iter().any(|drive| drive.id == *id) {
                let why = format!("beside: {id:?} is no drive of {}", TABLES[0]);
                return Err(study.file.refuse_at(0, &why));
            }
        }
        let phases = &study.tables.phases;
        study
            .tables
            .drives
            .retain(|drive| phases.iter().any(|phase| phase.id == drive.id));
        Ok(study)
    }

    /// All phases that have a beginning and an end, of the drives that the program knows, in the order of the tables.
    ///
    /// # Errors
    /// None, while the built-in tables are right.
    pub fn reviewed() -> Result<Vec<Reviewed>, ReproduceError> {
        let built_in = Descriptions::BuiltIn;
        let bytes = |gb: f64| (gb * 1e9) as u64;
        let mut all = Vec::new();
        for name in built_in.names() {
            if !built_in.has(&name, Self::DESCRIPTION) {
                continue;
            }
            let tables = Tables::read(&built_in, &name)?;
            let phase = |phase: &description::Phase| {
                let drive = tables.drives.iter().find(|drive| drive.id == phase.id)?;
                Some(Reviewed {
                    drive: drive.drive.clone(),
                    capacity: bytes(drive.capacity_gb),
                    cell_bits: drive.cell as u32,
                    bytes: [bytes(phase.from_gb?), bytes(phase.to_gb?)],
                    mb_s: phase.mb_s,
                })
            };
            all.extend(tables.phases.iter().filter_map(phase));
        }
        Ok(all)
    }

    fn found<'a>(&self, drive: &'a Drive) -> Found<'a> {
        let (description, tables) = (&self.description, &self.tables);
        let measured = Figures::measured(drive, &tables.phases, &tables.means);
        let known = Known::of_sheet(drive);
        let (completed, taken) = known.completed(drive, &measured);
        let found = completed.figures(description.seen);
        let off = |mean: Option<f64>| Some((mean? / measured.mean? - 1.0).abs());
        let is_out =
            off(found.mean).is_some_and(|off| off > description.within.mean_percent / 100.0);
        let others = Number::ALL
            .into_iter()
            .filter(|number| !taken.contains(number));
        let with = others.filter_map(|number| {
            let mean = completed
                .with(number, &measured)?
                .figures(description.seen)
                .mean;
            Some((number, mean?))
        });
        let mended = with.filter(|_| is_out).min_by(|a, b| {
            off(Some(a.1))
                .partial_cmp(&off(Some(b.1)))
                .expect("numbers")
        });
        Found {
            drive,
            measured,
            sheet: known.figures(description.seen),
            completed: found,
            taken,
            mended,
        }
    }
}

impl Study for Fills {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.description.title
    }

    fn source(&self) -> &str {
        &self.description.source
    }

    fn inputs(&self, _: &Settings) -> Vec<PathBuf> {
        self.paths.clone()
    }

    fn run(&self, _: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        progress(1);
        let drives = self.tables.drives.iter();
        let report = page::report(
            self,
            &drives.map(|drive| self.found(drive)).collect::<Vec<_>>(),
        );
        progress(1);
        Ok(report)
    }
}
