//! Most invalid: greedy cleaning as one would write it first, with a look at every block.

use ssdlab_flash::{Geometry, Pbn};
use ssdlab_policy::cleaning::{Cleaning, CleaningKind};
use ssdlab_policy::{About, Entry, Settings, Source};

/// The valid pages of each full block.
pub struct MostInvalid {
    valid: Vec<Option<u32>>,
}

impl CleaningKind for MostInvalid {
    const ENTRY: Entry = Entry {
        name: "most-invalid",
        rule: "cleans the block with the most invalid pages; among equals the one with the lowest number",
        source: Source::none(""),
        keys: &[],
        about: About {
            file: file!(),
            lines: [
                "The valid pages of each full block are counted.",
                "The block with the fewest is cleaned.",
                "Among equals, the lowest block number wins.",
            ],
            cost: "O(blocks) for each victim; 8 bytes for each block.",
            wins: "Like greedy.",
            loses: "Like greedy, and it is slow on large devices.",
        },
    };

    type Config = ();

    fn configure(_: &dyn Settings) {}

    fn new(geometry: &Geometry, (): &()) -> Self {
        Self {
            valid: vec![None; geometry.physical_blocks() as usize],
        }
    }
}

impl Cleaning for MostInvalid {
    fn filled(&mut self, block: Pbn, valid: u32, _: u64) {
        self.valid[block.index()] = Some(valid);
    }

    fn invalidated(&mut self, block: Pbn, _: u64) {
        if let Some(valid) = &mut self.valid[block.index()] {
            *valid -= 1;
        }
    }

    fn erased(&mut self, block: Pbn) {
        self.valid[block.index()] = None;
    }

    fn pick(&mut self, _: u64) -> Pbn {
        let full = (0..).map(Pbn).zip(&self.valid);
        let full = full.filter_map(|(block, valid)| Some((valid.as_ref()?, block)));
        let (_, block) = full.min().expect("called only while a block is full");
        block
    }

    fn check(&self, full: &[(Pbn, u32)]) -> Result<(), String> {
        let wrong = full
            .iter()
            .find(|(block, valid)| self.valid[block.index()] != Some(*valid));
        wrong.map_or(Ok(()), |wrong| Err(format!("wrong count of {wrong:?}")))
    }
}
