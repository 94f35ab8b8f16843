//! Hot and cold data in one log that is cleaned in the order of writing (Desnoyers 2012).

use crate::solve::root_above;
use crate::spare::Spare;

/// Data with the same rate of writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// r: its share of the writes, above 0.
    pub writes: f64,
    /// f: its share of the data, above 0.
    pub data: f64,
}

/// FIFO: A = Σ r_i / (1 − e^(−(r_i/f_i)·α/A)). The shares of all classes add up to 1 each.
///
/// A page of class i is copied after one turn of the log, if no write came in between.
pub fn classes(spare: Spare, classes: &[Class]) -> f64 {
    let alpha = spare.alpha();
    root_above(1.0, |amplification| {
        let programs = classes.iter().map(|class| {
            let written = class.writes / class.data * alpha / amplification;
            class.writes / -(-written).exp_m1()
        });
        amplification - programs.sum::<f64>()
    })
}
