//! Synthetic workloads: the requests of each have the promised properties.
//!
//! Planted bugs that these tests catch: a seed that is not used, or a state that survives a new generator; a Zipf
//! sampler that never draws the first or the last rank, or whose tail is too light; a permutation that loses units; a
//! locality with data and accesses swapped; a stride that leaves units out; a stream that leaves its part; units that
//! two files of Postmark share, or a read of a unit that was never written.

use crate::common::accesses;
use proptest::prelude::*;
use ssdlab_host::{Op, Request};
use ssdlab_workload::synthetic::{
    Access, Arrivals, Generator, Locality, Mixed, Pass, Postmark, PostmarkParams, Random,
    Sequential, Settings, Spread, Strided, Tiobench, Uniform, Workload, Zipf,
};

const MANY: usize = 200_000;

/// How often each unit is written.
fn counts(workload: impl Workload, units: u64) -> Vec<u64> {
    let mut counts = vec![0; units as usize];
    for access in accesses(workload, MANY) {
        assert_eq!((access.op, access.count), (Op::Write, 1));
        counts[access.first as usize] += 1;
    }
    counts
}

/// Within five standard deviations of what is expected.
fn near(found: u64, probability: f64, what: &str) {
    let expected = MANY as f64 * probability;
    let error = (found as f64 - expected).abs();
    assert!(
        error < 5.0 * expected.max(1.0).sqrt(),
        "{what}: {found} times, {expected} expected"
    );
}

#[test]
fn uniform_writes_every_unit_alike() {
    for (unit, found) in counts(Uniform::new(50), 50).into_iter().enumerate() {
        near(found, 1.0 / 50.0, &format!("unit {unit}"));
    }
}

// planted bugs: a discard of a unit without data, or always of the unit written last; a unit that is listed twice as in
// use
#[test]
fn what_is_discarded_has_data_and_may_be_any_of_it() {
    const UNITS: u64 = 50;
    for share in [0.05, 0.3, 0.45] {
        let workload = Uniform::with_discards(UNITS, share).expect("a share");
        let mut in_use = [false; UNITS as usize];
        let mut discards = [0; UNITS as usize];
        let mut sum = 0;
        for access in accesses(workload, MANY) {
            let unit = access.first as usize;
            match access.op {
                Op::Discard => {
                    assert!(in_use[unit], "{access:?} of a unit without data");
                    discards[unit] += 1;
                }
                op => assert_eq!(op, Op::Write),
            }
            assert_eq!(access.count, 1);
            in_use[unit] = access.op == Op::Write;
            sum += in_use.iter().filter(|&&used| used).count();
        }
        for (unit, found) in discards.into_iter().enumerate() {
            near(found, share / 50.0, &format!("discards of {unit}"));
        }
        let mean = sum as f64 / (MANY as f64 * UNITS as f64);
        let known = (1.0 - 2.0 * share) / (1.0 - share);
        assert!((mean - known).abs() < 0.02, "{mean} {known}");
    }
    let ops = accesses(Uniform::with_discards(1, 0.4).expect("a share"), 1000);
    let twice = |pair: &[Access]| pair.iter().all(|access| access.op == Op::Discard);
    assert!(!ops.windows(2).any(twice) && ops[0].op == Op::Write);
    assert!(counts(Uniform::with_discards(9, 0.0).expect("none"), 9)[8] > 0);
}

// planted bug: a share of one half, which leaves nothing
#[test]
fn discards_need_a_share_below_one_half() {
    for (units, share) in [(0, 0.1), (9, 0.5), (9, -0.1), (9, f64::NAN)] {
        assert!(Uniform::with_discards(units, share).is_none());
    }
    assert!(Uniform::with_discards((1 << 32) + 1, 0.1).is_none());
}

#[test]
fn zipf_is_exact_in_every_rank() {
    for theta in [0.0, 0.5, 0.99, 1.0, 1.3, 3.0] {
        let weight = |rank: u64| (rank as f64).powf(-theta);
        let all: f64 = (1..=40).map(weight).sum();
        let found = counts(Zipf::new(40, theta, Spread::InOrder), 40);
        for (rank, found) in (1..).zip(found) {
            near(
                found,
                weight(rank) / all,
                &format!("theta {theta}, rank {rank}"),
            );
        }
    }
    assert_eq!(counts(Zipf::new(1, 1.0, Spread::InOrder), 1), [MANY as u64]);
}

#[test]
fn shuffled_ranks_are_as_popular_somewhere_else() {
    let mut shuffled = counts(Zipf::new(100, 1.0, Spread::shuffled(100, 7)), 100);
    let in_order = counts(Zipf::new(100, 1.0, Spread::InOrder), 100);
    assert_ne!(shuffled, in_order);
    let mut sorted = in_order;
    shuffled.sort();
    sorted.sort();
    assert_eq!(shuffled, sorted);
}

// planted bug: a small space with the popularity of its own few ranks
#[test]
fn a_unit_gets_the_writes_of_all_the_ranks_that_it_stands_for() {
    let weight = |rank: u64| (rank as f64).powf(-0.8);
    let all: f64 = (1..=4000).map(weight).sum();
    let found = counts(Zipf::standing_for(4000, 40, 0.8, Spread::InOrder), 40);
    for (unit, found) in (0..).zip(found) {
        let own: f64 = (unit * 100 + 1..=unit * 100 + 100).map(weight).sum();
        near(found, own / all, &format!("unit {unit}"));
    }
}

// planted bugs: a pass that writes a unit twice, or leaves the last ones out; units in order; passes that are all alike
#[test]
fn a_pass_writes_every_unit_once_in_random_order() {
    for units in [1, 63, 64, 100, 1000] {
        let firsts: Vec<u64> = accesses(Pass::new(units), 3 * units as usize)
            .iter()
            .map(|access| access.first)
            .collect();
        let passes: Vec<&[u64]> = firsts.chunks(units as usize).collect();
        for pass in &passes {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..units), "{units} units");
        }
        assert!(units < 2 || passes[0] != passes[1]);
    }
    let early = accesses(Pass::new(1000), 100);
    let sum: u64 = early.iter().map(|access| access.first).sum();
    assert!((40_000..60_000).contains(&sum), "{sum}");
}

#[test]
fn locality_sends_its_share_to_the_hot_data() {
    let counts = counts(Locality::new(1000, 0.1, 0.9, Spread::InOrder), 1000);
    near(counts[..100].iter().sum(), 0.9, "the hot data");
    near(counts[99], 0.9 / 100.0, "the last hot unit");
    near(counts[100], 0.1 / 900.0, "the first cold unit");
}

#[test]
fn strided_and_sequential_write_every_unit_once_in_a_round() {
    let firsts = |workload: Box<dyn Workload>, count| -> Vec<u64> {
        struct Boxed(Box<dyn Workload>);
        impl Workload for Boxed {
            fn next(&mut self, random: &mut Random) -> Access {
                self.0.next(random)
            }
        }
        accesses(Boxed(workload), count)
            .iter()
            .map(|a| a.first)
            .collect()
    };
    assert_eq!(
        firsts(Box::new(Strided::new(7, 3)), 9),
        [0, 3, 6, 1, 4, 2, 5, 0, 3]
    );
    assert_eq!(firsts(Box::new(Strided::new(3, 50)), 4), [0, 1, 2, 0]);
    assert_eq!(firsts(Box::new(Sequential::new(3)), 4), [0, 1, 2, 0]);
    for (units, stride) in [(1, 1), (64, 16), (65, 16), (10, 9), (12, 12)] {
        let mut round = firsts(Box::new(Strided::new(units, stride)), units as usize);
        round.sort();
        assert_eq!(round, (0..units).collect::<Vec<_>>(), "{units} {stride}");
    }
}

#[test]
fn streams_stay_in_their_parts() {
    let alone = accesses(Mixed::new(103, 4, 0.0), 5000);
    let mut next = [0, 25, 50, 75];
    for access in alone {
        let stream = (access.first / 25) as usize;
        assert_eq!(access.first, next[stream]);
        next[stream] = stream as u64 * 25 + (access.first + 1 - stream as u64 * 25) % 25;
    }
    let scattered = accesses(Mixed::new(103, 4, 1.0), 5000);
    assert!(scattered.iter().any(|access| access.first >= 100));
}

#[test]
fn tiobench_goes_through_its_phases() {
    let all = accesses(Tiobench::new(40, 4, 5), 2 * (40 + 20 + 40 + 20));
    let (writes, reads) = all[..120].split_at(60);
    for (phase, op) in [(writes, Op::Write), (reads, Op::Read)] {
        let mut sequential: Vec<u64> = phase[..40].iter().map(|a| a.first).collect();
        sequential.sort();
        assert_eq!(sequential, (0..40).collect::<Vec<_>>());
        assert!(phase.iter().all(|access| access.op == op));
        let thread = |t| phase[40..].iter().filter(move |a| a.first / 10 == t);
        assert!((0..4).all(|t| thread(t).count() == 5));
    }
    let order = |t| writes[..40].iter().filter(move |a| a.first / 10 == t);
    assert!((0..4).all(|t| order(t).is_sorted_by_key(|a| a.first)));
    assert_eq!(all[120].op, Op::Write);
}

fn postmark(discards: bool) -> PostmarkParams {
    PostmarkParams {
        number: 40,
        transactions: 300,
        least: 2,
        most: 9,
        read: 0.5,
        create: 0.5,
        discards,
        fill: 0.0,
        first_fit: false,
    }
}

#[test]
fn postmark_reads_only_what_it_wrote_and_shares_no_unit() {
    let units = 3 + 2 * 40 * 9;
    let workload = Postmark::new(units, postmark(true)).expect("it fits");
    let mut written = vec![false; units as usize];
    let mut seen = [0; 3];
    for access in accesses(workload, MANY) {
        let range = access.first as usize..(access.first + access.count) as usize;
        let (what, state) = match access.op {
            Op::Write if access.first < 3 => continue,
            // a unit is allocated again only after its discard
            Op::Write => (0, Some(false)),
            Op::Read => (1, Some(true)),
            _ => (2, Some(true)),
        };
        seen[what] += 1;
        assert!(
            written[range.clone()].iter().all(|&w| Some(w) == state),
            "{access:?}"
        );
        written[range].fill(access.op != Op::Discard);
    }
    assert!(seen.iter().all(|&times| times > 10_000), "{seen:?}");
    let least = 3 + 40 * 9;
    assert!(Postmark::new(least, postmark(true)).is_some());
    assert!(Postmark::new(least - 1, postmark(true)).is_none());
    let silent = Postmark::new(units, postmark(false)).expect("it fits");
    assert!(accesses(silent, 10_000).iter().all(|a| a.op != Op::Discard));
}

/// The units that files take: each with the number of units that its write takes beside it.
fn taken(params: PostmarkParams, units: u64) -> Vec<(u64, u64)> {
    let workload = Postmark::new(units, params).expect("it fits");
    let made = accesses(workload, 10_000);
    let writes = made
        .iter()
        .filter(|access| access.op == Op::Write && access.first >= 3);
    writes.map(|access| (access.first, access.count)).collect()
}

// planted bugs: other files hold nothing, or too much; their units are written; first-fit takes what is behind the last file
#[test]
fn postmark_fragments_between_other_files() {
    let units = 4000;
    let of = |fill, first_fit| {
        let params = PostmarkParams {
            fill,
            first_fit,
            ..postmark(true)
        };
        taken(params, units)
    };
    let mean = |taken: &[(u64, u64)]| {
        let sum: u64 = taken.iter().map(|(_, count)| count).sum();
        sum as f64 / taken.len() as f64
    };
    let different = |taken: &[(u64, u64)]| {
        let mut units: Vec<u64> = taken
            .iter()
            .flat_map(|&(first, count)| first..first + count)
            .collect();
        units.sort_unstable();
        units.dedup();
        units.len() as u64
    };
    let (whole, held) = (of(0.0, false), of(0.7, false));
    assert!(
        mean(&held) < 0.8 * mean(&whole),
        "{} {}",
        mean(&held),
        mean(&whole)
    );
    // next-fit comes by every unit that no other file holds
    assert_eq!(different(&whole), units - 3);
    assert_eq!(different(&held), units - 3 - 2800);
    // first-fit stays at the start of the volume
    let first = of(0.0, true);
    let end = first.iter().map(|(first, count)| first + count).max();
    assert!(end < Some(units / 4), "{end:?}");
    assert!(mean(&first) < 0.8 * mean(&whole));
    let full = PostmarkParams {
        fill: 0.95,
        ..postmark(true)
    };
    assert!(Postmark::new(units, full).is_none());
}

// planted bug: no more than twice the files of the start
#[test]
fn postmark_may_create_any_number_of_files() {
    let params = PostmarkParams {
        create: 1.0,
        transactions: 1000,
        most: 2,
        ..postmark(true)
    };
    let made = taken(params, 4000);
    // an inode is written with each file, in units that lie between the files when the first ones are full
    let inodes = made.iter().filter(|(_, count)| *count == 1).count();
    assert!(inodes > 900, "{inodes}");
}

// planted bug: a file created on a device without free units, for which the search never ends
#[test]
fn postmark_goes_on_where_one_file_fills_the_device() {
    for number in [1, 2] {
        let params = PostmarkParams {
            number,
            read: 0.0,
            create: 0.0,
            ..postmark(true)
        };
        let units = 1 + 2 * number * params.most;
        let workload = Postmark::new(units, params).expect("it fits");
        let made = accesses(workload, 10_000);
        assert!(made.iter().any(|access| access.op == Op::Discard));
    }
}

fn settings(seed: u64) -> Settings {
    Settings {
        unit: 512,
        seed,
        reads: 0.3,
        flush_every: 10,
        arrivals: Arrivals::Every(7),
        ..Settings::default()
    }
}

#[test]
fn a_seed_is_a_trace() {
    let trace = |seed| -> Vec<Request> {
        let generator = Generator::new(Uniform::new(1000), settings(seed));
        generator.take(2000).collect()
    };
    assert_eq!(trace(1), trace(1));
    assert_ne!(trace(1), trace(2));
    let requests = trace(3);
    let of = |op| requests.iter().filter(|r| r.op() == op).count();
    // each eleventh request flushes
    assert_eq!(of(Op::Flush), 181);
    assert!((450..640).contains(&of(Op::Read)), "{}", of(Op::Read));
    for (index, request) in (0..).zip(&requests) {
        assert_eq!(request.time_ns, 7 * index);
        assert_eq!(request.size() == 0, request.op() == Op::Flush);
    }
    // the first numbers are fixed, so that a generated trace never changes
    let first: Vec<u64> = requests[..3].iter().map(|r| r.offset / 512).collect();
    assert_eq!(first, FIRST);
}

// planted bug: the last possible request is left out
#[test]
fn requests_come_as_long_as_their_times_fit() {
    let third = u64::MAX / 3;
    let settings = Settings {
        arrivals: Arrivals::Every(third),
        ..settings(1)
    };
    let requests = Generator::new(Sequential::new(10), settings);
    let times: Vec<u64> = requests.map(|request| request.time_ns).collect();
    assert_eq!(times, [0, third, 2 * third, u64::MAX]);
}

/// The first units of seed 3.
const FIRST: [u64; 3] = [113, 612, 216];

proptest! {
    #[test]
    fn a_permutation_reaches_every_unit(units in 1_u64..3000, seed: u64) {
        let spread = Spread::shuffled(units, seed);
        let mut reached: Vec<u64> = (0..units).map(|rank| spread.unit(rank)).collect();
        reached.sort();
        prop_assert_eq!(reached, (0..units).collect::<Vec<_>>());
    }
}
