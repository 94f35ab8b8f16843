//! The kinds of workloads and their options.

use crate::synthetic::Zns;

use super::stream::Stream;
use super::values::{
    beyond_zero, count, percentages, positive_count, share, share_above_zero, share_of_discards,
    size, size_or_none, theta, theta_of_fio,
};
use super::zones::Zones;

/// The kinds of workloads.
#[derive(Clone, Debug, clap::Subcommand)]
pub(super) enum Kind {
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
        #[command(flatten)]
        spread: SpreadArgs,
        /// Size of a larger space that the units stand for: each gets the writes of the units that it stands for
        #[arg(long, value_name = "SIZE", value_parser = size)]
        standing_for: Option<u64>,
        /// The most popular units change places at random after every N requests
        #[arg(long, value_name = "N", value_parser = positive_count)]
        reshuffle: Option<u64>,
        /// Share of the units that change places
        #[arg(long, value_name = "SHARE", default_value = "0.2", value_parser = share_above_zero, requires = "reshuffle")]
        reshuffled: f64,
    },
    /// Zipf as fio draws it: near a true Zipf, spread by fio's hash, which leaves some units out
    FioZipf {
        /// The exponent, not 1
        #[arg(long, default_value = "1.2", value_parser = theta_of_fio)]
        theta: f64,
        /// Popular units side by side, without the hash
        #[arg(long)]
        unhashed: bool,
        /// Size of a larger space that the units stand for: each gets the writes of the units that it stands for
        #[arg(long, value_name = "SIZE", value_parser = size)]
        standing_for: Option<u64>,
    },
    /// Beta distribution of the addresses: a hump, a slope, or more at both ends
    Beta {
        /// The first shape: below 1, more at the start; above 1, less there
        #[arg(long, value_name = "A", default_value = "2", value_parser = beyond_zero)]
        alpha: f64,
        /// The second shape, for the end
        #[arg(long, value_name = "B", default_value = "5", value_parser = beyond_zero)]
        beta: f64,
        #[command(flatten)]
        spread: SpreadArgs,
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
    /// Zones of different frequency: each with its share of the space, of the accesses, and its own pattern
    Zones {
        /// The zones in their order: sSHARE of the space, fSHARE of the accesses, and the pattern: uniform (if none is
        /// given), seq, pass or zipfTHETA. Such as "s0.9 f0.1 s0.1 f0.9 zipf0.9"
        #[arg(long, value_name = "ZONES", value_parser = Zones::parse)]
        zones: Zones,
    },
    /// Zones as of a zoned device: random among the active ones, sequential in each
    Zns {
        /// Number of active zones; a full one is replaced by a random one
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=Zns::MOST_ACTIVE))]
        active: u64,
        /// Size of a zone
        #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = size)]
        zone: u64,
    },
    /// Several streams, each with its share of the requests, its part of the space and a workload of its own
    Streams {
        /// A stream, once for each: share=SHARE (of the requests) or bytes=SHARE, range=A..B of the space (0 to 1),
        /// kind=KIND and the options of that kind, reads=SHARE, sizes=SIZES, stream=NUMBER (0, 1, … in order).
        /// Such as share=0.3,range=0..0.5,kind=zipf,theta=0.9,shuffle
        #[arg(long, value_name = "STREAM", required = true, value_parser = Stream::parse)]
        stream: Vec<Stream>,
    },
    /// CacheLib: small objects at random at the end of the space, in units, and a log of large objects before them
    Cachelib {
        /// Share of the space that small objects have; above 0, below 1
        #[arg(long, value_name = "SHARE", default_value = "0.04", value_parser = share_above_zero)]
        small_space: f64,
        /// Share of the bytes that are written for small objects
        #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
        small_bytes: f64,
        /// Size of a write to the log
        #[arg(long, value_name = "SIZE", default_value = "64KiB", value_parser = size)]
        log_write: u64,
        /// Small objects have stream 0, as the log, instead of stream 1
        #[arg(long)]
        one_stream: bool,
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

/// Where popular units are.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct SpreadArgs {
    /// Spread the popular units at random instead of side by side
    #[arg(long)]
    pub shuffle: bool,
    /// The same in blocks of this size, inside which units stay side by side
    #[arg(long, value_name = "SIZE", value_parser = size, conflicts_with = "shuffle")]
    pub shuffle_blocks: Option<u64>,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct LocalityArgs {
    /// Y % of the data get X % of the accesses
    #[arg(long, value_name = "Y/X", default_value = "20/80", value_parser = percentages)]
    pub locality: (f64, f64),
    /// The hot part is divided in the same way, and its hot part again, N times in all
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub levels: u32,
    #[command(flatten)]
    pub spread: SpreadArgs,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct FilesArgs {
    /// Number of files at the start
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub files: u64,
    /// Number of transactions before all files are deleted and created again
    #[arg(long, value_name = "N", default_value = "20000", value_parser = count)]
    pub transactions: u64,
    /// Size of the smallest file, in units
    #[arg(long, value_name = "UNITS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub least: u64,
    /// Size of the largest file, in units
    #[arg(long, value_name = "UNITS", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub most: u64,
    /// Share of the transactions that read instead of appending
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    pub read: f64,
    /// Share of the transactions that create a file instead of deleting one
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    pub create: f64,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct LfsArgs {
    #[command(flatten)]
    pub files: FilesArgs,
    /// Size of a segment of the log
    #[arg(long, value_name = "SIZE", default_value = "2MiB", value_parser = size)]
    pub segment: u64,
    /// Size of the largest write
    #[arg(long, value_name = "SIZE", default_value = "128KiB", value_parser = size)]
    pub write_size: u64,
    /// Size of the largest read
    #[arg(long, value_name = "SIZE", default_value = "4KiB", value_parser = size)]
    pub read_size: u64,
    /// Size of the page cache of the host; 0: none
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = size_or_none)]
    pub cache: u64,
    /// File operations from one round of the cleaner to the next
    #[arg(long, value_name = "N", default_value_t = 230, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub cleaner_interval: u64,
    /// Segments that a round of the cleaner cleans at most; while less than half of --cleaner-below is free, rounds come
    /// five times as often and clean twice as many
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub cleaner_segments: u64,
    /// The rounds clean only while less than this share of the segments is free; 1: always
    #[arg(long, value_name = "SHARE", default_value = "0.2", value_parser = share)]
    pub cleaner_below: f64,
    /// File operations for which the rounds leave a segment alone after its last write
    #[arg(long, value_name = "N", default_value = "0", value_parser = count)]
    pub protection: u64,
    /// Share of the log that files and inodes may fill; above 0
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = share_above_zero)]
    pub fill: f64,
    /// Discard each segment that the cleaner frees
    #[arg(long)]
    pub discards: bool,
}

impl Kind {
    /// Its name on the command line, if its requests have sizes of their own.
    pub fn with_own_sizes(&self) -> Option<&'static str> {
        match self {
            Kind::Pass => Some("pass"),
            Kind::Strided { .. } => Some("strided"),
            Kind::Cachelib { .. } => Some("cachelib"),
            Kind::Mixed { .. } => Some("mixed"),
            Kind::Tiobench { .. } => Some("tiobench"),
            Kind::Postmark { .. } => Some("postmark"),
            Kind::Lfs(_) => Some("lfs"),
            _ => None,
        }
    }
}
