//! Random FTLs with the policies and keys that they read.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use ssdlab_device::Family;
use ssdlab_device::registry::built_in;

use super::clusters::{Clusters, clusters};
use super::setting::setting;
use super::shape::Flash;
use super::systems::Systems;

/// An FTL, before the size of the device is known.
#[derive(Clone, Debug)]
pub(super) struct Ftl {
    kind: &'static str,
    cleaning: &'static str,
    clusters: Clusters,
    gc_frontier: &'static str,
    gc_low: Option<u64>,
    pace: &'static str,
    /// Copies a victim in as many stripes as a block has pages.
    striped: bool,
    /// `ftl.eager` in per cent, and how many free blocks above `gc_low` end it.
    eager: Option<(u64, u64)>,
    clock: &'static str,
    buffer_aware: &'static str,
    /// Settings that depend on nothing, of any system.
    others: Vec<String>,
    /// The setting that gives the spare blocks of a page-mapped device.
    spares: Spares,
    /// Spare blocks beyond the minimum.
    further_spares: u64,
}

#[derive(Clone, Copy, Debug)]
enum Spares {
    Default,
    Blocks,
    Fraction,
}

impl Ftl {
    pub(super) fn settings(&self, flash: &Flash) -> Vec<String> {
        let mut settings = vec![
            format!("ftl.buffer_aware={}", self.buffer_aware),
            format!("ftl.gc_frontier={}", self.gc_frontier),
        ];
        settings.extend(self.others.iter().cloned());
        settings.push(format!("ftl.pace={}", self.pace));
        settings.extend(
            self.given_gc_low()
                .map(|blocks| format!("ftl.gc_low={blocks}")),
        );
        if self.striped {
            // 65 pages have 5 stripes of 13
            let stripes = [5, 2, 3, 7]
                .into_iter()
                .find(|stripes| flash.pages_per_block.is_multiple_of(*stripes));
            settings.extend(stripes.map(|stripes| format!("ftl.copy_stripes={stripes}")));
        }
        if let Some((share, more)) = self.eager.filter(|_| self.pace == "whole") {
            settings.push(format!("ftl.eager=0.{share:02}"));
            settings.push(format!("ftl.eager_free={}", self.gc_low() + more));
        }
        settings.extend(self.clusters.settings(self.clock));
        settings.retain(|setting| self.reads(setting));
        settings.push(format!("ftl.kind={}", self.kind));
        if self.kind == "page" {
            settings.push(format!("ftl.cleaning={}", self.cleaning));
            settings.push(format!("ftl.placement={}", self.clusters.placement));
            settings.push(format!("clock={}", self.clock));
        }
        settings.extend(self.spares(flash));
        settings
    }

    /// Whether the FTL or a policy that it uses reads the key of a setting.
    fn reads(&self, setting: &str) -> bool {
        let (key, _) = setting.split_once('=').expect("a setting");
        let reads = |family, name| {
            let mut entries = built_in(family).iter();
            entries.any(|entry| entry.name == name && entry.reads(key))
        };
        let is_page = self.kind == "page";
        reads(Family::Ftl, self.kind)
            || is_page && reads(Family::Cleaning, self.cleaning)
            || is_page && reads(Family::Placement, self.clusters.placement)
    }

    /// What the placement does not work with, in place of it: a region in RAM takes no write buffer beside it; a placement
    /// that sees pages, no awareness; one that knows the future, neither buffer nor several FTLs.
    pub(super) fn instead(&self, flash: &Flash) -> Vec<String> {
        let mut settings = Vec::new();
        if self.kind != "page" {
            return settings;
        }
        let placement = self.clusters.placement;
        if self.clusters.has_ram() || placement == "future" {
            settings.push("buffer.policy=none".to_owned());
        }
        if self.clusters.sees_pages() {
            settings.push("ftl.buffer_aware=off".to_owned());
        }
        if placement == "2a" {
            settings.push("ftl.cleaning=greedy".to_owned());
        }
        if placement == "future" && flash.capacity() > 0 {
            settings.push("flash.channels=1".to_owned());
            settings.push("flash.chips_per_channel=1".to_owned());
        }
        settings
    }

    /// `ftl.gc_low`, where it is given. Placements that sort the copies of a victim need a block for each frontier.
    fn given_gc_low(&self) -> Option<u64> {
        let sorts = self.clusters.sees_pages() && self.clusters.placement != "fdp";
        let least = if sorts { self.frontiers() } else { 0 };
        self.gc_low.map(|low| low + least)
    }

    fn gc_low(&self) -> u64 {
        self.given_gc_low().unwrap_or(self.frontiers() + 1)
    }

    fn frontiers(&self) -> u64 {
        match self.clusters.placement {
            "single" if self.gc_frontier == "shared" => 1,
            "single" => 2,
            _ => self.clusters.regions_in_flash(),
        }
    }

    /// How many times the requests are repeated: `jffs2` takes each hundredth victim by another rule, and `fast`
    /// chooses a victim only when its random log blocks are full.
    pub(super) fn rounds(&self) -> usize {
        match (self.kind, self.cleaning, self.buffer_aware) {
            ("page", "jffs2", _) => 8,
            ("fast", _, "merge+victim") => 6,
            _ => 1,
        }
    }

    /// The fewest spare blocks with which the FTL works.
    fn least_spares(&self) -> u64 {
        match self.kind {
            // a full replacement block closes before another one opens, so none is needed
            "ideal" | "block" => 0,
            // a merge, a fold or cleaning fills one
            "replacement" | "bast" | "fast" | "superblock" => 1,
            "page" => self.gc_low() + self.frontiers() + 1,
            other => panic!("no cases for {other:?} yet"),
        }
    }

    fn spares(&self, flash: &Flash) -> Option<String> {
        let blocks = self.least_spares() + self.further_spares;
        match self.spares {
            Spares::Default if self.kind == "page" => None,
            // a share above 1 would be per cent
            Spares::Fraction if self.kind == "page" && blocks <= flash.blocks => {
                let fraction = blocks as f64 / flash.blocks as f64;
                Some(format!("ftl.over_provisioning={fraction:?}"))
            }
            _ => Some(format!("ftl.spare_blocks={blocks}")),
        }
    }
}

pub(super) fn ftl(systems: &Systems) -> impl Strategy<Value = Ftl> + use<> {
    let placements = &systems.placements;
    let kind = select(systems.ftls.clone());
    let page = (
        select(systems.cleanings.clone()),
        clusters(placements),
        select(vec!["separate", "shared"]),
        option::of(1_u64..=4),
        (
            select(vec!["whole", "paced"]),
            prop::bool::weighted(0.3),
            option::weighted(0.3, (10_u64..=80, 1_u64..=6)),
        ),
        select(vec!["writes", "trace"]),
        select(vec![Spares::Default, Spares::Blocks, Spares::Fraction]),
    );
    let aware = select(vec!["off", "off", "watch", "merge", "merge+victim", "skip"]);
    let others = vec![
        setting("ftl.partial_merge", any::<bool>()),
        setting("ftl.open_blocks", 1_u64..=5),
        setting("ftl.blocks_per_superblock", 1_u64..=4),
        setting("ftl.max_update_blocks", 1_u64..=3),
        setting("ftl.d", 1_u64..=3),
        setting("ftl.map_updates", select(vec!["ignored", "written"])),
        setting("ftl.candidates", 0_u64..=4),
        setting("ftl.weigh_copy_backs", prop::bool::weighted(0.7)),
        setting("ftl.free_lists", select(vec!["one", "plane"])),
        setting("ftl.averaged_merges", prop_oneof![Just(16_u64), 1_u64..=4]),
    ];
    let further_spares = prop_oneof![3 => 0_u64..=2, 1 => 3_u64..=9];
    let update = option::of(setting("ftl.update_probability", 0.0..=1.0));
    let others =
        (others, update).prop_map(|(mut others, update): (Vec<String>, Option<String>)| {
            others.extend(update);
            others
        });
    let parts = (kind, page, aware, others, 1_u64..=5, further_spares);
    parts.prop_map(
        |(kind, page, buffer_aware, mut others, logs, further_spares)| {
            let (cleaning, clusters, gc_frontier, gc_low, frame, clock, spares) = page;
            let (pace, striped, eager) = frame;
            // one log block of fast is for sequential writes
            let log_blocks = logs + u64::from(kind == "fast");
            others.push(format!("ftl.log_blocks={log_blocks}"));
            Ftl {
                kind,
                cleaning,
                clusters,
                gc_frontier,
                gc_low,
                pace,
                striped,
                eager,
                clock,
                buffer_aware,
                others,
                spares,
                further_spares,
            }
        },
    )
}
