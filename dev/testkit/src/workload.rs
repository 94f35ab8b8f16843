//! Small random workloads; the same seed gives the same workload.

use fastrand::Rng;
use ssdlab_config::Config;
use ssdlab_host::{Op, Request};

/// The parameters of a workload.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Number of requests.
    pub requests: usize,
    /// Bytes of a page.
    pub page_size: u64,
    /// Number of pages in use.
    pub pages: u64,
    /// Pages of an erase block: some writes cover a block in order, so switch merges occur.
    pub pages_per_block: u64,
    /// Flushes, percent of the requests.
    pub flushes: u32,
    /// Discards, percent of the requests.
    pub discards: u32,
    /// Reads, percent of the requests.
    pub reads: u32,
}

impl Workload {
    /// Writes, some discards and flushes, and no reads, all over a device.
    pub fn of(config: &Config, requests: usize) -> Self {
        Self {
            requests,
            page_size: u64::from(config.flash.page_size),
            pages: u64::from(config.logical_pages()),
            pages_per_block: u64::from(config.flash.pages_per_block),
            flushes: 8,
            discards: 10,
            reads: 0,
        }
    }

    /// The requests for a seed; all cover whole pages. Half of the writes go to an eighth of the pages.
    pub fn requests(&self, seed: u64) -> Vec<Request> {
        let mut random = Rng::with_seed(seed);
        (0..self.requests)
            .map(|i| self.request(i as u64, &mut random))
            .collect()
    }

    fn request(&self, number: u64, random: &mut Rng) -> Request {
        let dice = random.u32(0..100);
        let op = match dice {
            d if d < self.flushes => Op::Flush,
            d if d < self.flushes + self.discards => Op::Discard,
            d if d < self.flushes + self.discards + self.reads => Op::Read,
            _ => Op::Write,
        };
        let (first, count) = match op {
            Op::Flush => (0, 0),
            Op::Write if random.u32(0..6) == 0 => self.whole_block(random),
            _ => self.few_pages(random),
        };
        let count = count.min(self.pages - first);
        Request::new(
            number * 1000,
            op,
            first * self.page_size,
            count * self.page_size,
        )
        .expect("a small device")
        .in_stream((number % 4) as u16)
    }

    fn whole_block(&self, random: &mut Rng) -> (u64, u64) {
        let blocks = (self.pages / self.pages_per_block).max(1);
        (
            random.u64(0..blocks) * self.pages_per_block,
            self.pages_per_block,
        )
    }

    fn few_pages(&self, random: &mut Rng) -> (u64, u64) {
        let hot = random.bool();
        let range = if hot {
            (self.pages / 8).max(1)
        } else {
            self.pages
        };
        (random.u64(0..range), random.u64(1..=3))
    }
}
