//! The measurements for the pages: all entries of a registry on every trace of the repository.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use ssdlab_config::Config;
use ssdlab_device::Precondition;
use ssdlab_device::registry::{self, Entry};
use ssdlab_sim::{
    Better, CLAIRVOYANT, CompareOptions, ERASES, Figure, IDEAL, Lab, Row, System, THROUGHPUT,
    Trace, WAF, compare, is_bound,
};
use ssdlab_trace::ReadOptions;
use ssdlab_words::{bytes, size_value};

/// The entries of one registry and how they are measured.
pub struct Family {
    /// The folder of its pages.
    pub folder: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The term for one of its entries.
    pub what: &'static str,
    /// The key that chooses an entry.
    pub key: &'static str,
    pub of: registry::Family,
    /// The entry that the others are compared with.
    pub baseline: &'static str,
    /// The devices on which they are measured.
    pub devices: &'static [Device],
    /// The horizontal axis of the curves.
    pub axis: &'static str,
    /// The values of the axis.
    pub ticks: &'static [&'static str],
    /// The index of the tick that the tables show.
    pub shown: usize,
    /// The number of the replay that counts: the earlier ones bring the device into its steady state.
    pub replay: u32,
    /// The settings of an entry at a tick.
    pub sets: fn(&Entry, &str) -> Vec<String>,
}

/// Settings that all entries share.
pub struct Device {
    /// In words, to follow "on".
    pub words: &'static str,
    pub set: &'static [&'static str],
}

pub const FAMILIES: [Family; 4] = [
    Family {
        folder: "buffers",
        title: "Write buffers",
        what: "write buffer",
        key: "buffer.policy",
        of: registry::Family::Buffer,
        baseline: "lru",
        devices: &[
            Device {
                words: "`bast` with 7 log blocks",
                set: &["ftl.kind=bast"],
            },
            Device {
                words: "`page` with 7 % spare blocks",
                set: &["ftl.kind=page"],
            },
        ],
        axis: "size of the buffer",
        ticks: &["1MiB", "4MiB", "16MiB", "64MiB"],
        shown: 2,
        replay: 3,
        sets: |_, size| vec![format!("buffer.size={size}")],
    },
    Family {
        folder: "ftls",
        title: "Flash translation layers",
        what: "flash translation layer",
        key: "ftl.kind",
        of: registry::Family::Ftl,
        baseline: "bast",
        devices: &[Device {
            words: "a device without a write buffer",
            set: &["buffer.policy=none"],
        }],
        axis: "blocks beyond the 4096 logical ones",
        ticks: &["8", "32", "128", "512"],
        shown: 2,
        replay: 3,
        sets: extra_blocks,
    },
    Family {
        folder: "cleaning",
        title: "Cleaning policies of page mapping",
        what: "cleaning policy of page mapping",
        key: "ftl.cleaning",
        of: registry::Family::Cleaning,
        baseline: "greedy",
        devices: &[Device {
            words: "`page` without a write buffer",
            set: &["ftl.kind=page", "buffer.policy=none"],
        }],
        axis: SPARE,
        ticks: &["32", "128", "512"],
        shown: 1,
        replay: 5,
        sets: |_, blocks| vec![format!("ftl.spare_blocks={blocks}")],
    },
    Family {
        folder: "placements",
        title: "Placements of page mapping",
        what: "placement of page mapping",
        key: "ftl.placement",
        of: registry::Family::Placement,
        baseline: "single",
        devices: &[Device {
            words: "`page` with 4 MiB of battery-backed RAM (placements without a region in RAM use it as an `lru` \
                    write buffer; `future` has no buffer), by the clock of the trace",
            set: &["ftl.kind=page", "clock=trace", "buffer.protected=true"],
        }],
        axis: SPARE,
        ticks: &["32", "128", "512"],
        shown: 1,
        replay: 5,
        sets: |entry, blocks| {
            let buffer = if entry.reads("ftl.ram") || entry.name == FUTURE {
                "buffer.policy=none"
            } else {
                "buffer.policy=lru"
            };
            let mut set = vec![buffer, "buffer.size=4MiB", "ftl.ram=4MiB"];
            // the traces name no streams
            set.extend(entry.reads("ftl.handles").then_some("ftl.handles=1"));
            // two frontiers each
            set.extend(entry.reads("ftl.heads").then_some("ftl.heads=4"));
            let blocks = format!("ftl.spare_blocks={blocks}");
            set.into_iter().map(str::to_owned).chain([blocks]).collect()
        },
    },
];

const SPARE: &str = "spare blocks beyond the 4096 logical ones";

/// The same number of extra blocks for every FTL. Log-block FTLs keep two of them for merges.
fn extra_blocks(entry: &Entry, blocks: &str) -> Vec<String> {
    let reads = |key: &str| entry.reads(key);
    let less = blocks.parse().map_or(0, |blocks: u32| blocks - 2);
    match () {
        () if reads("ftl.log_blocks") => vec![format!("ftl.log_blocks={less}")],
        () if reads("ftl.open_blocks") => vec![format!("ftl.open_blocks={less}")],
        () if reads("ftl.spare_blocks") => vec![format!("ftl.spare_blocks={blocks}")],
        () => Vec::new(),
    }
}

/// The placement that knows the writes to come.
const FUTURE: &str = "future";

/// Whether an entry competes: bounds do not.
pub fn competes(entry: &Entry) -> bool {
    entry.name != IDEAL && entry.name != FUTURE && !is_bound(entry.name)
}

/// The results of one trace: for each entry, one for each tick.
pub type OnTrace = Vec<Vec<Measured>>;

/// The figures that the pages show and order entries by.
pub const SHOWN: [Figure; 3] = [THROUGHPUT, WAF, ERASES];

/// Those of a run.
#[derive(Clone, Copy, Debug)]
pub struct Measured(pub [f64; SHOWN.len()]);

impl Measured {
    fn of(row: &Row) -> Option<Self> {
        let [speed, waf, erases] = SHOWN.map(|figure| row.figure(&figure));
        Some(Self([speed?, waf?, erases?]))
    }

    /// One of them; a larger value is better.
    pub fn good(&self, by: usize) -> f64 {
        match SHOWN[by].better {
            Better::More => self.0[by],
            Better::Less | Better::Neither => 1.0 / self.0[by],
        }
    }
}

impl Family {
    /// All its entries with a page. A buffer that knows the writes to come has none: no drive can have it, and each comparison
    /// shows it.
    pub fn entries(&self) -> &'static [Entry] {
        static WITH_PAGES: LazyLock<[Vec<Entry>; 4]> = LazyLock::new(|| {
            let with_page = |entry: &&Entry| entry.name != CLAIRVOYANT;
            let of = |family| registry::built_in(family).iter().filter(with_page);
            registry::Family::ALL.map(|family| of(family).copied().collect())
        });
        &WITH_PAGES[self.of as usize]
    }

    /// The settings for an entry at a tick of a device, as arguments of `--set`.
    pub fn settings(&self, device: &Device, entry: &Entry, tick: &str) -> Vec<String> {
        let device = device.set.iter().map(|&set| set.to_owned());
        let chosen = format!("{}={}", self.key, entry.name);
        let settings = device.chain([chosen]).chain((self.sets)(entry, tick));
        settings.collect()
    }

    /// The resolved configuration of a device.
    pub fn config(&self, device: &Device) -> Result<Config, Box<dyn Error>> {
        let mut resolver = Lab::new().resolver();
        for set in device.set {
            resolver.set(set)?;
        }
        Ok(resolver.resolve()?)
    }

    /// A configuration in words, with the state before the first replay.
    pub fn in_figures(&self, config: &Config) -> String {
        let (flash, timing) = (&config.flash, &config.timing);
        let us = |ns: u64| ns as f64 / 1000.0;
        let full = match config.precondition {
            Precondition::Empty => "new",
            _ => "full before the first replay",
        };
        format!(
            "{}, blocks of {} pages of {}; a page is read in {} µs, programmed in {} µs and transferred in {} µs, a block \
             erased in {} µs; {full}",
            bytes(flash.capacity),
            flash.pages_per_block,
            bytes(flash.page_size.into()),
            us(timing.read_ns),
            us(timing.program_ns),
            us(timing.transfer_ns),
            us(timing.erase_ns),
        )
    }

    /// All entries at all ticks of one device, which grows for a trace of a larger volume.
    pub fn measure(&self, device: &Device, trace: &Trace) -> Result<OnTrace, Box<dyn Error>> {
        let capacity = larger(self.config(device)?.flash.capacity, trace);
        let system = |entry: &Entry, tick: &str| System {
            name: format!("{} {tick}", entry.name),
            set: [
                self.settings(device, entry, tick),
                capacity.clone().into_iter().collect(),
            ]
            .concat(),
        };
        let lab = Lab::new();
        let mut options = CompareOptions::new(&lab, lab.resolver());
        options.buffers.clear();
        options.sizes.clear();
        options.bounds = false;
        options.replay.loops = self.replay;
        for entry in self.entries() {
            let systems = self.ticks.iter().map(|tick| system(entry, tick));
            options.systems.extend(systems);
        }
        let rows = compare(trace, &options, |_| {})?.rows;
        let value = |name: &str| {
            let row = rows.iter().find(|row| row.label == name);
            row.and_then(Measured::of)
                .ok_or_else(|| format!("{name}: writes nothing on {}", trace.summary.name))
        };
        let of_entry = |entry: &Entry| {
            let ticks = self.ticks.iter();
            ticks.map(|tick| value(&system(entry, tick).name)).collect()
        };
        let measured: Result<_, _> = self.entries().iter().map(of_entry).collect();
        Ok(measured?)
    }
}

/// The setting of a device of this capacity for a trace of a larger volume: as many times the capacity as it needs.
pub fn larger(capacity: u64, trace: &Trace) -> Option<String> {
    let times = trace.summary.end.div_ceil(capacity);
    (times > 1).then(|| format!("flash.capacity={}", size_value(times * capacity)))
}

/// The wanted traces of a folder with their names, sorted by name.
pub fn traces(
    folder: &Path,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<(String, Trace)>, Box<dyn Error>> {
    let mut traces = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.and_then(|name| name.strip_suffix(".csv.zst"));
        if let Some(name) = name.filter(|name| is_wanted(name)) {
            let trace = Trace::load(&path, &ReadOptions::default(), u64::MAX)?;
            traces.push((name.to_owned(), trace));
        }
    }
    traces.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(traces)
}
