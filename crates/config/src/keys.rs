//! The table of keys, in the order of the documentation.

use crate::key::{Key, Reader, float, int, key, names, size};
use crate::kind::{Kind, Names};
use ssdlab_device::{Family, MAX_PAGES};

/// The largest size in bytes. It has more pages than page numbers can count.
const MAX_BYTES: i64 = 1 << 52;
/// The time of a flash or buffer operation in microseconds.
const MICROSECONDS: Kind = float(0.0, 1e6);
/// The speed of a bus in bytes per microsecond; 0 is infinite.
const MEGAHERTZ: Kind = float(0.0, 1e6);
/// The most spare erase blocks of a chip.
const MAX_SLOTS: i64 = 1 << 24;
/// Numbers of blocks and other small counts.
const COUNT: Kind = int(1, 65535);

/// All keys, in the order of the documentation.
pub const KEYS: &[Key] = &[
    Key::open(
        "preset",
        Kind::Choice(Names::Presets),
        "the device to start from",
    ),
    key(
        "partial_writes",
        names(&["whole", "rmw"]),
        "\"whole\"",
        "writes of part of a page: like the whole page, or read-modify-write",
    ),
    key(
        "precondition",
        names(&["full", "empty"]),
        "\"full\"",
        "before the trace: all pages written once, or no page mapped",
    ),
    key(
        "drain",
        Kind::Bool,
        "true",
        "write the buffer back at the end of the trace",
    ),
    key(
        "replay",
        names(&["closed", "timed"]),
        "\"closed\"",
        "issue a request when an earlier one completes, or at its time stamp",
    )
    .of_parallel(),
    key(
        "queue_depth",
        int(1, 65536),
        "1",
        "closed replay: requests in flight",
    )
    .read_by(Reader::If("replay", "\"closed\"")),
    key(
        "speedup",
        float(1e-6, 1e6),
        "1.0",
        "timed replay: the times of the trace are divided by this",
    )
    .read_by(Reader::If("replay", "\"timed\"")),
    key(
        "clock",
        names(&["writes", "trace"]),
        "\"writes\"",
        "unit of ages and stable times: pages written, or trace time",
    )
    .read_by(Reader::CleaningOrPlacement),
    key(
        "flash.capacity",
        Kind::Size {
            min: 512,
            max: MAX_BYTES,
            // must be whole blocks; their size depends on other keys
            step: 1,
            auto: true,
        },
        "\"1GiB\"",
        "bytes for the host, in whole blocks; \"auto\": up to the end of the trace",
    ),
    key(
        "flash.page_size",
        size(512, 1 << 20, 512),
        "2048",
        "bytes of a page on one chip",
    ),
    key(
        "flash.pages_per_block",
        int(1, 65536),
        "128",
        "pages of an erase block",
    ),
    key(
        "flash.planes",
        COUNT,
        "1",
        "planes; block b is in plane b mod planes",
    )
    .read_by(Reader::Unless("flash.copy_back", "false")),
    key(
        "flash.copy_back",
        Kind::Bool,
        "false",
        "copies inside a plane avoid the flash bus",
    )
    .read_by(Reader::Unless("ftl.kind", "\"ideal\"")),
    key("flash.channels", COUNT, "1", "channels"),
    key(
        "flash.chips_per_channel",
        COUNT,
        "1",
        "chips on each channel",
    ),
    key(
        "flash.interleave",
        names(&["superpage", "page", "line"]),
        "\"superpage\"",
        "several chips: pages across all, whole pages in turn, or blocks across all",
    )
    .read_by(Reader::Chips),
    key(
        "flash.pe_cycles",
        int(1, 10_000_000),
        "3000",
        "program/erase cycles that a block endures",
    )
    .read_by(Reader::Unless("ftl.kind", "\"ideal\"")),
    Key::open(
        "flash.rated_tbw",
        float(1e-6, 1e9),
        "terabytes (10^12 bytes) that the host may write as rated by the maker; default none",
    ),
    key(
        "timing.model",
        names(&["serial", "parallel"]),
        "\"serial\"",
        "time: the sum of all operations, or separate clocks for chips and buses",
    ),
    key(
        "timing.read_us",
        MICROSECONDS,
        "50.0",
        "µs to read a page into the register",
    ),
    key(
        "timing.program_us",
        MICROSECONDS,
        "800.0",
        "µs to program a page",
    ),
    key(
        "timing.erase_us",
        MICROSECONDS,
        "1500.0",
        "µs to erase a block",
    ),
    key(
        "timing.transfer_us",
        MICROSECONDS,
        "50.0",
        "µs to transfer a page over the flash bus; parallel: in estimates only",
    ),
    key(
        "timing.buffer_us",
        MICROSECONDS,
        "0.0",
        "µs for each host page that hits or enters a buffer",
    )
    .read_by(Reader::Buffers),
    key(
        "timing.bus_mhz",
        MEGAHERTZ,
        "166.0",
        "bytes per µs on the bus to the host; 0: infinitely fast",
    )
    .of_parallel(),
    key(
        "timing.channel_mhz",
        MEGAHERTZ,
        "40.0",
        "bytes per µs on a channel; 0: infinitely fast",
    )
    .of_parallel(),
    key(
        "timing.read_suspends",
        Kind::Bool,
        "false",
        "host reads suspend programs and erases",
    )
    .of_parallel(),
    key(
        "timing.spare_slots",
        int(0, MAX_PAGES as i64),
        "0",
        "pages of memory beside the write buffer, through which pages leave",
    )
    .of_parallel(),
    key(
        "ftl.kind",
        Kind::Choice(Names::Systems(Family::Ftl)),
        "\"bast\"",
        "the flash translation layer",
    ),
    key(
        "ftl.log_blocks",
        COUNT,
        "7",
        "log blocks, or blocks in the pool of replacement or update blocks",
    )
    .of_ftl(),
    Key::open(
        "ftl.spare_blocks",
        int(0, MAX_PAGES as i64),
        "blocks beyond logical and log blocks; default 2, with page 0.07 of the logical blocks",
    )
    .of_ftl(),
    Key::open(
        "ftl.over_provisioning",
        float(0.0, 100.0),
        "spare blocks as a fraction of the logical blocks, rounded up; replaces spare_blocks",
    )
    .of_ftl(),
    key(
        "ftl.partial_merge",
        Kind::Bool,
        "true",
        "complete a log block in place if it is a prefix of its logical block",
    )
    .of_ftl(),
    key(
        "ftl.open_blocks",
        COUNT,
        "1",
        "replacement blocks open at the same time",
    )
    .of_ftl(),
    key(
        "ftl.blocks_per_superblock",
        COUNT,
        "8",
        "adjacent logical blocks in a superblock",
    )
    .of_ftl(),
    key(
        "ftl.max_update_blocks",
        COUNT,
        "8",
        "most update blocks of one superblock",
    )
    .of_ftl(),
    key(
        "ftl.cleaning",
        Kind::Choice(Names::Systems(Family::Cleaning)),
        "\"greedy\"",
        "policy that chooses the block to clean",
    )
    .read_by(Reader::FtlUnless("ftl.buffer_aware", "\"merge+victim\"")),
    key("ftl.d", COUNT, "10", "blocks drawn for each victim").of_cleaning(),
    key(
        "ftl.seed",
        int(0, i64::MAX),
        "1",
        "seed of the random draws",
    )
    .of_cleaning(),
    key(
        "ftl.placement",
        Kind::Choice(Names::Systems(Family::Placement)),
        "\"single\"",
        "policy that chooses the region of each page",
    )
    .of_ftl(),
    key(
        "ftl.gc_frontier",
        names(&["separate", "shared"]),
        "\"separate\"",
        "frontier of cleaning copies: their own, or that of host writes",
    )
    .of_placement(),
    Key::open(
        "ftl.gc_low",
        COUNT,
        "clean when this many blocks or fewer are free; default frontiers + 1",
    )
    .of_ftl(),
    key(
        "ftl.regions",
        int(1, 255),
        "4",
        "regions in flash; with dac+, the hottest one is in RAM",
    )
    .of_placement(),
    key(
        "ftl.stable_s",
        Kind::List { min: 0.0, max: 1e9 },
        "[100.0, 200.0, 300.0, 400.0]",
        "ends of the regions' stable times in s, or pages (see clock), hottest first",
    )
    .of_placement(),
    key(
        "ftl.ram",
        size(0, MAX_BYTES, 1),
        "\"4MiB\"",
        "bytes of the RAM region, rounded down to whole pages",
    )
    .of_placement(),
    key(
        "ftl.buffer_aware",
        names(&["off", "merge", "merge+victim"]),
        "\"off\"",
        "use buffered pages in merges, and to choose victims",
    )
    .of_ftl(),
    key(
        "ftl.candidates",
        int(0, MAX_PAGES as i64),
        "0",
        "merge+victim: blocks weighed for each victim; 0: all",
    )
    .read_by(Reader::If("ftl.buffer_aware", "\"merge+victim\"")),
    key(
        "ftl.weigh_copy_backs",
        Kind::Bool,
        "true",
        "merge+victim: estimates know which pages a copy-back can move",
    )
    .read_by(Reader::If("ftl.buffer_aware", "\"merge+victim\"")),
    key(
        "buffer.policy",
        Kind::Choice(Names::Systems(Family::Buffer)),
        "\"bplru\"",
        "policy that chooses the pages to evict",
    ),
    key(
        "buffer.size",
        size(0, MAX_BYTES, 1),
        "\"16MiB\"",
        "bytes, rounded down to whole pages",
    )
    .of_policy(),
    Key::open(
        "buffer.reads",
        names(&["bypass", "cache"]),
        "whether host reads enter and count as uses; default cache for cflru and fab, else bypass",
    )
    .of_buffer(),
    key(
        "buffer.protected",
        Kind::Bool,
        "false",
        "memory with battery or capacitor: flushes do nothing",
    )
    .of_buffer(),
    key(
        "buffer.flush_age_s",
        float(0.0, 1e9),
        "0.0",
        "s after which dirty pages are written; 0: off",
    )
    .of_buffer(),
    key(
        "buffer.count_headers",
        Kind::Bool,
        "false",
        "each block header takes the space of one page",
    )
    .of_policy(),
    key(
        "buffer.padding",
        Kind::Bool,
        "true",
        "fill gaps of a victim from flash and write the whole block",
    )
    .of_policy(),
    key(
        "buffer.compensation",
        Kind::Bool,
        "true",
        "evict sequentially written blocks first",
    )
    .of_policy(),
    key(
        "buffer.age",
        names(&["three-quarters", "root", "linear", "none"]),
        "\"three-quarters\"",
        "how the age of a block weighs against its pages",
    )
    .of_policy(),
    key(
        "buffer.complete",
        names(&["learned", "equal", "first"]),
        "\"learned\"",
        "how blocks with all pages held weigh against others",
    )
    .of_policy(),
    key(
        "buffer.feedback",
        Kind::Bool,
        "true",
        "pad only where merges have proved to cost more; false: always",
    )
    .of_policy(),
    key(
        "buffer.window",
        float(0.0, 1.0),
        "0.25",
        "fraction of the buffer searched for clean pages",
    )
    .of_policy(),
    key(
        "buffer.hot",
        float(0.0, 1.0),
        "0.10",
        "fraction of the buffer that is hot",
    )
    .of_policy(),
    key(
        "buffer.small_request",
        COUNT,
        "5",
        "most pages of a small request block",
    )
    .of_policy(),
    key(
        "read_buffer.policy",
        Kind::Choice(Names::ReadBuffers),
        "\"none\"",
        "policy that chooses the pages to evict",
    ),
    key(
        "read_buffer.size",
        size(0, MAX_BYTES, 1),
        "\"8MiB\"",
        "bytes, rounded down to whole pages",
    )
    .read_by(Reader::Unless("read_buffer.policy", "\"none\"")),
    key(
        "drive.hold_ms",
        int(0, 86_400_000),
        "1000",
        "ms of power that is left to write protected RAM to flash",
    )
    .read_by(Reader::ProtectedRam),
    key(
        "drive.spare_blocks",
        int(0, MAX_SLOTS),
        "0",
        "erase blocks of each chip that stand in for bad ones",
    ),
    key(
        "drive.bad_blocks",
        int(0, MAX_SLOTS),
        "0",
        "erase blocks of each chip that are bad from the beginning",
    ),
    key(
        "drive.program_failures",
        float(0.0, 1.0),
        "0.0",
        "share of programs that fail",
    ),
    key(
        "drive.erase_failures",
        float(0.0, 1.0),
        "0.0",
        "share of erases that fail",
    ),
    key(
        "drive.erase_limit",
        int(0, 4_294_967_295),
        "0",
        "erases after which a block is worn out; 0: never",
    ),
    key(
        "drive.bit_errors",
        float(0.0, 500.0),
        "0.0",
        "wrong bits in a KiB of a new block, on average",
    ),
    key(
        "drive.bit_errors_per_erase",
        float(0.0, 500.0),
        "0.0",
        "wrong bits that each erase of the block adds, on average",
    ),
    key(
        "drive.ecc_bits",
        int(0, 1000),
        "40",
        "wrong bits in a KiB that can be corrected",
    ),
    key(
        "drive.fault_seed",
        int(0, i64::MAX),
        "1",
        "where the random numbers of faults begin",
    ),
];
