//! The typed configuration that the systems read.

mod complete;
mod named;
mod typed;

use crate::effect::reads;
use crate::error::ConfigError;
use crate::kind::Refusal;
use crate::layer::Layer;
use crate::scale::Large;
use ssdlab_device::keys::{drive, flash};
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_device::{
    Catalogue, Cause, Controller, Issue, Natures, Parameters, Registry, Selection, SlcWearing,
    Stack,
};
use ssdlab_flash::Media;
use ssdlab_ftl::page::PLACEMENT;
use ssdlab_ftl::{Inputs, Needs, SlcState};
use ssdlab_policy::placement::fdp::Handles;
use ssdlab_policy::{cleaning, placement};
use std::ops::Deref;
use std::sync::Arc;

pub(crate) use typed::chosen_placement;

/// The keys `drive.*` of bad flash. Zeros: none of that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveConfig {
    /// Erase blocks of each chip that replace bad ones.
    pub spare_blocks: u32,
    /// Erase blocks of each chip that are bad from the beginning.
    pub bad_blocks: u32,
    /// The share of programs that fail, 0 to 1.
    pub program_failures: f64,
    /// The share of erases that fail, 0 to 1.
    pub erase_failures: f64,
    /// Erases after which a block is worn out.
    pub erase_limit: u32,
    /// Wrong bits in a KiB of a new block, on average.
    pub bit_errors: f64,
    /// Wrong bits that each erase of the block adds, on average.
    pub bit_errors_per_erase: f64,
    /// Wrong bits in a KiB that can be corrected.
    pub ecc_bits: u32,
    /// Seed of the random numbers for faults.
    pub fault_seed: u64,
}

/// A checked configuration. Two are equal if they agree in all keys that their systems read.
#[derive(Clone, Debug)]
pub struct Config {
    /// The preset it is based on.
    pub preset: Option<String>,
    /// The name of the write buffer's policy.
    pub policy: &'static str,
    /// The name of the read buffer's policy.
    pub read_policy: &'static str,
    /// The name of the FTL.
    pub ftl: &'static str,
    /// What the FTL needs on each chip with its own FTL; nothing while the capacity is open.
    pub needs: Needs,
    /// The cause of the FTL's copies and erases: merges or cleaning.
    pub moves: Cause,
    /// One sentence for each key that was given but has no effect, for a rounded capacity, and for what was
    /// scaled.
    pub warnings: Vec<String>,
    /// The drive that this one stands for, if it was scaled.
    pub large: Option<Large>,
    /// The share of all RAM, 0 to 1, for the cache of a map in flash, if that is given in place of its size.
    pub map_share: Option<f64>,
    parameters: Parameters,
    spare_blocks: u32,
    cleaning: cleaning::Chosen,
    placement: placement::Chosen,
    pub(crate) layer: Layer,
}

impl Deref for Config {
    type Target = Parameters;

    fn deref(&self) -> &Parameters {
        &self.parameters
    }
}

impl Config {
    /// The settings of the FTL and of the policies that it uses.
    pub fn inputs(&self) -> Inputs<'_> {
        typed::inputs(
            &self.layer,
            self.spare_blocks,
            self.cleaning.clone(),
            self.placement.clone(),
        )
    }

    /// The reclaim unit handles of the placement, if it has any.
    pub fn handles(&self) -> Option<&Handles> {
        self.placement
            .handles()
            .filter(|_| self.reads(PLACEMENT.key.path))
    }

    /// The settings of the placement.
    pub fn placement_inputs(&self) -> placement::Inputs<'_> {
        typed::placement_inputs(&self.layer)
    }

    /// The systems of this configuration, built by a registry with the same systems.
    pub fn stack<M: Media>(&self, registry: &Registry<M>) -> Stack<M> {
        registry.stack(&Selection {
            buffer: self.policy,
            read_buffer: self.read_policy,
            ftl: self.ftl,
            inputs: self.inputs(),
        })
    }

    /// The systems that the configuration can name.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        self.layer.catalogue()
    }

    /// Whether `flash.capacity` is `"auto"`; then [`with_capacity`](Self::with_capacity) must be called first.
    pub fn is_auto(&self) -> bool {
        flash::CAPACITY.of(&self.layer).is_none()
    }

    /// Whether a preset, a file or `--set` gives the key.
    pub fn gives(&self, path: &str) -> bool {
        self.layer.gives(path)
    }

    /// The place where the user gave a key, in a file or by `--set`, as the start of a message.
    pub fn given_at(&self, path: &str) -> Option<String> {
        let given = self
            .layer
            .get(path)
            .filter(|given| given.origin.is_explicit())?;
        Some(format!("{}{} = {}", given.origin, given.name, given.found))
    }

    /// The error for a key whose value is impossible for a reason that the configuration does not know; `why` says what
    /// is allowed. None if the key has no value of its own.
    pub fn refusal(&self, path: &'static str, why: String) -> Option<ConfigError> {
        let given = self.layer.get(path)?;
        Some(given.refuse(Refusal(why)))
    }

    /// Whether the chosen systems read the key of this path.
    pub fn reads(&self, path: &str) -> bool {
        reads(&self.layer, path)
    }

    /// The number of logical blocks.
    pub fn logical_blocks(&self) -> u32 {
        self.flash.logical_blocks()
    }

    /// The number of logical pages.
    pub fn logical_pages(&self) -> u32 {
        self.flash.logical_pages()
    }

    /// The number of physical blocks; 0 for an FTL without flash.
    pub fn physical_blocks(&self) -> u32 {
        self.all_blocks() as u32
    }

    /// Like `physical_blocks`, but not limited to the allowed maximum.
    pub(crate) fn all_blocks(&self) -> u64 {
        let logical = self.flash.chip_capacity().logical_blocks;
        self.needs.physical_blocks(logical) * u64::from(self.flash.separate_chips())
    }

    /// Whether the clocks of the parallel model give the times.
    pub fn has_clocks(&self) -> bool {
        self.timing.model.has_clocks()
    }

    /// Whether requests are issued at their times in the trace.
    pub fn is_timed(&self) -> bool {
        self.has_clocks() && matches!(self.timing.parallel.issue, Issue::Timed { .. })
    }

    /// The same device, to which requests come at their times.
    pub fn timed(mut self) -> Self {
        self.parameters.timing.parallel.issue = Issue::Timed { speedup: 1.0 };
        self
    }

    /// The program/erase cycles that a block endures.
    pub fn pe_cycles(&self) -> u64 {
        flash::PE_CYCLES.of(&self.layer)
    }

    /// What wears the blocks of an SLC cache; see [`Device::slc_erases`](ssdlab_device::Device::slc_erases).
    pub fn slc_wearing<'a>(&self, slc: &SlcState, blocks: &'a [(bool, u32)]) -> SlcWearing<'a> {
        SlcWearing {
            blocks,
            pages_per_slc_block: slc.pages_per_slc_block,
            slc_pe_cycles: flash::SLC_PE_CYCLES.of(&self.layer),
            slc_wear: flash::SLC_WEAR.of(&self.layer),
        }
    }

    /// The terabytes that the maker rates, if they are given.
    pub fn rated_tbw(&self) -> Option<f64> {
        flash::RATED_TBW.get(&self.layer)
    }

    /// Whether there is a read buffer.
    pub fn has_read_buffer(&self) -> bool {
        self.read_policy != NO_BUFFER
    }

    /// The time that power lasts after it was cut, in ns (`drive.hold_ms`).
    pub fn hold_ns(&self) -> u64 {
        drive::HOLD_MS.of(&self.layer) * 1_000_000
    }

    /// What a drive does with bad flash, and how bad it is.
    pub fn drive(&self) -> DriveConfig {
        let settings = &self.layer;
        DriveConfig {
            spare_blocks: drive::SPARE_BLOCKS.of(settings) as u32,
            bad_blocks: drive::BAD_BLOCKS.of(settings) as u32,
            program_failures: drive::PROGRAM_FAILURES.of(settings),
            erase_failures: drive::ERASE_FAILURES.of(settings),
            erase_limit: drive::ERASE_LIMIT.of(settings) as u32,
            bit_errors: drive::BIT_ERRORS.of(settings),
            bit_errors_per_erase: drive::BIT_ERRORS_PER_ERASE.of(settings),
            ecc_bits: drive::ECC_BITS.of(settings) as u32,
            fault_seed: drive::FAULT_SEED.of(settings),
        }
    }

    /// What a controller needs for this device.
    pub fn controller(&self) -> Controller {
        Controller::of(self, &self.needs, self.natures())
    }

    fn natures(&self) -> Natures {
        let of = |policy| {
            let info = self.catalogue().buffer(policy);
            info.and_then(|info| info.nature_with(&self.layer))
        };
        Natures {
            write: of(self.policy),
            read: of(self.read_policy),
        }
    }

    /// The size of the write buffer in pages: 0 without one, all logical pages if unbounded.
    pub fn buffer_pages(&self) -> u32 {
        match self.natures().write {
            None => 0,
            Some(nature) if !nature.bounded => self.logical_pages(),
            Some(_) => self.flash.pages_in(self.buffer.size) as u32,
        }
    }
}

impl PartialEq for Config {
    fn eq(&self, other: &Self) -> bool {
        let read = |config: &Config| -> Vec<_> {
            let keys = config.effective();
            keys.map(|(key, value)| (key.path, value.clone())).collect()
        };
        read(self) == read(other)
    }
}
