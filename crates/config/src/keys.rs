//! The table itself, in the order of the documentation.

use crate::kind::{Kind, Names};
use crate::schema::{Key, MAX_PAGES, Reader, float, int, key, names, size, some_built};

/// The largest size: more pages than a page number can count would not fit in it anyway.
const MAX_BYTES: i64 = 1 << 52;
/// Microseconds of a flash or buffer operation.
const MICROSECONDS: Kind = float(0.0, 1e6);
/// Bytes per microsecond of a bus.
const MEGAHERTZ: Kind = float(1e-3, 1e6);
/// Blocks that an FTL keeps for itself, and other small counts.
const COUNT: Kind = int(1, 65535);

/// Every key, in the order of the documentation.
pub const KEYS: &[Key] = &[
    Key::open(
        "preset",
        Kind::Choice(Names::Presets),
        "the device of a paper, to start from",
    ),
    key(
        "partial_writes",
        names(&["whole", "rmw"]),
        "\"whole\"",
        "a write of part of a page: as the whole page, or read-modify-write",
    ),
    key(
        "precondition",
        names(&["full", "empty"]),
        "\"full\"",
        "before the trace: every page written once, or nothing mapped",
    ),
    key(
        "drain",
        Kind::Bool,
        "true",
        "write the buffer back at the end of the trace",
    ),
    key(
        "replay",
        some_built(&["closed"], &["timed"]),
        "\"closed\"",
        "issue a request when an earlier one completes, or at its time stamp",
    ),
    key(
        "queue_depth",
        int(1, 65536),
        "1",
        "closed replay: requests in flight",
    )
    .of_parallel(),
    key(
        "clock",
        names(&["writes", "trace"]),
        "\"writes\"",
        "the clock of ages and stable times: pages written, or trace time",
    )
    .read_by(Reader::CleaningOrPlacement),
    key(
        "flash.capacity",
        Kind::Size {
            min: 512,
            max: MAX_BYTES,
            // whole blocks, which only the other keys tell
            step: 1,
            auto: true,
        },
        "\"1GiB\"",
        "bytes that the host sees, whole blocks; \"auto\": the end of the trace",
    ),
    key(
        "flash.page_size",
        size(512, 1 << 20, 512),
        "2048",
        "bytes of a page, of one chip",
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
        "planes: block b lies in plane b mod planes",
    )
    .read_by(Reader::Unless("flash.copy_back", "false")),
    key(
        "flash.copy_back",
        Kind::Bool,
        "false",
        "copies inside a plane skip the flash bus",
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
        names(&["superpage", "page"]),
        "\"superpage\"",
        "several chips: pages across all chips, or page by page in turn",
    )
    .read_by(Reader::Chips),
    key(
        "timing.model",
        some_built(&["serial"], &["parallel"]),
        "\"serial\"",
        "the sum of all operations, or chips and buses with clocks of their own",
    ),
    key(
        "timing.read_us",
        MICROSECONDS,
        "50.0",
        "µs from cell to register",
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
        "µs to move a page over the flash bus",
    )
    .read_by(Reader::Unless("timing.model", "\"parallel\"")),
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
        "bytes per µs of the data bus",
    )
    .of_parallel(),
    key(
        "timing.channel_mhz",
        MEGAHERTZ,
        "40.0",
        "bytes per µs of a channel",
    )
    .of_parallel(),
    key(
        "ftl.kind",
        Kind::Choice(Names::Ftls),
        "\"bast\"",
        "the flash translation layer",
    ),
    key(
        "ftl.log_blocks",
        COUNT,
        "7",
        "log blocks, or the pool of replacement or update blocks",
    )
    .of_ftl(),
    Key::open(
        "ftl.spare_blocks",
        int(0, MAX_PAGES as i64),
        "blocks beyond those; default 2, page: 0.07 of the logical ones",
    )
    .of_ftl(),
    Key::open(
        "ftl.over_provisioning",
        float(0.0, 100.0),
        "instead of spare_blocks: fraction of the logical blocks, rounded up",
    )
    .of_ftl(),
    key(
        "ftl.partial_merge",
        Kind::Bool,
        "true",
        "complete a sequential log block in place",
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
        "adjacent logical blocks of a superblock",
    )
    .of_ftl(),
    key(
        "ftl.max_update_blocks",
        COUNT,
        "8",
        "update blocks of a superblock",
    )
    .of_ftl(),
    key(
        "ftl.cleaning",
        Kind::Choice(Names::Cleanings),
        "\"greedy\"",
        "which block is cleaned",
    )
    .read_by(Reader::FtlUnless("ftl.buffer_aware", "\"merge+victim\"")),
    key("ftl.d", COUNT, "10", "blocks drawn for a victim").of_cleaning(),
    key("ftl.seed", int(0, i64::MAX), "1", "seed of the generator").of_cleaning(),
    key(
        "ftl.placement",
        Kind::Choice(Names::Placements),
        "\"single\"",
        "which region a page goes to",
    )
    .of_ftl(),
    key(
        "ftl.gc_frontier",
        names(&["separate", "shared"]),
        "\"separate\"",
        "whether cleaning copies have a frontier of their own",
    )
    .of_placement(),
    Key::open(
        "ftl.gc_low",
        COUNT,
        "clean at this many free blocks; default frontiers + 1",
    )
    .of_ftl(),
    key(
        "ftl.regions",
        int(1, 255),
        "4",
        "regions in flash; dac+: the hottest of them in RAM",
    )
    .of_placement(),
    key(
        "ftl.stable_s",
        Kind::List { min: 0.0, max: 1e9 },
        "[100.0, 200.0, 300.0, 400.0]",
        "s, or pages (see clock), at which the regions end, hottest first",
    )
    .of_placement(),
    key(
        "ftl.ram",
        size(0, MAX_BYTES, 1),
        "\"4MiB\"",
        "bytes of the region in RAM; whole pages count",
    )
    .of_placement(),
    key(
        "ftl.buffer_aware",
        names(&["off", "merge", "merge+victim"]),
        "\"off\"",
        "merges take pages from the buffer, and choose victims by it",
    )
    .of_ftl(),
    key(
        "ftl.candidates",
        int(0, MAX_PAGES as i64),
        "0",
        "merge+victim: blocks weighed; 0: all",
    )
    .read_by(Reader::If("ftl.buffer_aware", "\"merge+victim\"")),
    key(
        "buffer.policy",
        Kind::Choice(Names::Buffers),
        "\"bplru\"",
        "what the write buffer evicts",
    ),
    key(
        "buffer.size",
        size(0, MAX_BYTES, 1),
        "\"16MiB\"",
        "bytes; whole pages count",
    )
    .of_policy(),
    Key::open(
        "buffer.reads",
        names(&["bypass", "cache"]),
        "whether reads enter and promote; default cache for cflru and fab, else bypass",
    )
    .of_buffer(),
    key(
        "buffer.protected",
        Kind::Bool,
        "false",
        "battery or capacitor: flushes do nothing",
    )
    .of_buffer(),
    key(
        "buffer.flush_age_s",
        float(0.0, 1e9),
        "0.0",
        "s until dirty pages are written; 0: off",
    )
    .of_buffer(),
    key(
        "buffer.count_headers",
        Kind::Bool,
        "false",
        "a block header takes one page slot",
    )
    .of_policy(),
    key(
        "buffer.padding",
        Kind::Bool,
        "true",
        "complete a victim from flash",
    )
    .of_policy(),
    key(
        "buffer.compensation",
        Kind::Bool,
        "true",
        "sequentially written blocks leave first",
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
        "fraction of the buffer kept hot",
    )
    .of_policy(),
    key(
        "read_buffer.policy",
        names(&["none", "fifo", "lru", "sof"]),
        "\"none\"",
        "what the read buffer evicts",
    ),
    key(
        "read_buffer.size",
        size(0, MAX_BYTES, 1),
        "\"8MiB\"",
        "bytes; whole pages count",
    )
    .read_by(Reader::Unless("read_buffer.policy", "\"none\"")),
];
