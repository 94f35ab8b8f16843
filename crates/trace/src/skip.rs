//! Why lines and requests are left out: the keys of [`TraceSummary::skipped`](crate::TraceSummary::skipped).

/// Lines of known actions but the one taken.
pub const ACTIONS: &str = "other actions";
/// Lines of actions that are not known.
pub const UNKNOWN: &str = "unknown actions";
/// Lines on how requests queue up, and remarks of the kernel.
pub const PLUGS: &str = "plug and message lines";
/// Lines on how requests move to other places or fall apart; what comes of them has lines of its own.
pub const REMAPS: &str = "remap and split lines";
/// Requests of volumes but the one asked for.
pub const VOLUMES: &str = "other volumes";
/// Requests of size 0 that flush nothing.
pub const NO_DATA: &str = "no data";
/// Commands that programs sent to the device past the block layer.
pub const COMMANDS: &str = "pass-through commands";
/// Lines of the figures at the end.
pub const SUMMARY: &str = "summary lines";
/// Empty lines.
pub const BLANK: &str = "blank lines";
/// Flush requests left out on demand.
pub const FLUSHES: &str = "flushes (--drop-flushes)";
/// Read requests left out on demand.
pub const READS: &str = "reads (--drop-reads)";

/// Is it something that few traces hold and that a user should know of?
pub fn is_unexpected(reason: &str) -> bool {
    [UNKNOWN, NO_DATA, COMMANDS].contains(&reason)
}
