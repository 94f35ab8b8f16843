//! Workloads from their descriptions.

use ssdlab_host::Request;

use super::kind::{FilesArgs, Kind, LfsArgs, LocalityArgs, SpreadArgs};
use super::sizes::Mix;
use super::stream::{Share, Stream};
use super::values::all;
use super::zones::Zones;
use crate::synthetic::{
    Beta, FioZipf, Lfs, LfsParams, Locality, Mixed, Part, Parts, Pass, Postmark, PostmarkParams,
    Random, Sequential, Sizes, Spread, Strided, Tiobench, Uniform, WithSizes, Workload, Zipf, Zns,
};

/// What a workload needs to know of its surroundings.
#[derive(Clone, Copy)]
pub(super) struct Space<'a> {
    /// What limits it, in messages.
    pub name: &'static str,
    /// The number of units.
    pub units: u64,
    /// Bytes of a unit.
    pub unit: u64,
    pub seed: u64,
    /// The share of the writes that become reads.
    pub reads: f64,
    /// Whether all units are written before.
    pub is_filled: bool,
    /// The sizes of requests; none: one unit.
    pub sizes: Option<&'a Mix>,
    /// The number of accesses.
    pub accesses: u64,
}

type MadeWorkload = Result<Box<dyn Workload>, String>;

impl Space<'_> {
    /// The workload of this kind.
    ///
    /// # Errors
    /// An option that does not fit the space; the message names it.
    pub fn workload(&self, kind: &Kind) -> MadeWorkload {
        self.holds(1, "a workload")?;
        if let (Some(name), Some(_)) = (kind.with_own_sizes(), self.sizes) {
            return Err(format!(
                "--sizes: cannot be combined with {name}, whose requests have sizes of their own"
            ));
        }
        let units = self.units;
        match kind {
            Kind::Uniform { discards } => self.uniform(*discards),
            Kind::Zipf {
                theta,
                spread,
                standing_for,
                reshuffle,
                reshuffled,
            } => {
                let ranks = self.ranks(*standing_for)?;
                let mut zipf = Zipf::standing_for(ranks, units, *theta, self.spread(spread)?);
                if let Some(period) = *reshuffle {
                    zipf = zipf.reshuffled(*reshuffled, period, self.seed);
                }
                self.with_sizes(zipf)
            }
            Kind::FioZipf {
                theta,
                unhashed,
                standing_for,
            } => {
                let spread = if *unhashed {
                    Spread::InOrder
                } else {
                    Spread::Hashed { units }
                };
                let ranks = self.ranks(*standing_for)?;
                self.with_sizes(FioZipf::new(ranks, units, *theta, spread))
            }
            Kind::Beta {
                alpha,
                beta,
                spread,
            } => self.with_sizes(Beta::new(units, *alpha, *beta, self.spread(spread)?)),
            Kind::Pass => {
                self.at_most(Pass::MOST_UNITS, "pass")?;
                Ok(Box::new(Pass::new(units)))
            }
            Kind::Locality { locality } | Kind::Update { locality } => {
                self.with_sizes(self.locality(locality)?)
            }
            Kind::Sequential => Ok(Box::new(Sequential::with_sizes(units, self.sizes()?))),
            Kind::Strided { stride } => Ok(Box::new(Strided::new(units, *stride))),
            Kind::Zones { zones } => self.zones(zones),
            Kind::Zns { active, zone } => self.zns(*active, *zone),
            Kind::Streams { stream } => self.streams(stream),
            Kind::Cachelib {
                small_space,
                small_bytes,
                log_write,
                one_stream,
            } => {
                let small = u16::from(!one_stream);
                self.cachelib([*small_space, *small_bytes], *log_write, small)
            }
            Kind::Mixed { streams, scattered } => {
                self.holds(*streams, "a part for each stream")?;
                Ok(Box::new(Mixed::new(units, *streams, *scattered)))
            }
            Kind::Tiobench { threads, scattered } => {
                self.holds(*threads, "a file for each thread")?;
                Ok(Box::new(Tiobench::new(units, *threads, *scattered)))
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
                Ok(Box::new(postmark(self, params)?))
            }
            Kind::Lfs(args) => Ok(Box::new(lfs(self, args)?)),
        }
    }

    fn sizes(&self) -> Result<Sizes, String> {
        let sizes = self
            .sizes
            .map(|mix| mix.in_units(self.unit, self.units, self.name));
        sizes.unwrap_or(Ok(Sizes::all(1)))
    }

    fn with_sizes(&self, workload: impl Workload + 'static) -> MadeWorkload {
        Ok(match self.sizes {
            Some(_) => Box::new(WithSizes::new(workload, self.units, self.sizes()?)),
            None => Box::new(workload),
        })
    }

    fn uniform(&self, discards: f64) -> MadeWorkload {
        if discards == 0.0 {
            return self.with_sizes(Uniform::new(self.units));
        }
        let refuse = |option: &str, why: &str| {
            Err(format!(
                "--discards: cannot be combined with {option}, {why}"
            ))
        };
        if self.reads > 0.0 {
            return refuse("--reads", "which would turn its writes into reads");
        }
        if self.sizes.is_some() {
            return refuse("--sizes", "its requests are single units");
        }
        if self.is_filled {
            return refuse("--prefill", "it discards what it wrote itself");
        }
        let uniform = Uniform::with_discards(self.units, discards).ok_or_else(|| {
            format!(
                "--discards: {} has {} units of {} bytes, must be at most 2^32",
                self.name, self.units, self.unit
            )
        });
        Ok(Box::new(uniform?))
    }

    fn locality(&self, args: &LocalityArgs) -> Result<Locality, String> {
        self.holds(2, "a hot and a cold part")?;
        let (data, accesses) = args.locality;
        let locality = Locality::new(self.units, data, accesses, self.spread(&args.spread)?);
        locality.nested(args.levels).ok_or_else(|| {
            format!(
                "--levels {}: of the {} units, a single one is left before",
                args.levels, self.units
            )
        })
    }

    fn zones(&self, zones: &Zones) -> MadeWorkload {
        let mut begin = 0.0;
        let all: f64 = zones.0.iter().map(|zone| zone.space).sum();
        let mut parts = Vec::new();
        for (number, zone) in (1..).zip(&zones.0) {
            let end = begin + zone.space / all;
            let (first, units) = self.part(begin, end);
            begin = end;
            let space = Space {
                name: "it",
                units,
                seed: self.seed_of(number),
                ..*self
            };
            let workload = space.workload(&zone.kind);
            parts.push(Part {
                workload: workload.map_err(|why| format!("--zones, zone {number}: {why}"))?,
                first,
                units,
                weight: [zone.frequency; 2],
                stream: 0,
                reads: 0.0,
            });
        }
        Ok(Box::new(Parts::new(parts, self.accesses)))
    }

    fn zns(&self, active: u64, zone: u64) -> MadeWorkload {
        if !zone.is_multiple_of(self.unit) {
            return Err(format!(
                "--zone: has {zone} bytes, must be a multiple of --unit, {} bytes",
                self.unit
            ));
        }
        let zone = zone / self.unit;
        let zones = self.units / zone;
        if zones <= active {
            return Err(format!(
                "--active {active}: {} has {zones} zones, must have more than are active",
                self.name
            ));
        }
        let sizes = Space {
            units: zone,
            ..*self
        }
        .sizes()?;
        Ok(Box::new(Zns::new(self.units, zone, active, sizes)))
    }

    fn streams(&self, streams: &[Stream]) -> MadeWorkload {
        let number = |at: usize| format!("--stream {}", at + 1);
        let by_bytes = |stream: &Stream| matches!(stream.share, Share::Bytes(_));
        let mixed = streams.iter().map(by_bytes);
        if let Some(at) = mixed
            .clone()
            .position(|bytes| bytes != by_bytes(&streams[0]))
        {
            return Err(format!(
                "{}: has {}, the first stream has the other; must be share for all, or bytes for all",
                number(at),
                if by_bytes(&streams[at]) {
                    "bytes"
                } else {
                    "share"
                },
            ));
        }
        for (end, what) in [(0, "the shares"), (1, "the shares at the end")] {
            let shares = streams.iter().map(|stream| stream.share.ends()[end]);
            all(shares, what).map_err(|why| format!("--stream: {why}"))?;
        }
        let mut parts = Vec::new();
        for (at, stream) in streams.iter().enumerate() {
            let part = self.stream(at, stream);
            parts.push(part.map_err(|why| format!("{}: {why}", number(at)))?);
        }
        Ok(Box::new(Parts::new(parts, self.accesses)))
    }

    /// Shares of the space and of the bytes for small objects, the size of a write to the log, and the stream of small
    /// objects.
    fn cachelib(&self, [space, bytes]: [f64; 2], log_write: u64, small: u16) -> MadeWorkload {
        let border = 1.0 - space;
        if self.part(0.0, border).1 == 0 || self.part(border, 1.0).1 == 0 {
            return Err(format!(
                "--small-space: {space} of {} units, must leave one at least to small objects and to the log",
                self.units
            ));
        }
        let log = Mix::one(log_write);
        let fits = log.in_units(self.unit, self.part(0.0, border).1, "the log");
        fits.map_err(|why| why.replacen("--sizes", "--log-write", 1))?;
        let stream = |share, range, number, kind, sizes| Stream {
            share: Share::Bytes([share; 2]),
            range,
            number: Some(number),
            reads: None,
            sizes,
            kind: Box::new(kind),
        };
        let uniform = Kind::Uniform { discards: 0.0 };
        self.streams(&[
            stream(bytes, (border, 1.0), small, uniform, None),
            stream(1.0 - bytes, (0.0, border), 0, Kind::Sequential, Some(log)),
        ])
    }

    fn stream(&self, at: usize, stream: &Stream) -> Result<Part, String> {
        let number = stream.number.or(at.try_into().ok());
        let number = number.ok_or("its number must be at most 65535")?;
        if self.reads > 0.0 && stream.reads.is_some() {
            return Err("reads: cannot be combined with --reads".into());
        }
        let (first, units) = self.part(stream.range.0, stream.range.1);
        let reads = stream.reads.unwrap_or(0.0);
        let space = Space {
            name: "range",
            units,
            seed: self.seed_of(at as u64 + 1),
            reads: self.reads.max(reads),
            sizes: stream.sizes.as_ref().or(self.sizes),
            ..*self
        };
        let workload = space.workload(&stream.kind)?;
        let weight = match (stream.share, stream.kind.with_own_sizes()) {
            (Share::Requests(share), _) => share,
            (Share::Bytes(_), Some(name @ ("postmark" | "lfs" | "cachelib"))) => {
                return Err(format!(
                    "bytes: {name} has requests of many sizes, must have share"
                ));
            }
            (Share::Bytes(share), _) => {
                share.map(|share| share / space.sizes().map_or(1.0, |s| s.mean()))
            }
        };
        Ok(Part {
            workload,
            first,
            units,
            weight,
            stream: number,
            reads,
        })
    }

    /// The first unit between two places, 0 to 1, and the number of units.
    fn part(&self, begin: f64, end: f64) -> (u64, u64) {
        let unit = |place: f64| (place.min(1.0) * self.units as f64).round() as u64;
        (unit(begin), unit(end) - unit(begin))
    }

    /// The seed of what is inside, so that popular units differ.
    fn seed_of(&self, number: u64) -> u64 {
        Random::new(self.seed.wrapping_add(number)).bits()
    }

    fn spread(&self, args: &SpreadArgs) -> Result<Spread, String> {
        match args.shuffle_blocks {
            None if args.shuffle => Ok(Spread::shuffled(self.units, self.seed)),
            None => Ok(Spread::InOrder),
            Some(size) => {
                let block = size / self.unit;
                if !size.is_multiple_of(self.unit) || block > self.units {
                    return Err(format!(
                        "--shuffle-blocks: has {size} bytes, must be a multiple of --unit, {} bytes, and at most {} of it",
                        self.unit, self.units
                    ));
                }
                Ok(Spread::in_blocks(self.units, block, self.seed))
            }
        }
    }

    /// The number of units that the popularity is that of.
    fn ranks(&self, standing_for: Option<u64>) -> Result<u64, String> {
        let ranks = standing_for.map_or(self.units, |size| size / self.unit);
        if ranks >= self.units {
            return Ok(ranks);
        }
        Err(format!(
            "--standing-for: has {ranks} units of {} bytes, {} has more: {}",
            self.unit, self.name, self.units
        ))
    }

    fn holds(&self, least: u64, what: &str) -> Result<(), String> {
        if self.units >= least {
            return Ok(());
        }
        Err(format!(
            "{}: has {} units of {} bytes, {what} needs at least {least}",
            self.name, self.units, self.unit
        ))
    }

    /// The workload has a table of all units.
    fn at_most(&self, most: u64, kind: &str) -> Result<(), String> {
        if self.units <= most {
            return Ok(());
        }
        Err(format!(
            "{}: has {} units of {} bytes, {kind} takes at most 2^{}",
            self.name,
            self.units,
            self.unit,
            most.ilog2()
        ))
    }
}

fn postmark(space: &Space, params: PostmarkParams) -> Result<Postmark, String> {
    if params.most.saturating_mul(space.unit) > Request::MAX_SIZE {
        return Err(format!(
            "--most {most}: makes files of {most} units of {} bytes, must be less than 64 TiB",
            space.unit,
            most = params.most
        ));
    }
    space.at_most(Postmark::MOST_UNITS, "postmark")?;
    let PostmarkParams {
        number, most, fill, ..
    } = params;
    Postmark::new(space.units, params).ok_or_else(|| {
        format!(
            "--files {number}: {} has {} units, which with --fill {fill} do not hold as many files of --most {most} units",
            space.name, space.units
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

fn lfs(space: &Space, lfs: &LfsArgs) -> Result<Lfs, String> {
    let unit = space.unit;
    if space.reads != 0.0 {
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
    space.at_most(Lfs::MOST_UNITS, "lfs")?;
    let least = params.least_units(&files);
    Lfs::new(space.units, params, files).ok_or_else(|| {
        let asked = format!(
            "--files {} of --most {} units at --fill {}",
            lfs.files.files, lfs.files.most, lfs.fill
        );
        match least {
            Some(least) => format!(
                "{}: has {} units of {unit} bytes, {asked} need at least {least} ({} bytes)",
                space.name,
                space.units,
                u128::from(least) * u128::from(unit)
            ),
            None => format!(
                "{asked} need more than 2^{} units, the most that lfs takes",
                Lfs::MOST_UNITS.ilog2()
            ),
        }
    })
}
