//! What logs mean together.

use crate::error::CounterError;
use crate::identity::one_drive;
use crate::log::{Attribute, Kind, Log, Sure};
use crate::rules::{Rule, named, rule};
use ssdlab_words::{decimal, shell_word, thousands};

/// A counter of bytes whose unit is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// Its name in the log.
    pub name: String,
    /// Bytes.
    pub bytes: f64,
    /// Bytes of a step.
    pub step: f64,
    /// What it is made of.
    pub(crate) parts: Parts,
}

/// What a counter is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Parts {
    /// A counter of a log, by its name.
    Named(String),
    /// Attributes by their numbers, which are added.
    Attributes(Vec<u8>),
    /// Sectors of the device statistics.
    Statistics,
    /// What the host wrote, and pages beside it: attributes 247 and 248.
    Pages,
}

impl Counter {
    fn of_attributes(all: &[&Attribute], unit: f64) -> Self {
        let names: Vec<String> = all.iter().map(|one| one.shown()).collect();
        Self {
            name: names.join(" + "),
            bytes: all.iter().map(|one| one.raw as f64).sum::<f64>() * unit,
            step: unit,
            parts: Parts::Attributes(all.iter().map(|one| one.id).collect()),
        }
    }
}

impl Attribute {
    fn shown(&self) -> String {
        format!("{} {}", self.id, self.name)
    }
}

/// Something that the user should know of a counter.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Warning {
    /// A word for programs.
    pub code: &'static str,
    /// A sentence.
    pub text: String,
}

impl Warning {
    /// A warning.
    pub fn new(code: &'static str, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { code, text }
    }
}

/// What a drive said at one time.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The name of its first log.
    pub log: String,
    /// The model, as the drive prints it.
    pub model: Option<String>,
    /// The firmware.
    pub firmware: Option<String>,
    /// The device that was asked, such as `/dev/nvme0`.
    pub device: Option<String>,
    /// Bytes.
    pub capacity: Option<u64>,
    /// How it is attached.
    pub kind: Option<Kind>,
    /// Seconds since 1970.
    pub time: Option<i64>,
    /// Power-on hours, if they can be.
    pub hours: Option<f64>,
    /// Why the unit of its host bytes is unknown, and what to do.
    pub unit_unknown: Option<String>,
    /// Bytes written to flash.
    pub media: Option<Counter>,
    /// Bytes written to flash by the other counters, the finest first.
    pub(crate) more_medias: Vec<Counter>,
    /// Mean erase count.
    pub erases: Option<u64>,
    /// The attribute that counts erases of every block.
    pub(crate) erase_counter: Option<(u8, String)>,
    /// Percentage used, and the counter that says it.
    pub used: Option<(u64, String)>,
    /// Percent of the spare blocks that are left, and the drive's threshold.
    pub spare: Option<u64>,
    /// Percent below which the drive warns.
    pub spare_threshold: Option<u64>,
    /// Write commands of the host.
    pub write_commands: Option<u128>,
    /// What to know of these counters.
    pub warnings: Vec<Warning>,
    /// Bytes that the host wrote, the finest counter first.
    pub(crate) hosts: Vec<Counter>,
    /// The logs that it is made of, as one.
    pub(crate) all: Log,
}

/// What happened between two readings.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Days of the calendar, or of power-on time.
    pub days: f64,
    /// Whether the days are of power-on time.
    pub powered_on: bool,
    /// Bytes that the host wrote.
    pub host: f64,
    /// Bytes written to flash.
    pub media: Option<f64>,
}

impl Reading {
    /// Bytes that the host wrote, by the finest counter.
    pub fn host(&self) -> Option<&Counter> {
        self.hosts.first()
    }

    /// What happened since an earlier reading of the same drive; nothing if both lack times or counters.
    ///
    /// # Errors
    /// A counter goes back.
    pub fn since(&self, before: &Reading) -> Result<Option<Interval>, CounterError> {
        let goes_back = |what: &str, from: String, to: String| {
            let why = format!(
                "{what} goes back from {from} (in {}) to {to}; are both swapped, or is it another drive?",
                before.log
            );
            CounterError::new(&self.log, why)
        };
        if let (Some((from, name)), Some((to, _))) = (&before.used, &self.used)
            && to < from
        {
            return Err(goes_back(name, format!("{from} %"), format!("{to} %")));
        }
        let both = before
            .hosts
            .iter()
            .find_map(|old| Some((old, self.hosts.iter().find(|new| new.name == old.name)?)));
        let Some((old, new)) = both else {
            return Ok(None);
        };
        if new.bytes < old.bytes {
            let bytes = |counter: &Counter| format!("{} bytes", decimal(counter.bytes, 0));
            return Err(goes_back(&old.name, bytes(old), bytes(new)));
        }
        let seconds = match (before.time, self.time, before.hours, self.hours) {
            (Some(from), Some(to), _, _) => Some(((to - from) as f64, false)),
            (_, _, Some(from), Some(to)) => Some((3600.0 * (to - from), true)),
            _ => None,
        };
        let media = self
            .media
            .as_ref()
            .zip(before.media.as_ref())
            .filter(|(new, old)| new.name == old.name && new.bytes >= old.bytes);
        Ok(seconds
            .filter(|(seconds, _)| *seconds > 0.0)
            .map(|(seconds, powered_on)| Interval {
                days: seconds / 86400.0,
                powered_on,
                host: new.bytes - old.bytes,
                media: media.map(|(new, old)| new.bytes - old.bytes),
            }))
    }

    /// What one drive said at one time, in one log or several.
    ///
    /// # Errors
    /// They have no counters, or are of two drives.
    pub fn of(logs: Vec<Log>) -> Result<Self, CounterError> {
        one_drive(&logs)?;
        let mut logs = logs.into_iter();
        let mut all = logs.next().unwrap_or_default();
        for log in logs {
            all.join(log);
        }
        let refuse = |why: &str| Err(CounterError::new(&all.name, why));
        if let Some(failed) = &all.failed
            && !all.has_counters()
        {
            return refuse(&format!("smartctl has read nothing: {failed}"));
        }
        if all.spins {
            return refuse("is of a hard disk, whose life no writing uses up");
        }
        if all.smart_off && !all.has_counters() {
            let device = shell_word(all.device.as_deref().unwrap_or("DEVICE"));
            return refuse(&format!(
                "SMART is off, so the drive counts nothing; `sudo smartctl -s on {device}` turns it on"
            ));
        }
        if !all.has_counters() {
            return refuse(
                "has no counters of writes or wear; `sudo smartctl -x DEVICE` prints them",
            );
        }
        let model = all.model.clone().unwrap_or_default();
        let mut reading = Reading {
            log: all.name.clone(),
            spare: all.spare,
            spare_threshold: all.spare_threshold,
            write_commands: all.write_commands,
            firmware: all.firmware.clone(),
            device: all.device.clone(),
            capacity: all.capacity.filter(|capacity| *capacity > 0),
            kind: all.kind,
            time: all.time,
            ..Reading::default()
        };
        let known = all
            .in_database
            .or_else(|| all.attributes.iter().any(is_of_database).then_some(true));
        let attributes: Vec<(&Attribute, Option<&Rule>)> = all
            .attributes
            .iter()
            .map(|attribute| {
                (
                    attribute,
                    rule(attribute.id, &attribute.name, known, &model),
                )
            })
            .collect();
        reading.hosts.extend(all.hosts.iter().map(counter));
        if reading.hosts.is_empty() {
            match host(&all, &attributes, &mut reading.warnings) {
                Ok(found) => reading.hosts.extend(found),
                Err(why) => reading.unit_unknown = Some(why),
            }
        }
        reading.hosts.sort_by(|a, b| a.step.total_cmp(&b.step));
        let mut medias: Vec<Counter> = all.medias.iter().map(counter).collect();
        if medias.is_empty()
            && let Some(host) = reading.hosts.first()
        {
            medias.extend(media(host, &attributes, &mut reading.warnings));
        }
        medias.sort_by(|a, b| a.step.total_cmp(&b.step));
        let mut medias = medias.into_iter();
        reading.media = medias.next();
        reading.more_medias = medias.collect();
        let value = |what| {
            attributes
                .iter()
                .find(|(_, rule)| rule.is_some_and(|rule| rule.counts(what)))
        };
        let erases = value("erases").map(|(attribute, _)| attribute);
        reading.erase_counter = erases.map(|attribute| (attribute.id, attribute.shown()));
        reading.erases = erases
            .map(|attribute| attribute.raw)
            .filter(|count| *count > 0);
        if let Some((attribute, _)) = value("packed-erases") {
            let halves = [attribute.raw >> 16 & 0xFFFF, attribute.raw & 0xFFFF];
            let [high, low] = halves;
            reading.erases = Some(if high == 0 { low } else { high.min(low) });
        }
        reading.used = all
            .used
            .clone()
            .or_else(|| used(&attributes, all.in_database, &model));
        reading.hours = all
            .hours
            .or_else(|| value("hours").map(|(attribute, _)| attribute.raw as f64));
        if let Some(hours) = reading.hours.filter(|hours| *hours > 17.0 * 8766.0) {
            let text = format!(
                "{} power-on hours are more than 17 years: it counts something else, so they are not used",
                thousands(hours as u64)
            );
            reading
                .warnings
                .push(Warning::new("hours-implausible", text));
            reading.hours = None;
        }
        reading.model = all.model.clone();
        reading.all = all;
        Ok(reading)
    }
}

fn counter(sure: &Sure) -> Counter {
    let (name, step) = (sure.name.clone(), sure.unit as f64);
    let bytes = sure.value as f64 * step;
    let parts = Parts::Named(name.clone());
    Counter {
        name,
        bytes,
        step,
        parts,
    }
}

/// Whether smartctl gives this name only to drives that it knows.
fn is_of_database(attribute: &Attribute) -> bool {
    let general = rule(attribute.id, &attribute.name, None, "");
    let counts = |what| general.is_some_and(|rule| rule.counts(what) && rule.is_named(attribute));
    named(&attribute.name).is_some() || ["media", "pages", "media-part"].into_iter().any(counts)
}

impl Log {
    /// Adds what another log of the same drive and time has.
    fn join(&mut self, other: Log) {
        macro_rules! first {
            ($($field:ident),*) => { $(self.$field = self.$field.take().or(other.$field);)* };
        }
        first!(
            model,
            serial,
            firmware,
            device,
            capacity,
            kind,
            time,
            hours,
            sector,
            in_database,
            failed,
            sectors
        );
        first!(used, spare, spare_threshold, write_commands);
        self.hosts.extend(other.hosts);
        self.medias.extend(other.medias);
        self.spins |= other.spins;
        self.smart_off |= other.smart_off;
        if self.attributes.is_empty() {
            self.attributes = other.attributes;
        }
    }
}

/// Readings of one drive, in their order of time. Logs without a time or hours of their own, such as those of OCP, belong to the one
/// before them.
///
/// # Errors
/// A log has no counters, or they are of two drives.
pub fn readings(logs: Vec<Log>) -> Result<Vec<Reading>, CounterError> {
    one_drive(&logs)?;
    let (alone, mut loose): (Vec<_>, Vec<_>) = logs
        .into_iter()
        .enumerate()
        .partition(|(_, log)| log.stands_alone());
    let mut groups: Vec<Vec<Log>> = Vec::new();
    let mut alone = alone.into_iter().peekable();
    while let Some((_, log)) = alone.next() {
        let same = |group: &Vec<Log>| {
            let first = &group[0];
            let times = first.time.zip(log.time).map(|(a, b)| (a - b).abs() < 60);
            let hours = || {
                first.hours.zip(log.hours).map(|(a, b)| {
                    a == b
                        && first.hosts.first().map(|h| h.value)
                            == log.hosts.first().map(|h| h.value)
                })
            };
            let one_drive =
                first.model.is_none() || log.model.is_none() || first.model == log.model;
            one_drive && times.or_else(hours).unwrap_or(false)
        };
        // loose logs up to the next one are of this reading
        let until = alone.peek().map_or(usize::MAX, |(next, _)| *next);
        let mine;
        (mine, loose) = loose.into_iter().partition(|(place, _)| *place < until);
        let mine = mine.into_iter().map(|(_, log)| log);
        match groups.iter_mut().find(|group| same(group)) {
            Some(group) => group.extend(std::iter::once(log).chain(mine)),
            None => groups.push(std::iter::once(log).chain(mine).collect()),
        }
    }
    if groups.is_empty() {
        groups.push(loose.into_iter().map(|(_, log)| log).collect());
    }
    let mut readings = groups
        .into_iter()
        .filter(|group| !group.is_empty())
        .map(Reading::of)
        .collect::<Result<Vec<_>, _>>()?;
    if readings.iter().all(|reading| reading.time.is_some()) {
        readings.sort_by_key(|reading| reading.time);
    } else if readings.iter().all(|reading| reading.hours.is_some()) {
        readings.sort_by(|a, b| a.hours.unwrap_or(0.0).total_cmp(&b.hours.unwrap_or(0.0)));
    } else if let [first, .., last] = &readings[..] {
        let why = format!(
            "has neither a time nor power-on hours, nor has {}: which was first? Give the rate with --rate",
            first.log
        );
        return Err(CounterError::new(&last.log, why));
    }
    Ok(readings)
}

/// Units that attributes count.
const UNITS: [(u64, &str); 8] = [
    (512, "512 bytes"),
    (32 << 20, "32 MiB"),
    (1 << 30, "GiB"),
    (1_000_000_000, "10^9 bytes"),
    (1 << 20, "MiB"),
    (16 << 20, "16 MiB"),
    (64 << 20, "64 MiB"),
    (4096, "4096 bytes"),
];

/// Bytes that the host wrote to an ATA drive: an attribute whose unit the device statistics prove, or that its name tells.
fn host(
    log: &Log,
    attributes: &[(&Attribute, Option<&Rule>)],
    warnings: &mut Vec<Warning>,
) -> Result<Option<Counter>, String> {
    let sector = log.sector.filter(|sector| *sector > 0).unwrap_or(512);
    let statistics = log.sectors.map(|sectors| sectors as f64 * sector as f64);
    // where the statistics begin again
    let turn = 2_f64.powi(32) * sector as f64;
    let candidates = attributes
        .iter()
        .filter_map(|&(attribute, rule)| match rule {
            Some(rule) => rule.counts("host").then_some((attribute, rule.unit())),
            None => named(&attribute.name)
                .filter(|(media, _)| !media)
                .map(|(_, unit)| (attribute, Some(unit))),
        });
    let candidates: Vec<_> = candidates
        .filter(|(attribute, _)| attribute.raw > 0)
        .collect();
    for &(attribute, told) in &candidates {
        let (id, name, raw) = (attribute.id, &attribute.name, attribute.raw as f64);
        let found = |unit: u64| Some(Counter::of_attributes(&[attribute], unit as f64));
        let Some(statistics) = statistics else {
            break;
        };
        let units = || told.into_iter().chain(UNITS.map(|(unit, _)| unit));
        let near = |unit: &u64| {
            (raw * *unit as f64 - statistics).abs() <= (0.02 * statistics).max(2.0 * *unit as f64)
        };
        if let Some(unit) = units().find(near) {
            if told != Some(unit) {
                let shown = UNITS
                    .iter()
                    .find(|known| known.0 == unit)
                    .map_or("", |known| known.1);
                let text = format!(
                    "attribute {id} counts {shown}, whatever its name {name} says: the ATA device statistics agree"
                );
                warnings.push(Warning::new("unit-from-statistics", text));
            }
            return Ok(found(unit));
        }
        let wrapped = |unit: &u64| {
            let bytes = raw * *unit as f64;
            let apart = (bytes - statistics).rem_euclid(turn);
            bytes > statistics && apart.min(turn - apart) <= 1.5 * *unit as f64
        };
        if let Some(unit) = units().find(wrapped) {
            let text = format!(
                "the ATA device statistics begin again at 2^32 sectors; attribute {id} {name} agrees with what is left of them and goes on"
            );
            warnings.push(Warning::new("statistics-wrapped", text));
            return Ok(found(unit));
        }
    }
    if statistics.is_none()
        && let Some(found) = told(&candidates, warnings)?
    {
        return Ok(Some(found));
    }
    match (candidates.first(), log.sectors.zip(statistics)) {
        (Some((attribute, _)), Some((sectors, _))) => Err(format!(
            "attribute {} {} is {} and the ATA device statistics are {} sectors: no unit makes both agree",
            attribute.id,
            attribute.name,
            thousands(attribute.raw),
            thousands(sectors)
        )),
        (Some((attribute, _)), None) => Err(format!(
            "attribute {} {} is {}, but its unit is unknown (of drives that smartctl does not know, 25 % count 512 bytes, 45 % 32 MiB, \
             25 % GiB); `smartctl -x` prints device statistics that tell it",
            attribute.id,
            attribute.name,
            thousands(attribute.raw)
        )),
        (None, Some((_, bytes))) => {
            let name = "device statistics".into();
            Ok(Some(Counter {
                name,
                bytes,
                step: sector as f64,
                parts: Parts::Statistics,
            }))
        }
        (None, None) => Ok(None),
    }
}

/// The attribute whose unit is told, if nothing proves it: by its name rather than by what is known of a name that smartctl
/// gives drives that it does not know too. Others must agree.
fn told(
    candidates: &[(&Attribute, Option<u64>)],
    warnings: &mut Vec<Warning>,
) -> Result<Option<Counter>, String> {
    let names_unit = |attribute: &Attribute| named(&attribute.name).is_some();
    let sure = candidates
        .iter()
        .filter_map(|&(attribute, unit)| Some((attribute, unit?)));
    let Some((best, unit)) = sure.min_by_key(|(attribute, _)| !names_unit(attribute)) else {
        return Ok(None);
    };
    for &(other, other_unit) in candidates {
        if std::ptr::eq(other, best) {
            continue;
        }
        let bytes = other_unit.map(|unit| other.raw as f64 * unit as f64);
        let (own, steps) = (
            best.raw as f64 * unit as f64,
            other_unit.unwrap_or(unit).max(unit),
        );
        let agree =
            bytes.is_none_or(|bytes| bytes.max(own) <= 2.0 * bytes.min(own) + 2.0 * steps as f64);
        let is_same = best.raw.abs_diff(other.raw) <= 2;
        if is_same && !names_unit(other) && other_unit != Some(unit) {
            let text = format!(
                "attribute {} shows the same number as {}, so its unit is the same, which its name does not say",
                other.shown(),
                best.shown()
            );
            warnings.push(Warning::new("unit-from-name", text));
        } else if !agree {
            return Err(format!(
                "attribute {} is {} and {} is {}: one of them counts in another unit than its name says; `smartctl -x` prints \
                 device statistics that tell it",
                best.shown(),
                thousands(best.raw),
                other.shown(),
                thousands(other.raw)
            ));
        }
    }
    Ok(Some(Counter::of_attributes(&[best], unit as f64)))
}

/// Bytes written to flash, by an attribute that can be right, or by counts of pages that have a known size.
fn media(
    host: &Counter,
    attributes: &[(&Attribute, Option<&Rule>)],
    warnings: &mut Vec<Warning>,
) -> Option<Counter> {
    // without a unit of its own: that of the host's counter, which is printed beside it
    let unit_of = |rule: &Rule| rule.unit().map_or(host.step, |unit| unit as f64);
    let whole = attributes.iter().filter_map(|&(attribute, rule)| {
        let unit = match rule {
            Some(rule) => rule.counts("media").then(|| unit_of(rule)),
            None => named(&attribute.name)
                .filter(|(media, _)| *media)
                .map(|(_, unit)| unit as f64),
        };
        Some(Counter::of_attributes(&[attribute], unit?))
    });
    // of one kind of cells each
    let parts = attributes
        .iter()
        .filter_map(|&(part, rule)| Some((part, rule.filter(|rule| rule.counts("media-part"))?)));
    let parts: Vec<(&Attribute, &Rule)> = parts.collect();
    let both = match parts[..] {
        [(one, rule), (other, _)] => Some(Counter::of_attributes(&[one, other], unit_of(rule))),
        _ => None,
    };
    let host = host.bytes;
    for found in whole.chain(both) {
        let Counter { name, bytes, .. } = &found;
        if *bytes <= 0.0 || host <= 0.0 {
            continue;
        }
        let share = bytes / host;
        let warn = |text: &str| {
            Warning::new(
                "media-unit",
                format!("{name} would be {share:.2} bytes of flash for each byte written: {text}"),
            )
        };
        if !(0.3..=100.0).contains(&share) {
            let text = format!(
                "{name} cannot be bytes of flash: it is far from what the host wrote, so it is not used"
            );
            warnings.push(Warning::new("media-unit", text));
            continue;
        }
        if share < 1.0 {
            warnings.push(warn("compression, or another unit"));
        }
        return Some(found);
    }
    let of = |id| {
        attributes
            .iter()
            .find(|(attribute, _)| attribute.id == id && attribute.raw > 0)
    };
    let ((own, own_rule), (other, _)) = (of(247)?, of(248)?);
    let rule = own_rule.filter(|rule| rule.counts("pages") || rule.counts("incomparable"))?;
    let page = host / own.raw as f64;
    let is_page = [4096.0, 8192.0, 16384.0, 32768.0, 65536.0]
        .iter()
        .any(|size: &f64| (page / size - 1.0).abs() <= 0.05);
    if rule.counts("incomparable") || !is_page {
        let text = format!(
            "its page counters 247 and 248 cannot be used: {} KiB a page ({})",
            decimal(page / 1024.0, 0),
            rule.evidence
        );
        warnings.push(Warning::new("pages-incomparable", text));
        return None;
    }
    let bytes = host + page * other.raw as f64;
    Some(Counter {
        name: "247 and 248, pages".into(),
        bytes,
        step: page,
        parts: Parts::Pages,
    })
}

/// Percentage used, of an attribute.
fn used(
    attributes: &[(&Attribute, Option<&Rule>)],
    known: Option<bool>,
    model: &str,
) -> Option<(u64, String)> {
    const BEST_FIRST: [u8; 5] = [202, 177, 233, 230, 231];
    let is_of_samsung = known != Some(false) || model.to_lowercase().starts_with("samsung");
    BEST_FIRST.iter().find_map(|id| {
        let (attribute, rule) = attributes
            .iter()
            .find(|(attribute, _)| attribute.id == *id)?;
        let rule = (*rule)?;
        let normalised = attribute
            .normalised
            .map(u64::from)
            .filter(|value| *value <= 100);
        let used = if rule.counts("used") {
            Some(attribute.raw).filter(|raw| *raw <= 255).or(normalised)
        } else if rule.counts("left") && (*id != 177 || is_of_samsung) {
            normalised.map(|left| 100 - left)
        } else {
            None
        };
        used.map(|used| (used, format!("{id} {}", attribute.name)))
    })
}
