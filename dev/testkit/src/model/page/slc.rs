//! The SLC cache of `page` (section 9.13).

use ssdlab_device::Counters;
use ssdlab_ftl::page::WhenFull;

use super::super::bavbs::Decision;
use super::super::clock::Step;
use super::super::config::{ModelConfig, ModelPage, ModelSlc};
use super::super::flash::Flash;
use super::super::number::{Lpn, Pbn};
use super::super::placement::Region;
use super::super::record::Record;
use super::{PageMapping, Victim};

/// The region of all that the host writes, and of folded pages.
const HOST: Region = 1;

/// Counts the erase of a block of the cache by its reason.
type Reason = fn(&mut Counters) -> &mut u64;

/// The blocks in SLC mode.
pub(super) struct Cache {
    keys: ModelSlc,
    /// D.
    dynamic: u64,
    /// G; 0: the bound stays.
    gone: u64,
    /// The most valid pages of a native block that is cleaned for the cache.
    reclaimed: u64,
    /// S.
    open: Option<Pbn>,
    /// The full SLC blocks, the one filled first at the head.
    full: Vec<Pbn>,
    is_emptying: bool,
    /// In thousandths of a page.
    debt: u64,
}

impl Cache {
    /// The cache of one FTL, which sets its fixed blocks of the flash apart.
    pub(super) fn of(config: &ModelConfig, page: &ModelPage, flash: &mut Flash) -> Option<Self> {
        let keys = page.slc.clone()?;
        let native = flash.set_apart(keys.fixed);
        let logical = config.logical_pages() / config.chips();
        let share = |bits, pages: u64| (f64::from_bits(bits) * pages as f64) as u64;
        Some(Self {
            dynamic: keys.dynamic.min(native),
            gone: share(keys.gone_at, logical),
            reclaimed: share(keys.reclaim, config.pages_per_block()),
            open: None,
            full: Vec::new(),
            is_emptying: false,
            debt: 0,
            keys,
        })
    }

    fn has(&self, pbn: Pbn) -> bool {
        self.open == Some(pbn) || self.full.contains(&pbn)
    }
}

impl PageMapping {
    fn cache(&self) -> &Cache {
        self.cache.as_ref().expect("an SLC cache")
    }

    fn cache_mut(&mut self) -> &mut Cache {
        self.cache.as_mut().expect("an SLC cache")
    }

    pub(super) fn is_in_slc(&self, pbn: Pbn) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.has(pbn))
    }

    fn dynamic_in_use(&self) -> u64 {
        let cache = self.cache();
        let slc = cache.full.iter().chain(&cache.open);
        slc.filter(|&&pbn| !self.flash.is_apart(pbn)).count() as u64
    }

    /// The most dynamic blocks now.
    fn cap(&self) -> u64 {
        let cache = self.cache();
        if cache.gone == 0 {
            return cache.dynamic;
        }
        let native = (0..self.regions.len() as Pbn).filter(|&pbn| !cache.has(pbn));
        let mapped: u64 = native.map(|pbn| self.flash.valid(pbn)).sum();
        cache.dynamic * cache.gone.saturating_sub(mapped) / cache.gone
    }

    /// The pages in the cache, and those that it could take without folding.
    pub(super) fn in_cache(&self) -> [u64; 2] {
        let Some(cache) = &self.cache else {
            return [0; 2];
        };
        let slc = cache.full.iter().chain(&cache.open);
        let valid = slc.map(|&pbn| self.flash.valid(pbn)).sum();
        let rest = cache
            .open
            .map_or(0, |pbn| cache.keys.pages - self.flash.end(pbn));
        let dynamic = self.cap().saturating_sub(self.dynamic_in_use());
        let free = (self.flash.free().len() as u64).saturating_sub(cache.keys.keep);
        let blocks = self.flash.apart().len() as u64 + dynamic.min(free);
        [valid, rest + cache.keys.pages * blocks]
    }

    /// A page from outside, without the portion behind it.
    pub(super) fn write_with_cache(&mut self, lpn: Lpn, record: &mut Record) {
        let cache = self.cache_mut();
        if cache.open.is_none() {
            cache.is_emptying &= cache.full.len() as u64 > cache.keys.rest;
            if !cache.is_emptying {
                self.open_cache(record);
            }
        }
        if let Some(pbn) = self.cache().open {
            self.program_slc(lpn, pbn, record);
            return;
        }
        self.append(lpn, HOST, record);
        record.counters.direct_programs += 1;
        if self.cache().is_emptying {
            self.fold_beside(record);
        }
    }

    fn program_slc(&mut self, lpn: Lpn, pbn: Pbn, record: &mut Record) {
        let position = self.flash.end(pbn);
        self.note_invalidation(lpn, record);
        self.flash.write(lpn, pbn, position, record);
        self.tallies[HOST as usize - 1][0] += 1;
        record.counters.slc_programs += 1;
        record.counters.slc_fixed_programs += u64::from(self.flash.is_apart(pbn));
        let cache = self.cache_mut();
        if position + 1 == cache.keys.pages {
            cache.open = None;
            cache.full.push(pbn);
        }
    }

    /// **Open.**
    fn open_cache(&mut self, record: &mut Record) {
        loop {
            for pbn in self.cache().full.clone() {
                if self.flash.valid(pbn) == 0 && !self.is_in_progress(pbn) {
                    self.erase_slc(pbn, |counters| &mut counters.slc_dropped, record);
                }
            }
            if let Some(pbn) = self.flash.take_apart() {
                return self.open_block(pbn, record);
            }
            if self.dynamic_in_use() < self.cap() {
                let keep = self.cache().keys.keep;
                while self.flash.free().len() as u64 <= keep {
                    let mut full = self.full.iter();
                    let is_empty =
                        |pbn: &&Pbn| self.flash.valid(**pbn) == 0 && !self.is_in_progress(**pbn);
                    let Some(&pbn) = full.find(is_empty) else {
                        break;
                    };
                    self.erase_native(pbn, record);
                }
                if self.flash.free().len() as u64 > keep {
                    let pbn = self.flash.take_free();
                    return self.open_block(pbn, record);
                }
            }
            let cache = self.cache_mut();
            match cache.keys.when_full {
                WhenFull::Fold if !cache.full.is_empty() => self.fold_for_room(record),
                WhenFull::Beside => {
                    cache.is_emptying = !cache.full.is_empty();
                    return;
                }
                WhenFull::Fold | WhenFull::Direct => return,
            }
        }
    }

    fn open_block(&mut self, pbn: Pbn, record: &mut Record) {
        self.regions[pbn as usize] = HOST;
        self.cache_mut().open = Some(pbn);
        record.steps.push(Step::OpenSlc(pbn));
    }

    fn is_in_progress(&self, pbn: Pbn) -> bool {
        self.victim.is_some_and(|victim| victim.pbn == pbn)
    }

    /// Erases a full native block without valid pages, which no cleaning policy chose.
    fn erase_native(&mut self, pbn: Pbn, record: &mut Record) {
        record.cleaned(pbn);
        self.tallies[self.regions[pbn as usize] as usize - 1][3] += 1;
        self.full.retain(|&full| full != pbn);
        self.erase(pbn, record);
    }

    pub(super) fn erase_slc(&mut self, pbn: Pbn, reason: Reason, record: &mut Record) {
        self.cache_mut().full.retain(|&full| full != pbn);
        if self.is_in_progress(pbn) {
            self.victim = None;
        }
        self.erase(pbn, record);
        record.counters.slc_erases += 1;
        record.counters.slc_fixed_erases += u64::from(self.flash.is_apart(pbn));
        *reason(&mut record.counters) += 1;
    }

    /// The block to fold, of all or of the dynamic ones.
    fn fold_victim(&self, dynamic_only: bool) -> Option<Pbn> {
        let cache = self.cache.as_ref()?;
        let mut those = cache.full.clone();
        those.retain(|&pbn| !dynamic_only || !self.flash.is_apart(pbn));
        let mut one_of = those.iter().copied();
        let in_progress = one_of.clone().find(|&pbn| self.is_in_progress(pbn));
        let empty = one_of.clone().find(|&pbn| self.flash.valid(pbn) == 0);
        let other = match cache.keys.greedy {
            true => one_of.min_by_key(|&pbn| self.flash.valid(pbn)),
            false => one_of.next(),
        };
        in_progress.or(empty).or(other)
    }

    /// The dynamic block to fold in place of cleaning.
    pub(super) fn fold_for_space(&self) -> Option<Pbn> {
        self.fold_victim(true)
    }

    /// Moves the first valid pages of a block.
    fn fold(&mut self, pbn: Pbn, most: u64, record: &mut Record) {
        for lpn in self.flash.valid_pages(pbn).into_iter().take(most as usize) {
            self.copy(lpn, (pbn, HOST), Decision::NO_CHOICE, record);
        }
    }

    fn need_a_block(&mut self, region: Region, pages: u64) -> bool {
        let frontier = *self.frontier(region);
        let room = |pbn| self.flash.pages_per_block - self.flash.end(pbn);
        frontier.map_or(0, room) < pages
    }

    fn fold_for_room(&mut self, record: &mut Record) {
        let pbn = self.fold_victim(false).expect("a full block");
        if self.need_a_block(HOST, self.flash.valid(pbn)) {
            while self.is_low() {
                self.clean(record);
            }
            if !self.cache().full.contains(&pbn) {
                return;
            }
        }
        self.fold(pbn, u64::MAX, record);
        self.erase_slc(pbn, |counters| &mut counters.folds_room, record);
    }

    fn fold_beside(&mut self, record: &mut Record) {
        let stripe = self.line_chips;
        let cache = self.cache_mut();
        cache.debt += cache.keys.beside;
        while self.cache().debt >= 1000 * stripe {
            let Some((pbn, pages)) = self.stripe_to_fold() else {
                self.cache_mut().debt = 0;
                return;
            };
            if self.need_a_block(HOST, pages) && self.is_low() {
                self.cache_mut().debt = 0;
                return;
            }
            self.cache_mut().debt -= 1000 * pages;
            self.fold(pbn, pages, record);
            if self.flash.valid(pbn) == 0 {
                self.erase_slc(pbn, |counters| &mut counters.folds_beside, record);
            }
        }
    }

    /// X and k, while more than R blocks are full.
    fn stripe_to_fold(&self) -> Option<(Pbn, u64)> {
        let cache = self.cache();
        let pbn = self.fold_victim(false)?;
        let pages = self.flash.valid(pbn).min(self.line_chips);
        (cache.full.len() as u64 > cache.keys.rest).then_some((pbn, pages))
    }

    /// A step in a gap; whether there was anything to do.
    pub(super) fn step_for_cache(&mut self, record: &mut Record) -> bool {
        let Some((pbn, pages)) = self.stripe_to_fold() else {
            return self.reclaim(record);
        };
        if self.need_a_block(HOST, pages) && self.is_low() {
            self.clean(record);
            return true;
        }
        self.fold(pbn, pages, record);
        if self.flash.valid(pbn) == 0 {
            self.erase_slc(pbn, |counters| &mut counters.folds_idle, record);
        }
        true
    }

    /// Cleans a part of the emptiest native block for the cache.
    fn reclaim(&mut self, record: &mut Record) -> bool {
        let cache = self.cache();
        let wanted = self.cap().saturating_sub(self.dynamic_in_use());
        let is_enough = self.flash.free().len() as u64 >= cache.keys.keep + wanted;
        if f64::from_bits(cache.keys.reclaim) == 0.0 || is_enough {
            return false;
        }
        let others = self.full.iter().filter(|&&pbn| !self.is_in_progress(pbn));
        let emptiest = others.copied().min_by_key(|&pbn| self.flash.valid(pbn));
        let reclaimed = cache.reclaimed;
        let Some(pbn) = emptiest.filter(|&pbn| self.flash.valid(pbn) <= reclaimed) else {
            return false;
        };
        let region = self.region_after_cleaning(pbn);
        let pages = self.flash.valid(pbn).min(self.line_chips);
        if self.need_a_block(region, pages) && self.is_low() {
            return false;
        }
        for lpn in self.pages_to_move(pbn).into_iter().take(pages as usize) {
            self.copy(lpn, (pbn, region), Decision::NO_CHOICE, record);
            self.note_change(pbn, record);
        }
        if self.flash.valid(pbn) == 0 {
            self.erase_native(pbn, record);
            record.counters.slc_reclaims += 1;
        }
        true
    }

    /// The victim in place of the block `cleaned` that the cleaning policy names, if that has more valid pages.
    pub(super) fn folded_instead(&self, cleaned: Option<Pbn>) -> Option<Victim> {
        let pbn = self.fold_for_space()?;
        let is_better = |cleaned| self.flash.valid(pbn) <= self.flash.valid(cleaned);
        cleaned
            .is_none_or(is_better)
            .then(|| self.with_budget(pbn, Decision::NO_CHOICE))
    }
}
