//! The answer: figures, reasons, warnings, and what to measure next.

use serde::Serialize;
use ssdlab_counters::host::{Disk, Look};
use ssdlab_counters::{Kind, Reading, Warning};
use ssdlab_words::{listed, thousands};

use crate::data::{ATTRIBUTION, Tables};
use crate::drive::{Drive, Prior, Use};
use crate::error::LifeError;
use crate::range::{Range, Weighted, vague};
use crate::words::{amount, time, total, two, whole};

/// Days of a year.
const YEAR: f64 = 365.25;

/// What is known of a drive.
#[derive(Default)]
pub struct Question {
    /// Readings of one drive, in the order of time.
    pub readings: Vec<Reading>,
    /// A name that the user typed.
    pub drive: Option<String>,
    /// Bytes.
    pub capacity: Option<u64>,
    /// How it is attached.
    pub kind: Option<Kind>,
    /// Bytes that the host wrote.
    pub written: Option<f64>,
    /// Percentage used.
    pub used: Option<u64>,
    /// Bytes a day.
    pub rate: Option<f64>,
    /// The day since which it is used, in days since 1970-01-01.
    pub since: Option<i64>,
    /// The time, in seconds since 1970.
    pub now: i64,
    /// Where it works.
    pub used_at: Option<Use>,
    /// What the running system counted.
    pub here: Option<Here>,
    /// A trace that was simulated.
    pub simulated: Option<Simulated>,
    /// Named drives of the user: the name of a file with the columns of `drives.csv`, and its text.
    pub drives: Option<(String, String)>,
}

/// What the running system counted.
pub struct Here {
    /// The drive; none if only a process was asked.
    pub disk: Option<Disk>,
    /// Bytes written to the drive.
    pub written: f64,
    /// The days of these bytes.
    pub days: f64,
    /// Whether they are those since the start of the system.
    pub since_boot: bool,
    /// A process: its number, the bytes it wrote, and in how many days.
    pub process: Option<(u32, f64, f64)>,
}

impl Here {
    /// What a system counted since it started, or from one look to a later one, `days` after it.
    pub fn of(first: &Look, later: Option<(&Look, f64)>) -> Self {
        let written = |look: &Look| look.disk.as_ref().map_or(0.0, |disk| disk.written as f64);
        let (now, sample) = later.map_or((first, None), |(look, days)| (look, Some(days)));
        let since =
            |value: &dyn Fn(&Look) -> f64| value(now) - sample.map_or(0.0, |_| value(first));
        let of_process = |look: &Look| look.process.map_or(0.0, |(_, bytes)| bytes as f64);
        Self {
            disk: now.disk.clone(),
            written: since(&written),
            days: sample.unwrap_or(now.days),
            since_boot: sample.is_none(),
            process: now
                .process
                .map(|(pid, _)| (pid, since(&of_process), sample.unwrap_or(now.process_days))),
        }
    }
}

/// A trace that was simulated.
pub struct Simulated {
    /// The trace.
    pub trace: String,
    /// The preset.
    pub preset: String,
    /// Bytes programmed for each byte that the host wrote, on a drive that the trace fills.
    pub full: f64,
    /// And on one of which 40 % are unused.
    pub with_room: Option<f64>,
}

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
        return Err(LifeError(format!("{log}: {why}")));
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

/// All that the words of an answer need.
struct Said<'a> {
    question: &'a Question,
    tables: &'a Tables,
    drive: &'a Drive<'a>,
    prior: Option<&'a Prior>,
    rate: Option<&'a Rate>,
    /// Bytes that the host wrote.
    bytes: Option<f64>,
    /// Percentage used.
    p: Option<u64>,
}

impl Said<'_> {
    fn last(&self) -> Option<&Reading> {
        self.question.readings.last()
    }

    fn amplification(&self) -> Amplification {
        let capacity = self.drive.capacity.map(|bytes| bytes as f64);
        // few erases may be those of the factory
        let erases = self
            .last()
            .and_then(|reading| reading.erases)
            .filter(|count| *count >= 10)
            .map(|count| count as f64);
        let cycles = || {
            Some(
                (self.p.filter(|p| (1..255).contains(p))? as f64 + 0.5) / 100.0
                    * self.drive.cycles()?,
            )
        };
        let wear = self
            .bytes
            .zip(capacity)
            .and_then(|(host, capacity)| Some(erases.or_else(cycles)? * capacity / host));
        Amplification {
            media_per_host: self
                .last()
                .and_then(|reading| Some(reading.media.as_ref()?.bytes / reading.host()?.bytes)),
            media_per_host_interval: None,
            wear_per_host: wear,
            simulated: self
                .question
                .simulated
                .as_ref()
                .map(|simulated| simulated.full),
        }
    }

    fn warn(&self, warnings: &mut Vec<Warning>) {
        // those of the answer as a whole come first
        let of_counters = std::mem::take(warnings);
        let mut warn = |code, text: String| warnings.push(Warning::new(code, text));
        let writes = self
            .bytes
            .zip(self.drive.capacity)
            .map(|(host, capacity)| host / capacity as f64);
        match (self.p, writes) {
            (Some(p @ 10..), Some(writes)) if writes < 3.0 => warn(
                "worn-when-new",
                format!(
                    "{p} % used after {} drive writes cannot be right: no flash wears so fast; a counter lies or was reset",
                    two(writes)
                ),
            ),
            (Some(0), Some(writes)) if writes > 300.0 => warn(
                "worn-when-new",
                format!(
                    "0 % used after {} drive writes: right for Optane, hardly for flash",
                    whole(writes)
                ),
            ),
            _ => {}
        }
        if self.p == Some(255) {
            warn(
                "at-255",
                "the counter stops at 255: it means 255 % or more".into(),
            );
        }
        if let Some(reading) = self.last()
            && let (Some(spare), threshold) = (reading.spare, reading.spare_threshold.unwrap_or(10))
            && spare < threshold.max(1)
        {
            warn(
                "spare-low",
                format!(
                    "spare blocks are at {spare} %, below the drive's threshold of {threshold} %: it may fail soon, whatever its wear; copy what matters"
                ),
            );
        }
        if self.rate.is_some_and(|rate| rate.from == "lifetime") {
            let hours = if self.rate.is_some_and(|rate| rate.powered_on) {
                "; its years are of power-on time, which is 12 to 102 % of the calendar at desks"
            } else {
                ""
            };
            warn(
                "rate-of-lifetime",
                format!(
                    "the rate is an average so far; later ones are {} to {} times that for 8 of 10 drives{hours}",
                    OF_LIFETIME[0], OF_LIFETIME[1]
                ),
            );
        }
        if self.drive.name.is_some()
            && self.prior.is_some()
            && self.drive.named.is_none()
            && self.drive.model.is_none()
        {
            warn(
                "name-unknown",
                format!(
                    "no table has a drive of this name; {} of its capacity stand for it",
                    self.drive.class_words()
                ),
            );
        }
        if let Some(prior) = self
            .prior
            .filter(|prior| prior.from == "models" && prior.servers.min(prior.desks) == 0)
        {
            let (all, other) = if prior.desks == 0 {
                ("in servers", "at desks")
            } else {
                ("at desks", "in servers")
            };
            warn(
                "population-narrow",
                format!(
                    "all these drives work {all}; {other}, only two of three drives lie in such a range"
                ),
            );
        }
        let own = self
            .last()
            .and_then(|reading| reading.erases)
            .zip(self.p)
            .filter(|(_, p)| (5..255).contains(p));
        let model = self
            .drive
            .model
            .and_then(|model| model.cycles_to_100_p10.zip(model.cycles_to_100_p90));
        if let Some(((erases, p), (low, high))) = own.zip(model) {
            let [least, most] = [p + 1, p].map(|p| 100.0 * erases as f64 / p as f64);
            if most < 0.9 * low || least > 1.1 * high {
                let firmware = self
                    .last()
                    .and_then(|reading| reading.firmware.as_deref())
                    .unwrap_or("unknown");
                warn(
                    "tight-cycles-firmware",
                    format!(
                        "100 % would be at {} erase cycles, of others of this name at {} to {}: the same name with other flash (firmware {firmware})",
                        whole((least + most) / 2.0),
                        whole(low),
                        whole(high)
                    ),
                );
            }
        }
        warnings.extend(of_counters);
    }

    /// The name of the drive in a sentence.
    fn name(&self) -> String {
        let here = self
            .question
            .here
            .as_ref()
            .and_then(|here| here.disk.as_ref());
        let is_known = self.drive.named.is_some() || self.drive.model.is_some();
        if let Some(name) = self
            .drive
            .name
            .as_ref()
            .filter(|_| is_known || here.is_none())
        {
            return name.clone();
        }
        match (here, self.drive.capacity) {
            (Some(disk), _) => disk.device.clone(),
            (None, None) => "The drive".into(),
            (None, Some(capacity)) => {
                let of = match self.drive.kind {
                    Some(Kind::Sata | Kind::Sas) => "A SATA drive",
                    Some(Kind::Mmc) => "A card",
                    _ => "An NVMe drive",
                };
                format!("{of} of {}", amount(capacity as f64))
            }
        }
    }

    fn sentence(&self, answer: &Answer) -> String {
        let name = self.name();
        if let Some(p) = self.p.filter(|p| *p >= 100) {
            let more = if p == 255 { " or more" } else { "" };
            let p = if self.drive.kind == Some(Kind::Mmc) {
                "100".into()
            } else {
                p.to_string()
            };
            return format!("{name} says it is {p} %{more} used, beyond what its maker promises.");
        }
        let range =
            |range: &Range, last: &str| format!("{} to {}{last}", two(range.p10), two(range.p90));
        let at = self.rate.map(|rate| {
            let average = if rate.from == "lifetime" {
                " on average"
            } else {
                ""
            };
            format!(" at {} a day{average}", amount(rate.bytes))
        });
        let of = if self.rate.is_some_and(|rate| rate.powered_on) {
            " of power-on time"
        } else {
            ""
        };
        let years = answer
            .years_left
            .zip(at.as_ref())
            .map(|(years, at)| match years {
                _ if years.p10 > 100.0 => format!("more than 100 years{of}{at}"),
                _ if years.p50 < 0.1 => {
                    let days = years.map(|years| YEAR * years);
                    format!("{} days{of} ({}){at}", two(days.p50), range(&days, ""))
                }
                _ => format!("{} years{of} ({}){at}", two(years.p50), range(&years, "")),
            });
        let steps = if self.drive.kind == Some(Kind::Mmc) {
            self.p.map(|p| format!("{p} to {}", p + 10))
        } else {
            self.p.map(|p| p.to_string())
        };
        if let Some(steps) = steps {
            let after = self.bytes.map(|host| format!(" after {}", total(host)));
            let hours = self.last().and_then(|reading| reading.hours);
            let after = after
                .or_else(|| {
                    hours.map(|hours| {
                        format!(" after {} hours, bytes unknown", thousands(hours as u64))
                    })
                })
                .unwrap_or_default();
            let same_pace = hours
                .zip(self.p.filter(|p| *p > 0))
                .filter(|_| self.bytes.is_none());
            let mut text = format!("{name}: {steps} % used{after}");
            match (answer.tb_left, same_pace) {
                (_, Some((hours, p))) => {
                    let left = hours * (100.0 - p as f64) / p as f64;
                    text += &format!(
                        "; about {} hours left at the same pace, which later is 0.2 to 5 times that",
                        whole(left)
                    );
                }
                (Some(left), None) => {
                    text += &format!(
                        "; {} TB left ({})",
                        two(left.p50),
                        range(&left, ", 8 of 10")
                    )
                }
                (None, None) => {}
            }
            let years = years
                .map(|years| format!(", about {years}"))
                .filter(|_| same_pace.is_none());
            return text + &years.unwrap_or_default() + ".";
        }
        let written = self.bytes.map(|host| format!(" after {}", total(host)));
        match (answer.tb_to_100, self.question.here.as_ref()) {
            (Some(to_100), _) => {
                let years = years.map(|years| format!(", {years}")).unwrap_or_default();
                match (written, answer.tb_left) {
                    (Some(_), Some(left)) => format!(
                        "{name}: {} written; {} TB left ({}){}.",
                        total(self.bytes.unwrap_or(0.0)),
                        two(left.p50),
                        range(&left, ", 8 of 10"),
                        years.replacen(", ", ", about ", 1)
                    ),
                    _ => format!(
                        "{name} reaches 100 % after about {} TB ({}){years}.",
                        two(to_100.p50),
                        range(&to_100, "")
                    ),
                }
            }
            (None, Some(here)) => {
                let size = self
                    .drive
                    .capacity
                    .map(|capacity| format!(" of {}", amount(capacity as f64)))
                    .unwrap_or_default();
                let times = self.drive.capacity.map(|capacity| {
                    format!(
                        ", {} times its size",
                        two(self.rate.map_or(0.0, |rate| rate.bytes) / capacity as f64)
                    )
                });
                let a_day = self
                    .rate
                    .map(|rate| {
                        format!(
                            ", {} a day{}",
                            amount(rate.bytes),
                            times.unwrap_or_default()
                        )
                    })
                    .unwrap_or_default();
                let what = if self.drive.kind == Some(Kind::Mmc) {
                    "a card"
                } else {
                    "a disk"
                };
                format!(
                    "{name} ({what}{size}) was written {} in {}{a_day}; nobody rates it and it counts no wear: no years.",
                    amount(here.written),
                    time(here.days)
                )
            }
            (None, None) => format!("{name}: nothing is known of its endurance."),
        }
    }

    fn because(&self, answer: &Answer) -> Vec<String> {
        let mut lines = Vec::new();
        let range = |range: Range| {
            format!(
                "{} TB ({} to {})",
                whole(range.p50),
                whole(range.p10),
                whole(range.p90)
            )
        };
        if let (Some(to_100), Some(_), Some(p)) = (answer.tb_to_100, self.bytes, self.p) {
            let counter = answer
                .reading
                .percentage_counter
                .as_deref()
                .unwrap_or_default();
            lines.push(match p {
                100.. => format!("its own view ({counter}): 100 % was at {}; of 378 drives seen again beyond 100 %, half had written 9 % more and still answered", range(to_100)),
                _ => format!("its own view ({counter}): 100 % at {}", range(to_100)),
            });
        }
        lines.extend(self.others(answer));
        lines.extend(self.wear(answer));
        if let Some(rate) = self
            .rate
            .filter(|rate| !matches!(rate.from, "given" | "process"))
        {
            lines.push(format!("rate: {}", rate.words));
        }
        if let Some(here) = self.question.here.as_ref()
            && let Some((pid, bytes, days)) = here.process
        {
            let share = 100.0 * (bytes / days) / (here.written / here.days);
            let share = if share.is_finite() {
                format!(", {} % of all that the drive was written", two(share))
            } else {
                String::new()
            };
            lines.push(format!(
                "process {pid} caused {} in {}{share}; what the file system adds is not counted",
                amount(bytes),
                time(days)
            ));
        }
        if let Some(simulated) = &self.question.simulated {
            let most = self
                .drive
                .cycles()
                .zip(self.drive.capacity)
                .map(|(cycles, capacity)| {
                    let bytes = cycles * capacity as f64 / simulated.full;
                    format!(
                        ": with {} erase cycles at most {} TB",
                        whole(cycles),
                        whole(bytes / 1e12)
                    )
                });
            lines.push(format!(
                "{} on {}, full: {:.2} bytes of flash for each byte written{}; real drives add folding, refresh and tables",
                simulated.trace,
                simulated.preset,
                simulated.full,
                most.unwrap_or_default()
            ));
        }
        if self.last().and_then(|reading| reading.spare) == Some(100)
            && self.p.is_some_and(|p| p >= 10)
        {
            lines.push("spare 100 % is not wear: it is 100 % in 86 % of NVMe drives that are 20 % used or more".into());
        }
        lines.truncate(5);
        lines
    }

    /// What other drives do: of its name, by its rating, by its capacity.
    fn others(&self, answer: &Answer) -> Option<String> {
        let prior = self.prior?;
        let [p10, _, p50, _, p90] = prior.quantiles;
        let who = [(prior.servers, "in servers"), (prior.desks, "at desks")];
        let who: Vec<String> = who
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, place)| format!("{} {place}", thousands(u64::from(*count))))
            .collect();
        let rated = answer.drive.rated_tb;
        Some(match prior.from {
            "models" => {
                let missed =
                    self.drive.model.and_then(|model| model.below_rating).map(
                        |share| match share {
                            0.0 => ", which none of them misses".into(),
                            _ => format!(", which {} % of them miss", two(100.0 * share)),
                        },
                    );
                let rated = rated
                    .map(|tb| format!(", rated {} TB{}", whole(tb), missed.unwrap_or_default()))
                    .unwrap_or_default();
                format!(
                    "{} drives of this name ({}): {} TB ({} to {} for 8 of 10){rated}",
                    prior.servers + prior.desks,
                    listed(&who),
                    whole(p50 / 1e12),
                    whole(p10 / 1e12),
                    whole(p90 / 1e12)
                )
            }
            "rating" => {
                let tb = rated.unwrap_or(1.0) * 1e12;
                let no_bound = if self.drive.segment() == "client" {
                    ": a rating is no lower bound for them"
                } else {
                    ""
                };
                let class = self.drive.class_words();
                let card = if self.drive.kind == Some(Kind::Mmc)
                    || self.drive.named.is_some_and(|row| row.segment == "card")
                {
                    "; nobody measured cards"
                } else {
                    ""
                };
                format!(
                    "rated {} TB, times {} to {} for 8 of 10 {class} ({}){no_bound}{card}",
                    whole(tb / 1e12),
                    two(p10 / tb),
                    two(p90 / tb),
                    listed(&who)
                )
            }
            _ => {
                let capacity = self.drive.capacity? as f64;
                let apple = self
                    .drive
                    .name
                    .as_ref()
                    .filter(|name| name.starts_with("APPLE"))
                    .map_or("", |_| "Apple states no rating; ");
                format!(
                    "{apple}{} to {} times their capacity is what 8 of 10 {} write until then ({})",
                    whole(p10 / capacity),
                    whole(p90 / capacity),
                    self.drive.class_words(),
                    listed(&who)
                )
            }
        })
    }

    fn wear(&self, answer: &Answer) -> Option<String> {
        let model = self.drive.model;
        let mut parts = Vec::new();
        if let Some(wear) = answer.write_amplification.wear_per_host {
            let cycles = model
                .and_then(|model| model.cycles_to_100_p50)
                .zip(self.drive.capacity);
            let each = |tb: Option<f64>, place: &str| {
                let (cycles, capacity) = cycles?;
                Some(format!(
                    "{} {place}",
                    two(cycles * capacity as f64 / tb? / 1e12)
                ))
            };
            let others = model.map(|model| {
                [
                    each(model.bsd_p50, "at desks"),
                    each(model.servers_p50, "in servers"),
                ]
            });
            let others: Vec<String> = others.into_iter().flatten().flatten().collect();
            let others = if others.is_empty() {
                String::new()
            } else {
                format!(" (drives of this name: {})", others.join(", "))
            };
            let own = self
                .last()
                .and_then(|reading| reading.erases)
                .zip(self.p)
                .filter(|(_, p)| *p >= 5);
            let cycles = own.map(|(erases, p)| {
                let all = 100.0 * erases as f64 / (p as f64 + 0.5);
                format!("{} erase cycles of about {}: ", thousands(erases), two(all))
            });
            parts.push(format!(
                "{}each byte written cost {} bytes of flash{others}",
                cycles.unwrap_or_default(),
                two(wear)
            ));
        }
        if let Some(media) = answer.write_amplification.media_per_host {
            let others = model.and_then(|model| {
                Some((
                    model.media_per_host_p10?,
                    model.media_per_host_p50?,
                    model.media_per_host_p90?,
                ))
            });
            let others = others
                .map(|(low, mid, high)| {
                    format!(" (drives of this name: {mid:.2}, {low:.2} to {high:.2})")
                })
                .unwrap_or_default();
            let counter = answer.reading.media_counter.as_deref().unwrap_or_default();
            let now = answer
                .write_amplification
                .media_per_host_interval
                .map(|now| format!(", {now:.2} between the readings"))
                .unwrap_or_default();
            parts.push(format!(
                "{media:.2} bytes went to flash for each byte ({counter}){now}{others}"
            ));
        }
        let commands = self
            .last()
            .and_then(|reading| reading.write_commands)
            .filter(|commands| *commands > 1000);
        if let Some(kib) = self
            .bytes
            .zip(commands)
            .map(|(host, commands)| host / commands as f64 / 1024.0)
            .filter(|kib| (0.5..=4096.0).contains(kib))
        {
            let usual = model
                .and_then(|model| model.write_kib_p50)
                .map(|kib| format!(" (of this name: {})", whole(kib)))
                .unwrap_or_default();
            parts.push(format!(
                "a write has {} KiB{usual}; small ones wear more",
                whole(kib)
            ));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn help(&self, answer: &Answer) -> Vec<String> {
        let short = answer.years_left.is_some_and(|years| years.p50 < 3.0)
            || self.p.is_some_and(|p| (80..).contains(&p));
        let costly = answer
            .write_amplification
            .wear_per_host
            .or(answer.write_amplification.media_per_host)
            .is_some_and(|share| share > 4.0);
        let own = self
            .question
            .simulated
            .as_ref()
            .and_then(|simulated| Some((simulated.full, simulated.with_room?)));
        let gains = own.is_some_and(|(full, with_room)| full > 1.2 * with_room);
        let is_short = short && self.drive.segment() != "dc";
        if !(is_short || costly || gains) || self.drive.kind == Some(Kind::Mmc) {
            return Vec::new();
        }
        let (whose, full, with_room) = own
            .map_or(("a desktop's trace", 2.48, 1.12), |(full, with_room)| {
                ("this trace", full, with_room)
            });
        let mut lines = vec![format!(
            "leave space unused, and TRIM it: {whose} cost {full:.2} bytes of flash for each byte on a full drive, {with_room:.2} with 40 % unused"
        )];
        let dc = self.near("dc").filter(|_| self.drive.segment() != "dc");
        lines.extend(dc.map(|(name, model)| {
            format!(
                "a data-centre drive: {name} reaches 100 % after {} TB (median of {} drives)",
                whole(model.tb_to_100_p50),
                model.n
            )
        }));
        lines
    }

    /// A named drive of about this size and kind of which most were measured.
    fn near(&self, segment: &str) -> Option<(String, &crate::data::Model)> {
        let capacity = self.drive.capacity? as f64 / 1e9;
        let kind = self.drive.table_kind();
        let alike = self
            .tables
            .models
            .iter()
            .filter(|model| model.segment == segment && model.kind == kind);
        let alike = alike.filter(|model| {
            (0.8..=1.25).contains(&(model.capacity_gb as f64 / capacity)) && model.n >= 8
        });
        let named = alike.filter_map(|model| {
            let row = self
                .tables
                .named
                .iter()
                .find(|row| row.names().any(|name| name == model.model))?;
            Some((row.title(), model))
        });
        named.max_by_key(|(_, model)| model.n)
    }

    /// The cheapest measurement that narrows the widest term.
    fn next(&self, answer: &Answer) -> Vec<String> {
        let device = self
            .last()
            .and_then(|reading| reading.device.as_deref())
            .unwrap_or(match self.drive.table_kind() {
                "NVMe" => "/dev/nvme0",
                _ => "/dev/sda",
            });
        if self.p.is_some_and(|p| p >= 100) {
            return vec!["copy what matters and plan a new drive: beyond 100 % nobody promises that data stay without power".into()];
        }
        if self.drive.kind == Some(Kind::Mmc) && self.prior.is_none() {
            return vec!["--drive NAME, if it is an endurance card: those are rated".into()];
        }
        if self.prior.is_none() && self.question.here.is_some() {
            return vec!["--drive NAME: the drive below this disk".into()];
        }
        if self.prior.is_none() {
            return vec!["name the drive with --drive, or give --capacity: what others of its kind do narrows this".into()];
        }
        if self.drive.name.is_none() && self.last().is_none() {
            let each = |segment: &str| {
                let (name, model) = self.near(segment)?;
                let drive = Drive {
                    name: None,
                    capacity: Some(model.capacity_gb * 1_000_000_000),
                    kind: self.drive.kind,
                    model: Some(model),
                    named: None,
                };
                let range =
                    Weighted::prior(drive.prior(self.tables, self.question.used_at)?.quantiles)
                        .range();
                let (range, unit) = match self.rate {
                    Some(rate) => (range.map(|bytes| bytes / rate.bytes / YEAR), "years"),
                    None => (range.map(|bytes| bytes / 1e12), "TB"),
                };
                Some(format!(
                    "a {name} has {} {unit} ({} to {})",
                    two(range.p50),
                    two(range.p10),
                    two(range.p90)
                ))
            };
            let examples: Vec<String> =
                [each("client"), each("dc")].into_iter().flatten().collect();
            return vec![format!(
                "name the drive with --drive: {}",
                examples.join(", ")
            )];
        }
        if self.p.is_none() {
            return vec![format!(
                "one reading of percentage used narrows this to ± 18 %: sudo smartctl -x {device} | ssdlab life -"
            )];
        }
        let incomparable = answer
            .warnings
            .iter()
            .any(|warning| warning.code == "pages-incomparable");
        let what = if incomparable {
            "read attribute 173 again in a week"
        } else {
            "read it again in a week"
        };
        match self.rate.map(|rate| rate.from) {
            Some("two readings") => {
                vec!["keep these logs, and read it again in three months".into()]
            }
            Some("given") => vec![format!(
                "{what}: two readings show whether the rate is right"
            )],
            _ => vec![format!(
                "{what}, and give both logs: that narrows the rate from 0.2 to 5 times to 0.59 to 1.77: sudo smartctl -x --json {device} > week-1.json"
            )],
        }
    }
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
