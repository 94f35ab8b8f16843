//! Made-up addresses for traces of files or blocks that have none.

use std::collections::HashMap;

/// Gives each file or block a slot of the device, in the order in which they appear.
pub(crate) struct Slots {
    /// Bytes.
    size: u64,
    numbers: HashMap<Vec<u8>, u64>,
}

impl Slots {
    /// Slots of this size in bytes, above 0.
    pub fn new(size: u64) -> Self {
        Self {
            size,
            numbers: HashMap::new(),
        }
    }

    /// The address on the device of `size` bytes at `offset` in the thing of that name.
    ///
    /// # Errors
    /// The bytes are beyond its slot, or the slot is beyond the last address. The names are those of the two fields.
    pub fn address(
        &mut self,
        name: &[u8],
        [offset_name, size_name]: [&str; 2],
        offset: u64,
        size: u64,
    ) -> Result<u64, String> {
        if offset.checked_add(size).is_none_or(|end| end > self.size) {
            return Err(format!(
                "{offset_name} + {size_name} is beyond the slot, found {offset} + {size}; the sum must be at most {}; choose a \
                 larger slot with --slot",
                self.size
            ));
        }
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                let next = self.numbers.len() as u64;
                self.numbers.insert(name.to_owned(), next);
                next
            }
        };
        let start = number.checked_mul(self.size);
        let address = start.and_then(|start| start.checked_add(offset));
        let inside = |address: &u64| address.checked_add(size).is_some();
        address.filter(inside).ok_or_else(|| {
            format!(
                "slot {number} is beyond the last address, found {} bytes for each slot; choose a smaller one with --slot",
                self.size
            )
        })
    }

    /// What the user should know: how addresses are made up for such things, `files` or `blocks`.
    pub fn remark(&self, things: &str) -> String {
        format!(
            "addresses are made up: the trace has {} {things}, and each got the next {} bytes of the device (--slot)",
            self.numbers.len(),
            self.size
        )
    }
}
