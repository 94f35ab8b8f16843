//! Endurance: what is written to flash and why, and how long the flash lasts.

use serde::Serialize;

use crate::Counters;
use crate::cause::{Cause, FlashBytes};

/// A terabyte.
const TB: f64 = 1e12;
/// The nanoseconds of a day.
const DAY_NS: f64 = 86_400e9;
/// The days of a year.
const YEAR_DAYS: f64 = 365.25;
/// The days over which drive writes per day are counted: five years.
const RATED_DAYS: f64 = 1826.0;

/// What a replay wrote to flash, and how long a device lasts if it is written like this. A device is worn out when its
/// blocks, or its worst block, have used `flash.pe_cycles` erases.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Endurance {
    /// The drive that the device stands for is so many times as large: wear and life are its own. `None`: the device stands
    /// for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaled_by: Option<f64>,
    /// Bytes programmed into flash, by cause.
    pub flash_bytes: FlashBytes,
    /// Write amplification: these bytes for each byte that the host wrote.
    pub waf: Option<f64>,
    /// The cause of most bytes; `None` if nothing was programmed.
    pub largest_cause: Option<Cause>,
    /// The program/erase cycles that a block endures: `flash.pe_cycles`.
    pub pe_cycles: u64,
    /// The cycles that the replay used of a block: its erases, or on average at least the blocks that it filled; `None`
    /// without blocks.
    pub cycles_used: Wear,
    /// Terabytes that the host can write until the blocks are worn out.
    pub tb_until_worn: Wear,
    /// Years until then, at the rate of the trace; `None` if the device did not keep up with it.
    pub years: Wear,
    /// How often the host could write the whole capacity on each day of five years.
    pub drive_writes_per_day: Wear,
    /// The terabytes that the maker rates: `flash.rated_tbw`.
    pub rated_tbw: Option<f64>,
    /// The share of them that the replay used.
    pub rated_used: Option<f64>,
    /// Years until they are written, likewise.
    pub rated_years: Option<f64>,
    /// With an SLC cache only: its part. Then the other figures are of the pool that is worn first, and the cycles used are those
    /// of native blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slc: Option<SlcEndurance>,
    /// Why figures are missing; `None` if none is.
    pub missing_because: Option<String>,
}

/// The wear of a device with an SLC cache, which has two pools of blocks with a life of its own each.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SlcEndurance {
    /// The pool that is worn first: `native` or `slc`; `None` if nothing wears.
    pub worn_first: Option<&'static str>,
    /// The share of a native cycle that use in SLC mode costs: `flash.slc_wear`.
    pub slc_wear: f64,
    /// The program/erase cycles that a fixed block endures: `flash.slc_pe_cycles`.
    pub slc_pe_cycles: u64,
    /// The cycles that the replay used of a fixed block; `None` without.
    pub slc_cycles_used: Wear,
    /// Terabytes that the host can write until the native blocks are worn out.
    pub native_tb_until_worn: Wear,
    /// The same of the fixed blocks.
    pub slc_tb_until_worn: Wear,
    /// Terabytes until the first pool is worn out, by the mean block: with `slc_wear` 1, which makers are said to count, and with
    /// the quotient of `pe_cycles` and `slc_pe_cycles`. The truth lies between them.
    pub tb_until_worn_bounds: [Option<f64>; 2],
}

/// What a replay did to the blocks of an SLC cache.
#[derive(Clone, Copy, Debug)]
pub struct SlcWearing<'a> {
    /// For each physical block, whether it is always in SLC mode, and its erases after other use in SLC mode.
    pub blocks: &'a [(bool, u32)],
    /// Pages of a block in SLC mode.
    pub pages_per_slc_block: u64,
    /// The program/erase cycles that a fixed block endures.
    pub slc_pe_cycles: u64,
    /// The share of a native cycle that use in SLC mode costs a block of the native pool, 0 to 1.
    pub slc_wear: f64,
}

impl SlcWearing<'_> {
    /// The cycles used of native blocks, if use in SLC mode costs such a share of one.
    fn native(&self, wearing: &Wearing, slc_wear: f64) -> Wear {
        let counters = wearing.counters;
        let used =
            |erases: u32, in_slc: u32| f64::from(erases - in_slc) + slc_wear * f64::from(in_slc);
        let native = wearing.erases.iter().zip(self.blocks);
        let native = native.filter(|(_, (fixed, _))| !fixed);
        let each: Vec<f64> = native
            .map(|(&erases, &(_, in_slc))| used(erases, in_slc))
            .collect();
        let into_slc = counters.slc_programs - counters.slc_fixed_programs;
        let into_native = (counters.programs() - counters.slc_programs) as f64;
        let filled = into_native / f64::from(wearing.pages_per_block)
            + slc_wear * self.blocks_filled(into_slc);
        wear_of(&each, filled)
    }

    /// The cycles used of fixed blocks.
    fn fixed(&self, wearing: &Wearing) -> Wear {
        let fixed = wearing.erases.iter().zip(self.blocks);
        let fixed = fixed.filter(|(_, (fixed, _))| *fixed);
        let each: Vec<f64> = fixed.map(|(&erases, _)| erases.into()).collect();
        wear_of(
            &each,
            self.blocks_filled(wearing.counters.slc_fixed_programs),
        )
    }

    fn blocks_filled(&self, pages: u64) -> f64 {
        pages as f64 / self.pages_per_slc_block.max(1) as f64
    }
}

/// The cycles used of blocks with these erases, of which so many were filled in all.
fn wear_of(erases: &[f64], filled: f64) -> Wear {
    let all: f64 = erases.iter().sum();
    // a block that was filled will be erased, even if that is not due before the spare blocks are used up
    let mean = (!erases.is_empty()).then(|| filled.max(all) / erases.len() as f64);
    let worst = erases.iter().copied().reduce(f64::max);
    Wear {
        mean,
        worst: worst.zip(mean).map(|(worst, mean)| worst.max(mean)),
    }
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
    /// The lesser of both figures.
    fn least(self, other: Self) -> Self {
        let least = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Self {
            mean: least(self.mean, other.mean),
            worst: least(self.worst, other.worst),
        }
    }

    fn each(self, of: impl Fn(f64) -> Option<f64>) -> Self {
        Self {
            mean: self.mean.and_then(&of),
            worst: self.worst.and_then(&of),
        }
    }
}

/// What a replay did to the flash, and what this flash endures.
#[derive(Clone, Copy, Debug)]
pub struct Wearing<'a> {
    /// The counters.
    pub counters: &'a Counters,
    /// The drive that the device stands for is so many times as large.
    pub scaled_by: Option<f64>,
    /// The bytes programmed.
    pub flash_bytes: FlashBytes,
    /// Bytes of a page.
    pub page_size: u64,
    /// Pages of an erase block.
    pub pages_per_block: u32,
    /// The erases of each block; empty for an FTL without blocks.
    pub erases: &'a [u32],
    /// The nanoseconds from the first request of the trace to the last.
    pub span_ns: u64,
    /// The device served the trace in that time, so that the host can write at its rate.
    pub kept_up: bool,
    /// In bytes.
    pub capacity: u64,
    /// The program/erase cycles that a block endures.
    pub pe_cycles: u64,
    /// The terabytes that the maker rates, of the drive that the device stands for.
    pub rated_tbw: Option<f64>,
    /// With an SLC cache: what concerns its blocks.
    pub slc: Option<SlcWearing<'a>>,
}

impl Endurance {
    /// The endurance of flash that was used like this.
    pub fn of(wearing: &Wearing) -> Self {
        let written = wearing.counters.host_write_bytes as f64;
        let times = wearing.scaled_by.unwrap_or(1.0);
        let of_native = |slc_wear: Option<f64>| match &wearing.slc {
            Some(slc) => slc.native(wearing, slc_wear.unwrap_or(slc.slc_wear)),
            None => {
                let each: Vec<f64> = wearing.erases.iter().map(|&n| n.into()).collect();
                let filled =
                    wearing.counters.programs() as f64 / f64::from(wearing.pages_per_block);
                wear_of(&each, filled)
            }
        };
        // the same writes, on so many times as many blocks
        let scaled = |wear: Wear| wear.each(|used| Some(used / times));
        let cycles_used = scaled(of_native(None));
        let pe_cycles = wearing.pe_cycles;
        let until_worn = |used: Wear, cycles: u64| {
            used.each(|used| positive(written * cycles as f64 / positive(used)?))
        };
        let of_native_blocks = until_worn(cycles_used, pe_cycles);
        let tb = |wear: Wear| wear.each(|bytes| Some(bytes / TB));
        let slc = wearing.slc.map(|slc| {
            let slc_cycles_used = scaled(slc.fixed(wearing));
            let fixed = until_worn(slc_cycles_used, slc.slc_pe_cycles);
            let with = |slc_wear: f64| {
                let native = until_worn(scaled(of_native(Some(slc_wear))), pe_cycles);
                tb(native.least(fixed)).mean
            };
            let worn_first = match (of_native_blocks.mean, fixed.mean) {
                (None, None) => None,
                (Some(native), Some(fixed)) if fixed < native => Some("slc"),
                (None, Some(_)) => Some("slc"),
                _ => Some("native"),
            };
            SlcEndurance {
                worn_first,
                slc_wear: slc.slc_wear,
                slc_pe_cycles: slc.slc_pe_cycles,
                slc_cycles_used,
                native_tb_until_worn: tb(of_native_blocks),
                slc_tb_until_worn: tb(fixed),
                tb_until_worn_bounds: [
                    with(1.0),
                    with((pe_cycles as f64 / slc.slc_pe_cycles as f64).min(1.0)),
                ],
            }
        });
        let bytes_until_worn = match &slc {
            None => of_native_blocks,
            Some(slc) => of_native_blocks.least(slc.slc_tb_until_worn.each(|tb| Some(tb * TB))),
        };
        let days = positive(wearing.span_ns as f64 / DAY_NS);
        let per_year = days.and_then(|days| positive(written / days * YEAR_DAYS));
        let per_year = per_year.filter(|_| wearing.kept_up);
        let capacity = wearing.capacity as f64 * times;
        let rated = wearing.rated_tbw.map(|rated| rated * TB);
        let largest = wearing.flash_bytes.largest_first();
        let largest_cause = largest.first().map(|&(cause, _)| cause);
        Self {
            scaled_by: wearing.scaled_by,
            flash_bytes: wearing.flash_bytes,
            waf: wearing.counters.waf(wearing.page_size),
            largest_cause,
            pe_cycles,
            cycles_used,
            tb_until_worn: tb(bytes_until_worn),
            years: bytes_until_worn.each(|bytes| Some(bytes / per_year?)),
            drive_writes_per_day: bytes_until_worn
                .each(|bytes| Some(bytes / (positive(capacity)? * RATED_DAYS))),
            rated_tbw: wearing.rated_tbw,
            rated_used: rated.map(|rated| written / rated),
            rated_years: rated.and_then(|rated| Some(rated / per_year?)),
            slc,
            missing_because: missing(wearing, days),
        }
    }
}

/// A divisor other than 0.
fn positive(value: f64) -> Option<f64> {
    (value > 0.0).then_some(value)
}

/// Whether the replay wore nothing.
fn is_idle(wearing: &Wearing) -> bool {
    wearing.counters.programs() == 0 && wearing.erases.iter().all(|&erases| erases == 0)
}

/// The reasons why figures are missing.
fn missing(wearing: &Wearing, days: Option<f64>) -> Option<String> {
    let no_blocks = wearing.erases.is_empty();
    let reasons = [
        (no_blocks, "the ideal FTL has no blocks to wear out"),
        (
            wearing.counters.host_write_bytes == 0,
            "the host wrote nothing",
        ),
        (
            !no_blocks && wearing.counters.host_write_bytes > 0 && is_idle(wearing),
            "nothing was written to flash",
        ),
        (days.is_none(), "the trace has no time span"),
        (
            days.is_some() && wearing.counters.host_write_bytes > 0 && !wearing.kept_up,
            "the device did not keep up with the trace",
        ),
    ];
    let holding = reasons.iter().filter(|(holds, _)| *holds);
    let texts: Vec<&str> = holding.map(|(_, text)| *text).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 GiB of flash whose blocks were erased so often.
    fn wearing<'a>(counters: &'a Counters, erases: &'a [u32]) -> Wearing<'a> {
        Wearing {
            counters,
            erases,
            scaled_by: None,
            page_size: 1 << 20,
            pages_per_block: 256,
            kept_up: true,
            capacity: 1 << 30,
            pe_cycles: 3000,
            flash_bytes: FlashBytes::default(),
            span_ns: 0,
            rated_tbw: None,
            slc: None,
        }
    }

    fn written(bytes: u64) -> Counters {
        Counters {
            host_write_bytes: bytes,
            flash_programs: 4,
            ..Counters::default()
        }
    }

    // Planted bugs: binary terabytes; the erases of blocks that were never erased left out of the mean; the worst block
    // for the mean; a year of 365 days; drive writes per year; cycles of the default instead of the configured ones; the life
    // of a small drive for that of the large one.
    #[test]
    fn the_life_of_a_device_by_hand() {
        // 2 MB in half a day, over four blocks with 0, 1, 1 and 2 erases of 1000
        let counters = written(2_000_000);
        let found = Endurance::of(&Wearing {
            pe_cycles: 1000,
            rated_tbw: Some(0.004),
            span_ns: 43_200_000_000_000,
            ..wearing(&counters, &[0, 1, 1, 2])
        });
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
        // a drive eight times as large, with the same data and the same host: each block takes an eighth
        let large = Endurance::of(&Wearing {
            pe_cycles: 1000,
            scaled_by: Some(8.0),
            rated_tbw: Some(0.032),
            span_ns: 43_200_000_000_000,
            ..wearing(&counters, &[0, 1, 1, 2])
        });
        assert_eq!(large.cycles_used, wear(0.125, 0.25));
        assert_eq!(large.tb_until_worn, wear(0.016, 0.008));
        close(large.years.mean, 16e9 / 4e6 / 365.25);
        assert_eq!(large.drive_writes_per_day, found.drive_writes_per_day);
        close(large.rated_years, 32e9 / 4e6 / 365.25);
    }

    // Planted bugs: a device that has filled blocks but erased none lives for ever, or longer than it will when it erases
    // as many as it fills; blocks that are erased before they are full counted by their pages; a worst block that is better
    // than the mean.
    #[test]
    fn filled_blocks_will_be_erased() {
        let counters = Counters {
            host_write_bytes: 1_000_000,
            flash_programs: 600,
            flash_copies: 200,
            ..Counters::default()
        };
        let used = |erases: &[u32]| {
            let wearing = Wearing {
                pages_per_block: 100,
                ..wearing(&counters, erases)
            };
            let Endurance {
                cycles_used: Wear { mean, worst },
                tb_until_worn,
                ..
            } = Endurance::of(&wearing);
            assert_eq!(
                tb_until_worn.mean,
                mean.map(|mean| 1e6 * 3000.0 / mean / 1e12)
            );
            (mean, worst)
        };
        // 800 pages fill 8 blocks; the device has 4
        assert_eq!(used(&[0; 4]), (Some(2.0), Some(2.0)));
        assert_eq!(used(&[3, 1, 1, 1]), (Some(2.0), Some(3.0)));
        assert_eq!(used(&[3, 2, 2, 2]), (Some(2.25), Some(3.0)));
    }

    // Planted bug: years at a rate at which the device cannot be written.
    #[test]
    fn years_are_those_of_a_device_that_keeps_up() {
        let counters = written(2_000_000);
        let slow = Endurance::of(&Wearing {
            span_ns: 43_200_000_000_000,
            rated_tbw: Some(1.0),
            kept_up: false,
            ..wearing(&counters, &[1])
        });
        assert_eq!((slow.years, slow.rated_years), (Wear::default(), None));
        assert!(slow.tb_until_worn.mean.is_some() && slow.drive_writes_per_day.mean.is_some());
        let why = slow.missing_because.expect("a reason");
        assert!(why.starts_with("the device did not keep up"), "{why}");
    }

    // Planted bugs: infinite life or 0 years instead of none; a reason that is not said.
    #[test]
    fn what_is_unknown_says_why() {
        let none = Wear::default();
        let (some, nothing) = (written(7), written(0));
        let held = Counters {
            flash_programs: 0,
            ..written(7)
        };
        let still = Endurance::of(&Wearing {
            span_ns: 1,
            ..wearing(&held, &[0, 0])
        });
        assert_eq!((still.tb_until_worn, still.years), (none, none));
        assert_eq!(still.cycles_used.worst, Some(0.0));
        assert_eq!(
            still.missing_because.as_deref(),
            Some("nothing was written to flash")
        );
        let timeless = Endurance::of(&Wearing {
            rated_tbw: Some(1.0),
            ..wearing(&some, &[1])
        });
        assert!(timeless.tb_until_worn.mean.is_some());
        assert!(timeless.drive_writes_per_day.worst.is_some());
        assert_eq!((timeless.years, timeless.rated_years), (none, None));
        assert!(timeless.rated_used.is_some());
        let why = timeless.missing_because;
        assert_eq!(why.as_deref(), Some("the trace has no time span"));
        let bound = Endurance::of(&wearing(&nothing, &[]));
        assert_eq!((bound.cycles_used, bound.waf), (none, None));
        let why = "the ideal FTL has no blocks to wear out; the host wrote nothing; the trace has no time span";
        assert_eq!(bound.missing_because.as_deref(), Some(why));
    }

    // Planted bug: the last of equal causes.
    #[test]
    fn the_largest_cause_is_named() {
        let counters = written(7);
        let largest = |flash_bytes| {
            Endurance::of(&Wearing {
                flash_bytes,
                ..wearing(&counters, &[])
            })
            .largest_cause
        };
        let bytes = [(Cause::Merge, 5), (Cause::Padding, 5), (Cause::Host, 4)];
        assert_eq!(largest(FlashBytes::of(bytes)), Some(Cause::Padding));
        assert_eq!(largest(FlashBytes::default()), None);
    }
}
