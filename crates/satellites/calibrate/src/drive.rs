//! The file that describes a drive: its sheet and its measurements.

use std::path::Path;

use serde::Deserialize;
use ssdlab_config::{Preset, presets};
use ssdlab_sim::Lab;
use ssdlab_words::either;
use toml::Spanned;

use crate::cliff;
use crate::error::CalibrateError;
use crate::file::File;
use crate::measurement::{Described, Measurement};
use crate::sheet::{Sheet, Table};
use crate::times::{self, Loaded};

/// The file, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    like: Option<Spanned<String>>,
    cleaning: Option<Spanned<Vec<Spanned<String>>>>,
    overhead: Option<Overhead>,
    sheet: Spanned<Table>,
    #[serde(default)]
    measurement: Vec<Described>,
    #[serde(default)]
    load: Vec<times::Described>,
    cliff: Option<Spanned<cliff::Described>>,
}

/// How what a drive writes beside data, which its sequential run shows, adds to the cost of cleaning.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Overhead {
    /// So much for each byte that is programmed, as a parity over dies does.
    Factor,
    /// So much for each byte of the host, as a journal does.
    Added,
}

/// A drive.
#[derive(Debug)]
pub(crate) struct Drive {
    pub name: String,
    /// The name of its file.
    pub file: String,
    /// The preset that gives what neither sheet nor measurements tell.
    pub like: &'static Preset,
    /// The cleaning policies to try.
    pub cleaning: Vec<String>,
    /// `None`: whichever fits better.
    pub overhead: Option<Overhead>,
    pub sheet: Sheet,
    pub measurements: Vec<Measurement>,
    /// Loads with rates and latencies.
    pub loads: Vec<Loaded>,
    /// A measured fill of a drive with an SLC cache.
    pub cliff: Option<cliff::Measured>,
    /// The systems that it may name.
    pub lab: Lab,
}

/// The presets that give what nobody knows: of page-mapped drives of today, whose dies program units of many pages, or of drives with
/// an SLC cache.
fn modern(has_cache: bool) -> impl Iterator<Item = &'static Preset> {
    let is_modern = move |preset: &&Preset| match has_cache {
        true => preset.toml.contains("\nslc = "),
        false => preset.base.is_none() && preset.toml.contains("model = \"drive\""),
    };
    presets().iter().filter(is_modern)
}

impl Drive {
    pub fn read(path: &Path, lab: &Lab) -> Result<Self, CalibrateError> {
        let file = File::read(path)?;
        let written: Written = file.parse()?;
        let sheet = Sheet::of(&file, &written.sheet)?;
        let cliff = written
            .cliff
            .as_ref()
            .map(|cliff| cliff.get_ref().checked(&file, &sheet))
            .transpose()?;
        if let Some(cliff) = &written.cliff
            && !(written.measurement.is_empty() && written.load.is_empty())
        {
            let why = "cliff: has no place beside measurement and load, which are of drives without an SLC cache";
            return Err(file.refuse(cliff, why));
        }
        let usual = cliff.as_ref().map_or("nvme-tlc", cliff::Measured::usual);
        let like = written.like.as_ref().map_or(usual, |like| like.get_ref());
        let modern = || modern(cliff.is_some());
        let like = modern().find(|preset| preset.name == like).ok_or_else(|| {
            let names: Vec<&str> = modern().map(|preset| preset.name).collect();
            let what = if cliff.is_some() {
                " with an SLC cache"
            } else {
                ""
            };
            let why = format!(
                "must be a preset of a drive of today{what}: {}",
                either(&names)
            );
            file.refuse(written.like.as_ref().expect("the default is one"), why)
        })?;
        let cleaning = match &written.cleaning {
            None => vec!["greedy".to_owned()],
            Some(names) => names
                .get_ref()
                .iter()
                .map(|name| cleaning(&file, name, lab))
                .collect::<Result<_, _>>()?,
        };
        if let Some(names) = written
            .cleaning
            .as_ref()
            .filter(|names| names.get_ref().is_empty())
        {
            return Err(file.refuse(names, "must name a policy"));
        }
        for (number, described) in written.measurement.iter().enumerate() {
            let same = |other: &Described| other.name.get_ref() == described.name.get_ref();
            if written.measurement[..number].iter().any(same) {
                return Err(file.refuse(&described.name, "appears twice"));
            }
        }
        let measurements = written
            .measurement
            .iter()
            .map(|described| described.checked(&file, &sheet));
        let mut loads = Vec::new();
        for described in &written.load {
            loads.extend(described.checked(&file)?);
        }
        Ok(Self {
            name: written.name,
            file: file.name(),
            like,
            cleaning,
            overhead: written.overhead,
            measurements: measurements.collect::<Result<_, _>>()?,
            loads,
            cliff,
            sheet,
            lab: lab.clone(),
        })
    }
}

fn cleaning(file: &File, name: &Spanned<String>, lab: &Lab) -> Result<String, CalibrateError> {
    let mut resolver = lab.resolver();
    let set = resolver
        .set("ftl.kind=page")
        .and_then(|set| set.set(&format!("ftl.cleaning={:?}", name.get_ref())));
    let checked = set.map(drop).and_then(|()| resolver.resolve().map(drop));
    match checked {
        Ok(()) => Ok(name.get_ref().clone()),
        Err(error) => {
            let why = error.to_string();
            Err(file.refuse(name, why.strip_prefix("--set ").unwrap_or(&why)))
        }
    }
}
