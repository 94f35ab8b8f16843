//! Theory: write amplification in closed form, each figure beside that of the simulator.

mod case;
mod cell;
mod description;
mod page;

use std::num::NonZeroU32;
use std::path::Path;

use ssdlab_config::{Config, Resolver};
use ssdlab_sim::Threads;
use ssdlab_theory::Spare;
use toml::Spanned;

use crate::error::ReproduceError;
use crate::file::File;
use crate::study::{Progress, Report, Settings, Study};
use case::Case;
use cell::Cell;
use description::{Description, Table};

/// A description, checked, and the cells of its tables.
#[derive(Debug)]
pub struct Theory {
    name: String,
    description: Description,
    cells: Vec<Cell>,
    file: File,
}

impl Study for Theory {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.description.theory.title
    }

    fn source(&self) -> &str {
        &self.description.theory.source
    }

    fn run(&self, settings: &Settings, progress: Progress) -> Result<Report, ReproduceError> {
        let threads = Threads::start(settings.jobs)?;
        let found = threads.each(&self.cells, Cell::simulate, progress)?;
        let cells = self.cells.iter().zip(found);
        let results = cells.map(|(cell, found)| cell::Compared { cell, found });
        Ok(page::report(self, &results.collect::<Vec<_>>()))
    }
}

impl Theory {
    /// The name of every description.
    pub const DESCRIPTION: &str = "theory.toml";

    /// Reads a description and checks all of it.
    ///
    /// # Errors
    /// The first thing wrong with it.
    pub fn read(folder: &Path, name: &str) -> Result<Self, ReproduceError> {
        let file = File::read(folder.join(name).join(Self::DESCRIPTION))?;
        let mut theory = Self {
            name: name.into(),
            description: file.parse()?,
            cells: Vec::new(),
            file,
        };
        theory.cells = theory.cells()?;
        Ok(theory)
    }

    /// All cells, table by table, as their lines stand there.
    fn cells(&self) -> Result<Vec<Cell>, ReproduceError> {
        let mut cells = Vec::new();
        for (index, table) in self.description.table.iter().enumerate() {
            let before = cells.len();
            for spare in &table.spare {
                for pages in &table.pages_per_block {
                    for case in table.formula.get_ref().cases() {
                        cells.push(self.cell(index, spare, pages.get(), case)?);
                    }
                }
            }
            if cells.len() == before {
                let why =
                    "the table is empty; it needs spare, pages_per_block and all that is varied";
                return Err(self.file.refuse(&table.formula, why));
            }
        }
        Ok(cells)
    }

    fn cell(
        &self,
        index: usize,
        spare: &Spanned<f64>,
        pages_per_block: u32,
        case: Case,
    ) -> Result<Cell, ReproduceError> {
        let (header, table) = (&self.description.theory, &self.description.table[index]);
        let known = self.known(table, spare, pages_per_block, case)?;
        let logical = self.logical_blocks(spare)?;
        let pages = u64::from(logical) * u64::from(pages_per_block);
        let requests = |rounds: NonZeroU32| u64::from(rounds.get()).saturating_mul(pages);
        let (warm_up, measured) = (requests(header.warm_up), requests(header.measured));
        let settings = self.settings(table, logical, pages_per_block, case);
        Ok(Cell {
            table: index,
            case,
            spare: *spare.get_ref(),
            pages_per_block,
            known,
            config: self.device(table, &settings)?,
            settings,
            words: self.words(table, case, pages, warm_up.saturating_add(measured))?,
            warm_up,
            measured,
        })
    }

    /// What theory says.
    fn known(
        &self,
        table: &Table,
        spare: &Spanned<f64>,
        pages_per_block: u32,
        case: Case,
    ) -> Result<f64, ReproduceError> {
        let Some(factor) = Spare::new(*spare.get_ref()) else {
            return Err(self.file.refuse(spare, "must be above 0 and below 1"));
        };
        case.known(factor, pages_per_block).ok_or_else(|| {
            let why =
                "percentages must be above 0 and below 100, shares of discards from 0 to below 0.5";
            self.file.refuse(&table.formula, why)
        })
    }

    /// How many of the blocks that theory knows are logical: a whole number.
    fn logical_blocks(&self, spare: &Spanned<f64>) -> Result<u32, ReproduceError> {
        let all = self.description.theory.blocks.get();
        let logical = f64::from(all) * (1.0 - spare.get_ref());
        // decimal fractions are not exact in binary
        match logical.round() {
            whole if (logical - whole).abs() < 1e-6 && whole >= 1.0 => Ok(whole as u32),
            _ => {
                let why = format!("leaves {logical} of {all} blocks, which is no whole number");
                Err(self.file.refuse(spare, why))
            }
        }
    }

    /// What makes the device of the defaults: what is given, then what follows from the cell.
    fn settings(
        &self,
        table: &Table,
        logical: u32,
        pages_per_block: u32,
        case: Case,
    ) -> Vec<String> {
        let header = &self.description.theory;
        let given = header.set.iter().chain(&table.set);
        let given = given.map(|setting| setting.get_ref().clone());
        let page = u64::from(header.page_size.get());
        let pages = u64::from(logical) * u64::from(pages_per_block);
        let bytes = pages.saturating_mul(page);
        let spare = u64::from(header.blocks.get() - logical) + u64::from(table.reserve);
        let shape = [
            format!("flash.page_size={page}"),
            format!("flash.pages_per_block={pages_per_block}"),
            format!("flash.capacity={bytes}"),
            format!("ftl.spare_blocks={spare}"),
        ];
        given.chain(shape).chain(case.cleaning()).collect()
    }

    /// The device that the settings make; those that are given come first, and must be valid without the others.
    fn device(&self, table: &Table, settings: &[String]) -> Result<Config, ReproduceError> {
        let mut resolver = Resolver::new();
        for given in self.description.theory.set.iter().chain(&table.set) {
            let set = resolver.set(given.get_ref()).map(drop);
            let valid = set.and_then(|()| resolver.resolve().map(drop));
            valid.map_err(|error| self.file.refuse_setting(given, &error))?;
        }
        let mut resolver = Resolver::new();
        let all = settings.iter().try_for_each(|s| resolver.set(s).map(drop));
        let config = all.and_then(|()| resolver.resolve());
        config.map_err(|error| self.file.refuse_setting(&table.formula, &error))
    }

    /// The requests of a cell, as `ssdlab trace generate` takes them.
    fn words(
        &self,
        table: &Table,
        case: Case,
        pages: u64,
        requests: u64,
    ) -> Result<String, ReproduceError> {
        let header = &self.description.theory;
        let page = u64::from(header.page_size.get());
        let words = format!(
            "{} --capacity {} --unit {page} --seed {} --requests {requests}",
            case.workload(),
            pages.saturating_mul(page),
            header.seed,
        );
        match ssdlab_workload::requests(&words) {
            Ok(_) => Ok(words),
            Err(error) => Err(self.file.refuse(&table.formula, error)),
        }
    }
}
