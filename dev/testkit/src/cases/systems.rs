//! The names of the systems that cases draw.

use ssdlab_device::registry::built_in;
use ssdlab_device::{Catalogue, Family};

/// The names of the systems that cases draw, beside the buffers.
pub struct Systems {
    /// FTLs.
    pub ftls: Vec<&'static str>,
    /// Cleaning policies.
    pub cleanings: Vec<&'static str>,
    /// Placements.
    pub placements: Vec<&'static str>,
}

impl Systems {
    /// All built-in systems.
    pub fn all() -> Self {
        Self {
            ftls: names(Family::Ftl),
            cleanings: names(Family::Cleaning),
            placements: names(Family::Placement),
        }
    }

    /// The systems that the model has.
    pub fn modelled() -> Self {
        Self {
            cleanings: modelled_cleanings(),
            ..Self::all()
        }
    }
}

impl Systems {
    /// Each FTL alone, but page mapping with each cleaning policy and with each placement.
    pub(super) fn each(&self) -> Vec<Self> {
        let of = |ftl, cleanings: &[_], placements: &[_]| Self {
            ftls: vec![ftl],
            cleanings: cleanings.to_vec(),
            placements: placements.to_vec(),
        };
        let mut each = Vec::new();
        for &ftl in &self.ftls {
            if ftl != "page" {
                each.push(of(ftl, &self.cleanings, &self.placements));
                continue;
            }
            let cleanings = self.cleanings.iter();
            each.extend(cleanings.map(|&cleaning| of(ftl, &[cleaning], &self.placements)));
            let placements = self.placements.iter();
            each.extend(placements.map(|&placement| of(ftl, &self.cleanings, &[placement])));
        }
        each
    }
}

/// The names of the built-in systems of a family.
pub fn names(family: Family) -> Vec<&'static str> {
    built_in(family).iter().map(|entry| entry.name).collect()
}

/// The names of the built-in cleaning policies that the model has: all that draw no random numbers.
pub fn modelled_cleanings() -> Vec<&'static str> {
    let cleanings = built_in(Family::Cleaning).iter();
    let drawless = cleanings.filter(|entry| !entry.reads("ftl.seed"));
    drawless.map(|entry| entry.name).collect()
}

/// The names of the built-in policies that a read buffer can have.
pub fn read_buffers() -> Vec<&'static str> {
    let built_in = Catalogue::built_in();
    let policies = built_in.read_buffers();
    policies.map(|info| info.entry.name).collect()
}

/// The names of the built-in FTLs whose merges or cleaning may use the buffer.
pub fn buffer_aware_ftls() -> Vec<&'static str> {
    let ftls = built_in(Family::Ftl).iter();
    let aware = ftls.filter(|entry| entry.reads("ftl.buffer_aware"));
    aware.map(|entry| entry.name).collect()
}
