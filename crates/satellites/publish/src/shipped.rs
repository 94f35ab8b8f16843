//! The traces that come with ssdlab, by their SHA-256.

/// `sha256sum` of them, from the folder `traces`.
const LIST: &str = include_str!("shipped.sha256");

/// The licence of these traces, which is that of ssdlab.
pub const LICENCE: &str = "MIT OR Apache-2.0";

/// SHA-256 and path, from the folder `traces`, of each trace that comes with ssdlab.
pub fn shipped_traces() -> impl Iterator<Item = (&'static str, &'static str)> {
    LIST.lines().filter_map(|line| line.split_once("  "))
}

/// The path of the trace with these bytes, if it comes with ssdlab.
pub fn shipped(sha256: &str) -> Option<&'static str> {
    shipped_traces().find_map(|(hash, path)| (hash == sha256).then_some(path))
}
