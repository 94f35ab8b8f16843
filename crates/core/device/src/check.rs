//! Refuses devices that cannot be built.

use ssdlab_flash::Media;
use ssdlab_ftl::page::{IDLE_CLEANING_US, MAP, SLC, SLC_IDLE_US};
use ssdlab_ftl::{Impossible, Needs};
use ssdlab_policy::Key;
use ssdlab_policy::buffer::SIZE;

use crate::keys::timing;
use crate::{Interleave, Issue, MAX_PAGES, Parameters, Stack, TimeModel, keys};

/// Why a device cannot clean in gaps between requests.
pub const CLEANS_IN_NO_GAPS: &str = "must be 0 unless timing.model is \"parallel\" or \"drive\" and replay is \"timed\": only then are there gaps between requests";

/// Why a drive of today has no SLC cache.
pub const NO_SLC_IN_DRIVES: &str = "must be \"off\" with timing.model \"drive\", which has no times for SLC mode; \"parallel\" and \"serial\" have";

/// Why a drive of today has no map in flash.
pub const NO_MAP_IN_DRIVES: &str = "must be \"ram\" with timing.model \"drive\", which has no times for a map in flash; \"parallel\" and \"serial\" have";

/// Why the blocks of a drive of today do not differ.
pub const NO_SPREAD_IN_DRIVES: &str = "must be 0 with timing.model \"drive\", whose chips program blocks of many planes at once; \"parallel\" and \"serial\" have it";

/// Why a device cannot fold in gaps between requests.
pub const FOLDS_IN_NO_GAPS: &str = "must be 0 unless timing.model is \"parallel\" and replay is \"timed\": only then are there gaps between requests";

/// What a device needs whose chips program several pages at once, in words, if it lacks it.
pub fn units_lack(needs: &Needs, has_buffer: bool, copy_back: bool) -> Option<&'static str> {
    if needs.frontiers.is_none() {
        Some(
            "an FTL that fills its blocks page by page (ftl.kind = \"page\", and not gc_frontier = \"in-place\")",
        )
    } else if !has_buffer {
        Some("a write buffer, in which pages wait for each other")
    } else if copy_back {
        Some("flash.copy_back = false")
    } else {
        None
    }
}

impl Parameters {
    /// Whether an SLC cache can fold in gaps between requests.
    pub fn has_folding_gaps(&self) -> bool {
        self.timing.model == TimeModel::Parallel && self.has_gaps()
    }

    /// Whether there are gaps between requests: they come at their times.
    pub fn has_gaps(&self) -> bool {
        self.timing.model.has_clocks() && matches!(self.timing.parallel.issue, Issue::Timed { .. })
    }

    /// Refuses a device that cannot be built. The key is that of the parameter in a configuration file.
    pub fn check<M: Media>(&self, stack: &Stack<M>) -> Result<(), Impossible> {
        let refuse = |key, why: String| Err(Impossible { key, why });
        let flash = &self.flash;
        let shape = [
            (keys::flash::PAGE_SIZE.key.path, u64::from(flash.page_size)),
            (
                keys::flash::PAGES_PER_BLOCK.key.path,
                flash.pages_per_block.into(),
            ),
            (keys::flash::PLANES.key.path, flash.planes.into()),
            (keys::flash::CHANNELS.key.path, flash.channels.into()),
            (
                keys::flash::CHIPS_PER_CHANNEL.key.path,
                flash.chips_per_channel.into(),
            ),
        ];
        if let Some((key, _)) = shape.into_iter().find(|(_, n)| *n == 0) {
            return refuse(key, "must be at least 1".into());
        }
        if flash.interleave == Interleave::Line
            && !flash.pages_per_block.is_multiple_of(flash.chips())
        {
            let why = "must be a multiple of the chips of a line".into();
            return refuse(keys::flash::PAGES_PER_BLOCK.key.path, why);
        }
        let step = flash.capacity_step();
        if flash.capacity == 0 || !flash.capacity.is_multiple_of(step) {
            let why = format!("must be a whole number of units of {step} bytes, at least one");
            return refuse(keys::flash::CAPACITY.key.path, why);
        }
        let needs = stack.needs(self)?;
        if self.timing.model == TimeModel::Drive {
            self.check_today(stack, &needs)?;
        }
        if needs.idle_cleaning_ns > 0 && !self.has_gaps() {
            return refuse(IDLE_CLEANING_US.key.path, CLEANS_IN_NO_GAPS.into());
        }
        if needs.has_slc && self.timing.model == TimeModel::Drive {
            return refuse(SLC.key.path, NO_SLC_IN_DRIVES.into());
        }
        if needs.map.is_some() && self.timing.model == TimeModel::Drive {
            return refuse(MAP.key.path, NO_MAP_IN_DRIVES.into());
        }
        if needs.slc_idle_ns > 0 && !self.has_folding_gaps() {
            return refuse(SLC_IDLE_US.key.path, FOLDS_IN_NO_GAPS.into());
        }
        let logical = flash.capacity / step;
        let named = logical * u64::from(flash.pages_per_block) + u64::from(needs.own_pages);
        if named > MAX_PAGES.into() {
            let why = format!(
                "makes {named} logical pages and pages of the FTL, must be at most {MAX_PAGES}"
            );
            return refuse(keys::flash::CAPACITY.key.path, why);
        }
        let physical =
            needs.physical_blocks(logical) + needs.map.map_or(0, |map| u64::from(map.blocks));
        let chips = u64::from(flash.separate_chips());
        let pages = physical.max(logical) * chips * u64::from(flash.pages_per_block);
        if pages > MAX_PAGES.into() {
            let why = format!("makes {pages} physical pages, must be at most {MAX_PAGES}");
            return refuse(keys::flash::CAPACITY.key.path, why);
        }
        let least = if self.buffer.count_headers { 2 } else { 1 };
        if stack.has_sized_buffer() && flash.pages_in(self.buffer.size) < least {
            return refuse(SIZE.key.path, format!("must hold at least {least} pages"));
        }
        if stack.read_buffer().is_some() && flash.pages_in(self.read_buffer_size) < 1 {
            return refuse(
                keys::read_buffer::SIZE.key.path,
                "must hold at least 1 page".into(),
            );
        }
        Ok(())
    }

    /// Refuses what chips of today cannot do.
    fn check_today<M: Media>(&self, stack: &Stack<M>, needs: &Needs) -> Result<(), Impossible> {
        let refuse = |key: Key, why: String| Err(Impossible { key: key.path, why });
        let today = &self.timing.today;
        let (unit, group) = (today.unit_pages, today.group_pages);
        let in_chip = match self.flash.interleave {
            Interleave::Line => self.flash.pages_per_block / self.flash.chips(),
            _ => self.flash.pages_per_block,
        };
        if self.timing.parallel.read_suspends {
            let why = "must be false with timing.model = \"drive\", whose reads suspend at the price of timing.suspend_us";
            return refuse(timing::READ_SUSPENDS.key, why.into());
        }
        if self.timing.spread.is_some() {
            return refuse(timing::SPREAD.key, NO_SPREAD_IN_DRIVES.into());
        }
        if unit == 0 || !in_chip.is_multiple_of(unit) {
            let why = format!("must divide the {in_chip} pages of a block of one chip");
            return refuse(timing::PROGRAM_PAGES.key, why);
        }
        if group == 0 || !unit.is_multiple_of(group) {
            let why = format!("must divide the {unit} of timing.program_pages");
            return refuse(timing::SENSE_PAGES.key, why);
        }
        if today.reads_at_once == 0 {
            return refuse(timing::READS_AT_ONCE.key, "must be at least 1".into());
        }
        let lacks = units_lack(needs, stack.buffer().is_some(), self.flash.copy_back);
        if unit > 1
            && let Some(lacks) = lacks
        {
            let why = format!("must be 1 without {lacks}");
            return refuse(timing::PROGRAM_PAGES.key, why);
        }
        let (slots, open) = (self.spare_slots(needs), self.open_pages(needs));
        if stack.buffer().is_some() && slots < open {
            let why = format!(
                "must be at least {open}: a unit of {unit} pages for each block that the FTL fills at a time"
            );
            return refuse(timing::SPARE_SLOTS.key, why);
        }
        Ok(())
    }
}
