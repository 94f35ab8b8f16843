//! `ssdlab trace generate`.

use std::io::{self, Write};
use std::path::PathBuf;

use ssdlab_host::Request;
use ssdlab_trace::plain::HEADER;
use ssdlab_trace::synthetic::{
    Generator, Locality, Mixed, Postmark, PostmarkParams, Sequential, Settings, Spread, Strided,
    Tiobench, Uniform, Workload, Zipf,
};

use crate::failure::Failure;
use crate::output::WholeFile;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    kind: Kind,
    /// Requests
    #[arg(long, global = true, value_name = "N", default_value_t = 100_000)]
    requests: u64,
    /// Bytes that the trace covers
    #[arg(long, global = true, value_name = "SIZE", default_value = "1GiB", value_parser = size)]
    capacity: u64,
    /// Bytes of a request, or of a block of the file system
    #[arg(long, global = true, value_name = "SIZE", default_value = "4KiB", value_parser = size)]
    unit: u64,
    /// The same seed gives the same trace, on every machine
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Share of the writes that are turned into reads
    #[arg(long, global = true, value_name = "SHARE", default_value = "0", value_parser = share)]
    reads: f64,
    /// Flush after so many accesses; 0: never
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    flush_every: u64,
    /// Microseconds from one request to the next
    #[arg(long, global = true, value_name = "US", default_value_t = 100)]
    interval_us: u32,
    /// Write to this file instead of standard output; compressed if its name ends in .zst
    #[arg(long, short, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is asked of the device.
#[derive(clap::Subcommand)]
enum Kind {
    /// Every unit alike
    Uniform,
    /// The unit of rank k with a probability proportional to 1/k^theta
    Zipf {
        /// The exponent: 0 is uniform
        #[arg(long, default_value = "0.99", value_parser = theta)]
        theta: f64,
        /// Popular units lie anywhere, not side by side
        #[arg(long)]
        shuffle: bool,
    },
    /// X % of the accesses go to Y % of the data
    Locality {
        #[command(flatten)]
        locality: LocalityArgs,
    },
    /// The update program of the DEB paper: all data are written once, then updated with locality
    Update {
        #[command(flatten)]
        locality: LocalityArgs,
    },
    /// From the first unit to the last, over and over
    Sequential,
    /// Every n-th unit, then each of those behind them
    Strided {
        /// Units from one request to the next
        #[arg(long, value_name = "UNITS", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
        stride: u64,
    },
    /// Several sequential writers in parts of their own, and random writes between them
    Mixed {
        /// Sequential writers
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=65536))]
        streams: u64,
        /// Share of the writes that go anywhere
        #[arg(long, value_name = "SHARE", default_value = "0.2", value_parser = share)]
        scattered: f64,
    },
    /// Threads with a file each: sequential writes, random writes, sequential reads, random reads
    Tiobench {
        /// Threads
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=65536))]
        threads: u64,
        /// Random accesses of each thread in a random phase
        #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
        scattered: u64,
    },
    /// Many small files: created, deleted, read and appended to
    Postmark(PostmarkArgs),
}

#[derive(clap::Args)]
struct LocalityArgs {
    /// Percent of the data over percent of the accesses that go there
    #[arg(long, value_name = "Y/X", default_value = "20/80", value_parser = percentages)]
    locality: (f64, f64),
    /// Hot units lie anywhere, not side by side
    #[arg(long)]
    shuffle: bool,
}

#[derive(clap::Args)]
struct PostmarkArgs {
    /// Files at the start
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    files: u64,
    /// Transactions before all files are deleted, and created anew
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    transactions: u64,
    /// Units of the smallest file
    #[arg(long, value_name = "UNITS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    least: u64,
    /// Units of the largest file
    #[arg(long, value_name = "UNITS", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    most: u64,
    /// Share of the transactions that read instead of appending
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    read: f64,
    /// Share of the transactions that create a file instead of deleting one
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    create: f64,
    /// Discard what is deleted
    #[arg(long)]
    discards: bool,
}

pub fn generate(args: Args) -> Result<(), Failure> {
    let units = args.capacity / args.unit;
    let generator = generator(&args, units)?;
    let requests = generator.take(args.requests.try_into().unwrap_or(usize::MAX));
    match &args.output {
        None => to_stdout(requests),
        Some(path) => {
            let file = WholeFile::create(path)?;
            let zstd = path.extension().is_some_and(|end| end == "zst");
            let written = match zstd {
                true => compressed(file, requests),
                false => plain(file, requests),
            };
            let file = written.map_err(|error| Failure::writing(path, &error))?;
            file.finish()
        }
    }
}

fn generator(args: &Args, units: u64) -> Result<Generator, Failure> {
    let spread = |shuffle: bool| match shuffle {
        true => Spread::shuffled(units, args.seed),
        false => Spread::InOrder,
    };
    let holds = |least: u64, what: &str| match units >= least {
        true => Ok(()),
        false => Err(Failure::Input(format!(
            "--capacity: has {units} units of {} bytes, {what} needs at least {least}",
            args.unit
        ))),
    };
    let locality = |args: &LocalityArgs| -> Result<Locality, Failure> {
        holds(2, "a hot and a cold part")?;
        let (data, accesses) = args.locality;
        Ok(Locality::new(units, data, accesses, spread(args.shuffle)))
    };
    holds(1, "a workload")?;
    Ok(match &args.kind {
        Kind::Uniform => started(args, Uniform::new(units)),
        Kind::Zipf { theta, shuffle } => started(args, Zipf::new(units, *theta, spread(*shuffle))),
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
        Kind::Postmark(postmark) => started(args, self::postmark(postmark, units)?),
    })
}

fn postmark(args: &PostmarkArgs, units: u64) -> Result<Postmark, Failure> {
    let params = PostmarkParams {
        number: args.files,
        transactions: args.transactions,
        least: args.least.min(args.most),
        most: args.most,
        read: args.read,
        create: args.create,
        discards: args.discards,
    };
    Postmark::new(units, params).ok_or_else(|| {
        Failure::Input(format!(
            "--files {}: --capacity has {units} units, which do not hold twice as many files of --most {} units",
            args.files, args.most
        ))
    })
}

fn started(args: &Args, workload: impl Workload + 'static) -> Generator {
    let settings = Settings {
        unit: args.unit,
        seed: args.seed,
        reads: args.reads,
        flush_every: args.flush_every,
        interval_ns: u64::from(args.interval_us) * 1000,
    };
    Generator::new(workload, settings)
}

fn to_stdout(requests: impl Iterator<Item = Request>) -> Result<(), Failure> {
    let out = io::BufWriter::new(io::stdout().lock());
    let written = plain(out, requests).and_then(|mut out| out.flush());
    written.map_err(|error| Failure::printing(&error))
}

fn compressed(file: WholeFile, requests: impl Iterator<Item = Request>) -> io::Result<WholeFile> {
    let encoder = zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    plain(encoder, requests)?.finish()
}

fn plain<W: Write>(mut out: W, requests: impl Iterator<Item = Request>) -> io::Result<W> {
    writeln!(out, "{HEADER}")?;
    for request in requests {
        let (time, op) = (request.time_ns, request.op().letter());
        writeln!(out, "{time},{op},{},{}", request.offset, request.size())?;
    }
    Ok(out)
}

fn size(text: &str) -> Result<u64, String> {
    let with_unit = || ssdlab_config::parse_size(text).and_then(|bytes| u64::try_from(bytes).ok());
    let bytes = text.parse().ok().or_else(with_unit);
    let bytes = bytes.filter(|&bytes| bytes > 0 && bytes <= 1 << 52);
    bytes.ok_or_else(|| "must be from 1 to 4096TiB, such as 4KiB or 1GiB".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0, 1.0)
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
