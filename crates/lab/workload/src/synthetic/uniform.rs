//! Uniform writes, optionally with discards (Frankie, Hughes and Kreutz-Delgado 2013).

use super::access::{Access, Workload};
use super::in_use::InUse;
use super::random::Random;

/// Writes of one unit, each of any unit; and discards of one unit, each of any unit with data.
#[derive(Clone, Debug)]
pub struct Uniform {
    units: u64,
    discards: Option<Discards>,
}

#[derive(Clone, Debug)]
struct Discards {
    share: f64,
    in_use: InUse,
}

impl Uniform {
    /// Writes only; `units` is at least 1.
    pub fn new(units: u64) -> Self {
        let discards = None;
        Self { units, discards }
    }

    /// Discards are a share of the accesses, from 0 to below 1/2. There are 1 to 2^32 units, at first without data.
    /// While no unit has data, a write replaces the discard.
    pub fn with_discards(units: u64, share: f64) -> Option<Self> {
        let valid = (1..=1 << 32).contains(&units) && (0.0..0.5).contains(&share);
        valid.then(|| {
            let in_use = InUse::none_of(units);
            let discards = Some(Discards { share, in_use });
            Self { units, discards }
        })
    }
}

impl Workload for Uniform {
    fn next(&mut self, random: &mut Random) -> Access {
        let Some(Discards { share, in_use }) = &mut self.discards else {
            return Access::write(random.below(self.units), 1);
        };
        let discarded = if random.chance(*share) {
            in_use.take_any(random)
        } else {
            None
        };
        match discarded {
            Some(unit) => Access::discard(unit, 1),
            None => {
                let unit = random.below(self.units);
                in_use.add(unit);
                Access::write(unit, 1)
            }
        }
    }
}
