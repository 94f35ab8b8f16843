//! Mixed streams: several sequential writers, each in its own part and with a stream of its own, and random writes
//! between them, of stream 0.

use super::access::{Access, Workload};
use super::random::Random;
use super::sequential::Sequential;

/// Each access continues a stream chosen at random.
#[derive(Clone, Debug)]
pub struct Mixed {
    units: u64,
    part: u64,
    streams: Vec<Sequential>,
    scattered: f64,
}

impl Mixed {
    /// The number of streams is 1 to `units` and to 65535; the share `scattered` of the writes, 0 to 1, goes anywhere.
    pub fn new(units: u64, streams: u64, scattered: f64) -> Self {
        let part = units / streams;
        Self {
            units,
            part,
            streams: vec![Sequential::new(part); streams as usize],
            scattered,
        }
    }
}

impl Workload for Mixed {
    fn next(&mut self, random: &mut Random) -> Access {
        if random.chance(self.scattered) {
            return Access::write(random.below(self.units), 1);
        }
        let stream = random.below(self.streams.len() as u64);
        let mut access = self.streams[stream as usize].next(random);
        access.first += stream * self.part;
        access.stream = stream as u16 + 1;
        access
    }
}
