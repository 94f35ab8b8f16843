//! Cells whose times differ from block to block, as those of real flash do (BPLRU, section 4.3).

use ssdlab_flash::{Cells, Note, Pbn, Ppn};

use crate::setup::{Layout, Setup, Times};

/// What the cells of a block do, each in a time of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// They deliver a page.
    Read,
    /// A page is programmed.
    Program,
    /// They are erased.
    Erase,
}

/// How the times of the cells differ from block to block: each block of each chip has a factor for its reads, one for its
/// programs and one for its erases, drawn evenly from 1 − share to 1 + share. The same seed draws the same factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Above 0 and below 1.
    pub share: f64,
    /// Any number.
    pub seed: u64,
}

/// The factors of all blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    share: f64,
    key: u64,
    pages_per_block: u32,
}

impl Factors {
    pub fn new(setup: &Setup) -> Option<Self> {
        setup.spread.map(|spread| Self {
            share: spread.share,
            key: mixed(spread.seed),
            pages_per_block: setup.pages_per_block,
        })
    }

    /// The time of work on a page for which the keys say `ns`.
    pub fn of_page(&self, work: Work, chip: usize, Ppn(at): Ppn, ns: u64) -> u64 {
        self.of_block(work, chip, Pbn(at / self.pages_per_block), ns)
    }

    /// The same for work on a block.
    pub fn of_block(&self, work: Work, chip: usize, Pbn(block): Pbn, ns: u64) -> u64 {
        let place = (chip as u64) << 34 | u64::from(block) << 2 | work as u64;
        // 53 bits are a double in [0, 1)
        let drawn = (mixed(self.key ^ place) >> 11) as f64 / (1u64 << 53) as f64;
        (ns as f64 * (1.0 + self.share * (2.0 * drawn - 1.0))).round_ties_even() as u64
    }
}

/// The first number of SplitMix64 (Steele, Lea and Flood 2014) with this seed.
fn mixed(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Under the serial model: by how much the times of all operations so far differ from those of the keys.
#[derive(Clone, Debug)]
pub struct Deviation {
    factors: Factors,
    times: Times,
    cells: Cells,
    layout: Layout,
    chips: u32,
    ns: i64,
}

impl Deviation {
    /// That of a new device; `None` if its times do not differ.
    pub fn new(setup: &Setup) -> Option<Self> {
        Factors::new(setup).map(|factors| Self {
            factors,
            times: setup.times.clone(),
            cells: Cells::Native,
            layout: setup.layout,
            chips: setup.chips,
            ns: 0,
        })
    }

    /// The sum in nanoseconds.
    pub fn ns(&self) -> i64 {
        self.ns
    }

    /// Adds what an FTL did in one call.
    pub fn follow(&mut self, ftl: u32, notes: &[Note]) {
        for note in notes {
            match *note {
                Note::Read { at, .. } | Note::ReadOwn { at } | Note::LoadMap { at, .. } => {
                    self.page(Work::Read, ftl, at);
                }
                Note::Reads { at, count, .. } => {
                    (0..count).for_each(|page| self.page(Work::Read, ftl, at.plus(page)));
                }
                Note::ProgramOwn { to } | Note::MergeProgram { to, .. } => {
                    self.page(Work::Program, ftl, to);
                }
                Note::Programs { to, count, .. } => {
                    (0..count).for_each(|page| self.page(Work::Program, ftl, to.plus(page)));
                }
                Note::Copy { from, to } | Note::CopyOwn { from, to } => {
                    self.page(Work::Read, ftl, from);
                    self.page(Work::Program, ftl, to);
                }
                Note::CopyBack { to, .. } => {
                    self.page(Work::Read, ftl, to);
                    self.page(Work::Program, ftl, to);
                }
                Note::Erase { block } | Note::EraseVictim { block } => self.erase(ftl, block),
                Note::Cells(cells) => self.cells = cells,
                Note::Call
                | Note::LookUp
                | Note::FetchMap { .. }
                | Note::LookedUp { .. }
                | Note::ProgramMap { .. }
                | Note::Group { .. }
                | Note::RamHit(_)
                | Note::RamEntry(_)
                | Note::RamExit(_) => {}
            }
        }
    }

    fn page(&mut self, work: Work, ftl: u32, at: Ppn) {
        let chip = match self.layout {
            Layout::Alone => ftl,
            Layout::Lines => at.0 % self.chips,
        };
        let (read_ns, program_ns) = self.times.of(self.cells);
        let ns = match work {
            Work::Read => read_ns,
            Work::Program | Work::Erase => program_ns,
        };
        let varied = self.factors.of_page(work, chip as usize, at, ns);
        self.ns += varied as i64 - ns as i64;
    }

    /// The erase of a line ends with that of its slowest block.
    fn erase(&mut self, ftl: u32, block: Pbn) {
        if block == Pbn::NONE {
            return;
        }
        let chips = match self.layout {
            Layout::Alone => ftl..ftl + 1,
            Layout::Lines => 0..self.chips,
        };
        let ns = self.times.erase_ns;
        let of_chip = |chip: u32| self.factors.of_block(Work::Erase, chip as usize, block, ns);
        let slowest = chips.map(of_chip).max().unwrap_or(ns);
        self.ns += slowest as i64 - ns as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: factors of one side only; one factor for all kinds of work, blocks, chips or seeds; a wider spread
    #[test]
    fn each_block_has_factors_of_its_own() {
        let factors = |share, seed| Factors {
            share,
            key: mixed(seed),
            pages_per_block: 4,
        };
        let mut all = Vec::new();
        for work in [Work::Read, Work::Program, Work::Erase] {
            for chip in 0..10 {
                for block in (0..100).map(Pbn) {
                    let ns = factors(0.2, 1).of_block(work, chip, block, 1_000_000);
                    let first = Ppn(block.0 * 4);
                    let of_pages = [0, 3].map(|page| {
                        factors(0.2, 1).of_page(work, chip, first.plus(page), 1_000_000)
                    });
                    assert_eq!(of_pages, [ns; 2]);
                    all.push(ns);
                }
            }
        }
        let mean = all.iter().sum::<u64>() / all.len() as u64;
        // the standard error is 2,100
        assert!(mean.abs_diff(1_000_000) < 8_000, "{mean}");
        all.sort_unstable();
        assert!((800_000..801_000).contains(&all[0]), "{}", all[0]);
        let most = all[all.len() - 1];
        assert!((1_199_000..=1_200_000).contains(&most), "{most}");
        all.dedup();
        assert!(all.len() > 2980, "{} of 3000 differ", all.len());
        let seeds = [1, 2, 3].map(|seed| {
            let blocks = (0..4).map(Pbn);
            let of_block = |block| factors(0.2, seed).of_block(Work::Read, 0, block, 1_000_000);
            let mut drawn: Vec<u64> = blocks.map(of_block).collect();
            drawn.sort_unstable();
            drawn
        });
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2]);
    }
}
