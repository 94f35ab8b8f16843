//! The host with a log-structured file system: a second, simple one follows what happens to each block of each file.
//!
//! Planted bugs that these tests catch: a segment that is freed before its copies are in the log; a cleaner that leaves
//! the last live block of a segment behind; a deleted block that stays live, or is read; a segment taken as the head
//! while it holds live blocks; a host that takes the cleaner's reserve, so that the log has no free segment; a cleaner
//! that reads from the new place; a write beyond the end of a segment; a round that leaves blocks in memory; a page
//! cache that answers a read of a block that has left it; a protection that is ignored.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use ssdlab_host::{Op, Request};
use ssdlab_workload::synthetic::{
    Access, Lfs, LfsParams, LogAccess, Postmark, PostmarkParams, Random,
};

/// What is known of a device and of the host's files by watching.
struct Watched {
    params: LfsParams,
    segments: u64,
    /// The block that the device holds at each unit.
    device: HashMap<u64, u64>,
    /// Where the device holds the last written state of each block of a file.
    place: HashMap<u64, u64>,
    /// Blocks that were written and not yet sent to the device.
    dirty: HashSet<u64>,
    /// The unit behind the last write.
    end: u64,
}

impl Watched {
    fn files(&mut self, accesses: &[Access]) {
        for access in accesses {
            for block in access.first..access.first + access.count {
                match access.op {
                    Op::Write => {
                        self.dirty.insert(block);
                    }
                    Op::Discard => {
                        self.dirty.remove(&block);
                        self.place.remove(&block);
                    }
                    _ => {}
                }
            }
        }
    }

    fn made(&mut self, made: &LogAccess) {
        let Access {
            op, first, count, ..
        } = made.access;
        let within = first % self.params.segment;
        assert!(count > 0 && within + count <= self.params.segment);
        assert!(first + count <= self.segments * self.params.segment);
        match op {
            Op::Read => self.read(first, count, &made.blocks),
            Op::Write => self.write(first, count, &made.blocks),
            _ => {
                assert_eq!((within, count), (0, self.params.segment));
                self.is_dead(first / self.params.segment);
            }
        }
    }

    fn read(&self, first: u64, count: u64, blocks: &[u64]) {
        assert!(count <= self.params.read);
        assert_eq!(blocks.len() as u64, count);
        for (unit, block) in (first..).zip(blocks) {
            assert_eq!(self.device.get(&unit), Some(block), "{unit}");
            assert_eq!(self.place.get(block), Some(&unit), "{block}");
        }
    }

    fn write(&mut self, first: u64, count: u64, blocks: &[u64]) {
        let within = first % self.params.segment;
        assert!(count <= self.params.write);
        let summary = u64::from(within == 0);
        assert_eq!(blocks.len() as u64 + summary, count);
        assert!(!blocks.is_empty());
        if within == 0 {
            assert_eq!(self.end % self.params.segment, 0, "the last one is full");
            self.is_dead(first / self.params.segment);
        } else {
            assert_eq!(first, self.end);
        }
        self.end = first + count;
        for (unit, &block) in (first + summary..).zip(blocks) {
            self.dirty.remove(&block);
            self.device.insert(unit, block);
            self.place.insert(block, unit);
        }
    }

    /// A segment that is free holds no block that is needed.
    fn is_dead(&self, segment: u64) {
        let first = segment * self.params.segment;
        for unit in first..first + self.params.segment {
            let lost = self.device.get(&unit).filter(|block| {
                // a newer state in memory is not yet on the device
                self.place.get(block) == Some(&unit)
            });
            assert_eq!(lost, None, "segment {segment} at {unit}");
        }
    }
}

fn params() -> impl Strategy<Value = LfsParams> {
    let log = (2_u64..=20).prop_flat_map(|segment| (Just(segment), 2..=segment, 1_u64..=5));
    let cache = prop_oneof![Just(0_u64), 1_u64..60];
    let protection = prop_oneof![Just(0_u64), 0_u64..100];
    let below = prop_oneof![Just(1.0), 0.0..=1.0];
    let cleaner = (1_u64..60, 0_u64..5, protection, below);
    (log, cache, cleaner, 0.5..=1.0, any::<bool>()).prop_map(
        |(
            (segment, write, read),
            cache,
            (interval, per_round, protection, below),
            fill,
            discards,
        )| {
            LfsParams {
                segment,
                write,
                read,
                cache,
                interval,
                per_round,
                below,
                protection,
                fill,
                discards,
            }
        },
    )
}

fn files() -> impl Strategy<Value = PostmarkParams> {
    let sizes = (1_u64..8).prop_flat_map(|most| (1..=most, Just(most)));
    (1_u64..40, 0_u64..500, sizes, 0.0..=1.0, 0.0..=1.0).prop_map(
        |(number, transactions, (least, most), read, create)| PostmarkParams {
            number,
            transactions,
            least,
            most,
            read,
            create,
            fill: 0.0,
            first_fit: false,
            discards: true,
        },
    )
}

proptest! {
    #[test]
    fn no_block_is_lost(
        params in params(),
        files in files(),
        more in 0_u64..200,
        seed in any::<u64>(),
    ) {
        let least = params.least_units(&files).expect("small files");
        prop_assert!(Lfs::new(least - 1, params.clone(), files.clone()).is_none());
        let units = least + more;
        let mut lfs = Lfs::new(units, params.clone(), files.clone()).expect("it fits");
        let segments = units / params.segment;
        let blocks = lfs.blocks();
        let mut above = Postmark::new(blocks, files).expect("it fits");
        let mut randoms = (Random::new(seed), Random::new(seed));
        let mut watched = Watched {
            params: params.clone(),
            segments,
            device: HashMap::new(),
            place: HashMap::new(),
            dirty: HashSet::new(),
            end: 0,
        };
        let mut alive: HashSet<u64> = HashSet::new();
        // the one used last is at the end
        let mut cached: Vec<u64> = Vec::new();
        let mut all_written = 0;
        for operation in 1..=1500_u64 {
            let accesses = above.operation(&mut randoms.0);
            let mut in_memory = watched.dirty.clone();
            watched.files(&accesses);
            let made = lfs.operation(&mut randoms.1);
            let mut read: HashSet<u64> = HashSet::new();
            for made in &made {
                if made.access.op == Op::Read {
                    read.extend(&made.blocks);
                }
                watched.made(made);
            }
            for access in &accesses {
                for block in access.first..access.first + access.count {
                    let held = cached.iter().position(|&other| other == block);
                    if let Some(at) = held {
                        cached.remove(at);
                    }
                    if access.op == Op::Discard {
                        alive.remove(&block);
                        continue;
                    }
                    cached.push(block);
                    if cached.len() as u64 > params.cache {
                        cached.remove(0);
                    }
                    if access.op == Op::Write {
                        alive.insert(block);
                        in_memory.insert(block);
                    } else {
                        prop_assert!(
                            held.is_some() || in_memory.contains(&block) || read.contains(&block),
                            "{block} was not read"
                        );
                    }
                }
            }
            if watched.dirty.is_empty() {
                all_written = operation;
            }
            prop_assert!(operation - all_written < params.interval);
            prop_assert!((watched.dirty.len() as u64) < params.write);
            for block in &alive {
                let place = watched.place.get(block);
                let held = place.and_then(|unit| watched.device.get(unit));
                prop_assert!(held == Some(block) || watched.dirty.contains(block), "{block} is lost");
            }
        }
    }
}

/// Random files on a log that is often full, without a page cache.
fn small() -> (LfsParams, PostmarkParams) {
    let params = LfsParams {
        segment: 16,
        write: 4,
        read: 1,
        cache: 0,
        interval: 20,
        per_round: 1,
        below: 1.0,
        protection: 0,
        fill: 0.9,
        discards: true,
    };
    let files = PostmarkParams {
        number: 50,
        transactions: 1000,
        least: 1,
        most: 4,
        read: 0.5,
        create: 0.5,
        discards: false,
        fill: 0.0,
        first_fit: false,
    };
    (params, files)
}

/// Blocks read in the first operations.
fn blocks_read(params: LfsParams, files: PostmarkParams) -> usize {
    let mut random = Random::new(3);
    let mut lfs = Lfs::new(600, params, files).expect("it fits");
    let all = (0..3000).flat_map(|_| lfs.operation(&mut random));
    let reads = all.filter(|made| made.access.op == Op::Read);
    reads.map(|made| made.blocks.len()).sum()
}

// planted bugs: a cache that holds nothing; one that keeps more than its room
#[test]
fn a_larger_page_cache_absorbs_more_reads() {
    let read = |cache| {
        let (params, files) = small();
        blocks_read(LfsParams { cache, ..params }, files)
    };
    let (none, some, all) = (read(0), read(60), read(10_000));
    assert!(none > some && some > none / 4, "{none} {some}");
    assert_eq!(all, 0);
}

// planted bug: reads that join blocks which are not side by side, or that join none
#[test]
fn larger_reads_join_blocks_side_by_side() {
    let mut random = Random::new(3);
    let (params, files) = small();
    let params = LfsParams { read: 4, ..params };
    let mut lfs = Lfs::new(600, params, files).expect("it fits");
    let all: Vec<LogAccess> = (0..3000).flat_map(|_| lfs.operation(&mut random)).collect();
    let reads = all.iter().filter(|made| made.access.op == Op::Read);
    let longest = reads.map(|made| made.access.count).max();
    assert_eq!(longest, Some(4));
}

// planted bugs: a protection that does nothing; rounds that clean although they may not, or although most segments are
// free
#[test]
fn rounds_clean_old_segments_and_as_many_as_they_may() {
    let discards = |per_round, protection, below| {
        let interval = 50;
        let (params, files) = small();
        let params = LfsParams {
            per_round,
            protection,
            below,
            interval,
            ..params
        };
        // so large that the host never waits for the cleaner
        let mut lfs = Lfs::new(100_000, params, files).expect("it fits");
        let mut random = Random::new(9);
        let round = |_| {
            let made = (0..interval).flat_map(|_| lfs.operation(&mut random));
            made.filter(|made| made.access.op == Op::Discard).count() as u64
        };
        (0..2000 / interval).map(round).collect::<Vec<u64>>()
    };
    let most = |rounds: &[u64]| rounds.iter().copied().max();
    assert_eq!(most(&discards(1, 0, 1.0)), Some(1));
    assert_eq!(most(&discards(3, 0, 1.0)), Some(3));
    assert_eq!(most(&discards(0, 0, 1.0)), Some(0));
    assert_eq!(most(&discards(3, 0, 0.5)), Some(0));
    // 3124 of 3125 to about 3050 are free
    assert_eq!(most(&discards(1, 0, 0.99)), Some(1));
    let protected = discards(3, 500, 1.0);
    assert_eq!(most(&protected[..10]), Some(0));
    assert_eq!(most(&protected), Some(3));
}

// planted bug: a cleaner that is always as slow, so that the host waits for it
#[test]
fn the_cleaner_hurries_while_few_segments_are_free() {
    let free = |below| {
        let (params, files) = small();
        let params = LfsParams { below, ..params };
        // 63 segments, half of which live
        let mut lfs = Lfs::new(1000, params, files).expect("it fits");
        let mut random = Random::new(5);
        let made = (0..1500).flat_map(|_| lfs.operation(&mut random));
        let made: Vec<Access> = made.map(|made| made.access).collect();
        // segments between the head and the oldest that is not free, by the trace alone
        let (mut taken, mut least) = (HashSet::new(), usize::MAX);
        for access in made {
            match access.op {
                Op::Write => taken.insert(access.first / 16),
                Op::Discard => taken.remove(&(access.first / 16)),
                _ => continue,
            };
            least = least.min(1000 / 16 - taken.len());
        }
        least
    };
    let (slow, fast) = (free(0.0), free(0.4));
    assert!(slow <= 2 && fast > 5, "{slow} {fast}");
}

// planted bugs: the defaults of Postmark alone; a log that jumps; reads of whole files; another trace each time
#[test]
fn the_trace_has_the_shape_of_the_letter() {
    let words = "lfs --requests 400000";
    let made: Vec<Request> = ssdlab_workload::requests(words)
        .expect("valid words")
        .collect();
    let mut sizes = [HashMap::new(), HashMap::new()];
    let (mut end, mut in_order, mut within, mut waste) = (0, 0, 0, 0);
    for request in &made {
        let op = usize::from(request.op() == Op::Write);
        *sizes[op].entry(request.size()).or_insert(0) += 1;
        if op == 1 {
            in_order += u64::from(request.offset == end);
            within += u64::from(request.offset % (2 << 20) + request.size() <= 2 << 20);
            end = request.offset + request.size();
            waste += u64::from(end > 1 << 30);
        }
    }
    let [reads, writes] = &sizes;
    let (read, written) = (reads[&4096], writes.values().sum::<u64>());
    assert_eq!((reads.len(), read + written), (1, 400_000));
    assert!(read > 9 * written, "{read} {written}");
    assert!(writes[&(128 << 10)] * 10 > written * 9, "{writes:?}");
    assert!(in_order * 100 > written * 95, "{in_order} of {written}");
    assert_eq!((within, waste), (written, 0));
    let again = ssdlab_workload::requests(words).expect("valid words");
    assert!(again.eq(made));
}

// planted bugs: requests of the cleaner in the stream of the files, or the other way round
#[test]
fn the_cleaner_has_a_stream_of_its_own() {
    let made = |units| {
        let (params, files) = small();
        let mut lfs = Lfs::new(
            units,
            LfsParams {
                below: 0.5,
                ..params
            },
            files,
        )
        .expect("it fits");
        let mut random = Random::new(4);
        let all = (0..1000).flat_map(|_| lfs.operation(&mut random));
        all.map(|made| made.access).collect::<Vec<_>>()
    };
    // so large that the cleaner has nothing to do
    assert!(made(1_000_000).iter().all(|access| access.stream == 0));
    let few = made(600);
    for op in [Op::Read, Op::Write, Op::Discard] {
        let cleaner = few
            .iter()
            .filter(|access| access.op == op && access.stream == 1);
        assert!(cleaner.count() > 0, "{op:?}");
    }
    let discards = few.iter().filter(|access| access.op == Op::Discard);
    assert!(
        discards
            .map(|access| access.stream)
            .all(|stream| stream == 1)
    );
    let files = few.iter().filter(|access| access.stream == 0);
    assert!(files.map(|access| access.op).any(|op| op == Op::Read));
}
