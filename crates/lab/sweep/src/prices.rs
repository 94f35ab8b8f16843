//! What the terms of a run cost, in nanoseconds of CPU time: written by
//! `cargo run --release -p ssdlab-sweep --example run_costs -- --fit`.

/// Of FTLs, in the order of [`Terms::ftl`](crate::Terms::ftl).
#[rustfmt::skip]
pub const FTLS: [(&str, [f64; 8]); 7] = [
    ("ideal", [19.0, 0.054, 0.0, 0.0, 27.0, 0.0, 4.2, 2.1]),
    ("block", [62.0, 0.25, 1.6, 0.2, 28.0, 5.5, 0.59, 4.6]),
    ("replacement", [46.0, 14.0, 5.4, 0.6, 22.0, 3.7, 7.1, 0.28]),
    ("bast", [31.0, 0.064, 87.0, 0.023, 30.0, 1.8, 1.3, 4.0]),
    ("fast", [28.0, 3.6, 68.0, 0.12, 37.0, 3.1, 0.74, 3.4]),
    ("superblock", [44.0, 5.6, 21.0, 0.2, 46.0, 0.059, 15.0, 0.12]),
    ("page", [37.0, 14.0, 2.1, 0.062, 37.0, 0.76, 15.0, 1.1]),
];

/// Of write buffers, in the order of [`Terms::buffer`](crate::Terms::buffer).
#[rustfmt::skip]
pub const BUFFERS: [(&str, [f64; 2]); 17] = [
    ("none", [0.097, 1.9]),
    ("fifo", [7.5, 24.0]),
    ("lru", [3.0, 57.0]),
    ("cflru", [37.0, 35.0]),
    ("sof", [21.0, 28.0]),
    ("zone", [21.0, 39.0]),
    ("fab", [12.0, 3.5]),
    ("blru", [0.13, 27.0]),
    ("bplru", [0.07, 2.0]),
    ("plru-br", [10.0, 41.0]),
    ("plru-br-2q", [17.0, 170.0]),
    ("three-region", [3.7, 20.0]),
    ("lb-clock", [1.6, 25.0]),
    ("req-block", [26.0, 95.0]),
    ("cbb", [0.12, 98.0]),
    ("clairvoyant", [4.2, 150.0]),
    ("unbounded", [9.8, 21.0]),
];

/// Of every run, in the order of [`Terms::run`](crate::Terms::run).
pub const RUN: [f64; 5] = [1400.0, 2.2, 6.4, 46.0, 8.1];

/// Of a request that is read from a file of this format, compressed with zstd but Parquet. Plain and Parquet are measured,
/// others in proportion to the formats in `docs/performance.md`; a format that is not there costs as much as one that is read
/// in the same way.
pub const DECODE: [(&str, f64); 24] = [
    ("plain", 60.0),
    ("msr", 85.0),
    ("alibaba", 75.0),
    ("tencent", 75.0),
    ("spc", 75.0),
    ("blkparse", 250.0),
    ("fiu", 240.0),
    ("csv", 200.0),
    ("vscsi", 45.0),
    ("lcs", 45.0),
    ("blktrace", 150.0),
    ("parquet", 60.0),
    // records of a fixed size
    ("oracle-general", 45.0),
    ("dm-log-writes", 45.0),
    // lines of a layout, or with units that the user gives
    ("systor17", 200.0),
    ("disksim", 200.0),
    ("microsoft", 240.0),
    ("mqsim", 200.0),
    ("diskmon", 200.0),
    ("thesios", 240.0),
    ("baleen", 200.0),
    ("midas", 200.0),
    ("camelab", 200.0),
    ("fio", 200.0),
];

/// Of a request of a workload, which is of no format.
pub const GENERATED: f64 = 100.0;
