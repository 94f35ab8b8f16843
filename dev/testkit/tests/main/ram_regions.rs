//! Regions in RAM as the host sees them, worked out by hand: the counters, the time, and the effects of a flush, a
//! discard and the end of the trace.
//!
//! Planted bugs that these tests catch: a write that goes straight to flash charged for an access of RAM; a
//! read-modify-write of a page in RAM that reads flash; hits in RAM that enter the read buffer, or that it counts as
//! misses; a flush that writes RAM back; a discard from RAM that counts as an eviction, or that leaves the page; RAM
//! shared by several chips; RAM that is drained although `drain = false`; a region of flash where `dac+` has none.

use ssdlab_device::{Counters, Device};
use ssdlab_flash::Lpn;
use ssdlab_ftl::{Event, Events};
use ssdlab_host::{Op, Request};
use ssdlab_testkit::configs::{config, stack};
use ssdlab_testkit::flash::Flash;
use ssdlab_testkit::versions::Versions;

use std::sync::{Arc, Mutex};

const PAGE: u64 = 512;

/// Blocks of 4 pages, 20 logical ones. RAM holds 2 pages. Stable times in pages written.
const DEVICE: &str = "flash.page_size=512 flash.pages_per_block=4 flash.capacity=40KiB buffer.policy=none \
                      ftl.kind=page ftl.regions=2 ftl.stable_s=[4,8] ftl.ram=1100 ftl.spare_blocks=9 \
                      timing.read_us=0 timing.program_us=0 timing.erase_us=0 timing.transfer_us=0 timing.buffer_us=1";

/// The counters of a device, and the order in which it wrote pages back.
struct Done {
    counters: Counters,
    written_back: Vec<u32>,
}

impl Done {
    /// Hits and misses of writes and reads, evictions, programs.
    fn counts(&self) -> [u64; 6] {
        let c = &self.counters;
        assert_eq!(c.evictions, c.evicted_dirty_pages + c.evicted_clean_pages);
        assert_eq!(c.evicted_dirty_pages, self.written_back.len() as u64);
        [
            c.buffer_write_hits,
            c.buffer_write_misses,
            c.buffer_read_hits,
            c.buffer_read_misses,
            c.evictions,
            c.flash_programs,
        ]
    }
}

/// Serves requests for single pages, each as a word: `W3` writes page 3, `w3` part of it, `F` flushes.
fn run(settings: &str, words: &str) -> Done {
    let config = config(format!("{DEVICE} {settings}").split_whitespace());
    let mut device = Device::fresh_on(&config, &stack(&config), Flash::checked).expect("legal");
    let written_back = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&written_back);
    device.report_to(Events::to(move |context, event| {
        if let Event::Evict { dirty, .. } = event {
            let (chips, chip) = context.chip.map_or((1, 0), |chip| (2, chip));
            let pages = dirty.iter().map(|lpn| lpn.0 * chips + chip);
            sink.lock().expect("one thread").extend(pages);
        }
    }));
    let mut versions = Versions::default();
    for word in words.split_whitespace() {
        let (op, page) = word.split_at(1);
        let page: u64 = page.parse().unwrap_or_default();
        let (op, size) = match op {
            "W" => (Op::Write, PAGE),
            "w" => (Op::Write, PAGE - 1),
            "R" => (Op::Read, PAGE),
            "D" => (Op::Discard, PAGE),
            _ => (Op::Flush, 0),
        };
        let request = Request::new(0, op, page * PAGE, size).expect("a request");
        device.submit(&request, &mut versions).expect("legal");
        if op == Op::Discard {
            versions.discard(Lpn(page as u32));
        }
        device.check().unwrap();
        assert_eq!(versions.wrong(), None);
    }
    device.finish().expect("the end");
    device.check().unwrap();
    Done {
        counters: device.counters(),
        written_back: written_back.lock().expect("one thread").clone(),
    }
}

const DEB: &str = "ftl.placement=deb precondition=empty drain=false";
/// A page of region 1 is in RAM if its first update comes within 4 pages.
const DAC_PLUS: &str = "ftl.placement=dac+ ftl.spare_blocks=6 precondition=empty drain=false";

#[test]
fn deb_overflows_and_keeps_half() {
    let done = run(DEB, "W0 W1 R0 W0 R2 W2 R0 R1 R2");
    // RAM overflows with the third page: the two pages updated longest ago leave, 1 before 0
    assert_eq!(done.written_back, [1, 0]);
    assert_eq!(done.counts(), [1, 3, 2, 3, 2, 2]);
    assert_eq!(done.counters.flash_reads, 2);
    assert_eq!(done.counters.unmapped_reads, 1);
    // four writes hit or entered, two reads hit
    assert_eq!(done.counters.elapsed_ns, 6000);
}

/// Rule 5 of the paper. RAM has room for four pages; above three, all but one leave, the oldest first.
#[test]
fn deb_starts_to_write_back_at_its_threshold() {
    let more = format!("{DEB} ftl.ram=2KiB ftl.ram_threshold=1700");
    let done = run(&more, "W0 W1 W2 W0");
    assert!(done.written_back.is_empty());
    let done = run(&more, "W0 W1 W2 W0 W3 R0 R1 R2 R3");
    assert_eq!(done.written_back, [1, 2, 0]);
    assert_eq!(done.counts(), [1, 4, 1, 3, 3, 3]);
    // the same as RAM of this size
    let small = run(&format!("{DEB} ftl.ram=1700"), "W0 W1 W2 W0 W3 R0 R1 R2 R3");
    assert_eq!(small.written_back, done.written_back);
    assert_eq!(small.counts(), done.counts());
    // without a threshold, four pages stay
    let done = run(&format!("{DEB} ftl.ram=2KiB"), "W0 W1 W2 W0 W3");
    assert!(done.written_back.is_empty());
}

#[test]
fn dac_plus_makes_room_first() {
    // all start in flash; a second write within four pages brings each to RAM; the third one pushes page 0 out
    let done = run(DAC_PLUS, "W0 W0 W1 W1 W2 W2 R0 R1 R2");
    assert_eq!(done.written_back, [0]);
    assert_eq!(done.counts(), [0, 6, 2, 1, 1, 4]);
    // three writes entered, and two reads hit
    assert_eq!(done.counters.elapsed_ns, 5000);
    let done = run(DAC_PLUS, "W0 W0 W1 W1 W0 W2 W2");
    assert_eq!(done.written_back, [1]);
    assert_eq!(done.counts(), [1, 6, 0, 0, 1, 4]);
}

#[test]
fn a_read_modify_write_reads_flash_only() {
    let reads = |words: &str| {
        let done = run(&format!("{DEB} partial_writes=rmw"), words);
        done.counters.flash_reads
    };
    assert_eq!(reads("w0"), 0);
    assert_eq!(reads("W0 w0"), 0);
    assert_eq!(reads("W0 W1 W2 w0"), 1);
}

#[test]
fn flushes_and_discards_leave_no_trace() {
    let done = run(DEB, "W0 F W1 F R0 D0 R0 W2 R1 R2");
    assert!(done.written_back.is_empty());
    assert_eq!(done.counts(), [0, 3, 3, 1, 0, 0]);
    assert_eq!(done.counters.unmapped_reads, 1);
}

#[test]
fn the_end_of_the_trace_empties_ram() {
    let done = run(&format!("{DEB} drain=true"), "W0 W1 W0");
    assert_eq!(done.written_back, [1, 0]);
    assert_eq!(done.counts(), [1, 2, 0, 0, 2, 2]);
    let done = run(&format!("{DAC_PLUS} drain=true"), "W0 W0 W1");
    assert_eq!(done.written_back, [0]);
    assert_eq!(done.counts(), [0, 3, 0, 0, 1, 3]);
}

#[test]
fn ram_comes_before_the_read_buffer() {
    let read_buffer = format!("{DEB} read_buffer.policy=lru read_buffer.size=512");
    // 1 is read into the read buffer, stays there while 2 is read from RAM, and leaves when 0 enters
    let done = run(&read_buffer, "W0 W1 W2 R1 R2 R2 R1 R0");
    assert_eq!(done.counters.evicted_clean_pages, 1);
    let [.., hits, misses, _, _] = done.counts();
    assert_eq!([hits, misses], [3, 2]);
    // three hits and two entries by reads, three entries by writes
    assert_eq!(done.counters.elapsed_ns, 8000);
}

#[test]
fn each_chip_has_its_own_ram() {
    let chips = "flash.channels=2 flash.interleave=page";
    // two pages on each chip fit; a third one does not
    let done = run(&format!("{DEB} {chips}"), "W0 W1 W2 W3");
    assert!(done.written_back.is_empty());
    let done = run(&format!("{DEB} {chips}"), "W0 W2 W3 W4 W5");
    assert_eq!(done.written_back, [0, 2]);
}
