//! Workloads described in words.

use ssdlab_host::Request;
use ssdlab_workload::Description;

fn requests(words: &str) -> Result<Vec<Request>, String> {
    ssdlab_workload::requests(words).map(Iterator::collect)
}

// planted bugs: an option that is ignored; a second workload with other requests
#[test]
fn words_make_requests() {
    let words = "update --locality 10/90 --capacity 64KiB --requests 40 --interval-us 7";
    let made = requests(words).expect("valid words");
    assert_eq!(made, requests(words).expect("valid words"));
    assert_eq!(made.len(), 40);
    let filled: Vec<u64> = made[..16].iter().map(|request| request.offset).collect();
    assert_eq!(filled, (0..16).map(|i| i * 4096).collect::<Vec<u64>>());
    assert_eq!(made[39].time_ns, 39 * 7000);
    assert_ne!(
        made,
        requests(&format!("{words} --seed 2")).expect("valid words")
    );
}

// planted bugs: an error of several lines; an unchecked capacity; times that overflow without an error; a smallest file
// that silently shrinks
#[test]
fn what_is_wrong_is_said_in_one_line() {
    for (words, fragment) in [
        ("", "no workload"),
        ("updat", "updat"),
        ("update --locality 10", "must be two percentages"),
        ("update --output x", "--output"),
        ("update --capacity 4KiB", "--capacity: has 1 units"),
        ("uniform --discards 0.5", "from 0 to below 0.5"),
        (
            "uniform --discards 0.1 --reads 0.1",
            "cannot be combined with --reads",
        ),
        (
            "uniform --discards 0.1 --capacity 17TiB",
            "must be at most 2^32",
        ),
        (
            "zipf --standing-for 4MiB --capacity 1GiB",
            "--standing-for: has 1024 units of 4096 bytes, --capacity has more: 262144",
        ),
        (
            "pass --capacity 4096TiB --unit 512",
            "pass takes at most 2^32",
        ),
        ("postmark --least 9", "--least 9: is more than --most, 8"),
        (
            "postmark --least 3 --most 2",
            "--least 3: is more than --most, 2",
        ),
        (
            "postmark --unit 512 --capacity 4096TiB",
            "8796093022208 units of 512 bytes, postmark takes at most 2^28",
        ),
        (
            "lfs --capacity 100MiB",
            "--capacity: has 25600 units of 4096 bytes, --files 30000 of --most 4 units at --fill 0.95 need at least 130560 (534773760 bytes)",
        ),
        (
            "lfs --files 16777216 --most 4096",
            "need more than 2^26 units, the most that lfs takes",
        ),
        ("lfs --least 5", "--least 5: is more than --most, 4"),
        ("lfs --fill 0", "must be a number above 0, at most 1"),
        ("lfs --cleaner-interval 0", "--cleaner-interval"),
        (
            "lfs --segment 1M --write-size 2M",
            "--write-size: has 2097152 bytes, must be at most --segment, 1048576 bytes",
        ),
        (
            "lfs --write-size 4KiB",
            "--write-size: has 4096 bytes, must be a multiple of --unit, 4096 bytes, and at least 2 of it",
        ),
        (
            "lfs --read-size 6KiB",
            "--read-size: has 6144 bytes, must be a multiple of --unit, 4096 bytes, and at least 1 of it",
        ),
        (
            "lfs --capacity 4096TiB --unit 16TiB --read-size 16TiB --write-size 32TiB --segment 64TiB",
            "--segment: has 70368744177664 bytes, must be less than 64 TiB",
        ),
        ("lfs --reads 0.5", "--reads: cannot be combined with lfs"),
        ("zones", "--zones <ZONES>"),
        ("zones --zones ''", "empty, must begin with a zone's share"),
        (
            "zones --zones 's0.9 f0.1 x0.1'",
            "character 11: found \"x0.1\", must be a pattern (uniform, seq, pass, zipf and a number",
        ),
        (
            "zones --zones 's0.9 s0.1'",
            "character 6: found \"s0.1\", must be the zone's share of the accesses, f and a number",
        ),
        (
            "zones --zones 's1.5 f1'",
            "character 1: found \"s1.5\", must be a zone's share of the space",
        ),
        (
            "zones --zones 's0.5 f0.5 zipf11 s0.5 f0.5'",
            "character 11: found \"zipf11\", must be a pattern",
        ),
        ("zones --zones 's0.9 f1 s0.1'", "ends after \"s0.1\""),
        (
            "zones --zones 's0.9 f0.4 s0.2 f0.6'",
            "the shares s of the space sum to 1.1, must sum to 1",
        ),
        (
            "zones --zones 's0.9 f0.4 s0.1 f0.5'",
            "the shares f of the accesses sum to 0.9, must sum to 1",
        ),
        (
            "zones --zones 's0.9 f0.4 s0.1 f0.6' --capacity 16KiB",
            "--zones, zone 2: it: has 0 units of 4096 bytes",
        ),
        ("zones --zones 's1 f1", "a quote, ', has no end"),
        ("streams", "--stream <STREAM>"),
        (
            "streams --stream kind=zipf",
            "must have either share or bytes",
        ),
        (
            "streams --stream share=1,kind=zipf,theta=11",
            "kind=zipf: invalid value '11' for '--theta <THETA>': must be a number from 0 to 10",
        ),
        (
            "streams --stream share=1,kind=zipf,thata=1",
            "kind=zipf: unexpected argument '--thata'",
        ),
        (
            "streams --stream share=1,kind=zpif",
            "unrecognized subcommand 'zpif'",
        ),
        (
            "streams --stream share=1,range=0.5..0.5",
            "character 9: found \"range=0.5..0.5\", must be two places of the space from 0 to 1",
        ),
        (
            "streams --stream share=1,,kind=pass",
            "character 9: found nothing, must be a key and its value",
        ),
        (
            "streams --stream share=1,kind",
            "character 9: found \"kind\", must have a value",
        ),
        (
            "streams --stream share=1,share=1",
            "character 9: found a second share",
        ),
        (
            "streams --stream share=1,stream=65536",
            "must be a whole number from 0 to 65535",
        ),
        (
            "streams --stream share=0.5 --stream share=0.4",
            "--stream: the shares sum to 0.9, must sum to 1",
        ),
        (
            "streams --stream share=0.5 --stream share=0.5..0.6",
            "--stream: the shares at the end sum to 1.1",
        ),
        (
            "streams --stream share=0.5 --stream bytes=0.5",
            "--stream 2: has bytes, the first stream has the other",
        ),
        (
            "streams --stream share=1,kind=streams",
            "a stream has no streams in it",
        ),
        ("streams --stream share=1,kind=update", "must be locality"),
        (
            "streams --stream bytes=1,kind=postmark",
            "--stream 1: bytes: postmark has requests of many sizes, must have share",
        ),
        (
            "streams --stream share=1,range=0..0.1 --capacity 16KiB",
            "--stream 1: range: has 0 units of 4096 bytes",
        ),
        (
            "streams --stream share=1,reads=0.5 --reads 0.5",
            "--stream 1: reads: cannot be combined with --reads",
        ),
        (
            "streams --stream share=1,reads=0.5,kind=uniform,discards=0.1",
            "--stream 1: --discards: cannot be combined with --reads",
        ),
        (
            "uniform --sizes 4KiB:0.7,64KiB",
            "character 10: found \"64KiB\", must be a size with a share",
        ),
        (
            "uniform --sizes 4KiB:0.7,0:0.3",
            "character 10: found \"0:0.3\", must be a size and its share",
        ),
        (
            "uniform --sizes 4KiB:0.7,8KiB:0.2",
            "the shares sum to 0.9, must sum to 1",
        ),
        (
            "uniform --sizes 6KiB",
            "--sizes: has 6144 bytes, must be multiples of --unit, 4096 bytes",
        ),
        (
            "uniform --sizes 8KiB --capacity 4KiB",
            "--sizes: has 8192 bytes, --capacity has only 1 units",
        ),
        (
            "uniform --sizes 64TiB --capacity 4096TiB",
            "--sizes: has 70368744177664 bytes, must be less than 64 TiB",
        ),
        ("pass --sizes 8KiB", "--sizes: cannot be combined with pass"),
        (
            "uniform --discards 0.1 --sizes 8KiB",
            "--discards: cannot be combined with --sizes",
        ),
        (
            "uniform --discards 0.1 --prefill --requests 1M",
            "--discards: cannot be combined with --prefill",
        ),
        (
            "uniform --prefill",
            "--prefill: writes 262144 units, --requests, 100000, must be more",
        ),
        (
            "uniform --interval-us 0.5",
            "must be a whole number of microseconds, up to 4294967295; --rate has others",
        ),
        (
            "uniform --rate 0",
            "must be requests a second, from 0.001 to 1e9",
        ),
        (
            "uniform --rate nan",
            "must be requests a second, from 0.001 to 1e9",
        ),
        (
            "uniform --rate 20k --interval-us 3",
            "'--rate <N>' cannot be used with '--interval-us <US>'",
        ),
        (
            "uniform --rate 0.001 --requests 20M",
            "--requests 20000000: with --rate 0.001, must be at most 18446744: times end at 2^64 ns",
        ),
        (
            "uniform --poisson --interval-us 0",
            "--poisson: with --interval-us 0, all requests come at once",
        ),
        (
            "uniform --bursts 8/10ms --poisson",
            "--bursts: cannot be combined with --poisson",
        ),
        (
            "uniform --bursts 8/10ms --rate 20k",
            "--bursts: cannot be combined with --rate",
        ),
        (
            "uniform --probe 10k:2",
            "perhaps the share of writes, 0 to 1",
        ),
        (
            "mixed --probe 10k",
            "--probe: has a stream of its own, cannot be combined with a workload that has streams",
        ),
        ("uniform --bursts 8/10", "a number of requests and a time"),
        ("uniform --bursts 0/10ms", "a number of requests and a time"),
        (
            "uniform --bursts 8/99us",
            "--bursts: the gap, 99000 ns, must be at least --interval-us, 100 us",
        ),
        (
            "zns --capacity 1MiB --zone 512KiB --active 2",
            "--active 2: --capacity has 2 zones, must have more than are active",
        ),
        (
            "cachelib --small-space 1",
            "--small-space: 1 of 262144 units, must leave one at least",
        ),
        (
            "cachelib --log-write 5KiB",
            "--log-write: has 5120 bytes, must be multiples of --unit, 4096 bytes",
        ),
        (
            "cachelib --small-space 0.5 --log-write 1GiB",
            "--log-write: has 1073741824 bytes, the log has only 131072 units",
        ),
        (
            "cachelib --sizes 8KiB",
            "--sizes: cannot be combined with cachelib",
        ),
        (
            "zns --zone 5KiB",
            "--zone: has 5120 bytes, must be a multiple of --unit",
        ),
        (
            "locality --levels 20",
            "--levels 20: of the 262144 units, a single one is left before",
        ),
        (
            "zipf --shuffle-blocks 5KiB",
            "--shuffle-blocks: has 5120 bytes, must be a multiple of --unit",
        ),
        ("fio-zipf --theta 1", "must not be 1"),
        ("beta --alpha 0", "must be a number from 0.01 to 1000"),
        (
            "sequential --requests 4294969 --interval-us 4294967295",
            "--requests 4294969: with --interval-us 4294967295, must be at most 4294968",
        ),
    ] {
        let why = requests(words).expect_err(words);
        assert!(
            why.contains(fragment) && why.lines().count() == 1,
            "{words}: {why}"
        );
    }
}

// planted bug: state for each unit of a device that is larger than memory
#[test]
fn the_largest_capacity_is_taken_or_refused() {
    for kind in [
        "uniform",
        "uniform --discards 0.1",
        "zipf --shuffle",
        "locality --shuffle",
        "locality --levels 9 --shuffle-blocks 1GiB",
        "fio-zipf",
        "beta --shuffle",
        "zipf --reshuffle 2",
        "zones --zones s0.5+f0.1+seq+s0.5+f0.9+zipf1",
        "zns",
        "streams --stream share=1,kind=pass",
        "cachelib",
        "uniform --sizes 512:0.5,1MiB:0.5",
        "update",
        "sequential",
        "strided",
        "mixed",
        "tiobench",
        "postmark",
        "lfs",
    ] {
        let words = format!("{kind} --capacity 4096TiB --unit 512 --requests 3");
        match requests(&words) {
            Ok(made) => assert_eq!(made.len(), 3, "{words}"),
            Err(why) => assert!(why.contains("at most 2^"), "{words}: {why}"),
        }
    }
}

// planted bugs: shares of requests instead of bytes; small objects in the place of the log; a stream that is not asked for
#[test]
fn cachelib_is_two_streams() {
    let given = "--prefill --requests 3000 --capacity 4MiB";
    let two = |small: u16| {
        let words = format!(
            "streams {given} --stream bytes=0.3,range=0.8..1,stream={small} --stream \
             bytes=0.7,range=0..0.8,kind=sequential,sizes=64KiB,stream=0"
        );
        requests(&words).expect("valid words")
    };
    let cachelib = |options: &str| {
        let words = format!("cachelib {given} --small-space 0.2 --small-bytes 0.3 {options}");
        requests(&words).expect("valid words")
    };
    assert_eq!(cachelib(""), two(1));
    assert_eq!(cachelib("--one-stream"), two(0));
    assert_ne!(two(0), two(1));
}

// planted bug: one request too few at the end of time
#[test]
fn the_last_request_comes_before_the_end_of_time() {
    let words = "sequential --interval-us 4294967295 --requests 4294968";
    let last = ssdlab_workload::requests(words)
        .expect("valid words")
        .last();
    let last_ns = last.map(|request| request.time_ns);
    assert_eq!(last_ns, Some(4_294_967 * 4_294_967_295_000));
}

// planted bugs: blanks in quotes that divide a word; other separators
#[test]
fn lists_may_be_written_in_several_ways() {
    let zones = |zones: &str| {
        let words = format!("zones --requests 50 --capacity 4MiB --zones {zones}");
        requests(&words).expect("valid words")
    };
    let made = zones("'s0.9 f0.1 seq s0.1 f0.9'");
    assert_eq!(made, zones("\"s0.9 f0.1 seq s0.1 f0.9\""));
    assert_eq!(made, zones("s0.9+f0.1+seq+s0.1+f0.9"));
    assert_eq!(made, zones("s0.9,f0.1,seq,s0.1,f0.9"));
    let stream = |stream: &str| {
        let words = format!("streams --requests 50 --capacity 4MiB --stream {stream}");
        requests(&words).expect("valid words")
    };
    let made = stream("share=1,kind=zones,zones=s0.9+f0.1+s0.1+f0.9,sizes=4KiB:0.5+8KiB:0.5");
    let blanks = "'share=1, kind=zones, zones=s0.9 f0.1 s0.1 f0.9, sizes=4KiB:0.5 8KiB:0.5'";
    assert_eq!(made, stream(blanks));
    assert!(made.iter().any(|request| request.size() == 8192));
}

// planted bugs: a small space with the popularity of its own units; one that a workload means something else on
#[test]
fn a_small_space_stands_for_a_large_one() {
    let scaled = |words: &str| {
        let description = Description::parse(words).expect("valid words");
        let scaled = description.scaled_to(1000, 300)?;
        Some(scaled.requests().expect("a space").collect::<Vec<_>>())
    };
    let small = |words: &str| {
        requests(&format!("{words} --capacity 4000KiB --requests 300")).expect("valid words")
    };
    for (large, same) in [
        ("fio-zipf", "fio-zipf --standing-for 1GiB"),
        ("zipf --shuffle", "zipf --shuffle --standing-for 1GiB"),
        ("locality --levels 2", "locality --levels 2"),
        (
            "zones --zones s0.5+f1+s0.5+f0",
            "zones --zones s0.5+f1+s0.5+f0",
        ),
    ] {
        assert_eq!(scaled(large), Some(small(same)), "{large}");
    }
    for other in [
        "zipf --reshuffle 9",
        "zipf --shuffle-blocks 1MiB",
        "locality --shuffle-blocks 1MiB",
        "zones --zones s1+f1+zipf1",
        "uniform --sizes 8KiB",
        "beta",
        "zns",
        "streams --stream share=1",
    ] {
        assert_eq!(scaled(other), None, "{other}");
    }
}
