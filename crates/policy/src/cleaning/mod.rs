//! Cleaning policies: which full block a page-mapping FTL empties next.
//!
//! A policy is told when a block is full, when a page becomes invalid and when a block is erased. It keeps orders and
//! counts, and names a victim; to move its pages is the FTL's business.

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
    /// While mounting, before any block is named full: so often was this one erased. Erases from then on are told by
    /// [`erased`](Self::erased).
    fn worn(&mut self, _block: Pbn, _erases: u32) {}

    /// A block is full, with so many valid pages: from now on it can be a victim. The order of these calls is the order
    /// in which blocks were filled. `now`: pages written, or ns of trace time, which need not ascend.
    fn filled(&mut self, block: Pbn, valid: u32, now: u64);

    /// A page became invalid. What is told of blocks that are not full has no meaning.
    fn invalidated(&mut self, block: Pbn, now: u64);

    /// Pages of these blocks will become invalid soon. Changes nothing.
    fn foresee(&self, _blocks: &[Pbn]) {}

    /// A full block was erased.
    fn erased(&mut self, block: Pbn);

    /// Names the next victim. Asked only while a full block has an invalid page; the victim is erased before the next
    /// question.
    fn pick(&mut self, now: u64) -> Pbn;

    /// Compares what is kept with all full blocks and their numbers of valid pages, in the order in which they were
    /// filled, and names the first difference. For tests.
    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String>;

    /// Compares what is kept of a block's wear with its erases. For tests.
    fn check_worn(&self, _block: Pbn, _erases: u32) -> Result<(), String> {
        Ok(())
    }
}

/// The parameters of all cleaning policies; each reads those that its entry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// `ftl.d` (d-choices): blocks drawn for each victim, at least 1.
    pub d: u32,
    /// `ftl.seed` (d-choices): where its random numbers begin.
    pub seed: u64,
}

macro_rules! registry {
    ($($module:ident::$policy:ident,)*) => {
        /// Every policy that can run.
        pub const ENTRIES: &[Entry] = &[$($module::$policy::ENTRY),*];

        /// The policies that can run, by the names of their types.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = concat!("See `", stringify!($module), ".rs`.")] $policy,)*
        }

        impl Kind {
            /// The policy of this name.
            pub fn named(name: &str) -> Option<Self> {
                $(if name == $module::$policy::ENTRY.name {
                    return Some(Self::$policy);
                })*
                None
            }

            /// The policy for a device none of whose blocks is full.
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

/// For checks: what a policy keeps must be what is true.
fn same<T: PartialEq + Debug>(kept: &[T], truth: &[T]) -> Result<(), String> {
    match kept == truth {
        true => Ok(()),
        false => Err(format!(
            "full blocks: {kept:?} in the order of cleaning, {truth:?} in truth"
        )),
    }
}
