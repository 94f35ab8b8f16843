//! `times.toml`: published latencies and rates of drives, and the small drives that are compared with them. The figures are in
//! [`MEASURED`] beside it.
//!
//! The types define the format. Any other key is refused.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::Deserialize;
use toml::Spanned;

use crate::descriptions::Descriptions;
use crate::error::ReproduceError;
use crate::file::File;

/// The published figures: a row for each drive and load.
pub const MEASURED: &str = "measured.csv";

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    pub times: Header,
    pub within: Within,
    pub drive: Vec<Drive>,
}

/// The sources, and what all drives share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The title of the page.
    pub title: String,
    /// Where the figures were published.
    pub source: String,
    /// What is compared, and what it shows; the first paragraph.
    pub about: String,
    /// Keys of the configuration, in the syntax of `--set`.
    pub set: Vec<Spanned<String>>,
    /// The seed of the requests.
    pub seed: NonZeroU32,
    /// Seconds of each load.
    pub seconds: f64,
    /// Requests of a run at saturation, and how many are outstanding.
    pub saturated: [u64; 2],
    /// What is open, and what does not fit, one paragraph each.
    pub notes: Vec<String>,
}

/// The tolerances: the largest factors for p50, p99 and p99.9, and per cent for rates.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Within {
    pub reads: [f64; 3],
    pub writes: [f64; 3],
    pub rate_percent: f64,
}

/// A drive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drive {
    /// Its name in [`MEASURED`], and of its picture.
    pub id: Spanned<String>,
    pub name: String,
    /// The small drive by the sheet, with the spare flash that is fitted.
    pub set: Vec<Spanned<String>>,
    /// The saturated load to whose rate the spare flash is fitted, by its share of reads: that rate is not judged.
    pub spare_at: Option<Spanned<f64>>,
    /// The load whose median of reads gave `timing.read_us`, writes a second, where no sheet has it: that median is not judged.
    pub read_at: Option<Spanned<u64>>,
    /// What the numbers of the small drive are from.
    pub from: String,
    /// The share of the probe that writes.
    #[serde(default = "half")]
    pub probe_writes: f64,
    /// In place of those of the header.
    pub seconds: Option<f64>,
    /// Keys that are fitted to one load.
    pub fitted: Vec<Spanned<String>>,
    /// That load, writes a second; it is not judged with these keys.
    pub fitted_at: u64,
    /// What fits and what does not.
    pub remark: String,
}

fn half() -> f64 {
    0.5
}

/// What a drive was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// So many writes a second, open loop.
    Open(u64),
    /// As many requests as it takes, of which this share are reads.
    Saturated(f64),
}

/// A published row.
#[derive(Clone, Debug)]
pub struct Published {
    pub load: Load,
    /// Writes a second at saturation.
    pub rate: f64,
    /// p50, p99 and p99.9 of the probe in µs.
    pub reads: [f64; 3],
    pub writes: [f64; 3],
}

/// Reads the published figures, by drive.
///
/// # Errors
/// A row that is wrong; the message has the line.
pub fn published(
    descriptions: &Descriptions,
    name: &str,
) -> Result<BTreeMap<String, Vec<Published>>, ReproduceError> {
    let file = descriptions.file(name, MEASURED)?;
    let mut drives = BTreeMap::<String, Vec<Published>>::new();
    let mut at = 0;
    for (number, line) in file.text.split_inclusive('\n').enumerate() {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        if number > 0 {
            let row = row(&cells).map_err(|why| file.refuse_at(at, &why))?;
            drives.entry(cells[0].to_owned()).or_default().push(row);
        } else if line.trim_end() != HEADER {
            return Err(file.refuse_at(at, &format!("must be {HEADER}")));
        }
        at += line.len();
    }
    Ok(drives)
}

const HEADER: &str =
    "drive,load,reads,rate,read_p50,read_p99,read_p99_9,write_p50,write_p99,write_p99_9";

fn row(cells: &[&str]) -> Result<Published, String> {
    let columns = HEADER.split(',').count();
    if cells.len() != columns {
        return Err(format!("has {} cells; must have {columns}", cells.len()));
    }
    let number = |at: usize| -> Result<f64, String> {
        let number = cells[at].parse().ok().filter(|number: &f64| *number >= 0.0);
        number.ok_or_else(|| format!("{:?}: must be a number from 0 on", cells[at]))
    };
    if let Ok(writes) = cells[1].parse() {
        let three = |at: usize| Ok::<_, String>([number(at)?, number(at + 1)?, number(at + 2)?]);
        return Ok(Published {
            load: Load::Open(writes),
            rate: f64::NAN,
            reads: three(4)?,
            writes: three(7)?,
        });
    }
    match cells[1] {
        "closed" | "mixed" => Ok(Published {
            load: Load::Saturated(number(2)?),
            rate: number(3)?,
            reads: [f64::NAN; 3],
            writes: [f64::NAN; 3],
        }),
        other => Err(format!(
            "load {other:?}: must be closed, mixed, or writes a second"
        )),
    }
}

impl Drive {
    /// How many numbers of it are fitted: the spare flash, perhaps the time of a read, and the keys.
    pub fn numbers(&self) -> usize {
        1 + usize::from(self.read_at.is_some()) + self.fitted.len()
    }

    /// Its published rows.
    ///
    /// # Errors
    /// There are none, or not those to which something is fitted.
    pub fn rows<'a>(
        &self,
        file: &File,
        all: &'a BTreeMap<String, Vec<Published>>,
    ) -> Result<&'a [Published], ReproduceError> {
        let why = || format!("has no row in {MEASURED}");
        let rows = all.get(self.id.get_ref());
        let rows = rows.ok_or_else(|| file.refuse(&self.id, why()))?;
        let has = |load| rows.iter().any(|row| row.load == load);
        let spare = self.spare_at.as_ref();
        if let Some(at) = spare.filter(|at| !has(Load::Saturated(*at.get_ref()))) {
            return Err(file.refuse(at, why()));
        }
        let read = self.read_at.as_ref();
        if let Some(at) = read.filter(|at| !has(Load::Open(*at.get_ref()))) {
            return Err(file.refuse(at, why()));
        }
        Ok(rows)
    }
}
