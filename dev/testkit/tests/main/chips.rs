//! Several chips, and the read buffer, compared with equivalent devices.
//!
//! Planted bugs that these tests catch: the chip and the page on it are swapped; spare blocks are shared out between
//! the chips instead of given to each; transfers of a superpage go over all channels one after the other; a host write
//! leaves the old data in the read buffer; a read that misses enters the write buffer as well.

use ssdlab_device::{Counters, Device};
use ssdlab_flash::Array;
use ssdlab_host::{Op, Request};
use ssdlab_testkit::cases::request;
use ssdlab_testkit::configs::{config, stack, stoppable};
use ssdlab_testkit::versions::Versions;
use ssdlab_testkit::workload::Workload;

const PAGE: u64 = 512;
const FTL: &str = "flash.page_size=512 flash.pages_per_block=4 ftl.kind=bast ftl.log_blocks=2 \
                   ftl.spare_blocks=1 timing.transfer_us=7";

fn run(settings: &str, requests: &[Request]) -> (Counters, Vec<u32>) {
    let config = config(format!("{FTL} {settings}").split_whitespace());
    let mut device = stoppable(&config).expect("a legal device");
    let mut versions = Versions::new(true);
    for request in requests {
        device
            .submit(request, &mut versions)
            .expect("a legal request");
        if request.op() == Op::Discard {
            let pages = request.offset / PAGE..request.end() / PAGE;
            pages.for_each(|page| versions.discard(ssdlab_flash::Lpn(page as u32)));
        }
        device.check().unwrap();
        assert_eq!(versions.wrong(), None);
    }
    device.finish().expect("the end");
    (device.counters(), device.erase_counts())
}

fn requests(pages: u64, seed: u64) -> Vec<Request> {
    let workload = Workload {
        requests: 300,
        page_size: PAGE,
        pages,
        pages_per_block: 4,
        flushes: 8,
        discards: 20,
        reads: 60,
    };
    workload.requests(seed)
}

/// The requests of the host for the pages of one chip of six.
fn on_chip(chip: u64, requests: &[Request]) -> Vec<Request> {
    let pages = |r: &Request| r.offset / PAGE..r.end() / PAGE;
    let mine = |r: &Request| pages(r).filter(|page| page % 6 == chip).collect::<Vec<_>>();
    let local = |r: &Request| {
        let (time, op) = (r.time_ns, r.op());
        let page = move |page| Request::new(time, op, page / 6 * PAGE, PAGE).expect("a page");
        mine(r).into_iter().map(page)
    };
    let with_pages = requests.iter().filter(|r| r.op() != Op::Flush);
    with_pages.flat_map(local).collect()
}

#[test]
fn interleaved_chips_are_devices_of_their_own() {
    for seed in 0..4 {
        let all = requests(6 * 20, seed);
        let (whole, erases) = run(
            "flash.capacity=61440 flash.channels=2 flash.chips_per_channel=3 \
             flash.interleave=page buffer.policy=none",
            &all,
        );
        let parts: Vec<_> = (0..6)
            .map(|chip| {
                run(
                    "flash.capacity=10240 buffer.policy=none",
                    &on_chip(chip, &all),
                )
            })
            .collect();
        let sum = |of: fn(&Counters) -> u64| parts.iter().map(|(c, _)| of(c)).sum::<u64>();
        assert!(whole.full_merges > 0);
        for of in [
            |c: &Counters| c.full_merges,
            |c: &Counters| c.partial_merges,
            |c: &Counters| c.switch_merges,
            |c: &Counters| c.flash_copies,
            |c: &Counters| c.flash_programs,
            |c: &Counters| c.flash_reads,
            |c: &Counters| c.unmapped_reads,
            |c: &Counters| c.erases,
            |c: &Counters| c.elapsed_ns,
        ] {
            assert_eq!(of(&whole), sum(of), "seed {seed}");
        }
        assert_eq!(
            erases,
            parts.into_iter().flat_map(|(_, e)| e).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_superpage_is_a_large_page_with_a_transfer_for_each_chip_of_a_channel() {
    for seed in 0..4 {
        let all = requests(6 * 20, seed);
        let device = "flash.capacity=61440 buffer.policy=bplru buffer.size=24KiB";
        let chips = "flash.channels=2 flash.chips_per_channel=3 flash.interleave=superpage";
        let large = "flash.page_size=3072 timing.transfer_us=21";
        let found = run_plain(&format!("{device} {chips}"), &all);
        assert_eq!(
            found,
            run_plain(&format!("{device} {large}"), &all),
            "seed {seed}"
        );
        assert!(found.0.padding_reads > 0 && found.0.full_merges + found.0.switch_merges > 0);
    }
}

/// As `run`, for requests that may cover parts of pages.
fn run_plain(settings: &str, requests: &[Request]) -> (Counters, Vec<u32>) {
    let config = config(format!("{FTL} {settings}").split_whitespace());
    let mut device = Device::<Array<()>>::fresh(&config, &stack(&config)).expect("a legal device");
    for request in requests {
        device
            .submit(request, &mut ssdlab_device::NoData)
            .expect("a legal request");
    }
    device.finish().expect("the end");
    (device.counters(), device.erase_counts())
}

/// Reads and writes of single pages, each as a word: `R3` reads page 3.
fn script(words: &str) -> Vec<Request> {
    let of_page = |word: &str| {
        let (op, page) = word.split_at(1);
        let page: u64 = page.parse().expect("a page");
        request(&format!("0 {op} {} {PAGE}", page * PAGE))
    };
    words.split_whitespace().map(of_page).collect()
}

fn reads(settings: &str, words: &str) -> [u64; 5] {
    let settings = format!("flash.capacity=10240 read_buffer.size=1KiB {settings}");
    let (c, _) = run(&settings, &script(words));
    [
        c.buffer_read_hits,
        c.buffer_read_misses,
        c.flash_reads,
        c.evictions,
        c.evicted_clean_pages,
    ]
}

#[test]
fn the_read_buffer_by_hand() {
    let none = "buffer.policy=none read_buffer.policy";
    // 5 evicts page 3 under fifo, page 4 under lru, and the smaller one under sof
    assert_eq!(
        reads(&format!("{none}=fifo"), "R3 R4 R3 R5 R3"),
        [1, 4, 4, 2, 2]
    );
    assert_eq!(
        reads(&format!("{none}=lru"), "R3 R4 R3 R5 R3"),
        [2, 3, 3, 1, 1]
    );
    assert_eq!(
        reads(&format!("{none}=sof"), "R3 R4 R3 R5 R4"),
        [2, 3, 3, 1, 1]
    );
    // the log ends behind page 5 and turns around: 6, then 3 and 4 leave before 5; a write of one page does not move it
    assert_eq!(
        reads(&format!("{none}=zone"), "W4 W5 W0 R5 R6 R3 R5 R4 R5"),
        [2, 4, 4, 2, 2]
    );
    // a write and a discard drop a page, which is no eviction; a discarded page is held as unmapped
    assert_eq!(
        reads(&format!("{none}=lru"), "R3 W3 R3 R3"),
        [1, 2, 2, 0, 0]
    );
    assert_eq!(
        reads(&format!("{none}=lru"), "R3 D3 R3 R3 R3"),
        [2, 2, 1, 0, 0]
    );
    // pages that go to the FTL enter with the variant: at once, or when they leave the write buffer
    let writes = "read_buffer.policy=fifo read_buffer.writes=cache";
    assert_eq!(
        reads(
            &format!("buffer.policy=none {writes}"),
            "W3 R3 W4 W5 R3 W4 R4"
        ),
        [2, 1, 1, 3, 3]
    );
    assert_eq!(
        reads(
            &format!("buffer.policy=lru buffer.size=512 {writes}"),
            "W3 R3 W4 R3 W5 W3 R4 R3"
        ),
        [4, 0, 0, 5, 1]
    );
    // the write buffer is asked first, and reads do not enter it
    let both = "buffer.policy=lru buffer.size=1KiB buffer.reads=cache read_buffer.policy=lru";
    assert_eq!(reads(both, "W1 W2 R1 R3 R4 R3 R4 R2"), [4, 2, 2, 2, 0]);
}

#[test]
fn buffers_change_no_data() {
    for seed in 0..8 {
        let all = requests(20, seed);
        let writes = ["bypass", "cache"][seed as usize % 2];
        for policy in ["fifo", "lru", "sof", "zone"] {
            for buffer in ["none", "lru", "cflru", "bplru"] {
                let settings = format!(
                    "flash.capacity=10240 buffer.policy={buffer} buffer.size=2KiB \
                     read_buffer.policy={policy} read_buffer.size=2KiB read_buffer.writes={writes}"
                );
                let (counters, _) = run(&settings, &all);
                let read = counters.buffer_read_hits + counters.buffer_read_misses;
                assert_eq!(read, counters.host_read_pages);
                assert_eq!(counters.buffer_write_hits > 0, buffer != "none");
            }
        }
    }
}
