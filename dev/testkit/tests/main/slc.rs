//! Devices with an SLC cache, checked after every request: tables against spare areas, counts against recounts.
//!
//! Planted bugs that this test catches: a block of the cache that loses its place in the order of filling, or a page of its
//! count; one that the cleaning policy is told of; a dynamic block that stays in SLC mode after its erase; a fold that is not
//! counted; a page of the host that is counted neither in the cache nor past it.

use ssdlab_policy::SplitMix64;
use ssdlab_testkit::cases::Case;
use ssdlab_testkit::checked::Checked;
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
