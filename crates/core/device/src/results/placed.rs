//! What was written to the regions of a placement, and copied out of them.

use serde::Serialize;
use ssdlab_ftl::RegionCounts;
use ssdlab_policy::placement::fdp::Handles;

/// The counts of a placement: by handle with reclaim unit handles, otherwise by region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Placed {
    /// With `fdp`.
    Handles {
        /// In ascending order.
        handles: Vec<Handle>,
        /// The common unit of copies, if some handle is initially isolated.
        #[serde(skip_serializing_if = "Option::is_none")]
        common: Option<Common>,
    },
    /// With other placements.
    Regions {
        /// In the order of the frontiers.
        regions: Vec<Region>,
    },
}

/// A reclaim unit handle. It owns the units that the host opened through it and, if it is persistently isolated, those of
/// its copies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Handle {
    /// Pages that the host wrote through it.
    pub host_pages: u64,
    /// Pages that cleaning copied out of its units.
    pub copied_pages: u64,
    /// Its units that cleaning chose.
    pub victims: u64,
    /// The units that it owns at the end.
    pub units: u64,
    /// The valid pages in them.
    pub valid_pages: u64,
}

impl Handle {
    /// Pages programmed for each page that the host wrote: what the FDP statistics of a drive show of a persistently
    /// isolated handle. `None` without host pages.
    pub fn waf(&self) -> Option<f64> {
        let programmed = self.host_pages + self.copied_pages;
        (self.host_pages > 0).then(|| programmed as f64 / self.host_pages as f64)
    }
}

/// The common units of copies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Common {
    /// Pages that cleaning copied to them, those from their own units included.
    pub copied_in: u64,
    /// Pages that cleaning copied out of them.
    pub copied_pages: u64,
    /// Of these units, those that cleaning chose.
    pub victims: u64,
}

/// A region with a frontier of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Region {
    /// Pages that were written there other than by cleaning.
    pub host_pages: u64,
    /// Pages that cleaning copied there.
    pub copied_in: u64,
    /// Pages that cleaning copied out of its blocks.
    pub copied_out: u64,
    /// Its blocks that cleaning chose.
    pub victims: u64,
}

impl Placed {
    /// The greatest write amplification of a handle that the host wrote through; `None` without handles. Copies out of common
    /// units belong to no handle.
    pub fn worst_handle(&self) -> Option<f64> {
        let Self::Handles { handles, .. } = self else {
            return None;
        };
        handles.iter().filter_map(Handle::waf).reduce(f64::max)
    }

    /// The counts of these regions; `None` if there are none.
    pub fn of(regions: &[RegionCounts], handles: Option<&Handles>) -> Option<Self> {
        if regions.is_empty() {
            return None;
        }
        let Some(handles) = handles else {
            let regions = regions.iter().map(|region| Region {
                host_pages: region.host_pages,
                copied_in: region.copied_in,
                copied_out: region.copied_out,
                victims: region.victims,
            });
            return Some(Self::Regions {
                regions: regions.collect(),
            });
        };
        let mut all = vec![Handle::default(); handles.handles() as usize];
        let mut common = None;
        for (region, owner) in regions.iter().zip(handles.owners()) {
            let Some(owner) = owner else {
                common = Some(Common {
                    copied_in: region.copied_in,
                    copied_pages: region.copied_out,
                    victims: region.victims,
                });
                continue;
            };
            let handle = &mut all[*owner as usize];
            handle.host_pages += region.host_pages;
            handle.copied_pages += region.copied_out;
            handle.victims += region.victims;
            handle.units += region.blocks;
            handle.valid_pages += region.valid_pages;
        }
        Some(Self::Handles {
            handles: all,
            common,
        })
    }
}
