//! Endurance: what is written to flash and why, and how long the flash lasts.

use serde::Serialize;
use ssdlab_config::Config;
use ssdlab_device::FlashBytes;
use ssdlab_trace::TraceSummary;

use crate::extremes::IDEAL;
use crate::measured::Measured;

/// A terabyte.
const TB: f64 = 1e12;
/// The nanoseconds of a day.
const DAY_NS: f64 = 86_400e9;
/// The days of a year.
const YEAR_DAYS: f64 = 365.25;
/// What lessens merges without log blocks.
const PAGE_MAPPING: &str = "page mapping (ftl.kind page)";
/// The days over which drive writes per day are counted: five years.
const RATED_DAYS: f64 = 1826.0;

/// What a replay wrote to flash, and how long a device lasts that is written like this until it is worn out. A device is
/// worn out when its blocks, or its worst block, have used `flash.pe_cycles` erases.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Endurance {
    /// Bytes programmed into flash, by cause.
    pub flash_bytes: FlashBytes,
    /// Write amplification: these bytes for each byte that the host wrote.
    pub waf: Option<f64>,
    /// The cause of most bytes; `None` if nothing was programmed.
    pub largest_cause: Option<FlashCause>,
    /// What would lessen it.
    pub would_help: Option<&'static str>,
    /// The program/erase cycles that a block endures: `flash.pe_cycles`.
    pub pe_cycles: u64,
    /// The cycles that the replay used of a block; `None` without blocks.
    pub cycles_used: Wear,
    /// Terabytes that the host can write until the blocks are worn out.
    pub tb_until_worn: Wear,
    /// Years until then, at the rate of the trace.
    pub years: Wear,
    /// How often the host could write the whole capacity on each day of five years.
    pub drive_writes_per_day: Wear,
    /// The terabytes that the maker rates: `flash.rated_tbw`.
    pub rated_tbw: Option<f64>,
    /// The share of them that the replay used.
    pub rated_used: Option<f64>,
    /// Years until they are written, at the rate of the trace.
    pub rated_years: Option<f64>,
    /// Why figures are missing; `None` if none is.
    pub missing_because: Option<String>,
}

/// A figure of all blocks together, and of the block that was erased most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Wear {
    /// By the mean of all blocks.
    pub mean: Option<f64>,
    /// By the worst block.
    pub worst: Option<f64>,
}

impl Wear {
    fn each(self, of: impl Fn(f64) -> Option<f64>) -> Self {
        Self {
            mean: self.mean.and_then(&of),
            worst: self.worst.and_then(&of),
        }
    }
}

/// Why bytes were programmed into flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlashCause {
    /// Bytes of the host.
    Host,
    /// Clean pages of padded blocks.
    Padding,
    /// The rest of pages that the host wrote in part.
    ReadModifyWrite,
    /// Pages that merges moved.
    Merge,
    /// Pages that cleaning moved.
    Cleaning,
}

impl FlashCause {
    /// All causes, in the order of the reports.
    pub const ALL: [FlashCause; 5] = [
        FlashCause::Host,
        FlashCause::Padding,
        FlashCause::ReadModifyWrite,
        FlashCause::Merge,
        FlashCause::Cleaning,
    ];

    /// Its key in the JSON of a report.
    pub fn key(self) -> &'static str {
        match self {
            FlashCause::Host => "host",
            FlashCause::Padding => "padding",
            FlashCause::ReadModifyWrite => "read_modify_write",
            FlashCause::Merge => "merge",
            FlashCause::Cleaning => "cleaning",
        }
    }

    /// Its name for readers.
    pub fn name(self) -> &'static str {
        match self {
            FlashCause::Host => "host data",
            FlashCause::Padding => "padding",
            FlashCause::ReadModifyWrite => "read-modify-write",
            FlashCause::Merge => "merges",
            FlashCause::Cleaning => "cleaning",
        }
    }

    /// Its bytes.
    pub fn bytes(self, of: &FlashBytes) -> u64 {
        match self {
            FlashCause::Host => of.host,
            FlashCause::Padding => of.padding,
            FlashCause::ReadModifyWrite => of.read_modify_write,
            FlashCause::Merge => of.merge,
            FlashCause::Cleaning => of.cleaning,
        }
    }

    /// What lessens its bytes.
    pub fn would_help(self) -> &'static str {
        match self {
            FlashCause::Host => {
                "a larger write buffer if the host rewrites the same pages; else only fewer writes"
            }
            FlashCause::Padding => {
                "a buffer without padding (buffer.padding = false or another policy)"
            }
            FlashCause::ReadModifyWrite => {
                "a smaller mapping unit (flash.page_size) or a write buffer that gathers small writes"
            }
            FlashCause::Merge => "more log blocks (ftl.log_blocks) or page mapping (ftl.kind page)",
            FlashCause::Cleaning => {
                "more over-provisioning (ftl.over_provisioning) or a placement that parts hot and cold pages \
                 (ftl.placement)"
            }
        }
    }

    /// The cause of most bytes, of equal ones the first.
    fn largest(of: &FlashBytes) -> Option<Self> {
        let some = Self::ALL.into_iter().filter(|cause| cause.bytes(of) > 0);
        some.rev().max_by_key(|cause| cause.bytes(of))
    }
}

impl Endurance {
    /// The endurance of a replay of this trace.
    pub(crate) fn of(config: &Config, measured: &Measured, trace: &TraceSummary) -> Self {
        let c = &measured.counters;
        let (host_programs, _) = measured.host_programs;
        let padding = c.flash_programs - host_programs;
        let flash_bytes = FlashBytes::of(c, padding, config.facts.cleans, measured.page_size);
        let written = c.host_write_bytes as f64;
        let all: u64 = measured.erases.iter().map(|&n| u64::from(n)).sum();
        let blocks = measured.erases.len() as f64;
        let cycles_used = Wear {
            mean: (blocks > 0.0).then(|| all as f64 / blocks),
            worst: measured.erases.iter().copied().max().map(f64::from),
        };
        let pe_cycles = config.pe_cycles();
        let bytes_until_worn =
            cycles_used.each(|used| positive(written * pe_cycles as f64 / positive(used)?));
        // times start at 0 with the first request
        let days = positive(trace.latest as f64 / DAY_NS);
        let per_year = days.and_then(|days| positive(written / days * YEAR_DAYS));
        let capacity = config.flash.capacity as f64;
        let rated_tbw = config.rated_tbw();
        let rated = rated_tbw.map(|rated| rated * TB);
        let largest_cause = FlashCause::largest(&flash_bytes);
        Self {
            flash_bytes,
            waf: c.waf(measured.page_size),
            largest_cause,
            would_help: largest_cause.map(|cause| match cause {
                FlashCause::Merge if !config.reads("ftl.log_blocks") => PAGE_MAPPING,
                cause => cause.would_help(),
            }),
            pe_cycles,
            cycles_used,
            tb_until_worn: bytes_until_worn.each(|bytes| Some(bytes / TB)),
            years: bytes_until_worn.each(|bytes| Some(bytes / per_year?)),
            drive_writes_per_day: bytes_until_worn
                .each(|bytes| Some(bytes / (positive(capacity)? * RATED_DAYS))),
            rated_tbw,
            rated_used: rated.map(|rated| written / rated),
            rated_years: rated.and_then(|rated| Some(rated / per_year?)),
            missing_because: missing(config.ftl, written, all, days),
        }
    }
}

/// A divisor that is no 0.
fn positive(value: f64) -> Option<f64> {
    (value > 0.0).then_some(value)
}

/// The reasons why figures are missing.
fn missing(ftl: &str, written: f64, erases: u64, days: Option<f64>) -> Option<String> {
    let reasons = [
        (ftl == IDEAL, "the ideal FTL has no blocks to wear out"),
        (ftl != IDEAL && erases == 0, "nothing was erased"),
        (written == 0.0, "the host wrote nothing"),
        (days.is_none(), "the trace has no time span"),
    ];
    let given = reasons.iter().filter(|reason| reason.0);
    let given: Vec<&str> = given.map(|reason| reason.1).collect();
    (!given.is_empty()).then(|| given.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ssdlab_config::Resolver;
    use ssdlab_device::Counters;

    fn config(set: &[&str]) -> Config {
        let mut resolver = Resolver::new();
        for setting in set {
            resolver.set(setting).expect("a valid setting");
        }
        resolver.resolve().expect("a valid configuration")
    }

    fn measured(erases: &[u32], written: u64) -> Measured {
        Measured {
            counters: Counters {
                host_write_bytes: written,
                flash_programs: 4,
                ..Counters::default()
            },
            page_size: 1 << 20,
            host_programs: (3, 0),
            erases: erases.to_vec(),
            ..Measured::default()
        }
    }

    fn trace(latest: u64) -> TraceSummary {
        TraceSummary {
            latest,
            ..TraceSummary::default()
        }
    }

    // Planted bugs: binary terabytes; the erases of blocks that were never erased left out of the mean; the worst block
    // for the mean; a year of 365 days; drive writes per year; cycles of the default instead of the configured ones.
    #[test]
    fn the_life_of_a_device_by_hand() {
        // 2 MB in half a day, over four blocks with 0, 1, 1 and 2 erases of 1000
        let set = ["flash.pe_cycles=1000", "flash.rated_tbw=0.004"];
        let half_a_day = 43_200_000_000_000;
        let found = Endurance::of(
            &config(&set),
            &measured(&[0, 1, 1, 2], 2_000_000),
            &trace(half_a_day),
        );
        let wear = |mean, worst| Wear {
            mean: Some(mean),
            worst: Some(worst),
        };
        assert_eq!(found.cycles_used, wear(1.0, 2.0));
        assert_eq!(found.tb_until_worn, wear(0.002, 0.001));
        let close = |found: Option<f64>, expected: f64| {
            let found = found.expect("a figure");
            assert!((found / expected - 1.0).abs() < 1e-12, "{found}");
        };
        // 4 MB a day
        close(found.years.mean, 2e9 / 4e6 / 365.25);
        close(found.years.worst, 1e9 / 4e6 / 365.25);
        let drive = (1_u64 << 30) as f64 * 1826.0;
        close(found.drive_writes_per_day.mean, 2e9 / drive);
        close(found.drive_writes_per_day.worst, 1e9 / drive);
        close(found.rated_used, 2e6 / 4e9);
        close(found.rated_years, 4e9 / 4e6 / 365.25);
        assert_eq!(found.missing_because, None);
        let bytes = FlashBytes {
            host: 2_000_000,
            padding: 1 << 20,
            read_modify_write: (3 << 20) - 2_000_000,
            ..FlashBytes::default()
        };
        assert_eq!(found.flash_bytes, bytes);
        assert_eq!(found.largest_cause, Some(FlashCause::Host));
    }

    // Planted bugs: infinite life or 0 years instead of none; a reason that is not said.
    #[test]
    fn what_is_unknown_says_why() {
        let none = Wear::default();
        let still = Endurance::of(&config(&[]), &measured(&[0, 0], 7), &trace(1));
        assert_eq!((still.tb_until_worn, still.years), (none, none));
        assert_eq!(still.cycles_used.worst, Some(0.0));
        assert_eq!(still.missing_because.as_deref(), Some("nothing was erased"));
        let set = ["flash.rated_tbw=1"];
        let timeless = Endurance::of(&config(&set), &measured(&[1], 7), &trace(0));
        assert!(timeless.tb_until_worn.mean.is_some());
        assert!(timeless.drive_writes_per_day.worst.is_some());
        assert_eq!((timeless.years, timeless.rated_years), (none, None));
        assert!(timeless.rated_used.is_some());
        let why = timeless.missing_because;
        assert_eq!(why.as_deref(), Some("the trace has no time span"));
        let ideal = config(&["ftl.kind=ideal"]);
        let bound = Endurance::of(&ideal, &measured(&[], 0), &trace(0));
        assert_eq!((bound.cycles_used, bound.waf), (none, None));
        let why = "the ideal FTL has no blocks to wear out; the host wrote nothing; the trace has no time span";
        assert_eq!(bound.missing_because.as_deref(), Some(why));
    }

    // Planted bug: the last of equal causes.
    #[test]
    fn the_largest_cause_is_named() {
        let bytes = FlashBytes {
            merge: 5,
            padding: 5,
            host: 4,
            ..FlashBytes::default()
        };
        assert_eq!(FlashCause::largest(&bytes), Some(FlashCause::Padding));
        assert_eq!(FlashCause::largest(&FlashBytes::default()), None);
    }
}
