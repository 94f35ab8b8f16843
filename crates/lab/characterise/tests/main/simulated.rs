//! The hits of LRU buffers of all sizes against the write buffers of the simulator, on traces that are shipped.

use std::path::Path;

use ssdlab_characterise::LruCurve;
use ssdlab_device::{BufferMaker, Device, FtlMaker, NoData, Parameters, Stack};
use ssdlab_flash::Array;
use ssdlab_ftl::ideal::Ideal;
use ssdlab_host::{Op, Request};
use ssdlab_policy::buffer::BufferKind;
use ssdlab_policy::buffer::blru::Blru;
use ssdlab_policy::buffer::lru::Lru;
use ssdlab_trace::{ReadOptions, read_all};

fn shipped(name: &str) -> Vec<Request> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../traces");
    let read = read_all(&folder.join(name), &ReadOptions::default());
    read.expect("a trace").0
}

/// Write hits, write misses, read hits and read misses of a buffer of so many pages.
fn simulated<B: BufferKind<Config = ()>>(
    requests: &[Request],
    page: u64,
    block: u32,
    pages: u64,
    protected: bool,
) -> [u64; 4] {
    let end = requests.iter().map(Request::end).max();
    let mut parameters = Parameters::default();
    let block_bytes = page * u64::from(block);
    parameters.flash.page_size = page as u32;
    parameters.flash.pages_per_block = block;
    parameters.flash.capacity = end.expect("requests").next_multiple_of(block_bytes);
    parameters.buffer.size = pages * page;
    parameters.buffer.protected = protected;
    let stack = Stack::new(FtlMaker::of::<Ideal<()>>(())).with_buffer(BufferMaker::of::<B>(()));
    let mut device: Device<Array<()>> = Device::fresh(&parameters, &stack).expect("a device");
    device.submit_all(requests, &mut NoData).expect("a replay");
    device.finish().expect("an end");
    let counters = device.counters();
    [
        counters.buffer_write_hits,
        counters.buffer_write_misses,
        counters.buffer_read_hits,
        counters.buffer_read_misses,
    ]
}

/// Compares the curve with buffers `B` of many sizes: powers of two from 1 unit to beyond all units, and others.
fn compare<B: BufferKind<Config = ()>>(requests: &[Request], unit: u64, block: u32) {
    let mut curve = LruCurve::new(unit);
    for request in requests {
        curve.add(request).expect("few units");
    }
    let enough = curve.hits(true).enough();
    let mut sizes: Vec<u64> = (0..)
        .map(|bits| 1 << bits)
        .take_while(|&size| size < 4 * enough)
        .collect();
    sizes.extend([3, 17, 1000, enough / 3, enough - 1, enough, enough + 1]);
    for protected in [false, true] {
        let hits = curve.hits(protected);
        for &size in &sizes {
            let counters = simulated::<B>(requests, unit, block, size, protected);
            let (writes, reads) = (hits.write_hits(size), hits.read_hits(size));
            let ours = [writes, hits.writes - writes, reads, hits.reads - reads];
            let what = format!("{size} units of {unit} bytes, protected: {protected}");
            assert_eq!(ours, counters, "{what}");
        }
        // sizes differ, and no larger one is better
        let [few, all] = [1, enough].map(|size| hits.write_hits(size));
        assert!(few < all || !protected);
        assert_eq!(hits.write_hits(4 * enough), all);
    }
}

fn count(requests: &[Request], op: Op) -> usize {
    requests.iter().filter(|request| request.op() == op).count()
}

// planted bugs: a page of a long write that finds the room of another one; discards that round outwards; a flush that
// leaves pages, or that a protected buffer obeys
#[test]
fn pages_of_lru_with_flushes_and_discards() {
    // each of its transactions ends with a flush
    let requests = shipped("w23-ext4-phone.csv.zst");
    let others = [Op::Flush, Op::Discard].map(|op| count(&requests, op));
    assert_eq!(others, [5429, 3304]);
    compare::<Lru>(&requests, 4096, 64);
    // its pages are no power of two, and most writes cover some of them in part
    compare::<Lru>(&requests, 1536 * 3, 10);
}

// planted bugs: a read that is a use of its page; a flush that leaves pages
#[test]
fn pages_of_lru_with_flushes_and_reads() {
    for (name, page, reads, flushes) in [
        ("w21-ext4-postgres.csv.zst", 8192, 74_977, 18_084),
        ("w8-ext3-kernel-compile.csv.zst", 2048, 15_992, 328),
    ] {
        let requests = shipped(name);
        let others = [Op::Read, Op::Flush].map(|op| count(&requests, op));
        assert_eq!(others, [reads, flushes]);
        compare::<Lru>(&requests, page, 128);
    }
}

/// A block-level buffer whose blocks have one page each is a buffer of whole blocks.
///
/// Planted bug: a block that is used once for each page of a request.
#[test]
fn blocks_of_blru() {
    for name in ["w23-ext4-phone.csv.zst", "w9-fat16-postmark.csv.zst"] {
        compare::<Blru>(&shipped(name), 256 << 10, 1);
    }
}
