//! The tables of drives.

use std::fmt::Display;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::LifeError;

/// Whom the measured tables are from, as their licence asks.
pub const ATTRIBUTION: &str = "Measured drives: reports of linux-hardware.org (linuxhw/EnterpriseDrive) and bsd-hardware.info (bsdhw/SMART), CC BY 4.0, reduced to \
     quantiles; ratings: the source of each row of drives.csv";

const NAMED: &str = include_str!("../data/drives.csv");

/// Bytes that drives of one name and capacity could write until they said 100 %, in 10^12.
#[derive(Debug, Deserialize)]
pub(crate) struct Model {
    /// `NVMe` or `SSD`, which is SATA.
    pub kind: String,
    pub model: String,
    pub capacity_gb: u64,
    /// `client` or `dc`.
    pub segment: String,
    pub n: u32,
    pub n_servers: u32,
    pub n_bsd: u32,
    pub tb_to_100_p10: f64,
    pub tb_to_100_p25: f64,
    pub tb_to_100_p50: f64,
    pub tb_to_100_p75: f64,
    pub tb_to_100_p90: f64,
    pub servers_p10: Option<f64>,
    pub servers_p50: Option<f64>,
    pub servers_p90: Option<f64>,
    pub bsd_p10: Option<f64>,
    pub bsd_p50: Option<f64>,
    pub bsd_p90: Option<f64>,
    pub cycles_to_100_p10: Option<f64>,
    pub cycles_to_100_p50: Option<f64>,
    pub cycles_to_100_p90: Option<f64>,
    pub media_per_host_p10: Option<f64>,
    pub media_per_host_p50: Option<f64>,
    pub media_per_host_p90: Option<f64>,
    pub write_kib_p50: Option<f64>,
    /// The share of drives that reach 100 % before the rating.
    pub below_rating: Option<f64>,
}

/// A named drive; the columns that only people read are left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Named {
    pub maker: String,
    pub series: String,
    pub capacity_gb: Option<f64>,
    pub segment: String,
    pub interface: String,
    pub rated_tbw: Option<f64>,
    pub rated_dwpd: Option<f64>,
    pub warranty_years: Option<f64>,
    pub cycles_to_100: Option<f64>,
    pub r#match: String,
    pub source: String,
}

impl Named {
    /// What the maker rates, in 10^12 bytes.
    pub fn rated_tb(&self) -> Option<f64> {
        let by_days = || {
            let a_day = self.rated_dwpd? * self.capacity_gb? / 1000.0;
            Some(a_day * 365.0 * self.warranty_years.unwrap_or(5.0))
        };
        self.rated_tbw.or_else(by_days)
    }

    /// The names that such drives print.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.r#match.split('|').filter(|name| !name.is_empty())
    }

    /// Its name in words.
    pub fn title(&self) -> String {
        let capacity = self.capacity_gb.map(size).unwrap_or_default();
        format!("{} {} {capacity}", self.maker, self.series)
    }
}

/// `250GB`, `1TB`, `1.92TB`.
pub(crate) fn size(gigabytes: f64) -> String {
    let in_tb = gigabytes >= 1000.0 && gigabytes % 10.0 == 0.0;
    match in_tb {
        true => format!("{}TB", gigabytes / 1000.0),
        false => format!("{gigabytes}GB"),
    }
}

/// What drives do that have no row of their own.
#[derive(Debug, Deserialize)]
pub(crate) struct Class {
    pub segment: String,
    pub kind: String,
    pub set: String,
    pub what: String,
    pub n: u32,
    pub p10: f64,
    pub p25: f64,
    pub p50: f64,
    pub p75: f64,
    pub p90: f64,
}

/// All tables.
pub(crate) struct Tables {
    pub models: &'static [Model],
    /// The user's own come first.
    pub named: Vec<Named>,
    pub classes: &'static [Class],
}

impl Tables {
    /// The tables of this crate, and rows of the user: the name of the file and its text.
    pub fn with(own: Option<&(String, String)>) -> Result<Self, LifeError> {
        static MODELS: LazyLock<Vec<Model>> =
            LazyLock::new(|| shipped(rows("models.csv", include_str!("../data/models.csv"))));
        static CLASSES: LazyLock<Vec<Class>> =
            LazyLock::new(|| shipped(rows("classes.csv", include_str!("../data/classes.csv"))));
        static DRIVES: LazyLock<Vec<Named>> =
            LazyLock::new(|| shipped(checked("drives.csv", NAMED)));
        let mut named = match own {
            Some((file, text)) => checked(file, text)?,
            None => Vec::new(),
        };
        named.extend(DRIVES.iter().cloned());
        Ok(Self {
            models: &MODELS,
            named,
            classes: &CLASSES,
        })
    }
}

/// A table of this crate, which the tests read.
fn shipped<T>(rows: Result<Vec<T>, LifeError>) -> Vec<T> {
    rows.unwrap_or_else(|error| panic!("{error}"))
}

fn wrong(file: &str, line: u64, why: impl Display) -> LifeError {
    LifeError(format!("{file}: line {line}: {why}"))
}

fn rows<T: DeserializeOwned>(file: &str, text: &str) -> Result<Vec<T>, LifeError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize().map(|row| {
        row.map_err(|error: csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            match error.kind() {
                csv::ErrorKind::Deserialize { err, .. } => wrong(file, line, err),
                _ => wrong(file, line, &error),
            }
        })
    });
    rows.collect()
}

/// Rows of named drives: each with a source and a name, and no figure that cannot be.
fn checked(file: &str, text: &str) -> Result<Vec<Named>, LifeError> {
    let columns = |text: &str| {
        csv::Reader::from_reader(text.as_bytes())
            .headers()
            .cloned()
            .unwrap_or_default()
    };
    let known = columns(NAMED);
    if let Some(other) = columns(text)
        .iter()
        .find(|column| !known.iter().any(|name| name == *column))
    {
        let known: Vec<&str> = known.iter().collect();
        return Err(wrong(
            file,
            1,
            format!(
                "column {other:?} is unknown; must be of {}",
                known.join(", ")
            ),
        ));
    }
    let all: Vec<Named> = rows(file, text)?;
    for (line, row) in (2..).zip(&all) {
        let empty = [
            ("source", &row.source),
            ("maker", &row.maker),
            ("series", &row.series),
        ];
        if let Some((column, _)) = empty.iter().find(|(_, text)| text.trim().is_empty()) {
            let what = if *column == "source" {
                "must say where the figures are from"
            } else {
                "must be a name"
            };
            return Err(wrong(file, line, format!("{column} is empty; {what}")));
        }
        let figures = [
            ("capacity_gb", row.capacity_gb),
            ("rated_tbw", row.rated_tbw),
            ("rated_dwpd", row.rated_dwpd),
            ("warranty_years", row.warranty_years),
            ("cycles_to_100", row.cycles_to_100),
        ];
        let given = figures
            .iter()
            .filter_map(|(column, value)| Some((column, (*value)?)));
        let wrong_one = given
            .into_iter()
            .find(|(_, value)| !(value.is_finite() && *value > 0.0));
        if let Some((column, value)) = wrong_one {
            return Err(wrong(
                file,
                line,
                format!("{column} is {value}; must be above 0"),
            ));
        }
    }
    Ok(all)
}
