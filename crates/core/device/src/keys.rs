//! The keys of every device, table by table: each is a typed constant with path, range, default, unit and meaning. Systems
//! declare their own keys in their own files.
//!
//! ```
//! use ssdlab_device::keys::flash;
//!
//! // without a configuration, a key has its default
//! assert_eq!(flash::PAGE_SIZE.of(&()), 2048);
//! assert_eq!(flash::PAGE_SIZE.key.path, "flash.page_size");
//! ```

use ssdlab_policy::placement::RAM;
use ssdlab_policy::{Choice, Count, Key, Number, Settings, Switch, Words};

use crate::registry::NO_BUFFER;
use crate::{PartialWrites, Precondition, TimeModel};

/// Declares the keys of a table, and the list of them in the order of the documentation.
macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $key:expr;)+) => {
        $($(#[$doc])* pub const $name: $type = $key;)+

        pub(super) const ALL: &[ssdlab_policy::Key] = &[$($name.key),+];
    };
}

/// All keys of every device, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Key> + Clone {
    let tables = [
        top::ALL,
        flash::ALL,
        timing::ALL,
        energy::ALL,
        ftl::ALL,
        buffer::ALL,
        read_buffer::ALL,
        drive::ALL,
    ];
    tables.into_iter().flatten()
}

/// Numbers of chips, planes and channels.
const COUNT: [i64; 2] = [1, 65535];

fn has_buffer(settings: &dyn Settings) -> bool {
    buffer::POLICY.of(settings) != NO_BUFFER
}

fn has_read_buffer(settings: &dyn Settings) -> bool {
    read_buffer::POLICY.of(settings) != NO_BUFFER
}

fn has_buffers(settings: &dyn Settings) -> bool {
    has_buffer(settings) || has_read_buffer(settings) || settings.reads(RAM.key.path)
}

fn has_protected_ram(settings: &dyn Settings) -> bool {
    let key = buffer::PROTECTED;
    settings.reads(key.key.path) && key.of(settings) || settings.reads(RAM.key.path)
}

fn has_clocks(settings: &dyn Settings) -> bool {
    timing::MODEL.of(settings).has_clocks()
}

fn is_parallel(settings: &dyn Settings) -> bool {
    timing::MODEL.of(settings) == TimeModel::Parallel
}

fn is_drive(settings: &dyn Settings) -> bool {
    timing::MODEL.of(settings) == TimeModel::Drive
}

fn is_aged_by_workload(settings: &dyn Settings) -> bool {
    let before = Precondition::parse(PRECONDITION.of(settings));
    before.is_some_and(|before| before.workload().is_some())
}

fn has_chips(settings: &dyn Settings) -> bool {
    flash::CHANNELS.of(settings) > 1 || flash::CHIPS_PER_CHANNEL.of(settings) > 1
}

pub use top::*;

/// The keys outside the tables.
mod top {
    use super::*;

    keys! {
        /// `partial_writes`.
        PARTIAL_WRITES: Choice<PartialWrites> = Choice::new(
            "partial_writes",
            &["whole", "rmw"],
            &[PartialWrites::Whole, PartialWrites::Rmw],
            "writes of part of a page: like the whole page, or read-modify-write",
        );
        /// `precondition`.
        PRECONDITION: Words = Words::new(
            "precondition",
            (
                |text| Precondition::parse(text).is_some(),
                "full, empty, a filled share such as 0.6, random:2 (overwrites / capacity), workload, or 0.6,random:2 and 0.6,workload",
            ),
            "full",
            "before the trace: all pages written once, none, a part of them; then overwritten at random, or by the trace, resampled",
        );
        /// `precondition_size`.
        PRECONDITION_SIZE: Count = Count::bytes(
            "precondition_size",
            0,
            "bytes of each random overwrite of precondition, rounded up to pages; 0: one page",
        )
        .if_value(PRECONDITION.key.path, |settings| {
            Precondition::parse(PRECONDITION.of(settings)).is_some_and(Precondition::overwrites)
        });
        /// `precondition_segment`.
        PRECONDITION_SEGMENT: Count = Count::new(
            "precondition_segment",
            [0, u32::MAX as i64],
            0,
            "mean requests of a piece of the trace that ages the drive; 0: a sixteenth of the trace",
        )
        .if_value(PRECONDITION.key.path, is_aged_by_workload);
        /// `precondition_limit`.
        PRECONDITION_LIMIT: Number = Number::new(
            "precondition_limit",
            [3.0, 1000.0],
            20.0,
            "most bytes that age the drive by the trace / capacity, if write amplification does not settle before",
        )
        .if_value(PRECONDITION.key.path, is_aged_by_workload);
        /// `precondition_seed`.
        PRECONDITION_SEED: Count = Count::new(
            "precondition_seed",
            [0, i64::MAX],
            1,
            "seed of the pieces of the trace that age the drive",
        )
        .if_value(PRECONDITION.key.path, is_aged_by_workload);
        /// `precondition_unseen`.
        PRECONDITION_UNSEEN: Number = Number::open(
            "precondition_unseen",
            [0.0, 1.0],
            "share of the pages that age the drive by the trace and that the trace never wrote; default: as many as a longer trace \
             would bring, by those that it wrote once",
        )
        .if_value(PRECONDITION.key.path, is_aged_by_workload);
        /// `drain`.
        DRAIN: Switch = Switch::new("drain", true, "write the buffer back at the end of the trace");
        /// `replay`: whether it is timed.
        REPLAY: Choice<bool> = Choice::new(
            "replay",
            &["closed", "timed"],
            &[false, true],
            "issue a request when an earlier one completes, or at its time stamp",
        )
        .if_value(timing::MODEL.key.path, has_clocks);
        /// `queue_depth`.
        QUEUE_DEPTH: Count = Count::new(
            "queue_depth",
            [1, 65536],
            1,
            "closed replay: requests in flight",
        )
        .if_value(REPLAY.key.path, |settings| !REPLAY.of(settings));
        /// `speedup`.
        SPEEDUP: Number = Number::new(
            "speedup",
            [1e-6, 1e6],
            1.0,
            "timed replay: the times of the trace are divided by this",
        )
        .if_value(REPLAY.key.path, |settings| REPLAY.of(settings));
    }
}

/// The table `flash`.
pub mod flash {
    use ssdlab_ftl::{KIND, has_flash};
    use ssdlab_policy::AutoBytes;

    use super::*;
    use crate::Interleave;

    keys! {
        /// `flash.capacity`.
        CAPACITY: AutoBytes = AutoBytes::new(
            "flash.capacity",
            // must be whole blocks; their size depends on other keys
            512,
            1 << 30,
            "bytes of the drive as sold, in whole blocks; \"auto\": up to the end of the trace",
        );
        /// `flash.page_size`.
        PAGE_SIZE: Count = Count::bytes_in_steps(
            "flash.page_size",
            [512, 1 << 20],
            512,
            2048,
            "bytes of a page on one chip",
        );
        /// `flash.pages_per_block`.
        PAGES_PER_BLOCK: Count =
            Count::new("flash.pages_per_block", [1, 65536], 128, "pages of an erase block");
        /// `flash.planes`.
        PLANES: Count = Count::new("flash.planes", COUNT, 1, "planes; block b is in plane b mod planes")
            .if_value(COPY_BACK.key.path, |settings| COPY_BACK.of(settings));
        /// `flash.copy_back`.
        COPY_BACK: Switch = ssdlab_ftl::COPY_BACK;
        /// `flash.channels`.
        CHANNELS: Count = Count::new("flash.channels", COUNT, 1, "channels");
        /// `flash.chips_per_channel`.
        CHIPS_PER_CHANNEL: Count =
            Count::new("flash.chips_per_channel", COUNT, 1, "chips on each channel");
        /// `flash.interleave`.
        INTERLEAVE: Choice<Interleave> = Choice::new(
            "flash.interleave",
            &["superpage", "page", "block", "line"],
            &[Interleave::Superpage, Interleave::Page, Interleave::Block, Interleave::Line],
            "several chips: pages across all (shared control), whole pages (shared bus) or whole blocks in turn, or blocks across all",
        )
        .if_there("one chip", has_chips);
        /// `flash.pe_cycles`.
        PE_CYCLES: Count = Count::new(
            "flash.pe_cycles",
            [1, 10_000_000],
            3000,
            "program/erase cycles that a block endures",
        )
        .if_value(KIND.key.path, has_flash);
        /// `flash.cell_bits`.
        CELL_BITS: Count = ssdlab_ftl::page::CELL_BITS;
        /// `flash.slc_pe_cycles`.
        SLC_PE_CYCLES: Count = Count::new(
            "flash.slc_pe_cycles",
            [1, 10_000_000],
            30_000,
            "program/erase cycles that a fixed block of an SLC cache endures",
        )
        .if_value(ssdlab_ftl::page::SLC.key.path, ssdlab_ftl::page::has_slc);
        /// `flash.slc_wear`.
        SLC_WEAR: Number = Number::new(
            "flash.slc_wear",
            [0.0, 1.0],
            1.0,
            "share of a native cycle that use in SLC mode costs a block of the native pool",
        )
        .if_value(ssdlab_ftl::page::SLC.key.path, ssdlab_ftl::page::has_slc);
        /// `flash.rated_tbw`.
        RATED_TBW: Number = Number::open(
            "flash.rated_tbw",
            [1e-6, 1e9],
            "terabytes (10^12 bytes) that the host may write, as rated by the maker; default none",
        );
    }
}

/// The table `timing`.
pub mod timing {
    use super::*;
    use crate::MAX_PAGES;

    /// The time of a flash or buffer operation in microseconds.
    const MICROSECONDS: [f64; 2] = [0.0, 1e6];
    /// The speed of a bus in 10^6 bytes per second; 0 is infinite.
    const MB_PER_S: [f64; 2] = [0.0, 1e6];

    keys! {
        /// `timing.model`.
        MODEL: Choice<TimeModel> = Choice::new(
            "timing.model",
            &["serial", "parallel", "drive"],
            &[TimeModel::Serial, TimeModel::Parallel, TimeModel::Drive],
            "time: the sum of all operations, separate clocks for chips and buses, or those of drives of today",
        );
        /// `timing.read_us`.
        READ_US: Number =
            Number::new("timing.read_us", MICROSECONDS, 50.0, "µs to read a page into the register");
        /// `timing.program_us`.
        PROGRAM_US: Number =
            Number::new("timing.program_us", MICROSECONDS, 800.0, "µs to program timing.program_pages pages at once");
        /// `timing.erase_us`.
        ERASE_US: Number =
            Number::new("timing.erase_us", MICROSECONDS, 1500.0, "µs to erase a block");
        /// `timing.spread`.
        SPREAD: Number = Number::new(
            "timing.spread",
            [0.0, 0.99],
            0.0,
            "reads, programs and erases of each block take 1 - spread to 1 + spread of their times, evenly drawn; 0: all the same",
        );
        /// `timing.spread_seed`.
        SPREAD_SEED: Count = Count::new(
            "timing.spread_seed",
            [0, i64::MAX],
            1,
            "seed of the times that timing.spread draws",
        )
        .if_value(SPREAD.key.path, |settings| SPREAD.of(settings) > 0.0);
        /// `timing.slc_read_us`.
        SLC_READ_US: Number = Number::open(
            "timing.slc_read_us",
            MICROSECONDS,
            "µs to read a page of an SLC cache into the register; default read_us",
        )
        .if_value(ssdlab_ftl::page::SLC.key.path, ssdlab_ftl::page::has_slc);
        /// `timing.slc_program_us`.
        SLC_PROGRAM_US: Number = Number::open(
            "timing.slc_program_us",
            MICROSECONDS,
            "µs to program a page of an SLC cache; default program_us",
        )
        .if_value(ssdlab_ftl::page::SLC.key.path, ssdlab_ftl::page::has_slc);
        /// `timing.fold_program_us`.
        FOLD_PROGRAM_US: Number = Number::open(
            "timing.fold_program_us",
            MICROSECONDS,
            "µs to program a page that leaves an SLC cache; default program_us",
        )
        .if_value(ssdlab_ftl::page::SLC.key.path, ssdlab_ftl::page::has_slc);
        /// `timing.transfer_us`.
        TRANSFER_US: Number = Number::new(
            "timing.transfer_us",
            MICROSECONDS,
            50.0,
            "µs to transfer a page over the flash bus; parallel: in estimates only",
        );
        /// `timing.buffer_us`.
        BUFFER_US: Number = Number::new(
            "timing.buffer_us",
            MICROSECONDS,
            0.0,
            "µs for each host page that hits or enters a buffer",
        )
        .if_there("no buffer", has_buffers);
        /// `timing.map_host_us`.
        MAP_HOST_US: Number = Number::new(
            "timing.map_host_us",
            MICROSECONDS,
            1.0,
            "µs for a map page, or the entries of it that are wanted, from the host's memory",
        )
        .if_value(ssdlab_ftl::page::MAP_HOST.key.path, ssdlab_ftl::page::has_map_host);
        /// `timing.bus_mb_s`.
        BUS_MB_S: Number = Number::new(
            "timing.bus_mb_s",
            MB_PER_S,
            166.0,
            "MB/s on the bus to the host; 0: infinitely fast",
        )
        .formerly("timing.bus_mhz")
        .if_value(MODEL.key.path, has_clocks);
        /// `timing.channel_mb_s`.
        CHANNEL_MB_S: Number = Number::new(
            "timing.channel_mb_s",
            MB_PER_S,
            40.0,
            "MB/s on each channel; 0: infinitely fast",
        )
        .formerly("timing.channel_mhz")
        .if_value(MODEL.key.path, has_clocks);
        /// `timing.read_suspends`.
        READ_SUSPENDS: Switch =
            Switch::new("timing.read_suspends", false, "host reads suspend programs and erases")
                .if_value(MODEL.key.path, is_parallel);
        /// `timing.spare_slots`.
        SPARE_SLOTS: Count = Count::open(
            "timing.spare_slots",
            [0, MAX_PAGES as i64],
            "pages of memory beside the write buffer, through which pages leave; default 0, drive: three units a chip",
        )
        .if_value(MODEL.key.path, has_clocks);
        /// `timing.program_pages`.
        PROGRAM_PAGES: Count = Count::new(
            "timing.program_pages",
            [1, 65536],
            1,
            "pages that a chip programs at once, for timing.program_us together",
        );
        /// `timing.sense_pages`.
        SENSE_PAGES: Count = Count::new(
            "timing.sense_pages",
            [1, 65536],
            1,
            "drive: neighbouring pages that one read of a chip delivers",
        )
        .if_value(MODEL.key.path, is_drive);
        /// `timing.reads_at_once`.
        READS_AT_ONCE: Count = Count::new(
            "timing.reads_at_once",
            [1, 65536],
            1,
            "drive: host reads that a chip serves at the same time",
        )
        .if_value(MODEL.key.path, is_drive);
        /// `timing.suspend_us`.
        SUSPEND_US: Number = Number::new(
            "timing.suspend_us",
            MICROSECONDS,
            50.0,
            "drive: µs until a program or erase has let the chip go for a host read",
        )
        .if_value(MODEL.key.path, is_drive);
        /// `timing.suspend_window_us`.
        SUSPEND_WINDOW_US: Number = Number::new(
            "timing.suspend_window_us",
            MICROSECONDS,
            400.0,
            "drive: a program or erase with no more µs left is waited for",
        )
        .if_value(MODEL.key.path, is_drive);
        /// `timing.command_us`.
        COMMAND_US: Number = Number::new(
            "timing.command_us",
            MICROSECONDS,
            0.0,
            "drive: µs of the command processor for each request",
        )
        .if_value(MODEL.key.path, is_drive);
        /// `timing.dispatch_us`.
        DISPATCH_US: Number = Number::new(
            "timing.dispatch_us",
            MICROSECONDS,
            0.0,
            "drive: µs of the command processor for each program",
        )
        .if_value(MODEL.key.path, is_drive);
        /// `timing.read_host_us`.
        READ_HOST_US: Number = Number::new(
            "timing.read_host_us",
            MICROSECONDS,
            0.0,
            "drive: µs of firmware, interface and host for each read",
        )
        .if_value(MODEL.key.path, is_drive);
        /// `timing.write_host_us`.
        WRITE_HOST_US: Number = Number::new(
            "timing.write_host_us",
            MICROSECONDS,
            0.0,
            "drive: the same for each write, flush and discard",
        )
        .if_value(MODEL.key.path, is_drive);
    }
}

/// The table `energy`: all of its keys are given, or none.
pub mod energy {
    use super::*;

    /// The energy of each operation.
    pub const OPERATIONS: [Number; 3] = [READ_UJ, PROGRAM_UJ, ERASE_UJ];

    /// The energy of an operation in microjoules.
    const MICROJOULES: [f64; 2] = [0.0, 1e6];

    keys! {
        /// `energy.read_uj`.
        READ_UJ: Number = Number::open(
            "energy.read_uj",
            MICROJOULES,
            "µJ to read a page of one chip; default none: energy is not known",
        );
        /// `energy.program_uj`.
        PROGRAM_UJ: Number = Number::open(
            "energy.program_uj",
            MICROJOULES,
            "µJ to program a page of one chip; default none",
        );
        /// `energy.erase_uj`.
        ERASE_UJ: Number = Number::open(
            "energy.erase_uj",
            MICROJOULES,
            "µJ to erase a block of one chip; default none",
        );
    }
}

/// The keys of the table `ftl` that every FTL has.
pub mod ftl {
    use super::*;

    keys! {
        /// `ftl.kind`.
        KIND: Words = ssdlab_ftl::KIND;
        /// `ftl.reserve`.
        RESERVE: Number = Number::share(
            "ftl.reserve",
            Some(0.0),
            "share of the capacity that the owner leaves unused, rounded up to blocks",
        );
    }
}

/// The keys of the table `buffer` that every write buffer has.
pub mod buffer {
    use ssdlab_policy::Family;

    use super::*;
    use crate::Reads;

    keys! {
        /// `buffer.policy`.
        POLICY: Words =
            Words::selector(Family::Buffer, "bplru", "policy that chooses the pages to evict");
        /// `buffer.reads`.
        READS: Choice<Reads> = Choice::new(
            "buffer.reads",
            &["bypass", "cache"],
            &[Reads::Bypass, Reads::Cache],
            "whether host reads enter and count as uses; default cache for cflru and fab, otherwise bypass",
        )
        .open()
        .if_value(POLICY.key.path, has_buffer);
        /// `buffer.protected`.
        PROTECTED: Switch = Switch::new(
            "buffer.protected",
            false,
            "memory with battery or capacitor: flushes do nothing",
        )
        .if_value(POLICY.key.path, has_buffer);
        /// `buffer.flush_age_s`.
        FLUSH_AGE_S: Number = Number::new(
            "buffer.flush_age_s",
            [0.0, 1e9],
            0.0,
            "s after which dirty pages are written; 0: off",
        )
        .if_value(POLICY.key.path, has_buffer);
    }
}

/// The table `read_buffer`.
pub mod read_buffer {
    use ssdlab_policy::Names;

    use super::*;

    keys! {
        /// `read_buffer.policy`.
        POLICY: Words = Words::name(
            "read_buffer.policy",
            Names::ReadBuffers,
            Some(NO_BUFFER),
            "policy that chooses the pages to evict",
        );
        /// `read_buffer.size`.
        SIZE: Count =
            Count::bytes("read_buffer.size", 8 << 20, "bytes, rounded down to whole pages")
                .if_value(POLICY.key.path, has_read_buffer);
        /// `read_buffer.writes`: whether they enter.
        WRITES: Choice<bool> = Choice::new(
            "read_buffer.writes",
            &["bypass", "cache"],
            &[false, true],
            "whether pages that are written to the FTL enter",
        )
        .if_value(POLICY.key.path, has_read_buffer);
    }
}

/// The table `drive`: what a virtual SSD needs beside the device.
pub mod drive {
    use super::*;

    /// The most spare erase blocks of a chip.
    const MAX_SLOTS: i64 = 1 << 24;

    keys! {
        /// `drive.hold_ms`.
        HOLD_MS: Count = Count::new(
            "drive.hold_ms",
            [0, 86_400_000],
            1000,
            "ms for which power lasts to write protected RAM to flash",
        )
        .if_there("no protected RAM", has_protected_ram);
        /// `drive.spare_blocks`.
        SPARE_BLOCKS: Count = Count::new(
            "drive.spare_blocks",
            [0, MAX_SLOTS],
            0,
            "erase blocks of each chip that replace bad ones",
        );
        /// `drive.bad_blocks`.
        BAD_BLOCKS: Count = Count::new(
            "drive.bad_blocks",
            [0, MAX_SLOTS],
            0,
            "erase blocks of each chip that are bad from the beginning",
        );
        /// `drive.program_failures`.
        PROGRAM_FAILURES: Number = Number::new(
            "drive.program_failures",
            [0.0, 1.0],
            0.0,
            "share of programs that fail",
        );
        /// `drive.erase_failures`.
        ERASE_FAILURES: Number =
            Number::new("drive.erase_failures", [0.0, 1.0], 0.0, "share of erases that fail");
        /// `drive.erase_limit`.
        ERASE_LIMIT: Count = Count::new(
            "drive.erase_limit",
            [0, 4_294_967_295],
            0,
            "erases after which a block is worn out; 0: never",
        );
        /// `drive.bit_errors`.
        BIT_ERRORS: Number = Number::new(
            "drive.bit_errors",
            [0.0, 500.0],
            0.0,
            "wrong bits in a KiB of a new block, on average",
        );
        /// `drive.bit_errors_per_erase`.
        BIT_ERRORS_PER_ERASE: Number = Number::new(
            "drive.bit_errors_per_erase",
            [0.0, 500.0],
            0.0,
            "wrong bits that each erase of the block adds, on average",
        );
        /// `drive.ecc_bits`.
        ECC_BITS: Count = Count::new(
            "drive.ecc_bits",
            [0, 1000],
            40,
            "wrong bits in a KiB that can be corrected",
        );
        /// `drive.fault_seed`.
        FAULT_SEED: Count = Count::new(
            "drive.fault_seed",
            [0, i64::MAX],
            1,
            "seed of the random numbers for faults",
        );
    }
}
