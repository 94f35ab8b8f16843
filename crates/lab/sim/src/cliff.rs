//! The write cliff: how fast a drive with an SLC cache takes a sequential fill, phase by phase, in closed form and in a run.

use serde::Serialize;
use ssdlab_config::{Config, ConfigError, Resolver};
use ssdlab_device::Interleave;
use ssdlab_ftl::page::{ALL_BLOCKS, GC_LOW, SLC_FULL, SlcConfig, WhenFull};
use ssdlab_host::{Op, Request};
use ssdlab_words::{decimal_bytes, fixed};

use crate::error::SimError;
use crate::lab::Lab;

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

/// A sequential fill of a drive, from its first free page to its last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cliff {
    /// The capacity in bytes.
    pub capacity: u64,
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
    /// What a pause gives back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// The same phases as a run measured them, on a drive of another size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
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
}

/// The most phases of a drive that folds beside: then it goes on at its mean speed.
const MOST_PHASES: usize = 64;
/// The bytes of a request.
const REQUEST: u64 = 1 << 20;

impl Cliff {
    /// The closed form, for a drive of which the first share `filled` is full and the rest erased. `None` without a cache, or
    /// without flash.
    pub fn of(config: &Config, filled: f64) -> Option<Self> {
        let drive = Drive::of(config)?;
        let written = (filled * drive.logical) as u64 as f64;
        let (cache, phases) = drive.phases(written);
        let seconds = phases.iter().map(seconds_of).sum::<f64>();
        let bytes: u64 = phases.iter().map(|phase| phase.bytes).sum();
        Some(Self {
            capacity: config.flash.capacity,
            filled,
            cache: drive.bytes(cache),
            mean_mb_s: bytes as f64 / seconds / 1e6,
            phases,
            seconds,
            recovery: None,
            measured: None,
        })
    }

    /// With what a pause of so many seconds gives back of the full cache.
    #[must_use]
    pub fn after(mut self, config: &Config, pause_s: f64) -> Self {
        let Some(drive) = Drive::of(config) else {
            return self;
        };
        let idle_s = drive.slc.idle_ns as f64 / 1e9;
        let rest = f64::from(drive.slc.rest) * f64::from(drive.slc.pages);
        let foldable = self.cache.saturating_sub(drive.bytes(rest));
        let folds = drive.slc.idle_ns > 0;
        let bytes = (pause_s - idle_s).max(0.0) * drive.fold_mb_s() * 1e6;
        self.recovery = Some(Recovery {
            after_s: pause_s,
            bytes: if folds {
                (bytes as u64).min(foldable)
            } else {
                0
            },
            whole_s: folds.then(|| idle_s + foldable as f64 / drive.fold_mb_s() / 1e6),
        });
        self
    }

    /// With a run on `small`, which stands for the drive of this fill.
    ///
    /// # Errors
    /// The device cannot be built, or failed.
    pub fn measured(mut self, lab: &Lab, small: &Config) -> Result<Self, SimError> {
        let failed = |error: ssdlab_device::DeviceError| SimError::Fill(error.to_string());
        let mut device = lab.systems().device(small)?;
        let capacity = small.flash.capacity;
        let times = self.capacity as f64 / capacity as f64;
        let mut at = (self.filled * capacity as f64) as u64 / REQUEST * REQUEST;
        let (mut end, mut since, mut phases) = (at as f64, 0, Vec::new());
        for phase in &self.phases {
            end += phase.bytes as f64 / times;
            let first = at;
            while at < capacity && (at as f64) < end {
                let size = REQUEST.min(capacity - at);
                let request = Request::new(since, Op::Write, at, size);
                let request = request.expect("within the capacity");
                device.submit(&request).map_err(failed)?;
                at += size;
            }
            let now = device.counters().elapsed_ns;
            let mb_s = (at - first) as f64 * 1e3 / (now - since).max(1) as f64;
            phases.push(Phase { mb_s, ..*phase });
            since = now;
        }
        self.measured = Some(Measured {
            capacity,
            seconds: phases.iter().map(seconds_of).sum(),
            phases,
        });
        Ok(self)
    }

    /// The drive that runs in place of `config`, with the layers of `resolver`: as fast as it goes, from the state before the
    /// fill, and no larger than so many bytes.
    ///
    /// # Errors
    /// There is no such drive.
    pub fn stand_in(
        mut resolver: Resolver,
        config: &Config,
        filled: f64,
        bytes: u64,
    ) -> Result<Config, ConfigError> {
        let before = match filled {
            0.0 => "empty".into(),
            share => share.to_string(),
        };
        resolver.set(&format!("precondition={before}"))?;
        // a fill has no pauses
        for setting in ["replay=closed", "ftl.slc_idle_us=0", "ftl.slc_reclaim=0"] {
            resolver.set(setting)?;
        }
        if SLC_FULL.of(config.inputs().settings) != WhenFull::Beside {
            resolver.set("ftl.slc_rest=0")?;
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

/// A drive with a cache, in pages and blocks of all FTLs together.
struct Drive<'a> {
    config: &'a Config,
    slc: SlcConfig,
    ftls: f64,
    /// The blocks of the native pool, and the pages of a block, of one FTL.
    native: f64,
    pages: f64,
    /// The logical pages of one FTL.
    logical: f64,
    gc_low: f64,
}

impl<'a> Drive<'a> {
    fn of(config: &'a Config) -> Option<Self> {
        let inputs = config.inputs();
        let slc = SlcConfig::configure(&inputs).filter(|_| config.reads("ftl.slc"))?;
        let capacity = config.flash.chip_capacity();
        let logical_blocks = capacity.logical_blocks as f64;
        let physical = logical_blocks + f64::from(inputs.spare_blocks);
        Some(Self {
            config,
            ftls: f64::from(config.flash.separate_chips()),
            native: physical - f64::from(slc.fixed),
            pages: capacity.pages_per_block as f64,
            logical: capacity.logical_pages() as f64,
            gc_low: GC_LOW.of(inputs.settings) as f64,
            slc,
        })
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

    /// Folding in pauses, in 10^6 bytes a second: at most a native program's speed.
    fn fold_mb_s(&self) -> f64 {
        let (flash, timing) = (&self.config.flash, &self.config.timing);
        let (stripe, ways) = match flash.interleave {
            Interleave::Line => (flash.chips(), flash.chips_per_channel),
            Interleave::Page | Interleave::Block => (flash.chips(), 1),
            Interleave::Superpage => (1, 1),
        };
        let moves = 2 * u64::from(ways) * timing.parallel.channel_ns;
        let step = timing.slc_read_ns + timing.fold_program_ns + moves;
        f64::from(stripe) * f64::from(flash.page_size) * 1e3 / step.max(1) as f64
    }

    /// The dynamic blocks that the cache may take, with so many pages in native blocks that fill so many.
    fn dynamic(&self, pages: f64, blocks: f64) -> f64 {
        if !self.slc.has_dynamic {
            return 0.0;
        }
        let most = match self.slc.dynamic {
            ALL_BLOCKS => self.native,
            some => f64::from(some),
        };
        let gone = self.slc.gone_pages(self.logical as u64) as f64;
        let cap = match gone {
            0.0 => most,
            gone => (most * (gone - pages).max(0.0) / gone).floor(),
        };
        cap.min(self.native - blocks - f64::from(self.slc.keep))
            .max(0.0)
    }

    /// The room of the cache in pages, and the phases of a fill behind so many pages.
    fn phases(&self, written: f64) -> (f64, Vec<Phase>) {
        let timing = &self.config.timing;
        let (v1, v2) = (
            self.rate(timing.slc_program_ns),
            self.rate(timing.program_ns),
        );
        let (program_ns, fold_ns) = self.chip_ns();
        let folded = fold_ns / program_ns;
        let m = f64::from(self.slc.pages);
        let fixed = f64::from(self.slc.fixed);
        let blocks = (written / self.pages).ceil();
        let d = self.dynamic(written, blocks);
        let room = (fixed + d) * m;
        let mut phases = Vec::new();
        let mut rest = self.logical - written;
        let mut add = |name, pages: f64, mb_s: f64, rest: &mut f64| {
            let pages = pages.min(*rest);
            if pages > 0.0 {
                let bytes = self.bytes(pages);
                phases.push(Phase { name, bytes, mb_s });
                *rest -= pages;
            }
        };
        add("cache", room, v1, &mut rest);
        // what cleaning gains when a block of the cache is folded for space
        let gained = (self.pages - m).max(1.0);
        let chips = match self.config.flash.interleave {
            Interleave::Superpage => 1.0,
            Interleave::Page | Interleave::Block | Interleave::Line => {
                f64::from(self.config.flash.chips())
            }
        };
        let erase = timing.erase_ns as f64 * chips / self.ftls / (gained * program_ns);
        let v3 = v2 / (1.0 + folded * m / gained + erase);
        match self.slc.full {
            WhenFull::Direct => {
                let direct = (self.native - d - blocks - self.gc_low) * self.pages;
                add("direct", direct.max(0.0), v2, &mut rest);
                let last = if d > 0.0 { v3 } else { v2 };
                add("folding", rest, last, &mut rest);
            }
            WhenFull::Fold => {
                add("folding", rest, 1.0 / (1.0 / v1 + folded / v2), &mut rest);
            }
            WhenFull::Beside => {
                let q = self.slc.beside as f64 / 1e3;
                let kept = f64::from(self.slc.rest) * m;
                let mut native = written;
                let mut held = room;
                for _ in 0..MOST_PHASES / 2 {
                    let beside = ((held - kept) / q).max(0.0);
                    let space = (self.native - self.gc_low) * self.pages
                        - native
                        - (held / m - fixed).max(0.0) * self.pages;
                    if beside == 0.0 || space < beside {
                        break;
                    }
                    add("beside", beside, v2 / (1.0 + q * folded), &mut rest);
                    native += beside + held - kept;
                    let d = self.dynamic(native, (native / self.pages).ceil());
                    held = (fixed + d) * m;
                    add("cache", held, v1, &mut rest);
                }
                add("folding", rest, v3.min(v2 / (1.0 + q * folded)), &mut rest);
            }
        }
        (room, phases)
    }
}
