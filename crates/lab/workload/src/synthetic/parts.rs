//! Parts of the space, each with a workload of its own: zones and streams.

use super::access::{Access, Workload};
use super::random::Random;
use ssdlab_host::Op;

/// A part of the space with its workload.
pub struct Part {
    /// What happens in the part; its unit 0 is `first`.
    pub workload: Box<dyn Workload>,
    /// The first unit.
    pub first: u64,
    /// The number of units.
    pub units: u64,
    /// The share of the accesses at the start and at the end of the trace, by its proportion to those of the other parts.
    pub weight: [f64; 2],
    /// The stream of its accesses.
    pub stream: u16,
    /// The share of its writes that become reads, 0 to 1.
    pub reads: f64,
}

/// Each access is one of a part that is drawn by its weight. Parts may overlap.
pub struct Parts {
    parts: Vec<Part>,
    /// Weights at the start and at the end are the same.
    steady: bool,
    /// The part of the trace that one access is.
    step: f64,
    accesses: u64,
}

impl Parts {
    /// The weights, none below 0, change evenly over this number of accesses, and stay as they are then. At least one
    /// part has a weight above 0 throughout.
    pub fn new(parts: Vec<Part>, accesses: u64) -> Self {
        Self {
            steady: parts.iter().all(|part| part.weight[0] == part.weight[1]),
            parts,
            step: 1.0 / accesses.saturating_sub(1).max(1) as f64,
            accesses: 0,
        }
    }

    /// A part with a weight above 0.
    fn draw(&mut self, random: &mut Random) -> usize {
        let progress = if self.steady {
            0.0
        } else {
            (self.accesses as f64 * self.step).min(1.0)
        };
        self.accesses += 1;
        let weight = |part: &Part| {
            let [start, end] = part.weight;
            start + (end - start) * progress
        };
        let sum: f64 = self.parts.iter().map(weight).sum();
        let mut left = random.fraction() * sum;
        let mut drawn = 0;
        for (at, part) in self.parts.iter().enumerate() {
            let weight = weight(part);
            if weight <= 0.0 {
                continue;
            }
            // the last part with a weight also takes what rounding leaves
            drawn = at;
            if left < weight {
                break;
            }
            left -= weight;
        }
        drawn
    }
}

impl Workload for Parts {
    fn next(&mut self, random: &mut Random) -> Access {
        let drawn = self.draw(random);
        let part = &mut self.parts[drawn];
        let mut access = part.workload.next(random);
        access.first += part.first;
        access.stream = part.stream;
        if access.op == Op::Write && part.reads > 0.0 && random.chance(part.reads) {
            access.op = Op::Read;
        }
        access
    }

    fn stream_of(&self, unit: u64) -> u16 {
        let holds = |part: &&Part| (part.first..part.first + part.units).contains(&unit);
        self.parts.iter().find(holds).map_or(0, |part| part.stream)
    }
}
