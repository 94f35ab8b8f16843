//! Cleaning policies choose the full block that a page-mapping FTL cleans next.
//!
//! The FTL reports each block that becomes full, each page that becomes invalid and each erase. The policy keeps orders
//! and counts, and names a victim. The FTL moves the pages.

mod by_age;
pub mod cat;
mod check;
pub mod cost_benefit;
pub mod d_choices;
pub mod fifo;
pub mod greedy;
pub mod jffs2;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::{self, Debug};

use ssdlab_flash::{Geometry, Pbn};

use crate::{Entry, Settings};

/// The cleaning policies of this crate.
pub fn built_in() -> Vec<Registered> {
    vec![
        Registered::of::<greedy::Greedy>(),
        Registered::of::<cost_benefit::CostBenefit>(),
        Registered::of::<cat::Cat>(),
        Registered::of::<fifo::Fifo>(),
        Registered::of::<jffs2::Jffs2>(),
        Registered::of::<d_choices::DChoices>(),
    ]
}

/// A cleaning policy.
pub trait Cleaning: Send {
    /// Sets the erase count of a block during a mount, before any block is reported full. Later erases are reported
    /// through [`erased`](Self::erased).
    fn worn(&mut self, _block: Pbn, _erases: u32) {}

    /// A block is full, with `valid` valid pages; from now on it can be a victim. The order of these calls is the order
    /// in which the blocks were filled. `now`: pages written, or ns of trace time, which need not ascend.
    fn filled(&mut self, block: Pbn, valid: u32, now: u64);

    /// A page became invalid. Calls for blocks that are not full have no effect.
    fn invalidated(&mut self, block: Pbn, now: u64);

    /// Announces that pages of these blocks will soon become invalid, for prefetching. Changes nothing.
    fn foresee(&self, _blocks: &[Pbn]) {}

    /// A full block was erased.
    fn erased(&mut self, block: Pbn);

    /// Names the next victim. Called only while some full block has an invalid page. Before the next call the victim is
    /// erased, or [`passed_over`](Self::passed_over).
    fn pick(&mut self, now: u64) -> Pbn;

    /// The victim that was named last is not cleaned now: a policy that counts victims does not count it.
    fn passed_over(&mut self) {}

    /// Compares the kept state with all full blocks and their valid pages, in the order in which they were filled.
    /// Returns the first difference. For tests.
    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String>;

    /// Compares the kept erase count of a block with the true one. For tests.
    fn check_worn(&self, _block: Pbn, _erases: u32) -> Result<(), String> {
        Ok(())
    }
}

/// What a controller keeps for each block unless the policy says otherwise: one number.
const BLOCK_BYTES: u64 = 4;

/// A cleaning policy for the registry. Each policy implements it once.
pub trait CleaningKind: Cleaning + Sized + 'static {
    /// Name, rule, source, and the keys it reads.
    const ENTRY: Entry;

    /// The bytes that a controller keeps for each block to choose victims. The default is the number of its valid pages.
    const BLOCK_BYTES: u64 = BLOCK_BYTES;

    /// Its parameters.
    type Config: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// Its parameters, from the keys that [`CleaningKind::ENTRY`] lists.
    fn configure(settings: &dyn Settings) -> Self::Config;

    /// An upper bound, in bytes, of the memory of its tables. The default allows 64 bytes for each block and 17 for each
    /// page of one block.
    fn table_bytes(blocks: u64, pages_per_block: u64) -> u64 {
        by_age::table_bytes(blocks, pages_per_block, 1)
    }

    /// The policy for a device without full blocks.
    fn new(geometry: &Geometry, config: &Self::Config) -> Self;
}

type TableBytes = dyn Fn(u64, u64) -> u64 + Send + Sync;
type Build = dyn Fn(&Geometry) -> Box<dyn Cleaning> + Send + Sync;

/// A cleaning policy with its parameters.
#[derive(Clone)]
pub struct Chosen {
    entry: Entry,
    block_bytes: u64,
    table_bytes: Arc<TableBytes>,
    build: Arc<Build>,
}

impl Chosen {
    /// A policy with these parameters.
    pub fn of<K: CleaningKind>(config: K::Config) -> Self {
        Self {
            block_bytes: K::BLOCK_BYTES,
            ..Self::new(K::ENTRY, K::table_bytes, move |geometry| {
                Box::new(K::new(geometry, &config))
            })
        }
    }

    /// A policy that `build` makes. `table_bytes` bounds the memory of its tables, in bytes, by the blocks of the device
    /// and the pages of a block.
    pub fn new(
        entry: Entry,
        table_bytes: impl Fn(u64, u64) -> u64 + Send + Sync + 'static,
        build: impl Fn(&Geometry) -> Box<dyn Cleaning> + Send + Sync + 'static,
    ) -> Self {
        Self {
            entry,
            block_bytes: BLOCK_BYTES,
            table_bytes: Arc::new(table_bytes),
            build: Arc::new(build),
        }
    }

    /// Its description.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// An upper bound of the memory of its tables, in bytes.
    pub fn table_bytes(&self, blocks: u64, pages_per_block: u64) -> u64 {
        (self.table_bytes)(blocks, pages_per_block)
    }

    /// See [`CleaningKind::BLOCK_BYTES`].
    pub fn block_bytes(&self) -> u64 {
        self.block_bytes
    }

    /// The policy for a device without full blocks.
    pub fn build(&self, geometry: &Geometry) -> Box<dyn Cleaning> {
        (self.build)(geometry)
    }
}

impl Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)
    }
}

type Choose = dyn Fn(&dyn Settings) -> Chosen + Send + Sync;

/// A cleaning policy in the registry.
#[derive(Clone)]
pub struct Registered {
    entry: Entry,
    choose: Arc<Choose>,
}

impl Registered {
    /// A policy by its type.
    pub fn of<K: CleaningKind>() -> Self {
        Self::new(K::ENTRY, |settings| Chosen::of::<K>(K::configure(settings)))
    }

    /// A policy that `choose` configures.
    pub fn new(
        entry: Entry,
        choose: impl Fn(&dyn Settings) -> Chosen + Send + Sync + 'static,
    ) -> Self {
        Self {
            entry,
            choose: Arc::new(choose),
        }
    }

    /// Its description.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The policy with its parameters from these settings.
    pub fn choose(&self, settings: &dyn Settings) -> Chosen {
        (self.choose)(settings)
    }
}

impl Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)
    }
}
