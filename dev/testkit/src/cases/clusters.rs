//! Placements of page mapping, with region boundaries that suit the requests of a case.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::setting::buffer_bytes;
use super::shape::PAGE_SIZE;

/// A placement and the settings of the clustering ones.
#[derive(Clone, Debug)]
pub(super) struct Clusters {
    pub(super) placement: &'static str,
    /// Twice the stable time of each region, in units that suit the requests, hottest first; `None`: the default.
    boundaries: Option<Vec<u64>>,
    ram: u64,
    /// `ftl.ram_threshold`, if it is given: a page to `ram`.
    threshold: Option<u64>,
    /// Whether each reclaim unit handle is persistently isolated.
    isolated: Vec<bool>,
    /// `ftl.heads`.
    heads: u64,
}

impl Clusters {
    pub(super) fn regions_in_flash(&self) -> u64 {
        let regions = self.boundaries.as_ref().map(|b| b.len() as u64);
        match self.placement {
            "dac+" => regions.unwrap_or(4) - 1,
            "dac-updates" | "future" => regions.map_or(6, |regions| regions.max(2)),
            "sepbit" => 6,
            "tt" | "2a" => 2 * self.heads,
            "fdp" => {
                let isolated = self.isolated.iter().filter(|isolated| **isolated).count();
                let common = usize::from(isolated < self.isolated.len());
                (self.isolated.len() + isolated + common) as u64
            }
            _ => regions.unwrap_or(4),
        }
    }

    /// Whether it sees each page that is written and copied.
    pub(super) fn sees_pages(&self) -> bool {
        !["single", "dac", "dac+", "deb"].contains(&self.placement)
    }

    pub(super) fn has_ram(&self) -> bool {
        ["dac+", "deb"].contains(&self.placement)
    }

    pub(super) fn settings(&self, clock: &str) -> Vec<String> {
        let mut settings = vec![format!("ftl.ram={}", self.ram)];
        let threshold = self.threshold.map(|it| format!("ftl.ram_threshold={it}"));
        settings.extend(threshold);
        if let Some(boundaries) = &self.boundaries {
            let time = |&halves: &u64| match clock {
                "trace" => format!("{}e-9", 50 * halves),
                _ => format!("{:?}", halves as f64 / 2.0),
            };
            let times: Vec<String> = boundaries.iter().map(time).collect();
            settings.push(format!("ftl.stable_s=[{}]", times.join(",")));
            let least = if self.sees_pages() { 2 } else { 1 };
            settings.push(format!("ftl.regions={}", boundaries.len().max(least)));
        }
        let types = self.isolated.iter();
        let types: Vec<&str> = types.map(|pi| if *pi { "pi" } else { "ii" }).collect();
        settings.push(format!("ftl.handles={}", types.len()));
        settings.push(format!("ftl.handle_types={}", types.join(",")));
        settings.push(format!("ftl.heads={}", self.heads));
        settings
    }
}

pub(super) fn clusters(placements: &[&'static str]) -> impl Strategy<Value = Clusters> + use<> {
    let steps = option::weighted(0.8, vec(1_u64..20, 1..=5));
    // pages take long to enter the RAM of `dac+`, so it is often small; `deb` also works with less than one page
    let ram = prop_oneof![1 => 0..PAGE_SIZE, 5 => 1..4 * PAGE_SIZE, 4 => buffer_bytes()];
    let share = option::weighted(0.5, 0_u64..=100);
    let others = (vec(any::<bool>(), 1..=3), 2_u64..=3);
    let all = (select(placements.to_vec()), steps, ram, share, others);
    all.prop_map(|(placement, steps, ram, share, (isolated, heads))| {
        let is_dac_plus = placement == "dac+";
        let boundaries = steps.map(|mut steps| {
            if is_dac_plus && steps.len() == 1 {
                steps.push(1);
            }
            ascending(&steps)
        });
        let least = if is_dac_plus { PAGE_SIZE } else { 0 };
        let share = share.filter(|_| placement == "deb" && ram >= PAGE_SIZE);
        Clusters {
            placement,
            boundaries,
            ram: ram.max(least),
            threshold: share.map(|share| PAGE_SIZE + (ram - PAGE_SIZE) * share / 100),
            isolated,
            heads,
        }
    })
}

/// The sums of the first steps, of the first two, and so on.
fn ascending(steps: &[u64]) -> Vec<u64> {
    let sum = |sum: &mut u64, step: &u64| {
        *sum += step;
        Some(*sum)
    };
    steps.iter().scan(0, sum).collect()
}
