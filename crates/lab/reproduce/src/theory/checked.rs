//! A checked description of theory.

use ssdlab_sim::Lab;

use super::cell::Cell;
use super::description::Description;
use super::plan::Plan;
use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::File;

/// A checked description, and the cells of its tables.
#[derive(Debug)]
pub struct Theory {
    pub(super) name: String,
    pub(super) description: Description,
    pub(super) cells: Vec<Cell>,
    pub(super) file: File,
    /// What it may name.
    pub(super) lab: Lab,
}

impl Theory {
    /// The name of every description.
    pub const DESCRIPTION: &str = "theory.toml";

    /// Reads a description, which may name the systems of the laboratory, and checks all of it.
    ///
    /// # Errors
    /// The first error in it.
    pub fn read(
        descriptions: &Descriptions,
        name: &str,
        lab: &Lab,
    ) -> Result<Self, ReproduceError> {
        let file = descriptions.file(name, Self::DESCRIPTION)?;
        let mut theory = Self {
            name: name.into(),
            description: file.parse()?,
            cells: Vec::new(),
            file,
            lab: lab.clone(),
        };
        theory.cells = theory.cells()?;
        Ok(theory)
    }

    /// All cells, table by table, in the order of the description.
    fn cells(&self) -> Result<Vec<Cell>, ReproduceError> {
        let mut cells = Vec::new();
        for (index, table) in self.description.table.iter().enumerate() {
            let before = cells.len();
            for spare in &table.spare {
                for pages in &table.pages_per_block {
                    for case in table.formula.get_ref().cases() {
                        let plan = Plan {
                            lab: &self.lab,
                            file: &self.file,
                            header: &self.description.theory,
                            table,
                            spare,
                            pages_per_block: pages.get(),
                            case,
                        };
                        cells.push(plan.cell(index)?);
                    }
                }
            }
            if cells.len() == before {
                let why = "the table is empty; it needs spare, pages_per_block and the parameter of its formula";
                return Err(self.file.refuse(&table.formula, why));
            }
        }
        Ok(cells)
    }
}
