//! The write cliff: how fast a drive with an SLC cache takes a sequential fill, phase by phase, in closed form and in a run.

use std::sync::atomic::Ordering;

use serde::Serialize;
use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_device::Interleave;
use ssdlab_ftl::page::{ALL_BLOCKS, CELL_BITS, GC_LOW, SLC_FULL, SlcConfig, WhenFull};
use ssdlab_host::{Op, Request};
use ssdlab_theory::{Fill, What, WhenFull as Full};
use ssdlab_words::{decimal_bytes, fixed};

use crate::error::SimError;
use crate::lab::Lab;
use crate::run::StopFlag;

/// A part of a fill at one speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// `cache`: into cells in SLC mode; `direct`: past the full cache; `beside`: the same while the cache is emptied; `folding`: the
    /// cache is emptied to make room, for data behind it or in it.
    pub name: &'static str,
    /// The bytes that the host writes in it.
    pub bytes: u64,
    /// 10^6 bytes a second.
    pub mb_s: f64,
}

/// What a pause gives back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Recovery {
    /// The pause in seconds.
    pub after_s: f64,
    /// The bytes of the cache that are free again.
    pub bytes: u64,
    /// The seconds until all of it is; `None`: the drive does not fold in pauses.
    pub whole_s: Option<f64>,
}

/// The cache of a drive that is filled so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Level {
    /// The share of the drive that is full.
    pub filled: f64,
    /// What the cache holds then, in bytes.
    pub cache: u64,
    /// The speed behind it, 10^6 bytes a second.
    pub behind_mb_s: f64,
}

/// A sequential fill of a drive, from its first free page to its last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cliff {
    /// The capacity in bytes.
    pub capacity: u64,
    /// Bits of a cell in native mode.
    pub cell_bits: u32,
    /// The share of it that is full before.
    pub filled: f64,
    /// What the cache holds then, in bytes.
    pub cache: u64,
    /// The phases.
    pub phases: Vec<Phase>,
    /// How long all of them take.
    pub seconds: f64,
    /// The mean speed, 10^6 bytes a second.
    pub mean_mb_s: f64,
    /// What a pause gives back, by default one of 30 s.
    pub recovery: Recovery,
    /// The cache over the fill level, in steps of a twentieth.
    pub levels: Vec<Level>,
    /// Pauses in seconds, and the bytes that each gives back, up to the one that gives back all; none if the drive does not fold in pauses.
    pub pauses: Vec<(f64, u64)>,
    /// The same phases as a run measured them, on a drive of another size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// What was tried behind a full cache: the speed of as much data again, 10^6 bytes a second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Again {
    /// Written at once.
    pub at_once: f64,
    /// Written after what the cache holds was discarded (TRIM).
    pub trimmed: f64,
    /// Written after the pause of [`Cliff::recovery`]; `None`: the drive does not fold in pauses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<f64>,
}

/// A run, with the bytes and seconds of the drive that it stands for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The capacity of the drive that ran, in bytes.
    pub capacity: u64,
    /// The phases of the closed form, with the speeds of the run.
    pub phases: Vec<Phase>,
    /// How long all of them take on the drive that it stands for.
    pub seconds: f64,
    /// What helps once the cache is full, in runs of their own; `None`: the drive has no room for as much again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<Again>,
}

/// The pause without another one, in seconds.
const PAUSE: f64 = 30.0;
/// The steps of fill levels, and of pauses.
const STEPS: u32 = 20;
/// The bytes of a request.
const REQUEST: u64 = 1 << 20;

impl Cliff {
    /// The closed form, for a drive of which the first share `filled` is full and the rest erased. `None` without a cache, or
    /// without flash.
    pub fn of(config: &Config, filled: f64) -> Option<Self> {
        let drive = Drive::of(config)?;
        let fill = drive.fill();
        let written = (filled * fill.logical) as u64 as f64;
        let phases = fill.phases(written).into_iter().map(|phase| Phase {
            name: match phase.what {
                What::Cache => "cache",
                What::Direct => "direct",
                What::Beside => "beside",
                What::Folding => "folding",
            },
            bytes: drive.bytes(phase.pages),
            mb_s: phase.speed,
        });
        let phases: Vec<Phase> = phases.collect();
        let seconds = phases.iter().map(seconds_of).sum::<f64>();
        let bytes: u64 = phases.iter().map(|phase| phase.bytes).sum();
        Some(Self {
            capacity: config.flash.capacity,
            filled,
            cell_bits: CELL_BITS.of(config.inputs().settings) as u32,
            cache: drive.bytes(fill.room(written)),
            mean_mb_s: bytes as f64 / seconds / 1e6,
            phases,
            seconds,
            recovery: drive.recovery(fill.room(written), PAUSE),
            levels: (0..STEPS).map(|step| drive.level(&fill, step)).collect(),
            pauses: drive.pauses(fill.room(written)),
            measured: None,
        })
    }

    /// With what a pause of so many seconds gives back of the full cache.
    #[must_use]
    pub fn after(mut self, config: &Config, pause_s: f64) -> Self {
        if let Some(drive) = Drive::of(config) {
            let fill = drive.fill();
            let written = (self.filled * fill.logical) as u64 as f64;
            self.recovery = drive.recovery(fill.room(written), pause_s);
        }
        self
    }

    /// With runs on a drive of so many bytes at most, which has the layers of `resolver`: the fill, and what helps behind it.
    ///
    /// # Errors
    /// There is no such drive, it cannot be built, or it failed; or `stop` was set.
    pub fn with_runs(
        self,
        lab: &Lab,
        resolver: &Resolver,
        config: &Config,
        bytes: u64,
        stop: &StopFlag,
    ) -> Result<Self, SimError> {
        let small = |gaps| Self::stand_in(resolver.clone(), config, self.filled, bytes, gaps);
        let (fill, gaps) = (small(false)?, small(true)?);
        self.measured(lab, &fill, stop)?
            .again(lab, &fill, &gaps, stop)
    }

    /// With a run on `small`, which stands for the drive of this fill.
    ///
    /// # Errors
    /// The device cannot be built, or failed; or `stop` was set.
    fn measured(mut self, lab: &Lab, small: &Config, stop: &StopFlag) -> Result<Self, SimError> {
        let mut device = lab.systems().device(small)?;
        let capacity = small.flash.capacity;
        let times = self.capacity as f64 / capacity as f64;
        let mut at = (self.filled * capacity as f64) as u64 / REQUEST * REQUEST;
        let (mut end, mut since, mut phases) = (at as f64, 0, Vec::new());
        for phase in &self.phases {
            end += phase.bytes as f64 / times;
            let first = at;
            while at < capacity && (at as f64) < end {
                stopped(stop)?;
                let size = REQUEST.min(capacity - at);
                let request = Request::new(since, Op::Write, at, size);
                let request = request.expect("within the capacity");
                device.submit(&request).map_err(failed)?;
                at += size;
            }
            let now = device.counters().elapsed_ns;
            // a phase of less than a request is not measured
            let mb_s = match at - first {
                0 => phase.mb_s,
                bytes => bytes as f64 * 1e3 / (now - since).max(1) as f64,
            };
            phases.push(Phase { mb_s, ..*phase });
            since = now;
        }
        self.measured = Some(Measured {
            capacity,
            seconds: phases.iter().map(seconds_of).sum(),
            phases,
            again: None,
        });
        Ok(self)
    }

    /// With what helps behind the full cache, if it was measured: three more runs on `small`, of which the one with
    /// a pause has the gaps of `gaps`.
    ///
    /// # Errors
    /// As for `measured`.
    fn again(
        mut self,
        lab: &Lab,
        small: &Config,
        gaps: &Config,
        stop: &StopFlag,
    ) -> Result<Self, SimError> {
        let times = self.capacity as f64 / small.flash.capacity as f64;
        let size = (self.cache as f64 / times) as u64 / REQUEST * REQUEST;
        let from = (self.filled * small.flash.capacity as f64) as u64 / REQUEST * REQUEST;
        let (Some(measured), true) = (
            &mut self.measured,
            size > 0 && from + 2 * size <= small.flash.capacity,
        ) else {
            return Ok(self);
        };
        let idle = Drive::of(gaps).map_or(0, |drive| drive.slc.idle_ns);
        let pause = (1e9 * self.recovery.after_s - idle as f64).max(0.0) / times;
        let speed = |config: &Config, pause_ns: u64, trims: bool| -> Result<f64, SimError> {
            let mut device = lab.systems().device(config)?;
            let mut at = 0;
            let mut all = |op, first: u64, at: u64| -> Result<u64, SimError> {
                for place in (first..first + size).step_by(REQUEST as usize) {
                    stopped(stop)?;
                    let request = Request::new(at, op, place, REQUEST);
                    device
                        .submit(&request.expect("within the capacity"))
                        .map_err(failed)?;
                }
                Ok(device.counters().elapsed_ns)
            };
            at = all(Op::Write, from, at)?;
            if trims {
                at = all(Op::Discard, from, at)?;
            }
            at += pause_ns;
            let end = all(Op::Write, from + size, at)?;
            Ok(size as f64 * 1e3 / (end - at).max(1) as f64)
        };
        measured.again = Some(Again {
            at_once: speed(small, 0, false)?,
            trimmed: speed(small, 0, true)?,
            paused: match idle {
                0 => None,
                idle => Some(speed(gaps, idle + pause as u64, false)?),
            },
        });
        Ok(self)
    }

    /// The drive that runs in place of `config`, with the layers of `resolver`: as fast as it goes, from the state before the
    /// fill, and no larger than so many bytes. A fill has no pauses; with `gaps`, the drive goes on using them.
    ///
    /// # Errors
    /// There is no such drive.
    fn stand_in(
        mut resolver: Resolver,
        config: &Config,
        filled: f64,
        bytes: u64,
        gaps: bool,
    ) -> Result<Config, ConfigError> {
        let before = match filled {
            0.0 => "empty".into(),
            share => share.to_string(),
        };
        resolver.set(&format!("precondition={before}"))?;
        if !gaps {
            for setting in ["replay=closed", "ftl.slc_idle_us=0", "ftl.slc_reclaim=0"] {
                resolver.set(setting)?;
            }
            if SLC_FULL.of(config.inputs().settings) != WhenFull::Beside {
                resolver.set("ftl.slc_rest=0")?;
            }
        }
        if config.has_clocks() {
            resolver.set("queue_depth=32")?;
        }
        if config.flash.capacity > bytes {
            resolver.scale_to(bytes, "the size of the run");
        }
        resolver.resolve()
    }

    /// The fill in one sentence.
    pub fn sentence(&self) -> String {
        let mut parts = Vec::new();
        let mut at = 0;
        for (place, phase) in self.phases.iter().enumerate().take(4) {
            let speed = speed(phase.mb_s);
            parts.push(match place {
                0 => format!("{} at {speed}", decimal_bytes(phase.bytes)),
                1 => format!("then {speed}"),
                _ => format!("from {} on {speed}", decimal_bytes(at)),
            });
            at += phase.bytes;
        }
        let whole = if self.filled == 0.0 {
            "whole drive"
        } else {
            "rest of the drive"
        };
        format!(
            "{}; the {whole} {}",
            parts.join(", "),
            minutes(self.seconds)
        )
    }
}

fn failed(error: ssdlab_device::DeviceError) -> SimError {
    SimError::Fill(error.to_string())
}

fn stopped(stop: &StopFlag) -> Result<(), SimError> {
    match stop.load(Ordering::Relaxed) {
        true => Err(SimError::Stopped),
        false => Ok(()),
    }
}

fn seconds_of(phase: &Phase) -> f64 {
    phase.bytes as f64 / phase.mb_s / 1e6
}

/// A speed in words.
fn speed(mb_s: f64) -> String {
    match mb_s >= 1000.0 {
        true => format!("{} GB/s", fixed(mb_s / 1e3, 1)),
        false => format!("{} MB/s", fixed(mb_s, 0)),
    }
}

/// Seconds in words: `8 min 43 s`.
pub fn minutes(seconds: f64) -> String {
    let all = seconds.round() as u64;
    match (all / 3600, all / 60 % 60, all % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A drive with a cache.
struct Drive<'a> {
    config: &'a Config,
    slc: SlcConfig,
    ftls: f64,
}

impl<'a> Drive<'a> {
    fn of(config: &'a Config) -> Option<Self> {
        let slc = SlcConfig::configure(&config.inputs()).filter(|_| config.reads("ftl.slc"))?;
        Some(Self {
            config,
            ftls: f64::from(config.flash.separate_chips()),
            slc,
        })
    }

    /// The fill of one FTL.
    fn fill(&self) -> Fill {
        let (config, slc, timing) = (self.config, &self.slc, &self.config.timing);
        let inputs = config.inputs();
        let capacity = config.flash.chip_capacity();
        let (logical, fixed) = (capacity.logical_pages(), f64::from(slc.fixed));
        let native = capacity.logical_blocks as f64 + f64::from(inputs.spare_blocks) - fixed;
        let (program_ns, fold_ns) = self.chip_ns();
        let chips = match config.flash.interleave {
            Interleave::Superpage => 1.0,
            Interleave::Page | Interleave::Block | Interleave::Line => {
                f64::from(config.flash.chips())
            }
        };
        let pages = f64::from(slc.pages);
        Fill {
            logical: logical as f64,
            native,
            gc_low: GC_LOW.of(inputs.settings) as f64,
            pages: capacity.pages_per_block as f64,
            slc_pages: pages,
            fixed,
            dynamic: slc.has_dynamic.then_some(match slc.dynamic {
                ALL_BLOCKS => native,
                some => f64::from(some),
            }),
            gone: slc.gone_pages(logical) as f64,
            keep: f64::from(slc.keep),
            cache_speed: self.rate(timing.slc_program_ns),
            native_speed: self.rate(timing.program_ns),
            fold: fold_ns / program_ns,
            erase: timing.erase_ns as f64 * chips / self.ftls / program_ns,
            full: match slc.full {
                WhenFull::Direct => Full::Direct,
                WhenFull::Fold => Full::Fold,
                WhenFull::Beside => Full::Beside {
                    pages: slc.beside as f64 / 1e3,
                    kept: f64::from(slc.rest) * pages,
                },
            },
        }
    }

    /// The cache at a fill level.
    fn level(&self, fill: &Fill, step: u32) -> Level {
        let filled = f64::from(step) / f64::from(STEPS);
        let written = (filled * fill.logical) as u64 as f64;
        let phases = fill.phases(written);
        let behind = phases.iter().find(|phase| phase.what != What::Cache);
        Level {
            filled,
            cache: self.bytes(fill.room(written)),
            behind_mb_s: behind.map_or(fill.cache_speed, |phase| phase.speed),
        }
    }

    /// What a pause gives back of a full cache with so many pages.
    fn recovery(&self, room: f64, pause_s: f64) -> Recovery {
        let idle_s = self.slc.idle_ns as f64 / 1e9;
        let rest = f64::from(self.slc.rest) * f64::from(self.slc.pages);
        let foldable = self.bytes(room - rest);
        let bytes = (pause_s - idle_s).max(0.0) * self.fold_mb_s() * 1e6;
        let folds = self.slc.idle_ns > 0;
        Recovery {
            after_s: pause_s,
            bytes: if folds {
                (bytes as u64).min(foldable)
            } else {
                0
            },
            whole_s: folds.then(|| idle_s + foldable as f64 / self.fold_mb_s() / 1e6),
        }
    }

    fn pauses(&self, room: f64) -> Vec<(f64, u64)> {
        let Some(whole) = self.recovery(room, 0.0).whole_s else {
            return Vec::new();
        };
        let pause = |step| whole * f64::from(step) / f64::from(STEPS);
        let bytes = |step| (pause(step), self.recovery(room, pause(step)).bytes);
        (0..=STEPS).map(bytes).collect()
    }

    /// The bytes of so many pages of each FTL.
    fn bytes(&self, pages: f64) -> u64 {
        (pages.max(0.0) * self.ftls * f64::from(self.config.flash.page_size)) as u64
    }

    /// The speed of programs that take so long, in 10^6 bytes a second.
    fn rate(&self, cells_ns: u64) -> f64 {
        let (flash, timing) = (&self.config.flash, &self.config.timing);
        let page = f64::from(flash.page_size);
        if !timing.model.has_clocks() {
            return page * 1e3 / (cells_ns + timing.transfer_ns).max(1) as f64;
        }
        let (chips, channels) = match flash.interleave {
            Interleave::Superpage => (1, 1),
            Interleave::Page | Interleave::Block | Interleave::Line => {
                (flash.chips(), flash.channels)
            }
        };
        let channel_ns = timing.parallel.channel_ns;
        let of = |count: u32, ns: u64| f64::from(count) * page * 1e3 / ns as f64;
        [
            of(chips, (cells_ns + channel_ns).max(1)),
            of(channels, channel_ns),
            of(1, timing.parallel.bus_ns),
        ]
        .into_iter()
        .fold(f64::INFINITY, f64::min)
    }

    /// The time of a chip for a native program, and for a fold.
    fn chip_ns(&self) -> (f64, f64) {
        let timing = &self.config.timing;
        let move_ns = match timing.model.has_clocks() {
            true => timing.parallel.channel_ns,
            false => timing.transfer_ns,
        };
        let fold = timing.slc_read_ns + timing.fold_program_ns + 2 * move_ns;
        ((timing.program_ns + move_ns) as f64, fold as f64)
    }

    /// Folding in pauses, erases included, in 10^6 bytes a second: at most a native program's speed.
    fn fold_mb_s(&self) -> f64 {
        let (flash, timing) = (&self.config.flash, &self.config.timing);
        let (stripe, ways) = match flash.interleave {
            Interleave::Line => (flash.chips(), flash.chips_per_channel),
            Interleave::Page | Interleave::Block => (flash.chips(), 1),
            Interleave::Superpage => (1, 1),
        };
        let moves = 2 * u64::from(ways) * timing.parallel.channel_ns;
        let step = timing.slc_read_ns + timing.fold_program_ns + moves;
        // those of a block on one chip
        let pages = match flash.interleave {
            Interleave::Line => self.slc.pages / stripe,
            _ => self.slc.pages,
        };
        let block_ns = u64::from(pages) * step + timing.erase_ns;
        f64::from(stripe * pages) * f64::from(flash.page_size) * 1e3 / block_ns.max(1) as f64
    }
}
