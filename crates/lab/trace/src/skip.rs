//! The reasons for leaving out lines and requests: the keys of [`TraceSummary::skipped`](crate::TraceSummary::skipped).

/// Lines of the known actions that were not chosen.
pub const ACTIONS: &str = "other actions";
/// Lines of unknown actions.
pub const UNKNOWN: &str = "unknown actions";
/// Requests whose operation is missing or has no meaning.
pub const OPERATIONS: &str = "unknown operations";
/// Lines about the queue of requests, and messages of the kernel.
pub const PLUGS: &str = "plug and message lines";
/// Dispatched requests that the driver gave back, so that they are dispatched again.
pub const REQUEUED: &str = "requeued dispatches";
/// Commands about the zones of a zoned device.
pub const ZONES: &str = "zone commands";
/// Lines about requests that are remapped or split; the resulting requests have lines of their own.
pub const REMAPS: &str = "remap and split lines";
/// Requests of the volumes that were not chosen.
pub const VOLUMES: &str = "other volumes";
/// Requests of size 0 without a flush.
pub const NO_DATA: &str = "no data";
/// Commands that programs sent directly to the device, past the block layer.
pub const COMMANDS: &str = "pass-through commands";
/// Reads that a cache served before they reached the device.
pub const CACHE_HITS: &str = "cache hits";
/// Lines that add, open or close files.
pub const FILES: &str = "lines about files";
/// Lines of the summary at the end.
pub const SUMMARY: &str = "summary lines";
/// Lines that repeat the header, where files were put together.
pub const HEADERS: &str = "header lines";
/// Events that are no requests to a disk.
pub const EVENTS: &str = "other events";
/// Lines that begin with `#`.
pub const COMMENTS: &str = "comment lines";
/// A last line or record that is cut off.
pub const CUT: &str = "cut off at the end";
/// Empty lines.
pub const BLANK: &str = "blank lines";
/// Flush requests left out by an option.
pub const FLUSHES: &str = "flushes (--drop-flushes)";
/// Read requests left out by an option.
pub const READS: &str = "reads (--drop-reads)";
/// Discards left out by an option.
pub const DISCARDS: &str = "discards (--drop-discards)";
/// Malformed lines left out by an option.
pub const MALFORMED: &str = "malformed lines (--skip-malformed)";

/// Whether few traces have such lines, so that the user should know of them.
pub fn is_unexpected(reason: &str) -> bool {
    [UNKNOWN, OPERATIONS, NO_DATA, COMMANDS, ZONES, MALFORMED].contains(&reason)
}
