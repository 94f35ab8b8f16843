//! The reference model without a device: properties of every result, whatever the FTL, on random traces and with the
//! fewest spare blocks allowed, buffer-aware or not.
//!
//! Planted bugs that this test catches: a merge that leaves a page behind, or its log block; a replacement block that
//! is closed without its last pages; a reclaimed block that is not given back; a shrink of a superblock that takes from
//! the pool; cleaning that starts one block too late; a cleaning frontier that is lost when it is full; a chip that
//! takes a page of another one; a page that a merge takes from the buffer but leaves dirty there, or that it programs
//! without making the flash copy invalid; a choice of victims that asks something else than the buffer; a page in RAM
//! that is lost at the end, or that a discard leaves there.

use std::collections::BTreeSet;

use ssdlab_device::{Counters, Family, OF_FEW, Precondition, Reads};
use ssdlab_ftl::BufferAware;
use ssdlab_ftl::page::Pace;
use ssdlab_host::{Op, Request};
use ssdlab_policy::buffer::Padding;
use ssdlab_policy::buffer::cbb;
use ssdlab_policy::buffer::clairvoyant::ClairvoyantConfig;
use ssdlab_testkit::cases::{self, Case, Systems, buffer_aware_ftls, modelled_cleanings, names};
use ssdlab_testkit::model::{
    self, BlockKind, Event, Merge, ModelCleaning, ModelConfig, ModelFtl, ModelMap, ModelPage,
    ModelPolicy, ModelResult,
};
use ssdlab_testkit::tally::Tally;

#[test]
fn every_page_and_every_block_is_accounted_for() {
    let tally = Tally::default();
    cases::run_until(&[(&tally, 5)], &Systems::modelled(), 2000, |case| {
        let requests = case.legal_requests();
        let unaware = ModelConfig::from(case);
        // with a single candidate there is no choice
        let candidates = [0, 0, 2, 3][requests.len() % 4];
        for config in more_or_less_aware(case, &unaware, candidates) {
            // few writes seldom lead to a choice
            let rounds = 1 + usize::from(config.aware == BufferAware::MergeAndVictim);
            let requests = requests.repeat(rounds);
            let result = model::run(&config, &requests);
            let checked = Checked {
                config: &config,
                result: &result,
            };
            let verdict = checked.all(&requests);
            verdict.map_err(|what| format!("{what} ({:?})", config.aware))?;
            note(&tally, case, &config, &result);
        }
        Ok(())
    });
}

/// A configuration, and the same with buffer-aware merges and victims, where the FTL takes them.
fn more_or_less_aware(case: &Case, unaware: &ModelConfig, candidates: u64) -> Vec<ModelConfig> {
    let all = [
        BufferAware::Off,
        BufferAware::Merge,
        BufferAware::MergeAndVictim,
    ];
    let may_be_aware = buffer_aware_ftls().contains(&case.get("ftl.kind").unwrap());
    let possible = if may_be_aware { &all } else { &all[..1] };
    let configs = possible.iter().map(|&aware| ModelConfig {
        aware,
        candidates,
        ..unaware.clone()
    });
    configs.collect()
}

/// Whether the first candidate is the victim without awareness too. Others weigh all blocks.
fn takes_the_first(ftl: &ModelFtl) -> bool {
    match ftl {
        ModelFtl::Ideal => true,
        ModelFtl::Blocks(blocks) => !matches!(blocks.kind, BlockKind::Superblock { .. }),
        ModelFtl::Page(_) => false,
    }
}

/// With an empty buffer and only the default choice, awareness changes nothing.
#[test]
fn without_a_buffer_there_is_nothing_to_know() {
    let systems = Systems {
        ftls: buffer_aware_ftls(),
        ..Systems::modelled()
    };
    cases::run(&systems, 500, |case| {
        let requests = case.legal_requests();
        let unaware = ModelConfig {
            policy: ModelPolicy::None,
            aware: BufferAware::Off,
            ..ModelConfig::from(case)
        };
        let expected = model::run(&unaware, &requests);
        for config in more_or_less_aware(case, &unaware, 1) {
            if config.aware == BufferAware::MergeAndVictim && !takes_the_first(&config.ftl) {
                continue;
            }
            let found = model::run(&config, &requests);
            same("counters", &found.counters, &expected.counters)?;
            same("map", &found.map, &expected.map)?;
            same("events", &found.events, &expected.events)?;
        }
        Ok(())
    });
}

/// Merges that only look at the buffer count what they see, and change nothing.
#[test]
fn watching_changes_nothing() {
    let systems = Systems {
        ftls: buffer_aware_ftls(),
        ..Systems::modelled()
    };
    let tally = Tally::default();
    cases::run_until(&[(&tally, 5)], &systems, 500, |case| {
        let requests = case.legal_requests();
        let [expected, found] = [BufferAware::Off, BufferAware::Watch].map(|aware| {
            let config = ModelConfig {
                aware,
                ..ModelConfig::from(case)
            };
            model::run(&config, &requests)
        });
        let ftl = case.get("ftl.kind").unwrap();
        tally.note(ftl, found.counters.useless_migrations > 0);
        let old = |result: &ModelResult| {
            let counters = result.counters.entries().into_iter();
            let old = counters.filter(|(name, _)| !OF_FEW.contains(name));
            old.collect::<Vec<_>>()
        };
        same("counters", old(&found), old(&expected))?;
        same("map", &found.map, &expected.map)?;
        same("operations", &found.operations, &expected.operations)
    });
}

type Verdict = Result<(), String>;

fn require(what: &str, holds: bool) -> Verdict {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Verdict {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: {found:?}, not {expected:?}"))
    }
}

/// A result under test.
struct Checked<'a> {
    config: &'a ModelConfig,
    result: &'a ModelResult,
}

impl Checked<'_> {
    fn all(&self, requests: &[Request]) -> Verdict {
        self.map(requests)?;
        self.blocks()?;
        self.programs()?;
        self.ram_region()?;
        self.counters()
    }

    fn pages(&self) -> u64 {
        self.config.logical_pages()
    }

    /// Physical blocks of all chips beyond the logical ones, and the fewest free blocks of a chip between requests.
    fn blocks_declared(&self) -> Option<(u64, u64)> {
        let (further, free) = match &self.config.ftl {
            ModelFtl::Ideal => return None,
            ModelFtl::Blocks(blocks) => (blocks.further_blocks(), blocks.spare_blocks),
            ModelFtl::Page(page) if page.pace == Pace::Paced => (page.spare_blocks, 1),
            ModelFtl::Page(page) => (page.spare_blocks, page.gc_low),
        };
        Some((further * self.config.chips(), free))
    }

    /// For FTLs that fill blocks in order: the most blocks that are partly filled at the same time.
    fn frontiers(&self) -> Option<u64> {
        let of_chip = match &self.config.ftl {
            ModelFtl::Page(page) => page.frontiers(),
            ModelFtl::Blocks(blocks) => {
                let BlockKind::Superblock {
                    blocks_per_superblock,
                    ..
                } = blocks.kind
                else {
                    return None;
                };
                let logical = self.config.logical_blocks() / self.config.chips();
                logical.div_ceil(blocks_per_superblock)
            }
            ModelFtl::Ideal => return None,
        };
        Some(of_chip * self.config.chips())
    }

    /// The mapped pages are those that the host has written and not discarded, each at a different position.
    fn map(&self, requests: &[Request]) -> Verdict {
        let written = self.written(requests);
        let mapped: BTreeSet<u64> = match &self.result.map {
            ModelMap::Mapped(mapped) => {
                let pages = (0..).zip(mapped);
                pages.filter(|(_, is)| **is).map(|(lpn, _)| lpn).collect()
            }
            ModelMap::Places(places) => {
                self.places(places)?;
                let pages = (0..).zip(places);
                pages
                    .filter(|(_, is)| is.is_some())
                    .map(|(lpn, _)| lpn)
                    .collect()
            }
        };
        let keeps_some = self.config.policy != ModelPolicy::None || self.config.has_ram_region();
        let complete = self.config.drain || !keeps_some;
        if complete {
            let lost = written.difference(&mapped).next();
            same("page with data that is not mapped", lost, None)?;
        }
        // padding writes clean pages too, which unmapped reads may have brought in
        // and blank ones
        if !(self.pads_blanks() || self.pads() && self.config.buffer.reads == Reads::Cache) {
            let stale = mapped.difference(&written).next();
            same("page mapped that has no data", stale, None)?;
        }
        Ok(())
    }

    /// No two pages have the same position, and none is in a free block.
    fn places(&self, places: &[Option<(u64, u64)>]) -> Verdict {
        let mut used = BTreeSet::new();
        for (lpn, place) in places.iter().enumerate() {
            let chip = self.config.on_chip(lpn as u64).0 as usize;
            if let Some((pbn, position)) = place {
                let is_new = used.insert((chip, pbn, position));
                require("two pages lie at the same place", is_new)?;
                let is_free = self.result.free[chip].contains(pbn);
                require("a page lies in a free block", !is_free)?;
            }
        }
        Ok(())
    }

    fn pads(&self) -> bool {
        matches!(
            self.config.policy,
            ModelPolicy::Bplru {
                padding: Padding::Block | Padding::Mapped,
                ..
            } | ModelPolicy::Cbb(cbb::CbbConfig { padding: true, .. })
                | ModelPolicy::Clairvoyant(ClairvoyantConfig { padding: true, .. })
        )
    }

    fn pads_blanks(&self) -> bool {
        let block = Padding::Block;
        matches!(self.config.policy, ModelPolicy::Bplru { padding, .. } if padding == block)
    }

    /// The pages with data: preconditioned or written, and not discarded since.
    fn written(&self, requests: &[Request]) -> BTreeSet<u64> {
        let aged = self.config.precondition == Precondition::Full;
        let mut written: BTreeSet<u64> = (0..self.pages()).filter(|_| aged).collect();
        let size = self.config.page_size();
        for request in requests {
            let lpn = |page| page % self.pages();
            match request.op() {
                Op::Write => {
                    written.extend((request.offset / size..request.end().div_ceil(size)).map(lpn));
                }
                Op::Discard => {
                    for page in request.offset.div_ceil(size)..request.end() / size {
                        written.remove(&lpn(page));
                    }
                }
                Op::Read | Op::Flush => {}
            }
        }
        written
    }

    /// No block is lost, and the blocks kept back are free.
    fn blocks(&self) -> Verdict {
        let counts = &self.result.erase_counts;
        for free in &self.result.free {
            let distinct: BTreeSet<&u64> = free.iter().collect();
            same("free blocks", free.len(), distinct.len())?;
        }
        let Some((further, held_back)) = self.blocks_declared() else {
            return same("blocks", counts.len(), 0);
        };
        let physical = self.config.logical_blocks() + further;
        same("blocks", counts.len() as u64, physical)?;
        let mut free = self.result.free.iter();
        let enough = free.all(|free| free.len() as u64 >= held_back);
        require("too few blocks are free", enough)?;
        let erases: u64 = counts.iter().copied().map(u64::from).sum();
        same("erases", erases, self.result.counters.erases)
    }

    /// Every program has filled a page of a block that was erased since, or of a block in use.
    fn programs(&self) -> Verdict {
        let c = &self.result.counters;
        let n = self.config.pages_per_block();
        let from_above = c.evicted_dirty_pages + c.aged_pages;
        if self.config.has_ram_region() {
            let misses = c.buffer_write_misses;
            require("too many programs", c.flash_programs <= misses)?;
            let complete = self.config.drain && c.host_discards == 0;
            require("programs", !complete || c.flash_programs == misses)?;
        } else if self.config.policy == ModelPolicy::None {
            same("programs", c.flash_programs, c.host_write_pages)?;
        } else if self.pads() {
            let least = from_above + c.padding_reads;
            require("too few programs", least <= c.flash_programs)?;
            // padding also writes clean pages along with aged ones, and no counter has them
            let uncounted = self.config.buffer.flush_age_ns > 0;
            let most = match self.pads_blanks() {
                true => c.evictions * n,
                false => least + c.evicted_clean_pages,
            };
            require("too many programs", uncounted || c.flash_programs <= most)?;
        } else {
            same("programs", c.flash_programs, from_above)?;
        }
        let Some(frontiers) = self.frontiers() else {
            return Ok(());
        };
        let aged = if self.config.precondition == Precondition::Full {
            self.pages()
        } else {
            0
        };
        let moved = c.merge_programs + c.flash_copies + c.copy_backs;
        let programmed = aged + c.flash_programs + moved;
        let free = self.result.free.iter().map(Vec::len).sum::<usize>();
        let used = (self.result.erase_counts.len() - free) as u64;
        let filled = (c.erases + used) * n;
        require("more programs than pages", programmed <= filled)?;
        let unfilled = frontiers * (n - 1);
        require("blocks are left unfilled", programmed + unfilled >= filled)
    }

    /// Each page that the host reads or writes hits or misses; a page that leaves is written, and was there.
    fn ram_region(&self) -> Verdict {
        let c = &self.result.counters;
        if !self.config.has_ram_region() {
            return Ok(());
        }
        let written = c.buffer_write_hits + c.buffer_write_misses;
        same("pages written", written, c.host_write_pages)?;
        let read = c.buffer_read_hits + c.buffer_read_misses;
        same("pages read", read, c.host_read_pages)?;
        require(
            "too many evictions",
            c.evicted_dirty_pages <= c.flash_programs,
        )?;
        let evictions = c.evicted_dirty_pages + c.evicted_clean_pages;
        same("evictions", c.evictions, evictions)
    }

    /// Each FTL has only its kinds of merges, with the erases that they cause.
    fn counters(&self) -> Verdict {
        let c = &self.result.counters;
        let merges = c.switch_merges + c.partial_merges + c.full_merges;
        let events = self.result.events.iter();
        let victims = events.clone().filter(|e| matches!(e, Event::Cleaned(_)));
        same("victims", victims.count() as u64, c.gc_victims)?;
        let merged = events.filter(|e| matches!(e, Event::Merged(..)));
        let merged = merged.count() as u64;
        let aged = self.config.precondition == Precondition::Full;
        let kind = match &self.config.ftl {
            ModelFtl::Ideal => return same("merges", merges, 0),
            ModelFtl::Page(page) => {
                same("merges", merges, 0)?;
                // each chip may have a victim in progress
                let open = match page.pace {
                    Pace::Whole => 0,
                    Pace::Paced => self.config.chips(),
                };
                let erases = (c.erases..=c.erases + open).contains(&c.gc_victims);
                return require("erases", erases);
            }
            ModelFtl::Blocks(blocks) => blocks.kind,
        };
        match kind {
            BlockKind::Block => {
                same("merges", merges, merged)?;
                same("full merges", c.full_merges, 0)?;
                // without a data block there is none to erase
                let erases = c.erases <= merges && (!aged || c.erases == merges);
                require("erases", erases)
            }
            BlockKind::Replacement => {
                same("merges", c.full_merges, merged)?;
                require("erases", c.erases >= 2 * c.full_merges)
            }
            BlockKind::Bast { .. } | BlockKind::Fast => {
                same("merges", merges, merged)?;
                require("erases", !aged || c.erases >= merges)
            }
            BlockKind::Superblock { .. } => {
                same("merges", merges, c.gc_victims)?;
                same("erases", c.erases, c.gc_victims)
            }
        }
    }
}

fn note(tally: &Tally, case: &Case, config: &ModelConfig, result: &ModelResult) {
    let name = case.get("ftl.kind").unwrap();
    let counters = &result.counters;
    // all names, so that one without a case is missed
    for ftl in names(Family::Ftl) {
        let used = ftl == name && counters.flash_programs > 0;
        tally.note(format!("FTL {ftl}"), used);
    }
    for policy in names(Family::Buffer) {
        let used = case.is("buffer.policy", policy) && counters.host_write_pages > 0;
        tally.note(format!("buffer {policy}"), used);
    }
    let cleans = name == "page" && counters.gc_victims > 0;
    for cleaning in modelled_cleanings() {
        let used = cleans && case.is("ftl.cleaning", cleaning);
        tally.note(format!("cleaning {cleaning}"), used);
    }
    for placement in names(Family::Placement) {
        let used = cleans && case.is("ftl.placement", placement);
        tally.note(format!("placement {placement}"), used);
    }
    let kinds: &[Merge] = match name {
        "block" => &[Merge::Switch, Merge::Partial],
        "replacement" => &[Merge::Full],
        "bast" | "fast" => &[Merge::Switch, Merge::Partial, Merge::Full],
        _ => &[],
    };
    for kind in kinds {
        let is_kind = |event: &Event| matches!(event, Event::Merged(k, _) if k == kind);
        let happened = result.events.iter().any(is_kind);
        tally.note(format!("{kind:?} merge of {name}"), happened);
    }
    if name == "superblock" {
        tally.note("victim without a page", counters.switch_merges > 0);
        tally.note("victim with pages", counters.full_merges > 0);
    }
    if let ModelFtl::Page(page) = &config.ftl {
        let policy = format!("{:?}, frontier {:?}", page.cleaning, page.gc_frontier);
        tally.note(policy, counters.gc_victims > 0);
        note_placement(tally, page, config, counters);
        if page.cleaning == ModelCleaning::Jffs2 {
            tally.note("hundredth victim of jffs2", counters.gc_victims >= 100);
        }
    }
    tally.note("several chips", config.chips() > 1);
    if config.aware != BufferAware::Off {
        let what = format!("{name} that is {:?} takes a page", config.aware);
        tally.note(what, counters.merge_programs > 0);
    }
    if config.aware == BufferAware::MergeAndVictim {
        let choices = &result.choices;
        let aware = choices.iter().any(|choice| choice.aware);
        tally.note(format!("{name} chooses to be aware"), aware);
        let other = choices.iter().any(|choice| choice.chosen > 0);
        tally.note(format!("{name} chooses another than the first"), other);
    }
}

fn note_placement(tally: &Tally, page: &ModelPage, config: &ModelConfig, counters: &Counters) {
    let name = format!("{:?} on {:?}", page.placement, page.clock);
    tally.note(name.clone(), counters.gc_victims > 0);
    if config.has_ram_region() {
        let hits = counters.buffer_write_hits > 0 && counters.buffer_read_hits > 0;
        tally.note(format!("{name}: hits"), hits);
        let leaves_early = counters.evicted_dirty_pages > 0 && !config.drain;
        tally.note(format!("{name}: write-back before the end"), leaves_early);
        tally.note(format!("{name}: chips"), hits && config.chips() > 1);
    }
}
