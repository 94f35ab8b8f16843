//! The placements that see each page: by handle, by level, by time or by what comes (section 9.12).

use std::collections::BTreeMap;

use super::config::{ModelConfig, ModelPage, ModelPlacement};
use super::number::{Lpn, Pbn};
use super::placement::Region;

/// A page that is not written again.
const NEVER: u64 = 1 << 60;

/// What a group holds, for `2a`.
pub(super) struct GroupUse {
    pub(super) blocks: u64,
    pub(super) valid: u64,
}

/// The state of these placements. Regions count from 1, so the frontier with index 0 is region 1.
pub(super) struct Seeing {
    kind: ModelPlacement,
    page: ModelPage,
    pages: u64,
    pages_per_block: u64,
    physical_blocks: u64,
    is_full: bool,
    /// `dac-updates`: the level of each page.
    levels: BTreeMap<Lpn, u64>,
    /// The times of the last writes of each page, the last one first.
    times: BTreeMap<Lpn, Vec<u64>>,
    /// `sepbit`: when each block was taken.
    created: BTreeMap<Pbn, u64>,
    /// `sepbit`: the lifetimes of all cleaned blocks of the first region.
    lifetimes: Vec<u64>,
    /// `sepbit`: Q.
    queue: u64,
    /// `tt`, `2a`: the borders and when they were placed.
    borders: Vec<u64>,
    placed: u64,
    /// `2a`: host pages by head, the shares that groups should have, and when these were computed.
    to_heads: Vec<u64>,
    should: Vec<f64>,
    weighed: u64,
    /// `future`: the pages that will be written, in order.
    coming: Vec<Lpn>,
    written: usize,
    /// The page that is written at present, until it is programmed.
    writing: Option<Lpn>,
}

impl Seeing {
    pub(super) fn new(config: &ModelConfig, page: &ModelPage, coming: Vec<Lpn>) -> Self {
        let pages = config.logical_pages() / config.chips();
        Self {
            kind: page.placement,
            page: page.clone(),
            pages,
            pages_per_block: config.pages_per_block(),
            physical_blocks: config.blocks_per_chip() + page.spare_blocks,
            is_full: config.precondition == ssdlab_device::Precondition::Full,
            levels: BTreeMap::new(),
            times: BTreeMap::new(),
            created: BTreeMap::new(),
            lifetimes: Vec::new(),
            queue: 0,
            borders: Vec::new(),
            placed: 0,
            to_heads: vec![0; page.heads as usize],
            should: Vec::new(),
            weighed: 0,
            coming,
            written: 0,
            writing: None,
        }
        .preconditioned()
    }

    fn preconditioned(mut self) -> Self {
        if self.is_full {
            for lpn in 0..self.pages {
                self.levels.insert(lpn, 0);
                if self.kind == ModelPlacement::SepBit {
                    self.times.insert(lpn, vec![0]);
                }
            }
        }
        self
    }

    /// The region of preconditioned blocks.
    pub(super) fn first_region(&self) -> Region {
        1 + match self.kind {
            ModelPlacement::SepBit => 1,
            ModelPlacement::Future => self.page.regions - 1,
            ModelPlacement::Tt | ModelPlacement::TwoA => self.page.heads / 2,
            _ => 0,
        }
    }

    /// The region of a page that the host writes, and whether its stream is invalid; `mapped`: the pages with a version.
    pub(super) fn of_write(
        &mut self,
        lpn: Lpn,
        now: u64,
        stream: u16,
        mapped: u64,
    ) -> (Region, bool) {
        self.writing = Some(lpn);
        let mut invalid = false;
        let frontier = match self.kind {
            ModelPlacement::Fdp => {
                invalid = u64::from(stream) >= self.page.isolated.len() as u64;
                if invalid { 0 } else { stream.into() }
            }
            ModelPlacement::DacUpdates => {
                let top = self.page.regions - 1;
                let level = self
                    .levels
                    .get(&lpn)
                    .map_or(0, |level| (level + 1).min(top));
                self.levels.insert(lpn, level);
                level
            }
            ModelPlacement::SepBit => self.of_sepbit_write(lpn, now, mapped),
            ModelPlacement::Future => self.of_death(lpn, now, self.written + 1),
            ModelPlacement::Tt => self.head(lpn, now),
            ModelPlacement::TwoA => {
                let head = self.head(lpn, now);
                self.to_heads[head as usize] += 1;
                head
            }
            _ => unreachable!("another placement"),
        };
        (frontier + 1, invalid)
    }

    /// The region of a page that cleaning copies out of a block of a region.
    pub(super) fn of_copy(&mut self, lpn: Lpn, from: Region, now: u64) -> Region {
        let handles = self.page.isolated.len() as u64;
        let frontier = match self.kind {
            ModelPlacement::Fdp => {
                // the handles, the copies of each isolated one, and the common copies
                let isolated: Vec<u64> = (0..handles)
                    .filter(|&handle| self.page.isolated[handle as usize])
                    .collect();
                let owner = match from - 1 {
                    handle if handle < handles => Some(handle),
                    copies => isolated.get((copies - handles) as usize).copied(),
                };
                let place = isolated.iter().position(|&other| Some(other) == owner);
                handles + place.unwrap_or(isolated.len()) as u64
            }
            ModelPlacement::DacUpdates => {
                let level = self.levels[&lpn].saturating_sub(1);
                self.levels.insert(lpn, level);
                level
            }
            ModelPlacement::SepBit if from == 1 => 2,
            ModelPlacement::SepBit => {
                let age = now - self.times[&lpn][0];
                match self.sixteen_lives() {
                    None => 3,
                    Some(sum) if 16 * age < 4 * sum => 3,
                    Some(sum) if 16 * age < 16 * sum => 4,
                    Some(_) => 5,
                }
            }
            // while the page of the present write is copied, its next write is known already
            ModelPlacement::Future => match self.writing == Some(lpn) {
                true => self.of_death(lpn, now, self.written + 1),
                false => self.of_death(lpn, now, self.written),
            },
            ModelPlacement::Tt | ModelPlacement::TwoA => self.page.heads + self.head(lpn, now),
            _ => unreachable!("another placement"),
        };
        frontier + 1
    }

    /// The sum of the lifetimes of the last complete sixteen.
    fn sixteen_lives(&self) -> Option<u64> {
        let groups = self.lifetimes.chunks_exact(16);
        groups.last().map(|group| group.iter().sum())
    }

    fn of_sepbit_write(&mut self, lpn: Lpn, now: u64, mapped: u64) -> u64 {
        let sum = self.sixteen_lives();
        let is_below = |pages: u64| sum.is_none_or(|sum| 16 * pages < sum);
        let is_above = |pages: u64| sum.is_some_and(|sum| 16 * pages > sum);
        let since = self.times.get(&lpn).map(|times| now - times[0]);
        let is_short = since.is_some_and(|since| is_below(since) && since < self.queue);
        self.queue += 1;
        if self.queue > mapped || is_above(self.queue) {
            self.queue -= 1;
            self.queue -= u64::from(is_above(self.queue));
        }
        u64::from(!is_short)
    }

    /// `future`: the frontier of a page, if its next write is the first in the list from this one on.
    fn of_death(&self, lpn: Lpn, now: u64, from: usize) -> u64 {
        let next = self
            .coming
            .iter()
            .skip(from)
            .position(|&other| other == lpn);
        let death = next.map_or(NEVER, |after| (from + after) as u64);
        ((death - now) / self.pages_per_block).min(self.page.regions - 1)
    }

    /// `tt`, `2a`: the head of a page.
    fn head(&mut self, lpn: Lpn, now: u64) -> u64 {
        let interval =
            |times: &Vec<u64>| (now - times.last().expect("a time")) / times.len() as u64;
        let Some(own) = self.times.get(&lpn).map(interval) else {
            return self.page.heads / 2;
        };
        if self.placed + 10 * self.pages_per_block < now {
            let count = self.pages.min(10_000);
            let sampled = (0..count).map(|i| i * self.pages / count);
            let known = sampled.filter_map(|lpn| self.times.get(&lpn));
            let mut intervals: Vec<u64> = known.map(interval).collect();
            intervals.sort();
            let at =
                |border: u64| ((border + 1) * intervals.len() as u64 / self.page.heads) as usize;
            let borders = (0..self.page.heads - 1).map(|border| intervals[at(border)]);
            self.borders = borders.collect();
            self.placed = now;
        }
        let head = self.borders.iter().position(|&border| border >= own);
        head.unwrap_or(self.borders.len()) as u64
    }

    /// A page of the host was programmed.
    pub(super) fn written(&mut self, lpn: Lpn, now: u64) {
        let times = self.times.entry(lpn).or_default();
        times.insert(0, now);
        times.truncate(3);
        self.written += 1;
        self.writing = None;
    }

    pub(super) fn forget(&mut self, lpn: Lpn) {
        self.levels.remove(&lpn);
        self.times.remove(&lpn);
    }

    pub(super) fn opened(&mut self, pbn: Pbn, now: u64) {
        self.created.insert(pbn, now);
    }

    pub(super) fn chosen(&mut self, pbn: Pbn, region: Region, now: u64) {
        if self.kind == ModelPlacement::SepBit && region == 1 {
            let created = self.created.get(&pbn).copied().unwrap_or(0);
            self.lifetimes.push(now - created);
        }
    }

    /// `2a`: the head whose group is cleaned; `None`: the emptiest block of all.
    pub(super) fn group(&mut self, groups: &[GroupUse], now: u64) -> Option<u64> {
        if self.weighed + 10 * self.pages_per_block < now {
            self.weigh();
            self.weighed = now;
        }
        let heads = self.page.heads as f64;
        let lack = |(group, should): (&GroupUse, &f64)| {
            let fill = group.valid as f64 / (group.blocks as f64 * self.pages_per_block as f64);
            let is_large = group.blocks as f64 / self.physical_blocks as f64 > 1.0 / (2.0 * heads);
            Some(should - fill).filter(|&lack| group.blocks > 0 && is_large && lack > 0.0)
        };
        let lacks: Vec<Option<f64>> = groups.iter().zip(&self.should).map(lack).collect();
        let most = lacks.iter().flatten().copied().fold(0.0, f64::max);
        let first = lacks.iter().position(|lack| *lack == Some(most));
        first.map(|head| head as u64)
    }

    fn weigh(&mut self) {
        let counts = std::mem::replace(&mut self.to_heads, vec![0; self.page.heads as usize]);
        let raw = counts
            .iter()
            .map(|&count| if count == 0 { 0.01 } else { count as f64 });
        let raw: Vec<f64> = raw.collect();
        let sum: f64 = raw.iter().sum();
        let w: Vec<f64> = raw.iter().map(|weight| weight / sum).collect();
        let s = |w: f64| match 2.0 * w - 1.0 {
            skew if skew.abs() < 1e-15 => 0.5,
            skew => (w - (w * (1.0 - w)).sqrt()) / skew,
        };
        let phi = |i: usize| {
            let x = s(w[i] / (w[i] + w[i + 1]));
            x / (1.0 - x)
        };
        let phi: Vec<f64> = (0..w.len() - 1).map(phi).collect();
        let sums: f64 = (0..phi.len())
            .map(|i| phi[i..].iter().product::<f64>())
            .sum();
        let mut a = vec![phi.iter().product::<f64>() / (1.0 + sums)];
        for (i, phi) in phi.iter().enumerate() {
            a.push(a[i] / phi);
        }
        let all = self.physical_blocks as f64 * self.pages_per_block as f64;
        let f = self.pages as f64 / all;
        let d = f / self.page.heads as f64;
        let costs = w
            .iter()
            .zip(&a)
            .map(|(w, a)| w / (2.0 * (1.0 - d / (d + (1.0 - f) * a))));
        let expected = costs.fold(0.0, |sum, cost| sum + cost);
        self.should = if expected * 1.01 >= 1.0 / (2.0 * (1.0 - f)) {
            Vec::new()
        } else {
            a.iter().map(|a| d / (d + a * (1.0 - f))).collect()
        };
    }
}
