//! The keys of every device, in the order of the documentation. Systems declare their own keys in their own files.

use crate::precondition::{PRECONDITION, PRECONDITION_SIZE};
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_device::{Family, Interleave, MAX_PAGES, PartialWrites, Reads, TimeModel};
use ssdlab_policy::{Choice, Key, Kind, MAX_BYTES, Names, Setting, Settings, Switch};

/// The time of a flash or buffer operation in microseconds.
const MICROSECONDS: Kind = float(0.0, 1e6);
/// The speed of a bus in 10^6 bytes per second; 0 is infinite.
const MB_PER_S: Kind = float(0.0, 1e6);
/// The most spare erase blocks of a chip.
const MAX_SLOTS: i64 = 1 << 24;
/// Numbers of blocks and other small counts.
const COUNT: Kind = int(1, 65535);

/// The energy of an operation in microjoules.
const MICROJOULES: Kind = float(0.0, 1e6);
/// The keys of energy: all or none of them are given.
pub(crate) const ENERGY: [&str; 3] = ["energy.read_uj", "energy.program_uj", "energy.erase_uj"];

/// `partial_writes`.
pub(crate) const PARTIAL_WRITES: Choice<PartialWrites> = Choice::new(
    "partial_writes",
    &["whole", "rmw"],
    &[PartialWrites::Whole, PartialWrites::Rmw],
    "writes of part of a page: like the whole page, or read-modify-write",
);

/// `replay`: whether it is timed.
pub(crate) const REPLAY: Choice<bool> = Choice::new(
    "replay",
    &["closed", "timed"],
    &[false, true],
    "issue a request when an earlier one completes, or at its time stamp",
);

/// `flash.interleave`.
pub(crate) const INTERLEAVE: Choice<Interleave> = Choice::new(
    "flash.interleave",
    &["superpage", "page", "block", "line"],
    &[
        Interleave::Superpage,
        Interleave::Page,
        Interleave::Block,
        Interleave::Line,
    ],
    "several chips: pages across all (shared control), whole pages (shared bus) or whole blocks in turn, or blocks across all",
);

/// `timing.model`.
pub(crate) const MODEL: Choice<TimeModel> = Choice::new(
    "timing.model",
    &["serial", "parallel"],
    &[TimeModel::Serial, TimeModel::Parallel],
    "time: the sum of all operations, or separate clocks for chips and buses",
);

/// `buffer.reads`.
pub(crate) const READS: Choice<Reads> = Choice::new(
    "buffer.reads",
    &["bypass", "cache"],
    &[Reads::Bypass, Reads::Cache],
    "whether host reads enter and count as uses; default cache for cflru and fab, otherwise bypass",
)
.open();

/// `read_buffer.writes`.
pub(crate) const READ_BUFFER_WRITES: Choice<bool> = Choice::new(
    "read_buffer.writes",
    &["bypass", "cache"],
    &[false, true],
    "whether pages that are written to the FTL enter",
);

/// `flash.copy_back`.
const COPY_BACK: Switch = Switch::new(
    "flash.copy_back",
    false,
    "copies inside a plane avoid the flash bus",
);

/// `buffer.protected`.
pub(crate) const PROTECTED: Switch = Switch::new(
    "buffer.protected",
    false,
    "memory with battery or capacitor: flushes do nothing",
);

fn names(settings: &dyn Settings, selector: &str, name: &str) -> bool {
    settings.value(selector) == Some(Setting::Text(name))
}

fn has_flash(settings: &dyn Settings) -> bool {
    !names(settings, "ftl.kind", "ideal")
}

fn has_buffer(settings: &dyn Settings) -> bool {
    !names(settings, "buffer.policy", NO_BUFFER)
}

fn has_read_buffer(settings: &dyn Settings) -> bool {
    !names(settings, "read_buffer.policy", NO_BUFFER)
}

fn has_buffers(settings: &dyn Settings) -> bool {
    has_buffer(settings) || has_read_buffer(settings) || settings.reads("ftl.ram")
}

fn has_protected_ram(settings: &dyn Settings) -> bool {
    let protected = settings.reads("buffer.protected") && PROTECTED.of(settings);
    protected || settings.reads("ftl.ram")
}

fn is_parallel(settings: &dyn Settings) -> bool {
    MODEL.of(settings) == TimeModel::Parallel
}

fn has_chips(settings: &dyn Settings) -> bool {
    let one = |key| settings.value(key) == Some(Setting::Int(1));
    !(one("flash.channels") && one("flash.chips_per_channel"))
}

const fn key(path: &'static str, kind: Kind, default: Setting<'static>, doc: &'static str) -> Key {
    Key::new(path, kind, Some(default), doc)
}

const fn open(path: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key::new(path, kind, None, doc)
}

const fn int(min: i64, max: i64) -> Kind {
    Kind::Int { min, max }
}

const fn float(min: f64, max: f64) -> Kind {
    Kind::Float { min, max }
}

const fn size(min: i64, max: i64, step: i64) -> Kind {
    Kind::Size {
        min,
        max,
        step,
        auto: false,
    }
}

/// The keys of every device.
pub(crate) const COMMON: &[Key] = &[
    open(
        "preset",
        Kind::Choice(Names::Presets),
        "the device to start from",
    ),
    PARTIAL_WRITES.key,
    PRECONDITION,
    PRECONDITION_SIZE,
    key(
        "drain",
        Kind::Bool,
        Setting::Bool(true),
        "write the buffer back at the end of the trace",
    ),
    REPLAY.key.if_value("timing.model", is_parallel),
    key(
        "queue_depth",
        int(1, 65536),
        Setting::Int(1),
        "closed replay: requests in flight",
    )
    .if_value("replay", |s| !REPLAY.of(s)),
    key(
        "speedup",
        float(1e-6, 1e6),
        Setting::Float(1.0),
        "timed replay: the times of the trace are divided by this",
    )
    .if_value("replay", |s| REPLAY.of(s)),
    key(
        "flash.capacity",
        Kind::Size {
            min: 512,
            max: MAX_BYTES,
            // must be whole blocks; their size depends on other keys
            step: 1,
            auto: true,
        },
        Setting::Int(1 << 30),
        "bytes of the drive as sold, in whole blocks; \"auto\": up to the end of the trace",
    ),
    key(
        "flash.page_size",
        size(512, 1 << 20, 512),
        Setting::Int(2048),
        "bytes of a page on one chip",
    ),
    key(
        "flash.pages_per_block",
        int(1, 65536),
        Setting::Int(128),
        "pages of an erase block",
    ),
    key(
        "flash.planes",
        COUNT,
        Setting::Int(1),
        "planes; block b is in plane b mod planes",
    )
    .if_value("flash.copy_back", |s| COPY_BACK.of(s)),
    COPY_BACK.key.if_value("ftl.kind", has_flash),
    key("flash.channels", COUNT, Setting::Int(1), "channels"),
    key(
        "flash.chips_per_channel",
        COUNT,
        Setting::Int(1),
        "chips on each channel",
    ),
    INTERLEAVE.key.if_there("one chip", has_chips),
    key(
        "flash.pe_cycles",
        int(1, 10_000_000),
        Setting::Int(3000),
        "program/erase cycles that a block endures",
    )
    .if_value("ftl.kind", has_flash),
    open(
        "flash.rated_tbw",
        float(1e-6, 1e9),
        "terabytes (10^12 bytes) that the host may write, as rated by the maker; default none",
    ),
    MODEL.key,
    key(
        "timing.read_us",
        MICROSECONDS,
        Setting::Float(50.0),
        "µs to read a page into the register",
    ),
    key(
        "timing.program_us",
        MICROSECONDS,
        Setting::Float(800.0),
        "µs to program a page",
    ),
    key(
        "timing.erase_us",
        MICROSECONDS,
        Setting::Float(1500.0),
        "µs to erase a block",
    ),
    key(
        "timing.transfer_us",
        MICROSECONDS,
        Setting::Float(50.0),
        "µs to transfer a page over the flash bus; parallel: in estimates only",
    ),
    key(
        "timing.buffer_us",
        MICROSECONDS,
        Setting::Float(0.0),
        "µs for each host page that hits or enters a buffer",
    )
    .if_there("no buffer", has_buffers),
    key(
        "timing.bus_mb_s",
        MB_PER_S,
        Setting::Float(166.0),
        "MB/s on the bus to the host; 0: infinitely fast",
    )
    .formerly("timing.bus_mhz")
    .if_value("timing.model", is_parallel),
    key(
        "timing.channel_mb_s",
        MB_PER_S,
        Setting::Float(40.0),
        "MB/s on each channel; 0: infinitely fast",
    )
    .formerly("timing.channel_mhz")
    .if_value("timing.model", is_parallel),
    key(
        "timing.read_suspends",
        Kind::Bool,
        Setting::Bool(false),
        "host reads suspend programs and erases",
    )
    .if_value("timing.model", is_parallel),
    key(
        "timing.spare_slots",
        int(0, MAX_PAGES as i64),
        Setting::Int(0),
        "pages of memory, in addition to the write buffer, through which pages leave",
    )
    .if_value("timing.model", is_parallel),
    open(
        ENERGY[0],
        MICROJOULES,
        "µJ to read a page of one chip; default none: energy is not known",
    ),
    open(
        ENERGY[1],
        MICROJOULES,
        "µJ to program a page of one chip; default none",
    ),
    open(
        ENERGY[2],
        MICROJOULES,
        "µJ to erase a block of one chip; default none",
    ),
    key(
        "ftl.kind",
        Kind::Choice(Names::Systems(Family::Ftl)),
        Setting::Text("bast"),
        "the flash translation layer",
    ),
    key(
        "ftl.reserve",
        Kind::Share,
        Setting::Float(0.0),
        "share of the capacity that the owner leaves unused, rounded up to blocks",
    ),
    key(
        "buffer.policy",
        Kind::Choice(Names::Systems(Family::Buffer)),
        Setting::Text("bplru"),
        "policy that chooses the pages to evict",
    ),
    READS.key.if_value("buffer.policy", has_buffer),
    PROTECTED.key.if_value("buffer.policy", has_buffer),
    key(
        "buffer.flush_age_s",
        float(0.0, 1e9),
        Setting::Float(0.0),
        "s after which dirty pages are written; 0: off",
    )
    .if_value("buffer.policy", has_buffer),
    key(
        "read_buffer.policy",
        Kind::Choice(Names::ReadBuffers),
        Setting::Text("none"),
        "policy that chooses the pages to evict",
    ),
    key(
        "read_buffer.size",
        size(0, MAX_BYTES, 1),
        Setting::Int(8 << 20),
        "bytes, rounded down to whole pages",
    )
    .if_value("read_buffer.policy", has_read_buffer),
    READ_BUFFER_WRITES
        .key
        .if_value("read_buffer.policy", has_read_buffer),
    key(
        "drive.hold_ms",
        int(0, 86_400_000),
        Setting::Int(1000),
        "ms for which power lasts to write protected RAM to flash",
    )
    .if_there("no protected RAM", has_protected_ram),
    key(
        "drive.spare_blocks",
        int(0, MAX_SLOTS),
        Setting::Int(0),
        "erase blocks of each chip that replace bad ones",
    ),
    key(
        "drive.bad_blocks",
        int(0, MAX_SLOTS),
        Setting::Int(0),
        "erase blocks of each chip that are bad from the beginning",
    ),
    key(
        "drive.program_failures",
        float(0.0, 1.0),
        Setting::Float(0.0),
        "share of programs that fail",
    ),
    key(
        "drive.erase_failures",
        float(0.0, 1.0),
        Setting::Float(0.0),
        "share of erases that fail",
    ),
    key(
        "drive.erase_limit",
        int(0, 4_294_967_295),
        Setting::Int(0),
        "erases after which a block is worn out; 0: never",
    ),
    key(
        "drive.bit_errors",
        float(0.0, 500.0),
        Setting::Float(0.0),
        "wrong bits in a KiB of a new block, on average",
    ),
    key(
        "drive.bit_errors_per_erase",
        float(0.0, 500.0),
        Setting::Float(0.0),
        "wrong bits that each erase of the block adds, on average",
    ),
    key(
        "drive.ecc_bits",
        int(0, 1000),
        Setting::Int(40),
        "wrong bits in a KiB that can be corrected",
    ),
    key(
        "drive.fault_seed",
        int(0, i64::MAX),
        Setting::Int(1),
        "seed of the random numbers for faults",
    ),
];
