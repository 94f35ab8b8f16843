//! The words of an answer.

use ssdlab_counters::{Kind, Reading, Warning};
use ssdlab_words::{listed, shell_word, thousands};

use super::{Amplification, Answer, OF_INTERVAL, OF_LIFETIME, Rate, YEAR};
use crate::data::Tables;
use crate::drive::{Drive, Prior};
use crate::question::Question;
use crate::range::{Range, Weighted};
use crate::words::{amount, time, total, two, whole};

/// All that the words of an answer need.
pub(super) struct Said<'a> {
    pub question: &'a Question,
    pub tables: &'a Tables,
    pub drive: &'a Drive<'a>,
    pub prior: Option<&'a Prior>,
    pub rate: Option<&'a Rate>,
    /// Bytes that the host wrote.
    pub bytes: Option<f64>,
    /// Percentage used.
    pub p: Option<u64>,
}

impl Said<'_> {
    fn last(&self) -> Option<&Reading> {
        self.question.readings.last()
    }

    pub fn amplification(&self) -> Amplification {
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

    pub fn warn(&self, warnings: &mut Vec<Warning>) {
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

    pub fn sentence(&self, answer: &Answer) -> String {
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
                        "; about {} hours left at the same pace, which later is {} to {} times that",
                        whole(left),
                        OF_LIFETIME[0],
                        OF_LIFETIME[1]
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
                .map(|years| format!(", {}", about(&years)))
                .filter(|_| same_pace.is_none());
            return text + &years.unwrap_or_default() + ".";
        }
        let written = self.bytes.map(|host| format!(" after {}", total(host)));
        match (answer.tb_to_100, self.question.here.as_ref()) {
            (Some(to_100), _) => match (written, answer.tb_left) {
                (Some(_), Some(left)) => format!(
                    "{name}: {} written; {} TB left ({}){}.",
                    total(self.bytes.unwrap_or(0.0)),
                    two(left.p50),
                    range(&left, ", 8 of 10"),
                    years
                        .map(|years| format!(", {}", about(&years)))
                        .unwrap_or_default()
                ),
                _ => format!(
                    "{name} reaches 100 % after about {} TB ({}){}.",
                    two(to_100.p50),
                    range(&to_100, ""),
                    years.map(|years| format!(", {years}")).unwrap_or_default()
                ),
            },
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

    pub fn because(&self, answer: &Answer) -> Vec<String> {
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

    pub fn help(&self, answer: &Answer) -> Vec<String> {
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
    pub fn next(&self, answer: &Answer) -> Vec<String> {
        let device = self
            .last()
            .and_then(|reading| reading.device.as_deref())
            .unwrap_or(match self.drive.table_kind() {
                "NVMe" => "/dev/nvme0",
                _ => "/dev/sda",
            });
        // the name is from a log
        let device = shell_word(device);
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
                "{what}, and give both logs: that narrows the rate from {} to {} times to {} to {}: sudo smartctl -x --json {device} > week-1.json",
                OF_LIFETIME[0], OF_LIFETIME[1], OF_INTERVAL[0], OF_INTERVAL[1]
            )],
        }
    }
}

/// Years in words, which are rounded unless they are only a bound.
fn about(years: &str) -> String {
    if years.starts_with("more") {
        years.to_owned()
    } else {
        format!("about {years}")
    }
}
