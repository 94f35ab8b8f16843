//! Merges that use a write buffer, and victims chosen with it, on devices small enough to follow by hand.
//!
//! Planted bugs that these tests catch: a page programmed from the buffer that stays dirty there; clean pages without a
//! version in flash that are moved; a dirty page without one that is not moved, or that a partial merge moves although
//! it is before the filled pages; a victim that is not the first among equals, or is not one of the candidates; a merge
//! that uses the buffer although that saves nothing; a merge that ignores the buffer although its block was not chosen;
//! hot pages treated as cold; an order of filling that is lost when a middle log block is reclaimed, or by a mount.

mod bast;
mod fast;

use std::collections::BTreeMap;
use std::marker::PhantomData;

use ssdlab_flash::{Array, Check, Geometry, Lpn, Media, Pbn, ProgramOrder};
use ssdlab_ftl::{
    Aware, Buffer, BufferAware, BufferView, Costs, Env, FlashCounts, FreeLists, Ftl, FtlKind, Held,
};

type Flash = Check<Array<u64>>;

/// The timings of the BAGC paper, ns.
const COSTS: Costs = Costs {
    read: 25_000,
    program: 200_000,
    erase: 1_500_000,
    transfer: 100_000,
};

/// The parameters of both FTLs.
#[derive(Clone, Copy)]
struct Params {
    log_blocks: u32,
    aware: Aware,
}

const SPARE_BLOCKS: u32 = 2;

impl From<Params> for ssdlab_ftl::bast::BastConfig {
    fn from(Params { log_blocks, aware }: Params) -> Self {
        Self {
            log_blocks,
            spare_blocks: SPARE_BLOCKS,
            map_updates: false,
            partial_merge: true,
            aware,
            free_lists: FreeLists::One,
        }
    }
}

impl From<Params> for ssdlab_ftl::fast::FastConfig {
    fn from(Params { log_blocks, aware }: Params) -> Self {
        Self {
            log_blocks,
            spare_blocks: SPARE_BLOCKS,
            map_updates: false,
            aware,
            free_lists: FreeLists::One,
        }
    }
}

fn params(log_blocks: u32, mode: BufferAware) -> Params {
    let aware = Aware {
        mode,
        candidates: 0,
        blind_to_copy_backs: false,
        update_millionths: None,
        averaged_merges: 16,
        costs: COSTS,
    };
    Params { log_blocks, aware }
}

/// The state of a page in the buffer.
#[derive(Clone, Copy, PartialEq)]
enum As {
    Clean,
    /// Dirty, and certainly not written again.
    Cold,
    /// Dirty, and certainly written again.
    Hot,
}

/// A buffer; the data of each page is its number plus 1000.
#[derive(Default)]
struct Memory {
    held: BTreeMap<u32, As>,
    data: BTreeMap<u32, u64>,
    cleaned: Vec<u32>,
}

impl BufferView<u64> for Memory {
    fn held(&self, lpn: Lpn) -> Held {
        match self.held.get(&lpn.0) {
            None => Held::Not,
            Some(As::Clean) => Held::Clean,
            Some(As::Cold | As::Hot) => Held::Dirty,
        }
    }

    fn page(&self, lpn: Lpn) -> &u64 {
        &self.data[&lpn.0]
    }

    fn cleaned(&mut self, lpn: Lpn, _benefit_ns: u64) {
        self.held.insert(lpn.0, As::Clean);
        self.cleaned.push(lpn.0);
    }

    fn update_probability(&self, lpn: Lpn) -> u64 {
        match self.held[&lpn.0] {
            As::Hot => self.update_denominator(),
            As::Clean | As::Cold => 0,
        }
    }

    fn update_denominator(&self) -> u64 {
        3
    }
}

/// An FTL over checked flash with N pages in a block, and a buffer.
struct Device<K> {
    kind: PhantomData<K>,
    params: Params,
    ftl: Box<dyn Ftl<Flash>>,
    env: Env<Flash>,
    memory: Memory,
    written: u64,
}

impl<K: FtlKind<Config: From<Params>>> Device<K> {
    /// A full device; copies pass through the controller.
    fn new(pages_per_block: u32, logical_blocks: u32, params: Params) -> Self {
        let extra = params.log_blocks + SPARE_BLOCKS;
        let geometry = Geometry::new(
            512,
            pages_per_block,
            logical_blocks,
            logical_blocks + extra,
            1,
        );
        let mut array = Array::new(geometry.clone(), ProgramOrder::Ascending);
        array.precondition().expect("a new array");
        Self {
            kind: PhantomData,
            ftl: K::fresh(&params.into(), &geometry, true),
            env: Env::new(Check::new(array).expect("spare areas"), false),
            params,
            memory: Memory::default(),
            written: 0,
        }
    }

    /// Enables copy-back; there is one plane, so every page can be copied back.
    fn with_copy_back(mut self) -> Self {
        self.env = Env::new(self.env.into_media(), true);
        self
    }

    fn holding(mut self, pages: impl IntoIterator<Item = (u32, As)>) -> Self {
        for (lpn, how) in pages {
            self.memory.held.insert(lpn, how);
            self.memory.data.insert(lpn, u64::from(lpn) + 1000);
        }
        self
    }

    /// Checks the tables after each write.
    fn write(&mut self, pages: &[u32]) {
        for &lpn in pages {
            self.written += 1;
            let mut buffer = Buffer::lent(&mut self.memory, &self.params.aware);
            let written = self
                .ftl
                .write(&mut self.env, &mut buffer, Lpn(lpn), &self.written);
            written.expect("no error");
            self.ftl
                .check(self.env.media_mut())
                .expect("correct tables");
        }
    }

    fn discard(&mut self, pages: &[u32]) {
        for &lpn in pages {
            let discarded = self.ftl.discard(&mut self.env, Lpn(lpn));
            discarded.expect("no error");
        }
    }

    /// Stops and mounts the device with other parameters; the buffer keeps its pages.
    fn mounted(self, params: Params) -> Self {
        let mut media = self.env.into_media();
        let ftl = K::mount(&params.into(), &mut media).expect("the flash that the FTL wrote");
        Self {
            params,
            ftl,
            env: Env::new(media, false),
            ..self
        }
    }

    /// The data of a page in flash.
    fn flash(&mut self, lpn: u32) -> Option<u64> {
        let mut found = u64::MAX;
        self.ftl
            .read(&mut self.env, Lpn(lpn), &mut found)
            .expect("no error");
        self.ftl.is_mapped(Lpn(lpn)).then_some(found)
    }

    /// Work of merges: pages copied, pages copied back, pages from the buffer, blocks erased.
    fn moves(&self) -> [u64; 4] {
        let FlashCounts {
            copies,
            copy_backs,
            merge_programs,
            erases,
            ..
        } = *self.env.counts();
        [copies, copy_backs, merge_programs, erases]
    }

    /// The blocks erased so far.
    fn erased(&self) -> Vec<u32> {
        let blocks = 0..self.env.media().geometry().physical_blocks();
        let erased = |&block: &u32| self.env.media().erase_count(Pbn(block)) > 0;
        blocks.filter(erased).collect()
    }
}

fn all(pages: impl IntoIterator<Item = u32>, how: As) -> impl Iterator<Item = (u32, As)> {
    pages.into_iter().map(move |lpn| (lpn, how))
}
