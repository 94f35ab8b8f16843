//! The runs: every competitor on every workload, FTL and size, flushes honoured or not, in two replays.

use std::error::Error;
use std::path::Path;

use ssdlab_config::Resolver;
use ssdlab_sim::{CompareOptions, System, Trace, compare};

use crate::policies::traces;

/// An FTL as it is measured.
pub struct Ftl {
    pub name: &'static str,
    set: &'static [&'static str],
    /// Whether it cleans instead of merging.
    pub is_page_mapped: bool,
}

pub const FTLS: [Ftl; 5] = [
    Ftl {
        name: "bast, 7 logs",
        set: &["ftl.kind=bast", "ftl.log_blocks=7"],
        is_page_mapped: false,
    },
    Ftl {
        name: "bast, 64 logs",
        set: &["ftl.kind=bast", "ftl.log_blocks=64"],
        is_page_mapped: false,
    },
    Ftl {
        name: "fast, 512 logs",
        set: &["ftl.kind=fast", "ftl.log_blocks=512"],
        is_page_mapped: false,
    },
    Ftl {
        name: "superblock",
        set: &["ftl.kind=superblock"],
        is_page_mapped: false,
    },
    Ftl {
        name: "page, 7 % spare",
        set: &["ftl.kind=page", "ftl.over_provisioning=0.07"],
        is_page_mapped: true,
    },
];

pub const SIZES: [&str; 4] = ["1MiB", "4MiB", "16MiB", "64MiB"];

/// The policies of the papers.
pub const NINE: [&str; 9] = [
    "none",
    "lru",
    "cflru",
    "fab",
    "blru",
    "bplru",
    "plru-br",
    "plru-br-2q",
    "three-region",
];

/// The place of `cbb` among the runs of a cell, behind the nine.
pub const OWN: usize = NINE.len();

/// The place of one of the nine.
pub fn place(name: &str) -> usize {
    let place = NINE.iter().position(|&policy| policy == name);
    place.expect("one of the nine")
}

/// `cbb` with one thing changed: in words, and its setting.
pub const VARIANTS: [(&str, &str); 7] = [
    ("the root of the age", "buffer.age=root"),
    ("the age itself", "buffer.age=linear"),
    ("no age", "buffer.age=none"),
    ("complete blocks as all others", "buffer.complete=equal"),
    (
        "complete blocks first: compensation",
        "buffer.complete=first",
    ),
    ("never padded", "buffer.padding=false"),
    ("always padded: no feedback", "buffer.feedback=false"),
];

/// The competitors that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Competitors {
    /// The nine, `cbb` and its variants.
    All,
    /// The nine and `cbb`.
    WithoutVariants,
}

/// A trace and its name.
pub struct Workload {
    name: String,
    trace: Trace,
    /// Whether it has flush commands.
    flushes: bool,
}

/// Generated workloads: their names, and the arguments of `ssdlab trace generate`.
pub const GENERATED: [(&str, &str); 6] = [
    ("uniform", "uniform --capacity 1GiB --requests 200000"),
    (
        "zipf 0.9",
        "zipf --theta 0.9 --capacity 1GiB --requests 200000",
    ),
    (
        "zipf 1.2",
        "zipf --theta 1.2 --capacity 1GiB --requests 200000",
    ),
    (
        "mixed",
        "mixed --streams 4 --scattered 0.2 --capacity 1GiB --requests 200000",
    ),
    ("postmark", "postmark --capacity 1GiB --requests 200000"),
    (
        "tiobench",
        "tiobench --threads 8 --scattered 4000 --capacity 960MiB --requests 200000",
    ),
];

impl Workload {
    /// The wanted traces of the repository.
    pub fn shipped(
        root: &Path,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Self>, Box<dyn Error>> {
        let traces = traces(&root.join("traces"), is_wanted)?.into_iter();
        let workload = |(name, trace)| Self {
            name,
            trace,
            flushes: true,
        };
        Ok(traces.map(workload).collect())
    }

    /// The workloads of [`GENERATED`].
    pub fn generated() -> Result<Vec<Self>, Box<dyn Error>> {
        let workload = |(name, words): (&str, &str)| {
            let requests =
                ssdlab_trace::workload::requests(words).map_err(|error| error.to_string())?;
            Ok(Self {
                name: name.into(),
                trace: Trace::made(words, requests.collect()),
                flushes: false,
            })
        };
        GENERATED.into_iter().map(workload).collect()
    }
}

/// A run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub ns: u64,
    pub erases: u64,
}

/// A point: all competitors under equal conditions.
#[derive(Clone, Debug)]
pub struct Cell {
    pub workload: String,
    pub ftl: &'static str,
    pub is_page_mapped: bool,
    /// Whether flushes do nothing, because the buffer keeps its pages without power.
    pub protected: bool,
    /// 1 or 2.
    pub replay: usize,
    pub size: &'static str,
    /// The nine, `cbb`, and its variants if they ran.
    pub runs: Vec<Run>,
}

impl Cell {
    /// What the device does with flushes, in a word.
    pub fn flushes(&self) -> &'static str {
        if self.protected {
            "ignored"
        } else {
            "honoured"
        }
    }

    /// The fastest of the nine, among equals the first.
    pub fn best(&self) -> usize {
        let nine = 0..NINE.len();
        nine.min_by_key(|&at| self.runs[at].ns).expect("nine")
    }

    /// The time of a competitor over that of the best of the nine.
    pub fn ratio(&self, at: usize) -> f64 {
        self.runs[at].ns as f64 / self.runs[self.best()].ns as f64
    }

    /// The erases of a competitor over those of the fastest of the nine, which must have erased.
    pub fn erases(&self, at: usize) -> Option<f64> {
        let best = self.runs[self.best()].erases;
        (best > 0).then(|| self.runs[at].erases as f64 / best as f64)
    }
}

/// All cells of these workloads on these FTLs.
pub fn measure(
    workloads: &[Workload],
    ftls: &[&'static Ftl],
    competitors: Competitors,
) -> Result<Vec<Cell>, Box<dyn Error>> {
    let mut cells = Vec::new();
    for workload in workloads {
        for ftl in ftls {
            for protected in [false, true] {
                if workload.flushes || !protected {
                    cells.extend(on(workload, ftl, protected, competitors)?);
                }
            }
        }
    }
    Ok(cells)
}

/// The names of the competitors, and their settings apart from the size.
fn settings_of(competitors: Competitors) -> Vec<(String, Vec<String>)> {
    let named = |name: &str| (name.to_owned(), vec![format!("buffer.policy={name}")]);
    let mut all: Vec<_> = NINE
        .iter()
        .chain(&["cbb"])
        .map(|name| named(name))
        .collect();
    if competitors == Competitors::All {
        all.extend(VARIANTS.map(|(name, set)| {
            let set = vec!["buffer.policy=cbb".to_owned(), set.to_owned()];
            (name.to_owned(), set)
        }));
    }
    all
}

/// The cells of a workload on one device.
fn on(
    workload: &Workload,
    ftl: &'static Ftl,
    protected: bool,
    competitors: Competitors,
) -> Result<Vec<Cell>, Box<dyn Error>> {
    let mut resolver = Resolver::new();
    resolver.preset("bplru-2008");
    let reads = "buffer.reads=bypass".to_owned();
    for set in ftl.set.iter().map(|&set| set.to_owned()).chain([reads]) {
        resolver.set(&set)?;
    }
    resolver.set(&format!("buffer.protected={protected}"))?;
    let mut options = CompareOptions::new(resolver);
    options.buffers.clear();
    options.sizes.clear();
    options.bounds = false;
    options.record = false;
    options.replay.loops = 2;
    let all = settings_of(competitors);
    for (name, set) in &all {
        for size in SIZES {
            let size_set = format!("buffer.size={size}");
            options.systems.push(System {
                name: format!("{name} {size}"),
                set: set.iter().cloned().chain([size_set]).collect(),
            });
        }
    }
    let rows = compare(&workload.trace, &options, |_| {})?.rows;
    let run = |name: &str, size: &str, replay: usize| {
        let label = format!("{name} {size}");
        let row = rows.iter().find(|row| row.label == label);
        let loops = row.and_then(|row| row.outcome.loops.as_ref());
        let counters = &loops.ok_or_else(|| format!("{label}: no replays"))?[replay - 1].counters;
        Ok(Run {
            ns: counters.elapsed_ns,
            erases: counters.erases,
        })
    };
    let mut cells = Vec::new();
    for replay in [1, 2] {
        for size in SIZES {
            let runs: Result<_, Box<dyn Error>> = all
                .iter()
                .map(|(name, _)| run(name, size, replay))
                .collect();
            cells.push(Cell {
                workload: workload.name.clone(),
                ftl: ftl.name,
                is_page_mapped: ftl.is_page_mapped,
                protected,
                replay,
                size,
                runs: runs?,
            });
        }
    }
    Ok(cells)
}
