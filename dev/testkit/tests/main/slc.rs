//! Devices with an SLC cache, checked after every request: tables against spare areas, counts against recounts.
//!
//! Planted bugs that this test catches: a block of the cache that loses its place in the order of filling, or a page of its
//! count; one that the cleaning policy is told of; a dynamic block that stays in SLC mode after its erase; a fold that is not
//! counted; a page of the host that is counted neither in the cache nor past it.

use ssdlab_policy::SplitMix64;
use ssdlab_testkit::cases::Case;
use ssdlab_testkit::checked::Checked;
use ssdlab_testkit::slc::{Counts, Drive, Full, Used};
use ssdlab_testkit::tally::Tally;

const PAGE: u64 = 512;

/// One of these.
fn any<'a>(random: &mut SplitMix64, of: &[&'a str]) -> &'a str {
    of[random.below(of.len())]
}

/// A random device with a cache, and random requests.
fn case(random: &mut SplitMix64) -> Case {
    let bits = 2 + random.below(4) as u64;
    let pages = bits * (1 + random.below(4) as u64) + random.below(2) as u64;
    let slc = pages / bits * PAGE;
    let blocks = 4 + random.below(8) as u64;
    let cleanings = [
        "greedy",
        "cat",
        "cost-benefit",
        "fifo",
        "jffs2",
        "d-choices",
    ];
    let kind = any(random, &["static", "dynamic", "hybrid"]);
    let full = any(random, &["direct", "beside", "fold"]);
    let fixed = match kind {
        "dynamic" => 0,
        _ => 1 + random.below(3) as u64,
    };
    let spare = fixed + 3 + 2 + 2 + random.below(6) as u64;
    let mut settings = vec![
        format!("flash.page_size={PAGE} flash.pages_per_block={pages} flash.cell_bits={bits}"),
        format!(
            "flash.capacity={} ftl.spare_blocks={spare}",
            blocks * pages * PAGE
        ),
        format!("ftl.kind=page ftl.slc={kind} ftl.slc_full={full}"),
        format!("ftl.cleaning={}", any(random, &cleanings)),
        format!("ftl.pace={}", any(random, &["whole", "paced"])),
        format!("ftl.gc_frontier={}", any(random, &["separate", "shared"])),
        format!("ftl.slc_victim={}", any(random, &["fifo", "greedy"])),
        format!("precondition={}", any(random, &["empty", "full"])),
        format!("partial_writes={}", any(random, &["whole", "rmw"])),
        "buffer.policy=none ftl.gc_low=3 flash.copy_back=true flash.planes=2 timing.model=serial"
            .to_owned(),
    ];
    if fixed > 0 {
        settings.push(format!("ftl.slc_static={}", fixed * slc));
    }
    if kind != "static" {
        let most = 1 + random.below(4) as u64;
        let dynamic = [format!("{}", most * slc), "all".to_owned()];
        settings.push(format!("ftl.slc_dynamic={}", dynamic[random.below(2)]));
        settings.push(format!("ftl.slc_gone_at={}", any(random, &["0.0", "0.7"])));
    }
    if full == "beside" {
        settings.push(format!(
            "ftl.slc_beside={}",
            any(random, &["0.3", "1", "2.5"])
        ));
    }
    let size = blocks * pages;
    let mut time = 0;
    let requests = (0..150).map(|_| {
        time += 1000;
        let first = random.below(size as usize) as u64;
        let count = (1 + random.below(9) as u64).min(size - first);
        let op = any(random, &["W", "W", "W", "W", "R", "D"]);
        format!("{time} {op} {} {}", first * PAGE, count * PAGE)
    });
    let requests: Vec<String> = requests.collect();
    Case::replay(&settings.join(" "), false, &requests.join(","))
}

#[test]
fn every_request_leaves_a_consistent_cache() {
    let tally = Tally::default();
    let mut random = SplitMix64(0x51C);
    for _ in 0..300 {
        let case = case(&mut random);
        let c = Checked::run(&case).unwrap_or_else(|what| panic!("{case:?}: {what}"));
        assert_eq!(
            c.slc_programs + c.direct_programs,
            c.flash_programs,
            "{case:?}"
        );
        let reasons = c.slc_dropped + c.folds_space + c.folds_room + c.folds_beside + c.folds_idle;
        assert_eq!(c.slc_erases, reasons, "{case:?}");
        for (what, happened) in [
            ("dropped", c.slc_dropped > 0),
            ("for space", c.folds_space > 0),
            ("for room", c.folds_room > 0),
            ("beside", c.folds_beside > 0),
            ("fixed", c.slc_fixed_erases > 0),
            ("copied back", c.fold_copy_backs > 0),
            ("read from the cache", c.slc_reads > 0),
            ("cleaned beside", c.gc_victims > 0 && c.folds_space > 0),
        ] {
            tally.note(what, happened);
        }
    }
    tally.require(5);
}

/// A random device of the simple model, with its requests, and what the model counts.
fn of_model(random: &mut SplitMix64) -> (Case, Counts) {
    let bits = 2 + random.below(4);
    let pages = bits * (1 + random.below(3)) + random.below(2);
    let slc = pages / bits;
    let logical = 4 + random.below(8);
    let kind = any(random, &["static", "dynamic", "hybrid"]);
    let full = any(random, &["direct", "beside", "fold"]);
    let fixed = if kind == "dynamic" {
        0
    } else {
        1 + random.below(3)
    };
    let spare = fixed + 3 + 2 + 2 + random.below(6);
    let all = logical + spare;
    let most = match random.below(3) {
        0 => all - fixed,
        _ => 1 + random.below(4),
    };
    let gone = [0.0, 0.7][random.below(2)];
    let share = [300, 1000, 2500][random.below(3)];
    let rest = random.below(2);
    let is_full = random.below(2) == 0;
    let drive = Drive {
        blocks: [logical, all, fixed],
        pages: [pages, slc],
        free: [3, 4 + random.below(2)],
        dynamic: (kind != "static").then_some(most),
        gone: if kind == "static" {
            0
        } else {
            (gone * (logical * pages) as f64) as usize
        },
        rest: if full == "beside" { rest } else { 0 },
        full: match full {
            "direct" => Full::Direct,
            "beside" => Full::Beside(share),
            _ => Full::Fold,
        },
        greedy_folds: random.below(2) == 0,
        greedy_cleaning: random.below(2) == 0,
        shares_frontier: random.below(2) == 0,
    };
    let named = |is: bool, [yes, no]: [&'static str; 2]| if is { yes } else { no };
    let bytes = |count: usize| count as u64 * slc as u64 * PAGE;
    let mut settings = vec![
        format!("flash.page_size={PAGE} flash.pages_per_block={pages} flash.cell_bits={bits}"),
        format!(
            "flash.capacity={} ftl.spare_blocks={spare}",
            (logical * pages) as u64 * PAGE
        ),
        format!("ftl.kind=page ftl.slc={kind} ftl.slc_full={full} ftl.gc_low=3"),
        format!(
            "ftl.cleaning={}",
            named(drive.greedy_cleaning, ["greedy", "fifo"])
        ),
        format!(
            "ftl.gc_frontier={}",
            named(drive.shares_frontier, ["shared", "separate"])
        ),
        format!(
            "ftl.slc_victim={}",
            named(drive.greedy_folds, ["greedy", "fifo"])
        ),
        format!("precondition={}", named(is_full, ["full", "empty"])),
        "partial_writes=whole buffer.policy=none timing.model=serial".into(),
    ];
    if fixed > 0 {
        settings.push(format!("ftl.slc_static={}", bytes(fixed)));
    }
    if kind != "static" {
        let size = if most == all - fixed {
            "all".into()
        } else {
            bytes(most).to_string()
        };
        settings.push(format!(
            "ftl.slc_dynamic={size} ftl.slc_gone_at={gone:?} ftl.slc_keep={}",
            drive.free[1]
        ));
    }
    if full == "beside" {
        settings.push(format!(
            "ftl.slc_beside={} ftl.slc_rest={}",
            share as f64 / 1e3,
            bytes(rest)
        ));
    }
    let mut used = Used::new(drive, is_full);
    let size = logical * pages;
    let mut requests = Vec::new();
    for at in 0..200 {
        let first = random.below(size);
        let count = (1 + random.below(9)).min(size - first);
        let op = any(random, &["W", "W", "W", "W", "R", "D"]);
        requests.push(format!(
            "{} {op} {} {}",
            1000 * at,
            first as u64 * PAGE,
            count as u64 * PAGE
        ));
        for lpn in first..first + count {
            match op {
                "W" => used.write(lpn),
                "R" => used.read(lpn),
                _ => used.discard(lpn),
            }
        }
    }
    let case = Case::replay(&settings.join(" "), false, &requests.join(","));
    (case, used.counts())
}

// planted bugs: a native block at most as full as that of the cache is cleaned; a dynamic block taken from the last K; blocks without valid
// pages that are folded; a debt that is kept when nothing can be folded; a cap of pages in the cache; a room fold before space is made
#[test]
fn a_naive_model_counts_the_same() {
    let tally = Tally::default();
    let mut random = SplitMix64(0xCAC4E);
    for _ in 0..600 {
        let (case, model) = of_model(&mut random);
        let c = Checked::run(&case).unwrap_or_else(|what| panic!("{case:?}: {what}"));
        let found = Counts {
            programs: [c.slc_programs, c.direct_programs],
            slc_reads: c.slc_reads,
            copies: [c.fold_pages, c.flash_copies - c.fold_pages],
            victims: c.gc_victims,
            erases: [c.slc_dropped, c.folds_space, c.folds_room, c.folds_beside],
            now: [c.valid_in_slc, c.room_pages],
        };
        assert_eq!(found, model, "{case:?}");
        for (what, happened) in [
            ("dropped", c.slc_dropped > 0),
            ("for space", c.folds_space > 0),
            ("for room", c.folds_room > 0),
            ("beside", c.folds_beside > 0),
            ("cleaned beside", c.gc_victims > 0 && c.folds_space > 0),
            ("in the cache", c.valid_in_slc > 0 && c.room_pages > 0),
        ] {
            tally.note(what, happened);
        }
    }
    tally.require(20);
}
