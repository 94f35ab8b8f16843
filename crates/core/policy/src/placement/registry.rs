//! The placements of this crate: one line for each.

use alloc::vec;
use alloc::vec::Vec;

use super::{Registered, dac, dac_plus, dac_updates, deb, fdp, future, sepbit, single, tt, two_a};

/// The placements of this crate.
pub fn built_in() -> Vec<Registered> {
    vec![
        Registered::of::<single::Single>(),
        Registered::of::<dac::Dac>(),
        Registered::of::<dac_plus::DacPlus>(),
        Registered::of::<deb::Deb>(),
        Registered::of::<fdp::Fdp>(),
        Registered::of::<dac_updates::DacUpdates>(),
        Registered::of::<sepbit::SepBit>(),
        Registered::of::<tt::Tt>(),
        Registered::of::<two_a::TwoA>(),
        Registered::of::<future::Future>(),
    ]
}
