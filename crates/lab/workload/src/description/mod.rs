//! Descriptions of workloads, for `ssdlab trace generate` and for the descriptions of papers.
//!
//! The kinds of workload and their options, as words of a command line. The workloads themselves are in `synthetic`; the
//! same words give the same requests on every machine.

mod kind;
mod make;
mod sizes;
mod stream;
mod values;
mod zones;

use clap::Parser;
use ssdlab_host::Request;

use self::kind::Kind;
use self::make::Space;
use self::sizes::Mix;
use self::values::{bursts, count, interval, probe, rate, share, size, unit};
use crate::synthetic::{Arrivals, Bursts, Generator, Probe, Probed, Settings};

pub use self::values::{positive_count, share_of_discards};

/// The arguments of `ssdlab trace generate` that describe a workload.
#[derive(Clone, Debug, clap::Args)]
pub struct Description {
    #[command(subcommand)]
    kind: Kind,
    /// Number of requests
    #[arg(long, global = true, value_name = "N", default_value = "100000", value_parser = count)]
    requests: u64,
    /// Size of the address space that the requests cover
    #[arg(long, global = true, value_name = "SIZE", default_value = "1GiB", value_parser = size)]
    capacity: u64,
    /// Size of a unit: one request, or one block of the file system
    #[arg(long, global = true, value_name = "SIZE", default_value = "4KiB", value_parser = unit)]
    unit: u64,
    /// Sizes of the requests with their shares, such as 4KiB:0.7,64KiB:0.3, or one size for all; multiples of the unit,
    /// which is the size without this option
    #[arg(long, global = true, value_name = "SIZES", value_parser = Mix::parse)]
    sizes: Option<Mix>,
    /// Write every unit once, in order, before the workload; these writes count as requests
    #[arg(long, global = true)]
    prefill: bool,
    /// The same seed gives the same trace, on every machine
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Share of the writes that become reads
    #[arg(long, global = true, value_name = "SHARE", default_value = "0", value_parser = share)]
    reads: f64,
    /// Flush after every N accesses; 0: never
    #[arg(long, global = true, value_name = "N", default_value = "0", value_parser = count)]
    flush_every: u64,
    /// Microseconds from one request to the next
    #[arg(
        long,
        global = true,
        value_name = "US",
        default_value_t = 100,
        value_parser = interval,
        conflicts_with = "rate"
    )]
    interval_us: u32,
    /// N requests --interval-us apart, then none for the time GAP, and so on; such as 64/10ms
    #[arg(long, global = true, value_name = "N/GAP", value_parser = bursts)]
    bursts: Option<(u64, u64)>,
    /// Requests a second, such as 20k, instead of --interval-us
    #[arg(long, global = true, value_name = "N", value_parser = rate)]
    rate: Option<f64>,
    /// Requests come at random times, independent of one another, on average at --rate or --interval-us
    #[arg(long, global = true)]
    poisson: bool,
    /// A probe beside the workload: N requests of a unit a second at even distances, at uniform places, of which this share
    /// (without it half) writes. It has stream 1, the workload 0
    #[arg(long, global = true, value_name = "N[:WRITES]", value_parser = probe)]
    probe: Option<Probe>,
}

impl Description {
    /// Parses words such as `zipf --theta 0.9 --capacity 40MiB`.
    ///
    /// # Errors
    /// A message of one line about the first wrong word or value.
    pub fn parse(words: &str) -> Result<Self, String> {
        #[derive(clap::Parser)]
        #[command(no_binary_name = true, disable_help_flag = true)]
        struct Words {
            #[command(flatten)]
            workload: Description,
        }
        if words.trim().is_empty() {
            return Err("no workload; must be like: update --locality 10/90".into());
        }
        let words = Words::try_parse_from(split(words)?).map_err(|error| in_one_line(&error))?;
        Ok(words.workload)
    }

    /// The requests of the workload.
    ///
    /// # Errors
    /// A capacity that the workload cannot use, or times past 2^64 ns; the message names the option.
    pub fn requests(&self) -> Result<impl Iterator<Item = Request> + use<>, String> {
        let units = self.capacity / self.unit;
        let is_filled = self.prefill || matches!(self.kind, Kind::Update { .. });
        let settings = Settings {
            unit: self.unit,
            seed: self.seed,
            fill: if is_filled { units } else { 0 },
            reads: self.reads,
            flush_every: self.flush_every,
            arrivals: self.arrivals()?,
        };
        self.fits_in_time(settings.arrivals)?;
        if self.probe.is_some() && self.kind_has_streams() {
            return Err(
                "--probe: has a stream of its own, cannot be combined with a workload that has streams"
                    .into(),
            );
        }
        if self.prefill && self.requests <= units {
            return Err(format!(
                "--prefill: writes {units} units, --requests, {}, must be more",
                self.requests
            ));
        }
        let space = Space {
            name: "--capacity",
            units,
            unit: self.unit,
            seed: self.seed,
            reads: self.reads,
            is_filled,
            sizes: self.sizes.as_ref(),
            accesses: self.requests.saturating_sub(settings.fill),
        };
        let fill = settings.fill;
        let load = Generator::new(space.workload(&self.kind)?, settings);
        let all: Box<dyn Iterator<Item = Request>> = match self.probe {
            None => Box::new(load),
            Some(probe) => Box::new(Probed::new(
                load,
                probe,
                (units, self.unit),
                fill,
                self.seed,
            )),
        };
        Ok(all.take(self.requests.try_into().unwrap_or(usize::MAX)))
    }

    /// When the requests of the workload come.
    fn arrivals(&self) -> Result<Arrivals, String> {
        let interval_ns = u64::from(self.interval_us) * 1000;
        if let Some((requests, gap_ns)) = self.bursts {
            let refused = [("--rate", self.rate.is_some()), ("--poisson", self.poisson)];
            if let Some((other, _)) = refused.iter().find(|(_, given)| *given) {
                return Err(format!("--bursts: cannot be combined with {other}"));
            }
            if gap_ns < interval_ns {
                return Err(format!(
                    "--bursts: the gap, {gap_ns} ns, must be at least --interval-us, {} us",
                    self.interval_us
                ));
            }
            return Ok(Arrivals::Bursts(Bursts {
                requests,
                interval_ns,
                gap_ns,
            }));
        }
        match (self.poisson, self.rate) {
            (false, None) => Ok(Arrivals::Every(interval_ns)),
            (false, Some(rate)) => Ok(Arrivals::Rate(rate)),
            (true, Some(rate)) => Ok(Arrivals::Poisson(rate)),
            (true, None) if interval_ns > 0 => Ok(Arrivals::Poisson(1e9 / interval_ns as f64)),
            (true, None) => {
                Err("--poisson: with --interval-us 0, all requests come at once".into())
            }
        }
    }

    /// The number of requests.
    pub fn number(&self) -> u64 {
        self.requests
    }

    /// The bytes of a unit.
    pub fn unit(&self) -> u64 {
        self.unit
    }

    /// Whether its writes are uniform and nothing else happens.
    pub fn is_uniform(&self) -> bool {
        matches!(self.kind, Kind::Uniform { discards: 0.0 })
            && self.reads == 0.0
            && self.sizes.is_none()
            && self.probe.is_none()
    }

    /// Whether it writes from the first unit to the last, again and again.
    pub fn is_sequential(&self) -> bool {
        matches!(self.kind, Kind::Sequential) && self.probe.is_none()
    }

    /// Whether each pass writes every unit once.
    pub fn is_pass(&self) -> bool {
        matches!(self.kind, Kind::Pass) && self.probe.is_none()
    }

    /// The same workload over a smaller space of `units` units, which stand for those of its capacity; none if its writes
    /// mean something else there, as the files of Postmark would.
    pub fn scaled_to(&self, units: u64, requests: u64) -> Option<Self> {
        let mut scaled = Self {
            requests,
            capacity: units.checked_mul(self.unit)?,
            ..self.clone()
        };
        if self.sizes.is_some() && !matches!(self.kind, Kind::Sequential) {
            return None;
        }
        match &mut scaled.kind {
            Kind::Uniform { .. } | Kind::Sequential | Kind::Pass => {}
            Kind::Locality { locality } if locality.spread.shuffle_blocks.is_none() => {}
            Kind::Zones { zones } if zones.can_be_scaled() => {}
            Kind::Zipf {
                standing_for,
                spread,
                reshuffle: None,
                ..
            } if spread.shuffle_blocks.is_none() => {
                standing_for.get_or_insert(self.capacity);
            }
            Kind::FioZipf { standing_for, .. } => {
                standing_for.get_or_insert(self.capacity);
            }
            _ => return None,
        }
        Some(scaled)
    }

    /// Whether its requests have streams.
    pub fn has_streams(&self) -> bool {
        self.probe.is_some() || self.kind_has_streams()
    }

    fn kind_has_streams(&self) -> bool {
        matches!(
            self.kind,
            Kind::Mixed { .. } | Kind::Streams { .. } | Kind::Cachelib { .. } | Kind::Lfs(_)
        )
    }

    /// The last request must come before 2^64 ns.
    fn fits_in_time(&self, arrivals: Arrivals) -> Result<(), String> {
        let distance = match self.rate {
            Some(rate) => format!("--rate {rate}"),
            None => format!("--interval-us {}", self.interval_us),
        };
        match arrivals.most_requests() {
            Some(most) if self.requests > most => Err(format!(
                "--requests {}: with {distance}, must be at most {most}: times end at 2^64 ns",
                self.requests
            )),
            _ => Ok(()),
        }
    }
}

/// The requests of a described workload, such as `update --locality 10/90 --capacity 40MiB`, generated one by one.
///
/// # Errors
/// A message of one line about the first wrong word or value.
pub fn requests(words: &str) -> Result<impl Iterator<Item = Request> + use<>, String> {
    Description::parse(words)?.requests()
}

/// The kinds of workload: the name of each, and what it is.
pub fn kinds() -> Vec<(String, String)> {
    let command = <Kind as clap::Subcommand>::augment_subcommands(clap::Command::default());
    let kind = |kind: &clap::Command| {
        let about = kind.get_about().map(ToString::to_string);
        (kind.get_name().to_owned(), about.unwrap_or_default())
    };
    command.get_subcommands().map(kind).collect()
}

/// The words between blanks; those in double or single quotes keep theirs.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("a quote, {quote}, has no end"));
    }
    words.extend(word);
    Ok(words)
}

/// The message of an error in arguments, with the line below if it only announces that.
pub fn in_one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let first = first.trim_start_matches("error: ");
    match lines.next() {
        Some(second) if first.ends_with(':') => format!("{first} {}", second.trim()),
        _ => first.to_owned(),
    }
}
