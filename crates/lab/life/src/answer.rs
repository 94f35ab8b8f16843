//! The answer: figures, reasons, warnings, and what to measure next.

mod said;

use serde::Serialize;
use ssdlab_counters::{Reading, Warning};

use crate::data::{ATTRIBUTION, Tables};
use crate::drive::Drive;
use crate::error::LifeError;
use crate::question::Question;
use crate::range::{Range, Weighted, vague};
use crate::words::{amount, time, total};

use self::said::Said;

/// Days of a year.
const YEAR: f64 = 365.25;

/// The answer to a question.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The drive.
    pub drive: DriveFound,
    /// What it said.
    pub reading: ReadingFound,
    /// 10^12 bytes until the drive says 100 %.
    pub tb_to_100: Option<Range>,
    /// 10^12 bytes from now until then.
    pub tb_left: Option<Range>,
    /// What is written a day.
    pub rate: RateFound,
    /// Years until then.
    pub years_left: Option<Range>,
    /// Bytes of flash for each byte of the host.
    pub write_amplification: Amplification,
    /// The answer in a sentence.
    pub sentence: String,
    /// Why.
    pub because: Vec<String>,
    /// What would help, with figures.
    pub help: Vec<String>,
    /// What to know.
    pub warnings: Vec<Warning>,
    /// The cheapest measurements that say more.
    pub next: Vec<String>,
    /// Whom the figures are from.
    pub attribution: &'static str,
}

/// A drive, as the tables know it.
#[derive(Debug, Serialize)]
pub struct DriveFound {
    name: Option<String>,
    capacity_bytes: Option<u64>,
    segment: String,
    known_from: Option<&'static str>,
    drives: Option<u32>,
    drives_in_servers: Option<u32>,
    drives_at_desks: Option<u32>,
    rated_tb: Option<f64>,
    rated_source: Option<String>,
    cycles_to_100: Option<f64>,
}

/// A reading, with the counters that say it.
#[derive(Debug, Serialize)]
pub struct ReadingFound {
    host_bytes: Option<f64>,
    host_counter: Option<String>,
    media_bytes: Option<f64>,
    media_counter: Option<String>,
    erase_count: Option<u64>,
    percentage_used: Option<u64>,
    percentage_counter: Option<String>,
    spare_percent: Option<u64>,
    power_on_hours: Option<f64>,
    firmware: Option<String>,
}

/// Bytes a day, and by what factor later ones differ.
#[derive(Debug, Serialize)]
pub struct RateFound {
    bytes_per_day: Option<f64>,
    from: Option<&'static str>,
    factor_p10: Option<f64>,
    factor_p90: Option<f64>,
}

/// Bytes of flash for each byte of the host.
#[derive(Debug, Default, Serialize)]
pub struct Amplification {
    media_per_host: Option<f64>,
    media_per_host_interval: Option<f64>,
    wear_per_host: Option<f64>,
    simulated: Option<f64>,
}

/// A rate and how sure it is.
struct Rate {
    bytes: f64,
    from: &'static str,
    /// 10 and 90 % of what later rates are of it, where that was measured.
    factors: Option<[f64; 2]>,
    /// Whether the days are of power-on time.
    powered_on: bool,
    words: String,
}

/// Answers a question.
///
/// # Errors
/// No drive and no capacity, an ambiguous name, a unit that is not known, figures that cannot be.
pub fn answer(question: &Question) -> Result<Answer, LifeError> {
    let refuse = |why: &str| Err(LifeError(why.to_owned()));
    let tables = Tables::with(question.drives.as_ref())?;
    let last = question.readings.last();
    let disk = question.here.as_ref().and_then(|here| here.disk.as_ref());
    if question.capacity == Some(0) {
        return refuse("--capacity: must be above 0");
    }
    if disk.is_some_and(|disk| disk.spins && disk.kind.is_some()) && last.is_none() {
        return refuse("--here: it is a hard disk, whose life no writing uses up");
    }
    let typed = question.drive.as_deref();
    let printed = last
        .and_then(|reading| reading.model.as_deref())
        .or_else(|| disk.and_then(|disk| disk.model.as_deref()));
    // the disk of a virtual machine is not the drive that the user names
    let of_disk = disk.filter(|disk| disk.capacity > 0);
    let capacity = question
        .capacity
        .or(last.and_then(|reading| reading.capacity))
        .or_else(|| {
            of_disk
                .filter(|_| typed.is_none())
                .map(|disk| disk.capacity)
        });
    let kind = question
        .kind
        .or(last.and_then(|reading| reading.kind))
        .or_else(|| disk.and_then(|disk| disk.kind));
    let mut drive = Drive::find(&tables, typed.or(printed), typed.is_some(), capacity, kind)?;
    drive.capacity = drive.capacity.or(of_disk.map(|disk| disk.capacity));
    let mut warnings: Vec<Warning> = last
        .map(|reading| reading.warnings.clone())
        .unwrap_or_default();

    let host = match (question.written, last.and_then(Reading::host)) {
        (Some(bytes), _) => Some((bytes, "--written".to_owned())),
        (None, Some(counter)) => Some((counter.bytes, counter.name.clone())),
        (None, None) => None,
    };
    if let (None, Some(why)) = (
        &host,
        last.and_then(|reading| reading.unit_unknown.as_ref()),
    ) {
        let log = last.map_or("", |reading| &reading.log);
        return Err(LifeError(format!("{log}: {why}; or give --written")));
    }
    let host = host.filter(|(bytes, _)| *bytes > 0.0);
    let used = match (question.used, last.and_then(|reading| reading.used.clone())) {
        (Some(used), _) => Some((used, "--used".to_owned())),
        (None, read) => read.or_else(|| {
            disk.and_then(|disk| disk.used)
                .map(|used| (used, "eMMC life time".to_owned()))
        }),
    };
    if let Some((used, counter)) = used.as_ref().filter(|(used, _)| *used > 255) {
        return Err(LifeError(format!(
            "{counter}: is {used} %; a drive says at most 255"
        )));
    }
    let p = used.as_ref().map(|(used, _)| *used);
    let is_virtual =
        disk.is_some() && drive.kind.is_none() && drive.named.is_none() && drive.model.is_none();
    let prior = drive
        .prior(&tables, question.used_at)
        .filter(|_| !is_virtual);
    if prior.is_none() && used.is_none() && disk.is_none() {
        return refuse(
            "neither a drive nor its capacity is known: give a log (`sudo smartctl -x /dev/nvme0 | ssdlab life -`), --drive NAME, or \
             --capacity SIZE with --kind nvme or sata",
        );
    }
    let bytes = host.as_ref().map(|(bytes, _)| *bytes);
    let both = bytes.zip(p);
    let weighted = match (&prior, both) {
        (Some(prior), Some((host, p))) => {
            Some(Weighted::of_reading(prior.quantiles, host, p as f64))
        }
        (Some(prior), None) => Some(Weighted::prior(prior.quantiles)),
        // the drive's own view alone
        (None, Some((host, p))) if p > 0 => {
            let alone = vague(100.0 * host / (p as f64 + 0.5));
            Some(Weighted::of_reading(alone, host, p as f64))
        }
        (None, _) => None,
    };
    let to_100 = weighted.as_ref().map(Weighted::range);
    let left = weighted.as_ref().map(|weighted| match (p, bytes) {
        (Some(p), _) => {
            let share = (100.0 - p as f64 - 0.5).max(0.0) / 100.0;
            weighted.in_future().range().map(|bytes| share * bytes)
        }
        (None, host) => weighted
            .range()
            .map(|bytes| (bytes - host.unwrap_or(0.0)).max(0.0)),
    });
    let interval = match &question.readings[..] {
        [first, .., last] => last.since(first)?,
        _ => None,
    };
    let rate = rate(question, bytes, interval.as_ref())?;
    let years = left
        .zip(rate.as_ref())
        .map(|(left, rate)| left.map(|bytes| bytes / rate.bytes / YEAR));

    let mut answer = Answer {
        drive: DriveFound {
            name: drive.name.clone(),
            capacity_bytes: drive.capacity,
            segment: drive.segment().to_owned(),
            known_from: prior.as_ref().map(|prior| prior.from),
            drives: prior.as_ref().map(|prior| prior.servers + prior.desks),
            drives_in_servers: prior.as_ref().map(|prior| prior.servers),
            drives_at_desks: prior.as_ref().map(|prior| prior.desks),
            rated_tb: drive.named.and_then(|row| row.rated_tb()),
            rated_source: drive
                .named
                .filter(|row| row.rated_tb().is_some())
                .map(|row| row.source.clone()),
            cycles_to_100: drive.cycles(),
        },
        reading: ReadingFound {
            host_bytes: bytes,
            host_counter: host.as_ref().map(|(_, counter)| counter.clone()),
            media_bytes: last.and_then(|reading| Some(reading.media.as_ref()?.bytes)),
            media_counter: last.and_then(|reading| Some(reading.media.as_ref()?.name.clone())),
            erase_count: last.and_then(|reading| reading.erases),
            percentage_used: p,
            percentage_counter: used.as_ref().map(|(_, counter)| counter.clone()),
            spare_percent: last.and_then(|reading| reading.spare),
            power_on_hours: last.and_then(|reading| reading.hours),
            firmware: last.and_then(|reading| reading.firmware.clone()),
        },
        tb_to_100: to_100.map(|range| range.map(|bytes| bytes / 1e12)),
        tb_left: left.map(|range| range.map(|bytes| bytes / 1e12)),
        rate: RateFound {
            bytes_per_day: rate.as_ref().map(|rate| rate.bytes),
            from: rate.as_ref().map(|rate| rate.from),
            factor_p10: rate.as_ref().and_then(|rate| Some(rate.factors?[0])),
            factor_p90: rate.as_ref().and_then(|rate| Some(rate.factors?[1])),
        },
        years_left: years,
        write_amplification: Amplification::default(),
        sentence: String::new(),
        because: Vec::new(),
        help: Vec::new(),
        warnings: Vec::new(),
        next: Vec::new(),
        attribution: ATTRIBUTION,
    };
    let said = Said {
        question,
        tables: &tables,
        drive: &drive,
        prior: prior.as_ref(),
        rate: rate.as_ref(),
        bytes,
        p,
    };
    answer.write_amplification = said.amplification();
    answer.write_amplification.media_per_host_interval = interval.as_ref().and_then(|interval| {
        Some(interval.media? / interval.host).filter(|share| share.is_finite())
    });
    said.warn(&mut warnings);
    answer.warnings = warnings;
    answer.sentence = said.sentence(&answer);
    answer.because = said.because(&answer);
    answer.help = said.help(&answer);
    answer.next = said.next(&answer);
    Ok(answer)
}

/// What later rates are of a lifetime average, for 8 of 10 drives.
const OF_LIFETIME: [f64; 2] = [0.2, 5.0];
/// And of an interval between two readings.
const OF_INTERVAL: [f64; 2] = [0.59, 1.77];

/// Bytes a day, from the best that is known.
fn rate(
    question: &Question,
    host: Option<f64>,
    interval: Option<&ssdlab_counters::Interval>,
) -> Result<Option<Rate>, LifeError> {
    let last = question.readings.last();
    if let Some(bytes) = question.rate {
        return Ok(Some(Rate {
            bytes,
            from: "given",
            factors: None,
            powered_on: false,
            words: "the rate was given".into(),
        }));
    }
    if let Some(interval) = interval.filter(|interval| interval.host > 0.0) {
        let (days, bytes) = (time(interval.days), amount(interval.host));
        let of = if interval.powered_on {
            " of power-on time"
        } else {
            ""
        };
        let [low, high] = OF_INTERVAL;
        let words = format!(
            "{bytes} between two readings, {days}{of} apart; for 8 of 10 drives the next is {low} to {high} times that"
        );
        let bytes = interval.host / interval.days;
        return Ok(Some(Rate {
            bytes,
            from: "two readings",
            factors: Some(OF_INTERVAL),
            powered_on: interval.powered_on,
            words,
        }));
    }
    if let Some(since) = question.since {
        let now = last
            .and_then(|reading| reading.time)
            .unwrap_or(question.now);
        let days = now as f64 / 86400.0 - since as f64;
        if days <= 0.0 {
            return Err(LifeError("--since: lies in the future of the reading; must be the day from which the drive was used".into()));
        }
        let Some(host) = host else {
            return Err(LifeError(
                "--since: needs the bytes written since then: a log, or --written".into(),
            ));
        };
        let words = format!(
            "{} in {} of the calendar, on average",
            total(host),
            time(days)
        );
        return Ok(Some(Rate {
            bytes: host / days,
            from: "lifetime",
            factors: Some(OF_LIFETIME),
            powered_on: false,
            words,
        }));
    }
    if let Some(here) = &question.here {
        let of_process = here.process.filter(|_| here.disk.is_none());
        let (bytes, days, from) = match of_process {
            Some((_, bytes, days)) => (bytes, days, "process"),
            None => (
                here.written,
                here.days,
                if here.since_boot {
                    "since boot"
                } else {
                    "sample"
                },
            ),
        };
        if bytes <= 0.0 || days <= 0.0 {
            return Ok(None);
        }
        let since = match from {
            "process" => "since the process began",
            "sample" => "while it was watched",
            _ => "since boot only",
        };
        let words = format!(
            "{} in {}, {since}: nobody measured how much later days differ",
            amount(bytes),
            time(days)
        );
        return Ok(Some(Rate {
            bytes: bytes / days,
            from,
            factors: None,
            powered_on: false,
            words,
        }));
    }
    let hours = last
        .and_then(|reading| reading.hours)
        .filter(|hours| *hours >= 1.0);
    Ok(host.zip(hours).map(|(host, hours)| {
        let days = time(hours / 24.0);
        let words = format!("{} in {days} of power-on time, on average", total(host));
        Rate {
            bytes: host / hours * 24.0,
            from: "lifetime",
            factors: Some(OF_LIFETIME),
            powered_on: true,
            words,
        }
    }))
}

impl std::fmt::Display for Answer {
    /// The sentence, and the lines below it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.sentence)?;
        let warnings = self.warnings.iter().map(|warning| &warning.text);
        let lines = (self.because.iter().map(|text| ("because", text)))
            .chain(self.help.iter().map(|text| ("help", text)))
            .chain(warnings.map(|text| ("warning", text)))
            .chain(self.next.iter().map(|text| ("next", text)));
        let mut before = "";
        for (label, text) in lines {
            let shown = if label == before {
                String::new()
            } else {
                format!("{label}:")
            };
            writeln!(f, "  {shown:9}{text}")?;
            before = label;
        }
        Ok(())
    }
}
