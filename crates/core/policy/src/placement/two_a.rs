//! 2A of the simulator of SSD-iq for ZLeanStore: as `tt`, and each group of pages gets the spare that suits its share of the
//! writes.
//!
//! - A group holds the blocks of both frontiers of a head.
//! - From time to time, the spare of each group is computed from its share of the host writes, as is the write
//!   amplification that follows. If greedy cleaning over all blocks is expected to be as good, it is used until the next
//!   time.
//! - Otherwise the group that is the farthest below the share of valid pages that it should have is cleaned. One victim at a
//!   time is our reading.

use alloc::vec;
use alloc::vec::Vec;

use libm::{fabs, sqrt};
use ssdlab_flash::{Geometry, Lpn, Ppn};

use super::intervals::{FIXED_BYTES, Intervals, PAGE_BYTES, period};
use super::tt::{HEADS, HeadsConfig};
use super::{Group, Inputs, Place, Placement, PlacementKind, Wants};
use crate::{About, Entry, Impossible, Source, papers};

/// The weight of a group that the host did not write to.
const UNWRITTEN: f64 = 0.01;

/// The intervals of all pages, and the groups.
pub struct TwoA {
    heads: u32,
    intervals: Intervals,
    /// For each head, the pages that the host wrote to it since the last update.
    written: Vec<u64>,
    /// The share of valid pages that each group should have; empty: greedy cleaning over all blocks.
    should: Vec<f64>,
    updated: u64,
    period: u64,
    /// The blocks of the device, and the pages of a block.
    blocks: f64,
    pages_per_block: f64,
    /// The logical share of all pages.
    full: f64,
}

impl PlacementKind for TwoA {
    const ENTRY: Entry = Entry {
        name: "2a",
        rule: "tt, and cleans the group that has more spare than its share of the writes deserves",
        source: Source::of("the simulator of {} for ZLeanStore", &[&papers::SSD_IQ]),
        keys: &[HEADS.key],
        about: About {
            file: file!(),
            lines: [
                "Pages go to heads by their update intervals, as with `tt`. The blocks of a head are a group.",
                "Every 10 blocks of writes, the spare of each group is computed from its share of the host writes.",
                "Cleaning takes the emptiest block of the group that is farthest below the share of valid pages that it \
                 should have; or of all blocks, if that is expected to be as good.",
            ],
            cost: "As `tt`, and a tree over all blocks for each head.",
            wins: "Skewed writes: hot pages get more spare than greedy cleaning leaves them.",
            loses: "Writes whose shares change faster than blocks are cleaned.",
        },
    };

    const PAGE_BYTES: u64 = PAGE_BYTES;

    const FIXED_BYTES: u64 = FIXED_BYTES;

    /// Three times.
    const UPDATE_BITS: u64 = 96;

    type Config = HeadsConfig;

    fn configure(inputs: &Inputs) -> HeadsConfig {
        HeadsConfig {
            heads: HEADS.of(inputs.settings) as u32,
        }
    }

    fn check(_: &HeadsConfig) -> Result<(), Impossible> {
        Ok(())
    }

    fn wants(_: &HeadsConfig) -> Wants {
        Wants {
            no_awareness: true,
            greedy: true,
            ..Wants::default()
        }
    }

    fn regions(config: &HeadsConfig) -> u32 {
        2 * config.heads
    }

    fn groups(config: &HeadsConfig) -> u32 {
        config.heads
    }

    fn new(geometry: &Geometry, config: &HeadsConfig) -> Self {
        let pages = f64::from(geometry.physical_blocks()) * f64::from(geometry.pages_per_block());
        Self {
            heads: config.heads,
            intervals: Intervals::new(geometry, config.heads),
            written: vec![0; config.heads as usize],
            should: Vec::with_capacity(config.heads as usize),
            updated: 0,
            period: period(geometry),
            blocks: geometry.physical_blocks().into(),
            pages_per_block: geometry.pages_per_block().into(),
            full: f64::from(geometry.logical_pages()) / pages,
        }
    }
}

impl TwoA {
    /// Computes what each group should have from what the host has written since the last time.
    fn weigh(&mut self) {
        let weight = |&pages: &u64| if pages == 0 { UNWRITTEN } else { pages as f64 };
        let mut weights: Vec<f64> = self.written.iter().map(weight).collect();
        self.written.fill(0);
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);

        let spare = spare_shares(&weights);
        let d = self.full / f64::from(self.heads);
        let free = 1.0 - self.full;
        let filled = |spare: f64| d / (d + spare * free);
        let mut expected = 0.0;
        for (weight, &share) in weights.iter().zip(&spare) {
            expected += weight / (2.0 * (1.0 - d / (d + free * share)));
        }
        self.should.clear();
        if expected * 1.01 < 1.0 / (2.0 * free) {
            self.should.extend(spare.into_iter().map(filled));
        }
    }
}

/// The share of the spare of the first of two groups of equal size that gets the share `w` of the writes.
fn split(w: f64) -> f64 {
    let skew = 2.0 * w - 1.0;
    if fabs(skew) < 1e-15 {
        return 0.5;
    }
    (w - sqrt(w * (1.0 - w))) / skew
}

/// The share of the spare of each group of equal size, by its share of the writes.
fn spare_shares(weights: &[f64]) -> Vec<f64> {
    let ratios = weights.windows(2).map(|pair| {
        let x = split(pair[0] / (pair[0] + pair[1]));
        x / (1.0 - x)
    });
    let ratios: Vec<f64> = ratios.collect();
    let product = |from: usize| ratios[from..].iter().product::<f64>();
    let others: f64 = (0..ratios.len()).map(product).sum();
    let mut share = product(0) / (1.0 + others);
    let mut shares = vec![share];
    for ratio in ratios {
        share /= ratio;
        shares.push(share);
    }
    shares
}

impl Placement for TwoA {
    fn of_preconditioned(&self) -> u32 {
        self.intervals.unknown()
    }

    fn of_write(&mut self, _: Lpn, _: Option<u32>, _: u64, _: u16) -> Place {
        let head = self.intervals.unknown();
        self.written[head as usize] += 1;
        Place::Flash(head)
    }

    fn of_rewrite(&mut self, _: Lpn, (at, _): (Ppn, u32), now: u64, _: u16) -> Place {
        let head = self.intervals.classify(at, now);
        self.written[head as usize] += 1;
        Place::Flash(head)
    }

    fn of_copies(&self, _: u32) -> Option<u32> {
        None
    }

    fn of_copy(&mut self, _: Lpn, at: Ppn, _: u32, now: u64) -> u32 {
        self.heads + self.intervals.classify(at, now)
    }

    fn copied(&mut self, pages: &[(Ppn, Lpn)], to: Ppn) {
        self.intervals.copied(pages, to);
    }

    fn foresee(&self, versions: &[Ppn]) {
        self.intervals.foresee(versions);
    }

    fn written(&mut self, lpn: Lpn, older: Option<Ppn>, at: Ppn, now: u64) {
        self.intervals.written(lpn, older, at, now);
    }

    fn discarded(&mut self, lpn: Lpn) {
        self.intervals.discarded(lpn);
    }

    fn group_to_clean(&mut self, groups: &[Group], now: u64) -> Option<u32> {
        if self.updated + self.period < now {
            self.weigh();
            self.updated = now;
        }
        let least = 1.0 / (2.0 * f64::from(self.heads));
        let mut best = None;
        let mut most = 0.0;
        for ((head, group), should) in (0..).zip(groups).zip(&self.should) {
            let blocks = f64::from(group.blocks);
            if group.blocks == 0 || blocks / self.blocks <= least {
                continue;
            }
            let fill = group.valid as f64 / (blocks * self.pages_per_block);
            if should - fill > most {
                most = should - fill;
                best = Some(head);
            }
        }
        best
    }
}
