//! `fills.toml`: which fills of drives are compared with the closed form, and within what. The drives and what reviews measured are
//! in tables beside it.
//!
//! The types define the formats. Any other key is refused; other columns are for the reader.

use serde::Deserialize;

use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::{finite, rows};

/// The tables: drives with their sheets, phases and mean speeds of fills, and where all of it is from.
pub const TABLES: [&str; 4] = ["drives.csv", "phases.csv", "means.csv", "sources.csv"];

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The title of the page.
    pub title: String,
    /// Where the figures were published.
    pub source: String,
    /// What is compared, and what it shows; the first paragraph.
    pub about: String,
    /// A phase that is a smaller share of the capacity is not seen in a fill.
    #[serde(deserialize_with = "finite")]
    pub seen: f64,
    pub within: Within,
    /// Drives that empty the cache beside writes, as their fills show.
    pub beside: Vec<String>,
    /// What is open, and what does not fit, one paragraph each.
    pub notes: Vec<String>,
}

/// The tolerances in per cent: sizes and places in a fill, speeds of phases, speeds of whole fills.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Within {
    #[serde(deserialize_with = "finite")]
    pub size_percent: f64,
    #[serde(deserialize_with = "finite")]
    pub speed_percent: f64,
    #[serde(deserialize_with = "finite")]
    pub mean_percent: f64,
}

/// A row of `drives.csv`: a drive and its sheet. GB are 10^9 bytes, MB/s 10^6.
#[derive(Clone, Debug, Deserialize)]
pub struct Drive {
    pub id: String,
    pub drive: String,
    pub capacity_gb: f64,
    /// Its dies, 1024 GB for 1 TB by convention.
    pub raw_gb: Option<f64>,
    pub cell: Bits,
    pub sheet_fixed_gb: Option<f64>,
    pub sheet_slc_gb: Option<f64>,
    pub sheet_states: States,
    pub sheet_write_mb_s: f64,
    pub sheet_after_mb_s: Option<f64>,
    pub sheet_source: String,
    pub note: String,
}

/// Bits of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Bits {
    Mlc = 2,
    Tlc = 3,
    Qlc = 4,
}

/// What a sheet says of the size of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum States {
    Size,
    /// A share of the capacity.
    Share,
    /// The word alone.
    Dynamic,
    None,
}

/// A row of `phases.csv`: a part of the fill of an erased drive. Empty: not known.
#[derive(Clone, Debug, Deserialize)]
pub struct Phase {
    pub id: String,
    /// 1: the cache is filled; 2: it is full; 3: a second, slower step.
    pub phase: u8,
    pub from_gb: Option<f64>,
    pub to_gb: Option<f64>,
    pub mb_s: f64,
    pub source: String,
}

/// A row of `means.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct Mean {
    pub id: String,
    pub mean_mb_s: f64,
    pub source: String,
}

/// A row of `sources.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct Source {
    pub key: String,
    pub source: String,
}

/// All tables of a study.
#[derive(Clone, Debug)]
pub struct Tables {
    pub drives: Vec<Drive>,
    pub phases: Vec<Phase>,
    pub means: Vec<Mean>,
    pub sources: Vec<Source>,
}

impl Tables {
    /// # Errors
    /// A table that cannot be read, a wrong row, or one of a drive that is not in `drives.csv`; the message has the line.
    pub fn read(descriptions: &Descriptions, name: &str) -> Result<Self, ReproduceError> {
        let [drives, phases, means, sources] = TABLES;
        let file = |of| descriptions.file(name, of);
        let drives = rows::<Drive>(&file(drives)?, |_| Ok(()))?;
        let known = |id: &str| match drives.iter().any(|drive| drive.id == id) {
            true => Ok(()),
            false => Err(format!("{id:?}: no drive of {}", TABLES[0])),
        };
        Ok(Self {
            phases: rows(&file(phases)?, |phase: &Phase| known(&phase.id))?,
            means: rows(&file(means)?, |mean: &Mean| known(&mean.id))?,
            sources: rows(&file(sources)?, |_| Ok(()))?,
            drives,
        })
    }
}
