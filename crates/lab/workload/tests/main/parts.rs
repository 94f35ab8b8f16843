//! Zones and streams: shares, places, patterns and streams.
//!
//! Planted bugs that these tests catch: shares of space and accesses exchanged; a zone of frequency 0 that is accessed;
//! shares of bytes taken for those of requests; a share that does not move; a stream outside its range; reads of another
//! stream; two streams with the same popular units; a fill with the streams of nobody.

use crate::common::{counts, fits, made, misfits};
use proptest::prelude::*;
use ssdlab_host::{Op, Request};

const UNIT: u64 = 4096;

fn unit(request: &Request) -> usize {
    (request.offset / UNIT) as usize
}

#[test]
fn zones_have_their_shares_and_patterns() {
    let words = "zones --capacity 4000KiB --requests 300k --zones 's0.1 f0.5 zipf0.8, s0.2+f0 s0.3 f0.3 seq s0.4 f0.2 pass'";
    let made = made(words);
    let found = counts(1000, made.iter().map(unit));
    let zone = |from: usize, to: usize| found[from..to].iter().sum::<u64>();
    let zones = [
        zone(0, 100),
        zone(100, 300),
        zone(300, 600),
        zone(600, 1000),
    ];
    assert_eq!(zones[1], 0);
    fits(&zones, &[0.5, 0.0, 0.3, 0.2]);
    misfits(&zones, &[0.505, 0.0, 0.295, 0.2]);
    let weight = |rank: u64| (rank as f64).powf(-0.8);
    let all: f64 = (1..=100).map(weight).sum();
    let shares: Vec<f64> = (1..=100).map(|rank| weight(rank) / all).collect();
    fits(&found[..100], &shares);
    for even in [&found[300..600], &found[600..]] {
        assert!(even.iter().max() <= even.iter().min().map(|least| least + 1).as_ref());
    }
    let within = |from, to| {
        let zone = made
            .iter()
            .map(unit)
            .filter(move |at| (from..to).contains(at));
        zone.take(50).collect::<Vec<usize>>()
    };
    assert!(within(300, 600).into_iter().eq(300..350));
    assert!(!within(600, 1000).is_sorted());
    assert!(made.iter().all(|request| request.stream() == 0));
}

#[test]
fn streams_have_their_shares_ranges_reads_and_numbers() {
    let words = "streams --capacity 4000KiB --requests 200k \
                 --stream share=0.5,range=0..0.9,kind=sequential \
                 --stream share=0.3,range=0.9..1,reads=0.4,stream=7 \
                 --stream share=0.2,range=0..0.9,kind=locality,locality=10/90,shuffle";
    let made = made(words);
    let of = |stream: u16| {
        made.iter()
            .filter(move |request| request.stream() == stream)
    };
    let found = [0, 7, 2].map(|stream| of(stream).count() as u64);
    assert_eq!(found.iter().sum::<u64>(), 200_000);
    fits(&found, &[0.5, 0.3, 0.2]);
    misfits(&found, &[0.51, 0.29, 0.2]);
    assert!(of(0).map(unit).eq((0..900).cycle().take(found[0] as usize)));
    assert!(of(7).map(unit).all(|at| at >= 900));
    fits(
        &counts(100, of(7).map(|request| unit(request) - 900)),
        &[0.01; 100],
    );
    assert!(of(2).map(unit).all(|at| at < 900));
    let reads = [0, 7, 2].map(|stream| {
        let reads = of(stream).filter(|request| request.op() == Op::Read);
        reads.count() as u64
    });
    assert_eq!((reads[0], reads[2]), (0, 0));
    fits(&[reads[1], found[1] - reads[1]], &[0.4, 0.6]);
    let mut popular = counts(900, of(2).map(unit));
    assert!(!popular.is_sorted_by(|one, other| one >= other));
    popular.sort_by(|one, other| other.cmp(one));
    let hot = popular[..90].iter().sum();
    fits(&[hot, found[2] - hot], &[0.9, 0.1]);
}

#[test]
fn popular_units_of_two_streams_differ() {
    let stream = "--stream share=0.5,kind=zipf,theta=2,shuffle";
    let made = made(&format!(
        "streams --capacity 4000KiB --requests 2000 {stream} {stream}"
    ));
    let hottest = |stream| {
        let of = made.iter().filter(|request| request.stream() == stream);
        let counts = counts(1000, of.map(unit));
        (0..1000).max_by_key(|&unit| counts[unit])
    };
    assert_ne!(hottest(0), hottest(1));
}

#[test]
fn shares_of_bytes_are_of_bytes() {
    let words = "streams --capacity 40MiB --requests 200k \
                 --stream bytes=0.6,kind=sequential,sizes=128KiB \
                 --stream bytes=0.3,sizes=4KiB:0.75+16KiB:0.25 --stream bytes=0.1";
    let made = made(words);
    let sum = |stream| -> f64 {
        let of = made.iter().filter(|request| request.stream() == stream);
        of.map(|request| request.size() as f64).sum()
    };
    let bytes = [0, 1, 2].map(sum);
    let all: f64 = bytes.iter().sum();
    for (found, share) in bytes.iter().zip([0.6, 0.3, 0.1]) {
        assert!(
            (found / all / share - 1.0).abs() < 0.02,
            "{found} of {all}: {share}"
        );
    }
}

#[test]
fn shares_move_from_the_start_to_the_end() {
    let words = "streams --capacity 4MiB --requests 1000001 \
                 --stream share=0.8..0.2 --stream share=0.2..0.8";
    let made = made(words);
    for (at, tenth) in made.chunks_exact(100_000).enumerate() {
        let share = 0.8 - 0.06 * (at as f64 + 0.5);
        let first = tenth.iter().filter(|request| request.stream() == 0);
        let first = first.count() as u64;
        fits(&[first, 100_000 - first], &[share, 1.0 - share]);
        misfits(&[first, 100_000 - first], &[share + 0.01, 0.99 - share]);
    }
}

#[test]
fn a_fill_has_the_streams_that_write_there() {
    let words = "streams --prefill --reads 0.5 --capacity 400KiB --requests 1000 \
                 --stream share=0.5,range=0..0.6,stream=3 --stream share=0.3,range=0.5..0.8,stream=4 \
                 --stream share=0.2,range=0..0.7,stream=5";
    let made = made(words);
    for (at, request) in made[..100].iter().enumerate() {
        let stream = if at < 60 {
            3
        } else if at < 80 {
            4
        } else {
            0
        };
        assert_eq!((unit(request), request.stream()), (at, stream));
        assert_eq!((request.op(), request.size()), (Op::Write, UNIT));
    }
    let reads = made[100..]
        .iter()
        .filter(|request| request.op() == Op::Read);
    let reads = reads.count() as u64;
    fits(&[reads, 900 - reads], &[0.5, 0.5]);
}

/// A stream with any kind of workload.
fn a_stream() -> impl Strategy<Value = String> {
    let kinds = prop_oneof![
        Just("uniform"),
        Just("zipf,theta=1.1,shuffle-blocks=8KiB"),
        Just("zipf,reshuffle=10"),
        Just("fio-zipf,theta=2.2"),
        Just("beta,alpha=0.3,beta=0.1"),
        Just("locality,levels=2,shuffle"),
        Just("zones,zones=s0.4+f0.1+zipf2+s0.6+f0.9"),
        Just("zns,active=2,zone=8KiB"),
        Just("sequential"),
        Just("strided,stride=3"),
        Just("pass"),
    ];
    let sizes = prop_oneof![Just(""), Just(",sizes=4KiB:0.5+8KiB:0.5")];
    (kinds, 0..50_u32, 80..=100_u32, sizes).prop_map(|(kind, from, to, sizes)| {
        let sizes = if kind.starts_with("pass") || kind.starts_with("strided") {
            ""
        } else {
            sizes
        };
        format!(
            "range=0.{from:02}..{}.{:02},kind={kind}{sizes}",
            to / 100,
            to % 100
        )
    })
}

proptest! {
    #[test]
    fn any_streams_stay_in_their_ranges(
        streams in prop::collection::vec(a_stream(), 1..5),
        units in 60_u64..400,
        seed in 0..1000_u32,
    ) {
        let share = 1.0 / streams.len() as f64;
        let options = streams.iter().map(|stream| format!(" --stream share={share:.6},{stream}"));
        let words = format!(
            "streams --capacity {} --requests 500 --seed {seed}{}",
            units * UNIT,
            options.collect::<String>()
        );
        let made = made(&words);
        prop_assert_eq!(&made, &self::made(&words));
        prop_assert_eq!(made.len(), 500);
        for request in &made {
            let range = streams[usize::from(request.stream())].split(',').next();
            let (from, to) = range.and_then(|range| range[6..].split_once("..")).unwrap();
            let place = |share: &str| (share.parse::<f64>().unwrap() * units as f64).round() as u64 * UNIT;
            prop_assert!(request.offset >= place(from), "{:?} {}", request, words);
            prop_assert!(request.offset + request.size() <= place(to), "{:?} {}", request, words);
        }
    }
}
