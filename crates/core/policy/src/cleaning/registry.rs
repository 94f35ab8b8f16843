//! The cleaning policies of this crate: one line for each.

use alloc::vec;
use alloc::vec::Vec;

use super::{Registered, cat, cost_benefit, d_choices, fifo, greedy, jffs2};

/// The cleaning policies of this crate.
pub fn built_in() -> Vec<Registered> {
    vec![
        Registered::of::<greedy::Greedy>(),
        Registered::of::<cost_benefit::CostBenefit>(),
        Registered::of::<cat::Cat>(),
        Registered::of::<fifo::Fifo>(),
        Registered::of::<jffs2::Jffs2>(),
        Registered::of::<d_choices::DChoices>(),
    ]
}
