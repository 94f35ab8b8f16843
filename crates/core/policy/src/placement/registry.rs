//! The placements of this crate: one line for each.

use alloc::vec;
use alloc::vec::Vec;

use super::{Registered, dac, dac_plus, deb, single};

/// The placements of this crate.
pub fn built_in() -> Vec<Registered> {
    vec![
        Registered::of::<single::Single>(),
        Registered::of::<dac::Dac>(),
        Registered::of::<dac_plus::DacPlus>(),
        Registered::of::<deb::Deb>(),
    ]
}
