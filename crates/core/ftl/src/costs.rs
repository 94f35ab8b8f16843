//! The costs of operations, for the choice of victims.

use crate::counts::Work;

/// The times of the operations in a merge, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Reads a page from the cells to the register.
    pub read: u64,
    /// Programs a page from the register to the cells.
    pub program: u64,
    /// Erases a block.
    pub erase: u64,
    /// Transfers a page over the flash bus.
    pub transfer: u64,
}

impl Costs {
    /// T_ff: copies a page through the controller.
    pub fn copy(&self) -> u64 {
        self.copy_back() + 2 * self.transfer
    }

    /// T_pp: copies a page inside a plane.
    pub fn copy_back(&self) -> u64 {
        self.read + self.program
    }

    /// T_bf: writes a page from the buffer.
    pub fn from_buffer(&self) -> u64 {
        self.transfer + self.program
    }

    /// The time of a merge.
    pub(crate) fn with_erases(&self, work: &Work) -> u64 {
        self.of(work) + work.erases * self.erase
    }

    /// The time of a merge without its erases.
    pub(crate) fn of(&self, work: &Work) -> u64 {
        work.copies * self.copy()
            + work.copy_backs * self.copy_back()
            + work.merge_programs * self.from_buffer()
    }
}
