//! Tiobench: threads, each with its own file, go through four phases together: sequential writes, random writes,
//! sequential reads, random reads.

use super::access::{Access, Workload};
use super::random::Random;

/// The phases in their order.
const PHASES: usize = 4;

/// The files are neighbours. Each access is by a random thread among those that have not finished the phase.
#[derive(Clone, Debug)]
pub struct Tiobench {
    file: u64,
    scattered: u64,
    phase: usize,
    /// For each thread, the accesses left in this phase.
    left: Vec<u64>,
    /// The threads that have not finished this phase.
    busy: Vec<u64>,
}

impl Tiobench {
    /// The number of threads is 1 to `units`; `scattered`, at least 1, is the number of accesses of each thread in a
    /// random phase.
    pub fn new(units: u64, threads: u64, scattered: u64) -> Self {
        let mut new = Self {
            file: units / threads,
            scattered,
            phase: 0,
            left: vec![0; threads as usize],
            busy: Vec::new(),
        };
        new.begin(0);
        new
    }

    fn begin(&mut self, phase: usize) {
        self.phase = phase;
        let accesses = if self.is_random() {
            self.scattered
        } else {
            self.file
        };
        self.left.fill(accesses);
        self.busy = (0..self.left.len() as u64).collect();
    }

    fn is_random(&self) -> bool {
        self.phase % 2 == 1
    }
}

impl Workload for Tiobench {
    fn next(&mut self, random: &mut Random) -> Access {
        if self.busy.is_empty() {
            self.begin((self.phase + 1) % PHASES);
        }
        let turn = random.below(self.busy.len() as u64) as usize;
        let thread = self.busy[turn];
        let left = &mut self.left[thread as usize];
        let done = self.file - (*left).min(self.file);
        *left -= 1;
        if *left == 0 {
            self.busy.swap_remove(turn);
        }
        let within = if self.is_random() {
            random.below(self.file)
        } else {
            done
        };
        let first = thread * self.file + within;
        if self.phase < PHASES / 2 {
            Access::write(first, 1)
        } else {
            Access::read(first, 1)
        }
    }
}
