//! Placements choose the region of a page-mapped device that a page goes to.
//!
//! Each region in flash has its own frontier: an open block that takes pages in order. A placement may also have one
//! region in RAM, which keeps its pages in the order of their last updates. Regions in flash are numbered from 0, the
//! coldest, which is region 1 of the paper.

mod dac;
mod dac_plus;
mod deb;
mod single;
mod stable;

use ssdlab_flash::Lpn;

use crate::Entry;

/// The destination of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The region in flash with this number.
    Flash(u32),
    /// The region in RAM.
    Ram,
}

/// The record that a clustering placement keeps for a page. A power cut loses it, unless the page is in RAM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastUpdate {
    /// The time of the last update: pages written before it, or ns of trace time.
    pub at: u64,
    /// The last update was fast (deb).
    pub fast: bool,
}

/// A placement. The pages of a preconditioned device are in region 0, last updated at time 0. Times need not ascend.
pub trait Placement {
    /// The region of all host writes, if the placement always chooses the same one.
    fn only_region(&self) -> Option<u32> {
        None
    }

    /// The place of a page that the host writes now and that is not in RAM. `from` is the region of its current
    /// version, if it has one.
    fn of_write(&mut self, lpn: Lpn, from: Option<u32>, now: u64) -> Place;

    /// The region of the pages that cleaning copies out of a block of this region.
    fn of_copies(&self, region: u32) -> u32;

    /// The most pages that the region in RAM ever holds. 0 means that there is no such region; the methods below are
    /// then never called.
    fn ram_pages(&self) -> u32 {
        0
    }

    /// The host now writes a page that is in RAM and stays there.
    fn updated_in_ram(&mut self, _: Lpn, _now: u64) {}

    /// The number of `held` pages in RAM that may stay before one more enters; the others are written back first.
    fn before_entry(&self, held: u32) -> u32 {
        held
    }

    /// The number of `held` pages in RAM that stay after one has entered; the others are written back.
    fn after_entry(&self, held: u32) -> u32 {
        held
    }

    /// The region of a page that is written back to make room.
    fn of_write_back(&self, _: Lpn, _now: u64) -> u32 {
        unreachable!("there is no region in RAM")
    }

    /// The region of a page that is written back at the end of the trace.
    fn of_drain(&self, lpn: Lpn, now: u64) -> u32 {
        self.of_write_back(lpn, now)
    }

    /// The last update of a page.
    fn last_update(&self, _: Lpn) -> LastUpdate {
        LastUpdate::default()
    }

    /// The device was mounted at this time. All pages count as updated at this time, and not fast. Called on a new
    /// placement.
    fn mounted(&mut self, _now: u64) {}

    /// Restores the [`Placement::last_update`] of a page from before the power cut.
    fn remember(&mut self, _: Lpn, _: LastUpdate) {}
}

/// `ftl.gc_frontier`: where `single` writes the pages that cleaning copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcFrontier {
    /// To a frontier of their own.
    Separate,
    /// To the frontier of the host writes.
    Shared,
}

/// The parameters of all placements; each placement reads those that its entry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// See [`GcFrontier`].
    pub gc_frontier: GcFrontier,
    /// `ftl.regions`: 1 to 255, one of them in RAM under dac+.
    pub regions: u32,
    /// `ftl.stable_s` as pages written, or ns: the upper ends of the regions' intervals, hottest first.
    pub stable: Vec<u64>,
    /// The size of `ftl.ram` in whole pages.
    pub ram_pages: u32,
}

/// A parameter that cannot work: the key to change, as a full path, and the allowed values.
pub type Impossible = (&'static str, String);

macro_rules! registry {
    ($($module:ident::$policy:ident,)*) => {
        /// All placements.
        pub const ENTRIES: &[Entry] = &[$($module::$policy::ENTRY),*];

        /// The placements, by the names of their types.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = concat!("See `", stringify!($module), ".rs`.")] $policy,)*
        }

        impl Kind {
            /// The placement with this name.
            pub fn named(name: &str) -> Option<Self> {
                $(if name == $module::$policy::ENTRY.name {
                    return Some(Self::$policy);
                })*
                None
            }

            /// Refuses parameters that cannot work.
            pub fn check(self, params: &Params) -> Result<(), Impossible> {
                match self {
                    $(Self::$policy => $module::$policy::check(params),)*
                }
            }

            /// The number of regions in flash, at least 1.
            pub fn regions(self, params: &Params) -> u32 {
                match self {
                    $(Self::$policy => $module::$policy::regions(params),)*
                }
            }

            /// The placement of a new device with this number of logical pages.
            pub fn build(self, params: &Params, logical_pages: u32) -> Box<dyn Placement> {
                match self {
                    $(Self::$policy => Box::new($module::$policy::new(params, logical_pages)),)*
                }
            }
        }
    };
}

registry! {
    single::Single,
    dac::Dac,
    dac_plus::DacPlus,
    deb::Deb,
}
