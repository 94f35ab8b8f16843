//! How much a drive wrote between two readings of its counters.

use ssdlab_words::bytes as binary;

use crate::error::CounterError;
use crate::log::Log;
use crate::reading::{Counter, Parts, Reading};

/// How much a counter grew.
#[derive(Clone, Debug, PartialEq)]
pub struct Grown {
    /// The name of the counter.
    pub name: String,
    /// Bytes.
    pub bytes: f64,
    /// Bytes of a step.
    pub step: f64,
}

/// How much a drive wrote between two readings.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// By the host.
    pub host: Grown,
    /// To flash.
    pub media: Grown,
}

/// The counters of the host that ssdlab knows.
const HOST: &str = "bytes written by the host: data_units_written (smartctl, nvme smart-log, nvme endurance-log), hbmw (nvme fdp \
                    stats), host_bytes_written (nvme solidigm or intel smart-log-add) or an attribute such as Total_LBAs_Written";

/// Those of the flash.
const MEDIA: &str = "bytes written to flash, without which its write amplification stays unknown: \
                     physical_media_units_written (nvme ocp smart-add-log), media_units_written (nvme endurance-log), mbmw (nvme \
                     fdp stats), nand_bytes_written (nvme solidigm or intel smart-log-add) or an attribute such as \
                     NAND_Writes_1GiB, FTL_Program_Page_Count or Wear_Leveling_Count";

impl Reading {
    /// What was written since an earlier reading of the same drive, which has `flash` bytes of flash in all: an erase of
    /// every block is taken for a write of so many, if no counter of bytes is there.
    ///
    /// # Errors
    /// A counter is missing or has no known unit, counters disagree by more than a factor of two, or one does not grow.
    pub fn growth_since(&self, before: &Reading, flash: u64) -> Result<Growth, CounterError> {
        let host = self.grown(before, &self.hosts)?;
        let host = host.ok_or_else(|| self.lacks(before, HOST, |reading| &reading.hosts))?;
        let medias: Vec<Counter> = self
            .media
            .iter()
            .chain(&self.more_medias)
            .cloned()
            .collect();
        let media = match self.grown(before, &medias)? {
            Some(media) => Some(media),
            None => self.pages(before, &host)?,
        };
        let media = match media {
            Some(media) => Some(media),
            None => self.erased(before, flash)?,
        };
        let media =
            media.ok_or_else(|| self.lacks(before, MEDIA, |reading| reading.media.as_slice()))?;
        Ok(Growth { host, media })
    }

    /// The growth of the first of these counters that both readings have; the others agree with it.
    fn grown(&self, before: &Reading, counters: &[Counter]) -> Result<Option<Grown>, CounterError> {
        let mut found: Option<Grown> = None;
        for counter in counters {
            let Some(steps) = self.steps(before, counter)? else {
                continue;
            };
            let grown = Grown {
                name: counter.name.clone(),
                bytes: steps * counter.step,
                step: counter.step,
            };
            let Some(best) = &found else {
                found = Some(grown);
                continue;
            };
            let [less, more] = [grown.bytes.min(best.bytes), grown.bytes.max(best.bytes)];
            if more > 2.0 * less + 2.0 * grown.step.max(best.step) {
                let why = format!(
                    "{} grows by {:.0} bytes since {}, and {} by {:.0}: one of them counts something else; leave it out",
                    grown.name, grown.bytes, before.log, best.name, best.bytes
                );
                return Err(CounterError::new(&self.log, why));
            }
        }
        Ok(found)
    }

    /// How many steps a counter of this reading has grown; nothing if the other one lacks it.
    fn steps(&self, before: &Reading, counter: &Counter) -> Result<Option<f64>, CounterError> {
        let grown = |name: &str, value: &dyn Fn(&Log) -> Option<(u128, String)>| {
            let (Some((from, from_log)), Some((to, to_log))) =
                (value(&before.all), value(&self.all))
            else {
                return Ok(None);
            };
            growth(name, (from, &from_log), (to, &to_log)).map(Some)
        };
        match &counter.parts {
            Parts::Named(name) => {
                let is_media = self.all.medias.iter().any(|sure| sure.name == *name);
                grown(name, &|log| {
                    let all = if is_media { &log.medias } else { &log.hosts };
                    let sure = all.iter().find(|sure| sure.name == *name)?;
                    Some((sure.value, sure.log.clone()))
                })
            }
            Parts::Statistics => grown(&counter.name, &|log| {
                Some((log.sectors?.into(), log.name.clone()))
            }),
            Parts::Attributes(ids) => {
                let same = before.hosts.iter().chain(&before.media);
                let mut same = same.filter(|other| other.parts == counter.parts);
                if let Some(other) = same.find(|other| other.step != counter.step) {
                    let why = format!(
                        "{} counts {} bytes, and {} in {} counts {}: which is right?",
                        counter.name, counter.step, other.name, before.log, other.step
                    );
                    return Err(CounterError::new(&self.log, why));
                }
                grown(&counter.name, &|log| {
                    let raw = |id: &u8| attribute(log, *id).map(u128::from);
                    let sum: Option<u128> = ids.iter().map(raw).sum();
                    Some((sum?, log.name.clone()))
                })
            }
            Parts::Pages => Ok(None),
        }
    }

    /// Pages that were programmed for the host and beside it, whose size is what the host wrote for each of its own.
    fn pages(&self, before: &Reading, host: &Grown) -> Result<Option<Grown>, CounterError> {
        let Some(counter) = self
            .media
            .as_ref()
            .filter(|media| media.parts == Parts::Pages)
        else {
            return Ok(None);
        };
        let grown = |id: u8| {
            let [from, to] = [&before.all, &self.all].map(|log| attribute(log, id));
            let (Some(from), Some(to)) = (from, to) else {
                return Ok(None);
            };
            let name = format!("{}, attribute {id}", counter.name);
            let (from, to) = ((from.into(), &*before.log), (to.into(), &*self.log));
            growth(&name, from, to).map(Some)
        };
        let (Some(own), Some(other)) = (grown(247)?, grown(248)?) else {
            return Ok(None);
        };
        let page = host.bytes / own;
        Ok(Some(Grown {
            name: counter.name.clone(),
            bytes: host.bytes + page * other,
            step: 2.0 * page,
        }))
    }

    /// Erases of every block, as bytes.
    fn erased(&self, before: &Reading, flash: u64) -> Result<Option<Grown>, CounterError> {
        let Some((id, name)) = &self.erase_counter else {
            return Ok(None);
        };
        let [from, to] = [&before.all, &self.all].map(|log| attribute(log, *id));
        let (Some(from), Some(to)) = (from, to) else {
            return Ok(None);
        };
        let erases = growth(name, (from.into(), &before.log), (to.into(), &self.log))?;
        let step = flash as f64;
        Ok(Some(Grown {
            name: format!("{name}, each of {}", binary(flash)),
            bytes: erases * step,
            step,
        }))
    }

    /// Why there is no growth of a counter.
    fn lacks(
        &self,
        before: &Reading,
        what: &str,
        counters: fn(&Reading) -> &[Counter],
    ) -> CounterError {
        let [own, other] = [self, before].map(|reading| counters(reading).first());
        if let (Some(own), Some(other)) = (own, other) {
            let why = format!(
                "has {}, and {} has {}; the readings before and after must have one counter in common",
                own.name, before.log, other.name
            );
            return CounterError::new(&self.log, why);
        }
        // the one that lacks it: the earlier one, if both do
        let reading = if other.is_none() { before } else { self };
        let known = std::iter::once(reading.unit_unknown.as_ref())
            .flatten()
            .chain(reading.warnings.iter().map(|warning| &warning.text));
        let known: Vec<&str> = known.map(String::as_str).collect();
        let mut why = format!("has no counter of {what}");
        if !known.is_empty() {
            why += &format!(" ({})", known.join("; "));
        }
        CounterError::new(&reading.log, why)
    }
}

fn attribute(log: &Log, id: u8) -> Option<u64> {
    let found = log.attributes.iter().find(|attribute| attribute.id == id);
    found.map(|attribute| attribute.raw)
}

/// The growth of a value between two logs, which are named.
fn growth(name: &str, from: (u128, &str), to: (u128, &str)) -> Result<f64, CounterError> {
    let ((from, before), (to, log)) = (from, to);
    if to > from {
        return Ok((to - from) as f64);
    }
    let change = match to == from {
        true => format!("stays at {to}"),
        false => format!("goes back from {from} to {to}"),
    };
    let why = format!(
        "{name}: {change}; after a workload it must be larger than before (in {before}); are both swapped?"
    );
    Err(CounterError::new(log, why))
}
