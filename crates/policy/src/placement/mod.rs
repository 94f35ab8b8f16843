//! Placements: which region of a page-mapped device a page goes to.
//!
//! Each region in flash is written through a frontier of its own: an open block that takes pages in order. A region in
//! RAM, if a placement has one, keeps its pages in the order of their last updates. Regions in flash are numbered from 0,
//! the coldest: region 1 of the paper.

mod dac;
mod dac_plus;
mod deb;
mod single;
mod stable;

use ssdlab_flash::Lpn;

use crate::Entry;

/// Where a page goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The region of flash of this number.
    Flash(u32),
    /// The region in RAM.
    Ram,
}

/// What a clustering placement remembers of a page. It dies with the power, unless it is kept with a page in RAM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastUpdate {
    /// When the page was written last: pages written before, or ns of trace time.
    pub at: u64,
    /// It was fast (deb).
    pub fast: bool,
}

/// A placement. The pages of a preconditioned device lie in region 0, last updated at time 0. Times need not ascend.
pub trait Placement {
    /// The region of flash of all that the host writes, if it never depends on anything.
    fn only_region(&self) -> Option<u32> {
        None
    }

    /// Where a page goes that the host writes now and that is not in RAM; `from`: the region where it lies, if it has a
    /// version.
    fn of_write(&mut self, lpn: Lpn, from: Option<u32>, now: u64) -> Place;

    /// The region of the pages that cleaning moves out of a block of this region.
    fn of_copies(&self, region: u32) -> u32;

    /// How many pages the region in RAM holds at most at any moment. 0: there is no such region, and what follows is never
    /// asked.
    fn ram_pages(&self) -> u32 {
        0
    }

    /// The host writes a page in RAM now, where it stays.
    fn updated_in_ram(&mut self, _: Lpn, _now: u64) {}

    /// How many of the pages in RAM may still be there when one more enters; the others are written back first.
    fn before_entry(&self, held: u32) -> u32 {
        held
    }

    /// How many of the pages in RAM stay there after one has entered; the others are written back.
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

    /// What is remembered of a page.
    fn last_update(&self, _: Lpn) -> LastUpdate {
        LastUpdate::default()
    }

    /// Of a new placement: the device was mounted at this time, and all pages count as updated then, not fast.
    fn mounted(&mut self, _now: u64) {}

    /// What [`Placement::last_update`] said of a page before the power went.
    fn remember(&mut self, _: Lpn, _: LastUpdate) {}
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
    /// `ftl.regions`: 1 to 255, one of them in RAM under dac+.
    pub regions: u32,
    /// `ftl.stable_s` as pages written, or ns: the stable times at which the regions end, the hottest first.
    pub stable: Vec<u64>,
    /// Whole pages in `ftl.ram`.
    pub ram_pages: u32,
}

/// A parameter that cannot be: the key to change, as a full path, and what is allowed.
pub type Impossible = (&'static str, String);

macro_rules! registry {
    ($($module:ident::$policy:ident,)*) => {
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

            /// Refuses parameters that cannot work.
            pub fn check(self, params: &Params) -> Result<(), Impossible> {
                match self {
                    $(Self::$policy => $module::$policy::check(params),)*
                }
            }

            /// Regions in flash, at least 1.
            pub fn regions(self, params: &Params) -> u32 {
                match self {
                    $(Self::$policy => $module::$policy::regions(params),)*
                }
            }

            /// The placement of a new device with so many logical pages.
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
