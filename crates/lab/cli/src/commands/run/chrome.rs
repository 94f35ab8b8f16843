//! The trace events of Chrome in JSON, which Perfetto (ui.perfetto.dev) reads.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::io::{self, Write};

use super::log::Log;
use crate::failure::Failure;

/// The most records in a file. A record takes some 110 bytes.
pub const MOST: u64 = 1_000_000;

/// A part of the simulated time, ns.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The first moment.
    pub from: u64,
    /// The first moment behind it.
    pub to: u64,
}

impl Window {
    fn has(self, at: u64) -> bool {
        (self.from..self.to).contains(&at)
    }

    /// Whether a part of an interval lies in it.
    fn touches(self, start: u64, end: u64) -> bool {
        start < self.to && end > self.from || self.has(start)
    }
}

/// A line of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Track {
    /// The requests of the host.
    Host,
    /// The write buffer.
    Buffer,
    /// The FTL.
    Ftl,
    /// The cells of a chip.
    Chip(u32),
    /// Reads of the host that suspend the other work of a chip; the second number tells those at the same time apart.
    HostReads(u32, u32),
    /// A channel.
    Channel(u32),
    /// The bus.
    Bus,
}

impl Track {
    /// The number of its group, and its own number there.
    fn ids(self) -> (u32, u64) {
        match self {
            Self::Host => (1, 1),
            Self::Buffer => (2, 1),
            Self::Ftl => (3, 1),
            Self::Chip(chip) => (4, u64::from(chip) << 17 | 1),
            // there are at most 65536 at the same time
            Self::HostReads(chip, lane) => (4, u64::from(chip) << 17 | u64::from(lane + 2)),
            Self::Channel(channel) => (5, u64::from(channel) + 1),
            Self::Bus => (6, 1),
        }
    }

    fn group(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Buffer => "buffer",
            Self::Ftl => "FTL",
            Self::Chip(_) | Self::HostReads(..) => "chips",
            Self::Channel(_) => "channels",
            Self::Bus => "bus",
        }
    }
}

impl Display for Track {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("requests"),
            Self::Buffer => f.write_str("evictions"),
            Self::Ftl => f.write_str("merges and cleaning"),
            Self::Chip(chip) => write!(f, "chip {chip}"),
            Self::HostReads(chip, 0) => write!(f, "chip {chip}: reads that suspend"),
            Self::HostReads(chip, lane) => {
                write!(f, "chip {chip}: reads that suspend, {}", lane + 1)
            }
            Self::Channel(channel) => write!(f, "channel {channel}"),
            Self::Bus => f.write_str("bus"),
        }
    }
}

/// A time in microseconds, with all its nanoseconds.
struct Us(u64);

impl Display for Us {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// The file. `args` are the members of a JSON object, without its braces.
pub struct Chrome {
    log: Log,
    window: Window,
    /// The most records, those that name tracks included; what is being written when it is reached is completed.
    most: u64,
    written: u64,
    /// The time of the first record that found no room.
    full_at: Option<u64>,
    /// The groups and tracks that have a name already.
    named: BTreeSet<(u32, u64)>,
}

impl Chrome {
    /// Begins the file.
    pub fn begin(log: Log, window: Window, most: u64) -> Self {
        log.append(|file| file.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":["));
        Self {
            log,
            window,
            most,
            written: 0,
            full_at: None,
            named: BTreeSet::new(),
        }
    }

    /// The time of the first record that found no room, if one did.
    pub fn full_at(&self) -> Option<u64> {
        self.full_at
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), Failure> {
        self.log.append(|file| file.write_all(b"\n]}\n"));
        self.log.finish()
    }

    /// Whether something at this time still finds room.
    fn has_room(&mut self, at: u64) -> bool {
        if self.written >= self.most {
            self.full_at.get_or_insert(at);
        }
        self.full_at.is_none()
    }

    fn record(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let first = self.written == 0;
        self.written += 1;
        self.log.append(|file| {
            file.write_all(if first { b"\n" } else { b",\n" })?;
            write(file)
        });
    }

    /// Names a track, and its group, where it first appears.
    fn name(&mut self, track: Track) -> (u32, u64) {
        let (pid, tid) = track.ids();
        if self.named.insert((pid, 0)) {
            let group = track.group();
            self.record(|file| {
                write!(
                    file,
                    "{{\"ph\":\"M\",\"pid\":{pid},\"name\":\"process_name\",\"args\":{{\"name\":\"{group}\"}}}}"
                )
            });
            self.record(|file| {
                write!(
                    file,
                    "{{\"ph\":\"M\",\"pid\":{pid},\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{pid}}}}}"
                )
            });
        }
        if self.named.insert((pid, tid)) {
            self.record(|file| {
                write!(
                    file,
                    "{{\"ph\":\"M\",\"pid\":{pid},\"tid\":{tid},\"name\":\"thread_name\",\"args\":{{\"name\":\"{track}\"}}}}"
                )
            });
        }
        (pid, tid)
    }

    /// A part works from `start` to before `end`, ns.
    pub fn slice(&mut self, track: Track, name: &str, (start, end): (u64, u64), args: &str) {
        if start == end || !self.window.touches(start, end) || !self.has_room(start) {
            return;
        }
        let (pid, tid) = self.name(track);
        let (ts, dur) = (Us(start), Us(end - start));
        self.record(|file| {
            write!(
                file,
                "{{\"ph\":\"X\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"dur\":{dur},\"name\":\"{name}\",\"args\":{{{args}}}}}"
            )
        });
    }

    /// A request is served from `start` to `end`, ns. Requests may overlap.
    pub fn request(&mut self, number: u64, name: &str, (start, end): (u64, u64), args: &str) {
        if !self.window.touches(start, end) || !self.has_room(start) {
            return;
        }
        let (pid, tid) = self.name(Track::Host);
        for (phase, at, args) in [('b', start, args), ('e', end, "")] {
            let ts = Us(at);
            self.record(|file| {
                write!(
                    file,
                    "{{\"ph\":\"{phase}\",\"cat\":\"request\",\"id\":{number},\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"name\":\"{name}\",\"args\":{{{args}}}}}"
                )
            });
        }
    }

    /// Something happens at a moment, ns.
    pub fn instant(&mut self, track: Track, name: &str, at: u64, args: &str) {
        if !self.window.has(at) || !self.has_room(at) {
            return;
        }
        let (pid, tid) = self.name(track);
        let ts = Us(at);
        self.record(|file| {
            write!(
                file,
                "{{\"ph\":\"i\",\"s\":\"t\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"name\":\"{name}\",\"args\":{{{args}}}}}"
            )
        });
    }

    /// A number has this value from a moment on, ns. Returns whether it was written.
    pub fn counter(&mut self, track: Track, name: &str, at: u64, values: &str) -> bool {
        if !self.window.has(at) || !self.has_room(at) {
            return false;
        }
        let (pid, _) = self.name(track);
        let ts = Us(at);
        self.record(|file| {
            write!(
                file,
                "{{\"ph\":\"C\",\"pid\":{pid},\"ts\":{ts},\"name\":\"{name}\",\"args\":{{{values}}}}}"
            )
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Files;
    use serde_json::Value;

    // planted bugs: a record behind the most; the first one that found no room is not told; half of a request
    #[test]
    fn what_finds_no_room_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.json");
        let log = Log::create(&mut Files::default(), "--trace-events", &path);
        let log = log.unwrap_or_else(|_| panic!("no file"));
        let window = Window {
            from: 0,
            to: u64::MAX,
        };
        // two groups with a track each take six records
        let mut chrome = Chrome::begin(log, window, 10);
        chrome.slice(Track::Bus, "move", (5, 1_234_567), "");
        chrome.request(1, "write", (5, 9), "\"lpn\":3");
        assert_eq!(chrome.full_at(), None);
        chrome.request(2, "read", (6, 9), "");
        chrome.slice(Track::Bus, "move", (7, 9), "");
        chrome.instant(Track::Buffer, "evict", 8, "");
        assert_eq!(chrome.full_at(), Some(7));
        assert!(chrome.finish().is_ok());
        let text = std::fs::read_to_string(&path).expect("the file");
        let file: Value = serde_json::from_str(&text).expect("JSON");
        let records = file["traceEvents"].as_array().expect("a list");
        assert_eq!(records.len(), 11);
        assert!(text.contains("\"ts\":0.005,\"dur\":1234.562,"), "{text}");
        let ends = |phase: &str| {
            records
                .iter()
                .filter(|record| record["ph"] == phase)
                .count()
        };
        assert_eq!((ends("b"), ends("e")), (2, 2));
    }
}
