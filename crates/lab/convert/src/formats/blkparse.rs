//! The default text of blkparse: a line of action D for each request.

use std::fmt::Write;

use ssdlab_host::{Op, Request};

use super::sectors::Sectors;
use super::{Lines, note_stream};
use crate::notes::Notes;
use crate::writer::{Head, Volume};

pub struct Blkparse {
    sectors: Sectors,
    /// The last line.
    sequence: u64,
}

impl Blkparse {
    pub const fn new(head: Head) -> Self {
        Self {
            sectors: Sectors::new(head.whole_sectors),
            sequence: 0,
        }
    }
}

/// The major number of the devices that stand for volumes without such numbers: the first one that Linux leaves to
/// local use.
const LOCAL: u32 = 240;

/// The major and minor number of a volume.
fn device(volume: Option<Volume>) -> (u32, u32) {
    let Some(volume) = volume else {
        return (LOCAL, 0);
    };
    let numbers = volume.name.split_once(',');
    let numbers =
        numbers.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    numbers.unwrap_or((LOCAL, volume.number))
}

impl Lines for Blkparse {
    fn add(
        &mut self,
        to: &mut String,
        request: &Request,
        volume: Option<Volume>,
        notes: &mut Notes,
    ) -> Result<u64, String> {
        note_stream(request, notes);
        let (kind, place) = match request.op() {
            Op::Flush => ("FN", None),
            op => {
                let Some(place) = self.sectors.of(request, notes)? else {
                    return Ok(0);
                };
                let kind = match op {
                    Op::Read => "R",
                    Op::Write => "W",
                    Op::Discard | Op::Flush => "D",
                };
                (kind, Some(place))
            }
        };
        self.sequence += 1;
        let (major, minor) = device(volume);
        let (seconds, rest) = (
            request.time_ns / 1_000_000_000,
            request.time_ns % 1_000_000_000,
        );
        let sequence = self.sequence;
        // the widths are those of blkparse
        let mut written = write!(
            to,
            "{major:3},{minor:<3} {:2} {sequence:8} {seconds:5}.{rest:09} {:5}  D {kind:>3} ",
            0, 0
        );
        if let Some((first, count)) = place {
            written = written.and_then(|()| write!(to, "{first} + {count} "));
        }
        let written = written.and_then(|()| writeln!(to, "[ssdlab]"));
        written.expect("a text takes all");
        Ok(1)
    }
}
