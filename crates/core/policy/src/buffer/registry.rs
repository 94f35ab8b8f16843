//! The buffer policies of this crate: one line for each.

use super::EachKind;
use super::{
    blru, bplru, cbb, cflru, clairvoyant, fab, fifo, lb_clock, lru, plru_br, plru_br_2q, req_block,
    sof, three_region, unbounded, zone,
};

/// Runs an action for each policy, in the order of the registry. "No buffer" is no policy.
pub fn each_kind(action: &mut impl EachKind) {
    action.kind::<fifo::Fifo>();
    action.kind::<lru::Lru>();
    action.kind::<cflru::Cflru>();
    action.kind::<sof::Sof>();
    action.kind::<zone::Zone>();
    action.kind::<fab::Fab>();
    action.kind::<blru::Blru>();
    action.kind::<bplru::Bplru>();
    action.kind::<plru_br::PlruBr>();
    action.kind::<plru_br_2q::PlruBr2q>();
    action.kind::<three_region::ThreeRegion>();
    action.kind::<lb_clock::LbClock>();
    action.kind::<req_block::ReqBlock>();
    action.kind::<cbb::Cbb>();
    action.kind::<clairvoyant::Clairvoyant>();
    action.kind::<unbounded::Unbounded>();
}
