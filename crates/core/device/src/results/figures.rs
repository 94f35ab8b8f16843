//! All figures of the built-in systems. A new one is an entry here.

use ssdlab_ftl::Tables;
use ssdlab_timing::Latency;

use super::Results;
use super::figure::{Better, Bound, Figure, Unit};
use crate::Counters;
use crate::cause::Cause;

use Better::{Less, More, Neither};
use Unit::{
    Blocks, Bytes, Count, Cycles, Joules, MbPerS, Ms, Pages, PerDay, Percent, Ram, S, Tb, Times,
    Years,
};

/// Bytes that the host read and wrote for each simulated second.
pub const THROUGHPUT: Figure = Figure::new(
    "throughput",
    ["Throughput", "MB/s", "throughput"],
    MbPerS,
    More,
    |r| r.derived.throughput_mb_s,
)
.in_table()
.always_in_report()
.charted()
.compared()
.bounded_by(Bound::Any)
.set_by_trace()
.said("{}", ["faster", "than"]);

/// Erased blocks.
pub const ERASES: Figure = Figure::new(
    "erases",
    ["Erases", "erases", "erases"],
    Blocks,
    Less,
    |r| Some(r.counters.erases as f64),
)
.in_table()
.always_in_report()
.charted()
.compared()
.bounded_by(Bound::Any)
.by_bytes()
.named_of_lines(["Erases of lines", "line erases", "erases of lines"])
.said("{} {words}", ["fewer", "than"]);

/// Bytes programmed for each byte that the host wrote.
pub const WAF: Figure = Figure::new(
    "waf",
    ["Write amplification", "write amp.", "write amplification"],
    Times,
    Less,
    |r| r.derived.waf,
)
.in_table()
.always_in_report()
.charted()
.compared()
.bounded_by(Bound::Any)
.by_bytes();

/// The share of the programs that went into an SLC cache.
pub const SLC_SHARE: Figure = Figure::new(
    "slc_share",
    [
        "Share of the SLC cache",
        "SLC share",
        "share of the SLC cache",
    ],
    Percent,
    Neither,
    |r| r.derived.slc_share,
);

/// Bytes programmed into flash.
pub const BYTES_TO_FLASH: Figure = Figure::new(
    "bytes_to_flash",
    ["Bytes to flash", "to flash", "bytes to flash"],
    Bytes,
    Less,
    |r| Some(r.endurance.flash_bytes.total() as f64),
)
.by_bytes()
.said("{} to flash", ["fewer", "than"]);

/// The largest error of a percentile, as a share of it: latencies are counted in classes.
const CLASS: f64 = 0.001;

/// The 99th percentile of the latencies of writes.
pub const P99: Figure = Figure::new(
    "p99",
    ["p99 of writes", "p99 write", "p99 of writes"],
    Ms,
    Less,
    |r| ns(write(r)?.p99),
)
.of_clocks()
.known_to(CLASS)
.in_report()
.charted()
.compared()
.bounded_by(Bound::Any)
.said("99 % of the writes take at most {}", ["less", "than with"]);

/// The 99th percentile of the latencies of commits: of the slowest write between two flushes, and of the flush behind it.
pub const P99_COMMIT: Figure = Figure::new(
    "p99_commit",
    ["p99 of commits", "p99 commit", "p99 of commits"],
    Ms,
    Less,
    |r| ns(commit(r)?.p99),
)
.of_clocks()
.known_to(CLASS)
.in_report()
.charted()
.compared()
.bounded_by(Bound::Any)
.said("99 % of the commits take at most {}", ["less", "than with"]);

/// Under timed replay, how long after the time of the last request the device is done with all.
pub const BEHIND: Figure = Figure::new(
    "behind",
    ["Behind the trace", "behind", "time behind the trace"],
    S,
    Less,
    |r| ns(r.derived.behind_ns),
)
.also(&["behind_ns"])
.of_clocks();

/// Terabytes that the host can write until the mean block is worn out.
pub const LIFE: Figure = Figure::new("life", ["Life", "TB until worn", "life"], Tb, More, |r| {
    r.endurance.tb_until_worn.mean
})
.also(&["tbw"])
.charted()
.compared()
.bounded_by(Bound::Any)
.by_bytes()
.said("{} until worn out", ["more", "than"]);

/// Share of the page lookups of writes that hit in the buffer.
pub const WRITE_HIT_RATIO: Figure = Figure::new(
    "write_hit_ratio",
    ["Write hits", "write hits", "write hits"],
    Percent,
    More,
    |r| r.derived.write_hit_ratio,
)
.also(&["write_hits"])
.in_table()
.in_report()
.charted()
.compared()
.bounded_by(Bound::Buffer);

/// The shares of the time in which chips, channels (both on average) and the bus worked.
pub const BUSY: [Figure; 3] = [
    busy(
        "chips_busy",
        ["Chips busy", "chips busy", "use of the chips"],
        |r| mean_of(&r.utilisation?.chips),
    ),
    busy(
        "channels_busy",
        ["Channels busy", "channels busy", "use of the channels"],
        |r| mean_of(&r.utilisation?.channels),
    ),
    busy(
        "bus_busy",
        ["Bus busy", "bus busy", "use of the bus"],
        |r| r.utilisation?.bus,
    ),
];

/// The RAM that a controller needs for the systems.
pub const DEVICE_RAM: Figure = ram(
    "device_ram",
    ["RAM of the device", "device RAM", "RAM of the device"],
    |r| bytes_of(r.controller.ram_bytes.total()),
);

/// The RAM for the pages of buffers and regions.
pub const RAM_DATA: Figure = ram(
    "ram_data",
    [
        "RAM for buffered pages",
        "buffered pages",
        "RAM for buffered pages",
    ],
    |r| bytes_of(r.controller.ram_bytes.data),
);

/// The most pages programmed for each page that the host wrote through a reclaim unit handle.
pub const WORST_HANDLE: Figure = Figure::new(
    "worst_handle",
    [
        "Write amplification of the worst handle",
        "worst handle",
        "write amplification of the worst handle",
    ],
    Times,
    Less,
    |r| r.placed?.worst_handle(),
)
.in_report()
.compared()
.by_bytes();

/// All figures, in the order of the tables.
pub const FIGURES: &[Figure] = &[
    THROUGHPUT,
    ERASES,
    WAF,
    WORST_HANDLE,
    P99,
    P99_COMMIT,
    LIFE,
    Figure::new(
        "switch_merges",
        ["Switch merges", "switch", "switch merges"],
        Count,
        Neither,
        |r| Some(r.counters.switch_merges as f64),
    )
    .also(&["switch"])
    .in_table()
    .in_report()
    .compared(),
    Figure::new(
        "partial_merges",
        ["Partial merges", "partial", "partial merges"],
        Count,
        Less,
        |r| Some(r.counters.partial_merges as f64),
    )
    .also(&["partial"])
    .in_table()
    .in_report()
    .compared(),
    Figure::new(
        "full_merges",
        ["Full merges", "full", "full merges"],
        Count,
        Less,
        |r| Some(r.counters.full_merges as f64),
    )
    .also(&["full"])
    .in_table()
    .in_report()
    .compared(),
    WRITE_HIT_RATIO,
    Figure::new(
        "elapsed",
        ["Simulated time", "time", "time"],
        S,
        Less,
        |r| Some(r.counters.elapsed_ns as f64),
    )
    .also(&["time"])
    .set_by_trace()
    .in_table()
    .always_in_report()
    .bounded_by(Bound::Any),
    Figure::new(
        "gc_victims",
        ["Cleaned", "cleaned", "blocks cleaned"],
        Blocks,
        Less,
        |r| Some(r.counters.gc_victims as f64),
    )
    .named_of_lines(["Cleaned", "cleaned", "lines cleaned"])
    .in_report()
    .by_bytes(),
    Figure::new(
        "copied",
        ["Copied", "copies", "pages copied"],
        Pages,
        Less,
        |r| Some(r.counters.flash_copies as f64 + r.counters.copy_backs as f64),
    )
    .in_report()
    .by_bytes(),
    Figure::new(
        "padding_reads",
        ["Padding reads", "padding reads", "padding reads"],
        Pages,
        Less,
        |r| Some(r.counters.padding_reads as f64),
    )
    .in_report(),
    Figure::new(
        "flash_programs",
        ["Pages programmed", "programs", "pages programmed"],
        Pages,
        Less,
        |r| Some(r.counters.flash_programs as f64),
    )
    .also(&["programs"])
    .by_bytes(),
    Figure::new(
        "flash_reads",
        ["Pages read", "flash reads", "pages read"],
        Pages,
        Less,
        |r| Some(r.counters.flash_reads as f64),
    ),
    Figure::new(
        "p99_9",
        ["p99.9 of writes", "p99.9 write", "p99.9 of writes"],
        Ms,
        Less,
        |r| ns(write(r)?.p99_9),
    )
    .of_clocks()
    .known_to(CLASS),
    Figure::new(
        "p50",
        ["Median of writes", "median write", "median of writes"],
        Ms,
        Less,
        |r| ns(write(r)?.p50),
    )
    .of_clocks()
    .known_to(CLASS),
    Figure::new(
        "p99_99",
        ["p99.99 of writes", "p99.99 write", "p99.99 of writes"],
        Ms,
        Less,
        |r| ns(write(r)?.p99_99),
    )
    .of_clocks()
    .known_to(CLASS),
    Figure::new(
        "max",
        ["Longest write", "longest write", "longest write"],
        Ms,
        Less,
        |r| ns(write(r)?.max),
    )
    .of_clocks(),
    Figure::new(
        "mean",
        ["Mean write", "mean write", "mean latency of writes"],
        Ms,
        Less,
        |r| write(r)?.mean,
    )
    .of_clocks(),
    Figure::new(
        "p99_read",
        ["p99 of reads", "p99 read", "p99 of reads"],
        Ms,
        Less,
        |r| ns(read(r)?.p99),
    )
    .of_clocks()
    .known_to(CLASS),
    Figure::new(
        "mean_read",
        ["Mean read", "mean read", "mean latency of reads"],
        Ms,
        Less,
        |r| read(r)?.mean,
    )
    .of_clocks(),
    Figure::new(
        "p99_flush",
        ["p99 of flushes", "p99 flush", "p99 of flushes"],
        Ms,
        Less,
        |r| ns(flush(r)?.p99),
    )
    .of_clocks()
    .known_to(CLASS),
    Figure::new(
        "mean_flush",
        ["Mean flush", "mean flush", "mean latency of flushes"],
        Ms,
        Less,
        |r| flush(r)?.mean,
    )
    .of_clocks(),
    Figure::new(
        "mean_commit",
        ["Mean commit", "mean commit", "mean latency of commits"],
        Ms,
        Less,
        |r| commit(r)?.mean,
    )
    .of_clocks(),
    BEHIND,
    wear(
        "tbw_worst",
        [
            "Life of the worst block",
            "TB, worst block",
            "life of the worst block",
        ],
        Tb,
        More,
        |r| r.endurance.tb_until_worn.worst,
    )
    .named_of_lines([
        "Life of the worst line",
        "TB, worst line",
        "life of the worst line",
    ]),
    wear("years", ["Years", "years", "years"], Years, More, |r| {
        r.endurance.years.mean
    }),
    wear(
        "years_worst",
        [
            "Years of the worst block",
            "years, worst block",
            "years of the worst block",
        ],
        Years,
        More,
        |r| r.endurance.years.worst,
    )
    .named_of_lines([
        "Years of the worst line",
        "years, worst line",
        "years of the worst line",
    ]),
    wear(
        "dwpd",
        [
            "Drive writes per day",
            "drive writes/day",
            "drive writes per day",
        ],
        PerDay,
        More,
        |r| r.endurance.drive_writes_per_day.mean,
    ),
    wear(
        "dwpd_worst",
        [
            "Drive writes per day, worst block",
            "drive writes/day, worst block",
            "drive writes per day of the worst block",
        ],
        PerDay,
        More,
        |r| r.endurance.drive_writes_per_day.worst,
    )
    .named_of_lines([
        "Drive writes per day, worst line",
        "drive writes/day, worst line",
        "drive writes per day of the worst line",
    ]),
    wear(
        "cycles",
        ["P/E cycles used", "P/E cycles used", "P/E cycles used"],
        Cycles,
        Less,
        |r| r.endurance.cycles_used.mean,
    ),
    wear(
        "cycles_worst",
        [
            "P/E cycles of the worst block",
            "P/E cycles, worst block",
            "P/E cycles of the worst block",
        ],
        Cycles,
        Less,
        |r| r.endurance.cycles_used.worst,
    )
    .named_of_lines([
        "P/E cycles of the worst line",
        "P/E cycles, worst line",
        "P/E cycles of the worst line",
    ]),
    BYTES_TO_FLASH,
    bytes(
        "bytes_host",
        ["Host data to flash", "host data", "host data"],
        |r| programmed(r, Cause::Host),
    ),
    bytes("bytes_padding", ["Padding", "padding", "padding"], |r| {
        programmed(r, Cause::Padding)
    }),
    bytes(
        "bytes_rmw",
        [
            "Read-modify-write",
            "read-modify-write",
            "read-modify-write",
        ],
        |r| programmed(r, Cause::ReadModifyWrite),
    ),
    bytes(
        "bytes_merge",
        ["Moved by merges", "merges", "bytes of merges"],
        |r| programmed(r, Cause::Merge),
    ),
    bytes(
        "bytes_cleaning",
        ["Moved by cleaning", "cleaning", "bytes of cleaning"],
        |r| programmed(r, Cause::Cleaning),
    ),
    bytes(
        "bytes_folding",
        ["Folded from SLC mode", "folding", "bytes of folding"],
        |r| programmed(r, Cause::Folding),
    )
    .also(&["folding"]),
    SLC_SHARE,
    Figure::new(
        "waf_settled",
        [
            "Write amplification with all folded",
            "WAF settled",
            "write amplification with all folded",
        ],
        Times,
        Less,
        |r| r.derived.waf_settled,
    ),
    Figure::new(
        "room",
        ["Room in the SLC cache", "SLC room", "room in the SLC cache"],
        Pages,
        More,
        |r| r.derived.slc_share.map(|_| r.counters.room_pages as f64),
    ),
    wear(
        "life_native",
        [
            "Life of native blocks",
            "TB, native",
            "life of native blocks",
        ],
        Tb,
        More,
        |r| r.endurance.slc.as_ref()?.native_tb_until_worn.mean,
    ),
    wear(
        "life_slc",
        [
            "Life of fixed SLC blocks",
            "TB, fixed SLC",
            "life of fixed SLC blocks",
        ],
        Tb,
        More,
        |r| r.endurance.slc.as_ref()?.slc_tb_until_worn.mean,
    ),
    wear(
        "life_least",
        [
            "Life if SLC use wears fully",
            "TB, SLC wear 1",
            "life if SLC use wears fully",
        ],
        Tb,
        More,
        |r| r.endurance.slc.as_ref()?.tb_until_worn_bounds[0],
    ),
    wear(
        "life_most",
        [
            "Life if SLC use wears least",
            "TB, least SLC wear",
            "life if SLC use wears least",
        ],
        Tb,
        More,
        |r| r.endurance.slc.as_ref()?.tb_until_worn_bounds[1],
    ),
    Figure::new(
        "table_programs",
        [
            "Table pages programmed",
            "table programs",
            "pages of tables programmed",
        ],
        Pages,
        Less,
        |r| Some(r.counters.table_programs as f64),
    )
    .by_bytes(),
    Figure::new(
        "map_hits",
        [
            "Hits in the cache of the map",
            "map hits",
            "hits in the cache of the map",
        ],
        Percent,
        More,
        |r| r.counters.map_hit_ratio(),
    ),
    Figure::new(
        "waf_pages",
        [
            "Write amplification in pages",
            "write amp. (pages)",
            "write amplification in pages",
        ],
        Times,
        Less,
        |r| r.derived.waf_pages,
    )
    .by_bytes(),
    Figure::new(
        "read_hit_ratio",
        ["Read hits", "read hits", "read hits"],
        Percent,
        More,
        |r| r.derived.read_hit_ratio,
    )
    .also(&["read_hits"])
    .compared(),
    Figure::new(
        "merge_programs",
        [
            "Merged from the buffer",
            "from the buffer",
            "pages merged from the buffer",
        ],
        Pages,
        Neither,
        |r| Some(r.counters.merge_programs as f64),
    ),
    Figure::new(
        "from_buffer",
        [
            "Merged from the buffer",
            "from the buffer",
            "pages merged from the buffer",
        ],
        Percent,
        More,
        |r| {
            let c = r.counters;
            let moved = [c.merge_programs, c.flash_copies, c.copy_backs].map(|n| n as f64);
            let all: f64 = moved.iter().sum();
            (all > 0.0).then(|| moved[0] / all)
        },
    )
    .also(&["from_the_buffer"]),
    Figure::new(
        "evictions",
        ["Evictions", "evictions", "evictions"],
        Count,
        Less,
        |r| Some(r.counters.evictions as f64),
    ),
    Figure::new(
        "clean_evictions",
        [
            "Clean pages evicted",
            "clean evictions",
            "clean pages evicted",
        ],
        Pages,
        Neither,
        |r| Some(r.counters.evicted_clean_pages as f64),
    ),
    Figure::new(
        "useless_migrations",
        [
            "Useless migrations",
            "useless moves",
            "pages moved although the buffer held newer ones",
        ],
        Percent,
        Less,
        |r| {
            let c = r.counters;
            share_seen(c, c.useless_migrations, c.flash_copies + c.copy_backs)
        },
    )
    .also(&["useless"]),
    Figure::new(
        "aware_merges",
        [
            "Buffer-aware merges",
            "aware merges",
            "merges that used the buffer",
        ],
        Percent,
        Neither,
        |r| {
            let c = r.counters;
            share_seen(c, c.aware_merges, c.aware_merges + c.unaware_merges)
        },
    ),
    Figure::new(
        "cleaned_pages",
        [
            "Pages cleaned by merges",
            "cleaned pages",
            "dirty pages that merges cleaned",
        ],
        Pages,
        More,
        |r| sees(r.counters).then_some(r.counters.cleaned_pages as f64),
    ),
    Figure::new(
        "cleaned_then_evicted",
        [
            "Cleaned pages evicted",
            "cleaned, evicted",
            "cleaned pages evicted without another update",
        ],
        Pages,
        More,
        |r| sees(r.counters).then_some(r.counters.cleaned_then_evicted as f64),
    ),
    Figure::new(
        "cleaned_then_updated",
        [
            "Cleaned pages updated",
            "cleaned, updated",
            "cleaned pages that were updated again",
        ],
        Percent,
        Less,
        |r| {
            let c = r.counters;
            share_seen(c, c.cleaned_then_updated, c.cleaned_pages)
        },
    ),
    Figure::new(
        "realised_benefit",
        [
            "Benefit realised",
            "benefit realised",
            "benefit realised, of the predicted one",
        ],
        Percent,
        More,
        |r| {
            let c = r.counters;
            share_seen(c, c.realised_benefit_ns, c.predicted_benefit_ns)
        },
    ),
    Figure::new(
        "random_log_programs",
        [
            "Pages to random log blocks",
            "to random log",
            "pages written to random log blocks",
        ],
        Pages,
        Less,
        |r| sees(r.counters).then_some(r.counters.random_log_programs as f64),
    ),
    // erases that no merge explains
    Figure::new(
        "random_log_blocks",
        [
            "Random log blocks",
            "random log blocks",
            "random log blocks reclaimed",
        ],
        Blocks,
        Less,
        |r| {
            let c = r.counters;
            let merges = [c.switch_merges, c.partial_merges, c.full_merges].into_iter();
            Some(merges.fold(c.erases, u64::saturating_sub) as f64)
        },
    ),
    Figure::new(
        "erases_max",
        [
            "Most erases of a block",
            "most erases",
            "most erases of a block",
        ],
        Count,
        Less,
        |r| r.derived.erase_count.max.map(f64::from),
    )
    .named_of_lines([
        "Most erases of a line",
        "most erases",
        "most erases of a line",
    ])
    .by_bytes(),
    Figure::new(
        "erases_stddev",
        [
            "Spread of erases",
            "spread of erases",
            "standard deviation of erases",
        ],
        Cycles,
        Less,
        |r| r.derived.erase_count.stddev,
    )
    .by_bytes(),
    BUSY[0],
    BUSY[1],
    BUSY[2],
    DEVICE_RAM,
    ram(
        "ram_mapping",
        ["RAM of the map", "map", "RAM of the map"],
        |r| of_tables(r, |tables| tables.mapping),
    ),
    ram(
        "ram_map",
        [
            "RAM of the cache of the map",
            "map cache",
            "RAM of the cache of the map",
        ],
        |r| of_tables(r, |tables| tables.map).filter(|bytes| *bytes > 0.0),
    ),
    ram(
        "ram_log_blocks",
        [
            "RAM of log-block tables",
            "log-block tables",
            "RAM of log-block tables",
        ],
        |r| of_tables(r, |tables| tables.log_blocks),
    ),
    ram(
        "ram_cleaning",
        ["RAM for cleaning", "for cleaning", "RAM for cleaning"],
        |r| of_tables(r, |tables| tables.cleaning),
    ),
    ram(
        "ram_updates",
        ["RAM of update times", "update times", "RAM of update times"],
        |r| of_tables(r, |tables| tables.updates),
    ),
    ram(
        "ram_index",
        [
            "RAM of buffer lists and index",
            "buffer index",
            "RAM of buffer lists and index",
        ],
        |r| bytes_of(r.controller.ram_bytes.index),
    ),
    RAM_DATA,
    Figure::new(
        "mount",
        ["Start-up", "start-up", "time to start up"],
        S,
        Less,
        |r| ns(r.controller.mount_ns),
    )
    .also(&["mount_ns"])
    .with_decimals(3),
    Figure::new(
        "dump",
        [
            "Dump at power loss",
            "dump",
            "time to save the buffers when power is lost",
        ],
        S,
        Less,
        |r| ns(r.controller.dump_ns),
    )
    .also(&["dump_ns"])
    .with_decimals(3)
    .of_size(),
    Figure::new(
        "energy",
        ["Energy of the flash", "energy", "energy of the flash"],
        Joules,
        Less,
        |r| r.derived.energy_j.map(|energy| energy.total()),
    )
    .compared(),
    energy(
        "energy_host",
        [
            "Energy for host data",
            "energy, host data",
            "energy for host data",
        ],
        |r| joules(r, Cause::Host),
    ),
    energy(
        "energy_padding",
        [
            "Energy for padding",
            "energy, padding",
            "energy for padding",
        ],
        |r| joules(r, Cause::Padding),
    ),
    energy(
        "energy_merge",
        ["Energy for merges", "energy, merges", "energy for merges"],
        |r| joules(r, Cause::Merge),
    ),
    energy(
        "energy_cleaning",
        [
            "Energy for cleaning",
            "energy, cleaning",
            "energy for cleaning",
        ],
        |r| joules(r, Cause::Cleaning),
    ),
    energy(
        "energy_folding",
        [
            "Energy for folding",
            "energy, folding",
            "energy for folding",
        ],
        |r| joules(r, Cause::Folding),
    ),
    energy(
        "energy_tables",
        [
            "Energy for tables in flash",
            "energy, tables",
            "energy for tables in flash",
        ],
        |r| joules(r, Cause::Tables),
    ),
    energy(
        "energy_ageing",
        [
            "Energy because of age",
            "energy, ageing",
            "energy because of age",
        ],
        |r| joules(r, Cause::Ageing),
    ),
];

/// Whether merges saw the buffer. If there were none, nothing is known of what they would have found there.
fn sees(c: &Counters) -> bool {
    c.aware_merges + c.unaware_merges > 0
}

/// A share, where merges saw the buffer.
fn share_seen(c: &Counters, part: u64, whole: u64) -> Option<f64> {
    (sees(c) && whole > 0).then(|| part as f64 / whole as f64)
}

type Value = fn(&Results) -> Option<f64>;

const fn wear(
    key: &'static str,
    names: [&'static str; 3],
    unit: Unit,
    better: Better,
    value: Value,
) -> Figure {
    Figure::new(key, names, unit, better, value).by_bytes()
}

const fn bytes(key: &'static str, names: [&'static str; 3], value: Value) -> Figure {
    Figure::new(key, names, Bytes, Less, value).by_bytes()
}

const fn energy(key: &'static str, names: [&'static str; 3], value: Value) -> Figure {
    Figure::new(key, names, Joules, Less, value)
}

fn joules(r: &Results, cause: Cause) -> Option<f64> {
    r.derived.energy_j.map(|energy| energy.of(cause))
}

const fn ram(key: &'static str, names: [&'static str; 3], value: Value) -> Figure {
    Figure::new(key, names, Ram, Less, value).of_size()
}

fn of_tables(r: &Results, part: fn(&Tables) -> u64) -> Option<f64> {
    r.controller.ram_bytes.tables.map(|t| part(&t) as f64)
}

fn bytes_of(bytes: Option<u64>) -> Option<f64> {
    bytes.map(|bytes| bytes as f64)
}

const fn busy(key: &'static str, names: [&'static str; 3], value: Value) -> Figure {
    Figure::new(key, names, Percent, Neither, value).of_clocks()
}

fn programmed(r: &Results, cause: Cause) -> Option<f64> {
    Some(r.endurance.flash_bytes[cause] as f64)
}

fn write<'a>(r: &Results<'a>) -> Option<&'a Latency> {
    r.latency_ns.map(|by_op| &by_op.writes)
}

fn read<'a>(r: &Results<'a>) -> Option<&'a Latency> {
    r.latency_ns.map(|by_op| &by_op.reads)
}

fn flush<'a>(r: &Results<'a>) -> Option<&'a Latency> {
    r.latency_ns.map(|by_op| &by_op.flushes)
}

fn commit<'a>(r: &Results<'a>) -> Option<&'a Latency> {
    r.latency_ns.map(|by_op| &by_op.commits)
}

fn ns(time: Option<u64>) -> Option<f64> {
    time.map(|ns| ns as f64)
}

fn mean_of(shares: &[Option<f64>]) -> Option<f64> {
    let sum = shares.iter().copied().sum::<Option<f64>>()?;
    (!shares.is_empty()).then(|| sum / shares.len() as f64)
}
