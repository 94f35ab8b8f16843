//! Which drive it is, and what drives of its name do.

use ssdlab_counters::Kind;
use ssdlab_words::{either, listed};

use crate::data::{Class, Model, Named, Tables, size};
use crate::error::LifeError;
use crate::range::{Quantiles, widened, with_quartiles};

/// Fewer drives of a name say too little.
const MIN_DRIVES: u32 = 8;

/// Where a drive works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// In a desktop, a laptop, a small server at home.
    Desk,
    /// In a data centre.
    Servers,
}

/// A drive, as far as it is known.
pub(crate) struct Drive<'a> {
    /// Its name for people; none is known if only a capacity is given.
    pub name: Option<String>,
    /// Bytes.
    pub capacity: Option<u64>,
    pub kind: Option<Kind>,
    pub model: Option<&'a Model>,
    pub named: Option<&'a Named>,
}

/// What is known of the bytes until 100 %.
pub(crate) struct Prior {
    pub quantiles: Quantiles,
    /// `models`, `rating` or `capacity`.
    pub from: &'static str,
    /// Drives in servers and at desks that it rests on.
    pub servers: u32,
    pub desks: u32,
}

impl<'a> Drive<'a> {
    /// Finds a drive by a name that it prints, or by words that a user typed.
    pub fn find(
        tables: &'a Tables,
        name: Option<&str>,
        typed: bool,
        capacity: Option<u64>,
        kind: Option<Kind>,
    ) -> Result<Self, LifeError> {
        let mut drive = Drive {
            name: None,
            capacity,
            kind,
            model: None,
            named: None,
        };
        let Some(name) = name.map(collapsed).filter(|name| !name.is_empty()) else {
            return Ok(drive);
        };
        let same = |known: &str| known == name || typed && known.eq_ignore_ascii_case(&name);
        // `APPLE SSD AP0256*`
        let begins = |known: &str| {
            known
                .strip_suffix('*')
                .is_some_and(|start| name.starts_with(start))
        };
        let is_row = |row: &&Named| row.names().any(|known| same(known) || begins(known));
        drive.named = tables
            .named
            .iter()
            .find(|row| is_row(row) && fits(row, capacity))
            .or_else(|| tables.named.iter().find(is_row));
        let mut models: Vec<&Model> = tables
            .models
            .iter()
            .filter(|model| same(&model.model))
            .collect();
        drive.name = Some(name.clone());
        if drive.named.is_none() && models.is_empty() && typed {
            drive.named = by_words(tables, &name, capacity)?;
            if let Some(row) = drive.named {
                // the names that such drives print lead to what was measured of them
                models = tables
                    .models
                    .iter()
                    .filter(|model| row.names().any(|name| name == model.model))
                    .collect();
                drive.name = Some(
                    row.names()
                        .next()
                        .map_or_else(|| row.title(), str::to_owned),
                );
            }
        }
        if drive.capacity.is_none() {
            let row = drive.named.and_then(|row| row.capacity_gb);
            let mut sizes: Vec<u64> = models.iter().map(|model| model.capacity_gb).collect();
            sizes.sort_unstable();
            sizes.dedup();
            drive.capacity = match (row, &sizes[..]) {
                (Some(gigabytes), _) => Some((gigabytes * 1e9) as u64),
                (None, [one]) => Some(one * 1_000_000_000),
                (None, []) => None,
                (None, several) => {
                    let sizes: Vec<String> = several.iter().map(|gb| size(*gb as f64)).collect();
                    let why = format!(
                        "{} has {} GB sizes: {}; say which with --capacity",
                        drive.name.unwrap_or_default(),
                        several.len(),
                        listed(&sizes)
                    );
                    return Err(LifeError(why.replace(" GB sizes", " sizes")));
                }
            };
        }
        let gigabytes = drive
            .capacity
            .map(|bytes| (bytes as f64 / 1e9).round_ties_even() as u64);
        let fitting = models
            .into_iter()
            .filter(|model| Some(model.capacity_gb) == gigabytes);
        drive.model = fitting.max_by_key(|model| model.n);
        Ok(drive)
    }

    /// `client` or `dc`.
    pub fn segment(&self) -> &'a str {
        let named = self.named.map(|row| &*row.segment);
        let known = self.model.map(|model| &*model.segment);
        known
            .or(named.filter(|segment| matches!(*segment, "client" | "dc")))
            .unwrap_or("client")
    }

    /// `NVMe` or `SSD`, as the tables say it.
    pub fn table_kind(&self) -> &'static str {
        let own = match self.named.map(|row| &*row.interface) {
            Some("NVMe") => Some(Kind::Nvme),
            Some("SATA") => Some(Kind::Sata),
            _ => None,
        };
        let of_model = self.model.map(|model| {
            if model.kind == "NVMe" {
                Kind::Nvme
            } else {
                Kind::Sata
            }
        });
        match own.or(self.kind).or(of_model) {
            Some(Kind::Sata | Kind::Sas) => "SSD",
            _ => "NVMe",
        }
    }

    /// Drives like it, in words.
    pub fn class_words(&self) -> String {
        let kind = if self.table_kind() == "NVMe" {
            "NVMe"
        } else {
            "SATA"
        };
        match self.segment() {
            "dc" => format!("data-centre {kind} drives"),
            _ => format!("desktop {kind} drives"),
        }
    }

    /// Erase cycles at 100 %: measured of the name, else of its row.
    pub fn cycles(&self) -> Option<f64> {
        let measured = self.model.and_then(|model| model.cycles_to_100_p50);
        measured.or_else(|| self.named.and_then(|row| row.cycles_to_100))
    }

    /// The bytes until 100 %, before the drive itself is asked.
    pub fn prior(&self, tables: &Tables, used: Option<Use>) -> Option<Prior> {
        if let Some(model) = self.model.filter(|model| model.n >= MIN_DRIVES) {
            let of_use = match used {
                Some(Use::Servers) => [model.servers_p10, model.servers_p50, model.servers_p90],
                Some(Use::Desk) => [model.bsd_p10, model.bsd_p50, model.bsd_p90],
                None => [None; 3],
            };
            let (quantiles, servers, desks) = match of_use {
                [Some(p10), Some(p50), Some(p90)] => {
                    let in_servers = used == Some(Use::Servers);
                    let (servers, desks) = if in_servers {
                        (model.n_servers, 0)
                    } else {
                        (0, model.n_bsd)
                    };
                    (with_quartiles([p10, p50, p90]), servers, desks)
                }
                _ => {
                    let Model {
                        tb_to_100_p10,
                        tb_to_100_p25,
                        tb_to_100_p50,
                        tb_to_100_p75,
                        tb_to_100_p90,
                        ..
                    } = *model;
                    (
                        [
                            tb_to_100_p10,
                            tb_to_100_p25,
                            tb_to_100_p50,
                            tb_to_100_p75,
                            tb_to_100_p90,
                        ],
                        model.n_servers,
                        model.n_bsd,
                    )
                }
            };
            let quantiles = widened(quantiles.map(|tb| tb * 1e12));
            return Some(Prior {
                quantiles,
                from: "models",
                servers,
                desks,
            });
        }
        let (factor, from) = match self.named.and_then(Named::rated_tb) {
            Some(tb) => (tb * 1e12, "rating"),
            // nobody measured cards
            None if self.kind == Some(Kind::Mmc) => return None,
            None => (self.capacity? as f64, "capacity"),
        };
        let what = if from == "rating" {
            "tb_to_100_per_rated_tb"
        } else {
            "drive_writes_to_100"
        };
        let (quantiles, servers, desks) = self.class(tables, what, used)?;
        Some(Prior {
            quantiles: quantiles.map(|value| value * factor),
            from,
            servers,
            desks,
        })
    }

    /// The quantiles of a class over both sets, and the drives of each.
    fn class(
        &self,
        tables: &Tables,
        what: &str,
        used: Option<Use>,
    ) -> Option<(Quantiles, u32, u32)> {
        let set = used.map(|used| {
            if used == Use::Servers {
                "servers"
            } else {
                "bsd"
            }
        });
        let segment: Vec<&Class> = tables
            .classes
            .iter()
            .filter(|class| class.segment == self.segment() && class.what == what)
            .collect();
        let own = segment.iter().filter(|class| {
            class.kind == self.table_kind() && set.is_none_or(|set| class.set == set)
        });
        let own: Vec<&Class> = own.copied().collect();
        let all = if own.is_empty() { segment } else { own };
        if all.is_empty() {
            return None;
        }
        let each = |of: fn(&Class) -> f64| all.iter().map(move |class| of(class));
        let least = |of| each(of).fold(f64::INFINITY, f64::min);
        let most = |of| each(of).fold(0.0, f64::max);
        let mean = (each(|class| class.p50).map(f64::ln).sum::<f64>() / all.len() as f64).exp();
        let drives = |set: &str| {
            all.iter()
                .filter(|class| class.set == set)
                .map(|class| class.n)
                .sum()
        };
        let quantiles = [
            least(|class| class.p10),
            least(|class| class.p25),
            mean,
            most(|class| class.p75),
            most(|class| class.p90),
        ];
        Some((quantiles, drives("servers"), drives("bsd")))
    }
}

fn collapsed(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a row is of this capacity, within 5 %: drives of 1000 and 1024 GB have the same row.
fn fits(row: &Named, capacity: Option<u64>) -> bool {
    let both = row.capacity_gb.zip(capacity);
    both.is_none_or(|(gigabytes, bytes)| (bytes as f64 / 1e9 / gigabytes - 1.0).abs() < 0.05)
}

/// The words of a name in small letters; a number and its unit are one: `1 TB`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in name
        .to_lowercase()
        .replace(['_', ','], " ")
        .split_whitespace()
    {
        match words.last_mut() {
            Some(last) if matches!(word, "gb" | "tb") && last.parse::<f64>().is_ok() => {
                last.push_str(word)
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// The named drive in which every word occurs.
fn by_words<'a>(
    tables: &'a Tables,
    name: &str,
    capacity: Option<u64>,
) -> Result<Option<&'a Named>, LifeError> {
    let typed = words(name);
    let has_all = |row: &&Named| {
        let mut known = words(&format!("{} {}", row.maker, row.series));
        if let Some(gigabytes) = row.capacity_gb {
            known.extend([size(gigabytes).to_lowercase(), format!("{gigabytes}gb")]);
            // 1 TB of flash is sold as 1000 or 1024
            known.extend((gigabytes % 1024.0 == 0.0).then(|| format!("{}tb", gigabytes / 1024.0)));
        }
        typed
            .iter()
            .all(|word| word == "ssd" || known.contains(word))
    };
    let found: Vec<&Named> = tables
        .named
        .iter()
        .filter(has_all)
        .filter(|row| fits(row, capacity))
        .collect();
    // `980` is not `980 PRO` too
    let whole = |row: &&&Named| words(&row.series).iter().all(|word| typed.contains(word));
    let exact: Vec<&Named> = found.iter().filter(whole).copied().collect();
    let mut found = if exact.is_empty() { found } else { exact };
    found.dedup_by(|b, a| a.title() == b.title());
    match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let titles: Vec<String> = found.iter().map(|row| row.title()).collect();
            let titles = &titles[..titles.len().min(12)];
            Err(LifeError(format!(
                "--drive {name:?}: {} drives have this name; which one: {}?",
                found.len(),
                either(titles)
            )))
        }
    }
}
