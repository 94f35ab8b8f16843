//! Cleaning policies choose the full block that a page-mapping FTL cleans next.
//!
//! The FTL reports each block that becomes full, each page that becomes invalid and each erase. The policy keeps orders
//! and counts, and names a victim. The FTL moves the pages.

mod by_age;
mod cat;
mod cost_benefit;
mod d_choices;
mod fifo;
mod greedy;
mod jffs2;

use std::fmt::Debug;

use ssdlab_flash::{Geometry, Pbn};

use crate::Entry;

/// A cleaning policy.
pub trait Cleaning {
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

    /// Names the next victim. Called only while some full block has an invalid page. The victim is erased before the
    /// next call.
    fn pick(&mut self, now: u64) -> Pbn;

    /// Compares the kept state with all full blocks and their valid pages, in the order in which they were filled.
    /// Returns the first difference. For tests.
    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String>;

    /// Compares the kept erase count of a block with the true one. For tests.
    fn check_worn(&self, _block: Pbn, _erases: u32) -> Result<(), String> {
        Ok(())
    }
}

/// The parameters of all cleaning policies; each policy reads those that its entry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// `ftl.d` (d-choices): blocks drawn for each victim, at least 1.
    pub d: u32,
    /// `ftl.seed` (d-choices): seed of its random numbers.
    pub seed: u64,
}

macro_rules! registry {
    ($($module:ident::$policy:ident,)*) => {
        /// All cleaning policies.
        pub const ENTRIES: &[Entry] = &[$($module::$policy::ENTRY),*];

        /// The cleaning policies, by the names of their types.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = concat!("See `", stringify!($module), ".rs`.")] $policy,)*
        }

        impl Kind {
            /// The policy with this name.
            pub fn named(name: &str) -> Option<Self> {
                $(if name == $module::$policy::ENTRY.name {
                    return Some(Self::$policy);
                })*
                None
            }

            /// An upper bound of the memory of its tables, in bytes.
            pub fn table_bytes(self, blocks: u64, pages_per_block: u64) -> u64 {
                // one column of classes for each weight; each block may have another weight under cat
                let columns = if self == Self::Cat { blocks } else { 1 };
                64 * blocks + columns * (17 * (pages_per_block + 1) + 192)
            }

            /// The policy for a device without full blocks.
            pub fn build(self, geometry: &Geometry, params: &Params) -> Box<dyn Cleaning> {
                match self {
                    $(Self::$policy => Box::new($module::$policy::new(geometry, params)),)*
                }
            }
        }
    };
}

registry! {
    greedy::Greedy,
    cost_benefit::CostBenefit,
    cat::Cat,
    fifo::Fifo,
    jffs2::Jffs2,
    d_choices::DChoices,
}

/// Compares the state of a policy with the true state.
fn same<T: PartialEq + Debug>(kept: &[T], truth: &[T]) -> Result<(), String> {
    match kept == truth {
        true => Ok(()),
        false => Err(format!(
            "full blocks: {kept:?} in the order of cleaning, {truth:?} expected"
        )),
    }
}
