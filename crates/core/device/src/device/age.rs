//! Ages a new device before the host comes: at no cost, and outside all counts.

use ssdlab_flash::{Lpn, Media};
use ssdlab_ftl::{AHEAD, Buffer, FtlError};
use ssdlab_policy::SplitMix64;

use super::Device;
use crate::core::Chip;
use crate::{Ageing, Precondition};

/// The seed of the overwritten places. No trace has the same numbers, as their generator is another one.
const SEED: u64 = 0x5EED_A6E0;
/// The overwrites between two looks at whether to stop.
const POLLED: u64 = 1 << 14;

/// Why a device was not aged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAged {
    /// Its FTL or its flash failed.
    Failed(FtlError),
    /// It was asked to stop.
    Stopped,
}

impl<M: Media> Device<M> {
    /// Ages a device whose pages were all written once in order, and that has served no request: [`Precondition::Aged`].
    /// The FTL writes; buffers, clocks and counters know nothing of it, and erases are counted from here on. Nothing for
    /// the other preconditions. An FTL that knows the future learns it now. Polls `stopped` now and then.
    ///
    /// # Errors
    /// The FTL failed, or it was stopped; then the device cannot be used.
    pub fn age(
        &mut self,
        precondition: &Precondition,
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<(), NotAged> {
        if let Precondition::Aged(ageing) = precondition {
            self.use_up(ageing, stopped)?;
        }
        self.foretell();
        Ok(())
    }

    /// The requests that follow age the device: its clocks, which have not begun, stand still, if no count depends on them.
    /// Until [`Device::end_ageing`]. Returns whether clocks go on.
    pub fn begin_ageing(&mut self) -> bool {
        // FTLs clean in the gaps that clocks show, and regions in RAM are empty only after a drain
        self.core.age(true);
        let goes_on = self.idle_ns != [0, 0] || self.core.has_ram_region && !self.drains_at_end;
        if !goes_on {
            self.core.stop_clocks();
        }
        goes_on && self.core.elapsed_ns().is_some()
    }

    /// The device is aged, and [`Device::finish`] was called: the clocks begin.
    pub fn end_ageing(&mut self) {
        self.core.age(false);
        let (held, _) = self.stage.buffered();
        self.core.start_clocks(held);
    }

    /// Tells the FTL of the writes to come, if it must know them.
    fn foretell(&mut self) {
        if let (Some(future), Some(chip)) = (self.future.take(), self.core.chips.only_mut()) {
            chip.ftl.foretell(&future);
        }
    }

    fn use_up(
        &mut self,
        ageing: &Ageing,
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<(), NotAged> {
        let pages = self.core.geometry().logical_pages();
        let filled = (ageing.filled * f64::from(pages)) as u32;
        for page in filled..pages {
            self.core
                .discard_unseen(Lpn(page))
                .map_err(NotAged::Failed)?;
        }
        self.core.age(true);
        self.overwrite(ageing, filled, stopped)?;
        self.core.age(false);
        let ended = self.core.end_unseen();
        ended.map_err(NotAged::Failed)?;
        self.erased_before = self.media_erases();
        self.placed_before = self.core.regions();
        Ok(())
    }

    /// Overwrites the first `filled` pages at random places.
    fn overwrite(
        &mut self,
        ageing: &Ageing,
        filled: u32,
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<(), NotAged> {
        let all = f64::from(self.core.geometry().logical_pages());
        let size = ageing.size.div_ceil(self.page_size()).max(1);
        let size = u32::try_from(size).unwrap_or(u32::MAX).min(filled);
        if size == 0 {
            return Ok(());
        }
        let places = (filled / size) as usize;
        let mut rest = (ageing.overwrites * all / f64::from(size)).ceil() as u64;
        let mut random = SplitMix64(SEED);
        let mut ahead = [Lpn(0); AHEAD];
        let mut polled = 0;
        while rest > 0 {
            let now = rest.min(AHEAD as u64) as usize;
            let ahead = &mut ahead[..now];
            ahead.fill_with(|| Lpn(random.below(places) as u32 * size));
            self.core.foresee(ahead);
            for first in ahead {
                self.core.end_at(first.plus(size - 1));
                for page in 0..size {
                    let written = self.core.write_unseen(first.plus(page));
                    written.map_err(NotAged::Failed)?;
                }
            }
            rest -= now as u64;
            polled += now as u64 * u64::from(size);
            if polled >= POLLED {
                polled = 0;
                if stopped() {
                    return Err(NotAged::Stopped);
                }
            }
        }
        Ok(())
    }
}

impl<M: Media> crate::core::Core<M> {
    /// Whether writes from now on age the device.
    fn age(&mut self, ages: bool) {
        for chip in self.chips.iter_mut() {
            chip.env.age(ages);
        }
    }

    /// Writes a page of zeros. No clock learns of it.
    fn write_unseen(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.tell_end(lpn);
        let blank = &self.blank;
        let (chip, local) = self.chips.of_mut(lpn);
        let Chip { ftl, env } = chip;
        ftl.write(env, &mut Buffer::none(), local, blank)?;
        chip.forget_notes();
        Ok(())
    }

    /// Discards a page. No clock learns of it.
    fn discard_unseen(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        let (chip, local) = self.chips.of_mut(lpn);
        chip.ftl.discard(&mut chip.env, local)?;
        chip.forget_notes();
        Ok(())
    }

    /// Empties the regions in RAM and sets all counts to 0. The caches of maps in flash stay as they are.
    fn end_unseen(&mut self) -> Result<(), FtlError> {
        let drains = self.has_ram_region;
        for chip in self.chips.iter_mut() {
            if drains {
                chip.ftl.drain(&mut chip.env)?;
            }
            chip.forget_notes();
            chip.env.forget_counts();
        }
        Ok(())
    }
}
