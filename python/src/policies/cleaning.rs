//! Cleaning policies.

use std::sync::Arc;

use ssdlab_flash::Pbn;
use ssdlab_policy::cleaning::{Chosen, Cleaning, Registered};
use ssdlab_policy::{CLOCK, Clock, MinTree};
use ssdlab_sim::Lab;

use super::called::{Called, number, values};
use super::declared::Declared;
use super::ending::Ending;

const METHODS: [&str; 4] = ["filled", "invalidated", "erased", "pick"];
const FILLED: usize = 0;
const INVALIDATED: usize = 1;
const ERASED: usize = 2;
const PICK: usize = 3;

/// The bytes that the tables here and objects of Python take for each block, as a rule.
const BLOCK_BYTES: u64 = 16 + 256;

/// A cleaning policy. The full blocks and their valid pages are kept here too: no other block is ever cleaned.
struct PyCleaning {
    called: Called,
    /// For each full block, its valid pages.
    full: MinTree,
    pages_per_block: u64,
    /// How often in a row it has picked blocks without an invalid page.
    vain: u32,
}

/// Adds a policy to a laboratory.
pub fn add(lab: Lab, policy: &Arc<Declared>, ending: &Ending) -> Lab {
    let entry = policy.entry(&[CLOCK.key]);
    let (policy, ending) = (Arc::clone(policy), ending.clone());
    lab.cleaning(Registered::new(entry, move |settings| {
        let keys = values(&policy, settings);
        let traced = CLOCK.of(settings) == Clock::Trace;
        let (policy, ending) = (Arc::clone(&policy), ending.clone());
        let table_bytes = |blocks: u64, _| BLOCK_BYTES * blocks;
        Chosen::new(entry, table_bytes, move |of| {
            let told = vec![
                ("blocks", of.physical_blocks().into()),
                ("pages_per_block", of.pages_per_block().into()),
                ("page_size", of.page_size().into()),
                ("logical_pages", of.logical_pages().into()),
                ("trace_time", traced.into()),
            ];
            Box::new(PyCleaning {
                called: Called::new(&policy, &ending, &METHODS, told, keys.clone()),
                full: MinTree::new(of.physical_blocks()),
                pages_per_block: of.pages_per_block().into(),
                vain: 0,
            })
        })
    }))
}

impl PyCleaning {
    /// Whether the block is full, and how many of its pages are valid.
    fn valid(&self, block: u32) -> Option<u64> {
        let valid = (block < self.full.items()).then(|| self.full.get(block));
        valid.filter(|&valid| valid != MinTree::ABSENT)
    }

    /// Ends a run in which cleaning would go on for ever.
    fn count_vain(&mut self, valid: u64) {
        if valid < self.pages_per_block {
            self.vain = 0;
            return;
        }
        self.vain += 1;
        let blocks = self.full.items();
        if self.vain > blocks {
            self.called.fail(format!(
                "{}.pick() returned blocks without an invalid page {} times in a row: must return a block that gains \
                 space at least once in {blocks} times, the number of blocks",
                self.called.class_name(),
                self.vain,
            ));
        }
    }
}

impl Cleaning for PyCleaning {
    fn filled(&mut self, block: Pbn, valid: u32, now: u64) {
        self.full.set(block.0, valid.into());
        self.called.tell(FILLED, (block.0, valid, now));
    }

    fn invalidated(&mut self, block: Pbn, now: u64) {
        if let Some(valid) = self.valid(block.0) {
            self.full.set(block.0, valid - 1);
            self.called.tell(INVALIDATED, (block.0, now));
        }
    }

    fn erased(&mut self, block: Pbn) {
        self.full.set(block.0, MinTree::ABSENT);
        self.called.tell(ERASED, (block.0,));
    }

    fn pick(&mut self, now: u64) -> Pbn {
        let full = &self.full;
        let is_full = |block: &u32| *block < full.items() && full.get(*block) != MinTree::ABSENT;
        let named = self.called.ask(
            PICK,
            (now,),
            |value| number(value).filter(is_full),
            || {
                let number = (0..full.items()).filter(is_full).count();
                format!("the number of one of the {number} full blocks")
            },
        );
        if let Some(block) = named {
            self.count_vain(self.full.get(block));
        }
        // a block with the fewest valid pages gains something
        let any = || self.full.first().expect("at least one block is full");
        let near_end = self.vain > self.full.items();
        Pbn(named.filter(|_| !near_end).unwrap_or_else(any))
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        let differs = |(block, valid): &&(Pbn, u32)| self.valid(block.0) != Some((*valid).into());
        match full.iter().find(differs) {
            Some(block) => Err(format!("{block:?} is not what is kept")),
            None => Ok(()),
        }
    }
}
