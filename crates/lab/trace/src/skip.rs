//! The reasons for leaving out lines and requests: the keys of [`TraceSummary::skipped`](crate::TraceSummary::skipped).

/// Lines of the known actions that were not chosen.
pub const ACTIONS: &str = "other actions";
/// Lines of unknown actions.
pub const UNKNOWN: &str = "unknown actions";
/// Lines about the queue of requests, and messages of the kernel.
pub const PLUGS: &str = "plug and message lines";
/// Lines about requests that are remapped or split; the resulting requests have lines of their own.
pub const REMAPS: &str = "remap and split lines";
/// Requests of the volumes that were not chosen.
pub const VOLUMES: &str = "other volumes";
/// Requests of size 0 without a flush.
pub const NO_DATA: &str = "no data";
/// Commands that programs sent directly to the device, past the block layer.
pub const COMMANDS: &str = "pass-through commands";
/// Lines of the summary at the end.
pub const SUMMARY: &str = "summary lines";
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
    [UNKNOWN, NO_DATA, COMMANDS, MALFORMED].contains(&reason)
}
