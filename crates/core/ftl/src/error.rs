//! The errors of FTLs.

use ssdlab_flash::{Fault, Lbn};

/// Why an FTL failed. The type is small, so that every operation returns it in registers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FtlError {
    /// A flash operation failed.
    #[error("flash: {0}")]
    Flash(#[from] Fault),
    /// No erased block is left, although the configuration should guarantee one.
    #[error("no free block is left")]
    NoFreeBlock,
    /// Cleaning cannot gain a page, although the configuration should guarantee that it can.
    #[error(
        "the device is over-filled: no full block has an invalid page that cleaning could gain"
    )]
    OverFilled,
    /// This FTL cannot be mounted: the bound has no flash.
    #[error("this kind of FTL cannot be mounted")]
    CannotMount,
    /// The spare areas show a state that no power cut can leave.
    #[error("mount: the blocks of logical block {lbn:?} contradict each other")]
    Inconsistent {
        /// The logical block.
        lbn: Lbn,
    },
    /// All blocks of the map area are in use, but not because a power cut interrupted its cleaning.
    #[error("mount: no other version of map page {page} is left")]
    NoMapPage {
        /// The map page.
        page: u32,
    },
    /// More log blocks are in use than the configuration allows.
    #[error("mount: {found} log blocks are in use, more than ftl.log_blocks allows")]
    TooManyLogs {
        /// Log blocks in use.
        found: u32,
    },
    /// More replacement blocks are open than the configuration allows.
    #[error("mount: {found} replacement blocks are open, more than ftl.open_blocks allows")]
    TooManyOpen {
        /// Open replacement blocks.
        found: u32,
    },
    /// A superblock has more update blocks than the configuration allows.
    #[error(
        "mount: a superblock has {found} update blocks, more than ftl.max_update_blocks allows"
    )]
    TooManyUpdates {
        /// Update blocks of the first such superblock.
        found: u32,
    },
    /// More pages were kept in RAM than the configuration has room for.
    #[error("mount: {found} pages were kept in RAM, more than ftl.ram has room for")]
    TooManyInRam {
        /// Pages kept in RAM.
        found: u32,
    },
}
