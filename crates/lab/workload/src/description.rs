//! Parses descriptions of synthetic workloads, for `ssdlab trace generate` and for the descriptions of papers.
//!
//! The kinds of workload and their options, as words of a command line. The workloads themselves are in `synthetic`; the
//! same words give the same requests on every machine.

use crate::synthetic::{
    Generator, Lfs, LfsParams, Locality, Mixed, Pass, Postmark, PostmarkParams, Sequential,
    Settings, Spread, Strided, Tiobench, Uniform, Workload, Zipf,
};
use clap::Parser;
use ssdlab_host::Request;

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
    #[arg(long, global = true, value_name = "US", default_value_t = 100)]
    interval_us: u32,
}

/// The kinds of workloads.
#[derive(Clone, Debug, clap::Subcommand)]
enum Kind {
    /// Uniform random writes: every unit is equally likely
    Uniform {
        /// Share of the requests that discard a random unit with data; from 0 to below 0.5
        #[arg(long, value_name = "SHARE", default_value = "0", value_parser = share_of_discards)]
        discards: f64,
    },
    /// Zipf: the probability of the unit of rank k is proportional to 1/k^theta
    Zipf {
        /// The exponent: 0 is uniform
        #[arg(long, default_value = "0.99", value_parser = theta)]
        theta: f64,
        /// Spread the popular units at random instead of side by side
        #[arg(long)]
        shuffle: bool,
        /// Size of a larger space that the units stand for: each gets the writes of the units that it stands for
        #[arg(long, value_name = "SIZE", value_parser = size)]
        standing_for: Option<u64>,
    },
    /// Passes of random writes: each pass writes every unit once, as fio does unless norandommap is set
    Pass,
    /// Hot and cold data: X % of the accesses go to Y % of the data
    Locality {
        #[command(flatten)]
        locality: LocalityArgs,
    },
    /// The update program of the DEB paper: writes all data once, then updates them with locality
    Update {
        #[command(flatten)]
        locality: LocalityArgs,
    },
    /// Sequential writes from the first unit to the last, again and again
    Sequential,
    /// Strided writes: every n-th unit, then each unit behind these, and so on
    Strided {
        /// Distance from one request to the next, in units
        #[arg(long, value_name = "UNITS", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
        stride: u64,
    },
    /// Several sequential writers, each in its own part, and random writes between them
    Mixed {
        /// Number of sequential writers, which have the streams 1 to N; random writes have stream 0
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=65535))]
        streams: u64,
        /// Share of the writes that are random
        #[arg(long, value_name = "SHARE", default_value = "0.2", value_parser = share)]
        scattered: f64,
    },
    /// Threads with one file each: sequential writes, random writes, sequential reads, random reads
    Tiobench {
        /// Number of threads
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=65536))]
        threads: u64,
        /// Number of random accesses of each thread in a random phase
        #[arg(long, value_name = "N", default_value = "1000", value_parser = positive_count)]
        scattered: u64,
    },
    /// Postmark: creates, deletes, reads and extends many small files
    Postmark {
        #[command(flatten)]
        files: FilesArgs,
        /// Discard deleted files
        #[arg(long)]
        discards: bool,
        /// Share of the volume that other files hold from the start, in pieces at random places; below 1
        #[arg(long, value_name = "SHARE", default_value = "0", value_parser = share)]
        fill: f64,
        /// Files take the first free units of the volume instead of those behind the last ones taken
        #[arg(long)]
        first_fit: bool,
    },
    /// A host with a log-structured file system under Postmark: writes along the log, reads of files and of the cleaner
    #[command(
        mut_arg("files", |arg| arg.default_value("30000")),
        mut_arg("transactions", |arg| arg.default_value("100k")),
        mut_arg("least", |arg| arg.default_value("3")),
        mut_arg("most", |arg| arg.default_value("4"))
    )]
    Lfs(LfsArgs),
}

#[derive(Clone, Debug, clap::Args)]
struct LocalityArgs {
    /// Y % of the data get X % of the accesses
    #[arg(long, value_name = "Y/X", default_value = "20/80", value_parser = percentages)]
    locality: (f64, f64),
    /// Spread the hot units at random instead of side by side
    #[arg(long)]
    shuffle: bool,
}

#[derive(Clone, Debug, clap::Args)]
struct FilesArgs {
    /// Number of files at the start
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    files: u64,
    /// Number of transactions before all files are deleted and created again
    #[arg(long, value_name = "N", default_value = "20000", value_parser = count)]
    transactions: u64,
    /// Size of the smallest file, in units
    #[arg(long, value_name = "UNITS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    least: u64,
    /// Size of the largest file, in units
    #[arg(long, value_name = "UNITS", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    most: u64,
    /// Share of the transactions that read instead of appending
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    read: f64,
    /// Share of the transactions that create a file instead of deleting one
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    create: f64,
}

#[derive(Clone, Debug, clap::Args)]
struct LfsArgs {
    #[command(flatten)]
    files: FilesArgs,
    /// Size of a segment of the log
    #[arg(long, value_name = "SIZE", default_value = "2MiB", value_parser = size)]
    segment: u64,
    /// Size of the largest write
    #[arg(long, value_name = "SIZE", default_value = "128KiB", value_parser = size)]
    write_size: u64,
    /// Size of the largest read
    #[arg(long, value_name = "SIZE", default_value = "4KiB", value_parser = size)]
    read_size: u64,
    /// Size of the page cache of the host; 0: none
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = size_or_none)]
    cache: u64,
    /// File operations from one round of the cleaner to the next
    #[arg(long, value_name = "N", default_value_t = 230, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    cleaner_interval: u64,
    /// Segments that a round of the cleaner cleans at most; while less than half of --cleaner-below is free, rounds come
    /// five times as often and clean twice as many
    #[arg(long, value_name = "N", default_value_t = 2)]
    cleaner_segments: u64,
    /// The rounds clean only while less than this share of the segments is free; 1: always
    #[arg(long, value_name = "SHARE", default_value = "0.2", value_parser = share)]
    cleaner_below: f64,
    /// File operations for which the rounds leave a segment alone after its last write
    #[arg(long, value_name = "N", default_value = "0", value_parser = count)]
    protection: u64,
    /// Share of the log that files and inodes may fill; above 0
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = share_above_zero)]
    fill: f64,
    /// Discard each segment that the cleaner frees
    #[arg(long)]
    discards: bool,
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
        let words = Words::try_parse_from(words.split_whitespace()).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.trim_start_matches("error: ").to_owned()
        })?;
        Ok(words.workload)
    }

    /// The requests of the workload.
    ///
    /// # Errors
    /// A capacity that the workload cannot use, or times past 2^64 ns; the message names the option.
    pub fn requests(&self) -> Result<impl Iterator<Item = Request> + use<>, String> {
        self.fits_in_time()?;
        let generator = generator(self, self.capacity / self.unit)?;
        Ok(generator.take(self.requests.try_into().unwrap_or(usize::MAX)))
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
        matches!(self.kind, Kind::Uniform { discards: 0.0 }) && self.reads == 0.0
    }

    /// Whether it writes from the first unit to the last, again and again.
    pub fn is_sequential(&self) -> bool {
        matches!(self.kind, Kind::Sequential)
    }

    /// Whether each pass writes every unit once.
    pub fn is_pass(&self) -> bool {
        matches!(self.kind, Kind::Pass)
    }

    /// The same workload over a smaller space of `units` units, which stand for those of its capacity; none if its writes
    /// mean something else there, as the files of Postmark would.
    pub fn scaled_to(&self, units: u64, requests: u64) -> Option<Self> {
        let mut scaled = Self {
            requests,
            capacity: units.checked_mul(self.unit)?,
            ..self.clone()
        };
        match &mut scaled.kind {
            Kind::Uniform { .. } | Kind::Locality { .. } | Kind::Sequential | Kind::Pass => {}
            Kind::Zipf { standing_for, .. } => {
                standing_for.get_or_insert(self.capacity);
            }
            _ => return None,
        }
        Some(scaled)
    }

    /// Whether its requests have streams.
    pub fn has_streams(&self) -> bool {
        matches!(self.kind, Kind::Mixed { .. } | Kind::Lfs(_))
    }

    /// The last request must come before 2^64 ns.
    fn fits_in_time(&self) -> Result<(), String> {
        let Some(intervals) = u64::MAX.checked_div(self.interval_ns()) else {
            return Ok(());
        };
        if self.requests.saturating_sub(1) <= intervals {
            Ok(())
        } else {
            Err(format!(
                "--requests {}: with --interval-us {}, must be at most {}: times end at 2^64 ns",
                self.requests,
                self.interval_us,
                intervals + 1
            ))
        }
    }

    fn interval_ns(&self) -> u64 {
        u64::from(self.interval_us) * 1000
    }
}

/// The requests of a described workload, such as `update --locality 10/90 --capacity 40MiB`, generated one by one.
///
/// # Errors
/// A message of one line about the first wrong word or value.
pub fn requests(words: &str) -> Result<impl Iterator<Item = Request> + use<>, String> {
    Description::parse(words)?.requests()
}

fn generator(args: &Description, units: u64) -> Result<Generator, String> {
    let spread = |shuffle: bool| {
        if shuffle {
            Spread::shuffled(units, args.seed)
        } else {
            Spread::InOrder
        }
    };
    let holds = |least: u64, what: &str| {
        if units >= least {
            Ok(())
        } else {
            Err(format!(
                "--capacity: has {units} units of {} bytes, {what} needs at least {least}",
                args.unit
            ))
        }
    };
    let locality = |args: &LocalityArgs| -> Result<Locality, String> {
        holds(2, "a hot and a cold part")?;
        let (data, accesses) = args.locality;
        Ok(Locality::new(units, data, accesses, spread(args.shuffle)))
    };
    holds(1, "a workload")?;
    Ok(match &args.kind {
        Kind::Uniform { discards } => started(args, uniform(args, units, *discards)?),
        Kind::Zipf {
            theta,
            shuffle,
            standing_for,
        } => {
            let ranks = ranks(args, *standing_for, units)?;
            let spread = spread(*shuffle);
            started(args, Zipf::standing_for(ranks, units, *theta, spread))
        }
        Kind::Pass => started(args, pass(args, units)?),
        Kind::Locality { locality: l } => started(args, locality(l)?),
        Kind::Update { locality: l } => started(args, locality(l)?.with_fill()),
        Kind::Sequential => started(args, Sequential::new(units)),
        Kind::Strided { stride } => started(args, Strided::new(units, *stride)),
        Kind::Mixed { streams, scattered } => {
            holds(*streams, "a part for each stream")?;
            started(args, Mixed::new(units, *streams, *scattered))
        }
        Kind::Tiobench { threads, scattered } => {
            holds(*threads, "a file for each thread")?;
            started(args, Tiobench::new(units, *threads, *scattered))
        }
        Kind::Postmark {
            files,
            discards,
            fill,
            first_fit,
        } => {
            let params = PostmarkParams {
                discards: *discards,
                fill: *fill,
                first_fit: *first_fit,
                ..files.params()?
            };
            started(args, postmark(args, params, units)?)
        }
        Kind::Lfs(lfs) => started(args, self::lfs(args, lfs, units)?),
    })
}

/// The number of units that the popularity is that of.
fn ranks(args: &Description, standing_for: Option<u64>, units: u64) -> Result<u64, String> {
    let ranks = standing_for.map_or(units, |size| size / args.unit);
    if ranks >= units {
        Ok(ranks)
    } else {
        Err(format!(
            "--standing-for: has {ranks} units of {} bytes, --capacity has more: {units}",
            args.unit
        ))
    }
}

fn uniform(args: &Description, units: u64, discards: f64) -> Result<Uniform, String> {
    if discards == 0.0 {
        return Ok(Uniform::new(units));
    }
    if args.reads > 0.0 {
        return Err(
            "--discards: cannot be combined with --reads, which would turn its writes into reads"
                .into(),
        );
    }
    Uniform::with_discards(units, discards).ok_or_else(|| {
        format!(
            "--discards: --capacity has {units} units of {} bytes, must be at most 2^32",
            args.unit
        )
    })
}

fn pass(args: &Description, units: u64) -> Result<Pass, String> {
    at_most(args, units, Pass::MOST_UNITS, "pass")?;
    Ok(Pass::new(units))
}

fn postmark(args: &Description, params: PostmarkParams, units: u64) -> Result<Postmark, String> {
    if params.most.saturating_mul(args.unit) > Request::MAX_SIZE {
        return Err(format!(
            "--most {most}: makes files of {most} units of {} bytes, must be less than 64 TiB",
            args.unit,
            most = params.most
        ));
    }
    at_most(args, units, Postmark::MOST_UNITS, "postmark")?;
    let PostmarkParams {
        number, most, fill, ..
    } = params;
    Postmark::new(units, params).ok_or_else(|| {
        format!(
            "--files {number}: --capacity has {units} units, which with --fill {fill} do not hold as many files of --most {most} units"
        )
    })
}

impl FilesArgs {
    fn params(&self) -> Result<PostmarkParams, String> {
        let (least, most) = (self.least, self.most);
        if least > most {
            return Err(format!("--least {least}: is more than --most, {most}"));
        }
        Ok(PostmarkParams {
            number: self.files,
            transactions: self.transactions,
            least,
            most,
            read: self.read,
            create: self.create,
            discards: false,
            fill: 0.0,
            first_fit: false,
        })
    }
}

fn lfs(args: &Description, lfs: &LfsArgs, units: u64) -> Result<Lfs, String> {
    let unit = args.unit;
    if args.reads != 0.0 {
        return Err(
            "--reads: cannot be combined with lfs, whose log must be written; --read is the share of transactions that read"
                .into(),
        );
    }
    let whole = |name: &str, bytes: u64, least: u64| {
        let count = bytes / unit;
        if bytes.is_multiple_of(unit) && count >= least {
            return Ok(count);
        }
        Err(format!(
            "{name}: has {bytes} bytes, must be a multiple of --unit, {unit} bytes, and at least {least} of it"
        ))
    };
    let segment = whole("--segment", lfs.segment, 2)?;
    if lfs.segment > Request::MAX_SIZE {
        return Err(format!(
            "--segment: has {} bytes, must be less than 64 TiB",
            lfs.segment
        ));
    }
    let write = whole("--write-size", lfs.write_size, 2)?;
    if write > segment {
        return Err(format!(
            "--write-size: has {} bytes, must be at most --segment, {} bytes",
            lfs.write_size, lfs.segment
        ));
    }
    let params = LfsParams {
        segment,
        write,
        read: whole("--read-size", lfs.read_size, 1)?,
        cache: lfs.cache / unit,
        interval: lfs.cleaner_interval,
        per_round: lfs.cleaner_segments,
        below: lfs.cleaner_below,
        protection: lfs.protection,
        fill: lfs.fill,
        discards: lfs.discards,
    };
    let files = PostmarkParams {
        discards: lfs.discards,
        ..lfs.files.params()?
    };
    at_most(args, units, Lfs::MOST_UNITS, "lfs")?;
    let least = params.least_units(&files);
    Lfs::new(units, params, files).ok_or_else(|| {
        let asked = format!(
            "--files {} of --most {} units at --fill {}",
            lfs.files.files, lfs.files.most, lfs.fill
        );
        match least {
            Some(least) => format!(
                "--capacity: has {units} units of {unit} bytes, {asked} need at least {least} ({} bytes)",
                u128::from(least) * u128::from(unit)
            ),
            None => format!(
                "{asked} need more than 2^{} units, the most that lfs takes",
                Lfs::MOST_UNITS.ilog2()
            ),
        }
    })
}

/// The workload has a table of all units.
fn at_most(args: &Description, units: u64, most: u64, kind: &str) -> Result<(), String> {
    if units <= most {
        return Ok(());
    }
    Err(format!(
        "--capacity: has {units} units of {} bytes, {kind} takes at most 2^{}",
        args.unit,
        most.ilog2()
    ))
}

fn started(args: &Description, workload: impl Workload + 'static) -> Generator {
    let settings = Settings {
        unit: args.unit,
        seed: args.seed,
        reads: args.reads,
        flush_every: args.flush_every,
        interval_ns: args.interval_ns(),
    };
    Generator::new(workload, settings)
}

fn size(text: &str) -> Result<u64, String> {
    let bytes = ssdlab_words::parse_bytes(text).filter(|&bytes| bytes > 0 && bytes <= 1 << 52);
    bytes.ok_or_else(|| "must be from 1 to 4096TiB, such as 4KiB, 4K or 1GiB".to_owned())
}

/// A size that may be zero, written `0`.
fn size_or_none(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { size(text) }
}

/// The size of a unit: the largest one fits in a request.
fn unit(text: &str) -> Result<u64, String> {
    let bytes = ssdlab_words::parse_bytes(text).filter(|&bytes| bytes > 0 && bytes <= 1 << 45);
    bytes.ok_or_else(|| "must be from 1 to 32TiB, such as 4KiB, 4K or 1GiB".to_owned())
}

/// A number of requests, such as `500`, `100k` or `2M`: thousands and millions.
fn count(text: &str) -> Result<u64, String> {
    ssdlab_words::parse_count(text)
        .ok_or_else(|| "must be a number such as 500, 100k or 2M (1000s)".to_owned())
}

/// A number of requests, at least 1, such as `500`, `100k` or `2M`: thousands and millions.
///
/// # Errors
/// No such number.
pub fn positive_count(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("must be at least 1".to_owned()),
        count => Ok(count),
    }
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0, 1.0)
}

fn share_above_zero(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "must be a number above 0, at most 1".to_owned())
}

/// A share of discards, below one half: with one half, no unit would keep data.
///
/// # Errors
/// No such number.
pub fn share_of_discards(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..0.5).contains(share));
    share.ok_or_else(|| "must be a number from 0 to below 0.5".to_owned())
}

fn theta(text: &str) -> Result<f64, String> {
    number(text, 0.0, 10.0)
}

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("must be a number from {least} to {most}"))
}

/// Two percentages, as shares.
fn percentages(text: &str) -> Result<(f64, f64), String> {
    let percentage = |text: &str| {
        let percent = text.parse::<f64>().ok()?;
        (percent > 0.0 && percent < 100.0).then_some(percent / 100.0)
    };
    let both = text.split_once('/');
    both.and_then(|(data, accesses)| Some((percentage(data)?, percentage(accesses)?)))
        .ok_or_else(|| "must be two percentages above 0 and below 100, such as 20/80".to_owned())
}
