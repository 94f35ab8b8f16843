//! The FTLs of this crate: one line for each.

use crate::kind::EachKind;
use crate::{bast, block, fast, ideal, page, replacement, superblock};

/// Runs an action for each FTL of this crate, in the order of the registry.
pub fn each_kind(action: &mut impl EachKind) {
    action.kind::<ideal::Ideal>();
    action.kind::<block::Block>();
    action.kind::<replacement::Replacement>();
    action.kind::<bast::Bast>();
    action.kind::<fast::Fast>();
    action.kind::<superblock::SuperblockFtl>();
    action.kind::<page::PageMapping>();
}
