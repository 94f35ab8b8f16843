//! `page`, page mapping in a log with cleaning and regions (sections 9.8 and 9.9), and with a cache (section 9.13).

mod slc;

use std::collections::VecDeque;

use ssdlab_ftl::Clock;
use ssdlab_ftl::page::Pace;

use super::bavbs::{Bavbs, Decision};
use super::clock::Step;
use super::config::{ModelCleaning, ModelConfig, ModelPage, ModelPlacement};
use super::flash::{Flash, data_blocks};
use super::ftl::Ftl;
use super::map::{Access, Map};
use super::number::{Lpn, Pbn};
use super::placement::{Placement, Region, Target};
use super::record::{Moves, Record};
use super::result::Event;
use super::seeing::{GroupUse, Seeing};
use slc::Cache;

/// A victim in progress.
#[derive(Clone, Copy)]
struct Victim {
    pbn: Pbn,
    /// The portions that are left.
    budget: i128,
    decision: Decision,
    /// Its moves so far.
    moves: Moves,
}

/// The FTL with its flash.
pub(super) struct PageMapping {
    flash: Flash,
    page: ModelPage,
    placement: Placement,
    /// The host's numbers of the pages of this chip.
    host_pages: Vec<Lpn>,
    /// The chips of a line, or 1.
    line_chips: u64,
    /// The frontier of each region, region 1 first; `None`: the region needs a new block.
    frontiers: Vec<Option<Pbn>>,
    /// The region of each block in use.
    regions: Vec<Region>,
    /// The full blocks, the one filled first at the head; a victim is one until it is erased.
    full: Vec<Pbn>,
    /// The victim in progress.
    victim: Option<Victim>,
    /// The SLC cache, if there is one; its blocks are not among the full ones.
    cache: Option<Cache>,
    /// The placement, if it sees each page.
    seeing: Option<Seeing>,
    /// The time at which a page of each block was last programmed or became invalid.
    changed: Vec<u64>,
    /// Pages written so far.
    written: u64,
    /// For each region: pages of the host, pages copied in and out, and victims.
    tallies: Vec<[u64; 4]>,
    /// Victims so far.
    victims: u64,
    bavbs: Bavbs,
    map: Option<Map>,
}

impl PageMapping {
    pub(super) fn new(config: &ModelConfig, page: ModelPage, chip: u64, coming: Vec<Lpn>) -> Self {
        let mut flash = Flash::new(config, page.spare_blocks);
        let cache = Cache::of(config, &page, &mut flash);
        let seeing = page.placement.sees_pages();
        let seeing = seeing.then(|| Seeing::new(config, &page, coming));
        let first = seeing.as_ref().map_or(1, Seeing::first_region);
        Self {
            seeing,
            placement: Placement::new(config, &page),
            host_pages: (0..config.logical_pages() / config.chips())
                .map(|local| config.of_host(chip, local))
                .collect(),
            line_chips: config.line_chips(),
            frontiers: vec![None; page.frontiers() as usize],
            tallies: vec![[0; 4]; page.frontiers() as usize],
            regions: vec![first; flash.erase_counts().len()],
            full: data_blocks(config).into_iter().flatten().collect(),
            changed: vec![0; flash.erase_counts().len()],
            victim: None,
            cache,
            written: 0,
            victims: 0,
            bavbs: Bavbs::new(config),
            map: page
                .map
                .map(|keys| Map::new(keys, config, flash.erase_counts().len() as Pbn)),
            page,
            flash,
        }
    }

    fn now(&self, record: &Record) -> u64 {
        match self.page.clock {
            Clock::Writes => self.written,
            Clock::Trace => record.now_ns,
        }
    }

    fn frontier(&mut self, region: Region) -> &mut Option<Pbn> {
        &mut self.frontiers[region as usize - 1]
    }

    /// The next position of a region's frontier; a region without a frontier takes a block of the free list.
    fn next_position(&mut self, region: Region) -> (Pbn, u64) {
        let pbn = match *self.frontier(region) {
            Some(pbn) => pbn,
            None => {
                let pbn = self.flash.take_free();
                if let Some(seeing) = &mut self.seeing {
                    seeing.opened(pbn, self.written);
                }
                pbn
            }
        };
        *self.frontier(region) = Some(pbn);
        self.regions[pbn as usize] = region;
        (pbn, self.flash.end(pbn))
    }

    /// The region of a page's flash copy.
    fn region(&self, lpn: Lpn) -> Option<Region> {
        let place = self.flash.locate(lpn);
        place.map(|(pbn, _)| self.regions[pbn as usize])
    }

    /// Writes a page to the frontier of a region. If that needs a block and few are free, cleaning comes first.
    fn append(&mut self, lpn: Lpn, region: Region, record: &mut Record) {
        if self.frontier(region).is_none() {
            while self.is_low() {
                self.clean(record);
            }
        }
        let (pbn, position) = self.next_position(region);
        self.look_up(lpn, Access::Write, record.end, record);
        self.note_invalidation(lpn, record);
        self.flash.write(lpn, pbn, position, record);
        if let Some(map) = &mut self.map {
            map.written(lpn, (pbn, position), record);
        }
        self.tallies[region as usize - 1][0] += 1;
        self.note_change(pbn, record);
    }

    /// Whether a page from outside that needs a block must wait for cleaning.
    fn is_low(&self) -> bool {
        let keep = match self.page.pace {
            Pace::Whole => self.page.gc_low,
            Pace::Paced => 1,
        };
        self.flash.free().len() as u64 <= keep
    }

    /// E: the pages that can be programmed.
    fn programmable(&self) -> u64 {
        let open = self.frontiers.iter().flatten();
        let open = open.map(|&pbn| self.flash.pages_per_block - self.flash.end(pbn));
        self.flash.free().len() as u64 * self.flash.pages_per_block + open.sum::<u64>()
    }

    /// What happens behind a page from outside.
    fn follow(&mut self, record: &mut Record) {
        self.clean_portion(record);
        if let Some(map) = &mut self.map {
            map.sync_if_due(record);
        }
    }

    /// The portion behind a page from outside.
    fn clean_portion(&mut self, record: &mut Record) {
        if self.page.pace == Pace::Whole {
            return;
        }
        let pages = self.flash.pages_per_block;
        let is_early = self.programmable() > self.page.gc_low * pages + pages / 2;
        if self.victim.is_none() && (is_early || !self.can_clean()) {
            return;
        }
        let victim = self.victim_in_progress(record);
        let valid = i128::from(self.flash.valid(victim.pbn));
        let portion = (valid + victim.budget - 1) / victim.budget;
        self.move_pages(portion as u64, record);
        if let Some(victim) = &mut self.victim {
            victim.budget -= 1;
        }
        self.erase_if_empty(record);
    }

    fn has_invalid(&self) -> bool {
        self.full.iter().any(|&pbn| self.invalid(pbn) > 0)
    }

    /// Whether there is a victim to choose.
    fn can_clean(&self) -> bool {
        self.has_invalid() || self.fold_for_space().is_some()
    }

    /// The victim in progress, or a new one with its budget.
    fn victim_in_progress(&mut self, record: &mut Record) -> Victim {
        if let Some(victim) = self.victim {
            return victim;
        }
        assert!(self.can_clean(), "the device is over-filled");
        self.victims += 1;
        let chosen = self.has_invalid().then(|| self.choose(record));
        let victim = match (self.folded_instead(chosen.map(|(pbn, _)| pbn)), chosen) {
            (None, Some((pbn, decision))) => self.begin(pbn, decision, record),
            (folded, _) => {
                self.victims -= 1;
                folded.expect("a block to fold")
            }
        };
        self.victim = Some(victim);
        victim
    }

    /// A victim of cleaning with its budget.
    fn begin(&mut self, pbn: Pbn, decision: Decision, record: &mut Record) -> Victim {
        record.cleaned(pbn);
        self.tallies[self.regions[pbn as usize] as usize - 1][3] += 1;
        if let Some(seeing) = &mut self.seeing {
            seeing.chosen(pbn, self.regions[pbn as usize], self.written);
        }
        self.with_budget(pbn, decision)
    }

    fn with_budget(&self, pbn: Pbn, decision: Decision) -> Victim {
        let pages = i128::from(self.flash.pages_per_block);
        let valid = i128::from(self.flash.valid(pbn));
        let x =
            i128::from(self.programmable()) - valid - (i128::from(self.page.gc_low) - 1) * pages;
        let eighth = x.div_euclid(8) + i128::from(x.rem_euclid(8) > 0);
        let budget = (x - pages / 2).max(eighth).max(1);
        Victim {
            pbn,
            budget,
            decision,
            moves: Moves::default(),
        }
    }

    /// The valid pages of a block in the order in which they are copied.
    fn pages_to_move(&self, pbn: Pbn) -> Vec<Lpn> {
        let stripes = match self.is_in_slc(pbn) {
            true => 1,
            false => self.page.copy_stripes,
        };
        let mut pages = self.flash.valid_pages(pbn);
        pages.sort_by_key(|&lpn| {
            let (_, position) = self.flash.locate(lpn).expect("a valid page");
            (position % stripes, position / stripes)
        });
        pages
    }

    /// The region to which cleaning moves a page of a block.
    fn copy_region(&mut self, lpn: Lpn, pbn: Pbn) -> Region {
        let from = self.regions[pbn as usize];
        if self.is_in_slc(pbn) {
            return from;
        }
        let now = self.written;
        match &mut self.seeing {
            Some(seeing) => seeing.of_copy(lpn, from, now),
            None => self.placement.after_cleaning(from),
        }
    }

    /// Cleans nearly empty blocks, if it is time.
    fn clean_eagerly(&mut self, record: &mut Record) {
        let share = f64::from_bits(self.page.eager);
        if share == 0.0 || !self.written.is_multiple_of(32) {
            return;
        }
        while self.flash.free().len() as u64 <= self.page.eager_free {
            let with_invalid = self.full.iter().filter(|&&pbn| self.invalid(pbn) > 0);
            let Some(&pbn) = with_invalid.min_by_key(|&&pbn| self.flash.valid(pbn)) else {
                return;
            };
            if self.flash.valid(pbn) as f64 > share * self.flash.pages_per_block as f64 {
                return;
            }
            record.counters.eager_victims += 1;
            self.victim = Some(self.begin(pbn, Decision::NO_CHOICE, record));
            self.move_pages(u64::MAX, record);
            self.erase_if_empty(record);
        }
    }

    /// Moves the first valid pages of the victim; all, if they need the last free block.
    fn move_pages(&mut self, most: u64, record: &mut Record) {
        let Some(mut victim) = self.victim else {
            return;
        };
        let before = record.moves();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut rest = self.pages_to_move(victim.pbn).into_iter();
        let mut listed = self.list(rest.by_ref().take(most), victim.decision, record);
        while let Some(lpn) = listed.pop_front() {
            let region = self.copy_region(lpn, victim.pbn);
            if self.frontier(region).is_none() && self.flash.free().len() == 1 {
                listed.extend(self.list(rest.by_ref(), victim.decision, record));
            }
            self.copy(lpn, (victim.pbn, region), victim.decision, record);
        }
        victim.moves = victim.moves.and(record.moves().since(before));
        self.victim = Some(victim);
    }

    /// Moves a page of a block to the frontier of a region.
    fn copy(
        &mut self,
        lpn: Lpn,
        (from, region): (Pbn, Region),
        decision: Decision,
        record: &mut Record,
    ) {
        let to = self.next_position(region);
        let copy_backs = record.counters.copy_backs;
        self.flash.migrate(lpn, to, decision, record);
        if let Some(map) = &mut self.map {
            map.moved(lpn, to, record);
        }
        if self.is_in_slc(from) {
            record.counters.fold_pages += 1;
            record.counters.fold_copy_backs += record.counters.copy_backs - copy_backs;
        }
        self.tallies[region as usize - 1][1] += 1;
        self.tallies[self.regions[from as usize] as usize - 1][2] += 1;
        self.note_change(to.0, record);
    }

    /// Those of the next pages to be moved that are not skipped. The others lose their versions before any page moves.
    fn list(
        &mut self,
        pages: impl Iterator<Item = Lpn>,
        decision: Decision,
        record: &mut Record,
    ) -> VecDeque<Lpn> {
        let (skipped, listed): (VecDeque<Lpn>, VecDeque<Lpn>) =
            pages.partition(|&lpn| record.skips(lpn, decision));
        for lpn in skipped {
            self.flash.skip(lpn, record);
            if let Some(map) = &mut self.map {
                map.dropped(lpn, record);
            }
        }
        listed
    }

    fn erase_if_empty(&mut self, record: &mut Record) {
        let Some(victim) = self.victim else {
            return;
        };
        if self.flash.valid(victim.pbn) > 0 {
            return;
        }
        if self.is_in_slc(victim.pbn) {
            self.erase_slc(victim.pbn, |counters| &mut counters.folds_space, record);
            return;
        }
        self.full.retain(|&pbn| pbn != victim.pbn);
        self.bavbs.note_moves(victim.moves, victim.decision, record);
        if let Some(map) = &mut self.map {
            map.before_erase(record);
        }
        self.erase(victim.pbn, record);
        self.victim = None;
    }

    /// Erases a block whose pages may have moved in earlier calls.
    fn erase(&mut self, pbn: Pbn, record: &mut Record) {
        self.flash.erase(pbn, record);
        *record.steps.last_mut().expect("the erase") = Step::EraseVictim(pbn);
    }

    /// Moves a page into RAM: `dac+` makes room first, `deb` afterwards.
    fn enter_ram(&mut self, lpn: Lpn, record: &mut Record) {
        while self.placement.is_full() {
            let hottest = self.frontiers.len() as Region;
            self.write_back(self.placement.oldest_in_ram(), hottest, record);
        }
        self.note_invalidation(lpn, record);
        self.flash.invalidate(lpn);
        self.placement.enter_ram(lpn);
        record.steps.push(Step::RamEntry(lpn));
        record.ram_entries += 1;
        if self.placement.is_overfull() {
            while self.placement.is_more_than_half_full() {
                self.write_oldest_back(record);
            }
        }
    }

    /// Moves the oldest page in RAM to the region whose interval contains the time since its last update.
    fn write_oldest_back(&mut self, record: &mut Record) {
        let lpn = self.placement.oldest_in_ram();
        let region = self.placement.by_interval(lpn, self.now(record));
        self.write_back(lpn, region, record);
    }

    /// Moves a page from RAM to a region in flash.
    fn write_back(&mut self, lpn: Lpn, region: Region, record: &mut Record) {
        let host_lpn = self.host_pages[lpn as usize];
        record.counters.evictions += 1;
        record.counters.evicted_dirty_pages += 1;
        record.events.push(Event::Evicted(vec![host_lpn]));
        self.placement.leave_ram(lpn);
        record.steps.push(Step::Call);
        self.append(lpn, region, record);
        record.steps.push(Step::RamExit(lpn));
        self.clean_portion(record);
    }

    /// Notes that a page of a block was programmed or became invalid.
    fn note_change(&mut self, pbn: Pbn, record: &Record) {
        self.changed[pbn as usize] = self.now(record);
        for frontier in &mut self.frontiers {
            if *frontier == Some(pbn) && self.flash.is_full(pbn) {
                self.full.push(pbn);
                *frontier = None;
            }
        }
    }

    /// Notes that the flash copy of an LPN, if there is one, becomes invalid.
    fn note_invalidation(&mut self, lpn: Lpn, record: &Record) {
        if let Some((pbn, _)) = self.flash.locate(lpn) {
            self.note_change(pbn, record);
        }
    }

    /// The region for the valid pages of a block that is cleaned.
    fn region_after_cleaning(&self, victim: Pbn) -> Region {
        let region = self.regions[victim as usize];
        self.placement.after_cleaning(region)
    }

    /// Cleans one block to its end.
    fn clean(&mut self, record: &mut Record) {
        self.victim_in_progress(record);
        self.move_pages(u64::MAX, record);
        self.erase_if_empty(record);
    }

    /// The block to clean next, and the decision for that.
    fn choose(&mut self, record: &mut Record) -> (Pbn, Decision) {
        if self.page.placement == ModelPlacement::TwoA {
            return (self.of_group(), Decision::NO_CHOICE);
        }
        if !self.bavbs.is_on() {
            return (self.victim(record), Decision::NO_CHOICE);
        }
        self.bavbs.choose_block(
            &self.full,
            |victim| self.frontiers[self.region_after_cleaning(victim) as usize - 1],
            &self.flash,
            record,
        )
    }

    /// `2a`: the emptiest full block of the group that is cleaned, or of all.
    fn of_group(&mut self) -> Pbn {
        let heads = self.page.heads;
        let group_of = |regions: &[Region], pbn: Pbn| (regions[pbn as usize] - 1) % heads;
        let in_use = (0..self.regions.len() as Pbn).filter(|pbn| !self.flash.free().contains(pbn));
        let mut groups: Vec<GroupUse> = (0..heads)
            .map(|_| GroupUse {
                blocks: 0,
                valid: 0,
            })
            .collect();
        for pbn in in_use {
            let group = &mut groups[group_of(&self.regions, pbn) as usize];
            group.blocks += 1;
            group.valid += self.flash.valid(pbn);
        }
        let seeing = self.seeing.as_mut().expect("2a sees each page");
        let group = seeing.group(&groups, self.written);
        let full = self.full.iter().copied();
        let of_group = full.filter(|&pbn| group == Some(group_of(&self.regions, pbn)));
        let least = of_group.min_by_key(|&pbn| self.flash.valid(pbn));
        let least = least.filter(|&pbn| self.invalid(pbn) > 0);
        least.unwrap_or_else(|| self.first_best(|a, b| self.flash.valid(a) < self.flash.valid(b)))
    }

    /// The block that the cleaning policy chooses.
    fn victim(&self, record: &Record) -> Pbn {
        match self.page.cleaning {
            ModelCleaning::Fifo => self.full[0],
            ModelCleaning::Jffs2 if self.victims.is_multiple_of(100) => self.full[0],
            ModelCleaning::Greedy | ModelCleaning::Jffs2 => {
                self.first_best(|a, b| self.flash.valid(a) < self.flash.valid(b))
            }
            ModelCleaning::CostBenefit => self.first_best(|a, b| {
                // the greatest age * (1 - u) / 2u: both sides times both numbers of valid pages
                let worth = |pbn| self.age(pbn, record) * self.invalid(pbn);
                worth(a) * self.valid(b) > worth(b) * self.valid(a)
            }),
            ModelCleaning::Cat => self.first_best(|a, b| {
                // the smallest u / (1 - u) / age * (n + 1): both sides times both denominators
                let cost = |pbn| self.valid(pbn) * (u128::from(self.flash.erases(pbn)) + 1);
                let divisor = |pbn| self.invalid(pbn) * self.age(pbn, record);
                cost(a) * divisor(b) < cost(b) * divisor(a)
            }),
        }
    }

    /// The full block that no other one beats; among equals the one filled first.
    fn first_best(&self, is_preferred: impl Fn(Pbn, Pbn) -> bool) -> Pbn {
        let mut best = self.full[0];
        for &pbn in &self.full {
            if is_preferred(pbn, best) {
                best = pbn;
            }
        }
        best
    }

    fn valid(&self, pbn: Pbn) -> u128 {
        self.flash.valid(pbn).into()
    }

    fn invalid(&self, pbn: Pbn) -> u128 {
        u128::from(self.flash.pages_per_block) - self.valid(pbn)
    }

    /// Time since the block last changed; trace times need not ascend.
    fn age(&self, pbn: Pbn, record: &Record) -> u128 {
        let age = self.now(record).saturating_sub(self.changed[pbn as usize]);
        age.max(1).into()
    }
}

impl Ftl for PageMapping {
    fn write(&mut self, lpn: Lpn, record: &mut Record) {
        if let Some(seeing) = &mut self.seeing {
            // a page that is mapped is valid in one block
            let blocks = 0..self.regions.len() as Pbn;
            let mapped = blocks.map(|pbn| self.flash.valid(pbn)).sum();
            let (region, invalid) = seeing.of_write(lpn, self.written, record.stream, mapped);
            record.counters.invalid_streams += u64::from(invalid);
            self.append(lpn, region, record);
            if let Some(seeing) = &mut self.seeing {
                seeing.written(lpn, self.written);
            }
            self.follow(record);
            self.written += 1;
            self.clean_eagerly(record);
            return;
        }
        if self.cache.is_some() {
            self.write_with_cache(lpn, record);
            self.clean_portion(record);
            self.written += 1;
            return;
        }
        let now = self.now(record);
        let region = self.region(lpn);
        let was_in_ram = self.placement.holds(lpn);
        match self.placement.update(lpn, region, now) {
            Target::Flash(region) => {
                self.append(lpn, region, record);
                self.follow(record);
            }
            Target::Ram if was_in_ram => record.steps.push(Step::RamHit(lpn)),
            Target::Ram => self.enter_ram(lpn, record),
        }
        self.written += 1;
        self.clean_eagerly(record);
    }

    fn look_up(&mut self, lpn: Lpn, access: Access, end: Lpn, record: &mut Record) {
        let place = self.flash.locate(lpn);
        if let Some(map) = &mut self.map {
            map.access(lpn, access, end, place, record);
        }
    }

    fn clean_step(&mut self, record: &mut Record) -> bool {
        let is_enough = self.flash.free().len() as u64 >= self.page.gc_high;
        if is_enough || self.victim.is_none() && !self.can_clean() {
            return false;
        }
        self.victim_in_progress(record);
        self.move_pages(self.line_chips, record);
        self.erase_if_empty(record);
        true
    }

    fn fold_step(&mut self, record: &mut Record) -> bool {
        self.step_for_cache(record)
    }

    fn holds_in_slc(&self, lpn: Lpn) -> bool {
        let place = self.flash.locate(lpn);
        place.is_some_and(|(pbn, _)| self.is_in_slc(pbn))
    }

    fn cache(&self) -> [u64; 2] {
        self.in_cache()
    }

    fn discard(&mut self, lpn: Lpn, record: &mut Record) {
        let was_mapped = self.flash.locate(lpn).is_some();
        self.note_invalidation(lpn, record);
        self.flash.invalidate(lpn);
        if let Some(map) = self.map.as_mut().filter(|_| was_mapped) {
            map.dropped(lpn, record);
        }
        self.placement.forget(lpn);
        if let Some(seeing) = &mut self.seeing {
            seeing.forget(lpn);
        }
    }

    fn holds_in_ram(&self, lpn: Lpn) -> bool {
        self.placement.holds(lpn)
    }

    fn drain(&mut self, record: &mut Record) {
        while !self.placement.ram_is_empty() {
            self.write_oldest_back(record);
        }
        if let Some(map) = &mut self.map {
            map.checkpoint(record);
        }
    }

    fn flash(&self) -> &Flash {
        &self.flash
    }

    fn regions(&self) -> Vec<[u64; 4]> {
        self.tallies.clone()
    }
}
