//! Workloads described in words.

use ssdlab_host::Request;

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
