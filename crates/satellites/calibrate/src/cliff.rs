//! The fill of a drive with an SLC cache, as reviews measure it: sizes and speeds of its phases, and the keys that each tells.

use serde::{Deserialize, Serialize};
use ssdlab_config::Config;
use ssdlab_sim::Cliff;
use ssdlab_words::{decimal_bytes, size_value};
use toml::{Spanned, Value};

use crate::calibration::Spare;
use crate::configuration::Lines;
use crate::error::CalibrateError;
use crate::file::File;
use crate::load::{GC_LOW, IDLE_BLOCKS};
use crate::sheet::{Sheet, size};

/// A phase that is a smaller share of the drive is not seen in a fill.
const SEEN: f64 = 0.05;
/// The fewest spare blocks beside fixed ones: free ones, two frontiers, and one for dynamic blocks.
const LEAST_SPARE: f64 = GC_LOW as f64 + 4.0;
/// The share by which channels are faster than what they carry.
const FASTER: f64 = 1.1;

/// The table `[cliff]`, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Described {
    cell_bits: Spanned<u32>,
    cache: Spanned<Value>,
    fixed: Option<Spanned<Value>>,
    cache_mb_s: Option<Spanned<f64>>,
    behind_mb_s: Spanned<f64>,
    last: Option<Last>,
    source: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    from: Spanned<Value>,
    mb_s: Spanned<f64>,
}

/// A fill from the erased drive on. Bytes and MB/s.
#[derive(Debug)]
pub(crate) struct Measured {
    pub cell_bits: u32,
    cache: f64,
    fixed: f64,
    cache_mb_s: f64,
    behind_mb_s: f64,
    /// Where a second, slower step begins, and its speed.
    last: Option<[f64; 2]>,
    source: String,
}

/// A key, and the number of the fill that it is from.
#[derive(Clone, Debug, Serialize)]
pub struct ToldKey {
    /// Its path.
    pub key: String,
    /// Its value.
    pub value: serde_json::Value,
    /// The number, in words.
    pub from: String,
}

/// What a measured fill tells.
#[derive(Debug, Serialize)]
pub struct FittedCliff {
    /// Keys, each with the number that it is from.
    pub told: Vec<ToldKey>,
    /// What the numbers do not tell, or contradict.
    pub notes: Vec<String>,
    /// The phases that were measured: bytes, and 10^6 bytes a second. The last one ends with the drive.
    pub measured: Vec<[f64; 2]>,
    /// The fill of the configuration, in closed form.
    pub predicted: Cliff,
}

impl Described {
    pub fn checked(&self, file: &File, sheet: &Sheet) -> Result<Measured, CalibrateError> {
        let capacity = sheet.capacity() as f64;
        let bytes = |value: &Spanned<Value>, name: &str| {
            let bytes = size(value.get_ref());
            bytes
                .map(|bytes| bytes as f64)
                .map_err(|why| file.refuse(value, format!("{name}: {why}")))
        };
        let speed = |value: &Spanned<f64>, name: &str, most: f64, than: &str| match *value.get_ref()
        {
            mb_s if (1.0..=most).contains(&mb_s) => Ok(mb_s),
            _ => Err(file.refuse(
                value,
                format!("{name}: must be MB/s from 1 to {most}{than}"),
            )),
        };
        let cell_bits = *self.cell_bits.get_ref();
        if !(2..=5).contains(&cell_bits) {
            let why = "cell_bits: must be 2 to 5";
            return Err(file.refuse(&self.cell_bits, why));
        }
        let cache = bytes(&self.cache, "cache")?;
        if cache >= capacity {
            let why = "cache: must be less than the capacity of the sheet";
            return Err(file.refuse(&self.cache, why));
        }
        let fixed = match &self.fixed {
            None => 0.0,
            Some(value) => match bytes(value, "fixed")? {
                fixed if fixed <= cache => fixed,
                _ => return Err(file.refuse(value, "fixed: must be a part of cache")),
            },
        };
        let cache_mb_s = match (&self.cache_mb_s, sheet.value("sequential_write_mb_s")) {
            (Some(stated), _) => speed(stated, "cache_mb_s", 1e6, "")?,
            (None, Some(stated)) => stated,
            (None, None) => {
                let why = "cache: its speed is missing; state cache_mb_s, or sequential_write_mb_s of the sheet";
                return Err(file.refuse(&self.cache, why));
            }
        };
        let behind_mb_s = speed(
            &self.behind_mb_s,
            "behind_mb_s",
            cache_mb_s,
            ", the speed within the cache",
        )?;
        let last = self.last.as_ref().map(|last| {
            let from = bytes(&last.from, "from")?;
            if !(from > cache && from < capacity) {
                let why = "from: must lie behind the cache and before the end of the drive";
                return Err(file.refuse(&last.from, why));
            }
            let mb_s = speed(
                &last.mb_s,
                "mb_s",
                behind_mb_s,
                ", the speed behind the cache",
            )?;
            Ok([from, mb_s])
        });
        Ok(Measured {
            cell_bits,
            cache,
            fixed,
            cache_mb_s,
            behind_mb_s,
            last: last.transpose()?,
            source: self
                .source
                .clone()
                .unwrap_or_else(|| format!("the fill in {}", file.name())),
        })
    }
}

impl Measured {
    /// The preset for what it does not tell.
    pub fn usual(&self) -> &'static str {
        match self.cell_bits {
            ..=3 => "consumer-tlc-1tb",
            _ => "consumer-qlc-2tb",
        }
    }

    /// The keys that it tells. The error says why there is no such drive.
    pub fn configured(
        &self,
        lines: &mut Lines,
        spare: &mut Spare,
    ) -> Result<(Vec<ToldKey>, Vec<String>), String> {
        let mut found = Found {
            source: &self.source,
            lines,
            told: Vec::new(),
            notes: Vec::new(),
        };
        let bits = f64::from(self.cell_bits);
        found
            .lines
            .put("flash.cell_bits", bits, self.source.clone());
        let dies = found.lines.dies_or_preset()?;
        let page = found.lines.number("flash.page_size");
        let block = found.lines.number("flash.pages_per_block");
        let slc = (block / bits).floor();
        let (line, slc_line) = (block * page * dies, slc * page * dies);
        let blocks = found.lines.capacity(line)?;
        let capacity = blocks * line;

        let in_lines = |bytes: f64| (bytes / slc_line).round();
        let (fixed, dynamic) = (in_lines(self.fixed), in_lines(self.cache - self.fixed));
        if fixed + dynamic == 0.0 {
            return Err(format!(
                "cache: must be at least a line in SLC mode, {}; state fewer dies",
                size_value(slc_line as u64)
            ));
        }
        let of = |count: f64| size_value((count * slc_line) as u64);
        let cache = format!("{} written at full speed", decimal_bytes(self.cache as u64));
        let kind = match (fixed > 0.0, dynamic > 0.0) {
            (true, true) => "hybrid",
            (true, false) => "static",
            _ => "dynamic",
        };
        found.word("ftl.slc", kind, &cache);
        if dynamic == 0.0 {
            found.lines.without(&["ftl.slc_dynamic", "ftl.slc_reclaim"]);
        } else {
            found.word("ftl.slc_dynamic", &of(dynamic), &cache);
        }
        if fixed == 0.0 {
            found.lines.without(&["ftl.slc_static"]);
        } else {
            found.word(
                "ftl.slc_static",
                &of(fixed),
                "the part of the cache that stays",
            );
        }

        // the last step begins at (P - F - gc_low) N - D (N - M) + F M
        let lost = dynamic * (line - slc_line) - fixed * slc_line;
        let idle = GC_LOW as f64 + fixed;
        let least = LEAST_SPARE + fixed;
        let stated = (spare.flash / line - blocks + IDLE_BLOCKS)
            .round()
            .max(least);
        let mut spare_blocks = stated;
        if let Some([from, _]) = self.last {
            let begins = format!(
                "the last step, which begins at {}",
                decimal_bytes(from as u64)
            );
            let fitted = ((from + lost) / line + idle).round() - blocks;
            if fitted >= least {
                spare_blocks = fitted;
                spare.flash = (blocks + fitted - IDLE_BLOCKS) * line;
                spare.basis.clone_from(&begins);
            } else {
                found.notes.push(format!(
                    "{begins} would take {} of flash, too little for a drive of {}: the flash is that of the sheet or the usual, and the step \
                     comes later",
                    decimal_bytes(((blocks + fitted) * line) as u64),
                    decimal_bytes(capacity as u64)
                ));
            }
        }
        let source = format!(
            "{}, and {IDLE_BLOCKS} lines that stay free or are half written",
            spare.basis
        );
        found.lines.spare(blocks, spare_blocks, source);

        let native = blocks + spare_blocks - fixed;
        let taken = dynamic.min(native - GC_LOW as f64 - 1.0);
        let direct = (native - taken - GC_LOW as f64) * line;
        let is_direct = dynamic == 0.0 || direct >= SEEN * capacity;
        if let Some(reads) = found.lines.sheet("sequential_read_mb_s") {
            let why = format!("reads in order: {}", reads.source);
            found.lines.put("timing.bus_mb_s", reads.value, why);
        }
        if found.lines.number("timing.bus_mb_s") < self.cache_mb_s {
            found.number(
                "timing.bus_mb_s",
                self.cache_mb_s,
                "the speed within the cache, which is no faster than the bus",
            );
        }
        let channels = found.lines.number("flash.channels");
        if channels * found.lines.number("timing.channel_mb_s") < FASTER * self.cache_mb_s {
            let fast = (FASTER * self.cache_mb_s / channels).ceil();
            found.number(
                "timing.channel_mb_s",
                fast,
                "the speed within the cache, which is no faster than the channels",
            );
        }
        let transfer = page / found.lines.number("timing.channel_mb_s");
        found.lines.put(
            "timing.transfer_us",
            format!("{transfer:.3}"),
            "page_size / channel_mb_s",
        );
        let cells = |mb_s: f64| dies * page / mb_s - transfer;
        found.number(
            "timing.slc_program_us",
            cells(self.cache_mb_s),
            &format!("{} MB/s within the cache", self.cache_mb_s),
        );
        // what a block gains when it is folded, on each die
        let gained = block - slc;
        let (share, erase) = (slc / gained, found.lines.number("timing.erase_us") / gained);
        let read = found.lines.number("timing.slc_read_us") + 2.0 * transfer;
        let behind = format!("{} MB/s behind the cache", self.behind_mb_s);
        let program = match is_direct {
            true => cells(self.behind_mb_s),
            false => {
                let program = (cells(self.behind_mb_s) - share * read - erase) / (1.0 + share);
                if program <= 0.0 {
                    return Err(format!(
                        "behind_mb_s: {behind} is too fast for cells that are folded meanwhile"
                    ));
                }
                found.notes.push(format!(
                    "{behind} is the speed of folding: with a cache of {} nothing is left to write to directly",
                    decimal_bytes(self.cache as u64)
                ));
                program
            }
        };
        found.number("timing.program_us", program, &behind);
        match self.last {
            Some([_, mb_s]) if is_direct && dynamic > 0.0 => {
                let fold = (cells(mb_s) - program - erase) / share - read;
                if fold < 1.0 {
                    found.notes.push(format!(
                        "{mb_s} MB/s in the last step are faster than reads and erases of folding; the program of a folded page is the least, 1 µs"
                    ));
                }
                found.number(
                    "timing.fold_program_us",
                    fold.max(1.0),
                    &format!("{mb_s} MB/s in the last step"),
                );
            }
            _ => {
                found.lines.put(
                    "timing.fold_program_us",
                    format!("{program:.1}"),
                    "assumption: as program_us",
                );
                found.notes.push(
                    "no last step tells what a folded page costs: as much as any other".into(),
                );
            }
        }
        Ok((found.told, found.notes))
    }

    /// The fill of a configuration beside the measured one.
    pub fn compared(
        &self,
        (told, notes): (Vec<ToldKey>, Vec<String>),
        config: &Config,
        capacity: f64,
    ) -> Option<FittedCliff> {
        let ends = [self.last.map_or(capacity, |[from, _]| from), capacity];
        let mut measured = vec![
            [self.cache, self.cache_mb_s],
            [ends[0] - self.cache, self.behind_mb_s],
        ];
        measured.extend(self.last.map(|[from, mb_s]| [ends[1] - from, mb_s]));
        Some(FittedCliff {
            told,
            notes,
            measured,
            predicted: Cliff::of(config, 0.0)?,
        })
    }
}

/// The keys that were found so far.
pub(crate) struct Found<'a, 'b> {
    source: &'a str,
    lines: &'a mut Lines<'b>,
    told: Vec<ToldKey>,
    notes: Vec<String>,
}

impl Found<'_, '_> {
    fn number(&mut self, key: &str, value: f64, from: &str) {
        let value = (10.0 * value).round() / 10.0;
        self.put(key, value.into(), from);
    }

    fn word(&mut self, key: &str, value: &str, from: &str) {
        self.put(key, value.into(), from);
    }

    fn put(&mut self, key: &str, value: serde_json::Value, from: &str) {
        self.lines
            .put(key, &value, format!("{from}: {}", self.source));
        self.told.push(ToldKey {
            key: key.into(),
            value,
            from: from.into(),
        });
    }
}
