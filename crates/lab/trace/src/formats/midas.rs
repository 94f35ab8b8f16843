//! The format of the traces of MiDAS: `time type lba size`, perhaps with a stream behind, with blanks between them.
//!
//! The time is seconds, the type is 0 for a read, 1 for a write and 3 for a discard (2 is not used), `lba` is blocks of
//! 4096 bytes, `size` is bytes.

use crate::decode::{Decode, Facts, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, words};
use crate::skip;
use crate::streams::StreamBy;
use crate::text::{in_bytes, number_up_to, op, request_with_data, whole_number, wrong_fields};
use crate::time_unit::TimeUnit;
use ssdlab_host::Op;

const LAYOUT: &str = "time type lba size stream";

pub(crate) const ENTRY: Entry = Entry {
    name: "midas",
    about: "time (s), type (0 read, 1 write, 3 discard), lba (blocks of 4096 bytes), size (bytes), perhaps stream, with blanks between them",
    source: "MiDAS, FAST 2024",
    example: "0.250000000 1 0 4096",
    options: &[],
    columns: &["stream"],
    origin: None,
    volumes: None,
    sort_ns: None,
    by_line: false,
    detect,
    decoder,
};

/// Bytes in a block.
const BLOCK: u64 = 4096;

#[derive(Default)]
struct Midas {
    /// Whether lines must have streams.
    needs_streams: bool,
}

fn detect(head: Head) -> Option<String> {
    fits(head).then(|| {
        "the lines have a time with a fraction, 0, 1 or 3, a block, and multiples of 512 bytes"
            .into()
    })
}

/// Whether a trace may be one of MiDAS: its times have fractions, its sizes are bytes.
pub(crate) fn fits(head: Head) -> bool {
    let form = |line| {
        let [time, kind, lba, size, _] = Midas::split(line)?;
        Some((
            time.contains(&b'.') && TimeUnit::Second.decode("", time).is_ok(),
            kind,
            lba,
            size,
        ))
    };
    head.forms(form).is_some_and(|lines| {
        lines.iter().all(|&(time, kind, lba, size)| {
            let bytes = whole_number("", size).is_ok_and(|size| size % 512 == 0);
            time && bytes
                && (kind == b"2" || op("", kind, OPS).is_ok())
                && whole_number("", lba).is_ok()
        })
    })
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Midas {
        needs_streams: matches!(options.stream_by, Some(StreamBy::Column(_))),
    }))
}

const OPS: &[(&str, Op)] = &[("0", Op::Read), ("1", Op::Write), ("3", Op::Discard)];

impl Row<5> for Midas {
    const LAYOUT: &str = LAYOUT;

    /// The last field is empty if there is no stream.
    fn split(line: &[u8]) -> Option<Fields<'_, 5>> {
        let mut words = words(line);
        let fields = [
            words.next()?,
            words.next()?,
            words.next()?,
            words.next()?,
            words.next().unwrap_or_default(),
        ];
        words.next().is_none().then_some(fields)
    }

    fn wrong_count(line: &[u8]) -> String {
        let allowed = format!("4 or 5 fields with blanks between them: {LAYOUT}");
        wrong_fields(line, words(line).count(), &allowed)
    }

    fn row(
        &mut self,
        number: u64,
        [time, kind, lba, size, stream]: Fields<5>,
        out: &mut Out,
    ) -> Result<(), String> {
        let time = TimeUnit::Second.decode("time", time)?;
        let offset = in_bytes(BLOCK, "lba", lba)?;
        let size = whole_number("size", size)?;
        if self.needs_streams || !stream.is_empty() {
            out.stream = number_up_to(u16::MAX.into(), "stream", stream)? as u16;
        }
        let request = match kind {
            b"2" => Err(skip::OPERATIONS),
            kind => {
                let op = op("type", kind, OPS)?;
                request_with_data(["lba in bytes", "size"], time, op, offset, size)?
            }
        };
        out.give(number, request);
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts {
            // they may begin on any line
            has_streams: true,
            ..Facts::default()
        }
    }
}
