//! Streams: a region for each stream of the host, so that data with the same lifetime share their blocks.

use ssdlab_flash::Lpn;
use ssdlab_policy::placement::{Place, Placement};
use ssdlab_policy::{About, Entry, Source};

/// The description of the placement.
pub const ENTRY: Entry = Entry {
    name: "streams",
    rule: "writes each stream of the host to a region of its own",
    source: Source::words("multi-streamed SSDs (Kang et al. 2014)"),
    keys: &[],
    about: About {
        file: file!(),
        lines: [
            "A request carries the number of its stream.",
            "The region of a page is that number modulo the regions.",
            "Cleaning keeps the region of a page.",
        ],
        cost: "O(1).",
        wins: "Hosts that know which data are overwritten together.",
        loses: "Hosts that say nothing: all data share one region.",
    },
};

/// One region for each stream.
pub struct Streams {
    /// The number of regions, at least 1.
    pub regions: u32,
}

impl Placement for Streams {
    fn of_write(&mut self, _: Lpn, _from: Option<u32>, _now: u64, stream: u16) -> Place {
        Place::Flash(u32::from(stream) % self.regions)
    }

    fn of_copies(&self, region: u32) -> Option<u32> {
        Some(region)
    }
}
