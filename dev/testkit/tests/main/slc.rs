//! Devices with an SLC cache, random ones with random requests: against the model, decision by decision and time by time; and
//! checked after every request: tables against spare areas, counts against recounts.
//!
//! Planted bugs that these tests catch: a native block at most as full as that of the cache is cleaned; a dynamic block taken from the last
//! K; a room fold before space is made; blocks without valid pages that are folded; a debt that is kept when nothing can be folded; a stripe
//! of one page of a line; a cap of pages in the cache; a page folded in stripes of cleaning; a block of the cache that loses its place in the
//! order of filling, or a page of its count; one that the cleaning policy is told of; a dynamic block that stays in SLC mode after its erase; a
//! fold that is not counted; a page of the host that is counted neither in the cache nor past it; a step that begins before the gap is long
//! enough; an erase that waits for no earlier fold; a fold in the time of a copy; a victim in progress that the cache erases or cleans as
//! another one.

use fastrand::Rng;
use ssdlab_device::{Counters, Family};
use ssdlab_host::Request;
use ssdlab_testkit::against_model::compare;
use ssdlab_testkit::cases::{self, Case, Systems, modelled_cleanings, names};
use ssdlab_testkit::checked::Checked;
use ssdlab_testkit::tally::Tally;

use crate::timing::{counts_of_model, with_clocks};

/// Page mapping with these cleaning policies.
fn systems(cleanings: Vec<&'static str>) -> Systems {
    Systems {
        ftls: vec!["page"],
        cleanings,
        placements: vec!["single"],
    }
}

fn random_of(case: &Case) -> Rng {
    let text = format!("{case:?}");
    let hash = |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte);
    Rng::with_seed(text.bytes().fold(0, hash))
}

fn number(case: &Case, key: &str) -> u64 {
    let given = case.get(key).expect("every case sets it");
    given.parse().expect("a number")
}

/// The same requests on a device that is larger, as each request is.
fn times(case: &Case, times: u64) -> Case {
    let larger = |request: &Request| {
        let (offset, size) = (times * request.offset, times * request.size());
        let larger = Request::new(request.time_ns, request.op(), offset, size);
        larger.expect("a small device").in_stream(request.stream())
    };
    let mut case = case.clone();
    let capacity = times * number(&case, "flash.capacity");
    case.settings.push(format!("flash.capacity={capacity}"));
    case.requests = case.requests.iter().map(larger).collect();
    case
}

/// Three times the requests of a case, on more chips and with blocks of at least two pages: drawn from its text.
fn on_chips(case: &Case) -> Case {
    let mut random = random_of(case);
    let mut case = case.clone();
    if case.is("flash.pages_per_block", "1") {
        case = times(&case, 8);
        case.settings.push("flash.pages_per_block=8".into());
    }
    let [channels, ways] = [[1, 1], [1, 1], [2, 1], [2, 2], [1, 3]][random.usize(..5)];
    if case.chips() == 1 {
        case = times(&case, channels * ways);
        case.settings.extend([
            format!("flash.channels={channels}"),
            format!("flash.chips_per_channel={ways}"),
        ]);
    }
    let interleave = ["page", "block", "line", "line"][random.usize(..4)];
    case.settings.push(format!("flash.interleave={interleave}"));
    let times_ns = case.requests.iter().map(|request| request.time_ns);
    let last_ns = times_ns.max().unwrap_or(0);
    let once = case.requests.clone();
    for round in 1..3 {
        case.requests.extend(once.iter().map(|request| {
            let mut later = *request;
            later.time_ns += round * last_ns;
            later
        }));
    }
    case
}

/// The same requests on a device with a cache, drawn from the text of the case.
fn with_cache(case: &Case) -> Case {
    let mut random = random_of(case);
    let mut case = case.clone();
    let own = ["ftl.eager", "ftl.spare_blocks", "ftl.over_provisioning"];
    let is_own = |setting: &String| own.iter().any(|key| setting.starts_with(key));
    case.settings.retain(|setting| !is_own(setting));
    let mut one_of = |of: &[&str]| of[random.usize(..of.len())].to_owned();
    let kind = one_of(&["static", "dynamic", "hybrid"]);
    let [is_fixed, is_dynamic] = ["dynamic", "static"].map(|other| kind != other);
    let when_full = one_of(&["direct", "beside", "fold"]);
    let is_beside = when_full == "beside";
    let idle = match case.is("replay", "timed") {
        true => one_of(&["0", "0.001", "1", "40"]),
        false => "0".into(),
    };
    let mut settings = vec![
        format!("ftl.slc={kind}"),
        format!("ftl.slc_full={when_full}"),
        format!("ftl.slc_idle_us={idle}"),
        format!("ftl.slc_victim={}", one_of(&["fifo", "greedy"])),
        format!("timing.slc_read_us={}", one_of(&["0", "0.7", "3"])),
        format!("timing.slc_program_us={}", one_of(&["0.2", "1.9", "7"])),
        format!("timing.fold_program_us={}", one_of(&["0.3", "4", "9.7"])),
        "ftl.buffer_aware=off".into(),
    ];
    if is_beside {
        settings.push(format!("ftl.slc_beside={}", one_of(&["0.3", "1", "2.5"])));
    }
    if is_dynamic {
        settings.push(format!("ftl.slc_gone_at={}", one_of(&["0.0", "0.7"])));
        if idle != "0" {
            settings.push(format!("ftl.slc_reclaim={}", one_of(&["0.0", "0.5", "1"])));
        }
    }
    let pages = number(&case, "flash.pages_per_block");
    let bits = random.u64(2..=5).min(pages);
    let page = number(&case, "flash.page_size") * case.chips();
    let bytes = |blocks: u64| blocks * (pages / bits) * page;
    let fixed = if is_fixed { random.u64(1..=3) } else { 0 };
    let gc_low = random.u64(2..=4);
    let frontiers = if case.is("ftl.gc_frontier", "shared") {
        1
    } else {
        2
    };
    let spare = fixed + gc_low + frontiers + 1 + u64::from(is_dynamic) + random.u64(..5);
    settings.extend([
        format!("flash.cell_bits={bits}"),
        format!("ftl.gc_low={gc_low}"),
        format!("ftl.spare_blocks={spare}"),
    ]);
    if is_fixed {
        settings.push(format!("ftl.slc_static={}", bytes(fixed)));
    }
    if is_dynamic {
        let most = match random.u64(..4) {
            0 => "all".into(),
            blocks => bytes(blocks).to_string(),
        };
        settings.push(format!("ftl.slc_dynamic={most}"));
        settings.push(format!("ftl.slc_keep={}", gc_low + random.u64(1..=2)));
    }
    if is_beside || idle != "0" {
        settings.push(format!("ftl.slc_rest={}", bytes(random.u64(..2))));
    }
    case.settings.extend(settings);
    case
}

fn note(tally: &Tally, c: &Counters) {
    for (what, happened) in [
        ("dropped", c.slc_dropped > 0),
        ("for space", c.folds_space > 0),
        ("for room", c.folds_room > 0),
        ("beside", c.folds_beside > 0),
        ("fixed", c.slc_fixed_erases > 0),
        ("copied back", c.fold_copy_backs > 0),
        ("read from the cache", c.slc_reads > 0),
        ("cleaned beside", c.gc_victims > 0 && c.folds_space > 0),
        ("in the cache", c.valid_in_slc > 0 && c.room_pages > 0),
    ] {
        tally.note(what, happened);
    }
}

#[test]
fn every_request_leaves_a_consistent_cache() {
    let tally = Tally::default();
    let all = systems(names(Family::Cleaning));
    cases::run_until(&[(&tally, 5)], &all, 300, |case| {
        let c = Checked::run(&with_cache(&on_chips(case)))?;
        let reasons = c.slc_dropped + c.folds_space + c.folds_room + c.folds_beside + c.folds_idle;
        let sums = [
            (c.slc_programs + c.direct_programs, c.flash_programs),
            (reasons, c.slc_erases),
        ];
        note(&tally, &c);
        match sums.iter().all(|(parts, whole)| parts == whole) {
            true => Ok(()),
            false => Err(format!("{sums:?}")),
        }
    });
}

#[test]
fn every_decision_is_that_of_the_model() {
    let tally = Tally::default();
    let modelled = systems(modelled_cleanings());
    cases::run_until(&[(&tally, 10)], &modelled, 500, |case| {
        let result = compare(&with_cache(&on_chips(case)))?;
        note(&tally, &result.counters);
        Ok(())
    });
}

#[test]
fn every_time_is_that_of_the_model() {
    let tally = Tally::default();
    let modelled = systems(modelled_cleanings());
    cases::run_until(&[(&tally, 10)], &modelled, 500, |case| {
        let mut case = with_cache(&with_clocks(&on_chips(case)));
        if random_of(&case).u8(..4) == 0 {
            case.settings.push("timing.spread=0.3".into());
        }
        let c = counts_of_model(&case)?;
        note(&tally, &c);
        for (what, happened) in [
            ("in gaps", c.folds_idle > 0),
            ("cleaned for the cache", c.slc_reclaims > 0),
        ] {
            tally.note(what, happened);
        }
        for interleave in ["page", "block", "line", "superpage"] {
            let is_so = case.is("flash.interleave", interleave) && case.chips() > 1;
            tally.note(interleave, is_so && c.fold_pages > 0);
        }
        Ok(())
    });
}
