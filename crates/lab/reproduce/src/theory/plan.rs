//! Turns the description into cells: the arguments of the formula, the device and the requests.

use std::num::NonZeroU32;

use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_sim::{Lab, key};
use ssdlab_theory::Spare;
use toml::Spanned;

use super::case::Case;
use super::cell::Cell;
use super::description::{Header, Table};
use crate::error::ReproduceError;
use crate::file::File;

/// The place of a cell.
pub(super) struct Plan<'a> {
    pub lab: &'a Lab,
    pub file: &'a File,
    pub header: &'a Header,
    pub table: &'a Table,
    pub spare: &'a Spanned<f64>,
    pub pages_per_block: u32,
    pub case: Case,
}

impl Plan<'_> {
    /// The cell for this table, fully checked.
    pub fn cell(&self, table: usize) -> Result<Cell, ReproduceError> {
        let known = self.known()?;
        let logical = self.logical_blocks()?;
        let pages = u64::from(logical) * u64::from(self.pages_per_block);
        let bytes = pages.saturating_mul(self.header.page_size.get().into());
        let requests = |rounds: NonZeroU32| u64::from(rounds.get()).saturating_mul(pages);
        let warm_up = requests(self.header.warm_up);
        let measured = requests(self.header.measured);
        let settings = self.settings(logical, bytes);
        Ok(Cell {
            table,
            case: self.case,
            spare: *self.spare.get_ref(),
            pages_per_block: self.pages_per_block,
            known,
            config: self.device(&settings)?,
            settings,
            words: self.words(bytes, warm_up.saturating_add(measured))?,
            warm_up,
            measured,
        })
    }

    /// The result of the formula.
    fn known(&self) -> Result<f64, ReproduceError> {
        let Some(spare) = Spare::new(*self.spare.get_ref()) else {
            let why = format!("must be from {:e} to below 1", Spare::LEAST);
            return Err(self.file.refuse(self.spare, why));
        };
        self.case.known(spare, self.pages_per_block).ok_or_else(|| {
            let why =
                "percentages must be above 0 and below 100, shares of discards from 0 to below 0.5";
            self.file.refuse(&self.table.formula, why)
        })
    }

    /// The number of logical blocks among those in the model of theory; it must be whole.
    fn logical_blocks(&self) -> Result<u32, ReproduceError> {
        let all = f64::from(self.header.blocks.get());
        let logical = all * (1.0 - self.spare.get_ref());
        // decimal fractions are not exact in binary
        match logical.round() {
            whole if (logical - whole).abs() < 1e-6 && whole >= 1.0 => Ok(whole as u32),
            _ => {
                let why = format!("leaves {logical} of {all} blocks; must leave a whole number");
                Err(self.file.refuse(self.spare, why))
            }
        }
    }

    /// The settings that turn the default device into this one: first the given ones, then those that follow from the
    /// cell.
    fn settings(&self, logical: u32, bytes: u64) -> Vec<String> {
        let spare = u64::from(self.header.blocks.get() - logical) + u64::from(self.table.reserve);
        let shape = [
            format!("{}={}", key::PAGE_SIZE, self.header.page_size),
            format!("{}={}", key::PAGES_PER_BLOCK, self.pages_per_block),
            format!("{}={bytes}", key::CAPACITY),
            format!("{}={spare}", key::SPARE_BLOCKS),
        ];
        let given = self.given().map(|setting| setting.get_ref().clone());
        given.chain(shape).chain(self.case.cleaning()).collect()
    }

    fn given(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.header.set.iter().chain(&self.table.set)
    }

    /// The device with these settings; the given ones must also be valid alone.
    fn device(&self, settings: &[String]) -> Result<Config, ReproduceError> {
        let mut resolver = self.lab.resolver();
        for given in self.given() {
            let valid = resolved(&mut resolver, std::slice::from_ref(given.get_ref()));
            valid.map_err(|error| self.file.refuse_setting(given, &error))?;
        }
        let config = resolved(&mut self.lab.resolver(), settings);
        config.map_err(|error| self.file.refuse_setting(&self.table.formula, &error))
    }

    /// The requests, as arguments of `ssdlab trace generate`.
    fn words(&self, bytes: u64, requests: u64) -> Result<String, ReproduceError> {
        let words = format!(
            "{} --capacity {bytes} --unit {} --seed {} --requests {requests}",
            self.case.workload(),
            self.header.page_size,
            self.header.seed,
        );
        match ssdlab_workload::requests(&words) {
            Ok(_) => Ok(words),
            Err(error) => Err(self.file.refuse(&self.table.formula, error)),
        }
    }
}

/// The configuration with these settings on top.
fn resolved(resolver: &mut Resolver, settings: &[String]) -> Result<Config, ConfigError> {
    for setting in settings {
        resolver.set(setting)?;
    }
    resolver.resolve()
}
