//! Placements: which region of a page-mapped device a page goes to.
//!
//! Each region in flash is written through a frontier of its own: an open block that takes pages in order.

use crate::Entry;

/// A placement. Regions are numbered from 0; the pages of a preconditioned device lie in region 0.
pub trait Placement {
    /// The region of a page that the host writes.
    fn of_write(&mut self) -> u32;

    /// The region of the pages that cleaning moves out of a block.
    fn of_copies(&self) -> u32;
}

/// `ftl.gc_frontier`: where `single` puts what cleaning copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcFrontier {
    /// Into blocks of its own.
    Separate,
    /// Among the pages that the host writes.
    Shared,
}

/// The parameters of all placements; each reads those that its entry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// See [`GcFrontier`].
    pub gc_frontier: GcFrontier,
}

macro_rules! registry {
    ($($module:ident $policy:ident,)*) => {
        $(mod $module;)*

        /// Every placement that can run.
        pub const ENTRIES: &[Entry] = &[$($module::$policy::ENTRY),*];

        /// The placements that can run, by the names of their types.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = concat!("See `", stringify!($module), ".rs`.")] $policy,)*
        }

        impl Kind {
            /// The placement of this name.
            pub fn named(name: &str) -> Option<Self> {
                $(if name == $module::$policy::ENTRY.name {
                    return Some(Self::$policy);
                })*
                None
            }

            /// Regions in flash, at least 1.
            pub fn regions(self, params: &Params) -> u32 {
                match self {
                    $(Self::$policy => $module::$policy::regions(params),)*
                }
            }

            /// The placement of a new device.
            pub fn build(self, params: &Params) -> Box<dyn Placement> {
                match self {
                    $(Self::$policy => Box::new($module::$policy::new(params)),)*
                }
            }
        }
    };
}

registry! {
    single Single,
}

/// Placements of the papers that are not built yet: refused by name.
pub const PLANNED: &[&str] = &["dac", "dac+", "deb"];
