//! The device of a comparison that names none: a drive of today, as small as its trace and aged by it. And the write buffers
//! of a comparison that names none.

use ssdlab_config::is_of_device;
use ssdlab_device::Family;
use ssdlab_device::registry::built_in;
use ssdlab_words::size_value;

use crate::choices::Choices;
use crate::compact::Compaction;
use crate::error::SimError;
use crate::input::Trace;
use crate::key::CAPACITY;
use crate::plan::CompareOptions;

/// The key of the preset.
const PRESET: &str = "preset";
/// The preset of a drive of today.
pub const TODAY: &str = "nvme-tlc";
/// The least size of the small drive, bytes: below, it has fewer lines, and cleaning costs more.
const LEAST: u64 = 1 << 30;
/// A trace over more bytes is compacted: much of what it spans is never touched.
const WIDE: u64 = 16 << 30;

/// The built-in write buffers of a comparison that names none: no buffer, the order of pages that all others are measured by,
/// the best known one that spares dirty pages, the one of blocks that needs no padding, and our own.
pub const SHOWN: [&str; 5] = ["none", "lru", "cflru", "fab", "cbb"];

impl CompareOptions {
    /// Takes a drive of today, unless a preset, a file, or a key of the flash, the FTL or the time says which device it is, the
    /// choices included. The trace ages it, unless the configuration says what was before. Once the traces are known,
    /// [`fit_today`](Self::fit_today) makes it as small as they are. At equal RAM, the cache of a map may be a share of it.
    #[must_use]
    pub fn or_today(mut self, choices: &Choices) -> Self {
        self.resolver.take_shares(!choices.ram_total.is_empty());
        if self.resolver.is_scaled()
            && !self.resolver.names_device()
            && let Some(presets) = choices.vary.iter().find(|axis| axis.key == PRESET)
            && let Some(first) = presets.values.first()
        {
            // each run has its own; the base needs one that can be scaled
            self.resolver.preset(first);
        }
        let varied = choices.vary.iter().map(|axis| axis.key.as_str());
        let mut varied = varied.map(|key| self.resolver.path_of(key).unwrap_or(key));
        if self.resolver.names_device() || !choices.ftls.is_empty() || varied.any(is_of_device) {
            return self;
        }
        self.resolver.preset(TODAY);
        self.settled = true;
        self.today = ["--preset", TODAY].map(str::to_owned).to_vec();
        if !self.resolver.is_scaled() {
            self.fits_today = true;
            self.scale_today(LEAST);
        }
        self
    }

    /// Makes a drive of today as small as the largest of these traces.
    ///
    /// # Errors
    /// An unreadable trace.
    pub fn fit_today(&mut self, traces: &[&Trace]) -> Result<(), SimError> {
        if !self.fits_today || self.replay.wrap {
            return Ok(());
        }
        let spans = traces.iter().map(|trace| trace.summary.end);
        let mut size = spans.max().unwrap_or(0).max(LEAST);
        self.replay.compact |= size > WIDE;
        if self.replay.compact {
            size = self.touched(traces)?;
        }
        let usual = self.resolver.resolve()?.buffer.size;
        self.scale_today(size);
        if self.resolver.resolve().is_err() {
            self.widen_today()?;
        }
        if self.sizes == [usual] {
            self.sizes = vec![self.resolver.resolve()?.buffer.size];
        }
        Ok(())
    }

    /// Bytes of the smallest drive on which the touched blocks of each trace have room.
    fn touched(&mut self, traces: &[&Trace]) -> Result<u64, SimError> {
        let mut size = LEAST;
        loop {
            self.scale_today(size);
            let Ok(config) = self.resolver.resolve() else {
                return Ok(size);
            };
            let mut touched = 0;
            for trace in traces {
                let compaction = Compaction::of(trace, config.flash.block_bytes())?;
                touched = touched.max(compaction.end());
            }
            if touched <= size {
                return Ok(size);
            }
            // a larger drive has larger blocks, of which the trace touches as many or fewer
            size = touched.max(size + size / 8);
        }
    }

    /// Scales the preset to so many bytes, in whole MiB.
    fn scale_today(&mut self, size: u64) {
        const MIB: u64 = 1 << 20;
        let size = size.div_ceil(MIB) * MIB;
        let given = size_value(size);
        self.resolver.scale_to(size, &given);
        self.today.truncate(2);
        self.today.extend(["--scale-to".into(), given]);
    }

    /// Takes the preset as it is, with as many bytes as the traces need.
    fn widen_today(&mut self) -> Result<(), SimError> {
        let capacity = format!("{CAPACITY}=auto");
        self.resolver.unscaled().set(&capacity)?;
        self.today.truncate(2);
        self.today.extend(["--set".into(), capacity]);
        Ok(())
    }

    /// Takes the write buffers that a comparison shows unless it is asked for all: [`SHOWN`], that of the configuration, and
    /// those of other crates.
    pub(crate) fn take_usual_buffers(&mut self) {
        let of_others = |name: &str| built_in(Family::Buffer).iter().all(|one| one.name != name);
        let configured = self.baseline.as_deref();
        let (usual, others) = std::mem::take(&mut self.buffers)
            .into_iter()
            .partition(|name| {
                let name = name.as_str();
                SHOWN.contains(&name) || configured == Some(name) || of_others(name)
            });
        let others: Vec<String> = others;
        (self.buffers, self.further_buffers) = (usual, others.len());
    }
}
