//! The block accesses of Postmark (Katcher 1997): it creates a pool of small files, works on them in transactions,
//! deletes all files, and starts again. Each transaction creates or deletes a file, and reads or appends to a file.
//!
//! The file system is the simplest that shows this pattern. Inodes are in the first units, 32 in each unit, and in further
//! units that are taken when these are full; each change of a file writes its inode. Data units are allocated next-fit or
//! first-fit, between those of other files, which are there from the start. The page cache of a host is not modelled:
//! `--flush-every` or a write buffer takes its place.

use std::collections::VecDeque;

use super::access::{Access, Workload};
use super::random::Random;

/// Inodes in a unit.
const INODES: u64 = 32;

/// The parameters, with Postmark's names. Sizes are in units.
#[derive(Clone, Debug)]
pub struct PostmarkParams {
    /// Files at the start, at least 1.
    pub number: u64,
    /// The number of transactions between the creation and the deletion of all files.
    pub transactions: u64,
    /// The smallest file, at least 1.
    pub least: u64,
    /// The largest file at its creation, at least `least`; also the largest append.
    pub most: u64,
    /// Share of the transactions that read a file instead of appending to it, 0 to 1.
    pub read: f64,
    /// Share of the transactions that create a file instead of deleting one, 0 to 1.
    pub create: f64,
    /// Whether the deletion of a file discards its units.
    pub discards: bool,
    /// Share of the units that other files hold from the start, in pieces as large as files, at random places; from 0 to
    /// below 1.
    pub fill: f64,
    /// Whether a file takes the first free units, and not those behind the last ones taken.
    pub first_fit: bool,
}

impl PostmarkParams {
    /// Units with inodes at the start: for twice as many files as then.
    fn inodes(&self) -> u64 {
        (2 * self.number).div_ceil(INODES)
    }

    /// The units of the inodes and of the files at the start, each as large as it may be, without those of other files.
    /// `None` if that exceeds `u64`.
    pub fn least_units(&self) -> Option<u64> {
        let data = self.number.checked_mul(self.most)?;
        data.checked_add(self.inodes())
    }
}

/// A file: its inode and its runs of consecutive units.
#[derive(Clone, Debug)]
struct File {
    inode: u64,
    pieces: Vec<(u64, u64)>,
}

/// The phase of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Other files take so many units before it starts.
    Filling(u64),
    Creating,
    Working(u64),
    Deleting,
}

/// The benchmark on a device.
#[derive(Clone, Debug)]
pub struct Postmark {
    params: PostmarkParams,
    phase: Phase,
    files: Vec<File>,
    /// The units of the inodes, [`INODES`] in each.
    inode_units: Vec<u64>,
    unused_inodes: Vec<u64>,
    /// For each unit, whether a file uses it.
    taken: Vec<bool>,
    free: u64,
    /// The unit at which the next search for free units starts.
    cursor: u64,
    pending: VecDeque<Access>,
}

impl Postmark {
    /// The largest device; memory holds one byte for each unit.
    pub const MOST_UNITS: u64 = 1 << 28;

    /// A benchmark whose files may fill `units` units. `None` if these exceed the largest device, or if other files leave
    /// fewer than the least units of the parameters. Without room it deletes instead of creating, and reads instead of
    /// appending.
    pub fn new(units: u64, params: PostmarkParams) -> Option<Self> {
        let others = (units as f64 * params.fill) as u64;
        let needed = params.least_units()?.checked_add(others)?;
        if needed > units || units > Self::MOST_UNITS {
            return None;
        }
        let inodes = params.inodes();
        let most_files = 2 * params.number;
        let mut taken = vec![false; units as usize];
        taken[..inodes as usize].fill(true);
        Some(Self {
            params,
            phase: Phase::Filling(others),
            files: Vec::new(),
            inode_units: (0..inodes).collect(),
            unused_inodes: (0..most_files).rev().collect(),
            taken,
            free: units - inodes,
            cursor: inodes,
            pending: VecDeque::new(),
        })
    }

    /// The accesses of the next operation: a creation, a transaction or a deletion. At least one.
    pub fn operation(&mut self, random: &mut Random) -> Vec<Access> {
        while self.pending.is_empty() {
            self.step(random);
        }
        self.pending.drain(..).collect()
    }

    /// Makes one step of the cycle; its accesses are pending afterwards.
    fn step(&mut self, random: &mut Random) {
        match self.phase {
            Phase::Filling(units) => {
                self.hold(units, random);
                self.phase = Phase::Creating;
            }
            Phase::Creating if (self.files.len() as u64) < self.params.number => {
                self.create(random)
            }
            Phase::Creating => self.phase = Phase::Working(self.params.transactions),
            Phase::Working(0) => self.phase = Phase::Deleting,
            Phase::Working(left) => {
                self.transaction(random);
                self.phase = Phase::Working(left - 1);
            }
            Phase::Deleting if !self.files.is_empty() => self.delete(self.files.len() - 1),
            Phase::Deleting => self.phase = Phase::Creating,
        }
    }

    /// Other files take this many units, in pieces at random places.
    fn hold(&mut self, units: u64, random: &mut Random) {
        let mut left = units;
        while left > 0 {
            self.cursor = random.below(self.taken.len() as u64);
            let size = random.between(self.params.least, self.params.most);
            left -= self.take_free(size.min(left)).1;
        }
        self.cursor = self.params.inodes();
    }

    fn transaction(&mut self, random: &mut Random) {
        let inode = u64::from(self.unused_inodes.is_empty());
        let may_create = self.free >= self.params.most + inode;
        if may_create && (self.files.len() < 2 || random.chance(self.params.create)) {
            self.create(random);
        } else {
            let file = random.below(self.files.len() as u64);
            self.delete(file as usize);
        }
        // appends had filled the device with a single file
        if self.files.is_empty() {
            self.create(random);
        }
        let file = random.below(self.files.len() as u64) as usize;
        if self.free < self.params.most || random.chance(self.params.read) {
            let pieces = self.files[file].pieces.iter();
            self.pending
                .extend(pieces.map(|&(first, count)| Access::read(first, count)));
        } else {
            self.append(file, random.between(1, self.params.most));
        }
    }

    fn create(&mut self, random: &mut Random) {
        let inode = match self.unused_inodes.pop() {
            Some(inode) => inode,
            None => self.more_inodes(),
        };
        self.files.push(File {
            inode,
            pieces: Vec::new(),
        });
        let size = random.between(self.params.least, self.params.most);
        self.append(self.files.len() - 1, size);
    }

    /// Takes a unit, which must be free, for more inodes, and returns one of them.
    fn more_inodes(&mut self) -> u64 {
        let (unit, _) = self.take_free(1);
        let first = self.inode_units.len() as u64 * INODES;
        self.inode_units.push(unit);
        self.unused_inodes.extend((first + 1..first + INODES).rev());
        first
    }

    /// Appends `units` units to a file; that many must be free.
    fn append(&mut self, file: usize, units: u64) {
        let mut left = units;
        while left > 0 {
            let (first, count) = self.take_free(left);
            self.pending.push_back(Access::write(first, count));
            self.files[file].pieces.push((first, count));
            left -= count;
        }
        self.write_inode(self.files[file].inode);
    }

    fn delete(&mut self, file: usize) {
        let File { inode, pieces } = self.files.swap_remove(file);
        self.unused_inodes.push(inode);
        for (first, count) in pieces {
            self.taken[first as usize..][..count as usize].fill(false);
            self.free += count;
            if self.params.first_fit {
                self.cursor = self.cursor.min(first);
            }
            if self.params.discards {
                self.pending.push_back(Access::discard(first, count));
            }
        }
        self.write_inode(inode);
    }

    fn write_inode(&mut self, inode: u64) {
        let unit = self.inode_units[(inode / INODES) as usize];
        self.pending.push_back(Access::write(unit, 1));
    }

    /// Takes the next run of free units from the cursor on, at most `most`. At least one unit must be free.
    fn take_free(&mut self, most: u64) -> (u64, u64) {
        while self.taken[self.cursor as usize] {
            self.cursor = (self.cursor + 1) % self.taken.len() as u64;
        }
        let first = self.cursor;
        let row = self.taken[first as usize..].iter().take(most as usize);
        let count = row.take_while(|&&taken| !taken).count() as u64;
        self.taken[first as usize..][..count as usize].fill(true);
        self.free -= count;
        self.cursor = (first + count) % self.taken.len() as u64;
        (first, count)
    }
}

impl Workload for Postmark {
    fn next(&mut self, random: &mut Random) -> Access {
        loop {
            if let Some(access) = self.pending.pop_front() {
                return access;
            }
            self.step(random);
        }
    }
}
