//! Active zones, as a host writes a zoned device: random among the active zones, sequential in each.

use super::access::{Access, Workload};
use super::random::Random;
use super::sequential::Sequential;
use super::sizes::Sizes;

/// Each write goes to one of the active zones, behind the last one there. When a zone is full, a random one that is not
/// active takes its place.
#[derive(Clone, Debug)]
pub struct Zns {
    zones: u64,
    zone: u64,
    sizes: Sizes,
    most_active: u64,
    /// Zones, each with its writer.
    active: Vec<(u64, Sequential)>,
}

impl Zns {
    /// The most active zones.
    pub const MOST_ACTIVE: u64 = 1024;

    /// Zones of `zone` units, at least 1; units behind the last whole zone are never written. `active`, 1 to
    /// [`MOST_ACTIVE`](Self::MOST_ACTIVE), is below the number of zones.
    pub fn new(units: u64, zone: u64, active: u64, sizes: Sizes) -> Self {
        Self {
            zones: units / zone,
            zone,
            sizes,
            most_active: active,
            active: Vec::new(),
        }
    }

    /// A random zone that is not active.
    fn fresh(&self, random: &mut Random) -> (u64, Sequential) {
        loop {
            let fresh = random.below(self.zones);
            if self.active.iter().all(|(zone, _)| *zone != fresh) {
                return (fresh, Sequential::with_sizes(self.zone, self.sizes.clone()));
            }
        }
    }
}

impl Workload for Zns {
    fn next(&mut self, random: &mut Random) -> Access {
        while (self.active.len() as u64) < self.most_active {
            let fresh = self.fresh(random);
            self.active.push(fresh);
        }
        let slot = match self.active.len() {
            1 => 0,
            slots => random.below(slots as u64) as usize,
        };
        let (zone, writer) = &mut self.active[slot];
        let mut access = writer.next(random);
        access.first += *zone * self.zone;
        if writer.is_at_start() {
            self.active[slot] = self.fresh(random);
        }
        access
    }
}
